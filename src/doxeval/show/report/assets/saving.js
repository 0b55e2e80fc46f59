// What is on the page can be taken away: tables as CSV, figures as SVG and PNG.
const LOOKS_SAVED = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'paint-order', 'opacity', 'font-size', 'font-family', 'font-weight', 'text-anchor'];

// A question is copied by its identifier.
const cellText = (cell) => {
  if (cell.querySelector('.id')) return cell.querySelector('.id').textContent.trim();
  const copy = cell.cloneNode(true);
  copy.querySelectorAll('sup, .arrow, svg, .tool').forEach((part) => part.remove());
  return copy.textContent.trim();
};
const quotedCell = (text) => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
const csvOf = (table) => [...table.rows].map((row) => [...row.cells].map((cell) => quotedCell(cellText(cell))).join(',')).join('\n') + '\n';

// The clipboard, or what did its work before there was one.
async function copied(text) {
  try { await navigator.clipboard.writeText(text); return true; } catch (problem) {
    const area = el('textarea', { class: 'skip', 'aria-hidden': 'true' });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

function csvButton(table) {
  const act = async (event) => {
    const pressed = event.currentTarget;
    const done = await copied(csvOf(table()));
    pressed.replaceChildren(done ? 'copied' : 'not allowed here');
    setTimeout(() => pressed.replaceChildren('CSV'), 1500);
  };
  return button('CSV', act, { class: 'tool', title: 'copy the table as CSV' });
}

// A drawing that stands alone: what the style sheet gives it is written into it.
function standalone(drawing) {
  const copy = drawing.cloneNode(true);
  const [, , width, height] = drawing.getAttribute('viewBox').split(' ').map(Number);
  const parts = [[drawing, copy], ...[...drawing.querySelectorAll('*')].map((part, at) => [part, copy.querySelectorAll('*')[at]])];
  for (const [shown, kept] of parts) {
    const looks = getComputedStyle(shown);
    for (const look of LOOKS_SAVED) if (looks.getPropertyValue(look)) kept.setAttribute(look, looks.getPropertyValue(look));
  }
  fill(copy, { xmlns: 'http://www.w3.org/2000/svg', width, height }, []);
  copy.prepend(svg('rect', { width, height, fill: getComputedStyle(document.documentElement).getPropertyValue('--paper').trim() }));
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

function save(address, file) {
  const target = el('a', { href: address, download: file });
  document.body.append(target);
  target.click();
  target.remove();
}

const asAddress = (text) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;

function savePicture({ text, width, height }, file) {
  const picture = new Image();
  picture.onload = () => {
    const canvas = el('canvas', { width: 2 * width, height: 2 * height });
    canvas.getContext('2d').drawImage(picture, 0, 0, 2 * width, 2 * height);
    save(canvas.toDataURL('image/png'), file);
  };
  picture.src = asAddress(text);
}

// Buttons that save the drawing in an element.
function saveButtons(title, where) {
  const file = (title.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'figure').slice(0, 60);
  const drawing = () => standalone(where().querySelector('svg[viewBox]'));
  return el('span', { class: 'tools' },
    button('SVG', () => save(asAddress(drawing().text), `${file}.svg`), { class: 'tool', title: 'save the figure as SVG' }),
    button('PNG', () => savePicture(drawing(), `${file}.png`), { class: 'tool', title: 'save the figure as PNG' }));
}
