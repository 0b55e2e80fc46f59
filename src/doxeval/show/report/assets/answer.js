// The answer: what to use, what is known and what is not, what it costs, what fails, and what to do next.
const TELLING = 3;
const LABELLED = 8;
const answering = () => Math.max(0, data.answer.measure);
const leading = () => data.answer.leaders[0] ?? 0;

// Quality against what must be read, each with its interval. Left is better too unless the measure has a budget of text of its own.
function readingChart() {
  const measure = answering();
  const runs = data.runs.map((_, run) => run).filter((run) => data.means[run][measure] !== null && data.reading.runs[run][0] !== null);
  if (!runs.length) return null;
  const quality = (run) => [data.means[run][measure], ...((data.intervals && data.intervals[run][measure]) || [null, null])];
  const drawn = plane(runs.flatMap((run) => data.reading.runs[run]), runs.flatMap((run) => quality(run).filter((value) => value !== null)), {
    across: (narrow) => `${data.unit} in the first ${plural(data.reading.results, 'result')}${narrow ? '' : ', mean of a question'}`, up: data.measures[measure].name });
  const { x, y } = drawn;
  const many = runs.length > 30;
  const points = runs.map((run) => {
    const [mean, worst, best] = quality(run);
    const [read, least, last] = data.reading.runs[run];
    const told = `${runLabel(run)}: ${data.measures[measure].name} ${fixed(mean)}${worst === null ? '' : ` (${fixed(worst)} to ${fixed(best)})`}, ${count(Math.round(read))} ${data.unit} (${count(Math.round(least))} to ${count(Math.round(last))})`;
    return svg('g', { 'data-run': run }, worst !== null && (!many || run === leading()) && [svg('line', { class: 'spread', x1: x(read), x2: x(read), y1: y(worst), y2: y(best) }),
      svg('line', { class: 'spread', x1: x(least), x2: x(last), y1: y(mean), y2: y(mean) })],
    runMarker(run, x(read), y(mean), run === leading() ? 6 : 4, svg('title', {}, told)));
  });
  const order = [...new Set([...data.answer.leaders, ...data.answer.doubtful, ...ranked(measure)])].filter((run) => runs.includes(run));
  const at = (run) => ({ x: x(data.reading.runs[run][0]), y: y(data.means[run][measure]), run, text: visible(runLabel(run)) });
  const spread = (run) => many || quality(run)[1] === null ? [] : [[x(data.reading.runs[run][1]), at(run).y - 1, x(data.reading.runs[run][2]), at(run).y + 1],
    [at(run).x - 1, y(quality(run)[2]), at(run).x + 1, y(quality(run)[1])]];
  const taken = runs.flatMap((run) => [[at(run).x - 5, at(run).y - 5, at(run).x + 5, at(run).y + 5], ...spread(run)]);
  const title = `${data.measures[measure].name} against what must be read`;
  const figure = el('figure', { class: 'reading-chart' }, el('figcaption', {}, title, saveButtons(title, () => figure)),
    svg('svg', { viewBox: `0 0 ${drawn.width} ${drawn.height}`, class: 'chart', role: 'img', 'aria-label': `${title}, of every run` }, drawn.grid, points,
      placedLabels(order.slice(0, LABELLED).map(at), drawn, taken), drawn.axes),
    el('p', { class: 'hint' }, `${better(measure) < 0 ? 'Down' : 'Up'}${data.measures[measure].budget ? ` is better; across: how long the first ${plural(data.reading.results, 'result')} are` : ' and left is better'}. Lines are ${Math.round(data.confidence * 100)}% intervals over the questions.`));
  return figure;
}

// The class that a topic falls into, and what mending each would bring, of the run that is advised.
function failing() {
  const found = data.diagnosis;
  if (!found) return data.undiagnosed ? el('p', { class: 'hint' }, data.undiagnosed) : null;
  const run = leading();
  const { counts } = found.runs[run];
  const all = counts.reduce((sum, one) => sum + one, 0) || 1;
  const classes = found.classes.map((one, at) => ({ ...one, at, topics: counts[at] })).filter(({ topics }) => topics);
  const gains = found.mending.map((one) => ({ name: one.name, how: one.how, extent: one.extent, ...one.runs[run] })).filter(({ gain }) => gain > 0).sort((a, b) => b.gain - a.gain);
  return el('section', { class: 'failing', 'aria-label': 'what fails' }, el('h3', {}, 'What becomes of the questions, with ', runName(run)),
    el('ol', { class: 'classes', style: { '--digits': `${Math.max(3, ...classes.map(({ topics }) => count(topics).length + 1))}ch` } }, classes.map(({ name: label, title, meaning, topics }) => el('li', { title: meaning },
      el('b', {}, count(topics)), el('a', { href: address({ view: 'fails', class: label, run: data.runs[run], topic: '', doc: '' }) }, title || label),
      el('span', { class: 'share', 'aria-hidden': 'true' }, el('span', { class: ['buried', 'complete'].includes(label) ? 'share-bar good' : 'share-bar', style: { width: `${100 * topics / all}%` } }))))),
    gains.length > 0 && [el('h3', {}, `What mending would bring, in ${found.measure}`), el('ul', { class: 'mending' }, gains.map(({ name: label, how, gain, low, high, extent }) =>
      el('li', { title: how }, el('b', {}, `+${fixed(gain, 2)}`), ` ${label} `, el('span', { class: 'facts' }, `${low === null || low === undefined ? '' : `${fixed(low, 2)} to ${fixed(high, 2)}`}${extent && ` ${extent}`}`))))]);
}

// Three questions that say most: where the advised run loses most, where it gains most, and what nobody answers.
function telling() {
  const [measure, run] = [answering(), leading()];
  const value = (which, topic) => data.values[which][measure][topic];
  const topics = data.topics.map((_, topic) => topic).filter((topic) => value(run, topic) !== null);
  const others = data.runs.map((_, at) => at).filter((at) => at !== run);
  const best = (topic) => others.reduce((found, at) => found < 0 || better(measure) * (value(at, topic) - value(found, topic)) > 0 ? at : found, -1);
  const ahead = (topic) => better(measure) * (value(run, topic) - value(best(topic), topic));
  const chosen = [];
  const choose = (why, candidates, key) => {
    const found = candidates.filter((topic) => !chosen.some((one) => one.topic === topic)).sort((a, b) => key(a) - key(b))[0];
    if (found !== undefined) chosen.push({ topic: found, why: why(found) });
  };
  const told = (at, topic) => [runName(at), ` ${fixed(value(at, topic))}`];
  if (others.length) {
    choose((topic) => ['Another is better: ', told(best(topic), topic), ', but ', told(run, topic)], topics.filter((topic) => ahead(topic) < 0), ahead);
    choose((topic) => ['It is ahead of all: ', told(run, topic), ', then ', told(best(topic), topic)], topics.filter((topic) => ahead(topic) > 0), (topic) => -ahead(topic));
  }
  const unanswered = topics.filter((topic) => data.relevant[topic] > 0 && data.runs.every((_, at) => !data.first[at][topic]));
  choose(() => ['Nobody finds any relevant text.'], unanswered, (topic) => topic);
  const top = (topic) => Math.max(...data.runs.map((_, at) => better(measure) * value(at, topic)));
  while (chosen.length < TELLING && chosen.length < topics.length) {
    choose((topic) => ['Hard for all: ', told(run, topic)], topics, top);
  }
  return el('section', { class: 'telling', 'aria-label': 'telling questions' }, el('h3', {}, `${chosen.length === 1 ? 'A question' : `${chosen.length} questions`} to look at`),
    el('ol', {}, chosen.map(({ topic, why }) => el('li', {}, link({ view: 'question', topic: data.topics[topic][0], doc: '', run: data.runs[run], measure: data.measures[measure].name },
      name(data.topics[topic][1] || data.topics[topic][0])), el('span', { class: 'facts' }, why)))));
}

function nextSteps() {
  const best = data.diagnosis && data.diagnosis.mending.map((one) => ({ ...one, ...one.runs[leading()] })).filter(({ low }) => low > 0).sort((a, b) => b.gain - a.gain)[0];
  const steps = [...best ? [`Mend first: ${best.name}, for +${fixed(best.gain, 2)} in ${data.diagnosis.measure} (${fixed(best.low, 2)} to ${fixed(best.high, 2)}${best.extent && `, ${best.extent}`}).`] : [], ...data.answer.next];
  return steps.length > 0 && el('section', { 'aria-label': 'what to do next' }, el('h3', {}, 'What to do next'), el('ul', { class: 'next' }, steps.map((step) => el('li', {}, said(step)))));
}

const elsewhere = () => el('nav', { class: 'elsewhere', 'aria-label': 'everything else' }, el('h3', {}, 'Everything else'),
  el('ul', {}, VIEWS.slice(1).map(([view, title, purpose]) => el('li', {}, link({ view, topic: '', doc: '' }, title), ' ', el('span', { class: 'facts' }, purpose)))));

function showAnswer() {
  const { headline, sentences } = data.answer;
  const [first, ...rest] = headline.split(/(?<=\.) (?=\S)/);
  return [el('section', { class: 'answer', 'aria-label': 'answer' },
    el('div', { class: 'headline' }, el('h2', {}, first ? said(first) : `${plural(data.runs.length, 'run')} on ${plural(data.topics.length, 'question')}`), rest.length > 0 && el('p', { class: 'unknown' }, said(rest.join(' '))),
      sentences.length > 0 && el('details', { class: 'verdict' }, el('summary', {}, 'What the numbers say'), el('ul', {}, sentences.map((sentence) => el('li', {}, said(sentence)))))),
    el('div', { class: 'shown-how' }, readingChart()),
    el('div', { class: 'why' }, failing(), telling(), nextSteps())),
  elsewhere(), data.notes.length > 0 && el('details', {}, el('summary', {}, plural(data.notes.length, 'note')), el('ul', { class: 'notes' }, data.notes.map((note) => el('li', {}, note))))];
}
