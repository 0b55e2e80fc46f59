// The frame around the views: title, tabs, search, theme, keys.
const SHOW = { answer: showAnswer, slices: () => [asTable(data.slices)], board: showBoard, fails: showFails, question: showQuestion, curves: showCurves, tradeoffs: showTradeoffs, topics: showTopics, measures: showMeasures, documents: showDocuments, reader: showReader, trajectories: showTrajectories };
const BEFORE_UNPACKING = new Set(['answer', 'board', 'fails', 'slices', 'curves', 'tradeoffs', 'topics', 'measures']);
const THEMES = ['auto', 'light', 'dark'];
let theme = 'auto';

const searchBox = el('input', { type: 'search', id: 'search', placeholder: 'Search runs, topics\u2026', 'aria-label': 'search', on: { input: (event) => {
  amend({ search: event.target.value });
  render();
}, keydown: (event) => { if (event.key === 'Enter' && searchedTopics().length) go({ view: 'question', topic: '', doc: '' }); } } });
const themeButton = button('', () => {
  theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  dress();
}, { class: 'theme' });
const tabs = el('nav', { class: 'tabs', 'aria-label': 'views' });
const main = el('main', { id: 'main' });

function dress() {
  if (theme === 'auto') document.documentElement.removeAttribute('data-theme'); else document.documentElement.setAttribute('data-theme', theme);
  themeButton.replaceChildren({ auto: '\u25d0 auto', light: '\u25cb light', dark: '\u25cf dark' }[theme]);
}

// Questions that a search finds, wherever it is typed.
function questionsFound() {
  if (!state.search.trim() || ['question', 'topics', 'documents', 'trajectories'].includes(state.view)) return null;
  const found = searchedTopics();
  return found.length > 0 && el('nav', { class: 'found', 'aria-label': 'questions found' }, `${plural(found.length, 'question')}: `,
    found.slice(0, FEW).map((topic) => link({ view: 'question', topic: data.topics[topic][0], doc: '' }, name(data.topics[topic][1] || data.topics[topic][0]))),
    found.length > FEW && link({ view: 'question', topic: '', doc: '' }, 'all'));
}

const drawable = () => data.unpacked || BEFORE_UNPACKING.has(state.view);
const waiting = () => [el('p', { class: 'empty', role: 'status' }, data.problem || 'Unpacking the documents\u2026')];

function render() {
  document.title = state.doc || state.topic ? `${visible(state.doc || state.topic)} \u2013 ${visible(data.title)}` : visible(data.title);
  tabs.replaceChildren(...VIEWS.map(([view, title]) => el('a', { href: address({ view, doc: view === 'reader' ? '' : state.doc, class: '' }), 'aria-current': view === state.view ? 'page' : null }, title)));
  const list = main.querySelector('.topic-list ol');
  const place = list ? list.scrollTop : 0;
  openAtFirst = () => {};
  const [, , purpose] = VIEWS.find(([view]) => view === state.view);
  if (document.activeElement !== searchBox) searchBox.value = state.search;
  main.replaceChildren(...[questionsFound(), purpose && el('p', { class: 'purpose' }, purpose), (drawable() ? SHOW[state.view] : waiting)()].flat(9).filter(Boolean));
  const again = main.querySelector('.topic-list ol');
  const current = again && again.querySelector('[aria-current]');
  if (again) again.scrollTop = list || !current ? place : current.offsetTop - again.offsetTop - 40;
  main.setAttribute('data-view', state.view);
  const tab = tabs.querySelector('[aria-current]');
  tabs.scrollLeft = tab.offsetLeft - (tabs.clientWidth - tab.offsetWidth) / 2;
}

document.addEventListener('keydown', (event) => {
  const typing = event.target.matches('input:not([type=checkbox]), select, textarea');
  const pressing = event.key === ' ' && event.target.matches('input, button, summary');
  if (event.key === 'Escape' && typing) event.target.blur();
  if (typing || pressing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === '/') { event.preventDefault(); searchBox.focus(); }
  else if (/^[0-9]$/.test(event.key) && VIEWS[(Number(event.key) + 9) % 10]) go({ view: VIEWS[(Number(event.key) + 9) % 10][0] });
  else if (!drawable()) return;
  else if (state.view === 'reader') readerKeys(event);
  else if (state.view === 'question' && (event.key === 'n' || event.key === 'p')) stepQuestion(event.key === 'n' ? 1 : -1);
  else if (state.view === 'trajectories') trajectoryKeys(event);
  else if (state.view === 'documents' && (event.key === 'n' || event.key === 'p')) hop(event.key === 'n' ? 1 : -1);
});
// A page opens at its top, a document where something in it is relevant or retrieved.
function arrive() {
  window.scrollTo(0, 0);
  if (state.view === 'documents' && state.doc) openAtFirst();
}
window.addEventListener('hashchange', () => {
  const before = `${state.view} ${state.topic} ${state.doc} ${state.class}`;
  readAddress();
  render();
  if (before !== `${state.view} ${state.topic} ${state.doc} ${state.class}`) arrive();
});

document.body.append(
  el('a', { class: 'skip', href: '#main', on: { click: (event) => { event.preventDefault(); main.setAttribute('tabindex', '-1'); main.focus(); } } }, 'Skip to the content'),
  el('header', {}, el('div', { class: 'masthead' }, el('h1', {}, name(data.title)),
    el('p', {}, `${plural(data.runs.length, 'run')}, ${plural(data.all, 'topic')}, ${plural(data.measures.length, 'measure')}`), searchBox, themeButton), tabs),
  main,
  el('footer', {}, el('p', {}, `doxeval ${data.version}. Keys: 1\u2013${VIEWS.length > 9 ? '9 and 0' : VIEWS.length} views, / search, n and p next and previous question or marked text${data.trajectories.some(Boolean) ? ', arrows from step to step' : ''}.`)));
dress();
readAddress();
render();
setTimeout(async () => {
  await unpack();
  if (!BEFORE_UNPACKING.has(state.view)) { render(); arrive(); }
}, 0);
