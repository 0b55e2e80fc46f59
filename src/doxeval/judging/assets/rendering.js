// Documents that look like documents (rendered.js), and pages of files as pictures with their text over them.
const isRendered = () => Boolean(reading.rendering && reading.rendering.leaves && !desk.raw);

function toggleRaw() {
  if (!reading.rendering || !reading.rendering.leaves) { say('this document is shown as it is'); return; }
  desk.raw = !desk.raw;
  page.raw.checked = desk.raw;
  const place = reading.selection ? reading.selection.focus : 0;
  openDocument().then(() => { setSelection(place, place); show(place); say(desk.raw ? 'raw text' : 'as a document'); });
}

// A page of a file as a picture, with its lines over it: their letters cannot be seen, but selected.
function pageOf(number, line) {
  const shown = pageOfFile(number, reading.rendering.pages[number - 1], line);
  awaitPicture(shown);
  return shown;
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
