// Fetch and browse (Effort, section 2): a list of documents, one column of text, an arrow to the next passage.
const reader = { key: '', screen: 300, place: null, read: new Map(), shown: 0, opened: [], reveal: false, first: new Map() };

function resetReader(key) {
  Object.assign(reader, { key, place: null, read: new Map(), shown: 0, opened: [], first: new Map() });
}

// The documents as the run lists them, each where its first result stands, its passages in document order.
function listOf(topic, run) {
  return viewsOf(topic).map(([number, view]) => ({ doc: data.docs[number], view, rank: Math.min(...ranksOf(view, run)) }))
    .filter((row) => row.rank < Infinity).sort((a, b) => a.rank - b.rank)
    .map((row) => ({ ...row, passages: merged(row.view.results.filter(([owner]) => owner === run).flatMap(([, , spans]) => spans)) }));
}

function look(entry, place) {
  reader.place = Math.max(0, Math.min(place, Math.max(0, entry.doc.length - 1)));
  const window = [reader.place, Math.min(entry.doc.length, reader.place + reader.screen)];
  const before = reader.read.get(entry.doc.name) || [];
  const already = total(common(before, [window]));
  const hits = common([window], entry.view.relevant);
  if (hits.length && !reader.first.has(entry.doc.name)) {
    reader.first.set(entry.doc.name, 1 + Math.floor((total(before) + hits[0][0] - window[0]) / reader.screen));
  }
  reader.read.set(entry.doc.name, merged([...before, window]));
  reader.shown += window[1] - window[0] - already;
  render();
}

function nextPassage(entry) {
  const from = reader.place === null ? -1 : reader.place;
  return entry.passages.find(([start]) => start > from);
}

function costPanel(list) {
  const gained = list.reduce((sum, entry) => sum + total(common(reader.read.get(entry.doc.name) || [], entry.view.relevant)), 0);
  const wanted = data.relevant[topicOf()];
  const facts = [['documents opened', count(reader.opened.length)], ['characters read', count(reader.shown)], ['of them relevant', count(gained)],
    ['in vain', count(reader.shown - gained)], ['precision of the reading', reader.shown ? fixed(gained / reader.shown, 3) : '\u2013'],
    ['relevant text seen', `${wanted ? Math.round(gained / wanted * 100) : 0}% of ${count(wanted)}`]];
  return el('aside', { class: 'cost', 'aria-live': 'polite' }, el('h3', {}, 'Read so far'), el('dl', {}, facts.map(([title, value]) => [el('dt', {}, title), el('dd', {}, value)])),
    el('ol', {}, reader.opened.map((label) => el('li', {}, name(label), el('small', {}, reader.first.has(label) ? ` relevant text on screen ${reader.first.get(label)}` : ' nothing relevant yet'),
      strip(list.find((entry) => entry.doc.name === label))))),
    button('Start again', () => { resetReader(reader.key); go({ doc: '' }); }));
}

function strip(entry) {
  if (!entry) return null;
  const x = (place) => place / Math.max(1, entry.doc.length) * 200;
  const bars = (spans, attributes) => spans.map(([start, end]) => svg('rect', { x: x(start), width: Math.max(1, x(end) - x(start)), ...attributes }));
  return svg('svg', { class: 'strip', viewBox: '0 0 200 12', role: 'img', 'aria-label': 'read, and relevant' },
    svg('rect', { class: 'lane', x: 0, width: 200, y: 0, height: 12 }), bars(reader.read.get(entry.doc.name) || [], { class: 'was-read', y: 0, height: 8 }), bars(entry.view.relevant, { class: 'relevant', y: 8, height: 4 }));
}

function screenOf(entry) {
  const next = nextPassage(entry);
  const arrows = el('div', { class: 'arrows' },
    button('\u2190', () => go({ doc: '' }), { title: 'back to the list (left arrow)', 'aria-label': 'back to the list' }),
    next ? button('\u2193', () => look(entry, next[0]), { title: 'to the next retrieved passage (down arrow)', 'aria-label': 'next retrieved passage' })
      : button('\u2191', () => look(entry, 0), { title: 'to the beginning (up arrow)', 'aria-label': 'to the beginning' }));
  if (reader.place === null) return el('div', { class: 'screen' }, arrows, el('p', {}, name(entry.doc.name)), el('p', { class: 'hint' }, plural(entry.passages.length, 'passage'), ' retrieved'));
  const end = Math.min(entry.doc.length, reader.place + reader.screen);
  const cuts = [...new Set([reader.place, end, ...entry.passages.flat(), ...entry.view.relevant.flat()])].filter((cut) => cut >= reader.place && cut <= end).sort((a, b) => a - b);
  const text = cuts.slice(0, -1).map((start, at) => el('span', { class: [inside(entry.passages, start) ? 'passage' : '', reader.reveal && inside(entry.view.relevant, start) ? 'hit' : ''].join(' ') }, textBetween(entry.doc, start, cuts[at + 1])));
  const ends = entry.passages.some(([, stop]) => stop > reader.place && stop <= end) && !inside(entry.passages, end - 1);
  return el('div', { class: 'screen' }, arrows, el('div', { class: 'text', dir: 'auto' }, entry.doc.text.length ? text : 'The text of this document is not in the report.'), ends && el('p', { class: 'hint' }, 'The passage ends here.'),
    el('div', { class: 'arrows' }, button('read on', () => look(entry, end), { disabled: end >= entry.doc.length, title: 'the next screen (space)' }), el('small', {}, `${count(reader.place)}\u2013${count(end)} of ${count(entry.doc.length)}`)));
}

function showReader() {
  const topic = topicOf();
  if (topic < 0) return [el('div', { class: 'split' }, topicList(), el('section', {}, el('p', { class: 'empty' }, 'Choose a topic; its documents can then be read as a user would.')))];
  const run = runOf();
  const key = JSON.stringify([state.topic, data.runs[run]]);
  if (reader.key !== key) resetReader(key);
  const list = listOf(topic, run);
  const entry = list.find((row) => row.doc.name === state.doc);
  if (entry && !reader.opened.includes(entry.doc.name)) { reader.opened.push(entry.doc.name); reader.place = null; }
  if (!entry) reader.place = null;
  const screen = entry ? screenOf(entry) : el('div', { class: 'screen' }, el('ol', { class: 'fetched' }, list.map((row) => el('li', {}, link({ doc: row.doc.name }, name(row.doc.name))))),
    el('p', { class: 'hint' }, `${count(list.length)} of the ${count(data.fetched[run][topic])} documents that this run finds are listed.`));
  return [
    el('h2', {}, data.topics[topic][1] ? name(data.topics[topic][1]) : ['Topic ', name(data.topics[topic][0])]),
    el('div', { class: 'controls' },
      choice('topic', data.topics.map(([label, query]) => [label, query ? `${label}: ${query.slice(0, 60)}` : label]), state.topic, (chosen) => go({ topic: chosen, doc: '' })),
      choice('run', data.runs.map((label) => [label, label]), data.runs[run], (chosen) => go({ run: chosen, doc: '' })),
      choice('screen', [[300, '300 characters (phone)'], [2000, '2000 characters (desk)']], reader.screen, (chosen) => { reader.screen = Number(chosen); render(); }),
      el('label', {}, el('input', { type: 'checkbox', checked: reader.reveal, on: { change: (event) => { reader.reveal = event.target.checked; render(); } } }), ' show what is relevant')),
    el('div', { class: `device s${reader.screen}` }, screen, costPanel(list)),
    el('p', { class: 'hint' }, `Down: next retrieved passage. Left: back to the list. Space: read on. Up: to the beginning.${leftOut(topic)}`),
  ];
}

function readerKeys(event) {
  const list = listOf(topicOf(), runOf());
  const entry = list.find((row) => row.doc.name === state.doc);
  if (!entry) {
    if (event.key === 'ArrowDown' && list.length) { event.preventDefault(); go({ doc: (list.find((row) => !reader.opened.includes(row.doc.name)) || list[0]).doc.name }); }
    return;
  }
  const next = nextPassage(entry);
  const acts = { ArrowDown: () => next && look(entry, next[0]), ArrowUp: () => look(entry, 0), ArrowLeft: () => go({ doc: '' }),
    ' ': () => reader.place !== null && reader.place + reader.screen < entry.doc.length && look(entry, reader.place + reader.screen) };
  if (acts[event.key]) { event.preventDefault(); acts[event.key](); }
}
