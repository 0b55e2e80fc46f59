// The document view: the text, its tree, what is relevant, what each run retrieved, and the reader's path.
let showPath = false;
let hop = () => {};
let openAtFirst = () => {};

const viewsOf = (topic) => data.views[topic] || [];
const ranksOf = (view, run) => view.results.filter(([owner]) => owner === run).map(([, rank]) => rank);

const searchedTopics = () => data.topics.map((_, topic) => topic).filter((topic) => matches(...data.topics[topic]));

function topicList(listed = searchedTopics(), current = topicOf(), word = 'topic') {
  return el('nav', { class: 'topic-list', 'aria-label': `${word}s` }, el('h3', {}, plural(listed.length, word)),
    el('ol', {}, listed.map((topic) => el('li', {}, el('a', {
      href: address({ topic: data.topics[topic][0], doc: '' }), 'aria-current': topic === current ? 'true' : null },
    questionName(topic))))));
}

// Says what was left out of the report, where a reader would look for it.
function leftOut(topic) {
  const [all, relevant] = data.found[topic];
  const views = viewsOf(topic);
  if (views.length === all) return '';
  const shown = views.filter(([, view]) => view.relevant.length).length;
  return ` ${count(shown)} of ${count(relevant)} documents with relevant text are shown, and ${count(views.length - shown)} of ${count(all - relevant)} others; the rest would make the report larger than allowed (--max-megabytes).`;
}

function documentTable(topic) {
  const columns = [
    { title: 'document', value: (row) => row.name.toLowerCase(), cell: (row) => link({ topic: data.topics[topic][0], doc: row.name }, name(row.name)) },
    { title: 'relevant', number: true, first: -1, value: (row) => total(row.view.relevant), cell: (row) => amount(total(row.view.relevant)) },
    ...data.runs.map((_, at) => ({ title: runLabel(at), number: true, value: (row) => ranksOf(row.view, at)[0] ?? null,
      cell: (row) => ranksOf(row.view, at).slice(0, 4).map((rank) => count(rank)).join(' ') + (ranksOf(row.view, at).length > 4 ? ' \u2026' : '') })),
  ];
  const rows = viewsOf(topic).map(([doc, view]) => ({ name: data.docs[doc].name, view }));
  return [el('h2', {}, link({ view: 'question', topic: data.topics[topic][0], doc: '' }, questionName(topic))),
    el('p', { class: 'hint' }, `Documents with relevant text, and documents among the first results. Numbers under a run are the ranks of its results.${leftOut(topic)}`),
    sortable(columns, rows, state.sort.documents || { column: 1, direction: -1 }, (next) => { state.sort.documents = next; render(); }, { class: 'documents' })];
}

const HEAD = 76;

function icicle(doc, view, jump) {
  const [height, level, column] = [560, 9, 11];
  const tree = doc.tree;
  const depth = tree ? Math.min(9, Math.max(...tree.depth)) : 0;
  const y = (place) => place / Math.max(1, doc.length) * height;
  const rect = (x, width, start, end, attributes, title) => svg('rect', { x, width, y: y(start), height: Math.max(1.5, y(end) - y(start)), ...attributes }, svg('title', {}, title));
  const nodes = tree ? tree.start.map((start, at) => tree.depth[at] <= depth && rect((tree.depth[at] - 1) * level, level - 1.5, start, tree.end[at],
    { class: 'node' }, `${tree.tags[tree.tag[at]]}: ${(tree.name && tree.name[at]) || textBetween(doc, start, start + 60).slice(0, 200)}`)) : [];
  const left = depth * level + 8;
  const relevant = view.relevant.map(([start, end]) => rect(left, column, start, end, { class: 'relevant' }, `relevant, ${placeText([start, end])}`));
  const runs = data.runs.map((run, at) => {
    const x = left + (at + 1) * (column + 3);
    return [rect(x, column, 0, doc.length, { class: at === runOf() ? 'lane chosen' : 'lane' }, run),
      view.results.filter(([owner]) => owner === at).flatMap(([, rank, spans]) => spans.map(([start, end]) =>
        rect(x, column, start, end, { fill: runColour(at), class: 'retrieved' }, `${run}, rank ${count(rank)}`)))];
  });
  const width = left + (data.runs.length + 1) * (column + 3);
  const scale = Math.min(1, 260 / width);
  const heads = [[depth && 'tree', 0], ['relevant', left], ...data.runs.map((_, at) => [runLabel(at), left + (at + 1) * (column + 3), at])].filter(([text]) => text);
  const head = svg('svg', { class: 'heads', width: width * scale + HEAD, height: HEAD, 'aria-hidden': 'true' }, heads.map(([text, x, run]) =>
    svg('text', { transform: `translate(${(x + column) * scale} ${HEAD - 3}) rotate(-50)`, class: run === runOf() ? 'chosen' : null }, text.length > 13 ? `${text.slice(0, 12)}\u2026` : text, svg('title', {}, text))));
  return [head, svg('svg', { class: 'icicle', viewBox: `0 0 ${width} ${height}`, style: { width: `${width * scale}px` }, role: 'img', preserveAspectRatio: 'none',
    'aria-label': 'the document from top to bottom: its tree, relevant text, and what each run retrieved',
    on: { click: (event) => {
      const box = event.currentTarget.getBoundingClientRect();
      jump((event.clientY - box.top) / box.height * doc.length);
    } } }, nodes, relevant, runs)];
}

function outline(doc, view, run, jump) {
  if (!doc.tree) return null;
  const tree = doc.tree;
  const shown = merged(view.results.filter(([owner]) => owner === run).flatMap(([, , spans]) => spans));
  const isParent = tree.depth.map((depth, at) => tree.depth[at + 1] > depth);
  const items = tree.start.map((start, at) => ({ start, end: tree.end[at], tag: tree.tags[tree.tag[at]], depth: tree.depth[at], at }))
    .filter((node) => isParent[node.at] || node.depth <= 2).slice(0, 250);
  return el('details', { class: 'outline', open: items.length <= 40 }, el('summary', {}, 'Outline'), el('ol', {}, items.map((node) => {
    const here = [[node.start, node.end]];
    const label = (tree.name && tree.name[node.at]) || textBetween(doc, node.start, node.start + 70).trim().split('\n')[0].slice(0, 60) || node.tag;
    return el('li', { style: { 'padding-left': `${Math.min(8, node.depth - 1) * 0.8}rem` } },
      button([el('span', { class: 'tag' }, node.tag === 'page' ? pageText(doc, here) : node.tag), label === 'page' ? '\u2026' : label], () => jump(node.start), { class: 'plain' }),
      total(common(here, view.relevant)) > 0 && el('span', { class: 'dot relevant', title: 'contains relevant text' }, '\u25cf'),
      total(common(here, shown)) > 0 && el('span', { class: 'dot', title: 'contains retrieved text' }, '\u25a0'));
  })));
}

function legendOfKinds(parts) {
  const sums = {};
  for (const part of parts) sums[part.kind] = (sums[part.kind] || 0) + part.end - part.start;
  return el('ul', { class: 'kinds' }, Object.entries(KINDS).filter(([kind]) => kind !== 'near' || data.navigation).map(([kind, [title, meaning]]) =>
    el('li', { title: meaning }, el('span', { class: `sample ${kind}` }, title), ` ${amount(sums[kind] || 0)}`)));
}

// What is not embedded, in pages where there are some.
function gapText(doc, start, end) {
  const pages = (pagesOf(doc) || []).map(([, , first], at) => [first, at + 1]).filter(([first]) => first >= start && first < end).map(([, number]) => count(number));
  const left = pages.length > 1 ? `pages ${pages[0]}\u2013${pages[pages.length - 1]}` : pages.length ? `page ${pages[0]}` : amounts(end - start);
  return `\u2026 ${left} not embedded \u2026`;
}

function body(doc, parts) {
  const marks = [];
  const whole = el('div', { class: 'text', dir: 'auto', tabindex: '-1' });
  segmentsOf(doc);
  if (doc.numbered) fill(whole, { class: 'text code', tabindex: '0', role: 'region', 'aria-label': 'source code' }, []);
  const starts = pageStarts(doc);
  const [kept, signs] = [[], []];
  let [expected, fragment] = [0, whole];
  for (const part of parts) {
    const text = textBetween(doc, part.start, part.end);
    if (!text) continue;
    if (part.start > expected) {
      const gap = el('span', { class: 'gap' }, gapText(doc, expected, part.start));
      if (looksOf(doc)) kept.push([expected, [gap]]); else whole.append(gap);
    }
    expected = part.end;
    const segment = doc.numbered && segmentsOf(doc).find(({ start }) => start === part.start);
    if (segment) {
      fragment = el('div', { class: 'lines', dir: 'ltr', 'data-numbers': lineNumbers(segment.first, linesIn(segment.text)) });
      whole.append(fragment);
    }
    if (!segment && looksOf(doc)) fragment = el('span', {});
    if (starts.includes(part.start) && !pagesOf(doc)) fragment.append(el('span', { class: 'page-number' }, `page ${count(starts.indexOf(part.start) + 1)}`));
    for (const rank of part.opens) signs.push(el('sup', { class: 'rank', title: `the result at rank ${count(rank)} begins here` }, count(rank)));
    if (showPath && part.begins) signs.push(el('sup', { class: 'step', title: `step ${count(part.step)} of the reader` }, `\u2192${count(part.step)}`));
    if (!looksOf(doc) || !isMarkup(doc.look, part.start, text)) fragment.append(...signs.splice(0));
    const [title, meaning] = KINDS[part.kind] || ['', ''];
    const told = title && `${title}: ${meaning}${part.ranks.length ? `; rank ${part.ranks.map((rank) => count(rank)).join(', ')}` : ''}` +
      (part.kind === 'near' ? `; chance ${percent(part.chance)}` : '');
    const inlined = looksOf(doc) ? inlineClasses(doc.look, part.start, part.end).join(' ') : '';
    const span = el('span', { class: `part ${part.kind} ${inlined}`.trim(), title: told || null, 'data-start': part.start }, nodesBetween(doc, part.start, part.end));
    if (part.kind === 'near' && part.ends && text.trim()) span.append(el('sub', { class: 'chance' }, percent(part.chance)));
    fragment.append(span);
    if (looksOf(doc)) kept.push([part.start, [...fragment.childNodes]]);
    marks.push([part.start, part.end, span, part.kind !== 'rest' && text.trim() !== '', part.kind]);
  }
  if (looksOf(doc)) fill(whole, { class: pagesOf(doc) ? 'text looks pages' : 'text looks' }, grouped(doc.look, kept, { open: (number, line) => pageOfFile(number, pagesOf(doc)[number - 1], line), place: placeLine }));
  const vain = parts.reduce((sum, part) => sum + (part.kind === 'vain' ? part.end - part.start : 0), 0);
  if (vain > doc.length / 2) whole.classList.add('mostly-vain');
  if (expected < doc.length && expected > 0) whole.append(el('p', { class: 'gap' }, gapText(doc, expected, doc.length)));
  return { fragment: whole, marks };
}

function showDocument(topic, doc, view) {
  const run = runOf();
  const parts = pieces(view, run, doc);
  const { fragment, marks } = body(doc, parts);
  const jump = (place) => {
    const found = marks.find(([, end]) => end > place) || marks[marks.length - 1];
    if (!found) return;
    const box = found[2].getBoundingClientRect();
    const within = (place - found[0]) / Math.max(1, found[1] - found[0]);
    window.scrollTo({ top: window.scrollY + box.top + Math.max(0, within) * box.height - 150 });
    found[2].classList.add('flash');
    setTimeout(() => found[2].classList.remove('flash'), 1200);
  };
  hop = (direction) => {
    const places = marks.filter(([, , , marked]) => marked);
    const tops = places.map(([, , span]) => span.getBoundingClientRect().top - 150);
    const at = direction > 0 ? tops.findIndex((top) => top > 5) : tops.findLastIndex((top) => top < -5);
    if (at >= 0) jump(places[at][0]);
  };
  openAtFirst = () => {
    const first = marks.find(([, , , marked, kind]) => marked && kind !== 'vain') || marks.find(([, , , marked]) => marked);
    if (first && first[2].getBoundingClientRect().top > window.innerHeight * 0.6) jump(first[0]);
  };
  const results = view.results.filter(([owner]) => owner === run);
  const onPath = view.path.some(([owner]) => owner === run);
  return [
    el('h2', {}, name(doc.name)),
    el('p', { class: 'hint' }, link({ view: 'question', doc: '' }, questionName(topic)),
      `, ${amounts(doc.length)}, ${amount(total(view.relevant))} of them relevant`),
    el('div', { class: 'controls runs', role: 'group', 'aria-label': 'run' }, data.runs.map((label, at) => button([
      runName(at), el('small', {}, ranksOf(view, at).length ? count(ranksOf(view, at).length) : '\u2013')],
    () => go({ run: label }), { 'aria-pressed': at === run ? 'true' : 'false', title: plural(ranksOf(view, at).length, 'result') + ' in this document' }))),
    legendOfKinds(parts),
    el('div', { class: 'controls' }, onPath && el('label', {}, el('input', { type: 'checkbox', checked: showPath, on: { change: (event) => { showPath = event.target.checked; render(); } } }),
      ` the reader\u2019s path (${data.order[0]}: ${data.order[1]})`),
    doc.look && el('label', {}, el('input', { type: 'checkbox', checked: Boolean(state.raw), on: { change: (event) => go({ raw: event.target.checked ? '1' : '' }) } }), ' raw text'),
    button('previous', () => hop(-1), { title: 'previous marked text (p)' }), button('next', () => hop(1), { title: 'next marked text (n)' }),
    link({ view: 'reader', run: data.runs[run] }, 'Read as a user would'), data.navigation && el('span', { class: 'hint' }, `chances: ${data.navigation}`)),
    pagesOf(doc) && el('p', { class: 'hint' }, 'Pages are laid out as in the file, from the places of its lines; its pictures, rules and fonts are not in the report.'),
    el('div', { class: 'paper' },
      el('aside', {}, el('div', { class: 'lanes' }, icicle(doc, view, jump)), outline(doc, view, run, jump),
        results.length > 0 && el('details', { open: true }, el('summary', {}, plural(results.length, 'result')), el('ol', { class: 'results' }, results.map(([, rank, spans, gained, repeated, place]) =>
          el('li', {}, button(`rank ${count(rank)}`, () => jump(spans.length ? spans[0][0] : 0), { class: 'plain' }),
            el('small', {}, symbolAt(doc, spans) && [name(symbolAt(doc, spans)), ', '], place || spans.map(placeText).join(', '), gained ? `, gained ${amount(gained)}` : '', repeated ? `, repeated ${amount(repeated)}` : '')))))),
      doc.text.length ? fragment : el('p', { class: 'empty' }, 'The text of this document is not in the report; the strip shows the places.')),
  ];
}

function showDocuments() {
  const topic = state.topic ? topicOf() : widest(searchedTopics());
  const list = topicList(searchedTopics(), topic);
  if (topic < 0) return [el('div', { class: 'split' }, list, el('section', {}, el('p', { class: 'empty' }, state.topic ? ['No topic is called ', name(state.topic), '.'] : 'No topic matches the search.')))];
  const found = viewsOf(topic).find(([doc]) => data.docs[doc].name === state.doc);
  const main = found ? showDocument(topic, data.docs[found[0]], found[1])
    : [state.doc && el('p', { class: 'empty' }, 'Document ', name(state.doc), ' has no relevant text for this topic and no high rank.'), documentTable(topic)];
  return [el('div', { class: 'split' }, list, el('section', {}, main))];
}
