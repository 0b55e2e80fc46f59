// A text in blocks of whole lines, each one element with few nodes; places are counted in code points, as
// everywhere in doxeval, while the browser counts UTF-16 units.
const BLOCK = 1500, LONGEST = 20000;
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;
const points = (text) => text.length - (text.match(PAIR) || []).length;

function blocksOf(text) {
  const blocks = [];
  let unit = 0, point = 0;
  while (unit < text.length) {
    let end = text.indexOf('\n', Math.min(unit + BLOCK, text.length)) + 1 || text.length;
    if (end - unit > LONGEST) end = breakIn(text, unit, unit + LONGEST);
    const part = text.slice(unit, end);
    const length = points(part);
    blocks.push({ unit, point, text: part, wide: length < part.length, end: point + length });
    unit = end;
    point += length;
  }
  return blocks.length ? blocks : [{ unit: 0, point: 0, text: '', wide: false, end: 0 }];
}

// Where a line too long for one block is cut: after a blank, never within a character.
function breakIn(text, from, to) {
  const blank = Math.max(text.lastIndexOf('\n', to - 1), text.lastIndexOf(' ', to - 1)) + 1;
  if (blank > from) return blank;
  while (to > from + 1 && /[\udc00-\udfff\p{M}\u200d]/u.test(text[to])) to -= 1;
  return to;
}

function blockAt(blocks, place, by = 'point') {
  let low = 0, high = blocks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (blocks[middle][by] <= place) low = middle; else high = middle - 1;
  }
  return low;
}

// Units into the block's text for a place in code points.
function unitIn(block, place) {
  const wanted = place - block.point;
  if (!block.wide) return wanted;
  let unit = 0;
  for (let seen = 0; seen < wanted; seen += 1) unit += block.text.codePointAt(unit) > 0xffff ? 2 : 1;
  return unit;
}
const pointIn = (block, unit) => block.point + (block.wide ? points(block.text.slice(0, unit)) : unit);

function pointOfUnit(blocks, unit) {
  const block = blocks[blockAt(blocks, unit, 'unit')];
  return pointIn(block, unit - block.unit);
}
function unitOfPoint(blocks, point) {
  const block = blocks[blockAt(blocks, point)];
  return block.unit + unitIn(block, point);
}
