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
      if (now[4]) placeLine(element, now[4]);
      const inRow = /^(cell|line)$/.test(now[2]) && row && number === now[3];
      if (inRow) row.append(...waiting, element);
      else {
        row = now[2] === 'cell' ? fill(document.createElement('span'), { class: 'r r-row' }, [element]) : now[2] === 'line' ? pageOf(now[3], element) : null;
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
  page.raw.checked = desk.raw;
  const place = reading.selection ? reading.selection.focus : 0;
  openDocument().then(() => { setSelection(place, place); show(place); say(desk.raw ? 'raw text' : 'as a document'); });
}

// A page of a file as a picture, with its lines over it: their letters cannot be seen, but selected.
function pageOf(number, line) {
  const [width, height] = reading.rendering.pages[number - 1];
  const shown = fill(document.createElement('span'), { class: 'r r-page', style: { 'aspect-ratio': `${width} / ${height}` }, 'data-page': number }, [line]);
  awaitPicture(shown);
  return shown;
}
function placeLine(element, [left, top, width, height]) {
  for (const [side, share] of Object.entries({ left, top, width, height })) element.style.setProperty(side, `${100 * share}%`);
  lines.observe(element);
}
// Pictures come when their pages are near what is seen.
let nearby = null;
function awaitPicture(shown) {
  nearby = nearby || new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) if (isIntersecting) { nearby.unobserve(target); showPicture(target); }
  }, { root: page.main, rootMargin: '900px' });
  nearby.observe(shown);
}
async function showPicture(target) {
  const response = await fetch(`picture/${reading.number}/${target.dataset.page}`).catch(() => null);
  if (!response || !response.ok) return;
  const reader = new FileReader();
  reader.onload = () => target.style.setProperty('background-image', `url(${reader.result})`);
  reader.readAsDataURL(await response.blob());
}
// A line of letters is stretched to the line of the picture under it.
const lines = new ResizeObserver((seen) => {
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

// Blocks of a text: a page each where there are pages.
function blocksOfDocument(text) {
  const { pages } = reading.rendering || {};
  if (!pages) return blocksOf(text);
  const blocks = [];
  let unit = 0, point = 0;
  for (const part of text.split(/(?<=\f)/)) {
    const length = points(part);
    blocks.push({ unit, point, text: part, wide: length < part.length, end: point + length });
    unit += part.length;
    point += length;
  }
  return blocks;
}
