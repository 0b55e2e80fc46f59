// The address says what is shown, so that a link to every view can be sent to others.
const state = { view: 'board', topic: '', doc: '', run: '', measure: '', baseline: '', found: '', missed: '', within: '', slice: '', step: '', search: '', sort: {} };
const VIEWS = [['board', 'Leader board'], ['question', 'Questions'], ['curves', 'Curves'], ['topics', 'Topics'], ['measures', 'Measures'],
  ['documents', 'Documents'], ['reader', 'Reader'], ...data.trajectories.some(Boolean) ? [['trajectories', 'Trajectories']] : []];
const LINKED = ['view', 'topic', 'doc', 'run', 'measure', 'baseline', 'found', 'missed', 'within', 'slice', 'step'];

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const key of LINKED) state[key] = given.get(key) || '';
  if (!VIEWS.some(([view]) => view === state.view)) state.view = state.topic ? 'documents' : 'board';
}

function address(changes) {
  const next = { ...state, ...changes };
  const given = new URLSearchParams();
  for (const key of LINKED) if (next[key]) given.set(key, next[key]);
  return '#' + given.toString();
}

function go(changes) {
  const target = address(changes);
  if (target === location.hash) render(); else location.hash = target;
}

const link = (changes, ...children) => el('a', { href: address(changes) }, ...children);

const topicOf = () => data.topics.findIndex(([topic]) => topic === state.topic);
const runOf = () => Math.max(0, data.runs.indexOf(state.run));
const measureOf = () => Math.max(0, data.measures.findIndex((measure) => measure.name === state.measure));

// The topic on which the runs differ most by the measure chosen; -1 where there is none.
function widest(topics) {
  const spread = (topic) => {
    const values = data.values.map((run) => run[measureOf()][topic]).filter((value) => value !== null);
    return values.length ? Math.max(...values) - Math.min(...values) : -1;
  };
  return topics.reduce((best, topic) => best < 0 || spread(topic) > spread(best) ? topic : best, -1);
}

// Every word of the search must occur somewhere in the texts.
function matches(...texts) {
  const text = texts.join(' ').toLowerCase();
  return state.search.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
