// Trajectories: all steps of an agent against the documents, what they spent, and where needs were lost.
const MANY_STEPS = 60;
let idleSteps = null;

const followers = () => data.runs.map((_, run) => run).filter((run) => data.trajectories[run]);
const pageOf = (run, topic) => data.followed.get(`${run} ${topic}`);
const isIdle = (page, at) => !page.places.some(([step]) => step === at) && !page.query[at];
const sum = (column) => column.reduce((all, one) => all + one, 0);
const amountText = (value) => value === null ? '' : Number(value.toPrecision(6)).toLocaleString('en', { maximumFractionDigits: 6 });
const spentUpTo = (column, at) => column.slice(0, at + 1).some((one) => one === null) ? null : Number(sum(column.slice(0, at + 1)).toFixed(9));

// How far a need is from the nearest text that was shown of its document.
const awayText = (away) => away === null ? 'no text of its document was shown' : away === 0 ? 'some of it was shown'
  : `the nearest text shown ${away > 0 ? 'ends' : 'begins'} ${amounts(Math.abs(away) * data.grain)} ${away > 0 ? 'before' : 'after'} it`;

// The chances that a reader of the navigation model had of seeing what was not shown, by document.
function expectedIn(run, topic) {
  const found = viewsOf(topic).map(([doc, view]) => [data.docs[doc].name, view.near.filter(([owner]) => owner === run)]).filter(([, near]) => near.length);
  const mean = (near) => sum(near.map(([, start, end, chance]) => (end - start) * chance)) / sum(near.map(([, start, end]) => end - start));
  return found.map(([doc, near]) => el('li', {}, name(doc), `: ${near.map(([, start, end]) => placeText([start, end])).slice(0, 3).join(', ')}${near.length > 3 ? ' \u2026' : ''}, chance ${percent(mean(near))}`));
}

function lossTable(run, topic, page) {
  if (!page.needs.length) return null;
  const expected = data.navigation ? expectedIn(run, topic) : [];
  return [el('h3', {}, 'Where it was lost'), scroller('needs and their stages', el('table', { class: 'needs' },
    el('thead', {}, el('tr', {}, ['need', 'stage', 'distance', 'places'].map((title) => el('th', { scope: 'col' }, title)))),
    el('tbody', {}, page.needs.map(([need, stage, places, away]) => el('tr', { 'data-stage': stage }, el('th', { scope: 'row' }, name(need)), el('td', {}, data.stages[stage]),
      el('td', {}, awayText(away)), el('td', {}, name(places))))))),
  expected.length > 0 && el('div', { class: 'expected' }, el('p', { class: 'hint' }, `What was not shown, and the chance that a reader of ${data.navigation} goes on to it from what was:`), el('ul', { class: 'notes' }, expected))];
}

function told(page, topic) {
  const [shown, again, fresh] = [sum(page.shown), sum(page.again), sum(page.new)];
  const first = page.new.findIndex((amount) => amount > 0);
  const facts = [plural(page.number.length, 'step'), `${amounts(shown)} shown${shown ? `, ${percent(again / shown)} of them again` : ''}`,
    data.relevant[topic] ? `${amount(fresh)} of ${amount(data.relevant[topic])} relevant ${data.unit} seen${first < 0 ? '' : `, the first at step ${count(page.number[first])}`}` : 'nothing is relevant',
    ...Object.entries(page.amounts).map(([unit, column]) => { const spent = spentUpTo(column, column.length - 1); return spent === null ? `not all steps state their ${unit}` : unit === 'cost' ? `a cost of ${amountText(spent)}` : `${amountText(spent)} ${unit}`; })];
  return el('p', { class: 'effort' }, facts.map((fact, at) => [at ? '; ' : '', el('span', {}, fact)]), '.');
}

// A curve that rises where something is seen: its first and last points, and two wherever it changes.
function stairs(xs, ys) {
  const points = xs.flatMap((x, at) => at && ys[at] !== ys[at - 1] ? [[x, ys[at - 1]], [x, ys[at]]] : at === 0 || at === xs.length - 1 ? [[x, ys[at]]] : []);
  return { x: points.map(([x]) => x), y: points.map(([, y]) => y) };
}

// Recall of this topic, step by step and by what was spent, of every run that has steps.
function topicCurves(topic) {
  const runs = followers().filter((run) => pageOf(run, topic) && data.relevant[topic]);
  const curve = (title, x, amounts) => ({ title, x, y: 'recall', logarithmic: false, series: data.runs.map((_, run) => {
    const page = runs.includes(run) && pageOf(run, topic);
    return page ? stairs(amounts(page), page.recall) : { x: [], y: [] };
  }) });
  const units = [...new Set(runs.flatMap((run) => Object.keys(pageOf(run, topic).amounts)))];
  const stated = (page, unit) => page.amounts[unit] && !page.amounts[unit].includes(null);
  return el('div', { class: 'charts' }, [curve('Recall by step', 'step', (page) => page.number),
    ...units.filter((unit) => runs.every((run) => stated(pageOf(run, topic), unit))).map((unit) => curve(`Recall by ${unit}`, unit, (page) => page.amounts[unit].map((_, at) => spentUpTo(page.amounts[unit], at))))]
    .map((one) => el('figure', {}, el('figcaption', {}, one.title), lineChart(one, runs))));
}

const laneNumber = (doc) => el('span', { class: 'rank' }, doc + 1);
const placesAt = (page, at) => page.places.filter(([step]) => step === at).map(([, doc, kind, ...bounds]) => el('span', { class: 'place' }, laneNumber(doc),
  kind === NAMED ? 'named' : pairsIn(bounds).length ? pairsIn(bounds).map(placeText).join(', ') : 'no text placed', kind === USED ? ' used' : ''));

// The text that a step showed or used, as far as the report holds it.
function stepText(topic, run, page, at, earlier) {
  const places = page.places.filter(([step, , kind]) => step === at && kind !== NAMED);
  if (!places.length) return el('p', { class: 'facts' }, 'This step showed no text of a document.');
  return places.map(([, doc, kind, ...bounds], number) => {
    const [label, length, relevant] = page.docs[doc];
    const held = data.docs.find((one) => one.name === label) || { name: label, length, text: [], tree: null };
    const seen = merged(earlier[doc]);
    const parts = cutAt(merged(pairsIn(bounds)), [...relevant, ...seen], (place) => inside(relevant, place) ? (inside(seen, place) ? 'repeated' : 'hit') : '');
    return el('div', { class: 'card' }, el('p', { class: 'card-head' }, laneNumber(doc), viewsOf(topic).some(([one]) => data.docs[one] === held) ? link({ view: 'documents', doc: label, run: data.runs[run] }, name(label)) : name(label), el('span', { class: 'facts' }, kind === USED ? 'used' : 'shown')),
      symbolLine(held, pairsIn(bounds)), passage(held, parts, `step ${run} ${topic} ${at} ${number}`));
  });
}

function stepRows(run, topic, page) {
  const layout = lanesOf(page);
  const earlier = page.docs.map(() => []);
  const units = Object.keys(page.amounts);
  const hideIdle = idleSteps === null ? page.number.length > MANY_STEPS : !idleSteps;
  const columns = ['shown', 'new', 'again', 'used', 'hit'].filter((column) => column === 'shown' || column === 'new' || sum(page[column]) > 0);
  const titles = { hit: 'used relevant' };
  const body = page.number.flatMap((number, at) => {
    const before = earlier.map((spans) => [...spans]);
    for (const [step, doc, kind, ...bounds] of page.places) if (step === at && kind === SHOWN) earlier[doc].push(...pairsIn(bounds));
    if (hideIdle && isIdle(page, at)) return [];
    const detail = el('tr', { class: 'detail', hidden: true }, el('td', { colspan: 4 + columns.length + units.length }));
    const row = el('tr', { 'data-step': number }, el('th', { scope: 'row' }, button(count(number), () => toggleStep(row, detail, () => stepText(topic, run, page, at, before)), { class: 'step-number', 'aria-expanded': 'false', title: `step ${count(number)}: show its text` })),
      el('td', { class: 'what' }, el('b', {}, data.actions[page.action[at]]), page.query[at] && [' ', el('q', {}, name(page.query[at]))], placesAt(page, at).map((place) => [' ', place])),
      el('td', { class: 'strip-cell' }, stepStrip(page, layout, at, before)),
      columns.map((column) => el('td', { class: 'number', 'data-column': column }, amount(page[column][at]))),
      el('td', { class: 'number', 'data-column': 'recall' }, fixed(page.recall[at])),
      units.map((unit) => el('td', { class: 'number', title: `${amountText(spentUpTo(page.amounts[unit], at) ?? null)} ${unit} up to here` }, amountText(page.amounts[unit][at]))));
    if (state.step === String(number)) queueMicrotask(() => { if (detail.hidden) row.querySelector('button').click(); });
    return [row, detail];
  });
  const heads = [...columns.map((column) => titles[column] || column), 'recall', ...units];
  return scroller('steps', el('table', { class: 'steps' },
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'step'), el('th', { scope: 'col' }, 'what'),
      el('th', { scope: 'col', class: 'strip-cell' }, laneHeads(layout), laneStrip(layout, 'where relevant text lies', backdrop(page, layout))), heads.map((title) => el('th', { scope: 'col', class: 'number' }, title)))),
    el('tbody', {}, body)));
}

const laneHeads = ({ lanes, width }) => el('div', { class: 'lane-heads', 'aria-hidden': 'true' }, lanes.map((lane, doc) =>
  lane.right - lane.left > width * 0.02 || lanes.length < 25 ? el('span', { style: { left: `${(lane.left + lane.right) / 2 / width * 100}%` } }, doc + 1) : null));

function toggleStep(row, detail, text) {
  detail.hidden = !detail.hidden;
  row.querySelector('button').setAttribute('aria-expanded', String(!detail.hidden));
  detail.firstChild.replaceChildren(...detail.hidden ? [] : [el('div', { class: 'step-text' }, text())]);
  amend({ step: detail.hidden ? '' : row.dataset.step });
}

function trajectoryPage(topic) {
  const runs = followers();
  const run = runs.includes(data.runs.indexOf(state.run)) ? runOf() : runs[0];
  const [label, query] = data.topics[topic];
  const [page, measure] = [pageOf(run, topic), measureOf()];
  const value = data.values[run][measure][topic];
  const idle = page ? page.number.filter((_, at) => isIdle(page, at)).length : 0;
  const hidden = page && (idleSteps === null ? page.number.length > MANY_STEPS : !idleSteps);
  return [el('p', { class: 'hint' }, link({ topic: '', step: '' }, 'All trajectories'), ' / ', link({ view: 'question', doc: '', step: '' }, 'question ', name(label))),
    el('h2', {}, name(query || label)),
    el('div', { class: 'controls runs', role: 'group', 'aria-label': 'run' }, runs.map((at) => button(runName(at), () => go({ run: data.runs[at], step: '' }), { 'aria-pressed': String(at === run) }))),
    el('div', { class: 'controls' }, choice('measure', data.measures.map((one) => [one.name, one.name]), data.measures[measure].name, (chosen) => go({ measure: chosen })),
      el('span', {}, `${data.measures[measure].name} = `, el('b', { 'data-value': data.runs[run] }, value === null ? 'no value' : fixed(value)))),
    !page ? el('p', { class: 'empty' }, 'There was no room in the report for this trajectory (--max-megabytes), or its topic does not count.')
      : page.number.length === 0 ? [el('p', { class: 'empty' }, 'This run has no step for this question.'), lossTable(run, topic, page)]
        : [told(page, topic), lossTable(run, topic, page),
          el('h3', {}, 'Step by step'), stepLegend(),
          el('ol', { class: 'lane-names' }, page.docs.map(([doc, length, relevant], at) => el('li', {}, laneNumber(at), name(doc), el('small', {}, ` ${length > 0 ? amounts(length) : ''}${relevant.length ? `, ${amount(total(relevant))} relevant: ${relevant.slice(0, 4).map(placeText).join(', ')}${relevant.length > 4 ? ' \u2026' : ''}` : ''}`)))),
          idle > 0 && el('label', { class: 'controls' }, el('input', { type: 'checkbox', checked: !hidden, on: { change: (event) => { idleSteps = event.target.checked; render(); } } }), ` steps that show and use nothing (${count(idle)})`),
          stepRows(run, topic, page),
          el('p', { class: 'hint' }, `In ${data.unit}. Shown: by the step; new: relevant text at first sight; again: shown by an earlier step too; used: what was edited, cited or answered with; recall: of all relevant text, up to here. Dashes in the strip are parts of documents that nobody saw. Select a step to see its text; arrows go from step to step.`), topicCurves(topic)]];
}

function trajectoryList() {
  const rows = [...data.followed.values()].filter(({ topic, run }) => matches(...data.topics[topic], data.runs[run])).map((page) => ({ page, name: data.topics[page.topic][0], run: page.run }));
  const measure = measureOf();
  const stages = Object.keys(data.stages);
  const share = (page) => page.recall.length ? page.recall[page.recall.length - 1] : null;
  const columns = [
    { title: 'question', value: (row) => row.page.topic, cell: (row) => link({ topic: row.name, run: data.runs[row.run], step: '' }, questionName(row.page.topic)) },
    { title: 'run', value: (row) => runLabel(row.run), cell: (row) => runName(row.run) },
    { title: data.measures[measure].name, number: true, first: -1, value: (row) => data.values[row.run][measure][row.page.topic], cell: (row) => fixed(data.values[row.run][measure][row.page.topic]) },
    { title: 'steps', number: true, first: -1, value: (row) => row.page.number.length, cell: (row) => count(row.page.number.length) },
    { title: `${data.unit} shown`, number: true, first: -1, value: (row) => sum(row.page.shown), cell: (row) => amount(sum(row.page.shown)) },
    { title: 'recall', number: true, first: -1, value: (row) => share(row.page), cell: (row) => fixed(share(row.page)) },
    ...stages.map((stage) => ({ title: data.stages[stage], number: true, first: -1, value: (row) => row.page.needs.filter(([, one]) => one === stage).length, cell: (row) => count(row.page.needs.filter(([, one]) => one === stage).length) })),
  ];
  return [el('h3', {}, plural(rows.length, 'trajectory').replace('trajectorys', 'trajectories')),
    sortable(columns, rows, state.sort.trajectories || { column: 0, direction: 1 }, (next) => { state.sort.trajectories = next; render(); }, { class: 'trajectories' }),
    el('p', { class: 'hint' }, 'Select a topic to follow its steps. The last columns count its needs by how far the trajectory got with them.')];
}

function trajectoriesTogether() {
  const grid = el('div', { class: 'charts' });
  const redraw = () => {
    const runs = followers().filter((run) => drawnRuns().has(run));
    grid.replaceChildren(...data.efforts.map((curve) => el('figure', {}, el('figcaption', {}, curve.title), lineChart(curve, runs), curveTable(curve, runs))));
  };
  redraw();
  return [data.losses && asTable({ ...data.losses, title: 'Where what was asked for was lost' }), followers().length > 1 && legend(redraw, () => grid), grid, trajectoryList()];
}

function showTrajectories() {
  const topic = state.topic ? topicOf() : -1;
  const page = topic >= 0 ? trajectoryPage(topic) : [state.topic && el('p', { class: 'empty' }, 'No topic is called ', name(state.topic), '.'), trajectoriesTogether()];
  return [el('div', { class: 'split' }, topicList(searchedTopics(), topic), el('article', {}, page))];
}

// Arrows move from step to step, n and p to the next and the previous topic.
function trajectoryKeys(event) {
  if (event.key === 'n' || event.key === 'p') {
    const listed = searchedTopics();
    const next = listed[listed.indexOf(topicOf()) + (event.key === 'n' ? 1 : -1)];
    if (next !== undefined) go({ topic: data.topics[next][0], step: '' });
  }
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const steps = [...main.querySelectorAll('.step-number')];
  const at = steps.indexOf(document.activeElement);
  if (at < 0) return;
  const next = steps[at + (event.key === 'ArrowDown' ? 1 : -1)];
  event.preventDefault();
  if (next) next.focus();
}
