// The leader board: means with intervals, and which differences are real.
function difference(measure, baseline, run) {
  for (const [m, b, r, value, low, high, p, won, tied, lost] of data.differences) {
    if (m !== measure) continue;
    if (b === baseline && r === run) return { value, low, high, p, won, tied, lost };
    if (r === baseline && b === run) return { value: -value, low: -high, high: -low, p, won: lost, tied, lost: won };
  }
  return null;
}

// Signs that no sort arrow has.
const [BETTER, WORSE] = ['+', '\u2212'];
const better = (measure) => data.measures[measure].better;
const ranked = (measure) => data.runs.map((_, run) => run)
  .filter((run) => data.means[run][measure] !== null)
  .sort((a, b) => better(measure) * (data.means[b][measure] - data.means[a][measure]));

// Means that agree to so many digits are ties: the order of a sum must not break one.
const tied = (a, b) => Math.abs(a - b) < 1e-12;
const winners = (measure) => ranked(measure).filter((run, _, order) => tied(data.means[run][measure], data.means[order[0]][measure]));

function mark(measure, baseline, run) {
  const found = baseline >= 0 && run !== baseline ? difference(measure, baseline, run) : null;
  if (!found || found.p === null || found.p >= data.alpha) return null;
  const wins = found.value * better(measure) > 0;
  return el('sup', { class: wins ? 'wins' : 'loses',
    title: `${wins ? 'better' : 'worse'} than ${runLabel(baseline)} by ${fixed(Math.abs(found.value))}, p = ${fixed(found.p, 3)}` },
  wins ? BETTER : WORSE);
}

function cellTitle(measure, run, baseline) {
  const parts = [];
  const bounds = data.intervals && data.intervals[run][measure];
  if (bounds && bounds[0] !== null) parts.push(`${Math.round(data.confidence * 100)}% interval ${fixed(bounds[0])} to ${fixed(bounds[1])}`);
  const found = baseline >= 0 && run !== baseline ? difference(measure, baseline, run) : null;
  if (found) parts.push(`against ${runLabel(baseline)}: ${signed(found.value)} [${signed(found.low)}, ${signed(found.high)}], ` +
    `p = ${fixed(found.p, 3)}, ${count(found.won)} won, ${count(found.tied)} tied, ${count(found.lost)} lost`);
  return parts.join('; ');
}

// Numbers and short words are not broken.
const whole = (cell) => cell.length <= 24 ? 'whole' : '';

// A table as it is printed: the first columns are names, the others numbers.
function asTable({ title, header, body, names, footer }) {
  const looks = (cell, at) => `${whole(cell)} ${at < names ? '' : 'number'}`.trim() || null;
  return el('figure', { class: 'slices' }, el('figcaption', {}, title), scroller(title, el('table', {},
    el('thead', {}, el('tr', {}, header.map((cell, at) => el('th', { scope: 'col', class: looks(cell, at) }, name(cell))))),
    el('tbody', {}, body.map((row) => el('tr', {}, row.map((cell, at) => el(at ? 'td' : 'th', { class: looks(cell, at), scope: at ? null : 'row' }, at < names ? name(cell) : cell))))))),
  footer.map((line) => el('p', { class: 'hint' }, line)));
}

// Values of a parameter in the order of their numbers, if they are numbers.
const byNumber = (value) => value !== '' && Number.isFinite(Number(value)) ? Number(value) : value;

function showBoard() {
  const focus = measureOf();
  const pinned = state.baseline || data.baseline;
  const baseline = pinned ? data.runs.indexOf(pinned) : ranked(focus)[0] ?? -1;
  const most = Math.max(...data.runs.map((_, run) => {
    const bounds = data.intervals && data.intervals[run][focus];
    return Math.max(data.means[run][focus] || 0, (bounds && bounds[1]) || 0);
  })) || 1;
  const byValues = data.parameters.length > 0 && data.runs.some((_, run) => runTitle(run));
  const columns = [{ title: 'run', value: (row) => row.name.toLowerCase(), cell: (row) =>
    [runKey(row.run), link({ view: 'question', run: row.name, topic: '', doc: '' }, byValues ? el('span', { title: row.name }, count(data.numbers[row.run])) : runWord(row.run))] }];
  data.parameters.forEach(({ name: title, values }) => columns.push({ title, value: (row) => byNumber(values[row.run]), cell: (row) => el('span', { class: whole(values[row.run]) }, name(values[row.run])) }));
  const before = columns.length;
  data.measures.forEach((measure, at) => columns.push({
    title: measure.name, number: true, first: -measure.better, value: (row) => data.means[row.run][at],
    cell: (row) => el('span', { class: winners(at).includes(row.run) ? 'value best' : 'value', title: cellTitle(at, row.run, baseline),
      'data-run': row.name, 'data-measure': measure.name }, fixed(data.means[row.run][at]), mark(at, baseline, row.run)),
  }));
  columns.push({ title: `${data.measures[focus].name}, ${Math.round(data.confidence * 100)}% interval`, fixed: true,
    value: () => 0, cell: (row) => intervalBar(data.means[row.run][focus], data.intervals && data.intervals[row.run][focus], most, runColour(row.run)) });
  data.columns.forEach(({ title, help, digits, values }) => columns.push({
    title, number: true, first: -1, value: (row) => values[row.run],
    cell: (row) => el('span', { class: 'counted', title: help }, values[row.run] === null ? '' : count(values[row.run], digits)),
  }));
  const rows = data.runs.map((run, at) => ({ name: run, run: at })).filter((row) => matches(row.name, runLabel(row.run)));
  const sort = state.sort.board || { column: focus + before, direction: -better(focus) };
  const act = (next) => {
    state.sort.board = next;
    const measure = data.measures[next.column - before];
    go(measure ? { measure: measure.name } : {});
    render();
  };
  const best = winners(focus);
  return [
    el('div', { class: 'controls' },
      choice('drawn', data.measures.map((measure) => [measure.name, measure.name]), data.measures[focus].name,
        (value) => { state.sort.board = null; go({ measure: value }); }),
      data.runs.length > 1 && choice('compared with', [...data.baseline ? [] : [['', 'the best run']], ...runChoices()], pinned,
        (value) => go({ baseline: value }))),
    sortable(columns, rows, sort, act, { class: 'board' }),
    el('p', { class: 'hint' }, best.length > 0 && ['Best by ', data.measures[focus].name, ': ', best.map((run, at) => [at ? ', ' : '', runWord(run)]), '. '],
      data.measures[focus].user, data.measures[focus].better < 0 && ' Lower is better.'),
    data.tested && el('p', { class: 'hint' }, el('sup', { class: 'wins' }, BETTER), ' better and ', el('sup', { class: 'loses' }, WORSE),
      ` worse than ${baseline >= 0 ? runLabel(baseline) : ''} with p < ${data.alpha}: ${data.tested}. Bars: means with bootstrap intervals over topics.`),
    el('p', { class: 'hint' }, 'Select a run to see its questions.'),
    data.bounds.map(asTable),
    data.effects.map(asTable),
    explained(),
    el('ul', { class: 'notes' }, data.notes.map((note) => el('li', {}, note))),
  ];
}
