// Passages on which assessors differ, one after the other: who marked what and when, and what hangs on it.
const KIND_TOLD = { whether: 'whether this is relevant', where: 'where it begins and ends', grade: 'its grade' };
const signed = (value) => `${value < 0 ? '\u2212' : '+'}${Math.abs(value).toFixed(4)}`;
const percent = (value) => (value === null || value === undefined ? '\u2013' : value.toFixed(2));
const when = (time) => { const date = new Date(time); return Number.isNaN(date.getTime()) ? time : date.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' }); };

// What was done is with the server before anything is asked that depends on it.
async function whenSaved() {
  while (keeping.pending.length && keeping.told !== 'failed') await new Promise((resume) => { setTimeout(resume, 30); });
}

async function openDisputes(step = 0) {
  say('looking for disagreements\u2026');
  await whenSaved();
  try { desk.queue = await fetched('disputes'); } catch (problem) { say(problem.message); return; }
  say('');
  showDispute(step);
}
function closeDisputes() {
  desk.dispute = null;
  page.dispute.hidden = true;
  openDocument();
}

async function showDispute(index) {
  const { disputes } = desk.queue;
  page.dispute.hidden = false;
  if (!disputes.length) {
    desk.dispute = null;
    page.dispute.replaceChildren(el('h2', { tabindex: -1 }, 'No disagreement is left to decide'), el('p', {}, 'Only documents that you have finished are compared.'), agreementTable(desk.queue.agreement), button('Close', closeDisputes));
    page.dispute.querySelector('h2').focus();
    if (reading.pair) await openDocument();
    return;
  }
  desk.dispute = disputes[(index + disputes.length) % disputes.length];
  await go(desk.dispute.at);
  drawDispute((index + disputes.length) % disputes.length);
  choose(desk.dispute.start, desk.dispute.end);
}

function wordsOf(marks) {
  return marks.length ? marks.map(([start, end, rel]) => el('blockquote', {}, textBetween(start, end), data.grades > 1 || rel !== 1 ? el('small', {}, ` grade ${rel}`) : null)) : el('p', { class: 'hint' }, 'marked nothing here');
}
const NAMES = { merge: 'All that either marked', common: 'Only what all marked' };
function effectOf(effect, place) {
  return effect ? el('small', {}, ` ${signed(effect.then[place])}`) : null;
}

function drawDispute(index) {
  const { disputes, measure, agreement } = desk.queue;
  const { kind, people, choices, effect } = desk.dispute;
  const title = el('h2', { tabindex: -1 }, `Disagreement ${count(index + 1)} of ${count(disputes.length)}: ${KIND_TOLD[kind]}`);
  const matters = effect ? el('p', { class: 'effect' }, name(effect.first), ' \u2212 ', name(effect.second), ` by ${measure} is ${signed(effect.now)} now; `,
    effect.changes ? el('strong', {}, 'this decides who is ahead') : 'behind each choice is what it becomes') : null;
  const sides = el('div', { class: 'sides' }, people.map((one, at) => el('section', { class: `side s${at + 1}`, 'aria-label': `marked by ${one.name}` },
    el('h3', {}, name(one.name), el('small', {}, ` ${when(one.time)}`)), wordsOf(one.marks), one.note && el('p', { class: 'hint' }, one.note))));
  const ways = el('div', { class: 'ways', role: 'group', 'aria-label': 'decide' }, choices.map((choice, place) =>
    button([choice.how === 'pick' ? ['As ', name(choice.as)] : NAMES[choice.how], effectOf(effect, place)], () => decide(choice), { class: `way-${choice.how}` })),
  button('What I select', redrawPassage, { title: 'select text in the document first; nothing selected means not relevant' }),
  button('Previous', () => showDispute(index - 1)), button('Next', () => showDispute(index + 1)), button('Close', closeDisputes));
  page.dispute.replaceChildren(title, ...[matters, sides, ways].filter(Boolean), el('details', {}, el('summary', {}, 'agreement so far'), agreementTable(agreement)));
  title.focus({ preventScroll: true });
}

function agreementTable(rows) {
  if (!rows.length) return el('p', { class: 'hint' }, 'no two assessors have finished the same document');
  const columns = ['documents', 'overlap', 'F1', 'kappa', 'same', 'whether', 'where', 'grade'];
  return el('table', { class: 'agreement' }, el('thead', {}, el('tr', {}, ['assessors', '', ...columns].map((one) => el('th', { scope: 'col' }, one)))),
    el('tbody', {}, rows.map((row) => el('tr', {}, el('th', { scope: 'row' }, name(row.first), ', ', name(row.second)), el('td', {}, row.when),
      columns.map((key) => el('td', {}, Number.isInteger(row[key]) && !['overlap', 'F1', 'kappa'].includes(key) ? count(row[key]) : percent(row[key])))))));
}

// A decision is an act on the document; who is among the people it is for has its marks from now on.
function decide({ how, as, start, end, people, marks }) {
  const pair = here();
  const decided = { how, start, end, people, marks: marks.map((mark) => ({ ...mark, id: newId() })), ...(as ? { as } : {}), ...(desk.lastRule ? { rule: desk.lastRule } : {}) };
  const made = { id: newId(), time: new Date().toISOString(), topic: pair.topic, doc: pair.doc, act: { decides: decided } };
  desk.lastRule = null;
  if (people.includes(data.assessor)) {
    pair.acts.set(made.id, made);
    setState(pair, follow(pair.state, made.act));
  }
  keep(made);
  changed([pair]);
  openDisputes();
}
function redrawPassage() {
  readSelection();
  const { start, end, people } = desk.dispute;
  const chosen = selected();
  const drawn = chosen && snapped(...chosen);
  const marks = drawn ? [{ start: drawn[0], end: drawn[1], ...(desk.rel === 1 ? {} : { rel: desk.rel }) }] : [];
  decide({ how: 'redraw', start: drawn ? Math.min(start, drawn[0]) : start, end: drawn ? Math.max(end, drawn[1]) : end, people: people.map((one) => one.name), marks });
}

// The rule book: shown to all while they judge, written by any of them.
const rules = new Map();
function learn({ by, time, topic, doc, act: { rule } }) {
  if (rule.text.trim()) rules.set(rule.id, { ...rule, by, time, topic, doc }); else rules.delete(rule.id);
}
function writeRule(text, id = newId()) {
  const pair = here();
  const made = { id: newId(), by: data.assessor, time: new Date().toISOString(), topic: pair.topic, doc: pair.doc, act: { rule: { id, text } } };
  if (text) desk.lastRule = id;
  keep(made);
  learn(made);
  showRules();
}
function showRules() {
  const list = [...rules.values()].map(({ id, text, by }) => el('li', {}, text, el('small', {}, ' ', name(by || '')),
    button('strike', () => writeRule('', id), { class: 'small', 'aria-label': `strike the rule: ${text.slice(0, 40)}` })));
  page.rules.replaceChildren(...(list.length ? list : [el('li', { class: 'hint' }, 'none yet')]));
}
function ruleBook() {
  page.rules = el('ol', { class: 'rules' });
  const words = el('textarea', { rows: 2, id: 'rule', 'aria-label': 'a new rule', maxlength: 4000 });
  return el('section', {}, el('h2', {}, 'Rules'), page.rules, words,
    button('Write down', () => { if (words.value.trim()) { writeRule(words.value.trim()); words.value = ''; } }, { class: 'small' }));
}
