// Topics: where two runs differ, and every topic's values.
function differenceBars(rows, measure) {
  const shown = rows.filter((row) => row.difference !== null).sort((a, b) => b.difference - a.difference);
  if (!shown.length) return null;
  const [height, middle] = [170, 80];
  const step = Math.max(3, Math.min(44, 1100 / shown.length));
  const width = step * shown.length + 50;
  const most = Math.max(...shown.map((row) => Math.abs(row.difference))) || 1;
  const bars = shown.map((row, at) => {
    const size = Math.abs(row.difference) / most * 70;
    const wins = row.difference * better(measure) > 0;
    return svg('a', { href: address({ view: 'question', topic: row.name, doc: '' }), 'aria-label': `topic ${row.name}: ${signed(row.difference)}` },
      svg('rect', { class: wins ? 'bar wins' : 'bar loses', x: 44 + at * step, width: Math.max(1, step - 1.5),
        y: row.difference > 0 ? middle - size : middle, height: Math.max(0.5, size) }, svg('title', {}, `${row.name} ${row.query}: ${signed(row.difference)}`)),
      step > 18 && svg('text', { class: 'tick', x: 44 + at * step + step / 2, y: height - 4, 'text-anchor': 'middle' },
        row.name.length > 5 ? `${row.name.slice(0, 4)}\u2026` : row.name));
  });
  return scroller('differences', svg('svg', { class: 'differences', viewBox: `0 0 ${width} ${height}`,
    width, height, role: 'group', 'aria-label': 'differences per topic' },
  [most, 0, -most].map((value) => [
    svg('text', { class: 'tick', x: 40, y: middle - value / most * 70 + 4, 'text-anchor': 'end' }, signed(value, 2)),
    svg('line', { class: value ? 'grid' : 'axis', x1: 44, x2: width, y1: middle - value / most * 70, y2: middle - value / most * 70 })]), bars));
}

function showTopics() {
  const measure = measureOf();
  const run = state.run ? runOf() : ranked(measure)[0] ?? 0;
  const others = data.runs.map((_, at) => at).filter((at) => at !== run);
  const baseline = state.baseline ? data.runs.indexOf(state.baseline) : ranked(measure).find((at) => at !== run) ?? others[0] ?? run;
  const value = (which, topic) => data.values[which][measure][topic];
  const rows = data.topics.map(([topic, query], at) => {
    const [a, b] = [value(run, at), value(baseline, at)];
    return { name: topic, query, at, difference: a === null || b === null || run === baseline ? null : a - b };
  });
  const found = rows.filter((row) => matches(row.name, row.query));
  const columns = [
    { title: 'topic', value: (row) => row.at, cell: (row) => [link({ view: 'question', topic: row.name, doc: '' }, name(row.name)),
      row.query && el('span', { class: 'query' }, name(row.query))] },
    run !== baseline && { title: 'difference', number: true, first: -1, value: (row) => row.difference === null ? null : Math.abs(row.difference), cell: (row) => row.difference === null ? '' : signed(row.difference) },
    ...[...new Set([run, baseline, ...data.runs.keys()])].map((which) => ({ title: data.runs[which], number: true, first: -better(measure), value: (row) => value(which, row.at),
      cell: (row) => el('span', { 'data-topic': row.name, 'data-run': data.runs[which] }, fixed(value(which, row.at))) })),
  ].filter(Boolean);
  const sort = state.sort.topics || (run === baseline ? { column: 0, direction: 1 } : { column: 1, direction: -1 });
  const names = data.runs.map((label) => [label, label]);
  return [
    el('div', { class: 'controls' },
      choice('measure', data.measures.map((one) => [one.name, one.name]), data.measures[measure].name, (chosen) => go({ measure: chosen })),
      choice('run', names, data.runs[run], (chosen) => go({ run: chosen })),
      data.runs.length > 1 && choice('minus', names, data.runs[baseline], (chosen) => go({ baseline: chosen }))),
    differenceBars(found, measure),
    sortable(columns, found, sort, (next) => { state.sort.topics = next; render(); }, { class: 'topics' }),
    el('p', { class: 'hint' }, `${found.length} of ${data.topics.length} topics, those with the largest difference first unless sorted otherwise. Select a topic to see its question.`),
  ];
}
