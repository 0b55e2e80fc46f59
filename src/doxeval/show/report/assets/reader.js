// Fetch and browse (Effort, section 2): a list of documents, one column of text, an arrow to the next passage.
const reader = { key: '', screen: 300, tolerance: 300, log: new Map(), windows: new Map(), jumps: new Map(), opened: [], reveal: false, act: '' };
const MODEL = 'Measures of effort model somebody who opens the documents in the order of the run, reads the retrieved passages first, and gives a document up when too much of it was irrelevant. ';

const SCORED = ['relevant share of what was read', 'effort wasted', 'effort beyond an ideal list'];

// The documents as the run lists them, each where its first result stands, its passages in document order.
function listOf(topic, run) {
  return viewsOf(topic).map(([number, view]) => {
    const spans = view.results.filter(([owner]) => owner === run).flatMap(([, , found]) => found);
    const [, place] = view.opened.find(([owner]) => owner === run) || [];
    return { doc: data.docs[number], view, run, place, spans, passages: merged(spans) };
  }).filter((row) => row.place).sort((a, b) => a.place - b.place);
}

const logOf = (entry) => reader.log.get(entry.doc.name) || [];
const ownSum = (entry) => reckoned(logOf(entry), entry.view.relevant, reader.tolerance);
const modelReading = (entry) => modelStretches(entry, reader.tolerance, reader.screen);
const modelSum = (entry) => reckoned(modelReading(entry), entry.view.relevant, reader.tolerance);

// What the model comes to after as many documents; null where one of them is left out of the report and may be relevant.
// Of one that merely stands too low to be opened it is known that nothing in it is relevant, but not how long it is.
function modelSums(list, opened) {
  const whole = viewsOf(topicOf()).length === data.found[topicOf()][0];
  const places = Array.from({ length: opened }, (_, at) => list.find((entry) => entry.place === at + 1));
  if (!whole && places.includes(undefined)) return null;
  return places.map((entry) => entry ? modelSum(entry) : { read: null, relevant: 0, gained: 0, until: 0, before: null });
}

function reset(key) {
  Object.assign(reader, { key, log: new Map(), windows: new Map(), jumps: new Map(), opened: [] });
}

function look(entry, start, end) {
  reader.windows.set(entry.doc.name, [start, end]);
  reader.log.set(entry.doc.name, [...logOf(entry), ...unread([start, end], logOf(entry))]);
}

// A screen from a place on; it ends with its passage, where read text begins, and where the tolerance is used up.
function windowFrom(entry, start) {
  const read = merged(logOf(entry));
  const ends = [entry.doc.length, start + reader.screen, ...entry.passages.filter((span) => inside([span], start)).map(([, end]) => end)];
  if (inside(read, start)) return [start, Math.min(...ends)];
  const end = Math.min(...ends, ...read.map(([first]) => first).filter((first) => first > start));
  const until = tolerated([...logOf(entry), [start, end]], entry.view.relevant, reader.tolerance);
  return [start, until.length > logOf(entry).length ? until[until.length - 1][1] : end];
}

const jumpsOf = (entry) => ['sequential', 'bep'].includes(data.order[0]) ? [] : modelPath(entry).filter(([start]) => inside(entry.passages, start));
const nextJump = (entry) => jumpsOf(entry)[reader.jumps.get(entry.doc.name) || 0];
const firstUnread = (entry, from) => (unread([from, entry.doc.length], logOf(entry))[0] || [null])[0];
const nextOnPath = (entry) => modelReading(entry).flatMap((stretch) => unread(stretch, logOf(entry)))[0];
const nextDocument = (list) => list.find((entry) => !reader.opened.includes(entry.doc.name));

function open(entry) {
  reader.opened.push(entry.doc.name);
  const first = nextOnPath(entry);
  if (nextJump(entry)) reader.jumps.set(entry.doc.name, 1);
  if (first) look(entry, first[0], Math.min(first[1], first[0] + reader.screen));
}

// What can be done now: by a button, a key, or a touch; null where it cannot.
function actsOf(list, entry) {
  const next = nextDocument(list);
  const fetch = next && (() => go({ doc: next.doc.name }));
  if (!entry) return { follow: fetch, down: fetch };
  const at = reader.windows.get(entry.doc.name) || [0, 0];
  const on = firstUnread(entry, at[1]);
  const jump = nextJump(entry);
  const path = nextOnPath(entry);
  const seen = (act) => () => { act(); render(); };
  return {
    follow: path ? seen(() => {
      const led = jumpsOf(entry).findIndex(([start]) => start === path[0]);
      if (led >= 0) reader.jumps.set(entry.doc.name, led + 1);
      look(entry, path[0], Math.min(path[1], path[0] + reader.screen));
    }) : fetch || null,
    down: jump ? seen(() => { reader.jumps.set(entry.doc.name, (reader.jumps.get(entry.doc.name) || 0) + 1); look(entry, ...windowFrom(entry, jump[0])); }) : null,
    on: on === null ? null : seen(() => look(entry, ...windowFrom(entry, on))),
    up: firstUnread(entry, 0) === null ? null : seen(() => look(entry, ...windowFrom(entry, firstUnread(entry, 0)))),
    back: () => go({ doc: '' }),
  };
}

function acting(acts, act, text, title) {
  return button(text, () => { reader.act = act; acts[act](); }, { 'data-act': act, disabled: !acts[act], title });
}

function screenOf(entry, acts) {
  const [start, end] = reader.windows.get(entry.doc.name) || [0, 0];
  const cuts = [...new Set([start, end, ...entry.passages.flat(), ...entry.view.relevant.flat()])].filter((cut) => cut >= start && cut <= end).sort((a, b) => a - b);
  const text = cuts.slice(0, -1).map((first, at) => el('span', { class: [inside(entry.passages, first) ? 'passage' : '', reader.reveal && inside(entry.view.relevant, first) ? 'hit' : ''].join(' ') }, nodesBetween(entry.doc, first, cuts[at + 1])));
  const left = !nextOnPath(entry);
  return el('div', { class: 'screen' }, el('p', { class: 'hint' }, name(entry.doc.name), `, ${placeText([start, end])} of ${amount(entry.doc.length)}`),
    el('div', { class: entry.doc.numbered ? 'text code' : 'text', dir: 'auto', tabindex: '0', role: 'region', 'aria-label': 'the screen' }, entry.doc.text.length ? text : 'The text of this document is not in the report.'),
    el('p', { class: 'hint', role: 'status' }, left ? `The model leaves this document now: ${modelSum(entry).read < entry.doc.length ? `${count(reader.tolerance)} irrelevant characters have been read${entry.view.relevant.length ? ', and relevant text has appeared' : ''}` : 'it has been read to the end'}.`
      : entry.passages.some(([, stop]) => stop === end) ? 'The passage ends here.' : ''),
    el('div', { class: 'arrows' },
      acting(acts, 'back', '\u2190 list', 'back to the list (left arrow)'), acting(acts, 'down', '\u2193 next passage', 'to the next retrieved passage (down arrow)'),
      acting(acts, 'on', 'read on', 'the next screen (space)'), acting(acts, 'up', '\u2191 beginning', 'to the first unread text (up arrow)'),
      acting(acts, 'follow', left ? 'as the model: next document' : 'as the model', 'what the model does next (m)')));
}

function fetchedList(list, run, topic, acts) {
  let before = 0;
  const rows = list.flatMap((entry) => {
    const gap = entry.place - before - 1;
    before = entry.place;
    return [gap > 0 && el('li', { class: 'hint', value: entry.place - gap }, `${plural(gap, 'document')} that cannot be opened here`),
      el('li', { value: entry.place }, link({ doc: entry.doc.name }, name(entry.doc.name)), reader.opened.includes(entry.doc.name) && el('small', {}, ' opened'))];
  });
  return el('div', { class: 'screen' }, el('ol', { class: 'fetched' }, rows),
    el('p', { class: 'hint' }, `${count(list.length)} of the ${count(data.fetched[run][topic])} documents that this run finds are listed.`),
    el('div', { class: 'arrows' }, acting(acts, 'follow', 'open the next document', 'the next document (m, or down arrow)')));
}

// Both paths through a document: one's own above, the model's below, relevant text between them.
function strip(entry) {
  const x = (place) => place / Math.max(1, entry.doc.length) * 200;
  const lane = (stretches, y) => [svg('rect', { class: 'lane', x: 0, width: 200, y, height: 10 }), stretches.map(([start, end], at) => [
    svg('rect', { class: 'was-read', x: x(start), width: Math.max(1, x(end) - x(start)), y, height: 10 }),
    stretches.length < 10 && stretches.slice(0, at).every(([other]) => Math.abs(x(other) - x(start)) > 6) && svg('text', { x: x(start) + 1, y: y + 8.5, class: 'order' }, at + 1)])];
  return svg('svg', { class: 'strip', viewBox: '0 0 200 28', role: 'img', 'aria-label': `${entry.doc.name}: what you read above, what the model reads below, relevant text between` },
    lane(joined(logOf(entry)), 0), entry.view.relevant.map(([start, end]) => svg('rect', { class: 'relevant', x: x(start), width: Math.max(1, x(end) - x(start)), y: 12, height: 4 })), lane(joined(modelReading(entry)), 18));
}

// Stretches that follow one another joined.
function joined(stretches) {
  const found = [];
  for (const [start, end] of stretches) {
    const last = found[found.length - 1];
    if (last && last[1] === start) last[1] = end; else found.push([start, end]);
  }
  return found;
}

const pathText = (stretches) => joined(stretches).map(([start, end]) => `${amount(start)}\u2013${amount(end)}`).join(', then ') || 'nothing';

function openedItem(entry) {
  const [own, model] = [ownSum(entry), modelSum(entry)];
  const figures = (sum) => [fixed(toleratedPrecision(sum), 4), effortOf(sum, reader.screen)];
  const [[t2i, le], [modelT2i, modelLe]] = [figures(own), figures(model)];
  return el('li', { 'data-doc': entry.doc.name }, name(entry.doc.name), el('small', {}, `T2I ${t2i}, the model ${modelT2i}; LE ${le}, the model ${modelLe}`), strip(entry),
    el('details', {}, el('summary', {}, 'Paths'), el('p', {}, `You: ${pathText(logOf(entry))}.`),
      el('p', {}, `The model: ${pathText(modelReading(entry))}, then it leaves.`)));
}

function costPanel(list) {
  const [topic, k] = [topicOf(), reader.opened.length];
  const entries = reader.opened.map((label) => list.find((entry) => entry.doc.name === label)).filter(Boolean);
  const own = entries.map(ownSum);
  const model = modelSums(list, k);
  const wanted = data.relevant[topic];
  const listed = (sums) => sums && listScores(sums, data.found[topic][1], reader.screen);
  const [mine, its] = [listed(own), listed(model)];
  const added = (sums, part) => sums && sums.every((sum) => sum[part] !== null) ? sums.reduce((all, sum) => all + sum[part], 0) : null;
  const order = data.order[0] === 'natural' ? '' : `,order=${data.order[0]}`;
  const effort = `(screen=${reader.screen}${order})@${k || 1}`;
  const names = [`gP(score=T2I(n=${reader.tolerance}${order}))@${k || 1}`, `CE${effort}`, `NCE${effort}`];
  const rows = [['documents opened', k, k], ['characters read', added(own, 'read'), added(model, 'read')],
    ['of them relevant', added(own, 'relevant'), added(model, 'relevant')]].map(([title, ...cells]) => [title, cells.map((cell) => cell === null ? '' : count(cell))]);
  const scores = names.map((label, at) => [label, [mine, its].map((found) => found && k ? fixed([found.gP, found.CE, found.NCE][at]) : '')]);
  const seen = added(own, 'relevant');
  return el('aside', { class: 'cost', 'aria-label': 'what it costs' },
    el('table', {}, el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'so far'), ['you', 'the model'].map((title) => el('th', { scope: 'col', class: 'number' }, title)))),
      el('tbody', {}, [...rows, ...scores].map(([title, cells], row) => el('tr', {}, el('th', { scope: 'row' }, row < rows.length ? title : [SCORED[row - rows.length], el('small', {}, title)]), cells.map((cell, at) => el('td', { class: 'number', 'data-of': `${['you', 'model'][at]} ${title}` }, cell)))))),
    el('p', { role: 'status' }, `You have seen ${wanted ? Math.round(seen / wanted * 100) : 0}% of ${count(wanted)} relevant characters.`),
    !model && el('p', { class: 'hint' }, 'The model\u2019s list is incomplete in this report (--max-megabytes).'),
    el('ol', {}, entries.map(openedItem)),
    acting({ again: () => { reset(reader.key); go({ doc: '' }); } }, 'again', 'Start again', 'forget what was read'),
    el('details', {}, el('summary', {}, 'What the numbers are'), el('p', {}, 'T2I: relevant characters among those read until the tolerance is used up. LE: the effort, 1 to 4, by the screen on which relevant text first appears; 5 if none did. gP: mean T2I of the documents opened. CE: effort wasted, added up; NCE: beyond that of an ideal list. All count what you have read so far, in your order; higher T2I and gP, lower LE, CE and NCE are better.'),
      el('p', {}, 'The numbers of the model are those of ', el('code', {}, `doxeval eval -m "${names.join(' ')}"`), ' on this topic.')));
}

// Where there is something to read: a topic and a run in whose first document the model finds relevant text.
function somewhere() {
  const readable = (topic, run) => {
    const [first] = listOf(topic, run);
    return first && first.doc.text.length && modelSum(first).gained ? first : null;
  };
  const runs = state.run ? [runOf()] : data.runs.map((_, run) => run);
  for (let topic = 0; topic < data.topics.length; topic += 1) {
    for (const run of runs) {
      const first = readable(topic, run);
      if (first) return { topic: data.topics[topic][0], run: data.runs[run], doc: first.doc.name };
    }
  }
  return { topic: data.topics[0][0] };
}

function readerControls(run) {
  const again = (key) => (chosen) => { reader[key] = Number(chosen); reset(reader.key); go({ doc: '' }); };
  return controls('Question, run and screen',
    choice('question', [...(topicOf() < 0 ? [['', '\u2013']] : []), ...data.topics.map(questionChoice)], state.topic, (chosen) => go({ topic: chosen, doc: '' })),
    choice('run', runChoices(), data.runs[run], (chosen) => go({ run: chosen, doc: '' })),
    choice('screen', [[300, '300 characters (phone)'], [2000, '2,000 characters (desktop)']], reader.screen, again('screen')),
    choice('tolerance', [[300, '300 irrelevant characters'], [600, '600 irrelevant characters'], [2000, '2,000 irrelevant characters']], reader.tolerance, again('tolerance')),
    el('label', {}, el('input', { type: 'checkbox', 'data-act': 'reveal', checked: reader.reveal, on: { change: (event) => { reader.reveal = event.target.checked; reader.act = 'reveal'; render(); } } }), ' show what is relevant'));
}

function showReader() {
  if (!data.docs.some((doc) => doc.text.length)) {
    return [el('h2', {}, 'Nothing to read'), el('p', { class: 'hint' }, MODEL, 'You cannot try it here: this report contains no text of the documents. ',
      'Write it with the documents (--docs), and with room for their text (--max-megabytes).')];
  }
  if (!state.topic) Object.assign(state, somewhere());
  const topic = topicOf();
  const run = runOf();
  if (topic < 0) return [el('p', { class: 'empty' }, 'No topic is called ', name(state.topic), '.'), readerControls(run)];
  const key = JSON.stringify([state.topic, data.runs[run]]);
  if (reader.key !== key) reset(key);
  const list = listOf(topic, run);
  const entry = list.find((row) => row.doc.name === state.doc);
  if (entry && !reader.opened.includes(entry.doc.name)) open(entry);
  const acts = actsOf(list, entry);
  if (reader.act) requestAnimationFrame(() => { const again = main.querySelector(`[data-act="${reader.act}"]:not(:disabled)`); if (again) again.focus(); reader.act = ''; });
  return [
    el('h2', {}, data.topics[topic][1] ? name(data.topics[topic][1]) : ['Topic ', name(data.topics[topic][0])]),
    el('p', { class: 'hint' }, MODEL, `Here you are that reader, and the model (${data.order[0]}: ${data.order[1]}) reads beside you.`),
    readerControls(run),
    el('div', { class: `device s${reader.screen}` }, entry ? screenOf(entry, acts) : fetchedList(list, run, topic, acts), costPanel(list)),
    el('p', { class: 'hint' }, `Keys: m as the model, down next passage, space read on, up to the beginning, left back to the list.${leftOut(topic)}`),
  ];
}

function readerKeys(event) {
  const list = topicOf() < 0 ? [] : listOf(topicOf(), runOf());
  const acts = actsOf(list, list.find((row) => row.doc.name === state.doc));
  const act = { m: 'follow', ArrowDown: 'down', ' ': 'on', ArrowUp: 'up', ArrowLeft: 'back' }[event.key];
  if (act && acts[act]) { event.preventDefault(); acts[act](); }
}
