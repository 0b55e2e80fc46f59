// Text of documents, addressed by code points or, where text is counted in lines, by lines.
const unitWord = () => data.unit.slice(0, -1);
// Amounts are held in grains, of which a second has a million and anything else one.
const amount = (grains) => (grains / data.grain).toLocaleString('en', { maximumFractionDigits: 6 });
const amounts = (grains, word = unitWord()) => `${amount(grains)} ${word}${grains === data.grain ? '' : 's'}`;
function segmentsOf(doc) {
  if (!doc.segments) {
    doc.segments = doc.text.map(([start, text, first, colours]) => {
      const letters = data.unit === 'lines' ? text.match(/[^\n]*\n|[^\n]+$/g) || [] : /[\ud800-\udfff]/.test(text) ? Array.from(text) : null;
      return { start, end: start + (letters ? letters.length : text.length), text, letters, first, colours };
    });
    doc.numbered = doc.segments.some(({ first }) => first > 0);
  }
  return doc.segments;
}

const slice = (part, start, end) => part.letters ? part.letters.slice(start, end).join('') : part.text.slice(start, end);

// The embedded parts of a range: [segment, first, last], counted from the beginning of the segment.
const embedded = (doc, start, end) => segmentsOf(doc).map((part) => [part, Math.max(start, part.start) - part.start, Math.min(end, part.end) - part.start]).filter(([, a, b]) => a < b);

const textBetween = (doc, start, end) => embedded(doc, start, end).map(([part, a, b]) => slice(part, a, b)).join('');

// The same as nodes, source code in its colours; the end of a line is one character, that of a page is not shown.
const nodesBetween = (doc, start, end) => embedded(doc, start, end).flatMap(([part, a, b]) =>
  coloured(slice(part, a, b), part.colours && part.colours.length ? slice(part, 0, a).length : 0, part.colours, (text) => text.replace(/\r(?=\n)|\f/g, '')));

// The number of the line that a place is in; 0 where lines have no numbers.
function lineAt(doc, place) {
  const part = segmentsOf(doc).find(({ start, end }) => start <= place && place < end);
  if (!part || !part.first) return 0;
  return part.first + (data.unit === 'lines' ? place - part.start : (slice(part, 0, place - part.start).match(/\n/g) || []).length);
}

// The class or function that a place is in, else the first that it touches.
function symbolAt(doc, spans) {
  const { tree } = doc;
  if (!tree || !tree.name || !spans.length) return '';
  let [first, last] = [Math.min(...spans.map(([start]) => start)), Math.max(...spans.map(([, end]) => end))];
  if (last - first >= doc.length) return '';
  const text = data.unit === 'lines' ? '' : textBetween(doc, first, last);
  [first, last] = [first + text.length - text.trimStart().length, last - text.length + text.trimEnd().length];
  const named = tree.name.map((label, at) => ({ label, start: tree.start[at], end: tree.end[at] })).filter(({ label }) => label);
  const around = named.filter(({ start, end }) => start <= first && last <= end).sort((a, b) => (a.end - a.start) - (b.end - b.start));
  const found = around[0] || named.find(({ start, end }) => start < last && first < end);
  return found ? found.label : '';
}
const symbolLine = (doc, spans) => symbolAt(doc, spans) && el('p', { class: 'symbol' }, name(symbolAt(doc, spans)));
// Lines are numbered from 1, and the last one is included.
const placeText = ([start, end]) => data.unit === 'lines' ? (end > start + 1 ? `lines ${amount(start + 1)}\u2013${amount(end)}` : `line ${amount(start + 1)}`) : `${amount(start)}\u2013${amount(end)}`;

// Ranges [start, end) in order, overlapping and touching ones joined.
function merged(spans) {
  const found = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = found[found.length - 1];
    if (last && start <= last[1]) last[1] = Math.max(last[1], end); else if (end > start) found.push([start, end]);
  }
  return found;
}

const total = (spans) => spans.reduce((sum, [start, end]) => sum + end - start, 0);

function common(first, second) {
  const found = [];
  for (const [a, b] of first) for (const [c, d] of second) if (Math.max(a, c) < Math.min(b, d)) found.push([Math.max(a, c), Math.min(b, d)]);
  return found;
}

const inside = (spans, place) => spans.some(([start, end]) => start <= place && place < end);

// What became of each piece of a document under one run: cut wherever anything begins or ends.
function pieces(view, run, doc) {
  const results = view.results.filter(([owner]) => owner === run);
  const near = view.near.filter(([owner]) => owner === run);
  const path = (view.path.find(([owner]) => owner === run) || [run]).slice(1);
  const cuts = new Set([0, doc.length, ...path]);
  for (const [start, end] of view.relevant) cuts.add(start).add(end);
  for (const [, , spans] of results) for (const [start, end] of spans) cuts.add(start).add(end);
  for (const [, start, end] of near) cuts.add(start).add(end);
  for (const part of segmentsOf(doc)) cuts.add(part.start).add(part.end);
  for (const start of pageStarts(doc)) cuts.add(start);
  if (looksOf(doc)) renderingCuts(doc.look, 0, doc.length, (cut) => cuts.add(cut));
  const places = [...cuts].filter((cut) => cut >= 0 && cut <= doc.length).sort((a, b) => a - b);
  return places.slice(0, -1).map((start, at) => {
    const shown = results.filter(([, , spans]) => inside(spans, start));
    const chance = (near.find(([, a, b]) => a <= start && start < b) || [])[3] || 0;
    const relevant = inside(view.relevant, start);
    const opens = results.filter(([, , spans]) => spans.length && spans[0][0] === start).map(([, rank]) => rank);
    let step = 0;
    for (let index = 0; index < path.length; index += 2) if (path[index] <= start && start < path[index + 1]) step = index / 2 + 1;
    return { start, end: places[at + 1], kind: kindOf(relevant, shown.length, chance), chance, opens, step,
      begins: path[(step - 1) * 2] === start, ranks: shown.map(([, rank]) => rank), ends: near.some(([, , end]) => end === places[at + 1]) };
  });
}

// Where the pages of a file begin; and what a document looks like, unless its raw text is asked for.
const pageStarts = ({ tree }) => tree && tree.tags.includes('page') ? tree.start.filter((_, at) => tree.tags[tree.tag[at]] === 'page') : [];
const looksOf = (doc) => state.raw ? null : doc.look;
const pagesOf = (doc) => looksOf(doc) && doc.look.pages;
// The pages that some ranges of a file are on; empty where it has none.
function pageText(doc, spans) {
  const starts = doc.look && doc.look.pages ? doc.look.pages.map(([, , start]) => start) : pageStarts(doc);
  const on = starts.map((start, at) => [at + 1, start, starts[at + 1] ?? Infinity]).filter(([, start, end]) => spans.some(([a, b]) => a < end && start < b)).map(([number]) => count(number));
  return on.length > 1 ? `pages ${on[0]}\u2013${on[on.length - 1]}` : on.length ? `page ${on[0]}` : '';
}

function kindOf(relevant, shown, chance) {
  if (relevant) return shown > 1 ? 'repeated' : shown ? 'hit' : chance >= 0.005 ? 'near' : 'miss';
  return shown ? 'vain' : 'rest';
}

const KINDS = {
  hit: ['hit', 'relevant and shown once'], repeated: ['repeated', 'relevant and shown more than once'],
  near: ['near-miss', 'relevant, not shown, but the reader may get there'], miss: ['miss', 'relevant and not shown'],
  vain: ['irrelevant', 'shown, but not relevant'],
};
