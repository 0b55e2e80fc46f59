/* Pictures with chunks that can be moved, on the pages of measures and on the landing page; scores are counted character by character. */
"use strict";
(() => {
const SVG = "http://www.w3.org/2000/svg";
const LEFT = 10, LANE = 26, HANDLE = 12;

/* ---- scores: `reading` is what the first results show, in order ---- */
const span = (start, end) => Array.from({length: end - start}, (_, at) => start + at);
const sum = values => values.reduce((total, value) => total + value, 0);

function counted(toy) {
  const units = Object.entries(toy.relevant).flatMap(([doc, ranges]) => ranges.map(([a, b]) => ({doc, a, b})));
  const unit = (doc, at) => units.find(one => one.doc === doc && one.a <= at && at < one.b);
  const seen = new Set();
  const results = toy.results.map(({doc, start, end}) => {
    const relevant = span(start, end).filter(at => unit(doc, at));
    const fresh = relevant.filter(at => !seen.has(`${doc} ${at}`));
    fresh.forEach(at => seen.add(`${doc} ${at}`));
    return {size: end - start, fresh: fresh.length, units: sum(fresh.map(at => 1 / (unit(doc, at).b - unit(doc, at).a)))};
  });
  return {units, unit, results, total: sum(units.map(one => one.b - one.a)),
          gain: sum(results.map(one => one.fresh)), size: sum(results.map(one => one.size))};
}

/* A relevant document read in the natural order: what was retrieved, then the rest; true where relevant. */
function readings(toy, {unit}) {
  const relevant = Object.keys(toy.texts).filter(doc => toy.relevant[doc].length);
  return relevant.filter(doc => toy.results.some(one => one.doc === doc)).map(doc => {
    const places = span(0, toy.texts[doc].length);
    const shown = at => toy.results.some(one => one.doc === doc && one.start <= at && at < one.end);
    return [...places.filter(shown), ...places.filter(at => !shown(at))].map(at => Boolean(unit(doc, at)));
  });
}
const trues = flags => flags.filter(Boolean).length;
const mean = values => values.length ? sum(values) / values.length : 0;

function untilIrrelevant(flags, most) {
  let met = 0;
  const last = flags.findIndex(flag => !flag && ++met === most);
  return last < 0 ? flags : flags.slice(0, last + 1);
}

const OF_TEXT = {
  iP: (toy, n) => n.gain / n.size,
  iR: (toy, n) => n.gain / n.total,
  F: (toy, n) => 2 * n.gain / (n.total + n.size),
  IoU: (toy, n) => n.gain / (n.size + n.total - n.gain),
};
const SCORES = {
  ...Object.fromEntries(["@4", "@5"].flatMap(cut => Object.entries(OF_TEXT).map(([name, score]) => [name + cut, score]))),
  "ESRP@4": (toy, n) => sum(n.results.map(one => one.units)) / n.results.length,
  "ESRR@4": (toy, n) => sum(n.results.map(one => one.units)) / n.units.length,
  "tRBP@4": (toy, n) => 0.2 * sum(n.results.map((one, at) => 0.8 ** at * one.fresh / one.size)),
  "T2I(n=30)@doc": (toy, n) => mean(readings(toy, n).map(flags => untilIrrelevant(flags, 30)).map(r => trues(r) / r.length)),
  "T2Ir(n=30)@doc": (toy, n) => mean(readings(toy, n).map(flags => trues(untilIrrelevant(flags, 30)) / trues(flags))),
  "ChP(n=60)@doc": (toy, n) => mean(readings(toy, n).map(flags => trues(flags.slice(0, 60)) / Math.min(60, flags.length))),
  "aveChP@doc": (toy, n) => mean(readings(toy, n).map(flags => {
    let met = 0;
    return sum(flags.map((flag, at) => flag ? ++met / (at + 1) : 0)) / trues(flags);
  })),
  "LE(screen=20)@doc": (toy, n) => {
    const all = readings(toy, n);
    return all.length ? mean(all.map(flags => Math.min(4, Math.floor(flags.indexOf(true) / 20) + 1))) : 5;
  },
  "AiP": (toy, n) => {
    let gain = 0, size = 0;
    const ranks = n.results.map(one => ({gain: gain += one.fresh, size: size += one.size}));
    const best = level => Math.max(0, ...ranks.filter(at => 100 * at.gain >= level * n.total).map(at => at.gain / at.size));
    return sum(span(0, 101).map(best)) / 101;
  },
  "CharAP": (toy, n) => {
    const seen = new Set();
    let read = 0, met = 0, total = 0;
    for (const {doc, start, end} of toy.results) for (const at of span(start, end)) {
      const relevant = n.unit(doc, at), key = `${doc} ${at}`;
      if (relevant && seen.has(key)) continue;
      read += 1;
      if (relevant) { seen.add(key); met += 1; total += met / read; }
    }
    return total / n.total;
  },
};

/* ---- the picture ---- */
function drawn(parent, name, attributes, text) {
  const one = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
  if (text) one.textContent = text;
  parent.append(one);
  return one;
}

/* A chunk that can be moved, drawn in a lane: its body, its edges, and a grip for each; `on` says how characters become pixels. */
function chunk(svg, lane, on) {
  const {result, at, y, height} = lane, parts = lane.parts = {};
  parts.body = drawn(svg, "rect", {y, height, rx: 3, class: "chunk"});
  if (on.numbers) parts.number = drawn(svg, "text", {y: y + 13.5, class: "number"}, `${at + 1}`);
  for (const edge of ["start", "end"]) parts[edge] = drawn(svg, "rect", {y: y - 1, width: 6, height: height + 2, rx: 2, class: "edge"});
  const grips = {whole: parts.body, start: null, end: null};
  for (const edge of ["start", "end"])
    grips[edge] = parts[`${edge}Grip`] = drawn(svg, "rect", {y: y - 3, width: 2 * HANDLE, height: height + 6, class: "grip"});
  for (const [part, grip] of Object.entries(grips)) {
    const told = {whole: "place", start: "start", end: "end"}[part];
    for (const [key, value] of Object.entries({tabindex: 0, role: "slider", "aria-label": `${lane.name}, ${told}`,
        "data-chunk": at + 1, "data-part": part})) grip.setAttribute(key, value);
    const value = () => part === "end" ? result.end : result.start;
    grip.addEventListener("keydown", event => {
      const step = on.step * (event.shiftKey ? 10 : 1);
      const to = {ArrowLeft: value() - step, ArrowDown: value() - step, ArrowRight: value() + step, ArrowUp: value() + step,
        PageDown: value() - 10 * on.step, PageUp: value() + 10 * on.step, Home: 0, End: on.length(result)}[event.key];
      if (to === undefined) return;
      event.preventDefault();
      move(result, part, to, on);
    });
    grip.addEventListener("pointerdown", event => {
      const place = point => (point.clientX - svg.getBoundingClientRect().left) * on.width / svg.getBoundingClientRect().width;
      const off = place(event) - on.x(value());
      grip.setPointerCapture(event.pointerId);
      const follow = point => move(result, part, (place(point) - off - LEFT) / on.scale, on);
      const done = () => { grip.removeEventListener("pointermove", follow); };
      grip.addEventListener("pointermove", follow);
      grip.addEventListener("pointerup", done, {once: true});
      grip.addEventListener("pointercancel", done, {once: true});
    });
  }
  parts.grips = grips;
}

function move(result, part, to, on) {
  to = Math.round(to);
  if (part === "start") result.start = Math.max(0, Math.min(to, result.end - 1));
  else if (part === "end") result.end = Math.min(on.length(result), Math.max(to, result.start + 1));
  else {
    const size = result.end - result.start;
    result.start = Math.max(0, Math.min(to, on.length(result) - size));
    result.end = result.start + size;
  }
  on.show(result);
}

/* Puts a chunk where its result is now. */
function put({result, parts}, {x, scale, length}) {
  const {start, end} = result;
  parts.body.setAttribute("x", x(start));
  parts.body.setAttribute("width", scale * (end - start));
  parts.number?.setAttribute("x", x(end) + 8);
  parts.start.setAttribute("x", x(start));
  parts.end.setAttribute("x", x(end) - 6);
  parts.startGrip.setAttribute("x", x(start) - 2 * HANDLE + Math.min(HANDLE, scale * (end - start) / 3));
  parts.endGrip.setAttribute("x", x(end) - Math.min(HANDLE, scale * (end - start) / 3));
  for (const [part, grip] of Object.entries(parts.grips)) {
    const limits = {whole: [0, length(result) - (end - start)], start: [0, end - 1], end: [start + 1, length(result)]}[part];
    grip.setAttribute("aria-valuemin", limits[0]);
    grip.setAttribute("aria-valuemax", limits[1]);
    grip.setAttribute("aria-valuenow", part === "end" ? end : start);
    grip.setAttribute("aria-valuetext", part === "whole" ? `characters ${start} to ${end}` : `character ${part === "end" ? end : start}`);
  }
}

/* The example of a measure's page: three documents, four chunks, one list. */
function begin(home) {
  const toy = JSON.parse(home.dataset.toy);
  const longest = Math.max(...Object.values(toy.texts).map(text => text.length));
  const scale = 4, on = {scale, width: 2 * LEFT + scale * longest, x: at => LEFT + scale * at, step: 1, numbers: true, show,
    length: result => toy.texts[result.doc].length};
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", "Three documents to scale, relevant text in green, and four chunks to move");
  let top = 6;
  const lanes = [];
  for (const [doc, text] of Object.entries(toy.texts)) {
    drawn(svg, "text", {x: LEFT, y: top + 12, class: "label"}, `${doc}, ${text.length} characters`);
    drawn(svg, "rect", {x: on.x(0), y: top + 18, width: scale * text.length, height: 20, class: "paper"});
    for (const [a, b] of toy.relevant[doc])
      drawn(svg, "rect", {x: on.x(a), y: top + 18, width: scale * (b - a), height: 20, class: "relevant"});
    top += 44;
    toy.results.forEach((result, at) => { if (result.doc === doc) { lanes.push({result, at, y: top, height: 18, name: `chunk ${at + 1}`}); top += LANE; } });
    top += 14;
  }
  svg.setAttribute("viewBox", `0 0 ${on.width} ${top}`);
  const table = document.createElement("dl");
  table.className = "live";
  table.setAttribute("aria-live", "polite");
  const words = document.createElement("p");
  words.className = "words";
  home.replaceChildren(svg, table, words);
  lanes.forEach(lane => chunk(svg, lane, on));

  const cells = Object.fromEntries(toy.measures.map(measure => {
    const box = document.createElement("div"), name = document.createElement("dt"), value = document.createElement("dd");
    name.textContent = measure;
    value.dataset.measure = measure;
    if (measure === toy.own) box.className = "own";
    box.append(name, value);
    table.append(box);
    return [measure, value];
  }));

  function show(changed) {
    lanes.forEach(lane => put(lane, on));
    const numbers = counted(toy);
    for (const [measure, cell] of Object.entries(cells)) {
      const value = SCORES[measure](toy, numbers);
      cell.dataset.value = value;
      cell.textContent = value.toFixed(4);
    }
    const {doc, start, end} = changed, text = toy.texts[doc];
    words.replaceChildren(`chunk ${toy.results.indexOf(changed) + 1}, ${doc} ${start}–${end}: “`);
    for (const at of span(start, end)) {
      const relevant = toy.relevant[doc].some(([a, b]) => a <= at && at < b);
      const last = words.lastChild;
      if (relevant && last.nodeName === "MARK") last.textContent += text[at];
      else if (relevant) words.append(Object.assign(document.createElement("mark"), {textContent: text[at]}));
      else if (last.nodeType === Node.TEXT_NODE) last.textContent += text[at];
      else words.append(text[at]);
    }
    words.append("”");
  }
  show(toy.results[0]);
  home.dataset.ready = "yes";
}

/* The landing page: one document, and what several systems return of it, each with its scores. */
function beginHero(home) {
  const hero = JSON.parse(home.dataset.hero), svg = home.querySelector("svg");
  const on = {scale: hero.scale, width: hero.width, x: at => LEFT + hero.scale * at, step: 10, numbers: false, show, length: () => hero.length};
  const systems = hero.systems.map(({name, results, tops}) => {
    const toy = {texts: {doc: ""}, relevant: {doc: [hero.answer]}, results: results.map(([start, end]) => ({doc: "doc", start, end}))};
    const lanes = toy.results.map((result, at) => ({result, at, y: tops[at], height: 8, name: `${name}, chunk ${at + 1}`}));
    return {name, toy, lanes};
  });
  svg.querySelectorAll("path.shown").forEach(one => one.remove());
  svg.setAttribute("role", "group");
  systems.forEach(({lanes}) => lanes.forEach(lane => chunk(svg, lane, on)));
  function show() {
    for (const {name, toy, lanes} of systems) {
      lanes.forEach(lane => put(lane, on));
      const numbers = counted(toy);
      for (const cell of svg.querySelectorAll("[data-system]")) if (cell.dataset.system === name) {
        const value = SCORES[cell.dataset.measure](toy, numbers);
        cell.dataset.value = value;
        cell.textContent = value.toFixed(2);
      }
    }
  }
  show();
  home.dataset.ready = "yes";
}

document.querySelectorAll(".hero[data-hero]").forEach(beginHero);
document.querySelectorAll(".toy").forEach(begin);
})();
