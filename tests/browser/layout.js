// What is wrong with a page: overlaps, what is cut, what is wider than the screen, and how numbers are printed.
(width) => {
  const trouble = [];
  if (document.documentElement.scrollWidth > width) {
    const wide = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > width + 1
      && !one.closest('.scroller, .sides, .tabs, .skip, .code, .scrolls')).map((one) => `${one.tagName}.${one.className.baseVal ?? one.className}`);
    trouble.push(`wider than the screen: ${document.documentElement.scrollWidth} (${wide.slice(0, 4)})`);
  }
  const frame = (node) => {
    let box = [-1e9, -1e9, 1e9, 1e9];
    for (let one = node; one && one !== document.body; one = one.parentElement) {
      const flow = getComputedStyle(one);
      if (one.namespaceURI.endsWith('svg') && one.tagName !== 'svg') continue;
      if (flow.overflowX !== 'visible' || flow.overflowY !== 'visible') {
        const { left, top, right, bottom } = one.getBoundingClientRect();
        box = [Math.max(box[0], left), Math.max(box[1], top), Math.min(box[2], right), Math.min(box[3], bottom)];
      }
    }
    return box;
  };
  // What a closed part hides has boxes all the same.
  const isFolded = (node) => { const part = node.closest('details:not([open])'); return part && !(node.closest('summary') && node.closest('summary').parentElement === part); };
  const lines = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node && lines.length < 4000; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.textContent.trim() || parent.closest('script, style, option, select, title, .skip, noscript') || isFolded(parent)) continue;
    const look = getComputedStyle(parent);
    if (look.visibility === 'hidden' || look.display === 'none') continue;
    range.selectNodeContents(node);
    const within = frame(parent);
    for (const { left, top, right, bottom } of range.getClientRects()) {
      const box = [Math.max(left, within[0]), Math.max(top, within[1]), Math.min(right, within[2]), Math.min(bottom, within[3])];
      if (box[2] - box[0] > 2 && box[3] - box[1] > 2 && top < 4000) lines.push({ box, node, parent });
    }
    if (/^[\d.,+\u2212-]{1,16}$/.test(node.textContent.trim()) && range.getClientRects().length > 1) trouble.push(`a broken number: ${node.textContent}`);
    const cut = parent.closest('h1, h2, h3, p, li, button, a, figcaption, summary, td, th');
    const clipped = cut && getComputedStyle(cut).overflowX === 'hidden' && cut.scrollWidth > cut.clientWidth + 1;
    if (clipped) trouble.push(`cut: ${node.textContent.trim().slice(0, 40)}`);
    if (look.textAnchor && parent.closest('svg')) {
      const drawn = parent.closest('svg').getBoundingClientRect(), own = parent.getBoundingClientRect();
      if (!parent.closest('.heads') && (own.left < drawn.left - 2 || own.right > drawn.right + 2)) trouble.push(`out of its figure: ${node.textContent}`);
    }
  }
  lines.sort((a, b) => a.box[1] - b.box[1]);
  for (let i = 0; i < lines.length; i += 1) {
    for (let j = i + 1; j < lines.length && lines[j].box[1] < lines[i].box[3]; j += 1) {
      const [a, b] = [lines[i], lines[j]];
      if (a.parent.contains(b.parent) || b.parent.contains(a.parent)) continue;
      if (a.parent.closest('header') !== b.parent.closest('header') || [a, b].some(({ parent }) => parent.closest('sup, sub, .heads, .rank, .step, .lines'))) continue;
      const wide = Math.min(a.box[2], b.box[2]) - Math.max(a.box[0], b.box[0]);
      const tall = Math.min(a.box[3], b.box[3]) - Math.max(a.box[1], b.box[1]);
      const small = Math.min(a.box[3] - a.box[1], b.box[3] - b.box[1]);
      if (wide > 3 && tall > 0.45 * small) trouble.push(`overlap: ${a.node.textContent.trim().slice(0, 30)} | ${b.node.textContent.trim().slice(0, 30)}`);
    }
  }
  // The last lines of the headings of a table are on one line.
  for (const row of document.querySelectorAll('thead tr')) {
    const bottoms = [...row.cells].filter((cell) => !isFolded(cell) && !cell.querySelector('.lane-heads')).map((cell) => {
      const last = [...cell.querySelectorAll('.head, .name, span')].find((one) => one.textContent.trim() && !one.matches('.arrow')) || cell;
      range.selectNodeContents(last);
      return Math.round(Math.max(...[...range.getClientRects()].map(({ bottom }) => bottom)));
    }).filter(Number.isFinite);
    if (Math.max(...bottoms) - Math.min(...bottoms) > 2 && !row.closest('.heat')) trouble.push(`headings not on one line: ${row.textContent.slice(0, 40)} ${bottoms}`);
  }
  // What a list shows as chosen is not cut, unless it is a long name, which ends in an ellipsis.
  const ruler = document.createElement('canvas').getContext('2d');
  for (const list of document.querySelectorAll('select')) {
    if (isFolded(list) || !list.clientWidth) continue;
    const look = getComputedStyle(list), text = list.selectedOptions[0]?.textContent || '';
    ruler.font = `${look.fontSize} ${look.fontFamily}`;
    const room = list.clientWidth - parseFloat(look.paddingLeft) - parseFloat(look.paddingRight);
    if (ruler.measureText(text).width > room && (text.length < 25 || look.textOverflow !== 'ellipsis')) trouble.push(`cut in a list: ${text}`);
  }
  // Numbers of four digits and more have separators, but for names, texts of documents, and years of papers.
  const bare = /(?<![\w.,@=:#/-])\d{4,}(?![\w-])/;
  const told = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = told.nextNode(); node; node = told.nextNode()) {
    const parent = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    if (parent.closest('script, style, bdi, code, .cited, .text, .passage-text, .step-text, q')) continue;
    const texts = node.nodeType === Node.TEXT_NODE ? [node.textContent] : [node.getAttribute('title'), node.getAttribute('aria-label')];
    for (const text of texts) if (text && bare.test(text)) trouble.push(`a number without separators: ${text.trim().slice(0, 90)}`);
  }
  return [...new Set(trouble)].slice(0, 6);
}
