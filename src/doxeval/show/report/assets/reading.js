// What reading comes to (Effort, section 4), for one's own reading and the model's alike: stretches [start, end) in the order of reading.
const SCALE = [1, 2, 3, 4, 5];

// Stretches cut where relevant text begins or ends, as [start, end, relevant].
function graded(stretches, relevant) {
  const found = [];
  for (const [start, end] of stretches) {
    let at = start;
    for (const [a, b] of relevant.filter(([first, last]) => last > start && first < end)) {
      if (a > at) found.push([at, a, false]);
      found.push([Math.max(a, at), Math.min(b, end), true]);
      at = Math.min(b, end);
    }
    if (at < end) found.push([at, end, false]);
  }
  return found;
}

// Characters read, relevant ones among them, those until the n-th irrelevant one, and how many come before the first relevant one.
function reckoned(stretches, relevant, n) {
  const sum = { read: 0, relevant: 0, gained: 0, until: 0, before: null };
  for (const [start, end, hit] of graded(stretches, relevant)) {
    if (hit && sum.before === null) sum.before = sum.read;
    if (hit && sum.read - sum.relevant < n) sum.gained += end - start;
    sum.read += end - start;
    if (hit) sum.relevant += end - start;
  }
  sum.until = sum.gained + Math.min(n, sum.read - sum.relevant);
  return sum;
}

// The stretches up to the n-th irrelevant character.
function tolerated(stretches, relevant, n) {
  const found = [];
  let left = n;
  for (const [start, end] of stretches) {
    let stop = end;
    for (const [a, b, hit] of graded([[start, end]], relevant)) {
      if (!hit && b - a >= left) { stop = a + left; left = 0; break; }
      if (!hit) left -= b - a;
    }
    found.push([start, stop]);
    if (!left) break;
  }
  return found;
}

// As far as the model goes: until the tolerance is used up and, where anything is relevant, the screen is read on which that first shows.
function modelStretches(entry, tolerance, screen) {
  const path = modelPath(entry);
  const { until, before } = reckoned(path, entry.view.relevant, tolerance);
  let left = before === null ? until : Math.max(until, (Math.floor(before / screen) + 1) * screen);
  const found = [];
  for (const [start, end] of path) {
    if (left > 0) found.push([start, Math.min(end, start + left)]);
    left -= end - start;
  }
  return found;
}

// T2I and LE of a document; one in which nothing relevant was met costs as much as an irrelevant one.
const toleratedPrecision = (sum) => sum.until ? sum.gained / sum.until : 0;
const effortOf = (sum, screen) => sum.before === null ? SCALE[SCALE.length - 1] : SCALE[Math.min(SCALE.length - 2, Math.floor(sum.before / screen))];

// gP, CE and NCE of the documents opened so far; `wanted` is the number of relevant documents.
function listScores(sums, wanted, screen) {
  const worst = SCALE[SCALE.length - 1];
  const efforts = sums.map((sum) => effortOf(sum, screen));
  return { gP: sums.length ? sums.reduce((all, sum) => all + toleratedPrecision(sum), 0) / sums.length : null,
    CE: efforts.reduce((all, effort) => all + effort / SCALE[0] - 1, 0),
    NCE: efforts.reduce((all, effort, at) => all + effort / (at < wanted ? SCALE[0] : worst) - 1, 0) };
}

// Parts of a stretch that have not been read.
function unread([start, end], read) {
  const found = [];
  let at = start;
  for (const [a, b] of merged(read)) {
    if (b <= at || a >= end) continue;
    if (a > at) found.push([at, a]);
    at = b;
  }
  if (at < end) found.push([at, end]);
  return found;
}

// The model's order of reading a document, cut where retrieved passages begin or end.
function modelPath(entry) {
  const { doc, view, passages, run } = entry;
  const known = view.path.find(([owner]) => owner === run);
  let path = [];
  if (known) for (let at = 1; at < known.length; at += 2) path.push([known[at], known[at + 1]]);
  else {
    const led = ['sequential', 'bep'].includes(data.order[0]) ? [] : data.order[0] === 'rank' ? entry.spans : passages;
    for (const span of [...led, [0, doc.length]]) path = [...path, ...unread(span, path)];
  }
  const cuts = passages.flat();
  return path.flatMap(([start, end]) => {
    const places = [start, ...cuts.filter((cut) => cut > start && cut < end), end];
    return places.slice(0, -1).map((first, at) => [first, places[at + 1]]);
  });
}
