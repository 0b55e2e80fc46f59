// Topics: where two runs differ, and every topic's values.
function differenceBars(rows, measure) {
  const shown = rows.filter((row) => row.difference !== null).sort((a, b) => b.difference - a.difference);
  if (!shown.length) return null;
  const [height, middle] = [170, 80];
  const room = window.innerWidth < 640 ? 330 : 1100;
  const step = Math.min(44, room / shown.length);
  const width = step * shown.length + 50;
  const few = shown.length <= 60;
  const most = Math.max(...shown.map((row) => Math.abs(row.difference))) || 1;
  const widest = Math.max(...shown.map((row) => labelWidth(shortened(row.name, 5)))) + 2;
  const bars = shown.map((row, at) => {
    const size = Math.abs(row.difference) / most * 70;
    const wins = row.difference * better(measure) > 0;
    return svg('a', { href: address({ view: 'question', topic: row.name, doc: '' }), 'aria-label': `topic ${row.name}: ${signed(row.difference)}`, tabindex: few ? null : '-1' },
      svg('rect', { class: wins ? 'bar wins' : 'bar loses', x: 44 + at * step, width: step > 4 ? step - 1.5 : Math.max(0.5, step * 0.85),
        y: row.difference > 0 ? middle - size : middle, height: Math.max(0.5, size) }, svg('title', {}, `${row.name} ${row.query}: ${signed(row.difference)}`)),
      step > widest && svg('text', { class: 'tick', x: 44 + at * step + step / 2, y: height - 4, 'text-anchor': 'middle' },
        shortened(row.name, 5)));
  });
  const [won, lost] = [1, -1].map((sign) => shown.filter((row) => sign * row.difference * better(measure) > 0).length);
  const figure = el('figure', {}, el('figcaption', {}, `${count(won)} won, ${count(lost)} lost, ${count(shown.length - won - lost)} level`, saveButtons('differences', () => figure)));
  figure.append(svg('svg', { class: 'differences', viewBox: `0 0 ${width} ${height}`, style: { 'max-width': `${width}px` }, role: 'group', 'aria-label': 'differences per topic' },
  [most, 0, -most].map((value) => [
    svg('text', { class: 'tick', x: 40, y: middle - value / most * 70 + 4, 'text-anchor': 'end' }, signed(value, 2)),
    svg('line', { class: value ? 'grid' : 'axis', x1: 44, x2: width, y1: middle - value / most * 70, y2: middle - value / most * 70 })]), bars));
  return figure;
}

function showTopics() {
  const measure = measureOf();
  const run = state.run ? runOf() : ranked(measure)[0] ?? 0;
  const others = data.runs.map((_, at) => at).filter((at) => at !== run);
  const pinned = state.baseline || data.baseline;
  const baseline = pinned ? data.runs.indexOf(pinned) : ranked(measure).find((at) => at !== run) ?? others[0] ?? run;
  const value = (which, topic) => data.values[which][measure][topic];
  const rows = data.topics.map(([topic, query], at) => {
    const [a, b] = [value(run, at), value(baseline, at)];
    return { name: topic, query, at, difference: a === null || b === null || run === baseline ? null : a - b };
  });
  const found = rows.filter((row) => matches(row.name, row.query));
  const columns = [
    { title: 'question', value: (row) => row.at, cell: (row) => link({ view: 'question', topic: row.name, doc: '' }, questionName(row.at)) },
    run !== baseline && { title: 'difference', number: true, first: -1, value: (row) => row.difference === null ? null : Math.abs(row.difference), cell: (row) => row.difference === null ? '' : signed(row.difference) },
    ...[...new Set([run, baseline, ...data.runs.keys()])].map((which) => ({ title: runLabel(which), number: true, first: -better(measure), value: (row) => value(which, row.at),
      cell: (row) => el('span', { 'data-topic': row.name, 'data-run': data.runs[which] }, fixed(value(which, row.at))) })),
  ].filter(Boolean);
  const sort = state.sort.topics || (run === baseline ? { column: 0, direction: 1 } : { column: 1, direction: -1 });
  const names = runChoices();
  return [
    controls([data.measures[measure].name, ': ', name(runLabel(run)), run !== baseline && [' minus ', name(runLabel(baseline))]],
      choice('measure', data.measures.map((one) => [one.name, one.name]), data.measures[measure].name, (chosen) => go({ measure: chosen })),
      choice('run', names, data.runs[run], (chosen) => go({ run: chosen })),
      data.runs.length > 1 && choice('minus', names, data.runs[baseline], (chosen) => go({ baseline: chosen }))),
    differenceBars(found, measure),
    sortable(columns, found, sort, (next) => { state.sort.topics = next; render(); }, { class: 'topics' }),
    el('p', { class: 'hint' }, `${count(found.length)} of ${plural(data.topics.length, 'topic')}, those with the largest difference first unless sorted otherwise. Select a topic to see its question.`),
  ];
}
