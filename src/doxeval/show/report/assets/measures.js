// Measures and runs explained; whom each measure models, and how similarly they rank the runs.
function heat(value) {
  const strength = Math.round(Math.abs(value) * 40);
  return `color-mix(in srgb, ${value < 0 ? 'var(--loses)' : 'var(--wins)'} ${strength}%, var(--paper))`;
}

function measureFacts(measure) {
  const [low, high] = measure.range.map((bound) => bound === null ? null : Number(bound.toPrecision(6)));
  const span = low === null || high === null ? '' : `, from ${low.toLocaleString('en')} to ${high.toLocaleString('en')}`;
  return el('details', { class: 'explained' }, el('summary', {}, name(measure.name)),
    measure.explained.map((paragraph) => el('p', { class: 'cited' }, paragraph)),
    el('p', {}, 'Its reader: ', measure.user, ` ${measure.better < 0 ? 'Lower' : 'Higher'} is better${span}.`),
    measure.parameters.length > 0 && el('ul', {}, measure.parameters.map(([label, value, help]) => el('li', {}, el('code', {}, `${label}=${value}`), ` ${help}`))),
    el('p', { class: 'cited' }, 'From: ', measure.paper));
}

function runFacts(label, at) {
  const { results, topics, unjudged, notices } = data.about[at];
  return el('details', { class: 'explained' }, el('summary', {}, name(label)),
    el('p', {}, `${plural(results, 'result')} for ${count(topics)} of ${plural(data.all, 'topic')}; ${count(unjudged)} in documents that nobody judged for the topic.`),
    notices.length > 0 && el('ul', {}, notices.map((notice) => el('li', {}, notice))));
}

function explained() {
  return el('section', { class: 'explanations', 'aria-label': 'about the measures and the runs' },
    el('h3', {}, 'About the measures'), data.measures.map(measureFacts), el('h3', {}, 'About the runs'), data.runs.map(runFacts));
}

function correlations() {
  const { title, value: values, enough } = data.correlation;
  const few = data.runs.length < enough;
  return el('figure', {}, el('figcaption', {}, `How similarly the measures rank the runs: ${title}`),
    scroller('correlations', el('table', { class: 'heat' },
      el('thead', {}, el('tr', {}, el('td', {}), data.measures.map((measure) => el('th', { scope: 'col' }, el('span', {}, measure.name))))),
      el('tbody', {}, data.measures.map((measure, row) => el('tr', {}, el('th', { scope: 'row' }, measure.name),
        values[row].map((value, column) => el('td', { style: value === null || few ? {} : { background: heat(value) },
          class: value !== null && !few && Math.abs(value) > 0.8 ? 'strong' : '',
          title: `${measure.name} and ${data.measures[column].name}` }, fixed(value, 2)))))))),
    few && el('p', { class: 'hint' }, `Not coloured: with ${count(data.runs.length)} runs, fewer than ${enough}, only equal or opposite rankings could be distinguished from chance (5%, two-sided).`));
}

function showMeasures() {
  const rows = data.measures.filter((measure) => matches(measure.name, measure.user));
  return [data.correlation ? correlations() : el('p', { class: 'hint' }, 'Correlations need at least three runs and two measures.'),
    scroller('measures', el('table', { class: 'readers' },
      el('thead', {}, el('tr', {}, ['measure', 'its reader', 'from'].map((title) => el('th', { scope: 'col' }, title)))),
      el('tbody', {}, rows.map((measure) => el('tr', {}, el('th', { scope: 'row' }, measureFacts(measure)),
        el('td', {}, measure.user, measure.better < 0 && ' Lower is better.'), el('td', { class: 'cited' }, measure.paper))))))];
}
