// A document as it looks: every character of its text is there, in order, in elements of the kind that was found
// for it ({leaves, inline}: show/rendering.py); markup is hidden. So places are the same as in the raw text.
const KINDS_SHOWN = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'li', 'quote', 'cell', 'pre', 'line']);
const INLINE_SHOWN = new Set(['b', 'i', 'code', 'a', 'markup']);

// The leaf of the text that holds a place, or null between leaves; leaves are in order.
function leafAt({ leaves }, place) {
  let [low, high] = [0, leaves.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (leaves[middle][0] <= place) low = middle; else high = middle - 1;
  }
  const leaf = leaves[low];
  return leaf && leaf[0] <= place && place < leaf[1] ? leaf : null;
}

// Where leaves and inline ranges cut a range of the text.
function renderingCuts({ leaves, inline }, from, to, cut) {
  for (const ranges of [leaves, inline]) for (const [start, end] of ranges) if (start < to && end > from) { cut(start); cut(end); }
}
const inlineClasses = ({ inline }, start, end) => inline.filter(([a, b, kind]) => a <= start && end <= b && INLINE_SHOWN.has(kind)).map(([, , kind]) => `r-${kind}`);

// What is between leaves: shown if it holds words, hidden if it is only markup.
function between(leaf, nodes) {
  const plain = /[^\s#>*+|:=`~_-]/.test(nodes.map((node) => node.textContent).join('')) && !(leaf && leaf[2] === 'hidden');
  return fill(document.createElement('span'), { class: plain ? 'r-plain' : 'r-markup' }, nodes);
}

// Whether a piece is hidden: between leaves, and without words.
const isMarkup = (look, place, text) => !KINDS_SHOWN.has((leafAt(look, place) || [])[2]) && !/[^\s#>*+|:=`~_-]/.test(text);

// Pieces put into the elements of their leaves, cells into those of their rows: [[start, nodes], ...] in order.
// Lines of pages are placed on what `pages` opens for them.
function grouped(look, parts, pages = {}) {
  const children = [];
  let waiting = [], leaf, element = null, row = null, number = null;
  for (const [start, nodes] of parts) {
    const now = leafAt(look, start);
    if (now === null || !KINDS_SHOWN.has(now[2])) { waiting.push(between(now, nodes)); leaf = undefined; continue; }
    if (now !== leaf) {
      element = fill(document.createElement('span'), { class: `r r-${now[2]}` }, []);
      if (now[4]) pages.place(element, now[4]);
      const inRow = /^(cell|line)$/.test(now[2]) && row && number === now[3];
      if (inRow) row.append(...waiting, element);
      else {
        row = now[2] === 'cell' ? fill(document.createElement('span'), { class: 'r r-row' }, [element]) : now[2] === 'line' ? pages.open(now[3], element) : null;
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

// A page of a file, and a line in its place on it: a line of letters is stretched to the line of the file.
const pageOfFile = (number, [width, height], line) => fill(document.createElement('span'), { class: 'r r-page', style: { 'aspect-ratio': `${width} / ${height}` }, 'data-page': number }, [line]);
function placeLine(element, [left, top, width, height]) {
  for (const [side, share] of Object.entries({ left, top, width, height })) element.style.setProperty(side, `${100 * share}%`);
  stretching.observe(element);
}
const stretching = new ResizeObserver((seen) => {
  for (const { target } of seen) {
    const [width, height] = [target.clientWidth, target.clientHeight];
    if (!width || !height) continue;
    target.style.setProperty('font-size', `${0.8 * height}px`);
    target.style.setProperty('line-height', `${height}px`);
    const range = document.createRange();
    range.selectNodeContents(target);
    const natural = range.getBoundingClientRect().width / (Number(target.dataset.stretch) || 1);
    if (!natural) continue;
    target.dataset.stretch = width / natural;
    target.style.setProperty('transform', `scaleX(${width / natural})`);
  }
});
