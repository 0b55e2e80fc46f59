// What is to be judged, what was done so far, and where the assessor is.
const pairs = data.pairs.map(([topic, doc, ranges, judged, runs], at) => {
  const [name, query, needs] = data.topics[topic];
  const passages = ranges.map(([start, end], number) => [start, end, runs.length ? runs[number] : 1]);
  return { at, topic: name, query, needs, doc: data.docs[doc], docNumber: doc, passages, judged };
});
const keyOf = (topic, doc) => JSON.stringify([topic, doc]);
const pairOf = new Map(pairs.map((pair) => [keyOf(pair.topic, pair.doc), pair]));
for (const pair of pairs) Object.assign(pair, { acts: new Map(), state: NOTHING });

const desk = { at: 0, rel: 1, snap: 'words', needs: new Set(), pen: true, undo: [], redo: [] };
const here = () => pairs[desk.at];

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
function remember(acts) {
  const touched = new Set();
  for (const act of acts) {
    const pair = pairOf.get(keyOf(act.topic, act.doc));
    if (!pair) continue;
    pair.acts.set(act.id, act);
    touched.add(pair);
  }
  for (const pair of touched) {
    const inOrder = [...pair.acts.values()].sort((a, b) => (a.number || Infinity) - (b.number || Infinity) || (a.order || 0) - (b.order || 0));
    pair.state = inOrder.reduce((state, { act }) => follow(state, act), NOTHING);
  }
  if (touched.size) changed([...touched]);
}

// Do something to the document at hand; `past` is where it can be undone from.
function act(what, past = desk.undo) {
  if (!Object.keys(what).length) return;
  const pair = here();
  const before = pair.state;
  const made = { id: newId(), time: new Date().toISOString(), topic: pair.topic, doc: pair.doc, act: what };
  pair.acts.set(made.id, made);
  pair.state = follow(before, what);
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

function finished() { return pairs.filter((pair) => pair.state.done).length; }

// Time spent, from one act to the next; what is longer than a few minutes was a break.
function pace() {
  const times = pairs.flatMap((pair) => [...pair.acts.values()].map((made) => Date.parse(made.time))).sort((a, b) => a - b);
  const spent = times.slice(1).reduce((sum, time, at) => sum + Math.min(time - times[at], 180000), 0) / 1000;
  const done = finished();
  return done && spent ? { each: spent / done, left: (spent / done) * (pairs.length - done) } : null;
}
const duration = (seconds) => (seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`);

function go(at) {
  desk.at = Math.max(0, Math.min(pairs.length - 1, at));
  desk.needs = new Set([...desk.needs].filter((need) => here().needs.includes(need)));
  history.replaceState(null, '', `#${desk.at + 1}`);
  desk.opening = openDocument();
  return desk.opening;
}
function goTopic(step) {
  const other = (at) => pairs[at].topic !== here().topic;
  let at = desk.at;
  while (pairs[at] && !other(at)) at += step;
  if (!pairs[at]) { say(step > 0 ? 'this is the last topic' : 'this is the first topic'); return; }
  const topic = pairs[at].topic;
  while (step < 0 && pairs[at - 1] && pairs[at - 1].topic === topic) at -= 1;
  go(at);
}
function goOn() {
  for (let step = 1; step < pairs.length; step += 1) {
    const at = (desk.at + step) % pairs.length;
    if (!pairs[at].state.done) { go(at); return; }
  }
  say(finished() === pairs.length ? 'everything is judged; thank you' : 'this is the last document that has not been judged');
}
function finishDocument() { act(here().state.done ? {} : { done: true }); goOn(); }
function nothingHere() {
  act(difference(here().state, { ...here().state, marks: new Map(), bep: null, done: true }));
  goOn();
}
