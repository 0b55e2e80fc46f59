// Around the text: the question, where one is, what is marked, what was noted.
const say = (words) => { page.said.textContent = ''; page.said.textContent = words; };

function frame() {
  page.search = el('input', { type: 'search', placeholder: 'search in the document (/)', 'aria-label': 'search in the document', on: {
    input: () => search(true), keydown: (event) => { if (event.key === 'Enter') { event.preventDefault(); if (selected() && reading.searched.length) nextHit(event.shiftKey ? -1 : 1); else search(); } } } });
  page.hits = el('span', { class: 'hits', 'aria-live': 'polite' });
  page.pen = el('input', { type: 'checkbox', checked: true });
  page.raw = el('input', { type: 'checkbox', on: { change: toggleRaw } });
  page.rawChoice = el('label', { class: 'choice' }, page.raw, 'raw text');
  const snaps = choice('marks end at', SNAPS.map((by) => [by, by]), desk.snap, chooseSnap);
  page.snap = snaps.querySelector('select');
  page.text = el('div', { class: 'text', tabindex: 0, role: 'document', 'aria-label': 'text of the document' });
  page.symbol = el('p', { class: 'symbol', role: 'status', 'aria-label': 'class or function' });
  page.caret = el('div', { class: 'caret', hidden: true, 'aria-hidden': 'true' });
  page.said = el('p', { class: 'said', role: 'status' });
  page.note = el('textarea', { rows: 3, id: 'note', on: { change: saveNote, input: () => {
    clearTimeout(page.noting);
    page.noting = setTimeout(saveNote, 1000);
    if (keeping.told !== 'failed') tell('saving', 'saving\u2026');
  } } });
  page.where = el('div', { class: 'where' });
  page.question = el('h1', {});
  page.progress = el('div', { class: 'progress' });
  page.docs = el('ol', { class: 'docs' });
  page.marks = el('ol', { class: 'marks' });
  page.suggested = el('p', { class: 'hint', hidden: true });
  page.legend = el('p', { class: 'legend' });
  page.aside = el('aside', { 'aria-label': 'documents, highlights, note' },
    el('section', {}, el('h2', {}, 'Documents'), page.docs),
    el('section', {}, el('h2', {}, 'Highlights'), page.marks, page.suggested),
    el('section', {}, el('h2', {}, 'Shading'), page.legend),
    ruleBook(), el('section', {}, el('h2', {}, el('label', { for: 'note' }, 'Note')), page.note));
  page.dispute = el('section', { class: 'dispute', hidden: true, 'aria-label': 'disagreement' });
  page.main = el('main', { id: 'main' }, el('article', {}, page.dispute, el('div', { class: 'controls' }, page.search, page.hits,
    el('label', { class: 'choice' }, page.pen, 'highlight what I select with the mouse'),
    snaps, page.rawChoice, el('label', { class: 'choice' }, el('input', { type: 'checkbox', on: { change: (event) => page.text.classList.toggle('fixed', event.target.checked) } }), 'fixed width')),
    page.symbol, el('div', { class: 'sheet' }, page.text, page.caret, handles())), page.aside);
  page.tools = tools();
  page.help = help();
  page.standing = el('dialog', { class: 'help standing', 'aria-label': 'where the judging stands' });
  document.body.append(el('a', { class: 'skip', href: '#main', on: { click: (event) => { event.preventDefault(); page.text.focus(); } } }, 'Skip to the text'),
    el('header', {}, el('div', { class: 'asked' }, page.question, el('p', { id: 'saved', role: 'status' })),
      page.where, el('div', { class: 'told' }, page.progress, page.said)), page.main, page.tools, page.help, page.standing);
  showRules();
}

// A note is kept when its writer pauses, and at the latest when they leave it.
function saveNote() {
  clearTimeout(page.noting);
  if (page.note.value !== here().state.note) act({ note: page.note.value });
  else if (keeping.told === 'saving' && !keeping.pending.length) tell('saved', OFFLINE ? 'saved in this browser' : 'saved');
}

function showWhere() {
  const pair = here();
  const { number } = pair;
  page.place = el('span', {}, ' ');
  page.question.replaceChildren(el('small', {}, name(pair.topic)), ' ', name(pair.query || pair.topic));
  const parts = [
    el('nav', { 'aria-label': 'topics' }, button('\u2039', () => goTopic(-1), { 'aria-label': 'previous topic', disabled: number === 0 }),
      el('span', {}, `topic ${count(number + 1)} of ${count(data.firsts.length)}`),
      button('\u203a', () => goTopic(1), { 'aria-label': 'next topic', disabled: number === data.firsts.length - 1 })),
    el('nav', { 'aria-label': 'documents' }, button('\u2039', () => go(desk.at - 1), { 'aria-label': 'previous document', disabled: desk.at === 0 }),
      el('span', {}, name(pair.doc), page.place),
      button('\u203a', () => go(desk.at + 1), { 'aria-label': 'next document', disabled: desk.at === pairs.length - 1 })),
    el('span', { class: 'spring' }),
    OFFLINE ? null : button(['Disagreements', el('kbd', { 'aria-hidden': 'true' }, 'a')], () => openDisputes(), { class: 'differ' }),
    OFFLINE ? null : button(['Standing', el('kbd', { 'aria-hidden': 'true' }, 'z')], showStanding, { class: 'stand' }),
    OFFLINE ? button('Download the file', download, { class: 'file', title: 'the file to send back' }) : null,
    button(['Keys', el('kbd', { 'aria-hidden': 'true' }, '?')], showHelp, { class: 'keys' })];
  page.where.replaceChildren(...parts.filter(Boolean));
  clearTimeout(page.noting);
  page.note.value = pair.state.note;
  showNeeds();
}

const TOLD = { r: 'relevant', 0: 'nothing relevant', b: 'begun', '-': 'to be judged' };
const SIGNS = { r: '\u25cf', 0: '\u25cb', b: '\u25d0', '-': '\u00b7' };
const MOST_LISTED = 60;

// The documents of the topic, those around the present one if there are many.
async function showDocuments() {
  const pair = here();
  const all = await siblingsOf(pair.number).catch(() => []);
  if (pair !== here() || !all.length) return;
  const place = all.findIndex(([at]) => at === pair.at);
  page.place.textContent = ` (${count(place + 1)} of ${count(all.length)})`;
  const first = Math.max(0, Math.min(place - MOST_LISTED / 2, all.length - MOST_LISTED));
  const listed = all.slice(first, first + MOST_LISTED);
  page.docs.replaceChildren(...[first ? el('li', { class: 'hint' }, `${count(first)} before these`) : null,
    ...listed.map(([at, doc]) => el('li', {}, button([el('span', { class: 'sign', 'aria-hidden': 'true' }, SIGNS[states[at]]), name(doc), el('small', {}, TOLD[states[at]])], () => go(at),
      { class: 'plain', 'aria-current': at === pair.at ? 'true' : null }))),
    first + MOST_LISTED < all.length ? el('li', { class: 'hint' }, `${count(all.length - first - MOST_LISTED)} after these`) : null].filter(Boolean));
}

function showState() {
  const pair = here();
  const speed = pace();
  const done = desk.finished;
  page.progress.replaceChildren(el('progress', { max: pairs.length, value: done, 'aria-label': 'documents judged' }),
    el('span', {}, `${count(done)} of ${plural(pairs.length, 'document')} judged`, speed && ` \u00b7 ${duration(speed.each)} each`,
      speed && done < pairs.length ? ` \u00b7 about ${duration(speed.left)} left` : null));
  showDocuments();
  const marks = ordered(pair.state);
  page.marks.replaceChildren(...marks.map((mark) => {
    const words = reading.text.slice(unitOfPoint(reading.blocks, mark.start), unitOfPoint(reading.blocks, Math.min(mark.end, mark.start + 60)));
    const told = [data.grades > 1 ? `grade ${mark.rel || 1}` : null, ...(mark.needs || [])].filter(Boolean).join(', ');
    return el('li', {}, button(name(`${words}${mark.end - mark.start > 60 ? '\u2026' : ''}`), () => choose(mark.start, mark.end), { class: 'plain' }),
      told && el('small', {}, told), button('remove', () => removeMark(mark.id), { class: 'small', 'aria-label': `remove the highlight: ${words.slice(0, 30)}` }));
  }));
  const open = openSuggestions();
  page.suggested.hidden = !pair.suggested.length;
  page.suggested.textContent = open.length ? `${plural(open.length, 'suggestion')} to confirm (y) or reject (t), by ${[...new Set(open.map(({ source }) => source))].map(visible).join(', ')}` : 'all suggestions are answered';
  if (!marks.length) page.marks.replaceChildren(el('li', { class: 'hint' }, pair.state.done ? 'nothing relevant here' : 'none yet'));
  page.tools.querySelector('.do-u').disabled = !desk.undo.length;
  page.tools.querySelector('.do-r').disabled = !desk.redo.length;
  page.tools.querySelector('.do-0').setAttribute('aria-pressed', String(pair.state.done && !marks.length));
}

// How many runs show what is shaded here.
function showLegend(pair) {
  const counts = [...new Set(pair.passages.map(([, , runs]) => runs))].sort((a, b) => a - b);
  const shades = counts.filter(Boolean).map((runs) => Math.min(3, runs));
  page.legend.replaceChildren(...[...new Set(shades)].map((shade) => el('span', { class: `pooled p${shade}` }, shade < 3 ? `shown by ${plural(shade, 'run')}` : 'by 3 or more')),
    ...(counts[0] === 0 ? [el('span', {}, 'the rest was shown only as a whole document')] : []));
}

// Something was done, here or in another tab.
function changed(touched) {
  const pair = here();
  if (reading.pair === pair && touched.includes(pair)) {
    redraw(reading.drawn || NOTHING, pair.state);
    if (document.activeElement !== page.note) page.note.value = pair.state.note;
  }
  reading.drawn = pair.state;
  if (reading.pair === pair) showState();
}
