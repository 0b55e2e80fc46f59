// What fails: the class of every question of every run, what mending would bring, and a page for each class.
const MOST_EXAMPLES = 100;
const classAt = () => data.diagnosis.classes.findIndex((one) => one.name === state.class);
// Classes go by the names in the sentences; titles that say more stand beside them where there is room.
const titled = ({ name: short, title }) => short === title ? short : `${short} (${title})`;
const gainOf = (run, topic) => {
  const [value, mended] = [data.diagnosis.runs[run].value_of[topic], data.diagnosis.runs[run].mended[topic]];
  return value === null || mended === null ? null : mended - value;
};
const occurring = () => data.diagnosis.classes.map((_, at) => at).filter((at) => data.diagnosis.runs.some((run) => run.counts[at]));
const betterNow = () => better(data.measures.findIndex((measure) => measure.name === data.diagnosis.measure));

// The shares of the classes as one bar; each part leads to the page of its class.
function classBar(run) {
  const counts = data.diagnosis.runs[run].counts;
  const total = counts.reduce((sum, number) => sum + number, 0) || 1;
  let x = 0;
  return svg('svg', { class: 'classes', viewBox: '0 0 240 18', role: 'img', 'aria-label': `classes of ${data.runs[run]}` }, counts.map((number, at) => {
    const width = 240 * number / total;
    const part = number > 0 && svg('rect', { class: `class-${at}`, x, width, y: 1, height: 16 },
      svg('title', {}, `${titled(data.diagnosis.classes[at])}: ${count(number)} of ${count(total)}`));
    x += width;
    return part;
  }));
}

function classTable(shown) {
  const { classes, runs } = data.diagnosis;
  const columns = [{ title: 'run', value: (row) => row.name.toLowerCase(), cell: (row) => [runKey(row.run), name(row.name)] },
    { title: 'share', fixed: true, value: () => 0, cell: (row) => classBar(row.run) },
    ...shown.map((at) => ({ title: classes[at].name, number: true, first: -1, value: (row) => runs[row.run].counts[at],
      cell: (row) => el('span', { 'data-run': row.name, 'data-class': classes[at].name },
        runs[row.run].counts[at] ? link({ class: classes[at].name, run: row.name }, count(runs[row.run].counts[at])) : '0') }))];
  const rows = data.runs.map((run, at) => ({ name: run, run: at })).filter((row) => matches(row.name));
  const sort = state.sort.fails || { column: columns.length - 1, direction: -1 };
  return sortable(columns, rows, sort, (next) => { state.sort.fails = next; render(); }, { class: 'fails' });
}

function mendedCell(one) {
  if (one.refused) return el('span', { class: 'soft', title: one.refused }, 'not known');
  if (one.gain === undefined) return '';
  const ends = one.low === null ? '' : ` (${fixed(one.low, 2)} to ${fixed(one.high, 2)})`;
  return el('span', { title: `${plural(one.topics, 'question')}; ${data.diagnosis.measure} ${fixed(one.value)}, then ${fixed(one.mended)}` },
    signed(one.gain, 2), el('small', {}, ends));
}

function mendingTable() {
  const { mending, runs } = data.diagnosis;
  const shown = mending.filter((one) => one.runs.some((run) => run.topics));
  const columns = [{ title: 'run', value: (row) => row.name.toLowerCase(), cell: (row) => [runKey(row.run), name(row.name)] },
    { title: data.diagnosis.measure, number: true, first: -betterNow(), value: (row) => runs[row.run].value, cell: (row) => fixed(runs[row.run].value) },
    ...shown.map((one) => ({ title: one.name, number: true, first: -betterNow(), value: (row) => one.runs[row.run].gain ?? null,
      cell: (row) => el('span', { 'data-run': row.name, 'data-mending': one.name }, mendedCell(one.runs[row.run])) }))];
  const rows = data.runs.map((run, at) => ({ name: run, run: at })).filter((row) => matches(row.name));
  const sort = state.sort.mending || { column: 1, direction: -betterNow() };
  const reasons = new Set(shown.flatMap((one) => one.runs.map((run) => run.refused && `${one.name} is not known: ${run.refused}`)).filter(Boolean));
  return [sortable(columns, rows, sort, (next) => { state.sort.mending = next; render(); }, { class: 'mending' }),
    el('ul', { class: 'notes' }, shown.map((one) => el('li', {}, `${one.name} (${one.classes.map((at) => data.diagnosis.classes[at].name).join(', ') || 'all questions'}): ${one.how}`)),
      [...reasons].map((reason) => el('li', {}, reason)))];
}

function showClass(at) {
  const { classes, runs, measure } = data.diagnosis;
  const chosen = data.runs.indexOf(state.run);
  const some = chosen >= 0 ? [chosen] : [...data.runs.keys()];
  const rows = some.flatMap((run) => runs[run].telling[at].map((topic, place) => ({ run, topic, place, gain: gainOf(run, topic) })))
    .filter((row) => matches(data.runs[row.run], ...data.topics[row.topic]));
  const columns = [
    { title: 'question', value: (row) => row.topic, cell: (row) => link({ view: 'question', topic: data.topics[row.topic][0], run: data.runs[row.run], doc: '', class: '' }, questionName(row.topic)) },
    { title: 'run', value: (row) => data.runs[row.run].toLowerCase(), cell: (row) => [runKey(row.run), name(data.runs[row.run])] },
    { title: measure, number: true, first: 1, value: (row) => runs[row.run].value_of[row.topic], cell: (row) => fixed(runs[row.run].value_of[row.topic]) },
    { title: 'gain if mended', number: true, first: -1, value: (row) => row.gain, cell: (row) => row.gain === null ? '' : signed(row.gain) },
  ];
  const telling = rows.sort((a, b) => betterNow() * ((b.gain || 0) - (a.gain || 0)) || a.place - b.place || a.run - b.run).slice(0, MOST_EXAMPLES);
  const sort = state.sort.examples || { column: 3, direction: -betterNow() };
  const table = sortable(columns, telling, sort, (next) => { state.sort.examples = next; render(); }, { class: 'examples' });
  return [
    el('p', {}, link({ class: '', run: '' }, '\u2190 what fails')),
    el('h2', {}, titled(classes[at])),
    el('p', { class: 'hint' }, `${classes[at].meaning[0].toUpperCase()}${classes[at].meaning.slice(1)}, within ${data.diagnosis.cutoff}.`),
    el('div', { class: 'controls' },
      choice('class', occurring().map((one) => [classes[one].name, titled(classes[one])]), classes[at].name, (value) => go({ class: value })),
      choice('run', [['', 'all runs'], ...data.runs.map((run) => [run, run])], state.run, (value) => go({ run: value }))),
    rows.length ? table : el('p', { class: 'empty' }, 'No question is in this class.'),
    el('p', { class: 'hint' }, `${plural(rows.length, 'question')}, those first whose mending would bring most`,
      telling.length < rows.length && `; the first ${count(telling.length)} are shown`, '. Select a question to see what was retrieved.'),
  ];
}

function showFails() {
  if (!data.diagnosis) return [el('p', { class: 'empty' }, `There is no diagnosis: ${data.undiagnosed}`)];
  if (classAt() >= 0) return showClass(classAt());
  const shown = occurring();
  return [
    el('ul', { class: 'verdict' }, data.diagnosis.sentences.map((sentence) => el('li', {}, said(sentence)))),
    el('h2', {}, `What becomes of the questions within ${data.diagnosis.cutoff}`),
    classTable(shown),
    el('p', { class: 'hint' }, 'Select a number to see the questions.'),
    el('ul', { class: 'notes' }, shown.map((at) => el('li', {}, link({ class: data.diagnosis.classes[at].name, run: '' }, titled(data.diagnosis.classes[at])),
      `: ${data.diagnosis.classes[at].meaning}`)), el('li', {}, data.diagnosis.thresholds)),
    el('h2', {}, `What mending would bring, by ${data.diagnosis.measure}`),
    mendingTable(),
    el('p', { class: 'hint' }, `Gains in the mean over all questions if just that were mended, with ${Math.round(data.diagnosis.confidence * 100)}% bootstrap intervals over questions.`),
    data.diagnosis.slices && asTable(data.diagnosis.slices),
  ];
}
