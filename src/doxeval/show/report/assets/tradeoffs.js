// Trade-offs: quality against what it takes. The runs that no other beats are joined and named, the others fainter.
const LONGEST_LABEL = 30;

const amountOf = (value) => value === null ? '' : count(value, value < 100 ? 2 : 0);
const acrossOf = ({ against, depth }) => depth === 0 ? against : `${against} shown by ${depth ? `the first ${plural(depth, 'result')}` : 'all results'}`;

function tradeoffChart(one) {
  const { measure, frontier } = one;
  const runs = data.runs.map((_, run) => run).filter((run) => one.x[run] !== null && one.y[run] !== null);
  const ys = runs.map((run) => one.y[run]);
  const [least, most] = [Math.min(...ys), Math.max(...ys)];
  const drawn = plane(runs.map((run) => one.x[run]), ys, { up: data.measures[measure].name, across: () => acrossOf(one),
    lowest: least < 0 || least > most / 2 ? least - (most - least || Math.abs(most)) * 0.08 : 0 });
  const at = (run) => [drawn.x(one.x[run]), drawn.y(one.y[run])];
  const beaten = runs.filter((run) => !frontier.includes(run));
  const point = (run, size, look) => svg('g', { class: look, 'data-run': run }, runMarker(run, ...at(run), size,
    svg('title', {}, `${runLabel(run)}: ${data.measures[measure].name} ${fixed(one.y[run])}, ${amountOf(one.x[run])} ${one.against}`)));
  const around = (run) => [at(run)[0] - 5, at(run)[1] - 5, at(run)[0] + 5, at(run)[1] + 5];
  const taken = [...frontier.map(around), ...frontier.slice(1).flatMap((run, before) => along(...at(frontier[before]), ...at(run)))];
  const asked = frontier.map((run) => ({ x: at(run)[0], y: at(run)[1], run, text: shortened(visible(runLabel(run)), LONGEST_LABEL) })).reverse();
  const labels = placedLabels(asked, drawn, taken, [...BESIDE, ...FURTHER], beaten.map(around));
  const title = `${data.measures[measure].name} against ${one.against}`;
  const named = labels.filter(Boolean).length;
  const figure = el('figure', { class: 'tradeoff' }, el('figcaption', {}, title, saveButtons(title, () => figure)),
    svg('svg', { viewBox: `0 0 ${drawn.width} ${drawn.height}`, class: 'chart', role: 'img', 'aria-label': `${title}, of every run` }, drawn.grid,
      beaten.map((run) => point(run, 3, 'beaten')), svg('polyline', { class: 'frontier', points: frontier.map((run) => at(run).join(' ')).join(' ') }),
      frontier.map((run) => point(run, 5, 'unbeaten')), labels, drawn.axes),
    el('p', { class: 'hint' }, `On the line: ${frontier.length < data.runs.length ? `the ${count(frontier.length)} of ${plural(data.runs.length, 'run')}` : `all ${plural(data.runs.length, 'run')},`} ${one.said}.`,
      named < frontier.length && ` There is room for the names of ${count(named)}; the table has all.`,
      runs.length < data.runs.length && ` Of ${plural(data.runs.length - runs.length, 'run')} this is not known.`),
    tradeoffTable(one, frontier, ''),
    beaten.length > 0 && el('details', {}, el('summary', {}, `All ${count(data.runs.length)} runs`), tradeoffTable(one, [...data.runs.keys()], ' all')));
  return figure;
}

function tradeoffTable(one, runs, all) {
  const key = `tradeoffs ${one.against}${all}`;
  const columns = [{ title: 'run', value: (row) => row.name.toLowerCase(), cell: (row) => runName(row.run) },
    { title: one.against, number: true, value: (row) => one.x[row.run], cell: (row) => amountOf(one.x[row.run]) },
    { title: data.measures[one.measure].name, number: true, first: -better(one.measure), value: (row) => one.y[row.run], cell: (row) => fixed(one.y[row.run]) },
    all && { title: 'on the line', value: (row) => one.frontier.includes(row.run) ? 0 : 1, cell: (row) => one.frontier.includes(row.run) ? 'yes' : '' }].filter(Boolean);
  const rows = runs.filter((run) => matches(data.runs[run], runLabel(run))).map((run) => ({ name: data.runs[run], run }));
  return redrawn((again) => sortable(columns, rows, state.sort[key] || { column: 1, direction: 1 }, (next) => { state.sort[key] = next; again(); }, { class: 'tradeoffs' }));
}

const showTradeoffs = () => [el('div', { class: 'charts wide' }, data.pareto.map(tradeoffChart))];
