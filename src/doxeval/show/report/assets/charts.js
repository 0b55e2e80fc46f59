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

// How wide a label is as it is drawn.
const ruler = document.createElement('canvas').getContext('2d');
function labelWidth(text) {
  ruler.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width + 2;
}

// The places beside a point where a label may stand: [dx, dy, anchor]; further away it is joined to its point.
const BESIDE = [[9, 4, 'start'], [-9, 4, 'end'], [9, -6, 'start'], [-9, -6, 'end'], [9, 15, 'start'], [-9, 15, 'end'], [0, -11, 'middle'], [0, 20, 'middle']];
const FURTHER = [26, 44, 64].flatMap((far) => [-0.25, 0.25, -0.12, 0.12, -0.4, 0.4].map((turn) => 2 * Math.PI * turn).map((turn) =>
  [far * Math.cos(turn), 4 + far * Math.sin(turn), Math.abs(Math.cos(turn)) < 0.3 ? 'middle' : Math.cos(turn) > 0 ? 'start' : 'end']));

// Boxes along a line, which labels leave free.
function along(x1, y1, x2, y2) {
  const steps = Math.ceil(Math.hypot(x2 - x1, y2 - y1) / 4) || 1;
  return Array.from({ length: steps + 1 }, (_, at) => [x1 + (x2 - x1) * at / steps, y1 + (y2 - y1) * at / steps]).map(([x, y]) => [x - 1.5, y - 1.5, x + 1.5, y + 1.5]);
}

// Labels that overlap nothing: each at the first place beside its point that is free, or not at all.
// What is `faint` is left free too if there is another place.
function placedLabels(points, { width, floor, left }, taken, places = BESIDE, faint = []) {
  const meets = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
  const placeOf = ({ x, y, text }, avoided) => {
    const wide = labelWidth(text);
    for (const [dx, dy, anchor] of places) {
      const first = x + dx - (anchor === 'end' ? wide : anchor === 'middle' ? wide / 2 : 0);
      const box = [first, y + dy - 10, first + wide, y + dy + 3];
      const stroke = Math.hypot(dx, dy - 4) > 20 ? [x, y, x + dx * 0.9, y + (dy - 4) * (dy > 4 ? 0.7 : 0.9)] : null;
      const line = stroke ? along(...stroke).slice(2) : [];
      const inside = box[0] >= left && box[2] <= width && box[1] >= 0 && box[3] <= floor;
      if (inside && ![box, ...line].some((one) => avoided.some((other) => meets(one, other)))) return { dx, dy, anchor, box, stroke, line };
    }
    return null;
  };
  return points.map((point) => {
    const found = placeOf(point, [...taken, ...faint]) || (faint.length > 0 && placeOf(point, taken));
    if (!found) return null;
    taken.push(found.box, ...found.line);
    const [x1, y1, x2, y2] = found.stroke || [];
    return [found.stroke && svg('line', { class: 'leader', x1, y1, x2, y2 }),
      svg('text', { class: 'label', x: point.x + found.dx, y: point.y + found.dy, 'text-anchor': found.anchor, 'data-run': point.run }, point.text)];
  });
}

// A plane for points: its scales, what is behind them, and its axes. Amounts that differ much are on a logarithmic scale.
function plane(xs, ys, { across, up, lowest = 0 }) {
  const narrow = window.innerWidth < 640;
  const [width, height, left, bottom, top, right] = [narrow ? 360 : 640, narrow ? 300 : 360, 60, 46, 14, 18];
  const floor = height - bottom;
  const most = Math.max(...ys) + (Math.max(...ys) - lowest) * 0.04 || 1;
  const logarithmic = Math.min(...xs) > 0 && Math.max(...xs) > 8 * Math.min(...xs);
  const scaled = logarithmic ? Math.log : (value) => value;
  const [low, high] = logarithmic ? [Math.min(...xs) * 0.8, Math.max(...xs) * 1.25] : [0, Math.max(...xs) * 1.1 || 1];
  const x = (value) => left + (scaled(Math.max(value, low)) - scaled(low)) / (scaled(high) - scaled(low)) * (width - left - right);
  const y = (value) => floor - (Math.max(lowest, value) - lowest) / (most - lowest) * (floor - top);
  const grid = [...ticks(lowest, most).map((tick) => [svg('line', { class: 'grid', x1: left, x2: width - right, y1: y(tick), y2: y(tick) }),
    svg('text', { class: 'tick', x: left - 6, y: y(tick) + 4, 'text-anchor': 'end' }, short(tick))]),
  ...ticks(low, high, logarithmic).map((tick) => svg('text', { class: 'tick', x: x(tick), y: floor + 16, 'text-anchor': 'middle' }, short(tick)))];
  const axes = [svg('line', { class: 'axis', x1: left, x2: width - right, y1: floor, y2: floor }),
    svg('text', { class: 'label', x: (left + width - right) / 2, y: height - 8, 'text-anchor': 'middle' }, `${across(narrow)}${logarithmic ? ' (logarithmic)' : ''}`),
    svg('text', { class: 'label', transform: `translate(14 ${(top + floor) / 2}) rotate(-90)`, 'text-anchor': 'middle' }, up)];
  return { width, height, left, floor, x, y, grid, axes };
}

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
      at.map(([a, b]) => runMarker(run, x(a), y(b), 3, svg('title', {}, `${runLabel(run)}: ${curve.x} ${short(a)}, ${fixed(b)}`))));
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
