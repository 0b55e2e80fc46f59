// What the views of the report share.
// As the command line prints it: ties between two last digits go to the even one.
// A binary number is such a tie exactly if it is an odd multiple of 1 / 2^(digits + 1); toFixed takes the larger.
function fixed(value, digits = 4) {
  if (value === null || value === undefined) return '';
  const scale = 10 ** digits;
  const below = Math.floor(Math.abs(value) * scale);
  if (Math.abs(value) * 2 ** (digits + 1) % 2 === 1 && below % 2 === 0) {
    return (Math.sign(value) * below / scale).toFixed(digits);
  }
  return value.toFixed(digits);
}
// A chance in percent; 0% and 100% only if it is exactly that.
const percent = (chance) => chance > 0 && chance < 0.005 ? '<1%' : chance < 1 && chance >= 0.995 ? '>99%' : `${fixed(chance * 100, 0)}%`;
const signed = (value, digits = 4) => (value > 0 ? '+' : '') + fixed(value, digits);

// What may be wider than the screen scrolls by itself, with the keyboard too.
// A table in it can be copied.
function scroller(label, ...children) {
  const box = el('div', { class: 'scroller', role: 'region', tabindex: '0', 'aria-label': label }, ...children);
  const table = box.querySelector('table');
  return table ? el('div', { class: 'copied-table' }, box, csvButton(() => table)) : box;
}

const shortened = (text, most) => text.length > most ? `${text.slice(0, most - 1)}\u2026` : text;

// Something that draws itself again in its place, so that what is open around it stays open.
function redrawn(make) {
  let shown = make(again);
  function again() { const next = make(again); shown.replaceWith(next); shown = next; }
  return shown;
}

// What to choose from, folded on a narrow screen behind what is chosen.
const controls = (chosen, ...children) => {
  const box = el('div', { class: 'controls' }, ...children);
  return window.innerWidth < 640 ? el('details', { class: 'folded' }, el('summary', {}, chosen), box) : box;
};

// The head of a column; a long one takes three lines, and its tooltip shows it in full.
const heading = (title) => el('span', { class: 'head', title: title.length > 20 ? title : null }, title);

// A table whose columns sort; a column is {title, number, value(row), cell(row), better}.
function sortable(columns, rows, sort, act, attributes = {}) {
  const by = columns[sort.column] || columns[0];
  const ordered = [...rows].sort((a, b) => {
    const [x, y] = [by.value(a), by.value(b)];
    if (x === null || x === undefined) return 1;
    if (y === null || y === undefined) return -1;
    return (x < y ? -1 : x > y ? 1 : 0) * sort.direction;
  });
  const head = columns.map((column, at) => {
    const active = at === sort.column;
    const turn = () => act({ column: at, direction: active ? -sort.direction : column.first || 1 });
    return el('th', {
      scope: 'col', class: column.number ? 'number' : '',
      'aria-sort': active ? (sort.direction > 0 ? 'ascending' : 'descending') : 'none',
    }, column.fixed ? heading(column.title) : button([heading(column.title), el('span', { class: 'arrow', 'aria-hidden': 'true' },
      active ? (sort.direction > 0 ? '\u25b2' : '\u25bc') : '')], turn, { class: 'sorter' }));
  });
  const body = ordered.map((row) => el('tr', row.attributes || {}, columns.map((column, at) =>
    el(at ? 'td' : 'th', { class: column.number ? 'number' : '', scope: at ? null : 'row' }, column.cell(row)))));
  return scroller(`table of ${attributes.class}`, el('table', { ...attributes, class: `${attributes.class} ${columns.length > 12 ? 'many' : ''}` },
    el('thead', {}, el('tr', {}, head)), el('tbody', {}, body)));
}
