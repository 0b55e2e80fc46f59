// Text of documents, addressed by code points as everywhere in doxeval.
function segmentsOf(doc) {
  if (!doc.segments) {
    doc.segments = doc.text.map(([start, text]) => {
      const letters = /[\ud800-\udfff]/.test(text) ? Array.from(text) : null;
      return { start, end: start + (letters ? letters.length : text.length), text, letters };
    });
  }
  return doc.segments;
}

function textBetween(doc, start, end) {
  let found = '';
  for (const part of segmentsOf(doc)) {
    const [a, b] = [Math.max(start, part.start), Math.min(end, part.end)];
    if (a < b) found += part.letters ? part.letters.slice(a - part.start, b - part.start).join('') : part.text.slice(a - part.start, b - part.start);
  }
  return found;
}

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
  const places = [...cuts].filter((cut) => cut >= 0 && cut <= doc.length).sort((a, b) => a - b);
  return places.slice(0, -1).map((start, at) => {
    const shown = results.filter(([, , spans]) => inside(spans, start));
    const chance = (near.find(([, a, b]) => a <= start && start < b) || [])[3] || 0;
    const relevant = inside(view.relevant, start);
    const opens = results.filter(([, , spans]) => spans.length && spans[0][0] === start).map(([, rank]) => rank);
    let step = 0;
    for (let index = 0; index < path.length; index += 2) if (path[index] <= start && start < path[index + 1]) step = index / 2 + 1;
    return { start, end: places[at + 1], kind: kindOf(relevant, shown.length, chance), chance, opens, step,
      begins: path[(step - 1) * 2] === start, ranks: shown.map(([, rank]) => rank) };
  });
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
