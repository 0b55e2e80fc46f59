// Acts are stored before the page says so: by the server, or in this browser if the page is used offline.
// Until the server has them they wait in the browser too, so that a page opened again sends them.
const OFFLINE = 'opened' in data;
const PREFIX = `doxeval judge ${data.key} ${data.assessor} `;
const LONGEST_WAIT = 15000;

const cupboard = {
  put(act) { localStorage.setItem(PREFIX + act.id, JSON.stringify(act)); },
  remove(id) { try { localStorage.removeItem(PREFIX + id); } catch { /* a browser that keeps nothing */ } },
  all() {
    const found = [];
    try {
      for (let at = 0; at < localStorage.length; at += 1) {
        const key = localStorage.key(at);
        if (key.startsWith(PREFIX)) found.push(JSON.parse(localStorage.getItem(key)));
      }
    } catch { return []; }
    return found.sort((a, b) => (a.order || 0) - (b.order || 0));
  },
};

const keeping = { pending: [], last: data.last || 0, busy: false, wait: 500, timer: null, told: '', order: 0, refused: 0 };
const others = 'BroadcastChannel' in window ? new BroadcastChannel(PREFIX) : null;

function tell(state, words) {
  keeping.told = state;
  const place = document.getElementById('saved');
  if (place && place.textContent !== words) fill(place, { 'data-state': state }, [place.replaceChildren(), words]);
}

// A new act; the page shows it at once, and says that it is saved when it is.
function keep(act) {
  keeping.order = Math.max(keeping.order + 1, Date.now());
  act.order = keeping.order;
  try { cupboard.put(act); } catch {
    if (OFFLINE) { tell('failed', 'NOT saved: this browser cannot store anything. Download the file before you close the page.'); return; }
  }
  if (OFFLINE) { tell('saved', 'saved in this browser'); return; }
  keeping.pending.push(act);
  flush();
}

async function flush() {
  if (keeping.busy) return;
  keeping.busy = true;
  clearTimeout(keeping.timer);
  while (keeping.pending.length) {
    if (keeping.told !== 'failed') tell('saving', 'saving\u2026');
    const batch = keeping.pending.slice(0, 200);
    try {
      await send(batch);
      keeping.wait = 500;
    } catch (problem) {
      tell('failed', `NOT saved: ${problem.message}. Trying again; keep this page open.`);
      keeping.wait = Math.min(2 * keeping.wait, LONGEST_WAIT);
      keeping.timer = setTimeout(flush, keeping.wait);
      keeping.busy = false;
      return;
    }
  }
  keeping.busy = false;
  tell(keeping.refused ? 'failed' : 'saved', keeping.refused ? `${plural(keeping.refused, 'change')} refused by the server` : 'saved');
}

async function send(batch) {
  const body = JSON.stringify({ after: keeping.last, acts: batch.map(({ id, time, topic, doc, act }) => ({ id, time, topic, doc, act })) });
  let response;
  try {
    response = await fetch('acts', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, keepalive: body.length < 60000 });
  } catch { throw new Error('the server does not answer'); }
  if (response.status === 404) throw new Error('the server has been restarted; open its new address, and this will be saved there');
  const told = await response.json().catch(() => ({}));
  if (response.status === 422) {
    if (batch.length > 1) { for (const act of batch) await send([act]); return; }
    keeping.refused += 1;
  } else if (!response.ok) throw new Error(told.problem || `the server answered ${response.status}`);
  keeping.pending = keeping.pending.filter((act) => !batch.includes(act));
  for (const act of batch) cupboard.remove(act.id);
  if (told.acts) receive(told.acts);
  if (others) others.postMessage('new');
}

// What the server has, in its order; also what another tab has done.
function receive(acts) {
  for (const act of acts) keeping.last = Math.max(keeping.last, act.number);
  remember(acts);
}

async function fetchNew() {
  const response = await fetch(`acts?after=${keeping.last}`).catch(() => null);
  if (response && response.ok) receive((await response.json()).acts);
}

async function startKeeping() {
  const kept = cupboard.all();
  keeping.order = kept.length ? kept[kept.length - 1].order : 0;
  if (OFFLINE) {
    remember(kept);
    window.addEventListener('storage', () => remember(cupboard.all()));
    tell('saved', kept.length ? 'saved in this browser' : 'nothing judged yet');
    return;
  }
  await fetchNew();
  keeping.pending = kept;
  remember(kept);
  if (others) others.onmessage = fetchNew;
  document.addEventListener('visibilitychange', () => { if (!document.hidden) fetchNew(); });
  window.addEventListener('online', flush);
  window.addEventListener('beforeunload', (event) => { if (keeping.pending.length) event.preventDefault(); });
  flush();
}

// The file to send back.
function givenBack() {
  const done = pairs.flatMap((pair) => [...pair.acts.values()]).sort((a, b) => a.order - b.order);
  const acts = done.map(({ id, time, topic, doc, act }) => ({ id, time, topic, doc, act }));
  return JSON.stringify({ judgements: 1, assessor: data.assessor, pool: data.key, queries: data.queries, documents: data.known, acts });
}
function download() {
  const link = el('a', { href: URL.createObjectURL(new Blob([givenBack()], { type: 'application/json' })),
    download: `judgements-${data.assessor.replace(/[^\p{L}\p{N}_-]+/gu, '_')}.json` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
