// A document as it looks: every character of its text is there, in order, in elements of the kind that the
// server found; markup is hidden. So places are the same as in the raw text, which is one key away.
const KINDS_SHOWN = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'li', 'quote', 'cell', 'pre', 'line']);
const INLINE_SHOWN = new Set(['b', 'i', 'code', 'a', 'markup']);
const isRendered = () => Boolean(reading.rendering && reading.rendering.leaves && !desk.raw);

// The leaf of the text that holds a place, or null between leaves; leaves are in order.
function leafAt(place) {
  const { leaves } = reading.rendering;
  let [low, high] = [0, leaves.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (leaves[middle][0] <= place) low = middle; else high = middle - 1;
  }
  const leaf = leaves[low];
  return leaf && leaf[0] <= place && place < leaf[1] ? leaf : null;
}

// Where leaves and inline ranges cut a block, beside what is marked in it.
function renderingCuts(block, cut) {
  const { leaves, inline } = reading.rendering;
  for (const ranges of [leaves, inline]) for (const [start, end] of ranges) if (start < block.end && end > block.point) { cut(start); cut(end); }
}
function inlineClasses(start, end) {
  return reading.rendering.inline.filter(([a, b, kind]) => a <= start && end <= b && INLINE_SHOWN.has(kind)).map(([, , kind]) => `r-${kind}`);
}

// What is between leaves: shown if it holds words, hidden if it is only markup.
function between(leaf, nodes) {
  const plain = /[^\s#>*+|:=`~_-]/.test(nodes.map((node) => node.textContent).join('')) && !(leaf && leaf[2] === 'hidden');
  return fill(document.createElement('span'), { class: plain ? 'r-plain' : 'r-markup' }, nodes);
}

// Pieces put into the elements of their leaves, cells into those of their rows: [[start, nodes], ...] in order.
function grouped(parts) {
  const children = [];
  let waiting = [], leaf, element = null, row = null, number = null;
  for (const [start, nodes] of parts) {
    const now = leafAt(start);
    if (now === null || !KINDS_SHOWN.has(now[2])) { waiting.push(between(now, nodes)); leaf = undefined; continue; }
    if (now !== leaf) {
      element = fill(document.createElement('span'), { class: `r r-${now[2]}` }, []);
      const inRow = now[2] === 'cell' && row && number === now[3];
      if (inRow) row.append(...waiting, element);
      else {
        row = now[2] === 'cell' ? fill(document.createElement('span'), { class: 'r r-row' }, [element]) : null;
        number = now[3];
        children.push(...waiting, row || element);
      }
      waiting = [];
      leaf = now;
    }
    element.append(...nodes);
  }
  return [...children, ...waiting];
}

function toggleRaw() {
  if (!reading.rendering || !reading.rendering.leaves) { say('this document is shown as it is'); return; }
  desk.raw = !desk.raw;
  const place = reading.selection ? reading.selection.focus : 0;
  openDocument().then(() => { setSelection(place, place); show(place); say(desk.raw ? 'raw text' : 'as a document'); });
}
