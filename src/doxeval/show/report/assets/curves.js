// Curves: every point is the mean of a measure that can be asked for by name.
function curveTable(curve, runs) {
  const xs = [...new Set(runs.flatMap((run) => curve.series[run].x))].sort((a, b) => a - b);
  return el('details', {}, el('summary', {}, 'Numbers'), scroller(`${curve.title} in numbers`, el('table', {},
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, curve.x), runs.map((run) => el('th', { scope: 'col', class: 'number' }, heading(runLabel(run)))))),
    el('tbody', {}, xs.map((x) => el('tr', {}, el('th', { scope: 'row' }, short(x)), runs.map((run) => {
      const at = curve.series[run].x.indexOf(x);
      return el('td', { class: 'number' }, at < 0 ? '' : fixed(curve.series[run].y[at]));
    })))))));
}

function showCurves() {
  const grid = el('div', { class: 'charts' });
  const redraw = () => {
    const runs = data.runs.map((_, at) => at).filter((at) => drawnRuns().has(at) && matches(data.runs[at], runLabel(at)));
    grid.replaceChildren(...data.curves.map((curve) => {
      const figure = el('figure', {}, el('figcaption', {}, curve.title, saveButtons(curve.title, () => figure)), lineChart(curve, runs), curveTable(curve, runs));
      return figure;
    }));
  };
  redraw();
  return [legend(redraw, () => grid), grid];
}
