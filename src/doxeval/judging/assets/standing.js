// The page at the end, or whenever it is asked for: what is done and open, the scores so far, and what to do next.
async function showStanding() {
  await whenSaved();
  let told;
  try { told = await fetched('standing'); } catch (problem) { say(problem.message); return; }
  page.standing.replaceChildren(el('h2', { tabindex: -1 }, told.done === told.count ? 'Everything is judged' : 'So far'), ...standingParts(told),
    el('form', { method: 'dialog' }, told.disputes ? button('Decide disagreements', () => { page.standing.close(); openDisputes(); }) : null, el('button', {}, 'Close')));
  page.standing.showModal();
  page.standing.querySelector('h2').focus();
}

function standingParts(told) {
  const others = Object.entries(told.people).map(([who, done]) => [name(who), ` ${count(done)} of ${count(told.count)}; `]);
  return [
    el('p', {}, 'Documents judged: ', others, told.done < told.count ? `${plural(told.count - told.done, 'document')} with ${plural(told.left, 'character')} are left for you.` : 'nothing is left for you.'),
    el('h3', {}, 'Agreement'), agreementTable(told.agreement),
    el('p', {}, `${plural(told.disputes, 'disagreement')} open on documents that you have judged, ${count(told.decided)} decided.`),
    ...(told.scores ? scoreParts(told) : [el('p', { class: 'hint' }, 'Scores are shown if doxeval judge is given runs (--runs).')]),
    el('h3', {}, 'Next'), el('ol', { class: 'commands' }, told.commands.map((command) => el('li', {}, el('code', {}, command)))),
  ];
}

function scoreParts({ scores, measure, merge, topics: judged, hour }) {
  const shown = (value) => (value === null ? '\u2013' : value.toFixed(4));
  return [
    el('h3', {}, `Scores by ${measure}`),
    el('table', { class: 'agreement' }, el('thead', {}, el('tr', {}, ['run', measure, 'at least', 'at most'].map((one) => el('th', { scope: 'col' }, one)))),
      el('tbody', {}, scores.map(([run, ...values]) => el('tr', {}, el('th', { scope: 'row' }, name(run)), values.map((value) => el('td', {}, shown(value))))))),
    el('p', { class: 'hint' }, `mean over ${plural(judged, 'topic')}, assessors merged by ${merge}; at least and at most: whatever the unjudged text that the runs show is`),
    el('h3', {}, 'What another hour could decide'),
    el('ul', {}, hour.map(({ told, characters, minutes }) => el('li', {}, told, characters ? ` (about ${duration(60 * minutes)} of reading${minutes <= 60 ? ', an hour is enough' : ', more than an hour'})` : null))),
  ];
}
