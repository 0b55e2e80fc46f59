// Questions: what was asked and what is relevant, and the runs side by side with what each rank adds.
const BRIEF = data.unit === 'lines' ? 12 : 280;
const FEW = 5;
const expandedPassages = new Set();

// A run has found what was asked for if one of so many first results shows any relevant text.
const within = () => state.within === 'all' ? Infinity : Number(state.within) || data.results;
const hasFound = (run, topic) => data.first[run][topic] > 0 && data.first[run][topic] <= within();
const slices = () => Object.entries(data.attributes).flatMap(([key, values]) => [...new Set(values)].filter((value) => value !== null)
  .sort().map((value) => [JSON.stringify([key, value]), `${key}: ${value}`, values.map((one) => one === value)]));

function isListed(topic) {
  const everyRun = data.runs.map((_, run) => run);
  const answerable = data.relevant[topic] > 0;
  const slice = slices().find(([key]) => key === state.slice);
  const by = { nobody: () => answerable && !everyRun.some((run) => hasFound(run, topic)), everybody: () => everyRun.every((run) => hasFound(run, topic)) };
  const [found, missed] = [runNamed(state.found), runNamed(state.missed)];
  return matches(...data.topics[topic]) && (!slice || slice[2][topic]) && (!by[state.found] || by[state.found]())
    && (found < 0 || hasFound(found, topic)) && (missed < 0 || (answerable && !hasFound(missed, topic)));
}

// Runs stand in the address behind a mark, for one may be called as anything is.
const runNamed = (value) => value.startsWith('run:') ? data.runs.indexOf(value.slice(4)) : -1;

function filters() {
  const runs = data.runs.map((run, at) => [`run:${run}`, runLabel(at)]);
  const depths = [...new Set([1, 3, FEW, data.results])].sort((a, b) => a - b).filter((depth) => depth <= data.results);
  const parts = slices();
  const chosen = [state.found, state.missed, state.within, state.slice].filter(Boolean).length;
  return el('details', { class: 'folded', open: chosen > 0 || window.innerWidth >= 960 }, el('summary', {}, chosen ? `Filters (${chosen})` : 'Filters'), el('div', { class: 'filters' },
    choice('found by', [['', 'any run or none'], ['nobody', 'nobody'], ['everybody', 'everybody'], ...runs], state.found, (value) => go({ found: value, topic: '' })),
    choice('missed by', [['', 'any run or none'], ...runs], state.missed, (value) => go({ missed: value, topic: '' })),
    choice('within', [...depths.map((depth) => [depth, depth === 1 ? 'the first result' : `the first ${count(depth)} results`]), ['all', 'all results']], state.within || data.results, (value) => go({ within: value, topic: '' })),
    parts.length > 0 && choice('slice', [['', 'all questions'], ...parts], state.slice, (value) => go({ slice: value, topic: '' })),
    el('p', { class: 'hint' }, `Found: ${within() === Infinity ? 'some result shows' : within() === 1 ? 'the first result shows' : `one of the first ${count(within())} results shows`} relevant text, however little. Missed: there is relevant text, and none of it is shown there.`)));
}

// What is too small for four digits has six, as doxeval explain prints it.
const share = (value) => signed(value, Math.abs(value) < 0.00005 ? 6 : 4);

// Text that can be shortened to its first relevant part; parts are {start, end, kind}, `key` says which text this is.
function passage(doc, parts, key) {
  if (!doc.text.length) return el('p', { class: 'places' }, parts.length ? `${data.unit} ${merged(parts.map(({ start, end }) => [start, end])).map(([start, end]) => `${amount(start + (data.unit === 'lines'))}\u2013${amount(end)}`).join(', ')}` : 'no text');
  const size = parts.reduce((sum, { start, end }) => sum + end - start, 0);
  segmentsOf(doc);
  const block = el('div', doc.numbered ? { class: 'passage-text code', tabindex: '0', role: 'region', 'aria-label': 'source code' } : { class: 'passage-text', dir: 'auto' });
  const draw = () => {
    const whole = size <= BRIEF * 1.25 || expandedPassages.has(key);
    let before = 0;
    for (const part of parts) { if (part.kind) break; before += part.end - part.start; }
    const from = whole || before === size || before < BRIEF / 3 ? 0 : before - Math.round(BRIEF / 5);
    const to = whole ? size : from + BRIEF;
    let [at, last, lines] = [0, null, null];
    const shown = [];
    for (const { start, end, kind } of parts) {
      const [a, b] = [Math.max(start, start + from - at), Math.min(end, start + to - at)];
      at += end - start;
      if (a >= b) continue;
      if (last !== null && last !== a) shown.push(el('span', { class: 'skipped' }, ' \u2026 '));
      if (doc.numbered && last !== a) shown.push(lines = el('div', { class: 'lines', dir: 'ltr' }));
      last = b;
      const part = el(kind ? 'mark' : 'span', { class: kind || null, title: kind ? KINDS[kind].join(': ') : null }, nodesBetween(doc, a, b));
      if (!doc.numbered) { shown.push(part); continue; }
      if (!lines.dataset.numbers) lines.dataset.first = lineAt(doc, a);
      lines.append(part);
      lines.dataset.numbers = lineNumbers(Number(lines.dataset.first), linesIn(lines.textContent));
    }
    block.replaceChildren(el('span', {}, from > 0 && '\u2026 ', shown, to < size && ' \u2026'), ...size > BRIEF * 1.25
      ? [button(whole ? 'shorten' : `all ${amounts(size)}`, () => {
        if (!expandedPassages.delete(key)) expandedPassages.add(key);
        draw();
        block.querySelector('button').focus();
      }, { class: 'plain', 'aria-expanded': String(whole) })] : []);
  };
  draw();
  return block;
}

// Ranges cut wherever others begin or end, each piece with what `kind` says of its first character.
function cutAt(spans, others, kind) {
  const cuts = others.flat();
  return spans.flatMap(([start, end]) => {
    const places = [...new Set([start, end, ...cuts.filter((cut) => cut > start && cut < end)])].sort((a, b) => a - b);
    return places.slice(0, -1).map((place, at) => ({ start: place, end: places[at + 1], kind: kind(place) }));
  });
}

const resultsOf = (topic, run) => viewsOf(topic).flatMap(([number, view]) => view.results.filter(([owner]) => owner === run)
  .map(([, rank, spans, gained, repeated, place]) => ({ doc: data.docs[number], view, rank, spans, gained, repeated, place }))).sort((a, b) => a.rank - b.rank);
const isFirst = ({ rank }) => rank <= data.results;
const spansIn = (results, doc) => merged(results.filter((result) => result.doc === doc).flatMap((result) => result.spans));

function card(topic, run, rank, results) {
  const result = results.find((one) => one.rank === rank);
  if (!result) return el('li', { class: 'card' }, el('span', { class: 'rank' }, count(rank)), el('p', { class: 'places' }, 'There was no room in the report for this result.'));
  const { doc, view, spans, gained, repeated, place } = result;
  const earlier = spansIn(results.filter((one) => one.rank < rank), doc);
  const parts = cutAt(spans, [...view.relevant, ...earlier], (at) => inside(view.relevant, at) ? (inside(earlier, at) ? 'repeated' : 'hit') : '');
  const shares = data.added[run][measureOf()];
  const adds = shares.length ? (shares[topic] || [])[rank] || 0 : null;
  return el('li', { class: `card ${gained ? 'gains' : repeated ? 'repeats' : 'idle'}` },
    el('p', { class: 'card-head' }, el('span', { class: 'rank' }, count(rank)), link({ view: 'documents', doc: doc.name, topic: data.topics[topic][0], run: data.runs[run] }, name(doc.name)),
      adds !== null && el('span', { class: adds ? 'adds' : 'adds none', 'data-rank': rank, title: `what rank ${count(rank)} adds to ${data.measures[measureOf()].name}` }, adds ? share(adds) : 'adds 0')),
    symbolLine(doc, spans), passage(doc, parts, `${run} ${topic} ${rank}`),
    el('p', { class: 'facts' }, place && [name(place), ', '], pageText(doc, spans) && `${pageText(doc, spans)}, `, data.unit === 'lines' && spans.length > 0 && `${spans.map(placeText).join(', ')}: `, `${amounts(total(spans))}, `, gained ? `${amount(gained)} relevant` : repeated ? 'nothing new' : adds ? 'no relevant text of its own' : 'nothing relevant', repeated > 0 && `, ${amount(repeated)} repeated`));
}

function missedBy(topic, run, results) {
  const first = results.filter(isFirst);
  const missed = viewsOf(topic).flatMap(([number, view]) => {
    const shown = spansIn(first, data.docs[number]);
    const later = results.filter((one) => !isFirst(one) && one.doc === data.docs[number]);
    return cutAt(view.relevant, shown, (at) => inside(shown, at) ? '' : 'miss').filter(({ kind }) => kind)
      .map((part) => ({ doc: data.docs[number], part, later: later.find(({ spans }) => common(spans, [[part.start, part.end]]).length) }));
  });
  if (!missed.length) return data.relevant[topic] ? el('p', { class: 'facts' }, 'Nothing is missed.') : null;
  const characters = missed.reduce((sum, { part }) => sum + part.end - part.start, 0);
  return el('div', { class: 'missed' }, el('h4', {}, `Missed in the first ${plural(data.results, 'result')}: ${amounts(characters, `relevant ${unitWord()}`)}`),
    missed.slice(0, FEW).map(({ doc, part, later }) => el('div', { class: 'card' }, el('p', { class: 'card-head' }, link({ view: 'documents', doc: doc.name, topic: data.topics[topic][0], run: data.runs[run] }, name(doc.name)), later && el('span', { class: 'facts' }, `shown at rank ${later.rank}`)),
      symbolLine(doc, [[part.start, part.end]]), passage(doc, [part], `miss ${run} ${topic} ${doc.name} ${part.start}`))),
    missed.length > FEW && el('p', { class: 'facts' }, `and ${plural(missed.length - FEW, 'more passage')}`));
}

function column(topic, run) {
  const measure = measureOf();
  const results = resultsOf(topic, run);
  const shown = Math.min(data.results, data.listed[run][topic]);
  const rest = (data.added[run][measure][topic] || [])[0];
  const value = data.values[run][measure][topic];
  return el('section', { class: 'run', 'data-run': run, 'aria-label': runLabel(run) }, el('h3', {}, runName(run)),
    el('p', { class: 'sum' }, `${data.measures[measure].name} = `, el('b', { 'data-value': data.runs[run] }, value === null ? 'no value' : fixed(value)), data.first[run][topic] ? `, found at rank ${count(data.first[run][topic])}` : ', not found'),
    el('ol', { class: 'cards' }, Array.from({ length: shown }, (_, at) => card(topic, run, at + 1, results))),
    data.listed[run][topic] === 0 && el('p', { class: 'facts' }, 'No results.'),
    rest !== undefined && rest !== 0 && el('p', { class: 'facts' }, 'Other ranks, and what no result stands for: ', el('span', { class: 'adds', 'data-rank': 'rest' }, share(rest))),
    missedBy(topic, run, results));
}

function goldPassage({ doc, view, span }, topic, runs) {
  const coverage = runs.map((run) => {
    const results = resultsOf(topic, run).filter((one) => isFirst(one) && one.doc === doc && common(one.spans, [span]).length);
    return [run, total(common(spansIn(results, doc), [span])) / (span[1] - span[0]), results.map(({ rank }) => rank)];
  });
  return el('li', {}, el('p', { class: 'card-head' }, link({ view: 'documents', doc: doc.name, topic: data.topics[topic][0] }, name(doc.name)), el('span', { class: 'facts' }, pageText(doc, [span]) && `${pageText(doc, [span])}, `, `${placeText(span)} of ${amount(doc.length)}`)),
    symbolLine(doc, [span]), passage(doc, [{ start: span[0], end: span[1], kind: 'hit' }], `gold ${topic} ${doc.name} ${span[0]}`),
    el('ul', { class: 'coverage' }, coverage.map(([run, share, ranks]) => el('li', { class: share ? '' : 'none' }, runName(run), ranks.length ? ` ${percent(share)} at rank ${ranks.slice(0, 3).map((rank) => count(rank)).join(', ')}${ranks.length > 3 ? ' \u2026' : ''}` : ' missed'))));
}

function gold(topic, runs) {
  const passages = viewsOf(topic).flatMap(([number, view]) => view.relevant.map((span) => ({ doc: data.docs[number], view, span })));
  if (!passages.length) return el('p', { class: 'hint' }, data.relevant[topic] ? `No relevant text is in the report.${leftOut(topic)}` : 'Nothing is relevant to this question.');
  const list = el('ol', { class: 'gold' });
  const more = passages.length > FEW && button(`all ${count(passages.length)} passages`, () => { list.replaceChildren(...passages.map((one) => goldPassage(one, topic, runs))); more.remove(); });
  list.append(...passages.slice(0, FEW).map((one) => goldPassage(one, topic, runs)));
  return [el('h3', {}, `${plural(passages.length, 'relevant passage')}, ${amounts(data.relevant[topic])}`), list, more, leftOut(topic) && el('p', { class: 'hint' }, leftOut(topic))];
}

const whyNoText = (topic) => {
  if (data.docs.every((doc) => !doc.text.length)) return 'No text is shown, only places: the report was made without documents (--docs), or without room for their text.';
  return viewsOf(topic).some(([number]) => !data.docs[number].text.length) ? 'Where only places are shown, the text of the document is not in the report.' : '';
};

function questionPage(topic, listed) {
  const [label, query] = data.topics[topic];
  const measure = measureOf();
  const at = listed.indexOf(topic);
  const asked = [...new Set([data.runs.indexOf(state.run), runNamed(state.found), runNamed(state.missed)])].filter((run) => run >= 0);
  const sides = el('div', { class: 'sides', role: 'region', tabindex: '0', 'aria-label': 'results of the runs' });
  const truth = el('div', {});
  const redraw = () => {
    const runs = [...new Set([...asked, ...ranked(measure), ...data.runs.keys()])].filter((run) => asked.includes(run) || drawnRuns().has(run));
    sides.replaceChildren(...runs.map((run) => column(topic, run)));
    truth.replaceChildren(...[gold(topic, runs)].flat().filter(Boolean));
  };
  redraw();
  return [el('p', { class: 'hint' }, 'Question ', name(label), Object.entries(data.attributes).map(([key, values]) => values[topic] !== null && [', ', name(`${key}: ${values[topic]}`)])),
    el('h2', {}, name(query || label)),
    el('div', { class: 'controls' }, [['previous', -1], ['next', 1]].map(([title, step]) => button(title, () => go({ topic: data.topics[listed[at + step]][0] }), { disabled: !(at >= 0 && listed[at + step] >= 0), title: `the ${title} question (${title[0]})` })),
      choice('measure', data.measures.map((one) => [one.name, one.name]), data.measures[measure].name, (chosen) => go({ measure: chosen, topic: label }))),
    truth, legend(redraw, () => sides),
    el('p', { class: 'hint' }, data.added[0][measure].length ? `The numbers with a sign are what a rank adds to ${data.measures[measure].name}, as in doxeval explain: ${data.adds[measure]}.` : `No rank stands for a part of the score: ${data.adds[measure]}. doxeval explain shows how the score changes from rank to rank.`,
      ' ', ['hit', 'repeated', 'miss'].map((kind) => [el('mark', { class: kind, title: KINDS[kind][1] }, KINDS[kind][0]), ' ']), whyNoText(topic)),
    sides];
}

function stepQuestion(step) {
  const button = main.querySelector(`[data-view=question] .controls button:nth-of-type(${step > 0 ? 2 : 1})`);
  if (button) button.click();
}

function showQuestion() {
  const listed = data.topics.map((_, topic) => topic).filter(isListed);
  const topic = state.topic ? topicOf() : widest(listed);
  const page = topic >= 0 ? questionPage(topic, listed)
    : el('p', { class: 'empty' }, state.topic ? ['No question is called ', name(state.topic), '.'] : 'No question matches these filters and the search.');
  return [el('div', { class: 'split' }, el('div', { class: 'chooser' }, filters(), topicList(listed, topic, 'question')), el('article', {}, page))];
}
