// The documents and what the runs did in them come deflated (packed.py), and are unpacked after the first view is drawn.
Object.assign(data, { docs: [], views: data.topics.map(() => []), followed: new Map(), unpacked: false, problem: '' });

async function inflated(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).text();
}

const KEPT = {
  views: (rows) => rows.forEach(([topic, doc, relevant, bep, results, near, path, opened]) => data.views[topic].push([doc, { relevant, bep, results, near, path, opened }])),
  trajectory: (one) => data.followed.set(`${one.run} ${one.topic}`, one),
  docs: (rows) => { data.docs = rows.map(([label, length]) => ({ name: label, length, text: [], tree: null, look: null })); },
  text: ([doc, text, tree, look]) => Object.assign(data.docs[doc], { text, tree, look: look && look.leaves ? look : null }),
};

async function unpack() {
  try {
    for (const line of (await inflated(data.packed)).split('\n')) {
      if (line) for (const [kind, rows] of Object.entries(JSON.parse(line))) KEPT[kind](rows);
    }
    data.unpacked = true;
  } catch (problem) {
    data.problem = `The documents cannot be unpacked in this browser (${problem.message}). Chrome 103, Firefox 113, Safari 16.4 and later can.`;
  }
}
