// A mark in hand: its borders are moved by keys, or by handles that a finger or a mouse drags.
const held = { id: null, side: 'end', range: null, dragging: null };
const heldMark = () => (held.id && reading.pair ? reading.pair.state.marks.get(held.id) : null);

function takeInHand(id, side = 'end') {
  const mark = here().state.marks.get(id);
  if (!mark) return;
  Object.assign(held, { id, side, range: [mark.start, mark.end] });
  showHeld();
  page.text.focus({ preventScroll: true });
  say(`highlight in hand: arrows move its ${side === 'end' ? 'end' : 'beginning'}, e takes the other border, Enter keeps it, Escape leaves it as it was, x removes it`);
}

// The highlight at the caret, or the other border of the one in hand.
function takeBorder() {
  if (heldMark()) { takeInHandAgain(held.side === 'end' ? 'start' : 'end'); return; }
  const caret = reading.selection ? reading.selection.focus : 0;
  const mark = markAt(caret);
  if (!mark) { say('there is no highlight here'); return; }
  takeInHand(mark.id, caret - mark.start < mark.end - caret ? 'start' : 'end');
}
function takeInHandAgain(side) {
  held.side = side;
  showHeld();
  say(`arrows move its ${side === 'end' ? 'end' : 'beginning'}`);
}

function letGo() {
  Object.assign(held, { id: null, range: null, dragging: null });
  for (const handle of Object.values(page.handles)) handle.hidden = true;
}

// The highlight becomes what its borders hold now; one act, however often they were moved.
function keepBorders() {
  const mark = heldMark();
  const range = held.range;
  letGo();
  if (!mark || (range[0] === mark.start && range[1] === mark.end)) return;
  const without = follow(here().state, { takes: [mark.id] });
  const moved = paint(without, ...range, mark.rel || 1, mark.needs || []);
  setSelection(range[1], range[1]);
  act({ adds: moved.adds, takes: [mark.id, ...moved.takes], ...answersTo(...range, here().suggested.filter(({ key }) => here().state.answers[key] !== 'rejected')) });
  say(`the highlight has ${plural(range[1] - range[0], 'character')} now`);
}

function leaveBorders() {
  const { start, end } = heldMark();
  const place = held.side === 'end' ? end : start;
  letGo();
  setSelection(place, place);
  say('left as it was');
}

function moveBorder(step, by) {
  const [start, end] = held.range;
  if (held.side === 'end') {
    const place = nextBorder(end, step, by, true);
    if (place > start) held.range = [start, place];
  } else {
    const place = nextBorder(start, step, by, false);
    if (place < end) held.range = [place, end];
  }
  showHeld();
  show(held.range[held.side === 'end' ? 1 : 0]);
}

// A key while a highlight is in hand; true if it was one of these.
function pressedInHand(event) {
  if (!heldMark()) return false;
  const arrows = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  if (event.key in arrows) {
    const by = event.shiftKey ? 'letters' : /Up|Down/.test(event.key) || event.ctrlKey || event.metaKey ? 'sentences' : desk.snap;
    moveBorder(arrows[event.key], by);
  } else if (event.key === 'Enter') keepBorders();
  else if (event.key === 'Escape') leaveBorders();
  else if (event.key === 'e' || event.key === 'o') takeBorder();
  else return false;
  event.preventDefault();
  return true;
}

// The handles stand at the ends of what is held, which is selected.
function showHeld() {
  if (!heldMark()) { letGo(); return; }
  const [start, end] = held.range;
  if (held.side === 'end') setSelection(start, end); else setSelection(end, start);
  const frame = page.text.getBoundingClientRect();
  for (const [side, handle] of Object.entries(page.handles)) {
    const rect = edgeOf(side === 'end' ? end : start, side === 'end');
    handle.hidden = false;
    handle.setAttribute('aria-pressed', String(held.side === side));
    handle.style.setProperty('left', `${rect.left - frame.left}px`);
    handle.style.setProperty('top', `${(side === 'end' ? rect.bottom : rect.top) - frame.top}px`);
  }
}
function edgeOf(place, atEnd) {
  const range = document.createRange();
  range.setStart(...nodeAt(place, atEnd));
  return range.getClientRects()[0] || rectOf(atEnd ? Math.max(0, place - 1) : place);
}

// The place under a point of the screen, in code points.
function placeUnder(x, y) {
  if (document.caretPositionFromPoint) {
    const found = document.caretPositionFromPoint(x, y);
    return found && placeOf(found.offsetNode, found.offset);
  }
  const found = document.caretRangeFromPoint(x, y);
  return found && placeOf(found.startContainer, found.startOffset);
}

function dragTo(side, event) {
  const place = placeUnder(event.clientX, event.clientY + (side === 'end' ? -14 : 14));
  if (place === null) return;
  const [start, end] = held.range;
  const range = side === 'end' ? [start, Math.max(place, start + 1)] : [Math.min(place, end - 1), end];
  const whole = snapped(...range);
  if (!whole) return;
  held.range = side === 'end' ? [start, Math.max(whole[1], start + 1)] : [Math.min(whole[0], end - 1), end];
  showHeld();
}

function handles() {
  const made = (side, told) => el('button', { type: 'button', class: `handle ${side}`, hidden: true, 'aria-label': told, on: {
    pointerdown: (event) => { event.preventDefault(); event.target.setPointerCapture(event.pointerId); held.side = held.dragging = side; },
    pointermove: (event) => { if (held.dragging === side) dragTo(side, event); },
    pointerup: (event) => { if (held.dragging === side) { event.stopPropagation(); held.dragging = null; const { id } = held; keepBorders(); takeKept(id); } },
    pointercancel: () => { held.dragging = null; showHeld(); },
    focus: () => { if (held.side !== side) takeInHandAgain(side); },
  } });
  page.handles = { start: made('start', 'beginning of the highlight'), end: made('end', 'end of the highlight') };
  return Object.values(page.handles);
}
// What was just moved stays in hand, so that its other border can be moved too.
function takeKept(id) {
  const { state } = here();
  const mark = state.marks.get(id) || (reading.selection && markAt(reading.selection.focus));
  if (mark) takeInHand(mark.id, held.side);
}
