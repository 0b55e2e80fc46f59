// Curves: every point is the mean of a measure that can be asked for by name.
const hiddenRuns = new Set();

function legend(redraw) {
  return el('fieldset', { class: 'legend' }, el('legend', {}, 'Runs'), data.runs.map((run, at) => el('label', {},
    el('input', { type: 'checkbox', checked: !hiddenRuns.has(at), on: { change: (event) => {
      if (event.target.checked) hiddenRuns.delete(at); else hiddenRuns.add(at);
      redraw();
    } } }),
    svg('svg', { class: 'key', viewBox: '0 0 28 10', 'aria-hidden': 'true' },
      svg('line', { x1: 0, x2: 28, y1: 5, y2: 5, stroke: runColour(at), 'stroke-width': 3, 'stroke-dasharray': runDash(at) })),
    name(run))));
}

function curveTable(curve, runs) {
  const xs = [...new Set(runs.flatMap((run) => curve.series[run].x))].sort((a, b) => a - b);
  return el('details', {}, el('summary', {}, 'Numbers'), el('div', { class: 'scroller' }, el('table', {},
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, curve.x), runs.map((run) => el('th', { scope: 'col', class: 'number' }, name(data.runs[run]))))),
    el('tbody', {}, xs.map((x) => el('tr', {}, el('th', { scope: 'row' }, short(x)), runs.map((run) => {
      const at = curve.series[run].x.indexOf(x);
      return el('td', { class: 'number' }, at < 0 ? '' : fixed(curve.series[run].y[at]));
    })))))));
}

function showCurves() {
  const grid = el('div', { class: 'charts' });
  const redraw = () => {
    const runs = data.runs.map((_, at) => at).filter((at) => !hiddenRuns.has(at) && matches(data.runs[at]));
    grid.replaceChildren(...data.curves.map((curve) => el('figure', {}, el('figcaption', {}, curve.title),
      lineChart(curve, runs), curveTable(curve, runs))));
  };
  redraw();
  return [legend(redraw), grid];
}
