// A run looks the same everywhere: its colour, its dashes and its marker, and which runs are drawn.
const DASHES = ['', '6 3', '2 2', '8 3 2 3', '4 2', '1 3', '10 3 2 3 2 3'];
const MARKERS = [
  (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (x, y, r) => `M${x} ${y - 1.3 * r}l${1.3 * r} ${2.3 * r}h${-2.6 * r}z`,
  (x, y, r) => `M${x} ${y - 1.4 * r}l${1.4 * r} ${1.4 * r}l${-1.4 * r} ${1.4 * r}l${-1.4 * r} ${-1.4 * r}z`,
  (x, y, r) => `M${x} ${y + 1.3 * r}l${1.3 * r} ${-2.3 * r}h${-2.6 * r}z`,
];
const runColour = (run) => data.colours[run];
const runDash = (run) => DASHES[run % DASHES.length];
const runMarker = (run, x, y, r, ...children) => svg('path', { d: MARKERS[run % MARKERS.length](x, y, r), fill: runColour(run) }, ...children);
const runKey = (run) => svg('svg', { class: 'key', viewBox: '0 0 28 10', 'aria-hidden': 'true' },
  svg('line', { x1: 0, x2: 28, y1: 5, y2: 5, stroke: runColour(run), 'stroke-width': 2, 'stroke-dasharray': runDash(run) }), runMarker(run, 14, 5, 3.2));
const runName = (run) => [runKey(run), name(data.runs[run])];

// The best five by the measure chosen, until somebody says otherwise.
const FIRST_RUNS = 5;
let chosenRuns = null;
const drawnRuns = () => chosenRuns || new Set(ranked(measureOf()).concat(data.runs.map((_, run) => run)).slice(0, FIRST_RUNS));

// Names to choose runs by; the one pointed at stands out among the elements with its number in `where()`.
function legend(redraw, where) {
  const choose = (runs) => () => { chosenRuns = runs && new Set(runs); redraw(); };
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
  return box;
}
