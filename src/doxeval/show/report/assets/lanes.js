// The documents of a trajectory side by side, from their beginning on the left to their end on the right.
// What was shown, used or relevant is drawn to scale, with a little around it; the rest of a document is folded.
const [STRIP, TALL, LANE_GAP, FOLD, NARROWEST] = [1000, 24, 14, 8, 22];
const [SHOWN, USED, NAMED] = [0, 1, 2];

const pairsIn = (bounds) => Array.from({ length: bounds.length / 2 }, (_, at) => [bounds[2 * at], bounds[2 * at + 1]]);

function lanesOf(page) {
  const drawn = page.docs.map(([, length, relevant], doc) => {
    const places = merged([...relevant, ...page.places.filter((place) => place[1] === doc).flatMap((place) => pairsIn(place.slice(3)))]);
    const around = Math.max(1, Math.round(total(places) * 0.04));
    const parts = merged(places.map(([start, end]) => [Math.max(0, start - around), Math.min(Math.max(length, end), end + around)]));
    return { parts: parts.length ? parts : [[0, Math.max(1, length)]], length, size: Math.sqrt(total(parts)) };
  });
  const folds = ({ parts, length }) => parts.length - 1 + (parts[0][0] > 0) + (length > parts[parts.length - 1][1]);
  const fixed = drawn.reduce((sum, lane) => sum + NARROWEST + FOLD * folds(lane) + LANE_GAP, 0);
  const sizes = drawn.reduce((sum, { size }) => sum + size, 0) || 1;
  const width = Math.max(STRIP, fixed * 1.1);
  let left = 0;
  for (const lane of drawn) {
    const room = NARROWEST + (width - fixed) * lane.size / sizes;
    const scale = room / total(lane.parts);
    lane.left = left;
    lane.at = lane.parts.map(([start, end], part) => {
      left += (part > 0 || start > 0) ? FOLD : 0;
      const from = left;
      left += (end - start) * scale;
      return [start, end, from, scale];
    });
    left += lane.length > lane.parts[lane.parts.length - 1][1] ? FOLD : 0;
    lane.right = left;
    left += LANE_GAP;
  }
  return { lanes: drawn, width };
}

// Rectangles for a range of a document, at least as wide as can be seen.
const laid = (lane, [start, end]) => lane.at.map(([first, last, from, scale]) => [Math.max(start, first), Math.min(end, last), first, from, scale])
  .filter(([a, b]) => a < b).map(([a, b, first, from, scale]) => ({ x: from + (a - first) * scale, width: Math.max(7, (b - a) * scale) }));

const bars = (lane, spans, attributes, title) => spans.flatMap((span) => laid(lane, span).map((box) => svg('rect', { ...box, ...attributes }, title && svg('title', {}, title))));

// Behind every step: the documents, their folded parts, and where something is relevant.
function backdrop(page, { lanes }) {
  return lanes.map((lane, doc) => [
    svg('rect', { class: 'lane', x: lane.left, width: Math.max(1, lane.right - lane.left), y: 0, height: TALL }),
    lane.at.map(([start, , from]) => start > 0 && svg('line', { class: 'fold', x1: from - FOLD / 2, x2: from - FOLD / 2, y1: 0, y2: TALL })),
    lane.length > lane.at[lane.at.length - 1][1] && svg('line', { class: 'fold', x1: lane.right - FOLD / 2, x2: lane.right - FOLD / 2, y1: 0, y2: TALL }),
    bars(lane, page.docs[doc][2], { class: 'gold-band', y: 0, height: TALL })]);
}

const laneStrip = (layout, label, ...children) => svg('svg', { class: 'lanes-strip', viewBox: `0 0 ${layout.width} ${TALL}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label }, ...children);

// What one step did: text shown first, relevant text at first sight, text shown again, and text used.
function stepStrip(page, layout, at, earlier) {
  const marks = page.places.filter(([step]) => step === at).map(([, doc, kind, ...bounds]) => {
    const [lane, spans] = [layout.lanes[doc], pairsIn(bounds)];
    if (kind === NAMED) return svg('rect', { class: 'named', x: lane.left + 1, width: 12, y: 8, height: 8 }, svg('title', {}, `${page.docs[doc][0]}: named, not shown`));
    if (kind === USED) return bars(lane, spans, { class: 'used', y: 17, height: 7 }, `${page.docs[doc][0]}, ${spans.map(placeText).join(', ')}: used`);
    const seen = merged(earlier[doc]);
    const parts = cutAt(merged(spans), [...seen, ...page.docs[doc][2]], (place) => inside(seen, place) ? 'seen-again' : inside(page.docs[doc][2], place) ? 'first-sight' : 'first-shown');
    return parts.map(({ start, end, kind: mark }) => bars(lane, [[start, end]], { class: mark, y: mark === 'first-sight' ? 0 : mark === 'seen-again' ? 10 : 5, height: mark === 'first-sight' ? 16 : mark === 'seen-again' ? 5 : 10 },
      `${page.docs[doc][0]}, ${placeText([start, end])}: ${STEP_MARKS[mark][1]}`));
  });
  return laneStrip(layout, `step ${count(page.number[at])}`, backdrop(page, layout), marks);
}

const STEP_MARKS = {
  'gold-band': ['relevant', 'relevant text'], 'first-shown': ['shown', 'shown for the first time, not relevant'], 'first-sight': ['first sight', 'relevant, shown for the first time'],
  'seen-again': ['again', 'shown by an earlier step too'], used: ['used', 'edited, cited or answered with'], named: ['named', 'named by a search, no text shown'],
};
const stepLegend = () => el('ul', { class: 'kinds' }, Object.entries(STEP_MARKS).map(([mark, [title, meaning]]) => el('li', { title: meaning },
  svg('svg', { class: 'lanes-key', viewBox: `0 0 24 ${TALL}`, 'aria-hidden': 'true' }, svg('rect', { class: mark, x: mark === 'named' ? 8 : 3, width: mark === 'named' ? 8 : 18,
    ...{ 'gold-band': { y: 0, height: TALL }, 'first-shown': { y: 5, height: 10 }, 'first-sight': { y: 0, height: 16 }, 'seen-again': { y: 10, height: 5 }, used: { y: 17, height: 7 }, named: { y: 8, height: 8 } }[mark] })), ` ${title}`)));
