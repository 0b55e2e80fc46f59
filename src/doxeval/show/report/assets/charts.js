// Small charts, drawn as SVG.

function ticks(low, high, logarithmic) {
  if (logarithmic) {
    const found = [];
    for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power += 1) {
      for (const step of [1, 3]) if (step * 10 ** power >= low && step * 10 ** power <= high) found.push(step * 10 ** power);
    }
    return found;
  }
  const raw = (high - low) / 5 || 1;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((times) => times * size).find((candidate) => candidate >= raw);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + step * 1e-9; at += step) found.push(Number(at.toPrecision(12)));
  return found;
}

const short = (value) => value >= 1000 ? `${Number((value / 1000).toPrecision(3))}k` : String(Number(value.toPrecision(4)));

function lineChart(curve, runs) {
  const [width, height, left, bottom, top, right] = [460, 300, 52, 44, 12, 12];
  const points = runs.flatMap((run) => curve.series[run].x.map((x, at) => [x, curve.series[run].y[at]]))
    .filter(([, y]) => y !== null);
  if (!points.length) return el('p', { class: 'empty' }, 'Nothing to draw.');
  const xs = points.map(([x]) => x);
  const [low, high] = [Math.min(...xs), Math.max(...xs)];
  const peak = Math.max(...points.map(([, y]) => y)) || 1;
  const most = peak <= 1 && peak > 0.6 ? 1 : peak * 1.05;
  const scaled = curve.logarithmic ? Math.log : (x) => x;
  const x = (value) => left + (scaled(value) - scaled(low)) / (scaled(high) - scaled(low) || 1) * (width - left - right);
  const y = (value) => height - bottom - value / most * (height - bottom - top);
  const grid = [];
  for (const tick of ticks(0, most)) {
    grid.push(svg('line', { class: 'grid', x1: left, x2: width - right, y1: y(tick), y2: y(tick) }),
      svg('text', { class: 'tick', x: left - 6, y: y(tick) + 4, 'text-anchor': 'end' }, short(tick)));
  }
  for (const tick of ticks(low, high, curve.logarithmic)) {
    grid.push(svg('text', { class: 'tick', x: x(tick), y: height - bottom + 16, 'text-anchor': 'middle' }, short(tick)));
  }
  const lines = runs.map((run) => {
    const series = curve.series[run];
    const at = series.x.map((value, index) => [value, series.y[index]]).filter(([, value]) => value !== null);
    const path = at.map(([a, b], index) => `${index ? 'L' : 'M'}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join('');
    return svg('g', { class: 'series', 'data-run': run },
      svg('path', { d: path, fill: 'none', stroke: runColour(run), 'stroke-width': 2, 'stroke-dasharray': runDash(run) }),
      at.map(([a, b]) => runMarker(run, x(a), y(b), 3, svg('title', {}, `${data.runs[run]}: ${curve.x} ${short(a)}, ${fixed(b)}`))));
  });
  return svg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'chart', role: 'img',
    'aria-label': `${curve.title}: ${curve.y} against ${curve.x}` }, grid, lines,
  svg('line', { class: 'axis', x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
  svg('text', { class: 'label', x: (left + width - right) / 2, y: height - 6, 'text-anchor': 'middle' }, curve.x),
  svg('text', { class: 'label', x: 0, y: 0, 'text-anchor': 'middle',
    transform: `translate(13 ${(top + height - bottom) / 2}) rotate(-90)` }, curve.y));
}

// A mean as a bar from 0 with its interval as a whisker.
function intervalBar(value, bounds, most, colour) {
  if (value === null) return '';
  const width = 180;
  const x = (number) => Math.max(0, Math.min(1, number / most)) * width;
  const whisker = bounds && bounds[0] !== null && [
    svg('line', { class: 'whisker', x1: x(bounds[0]), x2: x(bounds[1]), y1: 9, y2: 9 }),
    bounds.map((bound) => svg('line', { class: 'whisker', x1: x(bound), x2: x(bound), y1: 5, y2: 13 }))];
  return svg('svg', { class: 'interval', viewBox: `-1 0 ${width + 2} 18`, role: 'img',
    'aria-label': bounds && bounds[0] !== null ? `interval ${fixed(bounds[0])} to ${fixed(bounds[1])}` : fixed(value) },
  svg('rect', { x: 0, y: 4, width: x(value), height: 10, fill: colour, rx: 1.5 }), whisker);
}
