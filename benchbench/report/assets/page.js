"use strict";
/* What all pages do, and what their parts share. A page has this and the parts below that it needs. */
const page = (() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const DRAWN = new Set(["svg", "g", "use", "path", "rect", "circle", "text", "title", "style"]);

  function make(tag, attributes = {}, ...children) {
    const made = DRAWN.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  }
  const count = (number) => number.toLocaleString("en");

  function language(words) {
    if (/[\u3040-\u30ff]/u.test(words)) return "ja";
    if (/[\uac00-\ud7a3]/u.test(words)) return "ko";
    return /[\u3400-\u9fff]/u.test(words) ? "zh" : null;
  }

  /* Words with what is sought marked. */
  function marked(words) {
    const lowered = words.toLowerCase();
    const wanted = state.find?.toLowerCase();
    if (!wanted || lowered.length !== words.length) return [words];
    const parts = [];
    let from = 0;
    for (let at = lowered.indexOf(wanted); at >= 0; at = lowered.indexOf(wanted, from)) {
      parts.push(words.slice(from, at), make("mark", {}, words.slice(at, at + wanted.length)));
      from = at + wanted.length;
    }
    return [...parts, words.slice(from)];
  }

  /* A text from outside in its language, with what is sought marked; pieces are plain and marked ones in turn. */
  function told(kind, words, tag = "span") {
    const pieces = Array.isArray(words) ? words.map((piece, at) => (at % 2 ? make("mark", {}, piece) : piece)) : marked(words);
    return make(tag, { class: kind, lang: language([words].flat().join("").slice(0, 200)), dir: "auto" }, ...pieces);
  }
  const span = (kind, ...children) => make("span", { class: kind }, ...children);
  const spaced = (parts) => parts.flatMap((each) => [each, " "]);

  /* The beginning of a text, or what stands around what is sought. */
  function excerpt(words) {
    const at = state.find ? words.toLowerCase().indexOf(state.find.toLowerCase()) : -1;
    const from = at > 14 ? at - 10 : 0;
    return `${from ? "…" : ""}${words.slice(from, from + 120)}${words.length > from + 120 ? "…" : ""}`;
  }

  /* A whole text, of which a long one opens when it is asked for. */
  function whole(words) {
    const long = words.length > 420;
    const shown = told(long ? "text clamp" : "text", words, "p");
    if (!long) return [shown];
    const opens = button("link", null, [`Whole text, ${count(words.length)} characters`], () => {
      shown.classList.remove("clamp");
      opens.remove();
    });
    return [shown, opens];
  }

  function button(kind, pressed, children, press, more = {}) {
    const made = make("button", { type: "button", class: kind, "aria-pressed": pressed === null ? null : String(pressed), ...more }, ...children);
    made.addEventListener("click", press);
    return made;
  }

  /* What is chosen stands in the fragment of the URL, where it is not as it was at first. */

  const state = {};
  const kept = new Map();
  const drawing = [];
  const SHOWN = {}; // how much of a list is shown, until something else is chosen

  /* Keep a choice by a name; `read` takes a text and returns nothing of what is not there. */
  function keep(name, first, read = (text) => text, write = String, always = false) {
    kept.set(name, { first, read, write, always });
  }
  const named = (names) => [(text) => (names.includes(text) ? names.indexOf(text) : undefined), (at) => names[at]];

  function recall() {
    const fragment = new URLSearchParams(location.hash.replace(/^#a(\d+)$/, "#q=$1").slice(1));
    for (const [name, { first, read }] of kept) {
      state[name] = fragment.has(name) ? (read(fragment.get(name)) ?? first) : first;
    }
    Object.assign(state, SHOWN);
  }

  function remember() {
    const fragment = new URLSearchParams();
    for (const [name, { first, write, always }] of kept) {
      if (always || state[name] !== first) fragment.set(name, write(state[name]));
    }
    const text = fragment.toString();
    history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
  }

  function draw() {
    for (const each of all("[data-of]")) each.hidden = !each.dataset.at.split(" ").includes(String(state[each.dataset.of]));
    for (const input of all(".seg input")) input.checked = Number(input.value) === state[input.name];
    for (const input of all(".seg :checked")) {
      const said = one(`[data-said="${input.name}"]`);
      if (said && input.dataset.told) said.textContent = input.dataset.told;
    }
    for (const select of all("select[name]")) select.value = state[select.name];
    for (const each of drawing) each();
  }

  function choose(changes) {
    Object.assign(state, SHOWN, changes);
    draw();
    remember();
  }

  /* A button that takes a filter away. */
  function chip([words, changes]) {
    const press = () => {
      choose(changes);
      one("#find").focus({ preventScroll: true });
    };
    return button("", null, [`${words} ×`], press, { "aria-label": `Remove the filter ${words}` });
  }

  /* A list that is searched, narrowed and ordered, and of which more is shown when it is asked for. */
  function list(options) {
    const { size, id, steps, rows: listed, matches, orders, show, said, chips } = options;
    const visit = options.visit ?? ((row) => one("summary", row).focus());
    SHOWN.shown = steps[0];
    keep("find", "");
    if (orders) keep("sort", one("#sort").value, (text) => (text in orders ? text : undefined));
    keep("q", "");
    drawing.push(() => {
      const rows = [];
      for (let i = 0; i < size(); i++) if (matches(i)) rows.push(i);
      if (orders) {
        const order = new Map(rows.map((i) => [i, orders[state.sort](i)]));
        rows.sort((a, b) => order.get(a) - order.get(b) || a - b);
        one("#sort").value = state.sort;
      }
      const top = rows.slice(0, state.shown);
      const opened = state.q ? rows.find((i) => id(i) === state.q) : undefined;
      if (opened !== undefined && !top.includes(opened)) top.unshift(opened); // one in the URL is there
      show(top);
      one("#count").textContent = said(rows.length);
      const left = rows.length - state.shown;
      one("#more").hidden = left <= 0;
      one("#more").textContent = `Show ${Math.min(steps[1], left)} more of ${count(left)}`;
      one("#chips").replaceChildren(...chips().map(chip));
      if (one("#find").value.trim() !== state.find) one("#find").value = state.find;
    });
    one("#find").addEventListener("input", (event) => choose({ find: event.target.value.trim(), ...options.forget }));
    one("#sort")?.addEventListener("change", (event) => choose({ sort: event.target.value }));
    one("#more").addEventListener("click", () => {
      const from = state.shown;
      state.shown += steps[1];
      draw();
      visit(all(listed)[from]);
    });
    addEventListener("keydown", (event) => {
      if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "/") {
        event.preventDefault();
        one("#find").focus();
      }
      if (event.key !== "j" && event.key !== "k") return;
      const rows = all(listed);
      const at = rows.findLastIndex((row) => row.contains(document.activeElement));
      if (rows.length) visit(rows[Math.min(event.key === "j" ? at + 1 : Math.max(at - 1, 0), rows.length - 1)]);
    });
  }
  const part = (rows, size) => (rows === size ? `All ${count(size)} ${size === 1 ? "query" : "queries"}` : `${count(rows)} of ${count(size)} queries`);

  /* A query of a list: what stands in its line, and what it opens to. */
  function query(id, cells, detail) {
    const made = make("details", { class: "q", "data-id": id, open: state.q === id }, make("summary", {}, ...cells));
    const fill = () => made.children.length < 2 && made.append(detail());
    if (made.open) fill();
    made.addEventListener("toggle", () => {
      if (made.open) fill();
      if (made.open) state.q = id;
      else if (state.q === id) state.q = "";
      remember();
    });
    return made;
  }

  async function unpacked() {
    const bytes = Uint8Array.from(atob(one("#packed").textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  /* Whatever is chosen by buttons or from a list, in the order in which the page has it. */
  function controls() {
    for (const name of new Set(all(".seg input, select[name]").map((each) => each.name))) {
      const inputs = all(`.seg input[name="${name}"]`);
      const select = one(`select[name="${name}"]`);
      const names = inputs.length ? inputs.map((each) => each.parentElement.textContent.trim()) : all("option", select).map((each) => each.textContent);
      const first = inputs.length ? inputs.findIndex((each) => each.defaultChecked) : 0;
      if (!kept.has(name)) keep(name, first, ...named(names));
      for (const each of [...inputs, select].filter(Boolean)) {
        each.addEventListener("change", () => choose({ [name]: Number(each.value), ...page.clears[name]?.() }));
      }
    }
  }

  /* Names in the title that have room on a line of a phone do not break at their hyphens. */
  function join(title) {
    const parts = title.textContent.split(/(\S*\w-\w\S*)/);
    title.replaceChildren(...parts.map((part, at) => (at % 2 && part.length < 25 ? span("unbroken", part) : part)));
  }

  async function start() {
    if (one("h1")) join(one("h1"));
    controls();
    recall();
    draw();
    addEventListener("hashchange", () => {
      recall();
      draw();
    });
    if (one("#packed")) {
      try {
        page.packed = await unpacked();
      } catch {
        one("#unpacked").hidden = false;
        page.broken = true;
      }
    }
    page.arrived?.();
    if (one("#packed")) draw();
    document.documentElement.dataset.ready = "yes";
  }

  document.documentElement.classList.add("scripted");
  for (const link of all("nav a, .skip")) {
    link.addEventListener("click", (event) => {
      const to = one(link.hash);
      if (!to) return;
      event.preventDefault(); // the fragment holds what is chosen
      to.setAttribute("tabindex", "-1");
      to.scrollIntoView();
      to.focus({ preventScroll: true });
    });
  }
  for (const copy of all("[data-copy]")) {
    const words = copy.textContent;
    copy.addEventListener("click", () => {
      const from = document.getElementById(copy.dataset.copy);
      const chosen = () => getSelection().selectAllChildren(from);
      if (navigator.clipboard) navigator.clipboard.writeText(from.textContent).catch(chosen);
      else chosen();
      copy.textContent = "copied";
      setTimeout(() => (copy.textContent = words), 1200);
    });
  }
  const folds = new Map();
  addEventListener("beforeprint", () => {
    for (const each of all(".fold")) {
      folds.set(each, each.open);
      each.open = true;
    }
  });
  addEventListener("afterprint", () => folds.forEach((open, each) => (each.open = open)));
  addEventListener("DOMContentLoaded", start);

  const data = one("#data") && JSON.parse(one("#data").textContent);
  return {
    one, all, make, count, language, marked, told, span, spaced, excerpt, whole, button, part, query, data, packed: null, clears: {},
    state, keep, named, choose, draw, remember, list, drawing,
  };
})();

/* == querylist: queries of one service, with what they got == */
{
  const { one, all, make, count, told, span, excerpt, whole, state, data } = page;
  const columns = data.columns;
  for (const column of columns.filter((each) => each.kind)) {
    column.rows = Array.from(column.rows, (letter) => (letter === "@" ? [] : [letter.charCodeAt(0) - 65]));
  }

  const view = () => state.view ?? 0;
  const failed = (i) => (data.failed.length ? data.failed[i] : -1);
  const bin = (i) => data.bins[view()].charCodeAt(i) - 65;
  const rank = (i) => (data.ranks[i] ? `rank ${count(data.ranks[i])}` : `none in ${count(data.edges.at(-1))}`);
  function rankBin(i) {
    if (failed(i) >= 0) return 0;
    return 1 + (data.ranks[i] ? data.edges.findIndex((edge) => data.ranks[i] <= edge) : data.edges.length);
  }
  const labels = (i, of = columns) => of.map((column) => column.rows[i].map((at) => column.labels[at]));
  const begin = (i) => (i < data.begin.length ? data.begin[i] : page.packed?.begin[i - data.begin.length]) || "";
  const text = (i) => page.packed?.texts[i] || begin(i);
  const total = (i) => data.values.reduce((sum, values) => sum + values[i], 0);
  const has = (i) => (page.packed?.opened[data.ids[i]] ? 0 : 1);
  const time = (ms) => (ms >= 999.5 ? `${(ms / 1000).toFixed(2)} s` : `${ms >= 99.95 ? ms.toFixed(0) : ms.toFixed(ms < 0.95 ? 2 : 1)} ms`);
  const symbol = (task, filled) =>
    make("svg", { class: "mk", viewBox: "0 0 14 14", "aria-hidden": "true" }, make("use", { href: `#m${task % 8}`, class: filled ? "f" : "o" }));

  function shown(value, at) {
    const { top } = data.views[at];
    if (top !== 1) return ((value / 1e4) * top).toLocaleString("en", { maximumSignificantDigits: 4 });
    return (value / 1e4).toFixed(3);
  }

  let searched = null;
  function found(i) {
    if (!state.find) return true;
    searched ??= data.ids.map((id, n) => [id, ...labels(n, columns.filter((column) => !column.kind)).flat(), text(n)].join("\n").toLowerCase());
    return searched[i].includes(state.find.toLowerCase());
  }
  const inLabel = (i) => state.label === null || columns[state.column].rows[i].includes(state.label);

  /* Bars and rows of charts, which narrow the list: each chart shows what the others have left. */
  const BARS = { bin: { of: bin, counts: () => data.counts[view()] }, rank: { of: rankBin, counts: () => data.rank_counts } };
  const KEYS = Object.keys(BARS).filter((key) => key !== "rank" || data.ranks);
  const inBars = (i, but) => KEYS.every((key) => key === but || state[key] === null || BARS[key].of(i) === state[key]);
  function charts() {
    KEYS.forEach(bars);
    for (const button of all(".ranges button")) {
      const { column, row } = button.dataset;
      const pressed = state.label !== null && state.column === Number(column) && columns[column].top[row] === state.label;
      button.setAttribute("aria-pressed", pressed);
    }
    one(".qhead span").textContent = data.views[view()].measure;
    if (!page.packed?.texts.some(Boolean) && !data.begin.length) one(".qhead > :nth-child(3)").replaceChildren(others((at) => data.views[at].name));
  }

  function bars(key) {
    const counts = BARS[key].counts();
    const [chosen, held] = [counts.map(() => 0), counts.map(() => 0)];
    const part = state.label !== null || state.find !== "" || KEYS.some((other) => other !== key && state[other] !== null);
    for (let i = 0; part && i < data.ids.length; i++) {
      const at = BARS[key].of(i);
      held[at]++;
      if (inLabel(i) && inBars(i, key) && found(i)) chosen[at]++;
    }
    for (const button of all(`.bars button[data-${key}]`)) {
      const at = Number(button.dataset[key]);
      const name = button.dataset.name ?? (button.dataset.name = button.getAttribute("aria-label").replace(/^.*?: /, ""));
      const number = part ? chosen[at] : counts[at];
      button.setAttribute("aria-pressed", state[key] === at);
      button.classList.toggle("pressed", state[key] !== null);
      button.setAttribute("aria-label", `${part ? `${count(number)} of ` : ""}${count(counts[at])} queries: ${name}`);
      one(".n", button).textContent = count(number);
      one(".sel", button).style.height = `${part && held[at] ? (100 * chosen[at]) / held[at] : part ? 0 : 100}%`;
    }
  }

  function row(i) {
    const lost = failed(i) >= 0;
    const value = data.values[view()][i];
    const score = lost
      ? [span("bad", "✕ no answer")]
      : [make("b", {}, shown(value, view())), make("span", { class: "meter", style: `--share:${value / 100}%` })];
    const begins = text(i) ? told("begin", excerpt(text(i))) : span("begin", lost ? "" : others((at) => shown(data.values[at][i], at), i));
    if (lost) begins.prepend(span("why", data.reasons[failed(i)].slice(0, 40)));
    const first = data.ranks ? (lost ? "" : rank(i)) : columns.length ? labels(i)[state.by ?? 0].join(", ") : "";
    const late = span("ms", data.ms[i] === null ? "" : time(data.ms[i]));
    const cells = [span("score", ...score), span("id", data.ids[i]), begins, told("label", first), late, span("arrow")];
    return page.query(data.ids[i], cells, () => detail(i));
  }
  const spread = (i) => [Math.min, Math.max].map((end) => end(...data.values.map((values) => values[i])));

  /* What the other views have in the line of a query, or in the head of these lines; of many, the ends. */
  function others(cell, i) {
    if (data.views.length > 7) return i === undefined ? `Lowest and highest of ${data.views.length}` : spread(i).map((end) => shown(end, 0)).join(" to ");
    return span("others", ...[...data.views.keys()].filter((at) => at !== view()).map((at) => span(null, cell(at))));
  }

  const WHY = {
    self: "Removed before ranking: this is the query itself (self-retrieval). Finding it proves nothing.",
    copy: "Removed before ranking: a copy of the query's own text.",
    duplicate: "Removed before ranking: this id came before.",
  };

  function values(i) {
    const each = data.views.map((of, at) => {
      const name = data.views.length > 1 ? `${of.name} ` : "";
      return span(null, ...(data.marks.length > 1 ? [symbol(at, true)] : []), ` ${name}${shown(data.values[at][i], at)}`);
    });
    return make("dd", { class: "values" }, ...each);
  }

  function detail(i) {
    const known = page.packed?.opened[data.ids[i]];
    const lost = failed(i) >= 0;
    const error = lost ? [make("p", { class: "error" }, data.reasons[failed(i)])] : [];
    const facts = (known?.l ?? []).flatMap(([name, words]) => [make("dt", {}, name), told(null, words, "dd")]);
    facts.push(make("dt", {}, data.views[view()].measure), values(i));
    const left = [...(text(i) ? [make("h3", {}, "Query"), ...whole(text(i))] : []), make("dl", {}, ...facts)];
    if (known) return make("div", { class: "detail" }, make("div", {}, ...left, ...wanted(known)), hits(known, error));
    const why = lost ? "No hits came back, so this query counts as 0." : missing(data.ids[i]);
    return make("div", { class: "detail one" }, make("div", {}, ...error, ...left, make("p", { class: "note" }, why)));
  }

  function missing(id) {
    if (!page.packed) return "Its hits cannot be unpacked by this browser; they are in hits.parquet.";
    const number = Object.keys(page.packed.opened).length;
    return number ? `${count(number)} of ${count(data.total)} queries carry their hits in this page. Those of this one are in hits.parquet, query ${id}.` : "";
  }

  function wanted(known) {
    if (!known.p.length) return [];
    const came = known.p.filter((each) => each[2] && each[2] <= 10).length;
    const later = known.p.filter((each) => each[2] > 10).length;
    const title = `Judged relevant: ${came} of ${known.j} in the first ten${later ? `, ${later} further down` : ""}`;
    const rows = known.p.toSorted((a, b) => (a[2] || Infinity) - (b[2] || Infinity)).map(([id, grade, rank, words]) => {
      const near = rank && rank <= 10;
      const where = span(near ? "good" : null, rank ? `${near ? "✓ " : ""}rank ${rank}` : "not found");
      const graded = known.p.some((each) => each[1] !== 1) ? `, grade ${grade}` : "";
      return make("li", {}, where, span(null, make("small", {}, `${id}${graded} `), told(null, [words])));
    });
    return [make("h3", {}, title), make("ol", { class: "wanted" }, ...rows)];
  }

  function hits(known, error) {
    if (!known.h.length) {
      return make("div", {}, ...error, make("h3", {}, "No hits"), make("p", { class: "note" }, "The query counts as 0 for every task."));
    }
    const digits = Math.max(...known.h.map((each) => Math.abs(each[2] ?? 0))) < 10 ? 3 : 2;
    const rows = known.h.map(([rank, id, score, bits, removed, pieces, title]) => {
      const name = make("small", {}, id);
      const points = span("points", score === null ? "" : score.toFixed(digits));
      if (removed) {
        const gone = span("hit", name, told(null, pieces, "s"), span("told", WHY[removed]));
        return make("li", { class: "gone" }, span("rank", "–"), span("marks"), gone, points);
      }
      const of = data.marks.filter((_, at) => (bits >> at) & 1);
      const label = of.length ? `relevant for ${of.join(", ")}` : "not relevant";
      const marks = make("span", { class: "marks", role: "img", "aria-label": label }, ...data.marks.map((_, at) => symbol(at, (bits >> at) & 1)));
      const head = title ? [told(null, [title], "b")] : [];
      return make("li", {}, span("rank", String(rank)), marks, span("hit", ...head, name, told(null, pieces)), points);
    });
    const title = `First ${known.h.filter((each) => each[0]).length} of ${known.n} hits`;
    const score = known.h.some((each) => each[2] !== null) ? [span(null, "score")] : [];
    return make("div", {}, ...error, make("h3", { class: "headed" }, title, ...score), make("ol", { class: "hits" }, ...rows));
  }

  for (const key of KEYS) page.keep(key, null, (text_) => (Number(text_) in BARS[key].counts() ? Number(text_) : null));
  page.keep("column", null, ...page.named(columns.map((each) => each.name)));
  const labelled = (label) => columns[state.column]?.labels.indexOf(label) ?? -1;
  page.keep("label", null, (label) => (labelled(label) < 0 ? null : labelled(label)), (at) => columns[state.column].labels[at]);
  page.drawing.push(charts);
  page.clears.view = () => (state.bin ? { bin: null } : {});
  page.list({
    size: () => data.ids.length,
    id: (i) => data.ids[i],
    rows: "#list .q",
    steps: [10, 20],
    matches: (i) => inBars(i) && inLabel(i) && found(i),
    orders: {
      worst: (i) => (failed(i) >= 0 ? -1e9 : 0) + data.values[view()][i] + (data.ranks ? -1e-6 * (data.ranks[i] || 1e5) : 1e-6 * total(i)) + 1e-9 * has(i),
      best: (i) => -data.values[view()][i] + 1e-9 * has(i),
      slow: (i) => -(data.ms[i] ?? -1) + 1e-9 * has(i),
      apart: (i) => spread(i)[0] - spread(i)[1],
      data: has,
    },
    show: (top) => one("#list").replaceChildren(...(top.length ? top.map(row) : [make("p", { class: "sub" }, "No query matches. Remove a filter above.")])),
    said: (rows) => `${page.part(rows, data.ids.length)}, ${one("#sort").selectedOptions[0].text.toLowerCase()}`,
    chips: () => [
      ...KEYS.flatMap((key) => (state[key] === null ? [] : [[one(`.bars button[data-${key}="${state[key]}"]`)?.dataset.name ?? "value", { [key]: null }]])),
      ...(state.label === null ? [] : [[columns[state.column].labels[state.label], { column: null, label: null }]]),
    ],
  });
  page.arrived = () => {
    searched = null;
    if (page.broken) one("#find").placeholder = "Find in ids and beginnings: this browser cannot unpack the rest";
  };
  for (const key of KEYS) {
    for (const button of all(`.bars button[data-${key}]`)) {
      const at = Number(button.dataset[key]);
      button.addEventListener("click", () => page.choose({ [key]: state[key] === at ? null : at }));
    }
  }
  for (const button of all(".ranges button")) {
    const column = Number(button.dataset.column);
    const label = columns[column].top[button.dataset.row];
    button.addEventListener("click", () => {
      const again = state.column === column && state.label === label;
      page.choose(again ? { column: null, label: null } : { column, label });
    });
  }
  for (const button of all(".band [data-bin]")) {
    button.addEventListener("click", () => {
      page.choose({ bin: Number(button.dataset.bin) });
      one("#queries").scrollIntoView();
      one(".q summary")?.focus({ preventScroll: true });
    });
  }
}

/* == answerlist passagelist: entries that all stand in the page == */
if (page.one("#count")) {
  const { one, all, count, state } = page;
  const cards = all(".card");
  const noun = one("#count").dataset.noun;
  const COLUMNS = ["source_type", "category"];
  const texts = new Map();
  const filters = all("[data-f]");
  const groups = all("[data-column]");
  const chosen = () => filters.find((button) => button.dataset.f === state.f);
  const inFilter = (card) => !state.f || card.dataset.k.split(" ").includes(state.f);

  function textOf(card) {
    if (!texts.has(card)) texts.set(card, card.textContent.toLowerCase());
    return texts.get(card);
  }

  function visit(card) {
    card.scrollIntoView({ block: "start" });
    card.focus({ preventScroll: true });
  }

  page.keep("f", "", (text) => (filters.some((button) => button.dataset.f === text) ? text : undefined));
  for (const column of COLUMNS) {
    const known = new Set(groups.filter((button) => button.dataset.column === column).map((button) => button.dataset.value));
    page.keep(column, "", (text) => (known.has(text) ? text : undefined));
  }
  page.list({
    size: () => cards.length,
    id: (i) => cards[i].dataset.number,
    rows: ".card:not([hidden])",
    visit,
    forget: { q: "" },
    steps: [25, 50],
    matches: (i) =>
      inFilter(cards[i]) &&
      COLUMNS.every((column) => !state[column] || cards[i].dataset[column] === state[column]) &&
      (!state.find || textOf(cards[i]).includes(state.find.toLowerCase())),
    show(top) {
      const linked = cards.findIndex((card) => card.dataset.number === state.q); // whatever else is chosen
      const shown = new Set([...top, linked]);
      cards.forEach((card, i) => (card.hidden = !shown.has(i)));
      for (const button of filters) button.setAttribute("aria-pressed", button === chosen());
      for (const button of groups) button.setAttribute("aria-pressed", state[button.dataset.column] === button.dataset.value);
    },
    said(rows) {
      const [counted, held] = [Number(chosen().dataset.count), cards.filter(inFilter).length];
      return `${count(rows)} of ${count(counted)} ${noun}${held < counted && rows < held ? `; the page holds ${count(held)}` : ""}`;
    },
    chips: () => COLUMNS.filter((column) => state[column]).map((column) => [state[column], { [column]: "" }]),
  });
  for (const button of filters) {
    button.addEventListener("click", () => page.choose({ q: "", f: state.f === button.dataset.f ? "" : button.dataset.f }));
  }
  for (const button of groups) {
    const { column, value } = button.dataset;
    button.addEventListener("click", () => {
      page.choose({ q: "", [column]: state[column] === value ? "" : value });
      one("#answers")?.scrollIntoView();
    });
  }
  for (const link of all(".boxes a")) {
    link.addEventListener("click", (event) => {
      const card = one(link.hash);
      if (!card) return;
      event.preventDefault();
      page.choose({ f: "", source_type: "", category: "", find: "", q: card.dataset.number });
      visit(card);
    });
  }
  const arrive = () => {
    const card = state.q && cards.find((each) => each.dataset.number === state.q);
    if (card) visit(card);
  };
  page.arrived = arrive;
  addEventListener("hashchange", () => setTimeout(arrive));
}

/* == panels pair tracks views differences: charts are saved as pictures, as they look on the page == */
{
  const { all, one, make } = page;
  const EDGE = 16; // pixels around a picture
  const LINE = 17; // … of a line of text
  const SWATCH = 32; // … of a swatch and what follows it
  const SHARPNESS = 2; // pixels of a PNG per pixel of the drawing
  const OF_CHARTS = /^(\.plot|svg|:where\(\.plot\)|\.c4) (?=[^,{]*\{)/;
  const canvas = make("canvas").getContext("2d");

  /* The rules of charts, flat and with the values of variables: other programs know nothing of either. */
  function style(figure) {
    const values = getComputedStyle(document.documentElement);
    const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText)).filter((rule) => OF_CHARTS.test(rule));
    const kept = rules.filter((rule) => !rule.startsWith(".c4") || figure.closest(".c4")).map((rule) => rule.replace(OF_CHARTS, ""));
    const head = "text.title { font-size: 14px; font-weight: 600; fill: var(--ink); } text.sub { fill: var(--ink2); }";
    return [head, ...kept].join("").replace(/var\((--\w+)\)/g, (_, name) => values.getPropertyValue(name));
  }

  function lines(words, font, width) {
    canvas.font = font;
    const made = [""];
    for (const word of words.split(/\s+/)) {
      const longer = `${made.at(-1)} ${word}`.trim();
      if (made.at(-1) && canvas.measureText(longer).width > width) made.push(word);
      else made[made.length - 1] = longer;
    }
    return made;
  }

  function picture(figure) {
    const drawn = all(".plot svg", figure).find((each) => each.getClientRects().length);
    const [width, height] = drawn.getAttribute("viewBox").split(" ").slice(2).map(Number);
    const family = getComputedStyle(document.body).fontFamily;
    const told = (selector, root) => root && one(selector, root)?.textContent.trim();
    const chosen = one(`.seg input[name="${drawn.closest("[data-of]")?.dataset.of}"]:checked`)?.parentElement.textContent.trim();
    const title = [[told("h2", figure.closest("section")), told("h3", figure)].filter(Boolean).join(": "), chosen].filter(Boolean).join(", ");
    const parts = [];
    let [x, y] = [0, EDGE];
    for (const [words, kind, font, step] of [[title, "title", "600 14px", 20], [told(".sub", figure), "sub", "12px", LINE]]) {
      for (const line of words ? lines(words, `${font} ${family}`, width) : []) parts.push(make("text", { class: kind, x: EDGE, y: (y += step) - 4 }, line));
    }
    for (const entry of all("figcaption .legend [data-s]", figure)) {
      const wide = SWATCH + canvas.measureText(entry.textContent.trim()).width + 14;
      if (x === 0 || x + wide > width) [x, y] = [0, y + LINE];
      const swatch = make("g", { transform: `translate(${EDGE + x} ${y - 12})` }, one("svg", entry).cloneNode(true));
      parts.push(swatch, make("text", { class: "sub", x: EDGE + x + SWATCH, y: y - 4 }, entry.textContent.trim()));
      x += wide;
    }
    const [whole, high] = [width + 2 * EDGE, y + 8 + height + EDGE];
    const copy = drawn.cloneNode(true);
    copy.setAttribute("height", height); // a page stretches it
    const size = { width: whole, height: high };
    return make("svg", { viewBox: `0 0 ${whole} ${high}`, ...size },
      make("title", {}, drawn.parentElement.getAttribute("aria-label") ?? figure.dataset.figure), make("style", {}, style(figure)),
      make("rect", { ...size, fill: getComputedStyle(document.documentElement).getPropertyValue("--bg").trim() }),
      ...parts, make("g", { transform: `translate(${EDGE} ${y + 8})` }, copy));
  }

  async function file(figure, kind) {
    const drawn = picture(figure);
    const text = new XMLSerializer().serializeToString(drawn);
    if (kind === "svg") return new Blob([text], { type: "image/svg+xml" });
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const sheet = make("canvas", { width: SHARPNESS * image.width, height: SHARPNESS * image.height });
    sheet.getContext("2d").drawImage(image, 0, 0, sheet.width, sheet.height);
    return new Promise((done) => sheet.toBlob(done, "image/png"));
  }

  for (const figure of all("[data-figure]")) {
    const name = figure.dataset.figure;
    const saves = ["svg", "png"].map((kind) =>
      page.button("", null, [kind.toUpperCase()], async () => {
        const link = make("a", { href: URL.createObjectURL(await file(figure, kind)), download: `${name.replace(/[^\p{L}\p{N}@.=-]+/gu, "-")}.${kind}` });
        link.click();
        URL.revokeObjectURL(link.href);
        menu.open = false;
      }, { "aria-label": `Save ${name} as ${kind.toUpperCase()}` }));
    const menu = make("details", { class: "save" }, make("summary", { "aria-label": `Save ${name} as a picture` }, "Save"), make("div", {}, ...saves));
    one("figcaption", figure).append(menu);
  }
  addEventListener("click", (event) => {
    for (const menu of all(".save[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
}

/* == tracks: charts that are read run by run == */
{
  const { one, all, make, span, data, state } = page;
  const setOf = (line) => data.sets[line.set ?? 0]; // the runs of a line, and what is told of them
  const WIDTH = 300; // pixels of what is told of a run
  const JUMP = 10; // runs that Page Up and Page Down go over

  /* Texts: as the tables of the page have them. */
  function shown(value, unit = "") {
    const size = Math.abs(value);
    let text = value === 0 ? "0" : size < 10 ? value.toFixed(3) : "";
    if (size < 10 && value !== 0 && Number(text) === 0) text = String(Number(value.toPrecision(3)));
    if (size >= 1e12) text = String(Number(value.toPrecision(4)));
    else if (size >= 10) {
      const digits = Math.max(0, 3 - Math.floor(Math.log10(size)));
      text = value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
    }
    return `${text} ${unit}`.trim().replace("-", "−");
  }
  const has = (value) => value !== null && value !== undefined;

  /* The run before one in its series that has a value. */
  function before(line, place) {
    const { runs } = setOf(line);
    for (let at = place - 1; at >= 0; at--) if (runs[at][4] === runs[place][4] && has(line.v[at])) return at;
    return null;
  }

  function facts(line, place) {
    const { runs, rules, told } = setOf(line);
    const [number, began, commit, branch, series, status] = runs[place];
    const value = line.v[place];
    const ends = has(line.l?.[place]) && has(line.h?.[place]) ? `(${shown(line.l[place])} to ${shown(line.h[place])})` : "";
    const n = Array.isArray(line.n) ? line.n[place] : line.n;
    const from = has(value) ? before(line, place) : null;
    const change = from === null ? null : value - line.v[from];
    const rows = [["Commit", commit ? `${commit}${branch ? ` on ${branch}` : ""}` : "not known"]];
    if (change !== null) rows.push(["Change", `${change > 0 ? "+" : ""}${shown(change, line.unit)} since run ${runs[from][0]}`]);
    if (status !== "complete") rows.push(["Status", status]);
    if (series) rows.push(["Rules", `${rules[series]}, not comparable with the last run`]);
    if (line.said[place]) rows.push(["Found", line.said[place]]);
    return {
      head: `Run ${number}`,
      began,
      now: has(value) ? shown(value, line.unit) : "no value",
      beside: [ends, has(n) && has(value) ? `of ${n.toLocaleString("en")}` : ""].filter(Boolean).join(" "),
      rows: [...rows, ...(told[place] ?? [])],
    };
  }

  /* What is below the pointer, or where the keys are. */
  function reader(box) {
    const line = data.lines[box.dataset.line];
    const last = setOf(line).runs.length - 1;
    const figure = box.closest("figure");
    const tip = make("div", { class: "tip", "aria-hidden": "true", hidden: true });
    const slider = make("div", {
      class: "slider", role: "slider", tabindex: 0, "aria-orientation": "horizontal", "aria-label": `Runs of ${line.name}`,
      "aria-valuemin": 1, "aria-valuemax": last + 1, "aria-valuenow": last + 1, "aria-valuetext": words(last),
    });
    let at = last;
    let pinned = false;
    one(".stage", box).append(slider);
    box.append(tip);

    function words(place) {
      const { head, began, now, beside, rows } = facts(line, place);
      return [`${head}, ${began}: ${now} ${beside}`.trim(), ...rows.map(([name, text]) => `${name}: ${text}`)].join("; ");
    }

    /* The drawing that has room, where its scales lie, and how many pixels of it one is wide. */
    function frame() {
      const drawn = all("svg[data-frame]", box).find((each) => each.getBoundingClientRect().width > 0);
      if (!drawn) return null;
      const [left, right, top, bottom, low, high, least, most] = drawn.dataset.frame.split(" ").map(Number);
      const x = (place) => left + ((right - left) * (place - low)) / (high - low);
      const y = (value) => bottom - ((bottom - top) * (value - least)) / (most - least || 1);
      const { left: edge, width } = drawn.getBoundingClientRect();
      const scale = width / drawn.viewBox.baseVal.width;
      const under = (pointer) => Math.round(low + (((pointer - edge) / scale - left) / (right - left)) * (high - low));
      return { drawn, top, bottom, x, y, scale, under };
    }

    function clear() {
      for (const each of all(".cursor, .spot", box)) each.remove();
      tip.hidden = true;
    }

    function show(place) {
      at = Math.max(0, Math.min(last, place));
      clear();
      slider.setAttribute("aria-valuenow", at + 1);
      slider.setAttribute("aria-valuetext", words(at));
      const found = frame();
      if (!found) return;
      const { drawn, top, bottom, scale } = found;
      const x = found.x(at);
      drawn.append(make("path", { class: "cursor", d: `M${x.toFixed(1)} ${top}V${bottom}` }));
      if (has(line.v[at])) drawn.append(make("circle", { class: "spot", cx: x.toFixed(1), cy: found.y(line.v[at]).toFixed(1), r: 4.5 }));
      const { head, began, now, beside, rows } = facts(line, at);
      const list = rows.flatMap(([name, text]) => [make("dt", {}, name), make("dd", { dir: "auto" }, text)]);
      tip.replaceChildren(
        make("p", {}, make("b", {}, head), ` · ${began}`),
        make("p", { class: "now" }, now, " ", make("small", {}, beside)),
        make("dl", {}, ...list),
      );
      tip.hidden = false;
      const whole = box.getBoundingClientRect().width;
      const wide = Math.min(WIDTH, whole);
      const free = x * scale + 16 + wide <= whole ? x * scale + 16 : x * scale - 16 - wide;
      tip.style.left = `${Math.max(0, Math.min(free, whole - wide)).toFixed(0)}px`;
    }

    const under = (event) => frame()?.under(event.clientX) ?? at;
    const leave = () => pinned || slider.matches(":focus-visible") || clear();
    function release() {
      pinned = false;
      clear();
    }
    slider.addEventListener("pointermove", (event) => {
      if (event.pointerType !== "mouse" || !pinned) show(under(event));
    });
    slider.addEventListener("pointerdown", (event) => {
      const place = Math.max(0, Math.min(last, under(event)));
      pinned = event.pointerType !== "mouse" || !(pinned && place === at);
      show(place);
    });
    slider.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && leave());
    slider.addEventListener("focus", () => slider.matches(":focus-visible") && show(at));
    slider.addEventListener("blur", release);
    slider.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -JUMP, PageUp: JUMP, Home: -last, End: last };
      if (event.key === "Escape") release();
      else if (event.key in steps && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        show(at + steps[event.key]);
      }
    });
    return (place) => {
      figure.scrollIntoView({ block: "center" });
      slider.focus({ preventScroll: true });
      pinned = true;
      show(place);
    };
  }

  /* A chart gets its reader when it is first seen: of many measures most never are. */
  const readers = new Map();
  function read(box) {
    if (!readers.has(box)) readers.set(box, reader(box));
    return readers.get(box);
  }

  if (!one('[name="measure"]')) page.keep("measure", 0); // there is nothing to choose from: all charts are shown
  page.drawing.push(() => {
    for (const each of all(".none")) each.hidden = Boolean(one("figure:not([hidden])", each.closest(".courses")));
    for (const box of all(".read")) if (!box.closest("[hidden]")) read(box);
  });
  for (const button of all(".moments [data-line]")) {
    button.addEventListener("click", () => {
      page.choose({ measure: Number(button.dataset.line) });
      read(one(`.read[data-line="${button.dataset.line}"]`))(Number(button.dataset.place));
    });
  }
}

/* == chooser: queries of several services, and what is between them == */
{
  const { one, all, make, count, told, span, spaced, excerpt, marked, state, data, button, choose } = page;
  const ROW = 46; // pixels of a hit, so that lines lead from one list to the other
  const EXACT = 1e5; // values are whole numbers of this part of 1
  const LETTER = 6.6; // pixels of one of a text
  const number = (value) => (Math.abs(value) < 100 ? value.toFixed(3) : value.toFixed(1)).replace("-", "−");
  const signed = (value) => (value > 0 ? "+" : "") + number(value);
  const percent = (value) => `${value.toFixed(2)}%`;
  const base = () => data.bases[state.b];

  /* Pairs, in either direction: the place of one, and 1 or -1. */
  function pair(system) {
    const place = (b, s) => data.pairs.findIndex(([first, second]) => first === b && second === s);
    const there = place(base(), system);
    return there >= 0 ? [there, 1] : [place(system, base()), -1];
  }
  const partners = () => data.systems.map((_, place) => place).filter((place) => place !== base() && pair(place)[0] >= 0);

  /* The matrix, what its chosen cell says, and the systems in charts. */
  function matrix() {
    if (!partners().includes(state.s)) state.s = partners()[0];
    const [chosen, sign] = pair(state.s);
    for (const each of all(".cell")) each.setAttribute("aria-pressed", Number(each.dataset.m) === state.m && Number(each.dataset.p) === chosen);
    const key = `${state.m}.${chosen}`;
    const [tone, verdict, rest] = (sign < 0 && data.readings[`${key}.r`]) || (data.readings[key] ?? ["open", "", ""]);
    one("#reading").className = `reading ${tone}`;
    one("#reading").replaceChildren(make("b", {}, verdict), " ", span(null, rest));
    if (one("#base")) one("#base").textContent = data.systems[base()];
    const options = partners().map((place) => make("option", { value: place, selected: place === state.s }, data.systems[place]));
    one('select[name="s"]').replaceChildren(...options);
    for (const each of all("[data-s]")) {
      each.classList.toggle("chosen", Number(each.dataset.s) === state.s);
      each.classList.toggle("base", Number(each.dataset.s) === base());
    }
  }

  /* Queries: their values, the differences of two systems, and labels. */

  let labels = null;
  let searched = null;
  const known = (i) => page.packed.opened[i];
  const value = (m, system, i) => page.packed.values[m][system][i] / EXACT;
  const said = (i) => known(i)?.l || labels[i].join("\n");
  function difference(i) {
    const of = page.packed.values[state.m];
    const move = of[state.s][i] - of[base()][i];
    return Math.abs(move) <= data.ties[state.m] * EXACT ? 0 : move / EXACT;
  }

  page.arrived = () => {
    if (page.broken) for (const each of all("#differences, #slices, #queries .tools")) each.hidden = true;
    if (!page.packed) return;
    labels = page.packed.ids.map(() => []);
    for (const [column, values] of Object.entries(page.packed.slices)) {
      for (const [name, places] of Object.entries(values)) for (const i of places) labels[i].push(`${column}: ${name}`);
    }
    const longest = page.packed.ids.reduce((most, id) => Math.max(most, id.length), 0);
    document.body.style.setProperty("--ids", `${longest + 1}ch`);
    searched = page.packed.ids.map((id, i) => [id, said(i), known(i)?.t ?? ""].join("\n").toLowerCase());
  };

  /* Differences, sorted, in stretches: equal ones, and up to three on each side. */

  const short = (value) => String(Number(value.toPrecision(2)));
  function ticks(low, high) {
    const rough = (high - low) / 5 || 1;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999);
    return Array.from({ length: 12 }, (_, i) => Number(((Math.ceil(low / step) + i) * step).toPrecision(12))).filter((at) => at <= high);
  }

  function stretches(moves) {
    const most = Math.max(...moves.map(Math.abs), 1e-9);
    let step = [0.02, 0.05, 0.1, 0.2, 0.4].find((each) => each * 2.5 >= most);
    for (let power = 10 ** Math.floor(Math.log10(most)); !step; power *= 10) step = [0.4, 0.8, 2, 4].map((each) => each * power).find((each) => each * 2.5 >= most);
    const sizes = [[1, `by less than ${short(step)}`], [2, `by ${short(step)} to ${short(2 * step)}`], [3, `by ${short(2 * step)} or more`]];
    const size = (move) => (move === 0 ? 0 : 1 + (Math.abs(move) >= step - 1e-9) + (Math.abs(move) >= 2 * step - 1e-9));
    const worse = sizes.map(([of, name]) => ({ key: `l${of}`, name: `worse ${name}`, has: (d) => d < 0 && size(d) === of, look: "lost" })).reverse();
    const better = sizes.map(([of, name]) => ({ key: `g${of}`, name: `better ${name}`, has: (d) => d > 0 && size(d) === of, look: "won" }));
    const equal = { key: "e", name: "equal", has: (d) => d === 0, look: "box" };
    for (const each of [...worse, equal, ...better]) each.values = moves.filter(each.has).sort((a, b) => a - b);
    return [...worse, equal, ...better].filter((each) => each.values.length);
  }

  function sorted(parts) {
    const place = one('[data-figure="differences"] .plot');
    const [width, height, left, top, bottom] = [Math.max(300, Math.floor(place.clientWidth)), 300, 50, 30, 264];
    const values = parts.flatMap((each) => each.values);
    const [least, most] = [Math.min(values[0], 0), Math.max(values.at(-1), 0)];
    const range = most - least || 1;
    const [low, high] = [Math.min(least, -0.16 * range), Math.max(most, 0.16 * range)];
    const y = (at) => (top + ((high - at) / (high - low)) * (bottom - top)).toFixed(1);
    const drawn = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
    const write = (x, at, words, anchor, kind) => drawn.append(make("text", { x, y: Number(y(at)) + 4, "text-anchor": anchor, class: kind }, words));
    drawn.append(make("text", { x: 0, y: 11 }, `Δ ${data.measures[state.m]}`), make("text", { x: width, y: height - 3, "text-anchor": "end" }, "queries"));
    for (const at of ticks(low, high)) {
      drawn.append(make("path", { class: "grid", d: `M${left} ${y(at)}H${width}` }));
      write(left - 7, at, (at > 0 ? "+" : "") + String(at).replace("-", "−"), "end");
    }
    const equal = parts.find((each) => each.key === "e");
    const box = equal ? Math.min(96, width * 0.24) : 0;
    const each = (width - left - box) / Math.max(values.length - (equal?.values.length ?? 0), 1);
    let x = left;
    for (const part of parts) {
      const wide = part === equal ? box : part.values.length * each;
      const look = `${part.look}${parts.some((other) => other.key === state.f && other !== part) ? " dim" : ""}`;
      const shown = Math.min(part.values.length, Math.max(2, Math.round(wide * 1.5))); // many are drawn by quantiles
      const slim = wide / shown;
      const bars = Array.from({ length: shown }, (_, i) => {
        const at = part.values[Math.floor(((i + 0.5) * part.values.length) / shown)];
        return `M${(x + i * slim).toFixed(2)} ${y(0)}V${y(at)}h${(slim - (slim > 3 ? 1 : 0)).toFixed(2)}V${y(0)}z`;
      });
      if (part === equal) {
        drawn.append(make("rect", { class: look, x: x + 3, y: Number(y(0)) - 11, width: wide - 6, height: 22, rx: 3 }));
        write(x + wide / 2, 0, `${count(part.values.length)} equal`, "middle", "value");
      } else drawn.append(make("path", { class: look, d: bars.join("") }));
      const name = make("title", {}, `${part.name}: ${count(part.values.length)} queries`);
      const size = { x: x.toFixed(1), y: top, width: Math.max(wide, 1).toFixed(1), height: bottom - top };
      const over = make("rect", { class: "over", "data-stretch": part.key, ...size }, name);
      over.addEventListener("click", () => press(part));
      drawn.append(over);
      x += wide;
    }
    place.replaceChildren(drawn);
  }
  /* The values of one system against those of the other: near queries share a circle. */
  function scatter() {
    const place = one('[data-figure="scatter"] .plot');
    if (!place) return;
    const [first, second] = [base(), state.s].map((system) => page.packed.ids.map((_, i) => value(state.m, system, i)));
    const [low, high] = [Math.min(...first, ...second), Math.max(...first, ...second)].map((end, at, both) => (both[0] < both[1] ? end : end + at - 0.5));
    const circles = new Map();
    const near = new Set(first.map((x, i) => `${x} ${second[i]}`)).size > 400 ? (x) => low + (Math.round(((x - low) / (high - low)) * 40) / 40) * (high - low) : (x) => x;
    first.forEach((x, i) => {
      const key = [near(x), moves[i] ? near(second[i]) : near(x)].join(" ");
      circles.set(key, (circles.get(key) ?? 0) + 1);
    });
    const [width, height, left, top] = [Math.max(300, Math.floor(place.clientWidth)), 300, 50, 40];
    const [right, bottom] = [width - 24, height - 50];
    const [inner, free] = [left + 18, bottom - 18]; // circles cover no tick
    const x = (at) => (inner + ((at - low) / (high - low)) * (right - inner)).toFixed(1);
    const y = (at) => (free - ((at - low) / (high - low)) * (free - top)).toFixed(1);
    const write = (at, to, anchor, words, kind) => make("text", { x: at, y: to, "text-anchor": anchor, class: kind }, words);
    const drawn = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
    for (const at of ticks(low, high)) {
      drawn.append(make("path", { class: "grid", d: `M${left - 6} ${y(at)}H${width}` }), write(left - 12, Number(y(at)) + 4, "end", String(at)), write(x(at), bottom + 22, "middle", String(at)));
    }
    drawn.append(make("path", { class: "line dashed thin", d: `M${x(low)} ${y(low)}L${x(high)} ${y(high)}` }));
    for (const [key, queries] of [...circles].sort((a, b) => b[1] - a[1])) {
      const [a, b] = key.split(" ").map(Number);
      const size = { cx: x(a), cy: y(b), r: Math.min(2.6 * Math.sqrt(queries), 20) };
      drawn.append(make("circle", { class: `bubble ${b > a ? "good" : b < a ? "bad" : ""}`, ...size }, make("title", {}, `${count(queries)} queries: ${number(a)} and ${number(b)}`)));
    }
    const [baseline, system] = [base(), state.s].map((each) => data.systems[each].replace(/^(.{40}).{3,}$/u, "$1…"));
    drawn.append(write(left + 14, 40, "start", "▲ better", "value good halo"), write(right - 14, bottom - 12, "end", "▼ worse", "value bad halo"));
    drawn.append(write(0, 11, "start", `${system} ↑`), write(right, height - 3, "end", `${baseline} →`));
    place.replaceChildren(drawn);
    place.setAttribute("aria-label", `${data.measures[state.m]} of each query: ${system} upwards, ${baseline} to the right`);
  }
  const press = (part) => choose({ f: state.f === part.key ? "" : part.key });

  function differences(parts) {
    const figure = one('[data-figure="differences"]');
    figure.hidden = parts.every((each) => each.key === "e");
    if (!figure.hidden) sorted(parts);
    scatter();
    const sum = (look) => count(parts.filter((each) => each.look === look).reduce((all_, each) => all_ + each.values.length, 0));
    one('[data-figure="differences"] .sub').textContent =
      `${data.systems[state.s]} minus ${data.systems[base()]} in ${data.measures[state.m]}: ${sum("lost")} queries worse, ` +
      `${sum("box")} equal, ${sum("won")} better. Click a range to list its queries.`;
    const SIGNS = { lost: ["bad", "▼"], box: [null, "="], won: ["good", "▲"] };
    const made = parts.map((part) => {
      const words = [span(...SIGNS[part.look]), ` ${part.name} `, make("small", {}, count(part.values.length))];
      const pressed = () => {
        press(part);
        one(`#stretches [data-stretch="${part.key}"]`)?.focus();
      };
      return button("", state.f === part.key, words, pressed, { "data-stretch": part.key });
    });
    one("#stretches").replaceChildren(...made);
  }

  /* Slices. */

  function slices() {
    const column = data.columns[state.c];
    const [chosen, sign] = pair(state.s);
    const found = (data.slices[`${state.m}.${chosen}`] ?? []).filter((each) => each.column === column);
    const rows = found.map((each) => ({ ...each, mean: sign * each.mean, low: Math.min(sign * each.low, sign * each.high), high: Math.max(sign * each.low, sign * each.high) }));
    const inOrder = rows.every((each) => /^[−-]?\d/.test(each.value));
    rows.sort(inOrder ? (a, b) => parseFloat(a.value) - parseFloat(b.value) : (a, b) => a.mean - b.mean);
    const [low, high] = [Math.min(0, ...rows.map((each) => each.low)), Math.max(0, ...rows.map((each) => each.high))];
    const at = (mean) => 4 + (92 * (mean - low)) / (high - low || 1);
    const overall = at(sign * (data.means[`${state.m}.${chosen}`] ?? 0));
    one("#slices-said").textContent = rows.length
      ? `${rows.filter((each) => each.significant).length} of ${rows.length} slices by ${column} differ significantly after correction. Small slices have long lines; dashed is the mean of all queries.`
      : `The page has no slices by ${column} of this measure and pair.`;
    one("#slices .lo").textContent = low ? signed(low) : "";
    one("#slices .hi").textContent = high ? signed(high) : "";
    one("#slices .at").style.left = percent(at(0));
    const key = (each) => `${column}:${each.value}`;
    const shown = state.all || inOrder ? rows : rows.filter((each, place) => place < 8 || place >= rows.length - 3 || each.significant || state.sl === key(each));
    const made = shown.map((each) => {
      const tone = each.significant ? (each.mean > 0 ? "up" : "down") : "open";
      const style = { "--low": at(each.low), "--wide": at(each.high) - at(each.low), "--mean": at(each.mean), "--zero": at(0), "--all": overall };
      const words = `${{ up: "▲ ", down: "▼ ", open: "" }[tone]}${signed(each.mean)}`;
      const cells = [
        make("span", { class: "name", lang: page.language(each.value), dir: "auto" }, each.value),
        make("span", { class: "track zero", style: Object.entries(style).map(([name, where]) => `${name}:${percent(where)}`).join(";") }),
        span("mean", words), span("count", count(each.queries)), span("count", each.p),
      ];
      const pressed = () => {
        choose({ sl: state.sl === key(each) ? "" : key(each) });
        all("#slice-rows .name").find((name) => name.textContent === each.value)?.parentElement.focus();
      };
      return button(tone, state.sl === key(each), cells, pressed);
    });
    one("#slice-rows").replaceChildren(...made);
    one("#all-slices").hidden = shown.length === rows.length;
    one("#all-slices").textContent = `Show the other ${rows.length - shown.length} slices`;
  }

  /* The list. */

  function row(i) {
    const id = page.packed.ids[i];
    const move = moves[i];
    const width = (50 * Math.abs(move)) / largest;
    const style = `--from:${move < 0 ? 50 - width : 50}%;--wide:${width}%`;
    const bar = make("span", { class: `move ${move < 0 ? "lost" : "won"}`, style, "aria-hidden": "true" });
    const words = known(i)?.t || said(i).replaceAll("\n", " · ");
    const has = (each) => each.toLowerCase().includes(state.find.toLowerCase());
    const label = state.find && !has(words) && !has(id) ? said(i).split("\n").find(has) : "";
    const begins = told("begin", excerpt(words));
    if (label) begins.prepend(...marked(label), " · ");
    const both = span("both", `${number(value(state.m, base(), i))} → ${number(value(state.m, state.s, i))}`);
    const by = make("b", { class: `d ${move < 0 ? "bad" : move > 0 ? "good" : ""}` }, signed(move));
    return page.query(id, [span("arrow"), bar, by, both, span("id", ...marked(id)), begins], () => detail(i));
  }

  function detail(i) {
    const has = known(i);
    const words = (said(i) ? said(i).split("\n") : []).map((each) => told(null, each));
    const values = data.measures.map((name, m) => span(m === state.m ? "now" : null, `${name} ${number(value(m, base(), i))} → ${number(value(m, state.s, i))}`));
    const lines = [words, values].filter((each) => each.length).map((each) => make("p", { class: "known" }, ...spaced(each)));
    const none = has ? "No hits of this query are stored." : "The page has hits of the queries that moved most, and this is none of them.";
    const stored = Object.values(page.packed.opened).some((each) => each.h.length);
    const hits = has?.h.length ? [...sides(has), ...wanted(has)] : stored ? [make("p", { class: "note" }, none)] : [];
    return make("div", { class: "detail one" }, ...(has?.t ? page.whole(has.t) : []), ...lines, ...hits);
  }

  function sides(has) {
    const mark = data.mark_of[state.m];
    const both = [base(), state.s].map((system) => has.h[system]);
    const relevant = (side, place) => mark !== null && ((side[1][place] >> mark) & 1) === 1;
    const places = both.map((side) => new Map((side?.[0] ?? []).map((document, place) => [document, place])));
    const shown = both.map((side, at) => {
      const name = data.systems[at ? state.s : base()];
      if (!side) return make("div", {}, make("h3", {}, name), make("p", { class: "note" }, "Its hits are not known."));
      const found = side[0].filter((_, place) => relevant(side, place)).length;
      const words = mark === null ? `${side[0].length} hits` : `${found} relevant in the top ${side[0].length}`;
      const made = side[0].map((_, place) => hit(has, side, place, relevant(side, place), places[1 - at], at));
      const rest = side[5] > side[0].length ? [make("p", { class: "note" }, `${side[0].length} of ${count(side[5])} hits`)] : [];
      const list = made.length ? make("ol", {}, ...made) : make("p", { class: "note" }, "No hits.");
      return make("div", { class: at ? "second" : "first" }, make("h3", {}, `${name} `, span(null, words)), list, ...rest);
    });
    const height = ROW * Math.max(...both.map((side) => side?.[0].length ?? 0));
    const slopes = [...places[0]].filter(([document]) => places[1].has(document)).map(([document, from]) => {
      const to = places[1].get(document);
      const look = relevant(both[0], from) ? (to < from ? "won" : to > from ? "lost" : "kept") : "";
      const [begin, end] = [from, to].map((place) => place * ROW + ROW / 2);
      return make("path", { class: look, d: `M2 ${begin}C24 ${begin} 34 ${end} 56 ${end}` });
    });
    const between = make("svg", { class: "slope", width: 58, height, viewBox: `0 0 58 ${height}`, "aria-hidden": "true" }, ...slopes);
    const measure = data.measures[state.m];
    const name = data.marks[mark];
    const words = mark === null ? `For ${measure} this result keeps no marks of hits.` : name ? `● is relevant for ${name}, the task of ${measure}.` : `● is relevant for ${measure}.`;
    return [make("p", { class: "note" }, words), make("div", { class: "sides" }, shown[0], make("div", { class: "between" }, between), shown[1])];
  }

  function hit(has, side, place, good, other, second) {
    const document = side[0][place];
    const there = other.get(document);
    const tone = good ? (second ? "good" : "bad") : "";
    let [way, look] = second ? ["new", tone] : ["→ out", tone];
    if (there !== undefined) {
      way = !second ? `→ ${there + 1}` : there === place ? "=" : there > place ? `↑ ${there - place}` : `↓ ${place - there}`;
      look = second && there !== place ? (there > place ? tone : good ? "bad" : "") : "";
    }
    const [score, rank, grade] = [side[2][place], side[3][place] ?? place + 1, side[4][place]];
    const facts = [good ? "relevant" : data.mark_of[state.m] === null ? "" : "not relevant", grade === null ? "" : `grade ${grade}`, score === null ? "" : `score ${score}`];
    const words = told("words", [has.w[document] ?? ""].flat());
    words.prepend(make("code", {}, page.packed.documents[document]), " ");
    const dot = span("mark", good ? "●" : "·", span("vh", good ? "relevant" : ""));
    return make("li", { class: good ? "relevant" : null, title: facts.filter(Boolean).join(", ") }, span("rank", String(rank)), dot, span(`way ${look}`, way), words);
  }

  /* What should have been found: as judged; where labels decide, only what was found is known. */
  function wanted(has) {
    const mark = data.mark_of[state.m];
    if (mark === null || !has.j.includes(mark) || !has.n) return [];
    const rows = has.r.filter((each) => each[1] === null || each[1] >= data.grades[mark]);
    const lost = rows.filter((each) => each[2 + base()] === null && each[2 + state.s] === null).length;
    const cut = has.n > has.r.length;
    const what = cut ? `The best ${has.r.length} of ${count(has.n)} relevant documents` : `${count(rows.length)} relevant document${rows.length === 1 ? "" : "s"}`;
    const words = lost ? `${what}; ${count(lost)} found by neither system` : `${what}; found by at least one system`;
    const cells = (tag, scope, of) => make("tr", {}, ...of.map((each, at) => make(at ? tag : "th", { class: at ? "r" : null, scope: at && tag === "td" ? null : scope }, String(each))));
    const lines = rows.map((each) => [page.packed.documents[each[0]], each[1] ?? "–", each[2 + base()] ?? "not found", each[2 + state.s] ?? "not found"]);
    const head = make("thead", {}, cells("th", "col", ["Relevant", "Grade", data.systems[base()], data.systems[state.s]]));
    const table = make("table", {}, head, make("tbody", {}, ...lines.map((each) => cells("td", "row", each))));
    const region = { class: "scroll", tabindex: "0", role: "region", "aria-label": "Relevant documents" };
    return [make("details", { class: "wanted" }, make("summary", {}, words), make("div", region, table))];
  }

  /* What is chosen. */

  page.keep("m", data.start.m, ...page.named(data.measures), true);
  page.keep("b", data.start.b, ...page.named(data.bases.map((each) => data.systems[each])), data.bases.length > 1);
  page.keep("s", data.start.s, ...page.named(data.systems), true);
  page.keep("c", 0, ...page.named(data.columns));
  page.keep("sl", "");
  page.keep("f", "");
  for (const name of "mbs") page.clears[name] = () => ({ f: "" });
  page.clears.c = () => ({ sl: "" });

  let [moves, largest, stretch, slice] = [[], 1, null, null];
  page.drawing.push(matrix, () => {
    if (!page.packed) return;
    moves = page.packed.ids.map((_, i) => difference(i));
    largest = moves.reduce((most, each) => Math.max(most, Math.abs(each)), 1e-9);
    const parts = stretches(moves);
    stretch = parts.find((each) => each.key === state.f);
    const [, column, name] = /^(.*?):(.*)$/s.exec(state.sl) ?? [];
    const places = page.packed.slices[column]?.[name];
    slice = places ? { name, of: new Set(places) } : null;
    differences(parts);
    const heads = [null, null, `Δ ${data.measures[state.m]}`, `${data.systems[base()]} → ${data.systems[state.s]}`, "query"];
    one("#movehead").replaceChildren(...heads.map((text) => span(null, text ?? "")));
    if (data.columns.length) slices();
  });
  /* Where all queries are equal, one sentence stands for a list of zeros until some are asked for. */
  const isTie = () => !stretch && !slice && !state.find && moves.every((each) => each === 0);
  const none = () => (isTie() ? `All ${count(moves.length)} queries have the same ${data.measures[state.m]} in both.` : "No query matches. Remove a filter above.");
  page.list({
    size: () => moves.length,
    id: (i) => page.packed.ids[i],
    rows: "#list .q",
    steps: [12, 20],
    matches: (i) => (moves[i] !== 0 || stretch || slice || state.find) && (!stretch || stretch.has(moves[i])) && (!slice || slice.of.has(i)) && (!state.find || searched[i].includes(state.find.toLowerCase())),
    orders: { losses: (i) => moves[i], gains: (i) => -moves[i], moves: (i) => -Math.abs(moves[i]), data: () => 0 },
    show: (top) => one("#list").replaceChildren(...(top.length ? top.map(row) : [make("p", { class: "sub" }, none())])),
    said: (rows) => page.part(rows, moves.length) + (stretch || slice || state.find || rows === moves.length ? "" : "; equal ones are left out"),
    chips: () => [...(stretch ? [[stretch.name, { f: "" }]] : []), ...(slice ? [[slice.name, { sl: "" }]] : [])],
  });
  page.keep("all", false, () => true, () => "1");

  for (const cell of all(".cell")) {
    cell.addEventListener("click", () => {
      const [first, second] = data.pairs[cell.dataset.p];
      choose({ m: Number(cell.dataset.m), s: first === base() ? second : first, f: "" });
    });
  }
  for (const more of all("[data-more]")) {
    more.addEventListener("click", () => {
      for (const late of all(".late", more.closest(".matrix"))) late.classList.remove("late");
      more.remove();
    });
  }
  one("#all-slices")?.addEventListener("click", () => choose({ all: true }));
  let wide = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === wide) return;
    wide = innerWidth;
    page.draw();
  });
}
