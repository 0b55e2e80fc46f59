// The document: its text in blocks, what was pooled and marked in it, and what is selected.
const reading = { blocks: [], elements: [], selection: null, text: '', searched: [], ahead: new Map() };
const page = {};

async function textOf(number) {
  if (OFFLINE) return data.opened[number];
  const response = await fetch(`text/${number}`);
  if (!response.ok) throw new Error(`the document could not be fetched (${response.status})`);
  return response.json();
}

async function openDocument() {
  const pair = here();
  letGo();
  reading.pair = reading.selection = reading.stretches = null;
  page.caret.hidden = true;
  say('');
  showWhere();
  try {
    if (reading.number !== pair.docNumber) {
      page.text.replaceChildren();
      reading.number = null;
      const { text, colours, symbols, nodes, rendering } = await (reading.ahead.get(pair.docNumber) || textOf(pair.docNumber));
      if (pair !== here()) return;
      Object.assign(reading, { text, colours, symbols, nodes, rendering, number: pair.docNumber });
      reading.blocks = blocksOfDocument(text);
    }
  } catch (problem) { page.text.replaceChildren(el('p', { class: 'empty' }, `${problem.message}; is doxeval judge still running?`)); return; }
  page.text.classList.toggle('code', Boolean(reading.symbols));
  page.text.classList.toggle('rendered', isRendered());
  page.rawChoice.hidden = !(reading.rendering && reading.rendering.leaves);
  page.raw.checked = Boolean(desk.raw);
  page.text.classList.toggle('pictured', isRendered() && Boolean(reading.rendering.pages));
  let line = 1;
  reading.elements = reading.blocks.map((block, at) => {
    const attributes = reading.symbols ? { class: 'block lines', dir: 'ltr', 'data-numbers': lineNumbers(line, linesIn(block.text)) } : { class: 'block', dir: 'auto' };
    line += (block.text.match(/\n/g) || []).length;
    return fill(document.createElement('div'), { ...attributes, 'data-block': at }, pieces(block, at));
  });
  page.text.replaceChildren(...reading.elements);
  reading.pair = pair;
  reading.drawn = pair.state;
  page.main.scrollTop = 0;
  document.title = `${pair.topic}: ${pair.doc} \u2013 doxeval judge`;
  showState();
  showLegend(pair);
  search(true);
  const first = pair.passages.find(([, , runs]) => runs) || pair.passages[0];
  if (first) { setSelection(first[0], first[0]); show(first[0]); }
  page.text.focus({ preventScroll: true });
  fetchAhead();
}

// The next document is there before it is asked for.
function fetchAhead() {
  const next = pairs[desk.at + 1];
  if (!next && desk.at + 1 < pairs.length) { load(desk.at + 1).then(fetchAhead, () => null); return; }
  if (OFFLINE || !next || next.docNumber === reading.number) return;
  const coming = textOf(next.docNumber);
  coming.catch(() => reading.ahead.delete(next.docNumber));
  reading.ahead = new Map([[next.docNumber, coming]]);
}

// What is asked for while a document is still on its way is done when it is there.
function whenOpen(command) {
  const now = () => { readSelection(); command(); };
  if (reading.pair === here()) now(); else desk.opening.then(() => reading.pair && now());
}

// Cuts of a block wherever something begins or ends in it.
function pieces(block, at) {
  const { passages, judged, state } = here();
  const marks = ordered(state);
  const layers = [...[1, 2, 3].map((runs) => [passages.filter((one) => Math.min(3, one[2]) === runs), `pooled p${runs}`]), [judged, 'before'], [openSuggestions().map(({ start, end }) => [start, end]), 'suggested'], ...said()];
  const within = (start, end) => start < block.end && end > block.point;
  const cuts = new Set([block.point, block.end]);
  const cut = (place) => { if (block.point < place && place < block.end) cuts.add(place); };
  for (const [ranges] of layers) for (const [start, end] of ranges) if (within(start, end)) { cut(start); cut(end); }
  for (const mark of marks) if (within(mark.start, mark.end)) { cut(mark.start); cut(mark.end); }
  if (state.bep !== null) cut(state.bep);
  if (isRendered()) renderingCuts(reading.rendering, block.point, block.end, cut);
  const places = [...cuts].sort((a, b) => a - b);
  const parts = [];
  for (let index = 0; index < places.length - 1; index += 1) {
    const [start, end] = [places[index], places[index + 1]];
    const children = [];
    parts.push([start, children]);
    if (state.bep === start) children.push(entryPoint());
    const from = unitIn(block, start);
    const text = textNodes(block.text.slice(from, unitIn(block, end)), block.unit + from);
    const classes = layers.filter(([ranges]) => ranges.some(([a, b]) => a <= start && end <= b)).map(([, name]) => name).concat(isRendered() ? inlineClasses(reading.rendering, start, end) : []);
    const mark = marks.find((one) => one.start <= start && end <= one.end);
    if (mark) children.push(marked(mark, classes, text));
    else if (classes.length) children.push(fill(document.createElement('span'), { class: classes.join(' ') }, text));
    else children.push(...text);
  }
  const last = at === reading.blocks.length - 1;
  if (last && state.bep === block.end) parts.push([block.end - 1, [entryPoint()]]);
  return isRendered() ? grouped(reading.rendering, parts, { place: placeLine, open: pageOf }) : parts.flatMap(([, nodes]) => nodes);
}
// What each assessor marked, where a disagreement is looked at.
function said() {
  if (!desk.dispute || desk.dispute.at !== desk.at) return [];
  return desk.dispute.people.map(({ marks }, at) => [marks, `says s${Math.min(3, at + 1)}`]);
}
// Text as it is, source code in its colours.
const textNodes = (text, unit) => coloured(text, unit, reading.colours, (part) => document.createTextNode(part));
// The class or function at a place.
function symbolAt(caret) {
  const unit = unitOfPoint(reading.blocks, caret);
  const place = caret + reading.text.slice(unit).search(/\S|$/);
  const around = (reading.symbols || []).filter(([, start, end]) => start <= place && place < end);
  return around.sort((a, b) => (a[2] - a[1]) - (b[2] - b[1])).map(([label]) => label)[0] || '';
}
const entryPoint = () => el('span', { class: 'bep', role: 'img', 'aria-label': 'best entry point' });
function marked(mark, classes, text) {
  const told = [data.grades > 1 ? `grade ${mark.rel || 1}` : '', ...(mark.needs || [])].filter(Boolean).join(', ');
  return fill(document.createElement('mark'), { class: [...classes, `g${Math.min(3, mark.rel || 1)}`].join(' '), 'data-mark': mark.id, 'data-told': told || null }, text);
}

const sameMark = (a, b) => Boolean(a && b) && a.start === b.start && a.end === b.end && alike(a, b);
// Draw again the blocks that a change touches.
function redraw(before, after) {
  const moved = [...ordered(before), ...ordered(after)].filter(({ id }) => !sameMark(before.marks.get(id), after.marks.get(id)));
  const touched = new Set();
  for (const mark of moved) {
    for (let at = blockAt(reading.blocks, mark.start); at <= blockAt(reading.blocks, mark.end - 1); at += 1) touched.add(at);
  }
  if (before.bep !== after.bep) for (const bep of [before.bep, after.bep]) if (bep !== null) touched.add(blockAt(reading.blocks, bep));
  for (const one of here().suggested) {
    if ((one.key in before.answers) === (one.key in after.answers)) continue;
    for (let at = blockAt(reading.blocks, one.start); at <= blockAt(reading.blocks, one.end - 1); at += 1) touched.add(at);
  }
  if (touched.size) readSelection();
  const kept = reading.selection;
  for (const at of touched) reading.elements[at].replaceChildren(...pieces(reading.blocks[at], at));
  if (kept && touched.size) setSelection(kept.anchor, kept.focus);
}

// A place of the browser's in code points, null where it is not in the text.
function placeOf(node, offset) {
  if (!node || !page.text.contains(node)) return null;
  if (node === page.text) {
    const block = reading.blocks[offset];
    return block ? block.point : lastPlace();
  }
  const element = (node.nodeType === Node.TEXT_NODE ? node.parentElement : node).closest('.block');
  if (!element) return null;
  const range = document.createRange();
  range.setStart(element, 0);
  range.setEnd(node, offset);
  return pointIn(reading.blocks[Number(element.dataset.block)], range.toString().length);
}

// The browser's place for one of ours: in a text node, at the end of one rather than before the next where asked.
function nodeAt(place, atEnd = false) {
  let at = blockAt(reading.blocks, place);
  if (atEnd && at && place === reading.blocks[at].point) at -= 1;
  let left = unitIn(reading.blocks[at], place);
  const walker = document.createTreeWalker(reading.elements[at], NodeFilter.SHOW_TEXT);
  let node = walker.nextNode(), found = node;
  while (node) {
    found = node;
    if (left < node.length || (atEnd && left === node.length)) return [node, left];
    left -= node.length;
    node = walker.nextNode();
  }
  return found ? [found, found.length] : [reading.elements[at], 0];
}

function setSelection(anchor, focus) {
  const [first, second] = [nodeAt(anchor, anchor > focus), nodeAt(focus, focus > anchor)];
  getSelection().setBaseAndExtent(...first, ...second);
  reading.selection = { anchor, focus };
  showCaret();
}

// What the browser has selected; a selection that ends outside the text ends where the text does.
function readSelection() {
  const chosen = getSelection();
  if (!chosen.rangeCount || !reading.pair) return;
  const ends = [[chosen.anchorNode, chosen.anchorOffset], [chosen.focusNode, chosen.focusOffset]];
  const places = ends.map(([node, offset]) => placeOf(node, offset));
  if (places[0] === null && places[1] === null) return;
  const outside = places.indexOf(null);
  if (outside >= 0) {
    const after = page.text.compareDocumentPosition(ends[outside][0]) & Node.DOCUMENT_POSITION_FOLLOWING;
    places[outside] = after ? lastPlace() : 0;
  }
  reading.selection = { anchor: places[0], focus: places[1] };
  showCaret();
}

const lastPlace = () => reading.blocks[reading.blocks.length - 1].end;
function selected() {
  const chosen = reading.selection;
  if (!chosen || chosen.anchor === chosen.focus) return null;
  return [Math.min(chosen.anchor, chosen.focus), Math.max(chosen.anchor, chosen.focus)];
}
function rectOf(place) {
  const range = document.createRange();
  const [node, offset] = nodeAt(place);
  range.setStart(node, offset);
  if (node.length > offset) range.setEnd(node, offset + 1); else range.collapse(true);
  return range.getClientRects()[0] || reading.elements[blockAt(reading.blocks, place)].getBoundingClientRect();
}

// The caret that browsers draw only where text can be changed.
function showCaret() {
  const chosen = reading.selection;
  page.symbol.textContent = chosen && reading.pair ? visible(symbolAt(chosen.focus)) : '';
  page.caret.hidden = !chosen || !reading.pair || document.activeElement !== page.text;
  if (page.caret.hidden) return;
  const [frame, range] = [page.text.getBoundingClientRect(), document.createRange()];
  range.setStart(...nodeAt(chosen.focus, chosen.focus > chosen.anchor));
  const rect = range.getClientRects()[0] || rectOf(chosen.focus);
  page.caret.style.setProperty('left', `${rect.left - frame.left}px`);
  page.caret.style.setProperty('top', `${rect.top - frame.top}px`);
  page.caret.style.setProperty('height', `${rect.height}px`);
}

// Bring a place into sight, a third down the page unless it is seen already.
function show(place) {
  const frame = page.main.getBoundingClientRect();
  const seen = (rect) => rect.top >= frame.top + 8 && rect.bottom <= frame.bottom - 8;
  if (!seen(rectOf(place))) reading.elements[blockAt(reading.blocks, place)].scrollIntoView({ block: 'nearest' });
  const rect = rectOf(place);
  if (!seen(rect)) page.main.scrollTop += rect.top - frame.top - frame.height / 3;
  showCaret();
}

function move(extend, direction, by) {
  if (!reading.selection) setSelection(0, 0);
  const chosen = getSelection();
  const inText = () => placeOf(chosen.focusNode, chosen.focusOffset) !== null;
  const back = () => setSelection(reading.selection.anchor, reading.selection.focus);
  if (!inText()) back();
  if (by === 'documentboundary') {
    const focus = direction === 'forward' ? lastPlace() : 0;
    setSelection(extend ? reading.selection.anchor : focus, focus);
  } else {
    chosen.modify(extend ? 'extend' : 'move', direction, by);
    if (inText()) readSelection(); else back();
  }
  show(reading.selection.focus);
}

function choose(start, end) { setSelection(start, end); show(start); page.text.focus({ preventScroll: true }); }

function choosePassage(step) {
  const passages = stretches(here());
  const chosen = selected() || [reading.selection ? reading.selection.focus : 0, 0];
  const open = passages.findIndex(([start, end]) => start === chosen[0] && end === chosen[1]);
  let at = open + step;
  if (open < 0) at = step > 0 ? passages.findIndex(([, end]) => end > chosen[0]) : passages.findLastIndex(([start]) => start < chosen[0]);
  if (!passages[at]) { say(step > 0 ? 'no more passages here' : 'no earlier passages here'); return; }
  const [start, end, runs] = passages[at];
  choose(start, end);
  say(runs ? `${plural(runs, 'run')} ${runs === 1 ? 'shows' : 'show'} this` : 'shown only with all of the document');
}

// The sentence at the caret, the first one of a pooled passage that is selected, or one sentence more.
function chooseSentence() {
  const all = selected();
  const pooled = all && stretches(here()).some(([start, end]) => start === all[0] && end === all[1]);
  if (pooled && sentenceAt(all[0])[1] < all[1]) setSelection(all[0], all[0]);
  const chosen = selected();
  let place = chosen ? chosen[1] : reading.selection ? reading.selection.focus : 0;
  while (place < lastPlace()) {
    const [start, end, next] = sentenceAt(place);
    if (end > place) { setSelection(chosen ? chosen[0] : start, end); show(end); return; }
    place = Math.max(next, place + 1);
  }
}

function highlight(rel = desk.rel) {
  if (heldMark()) keepBorders();
  const given = selected();
  if (!given) { regrade(rel); return; }
  const chosen = snapped(...given);
  if (!chosen) { say('select some words first'); return; }
  setSelection(chosen[1], chosen[1]);
  act({ ...paint(here().state, ...chosen, rel, here().needs.filter((need) => desk.needs.has(need))), ...answersTo(...chosen) });
  say(`highlighted ${plural(chosen[1] - chosen[0], 'character')}`);
}
const markAt = (place) => ordered(here().state).find((mark) => mark.start <= place && place <= mark.end);
function regrade(rel) {
  const mark = reading.selection && markAt(reading.selection.focus);
  if (!mark) { say('select some text first'); return; }
  act(paint(here().state, mark.start, mark.end, rel, here().needs.filter((need) => desk.needs.has(need))));
}
function removeMark(id) {
  const chosen = selected();
  const inHand = heldMark();
  letGo();
  const mark = id ? here().state.marks.get(id) : inHand || (reading.selection && markAt(chosen ? chosen[0] : reading.selection.focus));
  if (!mark) { say('there is no highlight here'); return; }
  act({ takes: [mark.id] });
  say('highlight removed');
}
function setEntryPoint() {
  const { state } = here();
  const chosen = selected();
  const first = ordered(state)[0];
  const place = chosen ? chosen[0] : reading.selection ? reading.selection.focus : first ? first.start : null;
  if (place === null) { say('put the caret where reading should begin'); return; }
  act({ bep: state.bep === place ? null : place });
}

// Every place of the words sought; the one shown is selected, so that it can be highlighted.
function search(quietly = false) {
  const words = page.search.value;
  reading.searched = [];
  if (words) {
    const pattern = new RegExp(words.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace(/\s+/g, '\\s+'), 'giu');
    for (const hit of reading.text.matchAll(pattern)) reading.searched.push([hit.index, hit.index + hit[0].length]);
  }
  page.hits.textContent = words ? plural(reading.searched.length, 'place') : '';
  if (!quietly) nextHit(1);
}
function nextHit(step) {
  if (!reading.searched.length) { say('not found in this document'); return; }
  const chosen = selected();
  const unit = chosen ? unitOfPoint(reading.blocks, chosen[0]) : -1;
  let at = step > 0 ? reading.searched.findIndex(([start]) => start > unit) : reading.searched.findLastIndex(([start]) => start < unit);
  if (at < 0) at = step > 0 ? 0 : reading.searched.length - 1;
  const [start, end] = reading.searched[at].map((place) => pointOfUnit(reading.blocks, place));
  page.hits.textContent = `${count(at + 1)} of ${count(reading.searched.length)}`;
  setSelection(start, end);
  show(start);
}
