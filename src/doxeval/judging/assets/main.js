// The page begins: it is drawn, what was done before is fetched, and the first document that is not judged is opened.
for (const act of data.rules || []) learn(act);
unpack(data.part);
frame();
document.addEventListener('keydown', pressed);
document.addEventListener('selectionchange', () => { if (document.activeElement === page.text || page.text.contains(getSelection().anchorNode)) readSelection(); });
page.text.addEventListener('focus', showCaret);
page.text.addEventListener('blur', () => { page.caret.hidden = true; });
window.addEventListener('resize', () => { showCaret(); showHeld(); });
window.addEventListener('hashchange', () => { const at = Number(location.hash.slice(1)) - 1; if (at >= 0 && at < pairs.length && at !== desk.at) go(at); });

// A mouse highlights what it selects; a click or a tap takes a highlight in hand; touch selects first, and the button
// highlights.
let pointed = null;
page.text.addEventListener('pointerdown', (event) => { pointed = event.button === 0 ? event.pointerType : null; });
document.addEventListener('pointerup', (event) => {
  if (pointed === null) return;
  const mouse = pointed === 'mouse';
  const target = event.target;
  pointed = null;
  setTimeout(() => {
    readSelection();
    const mark = target.closest && target.closest('mark[data-mark]');
    if (selected()) { if (mouse && page.pen.checked) highlight(); } else if (mark && page.text.contains(mark)) takeInHand(mark.dataset.mark); else if (heldMark()) keepBorders();
  });
});

startKeeping().then(() => {
  const asked = Number(location.hash.slice(1)) - 1;
  const open = states.findIndex((state) => state === '-' || state === 'b');
  return go(asked >= 0 && asked < pairs.length ? asked : Math.max(0, open));
}).then(() => document.body.setAttribute('data-ready', 'true'));
