// Source code: colours come with the page as runs [length, kind, ...] of UTF-16 units.
// The parts of a text from unit `from` on, each in its colour; `node` makes the text of each.
function coloured(text, from, runs, node) {
  if (!runs || !runs.length) return [node(text)];
  const found = [];
  let at = 0;
  for (let index = 0; index < runs.length && at < from + text.length; index += 2) {
    const [first, last] = [Math.max(at, from), Math.min(at + runs[index], from + text.length)];
    if (first < last) {
      const part = text.slice(first - from, last - from);
      found.push(runs[index + 1] ? el('span', { class: `code-${runs[index + 1]}` }, node(part)) : node(part));
    }
    at += runs[index];
  }
  if (at < from + text.length) found.push(node(text.slice(Math.max(0, at - from))));
  return found;
}

// The numbers of some lines, one below the other: they stand beside the text, and are no part of it.
const lineNumbers = (first, lines) => Array.from({ length: Math.max(1, lines) }, (_, at) => first + at).join('\n');
const linesIn = (text) => (text.match(/\n/g) || []).length + (text !== '' && !text.endsWith('\n'));
