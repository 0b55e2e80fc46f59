// A run looks the same everywhere: its colour, its dashes and its marker, and which runs are drawn.
const MARKERS = {
  o: (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  s: (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  '^': (x, y, r) => corners(x, y, 1.4 * r, [0, 1, 2].map((at) => at / 3)),
  v: (x, y, r) => corners(x, y, 1.4 * r, [0.5, 1.5, 2.5].map((at) => at / 3)),
  D: (x, y, r) => corners(x, y, 1.4 * r, [0, 0.25, 0.5, 0.75]),
  P: (x, y, r) => crossed(x, y, 1.2 * r, 0),
  X: (x, y, r) => crossed(x, y, 1.3 * r, 1 / 8),
  '*': (x, y, r) => corners(x, y, 1.5 * r, Array.from({ length: 10 }, (_, at) => at / 10), 0.45),
};

// A polygon with its corners at these parts of a turn from the top, every second one drawn in.
function corners(x, y, r, turns, inner = 1) {
  const at = (turn, far) => `${(x + far * Math.sin(2 * Math.PI * turn)).toFixed(2)} ${(y - far * Math.cos(2 * Math.PI * turn)).toFixed(2)}`;
  return `M${turns.map((turn, number) => at(turn, r * (number % 2 ? inner : 1))).join('L')}z`;
}

// Four arms, each of three strokes around the middle.
function crossed(x, y, r, turned) {
  const arm = Math.atan2(0.4, 1) / (2 * Math.PI);
  const inner = 0.4 * Math.SQRT2 / Math.hypot(1, 0.4);
  const parts = [0, 0.25, 0.5, 0.75].flatMap((turn) => [[turn - arm, 1], [turn + arm, 1], [turn + 0.125, inner]]);
  return parts.map(([turn, far], at) => `${at ? 'L' : 'M'}${corners(x, y, r * far, [turn + turned]).slice(1, -1)}`).join('') + 'z';
}

const runColour = (run) => data.strokes[run][0];
const runDash = (run) => data.strokes[run][1].map((part) => part * 2).join(' ') || null;
const runMarker = (run, x, y, r, ...children) => svg('path', { d: MARKERS[data.strokes[run][2]](x, y, r), fill: runColour(run) }, ...children);
const runKey = (run) => svg('svg', { class: 'key', viewBox: '0 0 28 10', 'aria-hidden': 'true' },
  svg('line', { x1: 0, x2: 28, y1: 5, y2: 5, stroke: runColour(run), 'stroke-width': 2, 'stroke-dasharray': runDash(run) }), runMarker(run, 14, 5, 3.2));
// Its label leaves out what the names of all runs share; the name stands in the tooltip.
const runLabel = (run) => data.labels[run];
const runTitle = (run) => data.labels[run] === data.runs[run] ? null : data.runs[run];
const runWord = (run) => el('span', { title: runTitle(run) }, name(runLabel(run)));
const runName = (run) => [runKey(run), runWord(run)];
const runChoices = () => data.runs.map((run, at) => [run, runLabel(at)]);
// A sentence whose runs stand between backticks.
const said = (sentence) => sentence.split('`').map((part, at) => at % 2 ? el('b', { class: 'run-word' }, name(part)) : part);

// The best five by the measure chosen, until somebody says otherwise; the address keeps their numbers, from 1.
const FIRST_RUNS = 5;
const drawnRuns = () => state.drawn ? new Set(state.drawn.split('.').map((run) => Number(run) - 1).filter((run) => run >= 0)) : new Set(ranked(measureOf()).concat(data.runs.map((_, run) => run)).slice(0, FIRST_RUNS));

// Names to choose runs by; the one pointed at stands out among the elements with its number in `where()`.
function legend(redraw, where) {
  const choose = (runs) => () => {
    amend({ drawn: runs ? [...runs].map((run) => run + 1).join('.') || '0' : '' });
    redraw();
  };
  const highlight = (run) => {
    for (const part of where().querySelectorAll('[data-run]')) part.classList.toggle('dimmed', run >= 0 && part.dataset.run !== String(run));
  };
  const box = el('fieldset', { class: 'legend' });
  const draw = () => box.replaceChildren(el('legend', {}, 'Runs'), ...data.runs.map((_, run) => el('label', { on: {
    pointerenter: () => highlight(run), pointerleave: () => highlight(-1), focusin: () => highlight(run), focusout: () => highlight(-1) } },
  el('input', { type: 'checkbox', checked: drawnRuns().has(run), on: { change: (event) => {
    const runs = new Set(drawnRuns());
    if (event.target.checked) runs.add(run); else runs.delete(run);
    choose(runs)();
  } } }), runName(run))),
  data.runs.length > 1 && el('span', { class: 'all' }, data.runs.length > FIRST_RUNS && button('best five', act(null)), button('all', act(data.runs.keys())), button('none', act([]))));
  const act = (runs) => () => { choose(runs)(); draw(); };
  draw();
  const many = data.runs.length > 12 || window.innerWidth < 640;
  return many ? el('details', { class: 'folded' }, el('summary', {}, `Runs drawn: ${count(drawnRuns().size)} of ${count(data.runs.length)}`), box) : box;
}
