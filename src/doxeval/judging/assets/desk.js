// What is to be judged, what was done so far, and where the assessor is. A large pool comes in parts, when
// they are needed; what is known of all of it is the state of each document.
const pairs = new Array(data.count);
const topics = new Map(), siblings = new Map();
const states = (data.states || [['-', data.count]]).map(([state, times]) => state.repeat(times)).join('').split('');
const keyOf = (topic, doc) => JSON.stringify([topic, doc]);
const pairOf = new Map();

const desk = { at: 0, rel: 1, snap: 'words', needs: new Set(), pen: true, undo: [], redo: [], spent: data.spent || 0, time: 0, finished: states.filter((state) => state === 'r' || state === '0').length };
const here = () => pairs[desk.at];

// A part of the pool has come.
function unpack(part) {
  for (const [number, [name, query, needs, of]] of Object.entries(part.topics)) topics.set(Number(number), { name, query, needs, of });
  part.pairs.forEach(([number, docNumber, doc, ranges, judged, runs, proposed], index) => {
    const at = part.first + index;
    if (pairs[at]) return;
    const { name, query, needs } = topics.get(number);
    const passages = ranges.map(([start, end], place) => [start, end, runs.length ? runs[place] : 1]);
    pairs[at] = { at, number, topic: name, query, needs, doc, docNumber, passages, judged, suggested: suggestionsOf(proposed), acts: new Map(), state: NOTHING };
    pairOf.set(keyOf(name, doc), pairs[at]);
  });
  remember(part.acts, false);
}
async function fetched(what) {
  const response = await fetch(what).catch(() => { throw new Error('the server does not answer'); });
  if (!response.ok) throw new Error((await response.text()).trim() || `the server answered ${response.status}`);
  return response.json();
}
async function load(at) {
  if (!pairs[at]) unpack(await fetched(`pairs/${at}`));
}
async function siblingsOf(number) {
  if (!siblings.has(number)) siblings.set(number, data.siblings ? data.siblings[number] : await fetched(`siblings/${number}`));
  return siblings.get(number);
}

// What is judged at a time: passages, cut into paragraphs; each with the number of runs that show it.
function stretches(pair) {
  if (reading.stretches) return reading.stretches;
  const found = [];
  for (const [start, end, runs] of pair.passages) {
    let place = start;
    for (const part of textBetween(start, end).split(/(\n\s*\n)/)) {
      const [all, before] = [points(part), points(part.slice(0, part.length - part.trimStart().length))];
      if (part.trim()) found.push([place + before, place + before + points(part.trim()), runs]);
      place += all;
    }
  }
  reading.stretches = found;
  return found;
}

// Acts from wherever, some of them known; what the server has numbered comes first, in its order.
function remember(acts, news = true) {
  const touched = new Set();
  let learned = false;
  for (const act of acts) {
    if (act.act.rule) { learn(act); learned = true; continue; }
    const pair = pairOf.get(keyOf(act.topic, act.doc));
    if (!pair) continue;
    pair.acts.set(act.id, act);
    touched.add(pair);
  }
  if (learned && page.rules) showRules();
  for (const pair of touched) {
    const inOrder = [...pair.acts.values()].sort((a, b) => (a.number || Infinity) - (b.number || Infinity) || (a.order || 0) - (b.order || 0));
    setState(pair, inOrder.reduce((state, { act }) => follow(state, act), NOTHING));
  }
  if (touched.size && news) changed([...touched]);
}

function setState(pair, state) {
  pair.state = state;
  const before = states[pair.at];
  states[pair.at] = state.done ? (state.marks.size ? 'r' : '0') : state.marks.size ? 'b' : '-';
  desk.finished += /[r0]/.test(states[pair.at]) - /[r0]/.test(before);
}

// Do something to the document at hand; `past` is where it can be undone from.
function act(what, past = desk.undo) {
  if (!Object.keys(what).length) return;
  const pair = here();
  const before = pair.state;
  const made = { id: newId(), time: new Date().toISOString(), topic: pair.topic, doc: pair.doc, act: what };
  pair.acts.set(made.id, made);
  setState(pair, follow(before, what));
  spend(Date.parse(made.time));
  past.push({ at: pair.at, before, after: pair.state });
  if (past === desk.undo && !desk.repeating) desk.redo = [];
  keep(made);
  changed([pair]);
}

function turnBack(from, to) {
  const step = from.pop();
  if (!step) { say('nothing more to undo or redo'); return; }
  if (step.at !== desk.at) go(step.at);
  desk.repeating = true;
  act(difference(step.after, step.before), to);
  desk.repeating = false;
}
const undo = () => turnBack(desk.undo, desk.redo);
const redo = () => turnBack(desk.redo, desk.undo);

// Time spent, from one act to the next; what is longer than a few minutes was a break.
function spend(now) {
  if (desk.time) desk.spent += Math.min(now - desk.time, 180000) / 1000;
  desk.time = now;
}
function pace() {
  const done = desk.finished;
  return done && desk.spent ? { each: desk.spent / done, left: (desk.spent / done) * (pairs.length - done) } : null;
}
const duration = (seconds) => (seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`);

function go(at) {
  const wanted = Math.max(0, Math.min(pairs.length - 1, at));
  desk.opening = pairs[wanted] ? arrive(wanted) : leave(wanted);
  return desk.opening;
}
async function leave(at) {
  reading.pair = null;
  desk.wanted = at;
  try { await load(at); } catch (problem) { say(problem.message); return; }
  if (desk.wanted === at) await arrive(at);
}
function arrive(at) {
  desk.at = desk.wanted = at;
  desk.needs = new Set([...desk.needs].filter((need) => here().needs.includes(need)));
  history.replaceState(null, '', `#${desk.at + 1}`);
  return openDocument();
}
function goTopic(step) {
  const first = data.firsts[here().number + step];
  if (first === undefined) { say(step > 0 ? 'this is the last topic' : 'this is the first topic'); return; }
  go(first);
}
const isDone = (at) => states[at] === 'r' || states[at] === '0';
function goOn() {
  for (let step = 1; step < pairs.length; step += 1) {
    const at = (desk.at + step) % pairs.length;
    if (!isDone(at)) { go(at); return; }
  }
  if (desk.finished < pairs.length) { say('this is the last document that has not been judged'); return; }
  say('everything is judged; thank you');
  if (!OFFLINE) showStanding();
}
function finishDocument() { act(here().state.done ? {} : { done: true }); goOn(); }
function nothingHere() {
  act(difference(here().state, { ...here().state, marks: new Map(), bep: null, done: true, answers: answered(openSuggestions(), 'rejected') }));
  goOn();
}
