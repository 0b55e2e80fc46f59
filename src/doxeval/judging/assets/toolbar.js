// What can be done, each by a button and by a key; keys work unless something is being typed.
const COMMANDS = [
  ['h', 'Highlight', 'highlight the selection (also Enter)', () => highlight()],
  ['x', 'Remove', 'remove the highlight in hand, or the one at the caret (also Delete)', () => removeMark()],
  ['e', 'Borders', 'take the highlight at the caret in hand: arrows move its border, e takes the other one, Enter keeps it; or click it and drag its handles', takeBorder],
  ['b', 'Entry point', 'best entry point at the caret', setEntryPoint],
  ['0', 'Nothing relevant', 'nothing in this document is relevant; go on', nothingHere],
  ['d', 'Done, next', 'this document is judged; go on to the next unjudged one', finishDocument],
  ['u', 'Undo', 'undo (also Ctrl+Z)', undo],
  ['r', 'Redo', 'redo (also Ctrl+Y)', redo],
];
const MORE_KEYS = [
  ['n', 'select the next pooled passage', () => choosePassage(1)],
  ['p', 'select the previous pooled passage', () => choosePassage(-1)],
  ['s', 'select the sentence; press again to add the next', chooseSentence],
  ['y', 'go to the next suggestion, or confirm the one that is selected', confirmSuggestion],
  ['t', 'reject the suggestion at the caret', rejectSuggestion],
  ['v', 'show the raw text, or the document as it looks', toggleRaw],
  ['g', 'grow the selection: to the word, the sentence, and ever larger nodes', growSelection],
  ['w', 'let marks end at words, sentences, nodes, or any letter', nextSnap],
  ['o', 'go to the other end of the selection', () => reading.selection && setSelection(reading.selection.focus, reading.selection.anchor)],
  ['j', 'next document', () => go(desk.at + 1)],
  ['k', 'previous document', () => go(desk.at - 1)],
  ['J', 'next topic', () => goTopic(1)],
  ['K', 'previous topic', () => goTopic(-1)],
  ...(OFFLINE ? [] : [['a', 'decide where assessors differ', () => openDisputes()], ['z', 'where the judging stands', showStanding]]),
  ['m', 'write a note', () => page.note.focus()],
  ['/', 'search in the document', () => { page.search.focus(); page.search.select(); }],
  ['?', 'this list', showHelp],
];
const ARROWS = { ArrowRight: ['right', 'character', 'word'], ArrowLeft: ['left', 'character', 'word'],
  ArrowDown: ['forward', 'line', 'paragraph'], ArrowUp: ['backward', 'line', 'paragraph'],
  End: ['forward', 'lineboundary', 'documentboundary'], Home: ['backward', 'lineboundary', 'documentboundary'] };
const KEYS = new Map([...COMMANDS.map(([key, , , act]) => [key, act]), ...MORE_KEYS.map(([key, , act]) => [key, act])]);
KEYS.set('Enter', KEYS.get('h')).set('Delete', KEYS.get('x')).set('Backspace', KEYS.get('x'));

function pressed(event) {
  const typing = event.target.closest('input:not([type=radio], [type=checkbox]), textarea, select, dialog');
  if (event.key === 'Escape' && typing && !typing.matches('dialog')) { page.text.focus({ preventScroll: true }); return; }
  if (!typing && event.altKey && /^Digit[1-9]$/.test(event.code)) {
    const box = page.needs.querySelectorAll('input')[Number(event.code.slice(5)) - 1];
    if (box) { event.preventDefault(); box.click(); }
  }
  if (typing || event.altKey || pressedInHand(event)) return;
  if (!/^(x|Delete|Backspace|Shift|Control|Meta)$/.test(event.key)) keepBorders();
  const command = event.ctrlKey || event.metaKey;
  if (command && /^[zy]$/i.test(event.key)) {
    event.preventDefault();
    whenOpen(event.key.toLowerCase() === 'y' || event.shiftKey ? redo : undo);
  } else if (event.target === page.text && event.key in ARROWS) {
    const [direction, small, large] = ARROWS[event.key];
    event.preventDefault();
    whenOpen(() => move(event.shiftKey, direction, command ? large : small));
  } else if (command || (event.target.closest('button, summary, a') && /^(Enter| )$/.test(event.key)) || !page.keys.checked) {
    return;
  } else if (/^[1-9]$/.test(event.key) && Number(event.key) <= data.grades) {
    event.preventDefault();
    whenOpen(() => { chooseGrade(Number(event.key)); highlight(); });
  } else if (KEYS.has(event.key)) {
    event.preventDefault();
    whenOpen(KEYS.get(event.key));
  }
}

function chooseGrade(rel) {
  desk.rel = rel;
  for (const input of page.tools.querySelectorAll('input[name=grade]')) input.checked = Number(input.value) === rel;
}

// Buttons leave the selection as it is.
const keepSelection = (event) => { if (event.target.closest('button')) event.preventDefault(); };

function tools() {
  const grades = data.grades < 2 ? null : el('fieldset', { class: 'grades' }, el('legend', {}, 'grade'),
    Array.from({ length: data.grades }, (_, at) => el('label', {}, el('input', { type: 'radio', name: 'grade', value: at + 1, checked: at === 0,
      on: { change: () => { desk.rel = at + 1; } } }), el('span', { class: `swatch g${Math.min(3, at + 1)}` }), at + 1)));
  page.needs = el('fieldset', { class: 'needs', hidden: true });
  return el('footer', { class: 'tools', 'aria-label': 'what to do', role: 'toolbar', on: { pointerdown: keepSelection } },
    el('div', { class: 'how' }, grades, page.needs),
    COMMANDS.map(([key, title, told, act]) => button([title, el('kbd', { 'aria-hidden': 'true' }, key)], () => whenOpen(() => { act(); page.text.focus({ preventScroll: true }); }),
      { title: `${told} (${key})`, class: `do-${key}`, 'aria-keyshortcuts': key })));
}

function showNeeds() {
  const { needs } = here();
  page.needs.hidden = !needs.length;
  page.needs.replaceChildren(el('legend', {}, 'answers'), ...needs.map((need) => el('label', {}, el('input', { type: 'checkbox', checked: desk.needs.has(need),
    on: { change: (event) => { if (event.target.checked) desk.needs.add(need); else desk.needs.delete(need); } } }), name(need))));
}

function showHelp() {
  page.help.showModal();
  page.help.querySelector('h2').focus();
}

function help() {
  const rows = [...COMMANDS.map(([key, , told]) => [key, told]), ...MORE_KEYS.map(([key, told]) => [key, told]),
    ...(data.grades > 1 ? [[`1\u2013${data.grades}`, 'highlight with that grade']] : []),
    ...([...topics.values()].some(({ needs }) => needs.length) ? [['Alt+1\u20139', 'tick what the next highlight answers']] : []),
    ['arrows', 'move the caret; hold Shift to select, Ctrl to move by words and paragraphs']];
  page.keys = el('input', { type: 'checkbox', checked: true });
  return el('dialog', { class: 'help', 'aria-labelledby': 'help-title' }, el('h2', { id: 'help-title', tabindex: -1 }, 'Keys'),
    el('p', {}, 'Select what answers the question, and it is highlighted; click a highlight to move its borders or to remove it. What systems found is shaded; all of the text counts.'),
    el('dl', {}, rows.map(([key, told]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, told)])),
    el('label', {}, page.keys, ' single keys are commands'),
    el('form', { method: 'dialog' }, el('button', {}, 'Close')));
}
