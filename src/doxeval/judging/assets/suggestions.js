// What a model or a rule has suggested: the assessor confirms, corrects or rejects it.
function suggestionsOf(proposed) {
  const found = Object.entries(proposed).flatMap(([source, ranges]) => ranges.map(([start, end, rel]) => ({ source, start, end, rel, key: `${source}:${start}-${end}` })));
  return found.sort((a, b) => a.start - b.start || a.end - b.end);
}
const openSuggestions = () => here().suggested.filter(({ key }) => !(key in here().state.answers));
const answered = (suggestions, answer) => ({ ...here().state.answers, ...Object.fromEntries(suggestions.map(({ key }) => [key, answer])) });

// What a new highlight says of the open suggestions that it touches.
function answersTo(start, end, suggestions = openSuggestions()) {
  const touched = suggestions.filter((one) => one.start < end && start < one.end);
  return touched.length ? { answers: Object.fromEntries(touched.map((one) => [one.key, one.start === start && one.end === end ? 'confirmed' : 'corrected'])) } : {};
}

const suggestionAt = (place) => openSuggestions().find((one) => one.start <= place && place <= one.end);
// Go to the next suggestion, or confirm the one that is selected.
function confirmSuggestion() {
  const chosen = selected();
  const one = chosen && openSuggestions().find(({ start, end }) => start === chosen[0] && end === chosen[1]);
  if (!one) { nextSuggestion(); return; }
  act({ ...paint(here().state, one.start, one.end, Math.min(data.grades, Math.max(1, Math.round(one.rel))), []), answers: { [one.key]: 'confirmed' } });
  nextSuggestion('confirmed; ');
}
function rejectSuggestion() {
  const chosen = selected();
  const one = suggestionAt(chosen ? chosen[0] : reading.selection ? reading.selection.focus : 0);
  if (!one) { nextSuggestion(); return; }
  act({ answers: { [one.key]: 'rejected' } });
  nextSuggestion('rejected; ');
}
function nextSuggestion(before = '') {
  const open = openSuggestions();
  const place = reading.selection ? Math.min(reading.selection.anchor, reading.selection.focus) : 0;
  const one = open.find(({ start }) => start >= place) || open[0];
  if (!one) { say(`${before}no suggestion is open here`); return; }
  choose(one.start, one.end);
  say(`${before}suggested by ${one.source}: y confirms it, t rejects it; select and highlight what is right to correct it`);
}
