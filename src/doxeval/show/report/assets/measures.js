// Measures: whom each models, and how alike they rank the runs.
function heat(value) {
  const strength = Math.round(Math.abs(value) * 40);
  return `color-mix(in srgb, ${value < 0 ? 'var(--loses)' : 'var(--wins)'} ${strength}%, var(--paper))`;
}

function showMeasures() {
  const matrix = data.correlation && el('figure', {}, el('figcaption', {}, `How alike the measures rank the runs: ${data.correlation.title}`),
    scroller('correlations', el('table', { class: 'heat' },
      el('thead', {}, el('tr', {}, el('th', {}), data.measures.map((measure) => el('th', { scope: 'col' }, el('span', {}, measure.name))))),
      el('tbody', {}, data.measures.map((measure, row) => el('tr', {}, el('th', { scope: 'row' }, measure.name),
        data.correlation.value[row].map((value, column) => el('td', { style: value === null ? {} : { background: heat(value) },
          class: value !== null && Math.abs(value) > 0.8 ? 'strong' : '',
          title: `${measure.name} and ${data.measures[column].name}` }, fixed(value, 2)))))))));
  const rows = data.measures.filter((measure) => matches(measure.name, measure.user));
  return [matrix || el('p', { class: 'hint' }, 'Correlations need at least three runs and two measures.'),
    el('table', { class: 'readers' },
      el('thead', {}, el('tr', {}, ['measure', 'its reader', 'from'].map((title) => el('th', { scope: 'col' }, title)))),
      el('tbody', {}, rows.map((measure) => el('tr', {}, el('th', { scope: 'row' }, measure.name),
        el('td', {}, measure.user, measure.better < 0 && ' Lower is better.'), el('td', {}, measure.paper)))))];
}
