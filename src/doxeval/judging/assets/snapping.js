// Marks end where words do, or sentences, or the nodes of the document; letters leave them as they are.
const SNAPS = ['words', 'sentences', 'nodes', 'letters'];
const words = 'Segmenter' in Intl ? new Intl.Segmenter(undefined, { granularity: 'word' }) : null;
const sentences = 'Segmenter' in Intl ? new Intl.Segmenter(undefined, { granularity: 'sentence' }) : null;
const LETTER = /[\p{L}\p{N}\p{M}_]/u;

// The word around a unit of a block's text, as units [from, to); what is between words is a piece of its own.
function wordAround(block, unit) {
  if (words) {
    const { index, segment } = words.segment(block.text).containing(unit);
    return [index, index + segment.length];
  }
  if (!LETTER.test(block.text[unit])) return [unit, unit + 1];
  let [from, to] = [unit, unit + 1];
  while (from > 0 && LETTER.test(block.text[from - 1])) from -= 1;
  while (to < block.text.length && LETTER.test(block.text[to])) to += 1;
  return [from, to];
}

const isBlank = (text) => !text.trim();
const textBetween = (start, end) => reading.text.slice(unitOfPoint(reading.blocks, start), unitOfPoint(reading.blocks, end));

// A range grown to whole words and freed of the white space around it; null if it holds nothing else.
function byWords(start, end) {
  const text = textBetween(start, end);
  if (isBlank(text)) return null;
  const first = start + points(text.slice(0, text.length - text.trimStart().length));
  const last = end - points(text.slice(text.trimEnd().length));
  const begin = reading.blocks[blockAt(reading.blocks, first)];
  const close = reading.blocks[blockAt(reading.blocks, last - 1)];
  return [pointIn(begin, wordAround(begin, unitIn(begin, first))[0]), pointIn(close, wordAround(close, unitIn(close, last - 1))[1])];
}

// The sentence at a place: where it begins and ends, and where the next can begin.
function sentenceAt(place) {
  const block = reading.blocks[blockAt(reading.blocks, place)];
  const unit = unitIn(block, place);
  let from = 0;
  for (const part of sentences ? sentences.segment(block.text) : (block.text.match(/[^.!?\n]*[.!?\n]+\s*|.+$/gs) || [block.text]).map((segment) => ({ segment }))) {
    const end = from + part.segment.length;
    const said = part.segment.trimEnd();
    if (unit < end && said) return [pointIn(block, from + part.segment.length - part.segment.trimStart().length), pointIn(block, from + said.length), pointIn(block, end)];
    from = end;
  }
  return [block.end, block.end, block.end];
}
function bySentences(start, end) {
  const held = byWords(start, end);
  return held && [Math.min(held[0], sentenceAt(held[0])[0]), Math.max(held[1], sentenceAt(held[1] - 1)[1])];
}

// The smallest node around a range: one that is larger than the range, if asked for; null if there is none.
function nodeAround(start, end, larger = false) {
  let found = null;
  const nodes = reading.nodes || [];
  for (let at = 0; at < nodes.length; at += 2) {
    const [from, to] = [nodes[at], nodes[at + 1]];
    if (from > start || to < end || (larger && from === start && to === end)) continue;
    if (!found || to - from < found[1] - found[0]) found = [from, to];
  }
  return found;
}
function byNodes(start, end) {
  const held = byWords(start, end);
  if (!held) return null;
  const ends = [nodeAround(held[0], held[0] + 1), nodeAround(held[1] - 1, held[1])];
  return [ends[0] ? Math.min(held[0], ends[0][0]) : held[0], ends[1] ? Math.max(held[1], ends[1][1]) : held[1]];
}

const SNAPPED = { words: byWords, sentences: bySentences, nodes: byNodes, letters: (start, end) => [start, end] };
const snapped = (start, end) => SNAPPED[desk.snap](start, end);

// The place a border moves to: the next end of a word, sentence or node in that direction, or a letter further.
function nextBorder(place, step, by, isEnd) {
  const last = lastPlace();
  if (by === 'letters') {
    const block = reading.blocks[blockAt(reading.blocks, step > 0 ? place : Math.max(0, place - 1))];
    return Math.max(0, Math.min(last, letterIn(block, place, step)));
  }
  for (let at = place + step; at > 0 && at < last; at += step) {
    const held = isEnd ? SNAPPED[by](at - 1, at) : SNAPPED[by](at, at + 1);
    const border = held && held[isEnd ? 1 : 0];
    if (held && (step > 0 ? border > place : border < place)) return border;
  }
  return step > 0 ? last : 0;
}
const letters = 'Segmenter' in Intl ? new Intl.Segmenter(undefined, { granularity: 'grapheme' }) : null;
function letterIn(block, place, step) {
  const unit = unitIn(block, place);
  if (!letters || !block.text) return place + step;
  const held = letters.segment(block.text).containing(step > 0 ? unit : unit - 1);
  return held ? pointIn(block, step > 0 ? held.index + held.segment.length : held.index) : place + step;
}

// The selection, or the word at the caret, grown to the sentence and then to ever larger nodes.
function growSelection() {
  const chosen = selected();
  const caret = reading.selection ? reading.selection.focus : 0;
  const now = chosen || [caret, caret];
  const within = chosen || [caret, Math.min(lastPlace(), caret + 1)];
  const larger = [byWords(...within), bySentences(...within), nodeAround(...within, true)].find((one) => one && (one[0] < now[0] || one[1] > now[1]));
  if (!larger) { say('this is all of the document'); return; }
  setSelection(...larger);
  say(`selected ${plural(larger[1] - larger[0], 'character')}`);
}

function chooseSnap(by) {
  desk.snap = by;
  page.snap.value = by;
  page.text.focus({ preventScroll: true });
  say(`marks end at ${by}`);
}
const nextSnap = () => chooseSnap(SNAPS[(SNAPS.indexOf(desk.snap) + 1) % SNAPS.length]);
