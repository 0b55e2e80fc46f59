// The page is built from elements and text nodes only: nothing that comes from a document is ever markup.
const data = JSON.parse(document.getElementById('data').textContent);

// Controls that reorder or hide text are shown as what they are.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const visible = (text) => text.replace(HIDDEN, (letter) =>
  `\u27e8U+${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}\u27e9`);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'on') for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else if (name === 'style') for (const [key, item] of Object.entries(value)) node.style.setProperty(key, item);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat(9)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(visible(String(child))));
  }
  return node;
}
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

// A name from outside, kept from mixing its writing direction with ours.
const name = (text) => el('bdi', { class: 'name' }, text);

const count = (number, digits = 0) => number.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const plural = (number, word) => `${count(number)} ${word}${number === 1 ? '' : 's'}`;

function choice(label, options, chosen, act) {
  const select = el('select', { 'aria-label': label, on: { change: (event) => act(event.target.value) } },
    options.map(([value, text]) => el('option', { value, selected: String(value) === String(chosen) }, text)));
  return el('label', { class: 'choice' }, el('span', {}, label), select);
}

function button(text, act, attributes = {}) {
  return el('button', { type: 'button', ...attributes, on: { click: act } }, text);
}
