// The address says what is shown, so that a link to every view can be sent to others.
const state = { view: 'answer', topic: '', doc: '', run: '', measure: '', baseline: '', found: '', missed: '', within: '', slice: '', step: '', class: '', search: '', drawn: '', raw: '', sort: {} };
// Every view: its name in addresses, its tab, and what it is for.
const VIEWS = [
  ['answer', 'Answer', ''],
  ['board', 'Leader board', 'All runs by all measures: who leads, how sure that is, and against whom.'],
  ['fails', 'What fails', 'What becomes of every question, and what mending each kind of failure would bring.'],
  ['question', 'Questions', 'One question at a time: what was asked, what is relevant, and what each run showed, rank by rank.'],
  ...data.trajectories.some(Boolean) ? [['trajectories', 'Trajectories', 'What agents did, step by step: where they searched, what they opened, and where an answer was lost.']] : [],
  ['curves', 'Curves', 'How quality grows with what is read: where a run is better early and worse late.'],
  ...data.pareto.length ? [['tradeoffs', 'Trade-offs', 'What quality takes: text to read, time or cost. Shows which runs are worth it, and which can be left out.']] : [],
  ['topics', 'Topics', 'Two runs, question by question: where one wins and where it loses.'],
  ['measures', 'Measures', 'What each measure asks, whom it models, and which measures say the same.'],
  ['documents', 'Documents', 'The documents themselves, source code too: what each run hit, missed and repeated in them.'],
  ['reader', 'Reader', 'For people who read the documents themselves: open what a run found, read screen by screen, and see how much text comes before the answer.'],
  ...data.slices ? [['slices', 'Slices', 'The same scores for parts of the questions: which kind of question a run is good or bad at.']] : [],
];
const LINKED = ['view', 'topic', 'doc', 'run', 'measure', 'baseline', 'found', 'missed', 'within', 'slice', 'step', 'class', 'search', 'drawn', 'raw'];

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const key of LINKED) state[key] = given.get(key) || '';
  if (!VIEWS.some(([view]) => view === state.view)) state.view = state.topic ? 'documents' : 'answer';
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

// A change without an entry in the history, to what the address says now: it may be ahead of what is shown.
function amend(changes) {
  readAddress();
  Object.assign(state, changes);
  history.replaceState(null, '', address({}));
}

const link = (changes, ...children) => el('a', { href: address(changes) }, ...children);

// A question goes by its words, its identifier small behind them; by that alone where nobody gave words.
const questionName = (topic) => { const [label, words] = data.topics[topic]; return words ? [name(words), ' ', el('small', { class: 'id' }, name(label))] : name(label); };
const questionChoice = ([label, words]) => [label, words ? `${shortened(words, 60)} (${label})` : label];

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
