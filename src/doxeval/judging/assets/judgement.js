// What the acts on one document leave, as in doxeval/io/formats/judgements.py; states are never changed, only made.
const NOTHING = { marks: new Map(), bep: null, note: '', done: false, answers: {} };
const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');

// The marks after a disagreement was decided: those within the range are replaced, others keep what is outside.
function settle(marks, { start, end, marks: decided }) {
  const kept = new Map();
  for (const [id, mark] of marks) {
    if (mark.end <= start || end <= mark.start) { kept.set(id, mark); continue; }
    if (mark.start < start) kept.set(id, { ...mark, end: start });
    const other = mark.start < start ? `${id}+` : id;
    if (end < mark.end) kept.set(other, { ...mark, id: other, start: end });
  }
  for (const mark of decided) kept.set(mark.id, mark);
  return kept;
}

function follow(state, act) {
  if (act.decides) return { ...state, marks: settle(state.marks, act.decides) };
  const marks = new Map(state.marks);
  for (const id of act.takes || []) marks.delete(id);
  for (const mark of act.adds || []) marks.set(mark.id, mark);
  const next = { ...state, marks };
  for (const part of ['bep', 'note', 'done']) if (part in act) next[part] = act[part];
  if (act.answers) next.answers = Object.fromEntries(Object.entries({ ...state.answers, ...act.answers }).filter(([, answer]) => answer));
  return next;
}

const alike = (a, b) => (a.rel || 1) === (b.rel || 1) && JSON.stringify(a.needs || []) === JSON.stringify(b.needs || []);
const ordered = (state) => [...state.marks.values()].sort((a, b) => a.start - b.start || a.end - b.end);

// The act that paints a range: what it covers is repainted, what is alike and touches it becomes one with it.
function paint(state, start, end, rel, needs) {
  const fresh = { id: newId(), start, end, ...(rel === 1 ? {} : { rel }), ...(needs.length ? { needs } : {}) };
  const act = { adds: [fresh], takes: [] };
  for (const mark of ordered(state)) {
    if (mark.end < start || end < mark.start) continue;
    if (alike(mark, fresh)) {
      act.takes.push(mark.id);
      fresh.start = Math.min(fresh.start, mark.start);
      fresh.end = Math.max(fresh.end, mark.end);
    } else if (mark.start < end && start < mark.end) {
      act.takes.push(mark.id);
      if (mark.start < start) act.adds.push({ ...mark, id: newId(), end: start });
      if (end < mark.end) act.adds.push({ ...mark, id: newId(), start: end });
    }
  }
  return act;
}

// The act that leads from one state to another.
function difference(from, to) {
  const act = {};
  const takes = [...from.marks.keys()].filter((id) => !to.marks.has(id));
  const adds = [...to.marks.values()].filter((mark) => !from.marks.has(mark.id));
  if (takes.length) act.takes = takes;
  if (adds.length) act.adds = adds;
  for (const part of ['bep', 'note', 'done']) if (from[part] !== to[part]) act[part] = to[part];
  const told = [...new Set([...Object.keys(from.answers), ...Object.keys(to.answers)])].filter((key) => from.answers[key] !== to.answers[key]);
  if (told.length) act.answers = Object.fromEntries(told.map((key) => [key, to.answers[key] || null]));
  return act;
}
