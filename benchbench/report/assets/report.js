"use strict";
{
  const { one, all, make, count, language, excerpt } = page;

  /* What is chosen, and the same in the URL's fragment. */

  const source = one("#data");
  const data = source && JSON.parse(source.textContent);
  const STEP = 20;
  const state = { choices: {}, bin: null, column: null, label: null, find: "", sort: "worst", open: "", shown: 10 };

  function remember() {
    const kept = new URLSearchParams();
    for (const [key, at] of Object.entries(state.choices)) if (at) kept.set(key, at);
    if (state.bin !== null) kept.set("bin", state.bin);
    if (state.label !== null) {
      kept.set("column", data.columns[state.column].name);
      kept.set("label", data.columns[state.column].labels[state.label]);
    }
    if (state.find) kept.set("find", state.find);
    if (state.sort !== "worst") kept.set("sort", state.sort);
    if (state.open) kept.set("q", state.open);
    page.keep(kept);
  }

  function recall() {
    const kept = page.kept();
    for (const key of new Set(all(".seg input").map((input) => input.name))) {
      const input = all(".seg input").find((each) => each.name === key && each.value === kept.get(key));
      if (input) input.checked = true;
      state.choices[key] = input ? Number(input.value) : 0;
      show(key);
    }
    if (!data) return;
    const bin = Number(kept.get("bin"));
    if (kept.has("bin") && bin >= 0 && bin < data.counts[0].length) state.bin = bin;
    const column = data.columns.findIndex((each) => each.name === kept.get("column"));
    if (column >= 0) {
      const label = data.columns[column].labels.indexOf(kept.get("label"));
      if (label >= 0) [state.column, state.label] = [column, label];
    }
    state.find = kept.get("find") ?? "";
    state.open = data.ids.includes(kept.get("q")) ? kept.get("q") : "";
    one("#find").value = state.find;
    if (["best", "slow", "data"].includes(kept.get("sort"))) state.sort = one("#sort").value = kept.get("sort");
  }

  function show(key) {
    const at = state.choices[key];
    for (const each of all(`[data-of="${key}"]`)) each.hidden = Number(each.dataset.at) !== at;
    const said = one(`[data-said="${key}"]`);
    const told = one(`.seg input[name="${key}"]:checked`)?.dataset.told;
    if (said && told) said.textContent = told;
  }

  for (const input of all(".seg input")) {
    input.addEventListener("change", () => {
      state.choices[input.name] = Number(input.value);
      show(input.name);
      if (input.name === "view" && state.bin) state.bin = null;
      if (data) update();
      remember();
    });
  }

  /* Texts: the beginnings at once, whole ones when they are unpacked. */

  let packed = null;
  let searched = null;
  const begin = (i) => (i < (data.begin.length || 0) ? data.begin[i] : packed?.begin[i - data.begin.length]) || "";
  const text = (i) => packed?.texts[i] || begin(i);
  const marked = (words) => page.marked(words, state.find);
  const labels = (i) => data.columns.map((column) => column.rows[i].map((at) => column.labels[at]));

  async function unpack() {
    packed = await page.unpacked();
    searched = null;
  }

  function found(i) {
    if (!state.find) return true;
    searched ??= data.ids.map((id, n) => [id, ...labels(n).flat(), text(n)].join("\n").toLowerCase());
    return searched[i].includes(state.find.toLowerCase());
  }

  /* The list. */

  const view = () => state.choices.view ?? 0;
  const failed = (i) => (data.failed.length ? data.failed[i] : -1);
  const bin = (i) => data.bins[view()].charCodeAt(i) - 65;
  const inBin = (i) => state.bin === null || bin(i) === state.bin;
  const inLabel = (i) => state.label === null || data.columns[state.column].rows[i].includes(state.label);
  const shown = (value, at) => {
    const { top } = data.views[at];
    if (top !== 1) return ((value / 1e4) * top).toLocaleString("en", { maximumSignificantDigits: 4 });
    return (value / 100).toFixed(1);
  };
  const time = (ms) => (ms >= 999.5 ? `${(ms / 1000).toFixed(2)} s` : `${ms >= 99.95 ? ms.toFixed(0) : ms.toFixed(ms < 0.95 ? 2 : 1)} ms`);
  const total = (i) => data.values.reduce((sum, values) => sum + values[i], 0);
  const order = {
    worst: (i) => (failed(i) >= 0 ? -1e9 : 0) + data.values[view()][i] + 1e-6 * total(i),
    best: (i) => -data.values[view()][i],
    slow: (i) => -(data.ms[i] ?? -1),
    data: () => 0,
  };

  function update() {
    bars();
    for (const button of all(".ranges button")) {
      const column = Number(button.dataset.column);
      const pressed = state.column === column && data.columns[column].top[button.dataset.row] === state.label;
      button.setAttribute("aria-pressed", state.label !== null && pressed);
    }
    list();
  }

  function bars() {
    const part = state.label !== null || state.find !== "";
    const counts = data.counts[view()];
    const chosen = new Array(counts.length).fill(0);
    const held = new Array(counts.length).fill(0);
    for (let i = 0; i < data.ids.length; i++) {
      held[bin(i)]++;
      if (inLabel(i) && found(i)) chosen[bin(i)]++;
    }
    for (const button of all(".bars button")) {
      const at = Number(button.dataset.bin);
      const name = button.dataset.name ?? (button.dataset.name = button.getAttribute("aria-label").split(": ").slice(1).join(": "));
      const number = part ? chosen[at] : counts[at];
      button.setAttribute("aria-pressed", state.bin === at);
      button.classList.toggle("pressed", state.bin !== null);
      button.setAttribute("aria-label", `${part ? `${count(number)} of ` : ""}${count(counts[at])} queries: ${name}`);
      one(".n", button).textContent = count(number);
      one(".sel", button).style.height = `${part && held[at] ? (100 * chosen[at]) / held[at] : part ? 0 : 100}%`;
    }
  }

  function chips() {
    const made = [];
    const chip = (words, clear) => {
      const cleared = () => {
        clear();
        changed();
      };
      made.push(page.chip(words, cleared));
    };
    if (state.bin !== null) {
      const name = one(`.bars button[data-bin="${state.bin}"]`)?.dataset.name ?? "value";
      chip(name, () => (state.bin = null));
    }
    if (state.label !== null) {
      chip(data.columns[state.column].labels[state.label], () => (state.column = state.label = null));
    }
    one("#chips").replaceChildren(...made);
  }

  function list() {
    const rows = [];
    for (let i = 0; i < data.ids.length; i++) if (inBin(i) && inLabel(i) && found(i)) rows.push(i);
    const keys = new Map(rows.map((i) => [i, order[state.sort](i)]));
    const has = (i) => (packed && packed.opened[data.ids[i]] ? 0 : 1);
    rows.sort((a, b) => keys.get(a) - keys.get(b) || has(a) - has(b) || a - b);
    const opened = state.open ? data.ids.indexOf(state.open) : -1;
    const top = rows.slice(0, state.shown);
    if (opened >= 0 && rows.includes(opened) && !top.includes(opened)) top.unshift(opened);
    one("#list").replaceChildren(...top.map(row));
    if (!rows.length) one("#list").append(make("p", { class: "sub" }, "No query matches. Remove a filter above."));
    const some = rows.length === data.ids.length ? `All ${count(rows.length)} queries` : `${count(rows.length)} of ${count(data.ids.length)} queries`;
    one("#count").textContent = `${some}, ${one("#sort").selectedOptions[0].text.toLowerCase()}`;
    const more = one("#more");
    more.hidden = rows.length <= state.shown;
    more.textContent = `Show ${Math.min(STEP, rows.length - state.shown)} more of ${count(rows.length - state.shown)}`;
    one(".qhead span").textContent = data.views[view()].measure;
    chips();
  }

  function row(i) {
    const id = data.ids[i];
    const value = data.values[view()][i];
    const lost = failed(i) >= 0;
    const score = lost
      ? [make("span", { class: "bad" }, "✕ no answer")]
      : [make("b", {}, shown(value, view())), make("span", { class: "meter", style: `--share:${value / 100}%` })];
    const words = text(i) ? marked(excerpt(text(i), state.find)) : lost ? [] : [others(i)];
    const begins = make("span", { class: "begin", dir: "auto", lang: language(text(i).slice(0, 80)) }, ...words);
    if (lost) begins.prepend(make("span", { class: "why" }, data.reasons[failed(i)].slice(0, 40)));
    const first = data.columns.length ? labels(i)[state.choices.by ?? 0].join(", ") : "";
    const summary = make(
      "summary",
      {},
      make("span", { class: "score" }, ...score),
      make("span", { class: "id" }, id),
      begins,
      make("span", { class: "label", dir: "auto", lang: language(first) }, ...marked(first)),
      make("span", { class: "ms" }, data.ms[i] === null ? "" : time(data.ms[i])),
      make("span", { class: "arrow" }),
    );
    const made = make("details", { class: "q", "data-id": id, open: state.open === id }, summary);
    const fill = () => made.children.length < 2 && made.append(detail(i));
    if (made.open) fill();
    made.addEventListener("toggle", () => {
      if (made.open) fill();
      if (made.open) state.open = id;
      else if (state.open === id) state.open = "";
      remember();
    });
    return made;
  }

  const others = (i) =>
    data.views.map((each, at) => (at === view() ? "" : `${each.name} ${shown(data.values[at][i], at)}`)).filter(Boolean).join("   ");

  function symbol(task, filled) {
    const names = "http://www.w3.org/2000/svg";
    const drawn = document.createElementNS(names, "svg");
    const use = document.createElementNS(names, "use");
    for (const [name, value] of [["class", "mk"], ["viewBox", "0 0 14 14"], ["aria-hidden", "true"]]) drawn.setAttribute(name, value);
    use.setAttribute("href", `#m${task % 8}`);
    use.setAttribute("class", filled ? "f" : "o");
    drawn.append(use);
    return drawn;
  }

  const WHY = {
    self: "Removed before ranking: this is the query itself (self-retrieval). Finding it proves nothing.",
    copy: "Removed before ranking: a copy of the query's own text.",
    duplicate: "Removed before ranking: this id came before.",
  };

  function whole(i) {
    const words = text(i);
    return words ? page.whole(words, state.find, words.length > 420) : [];
  }

  function values(i) {
    const each = data.views.map((one_, at) =>
      make("span", {}, symbol(at, true), ` ${data.views.length > 1 ? `${one_.name} ` : ""}${shown(data.values[at][i], at)}`),
    );
    if (data.marks.length === 0) each.forEach((made) => made.firstChild.remove());
    return make("dd", { class: "values" }, ...each);
  }

  function detail(i) {
    const id = data.ids[i];
    const known = packed?.opened[id];
    const lost = failed(i) >= 0;
    const error = lost ? [make("p", { class: "error" }, data.reasons[failed(i)])] : [];
    const facts = make("dl", {});
    for (const [name, words] of known?.l ?? []) {
      facts.append(make("dt", {}, name), make("dd", { lang: language(words), dir: "auto" }, words));
    }
    facts.append(make("dt", {}, data.views[view()].measure), values(i));
    const left = make("div", {}, make("h3", {}, "Query"), ...whole(i), facts);
    if (!known) {
      const why = lost ? "No hits came back, so this query counts as 0." : missing(id);
      return make("div", { class: "detail one" }, make("div", {}, ...error, ...left.children, make("p", { class: "note" }, why)));
    }
    if (known.p.length) left.append(...wanted(known));
    return make("div", { class: "detail" }, left, hits(known, error));
  }

  function missing(id) {
    if (!packed) return "Its hits cannot be unpacked by this browser; they are in hits.parquet.";
    const number = Object.keys(packed.opened).length;
    return number ? `${count(number)} of ${count(data.total)} queries carry their hits in this page. Those of this one are in hits.parquet, query ${id}.` : "";
  }

  function wanted(known) {
    const came = known.p.filter((each) => each[2] && each[2] <= 10).length;
    const later = known.p.filter((each) => each[2] > 10).length;
    const title = `Judged relevant: ${came} of ${known.j} in the first ten${later ? `, ${later} further down` : ""}`;
    const rows = known.p.map(([id, grade, rank, words]) => {
      const near = rank && rank <= 10;
      const where = make("span", { class: near ? "good" : null }, rank ? `${near ? "✓ " : ""}rank ${rank}` : "not found");
      const begins = make("span", { class: "begin", lang: language(words), dir: "auto" }, words || id);
      return make("li", { title: id }, where, make("span", {}, `grade ${grade}`), begins);
    });
    return [make("h3", {}, title), make("ol", { class: "wanted" }, ...rows)];
  }

  function hits(known, error) {
    if (!known.h.length) {
      return make("div", {}, ...error, make("h3", {}, "No hits"), make("p", { class: "note" }, "The query counts as 0 for every task."));
    }
    const rows = known.h.map(([rank, id, score, bits, removed, pieces]) => {
      const words = pieces.map((piece, at) => (at % 2 ? make("mark", {}, piece) : piece));
      const lang = language(pieces.join("").slice(0, 200));
      const name = make("small", {}, id);
      const points = make("span", { class: "points" }, score === null ? "" : score.toLocaleString("en", { maximumSignificantDigits: 4 }));
      if (removed) {
        const gone = make("s", { lang, dir: "auto" }, ...words);
        const why = make("span", { class: "told" }, WHY[removed]);
        return make("li", { class: "gone" }, make("span", { class: "rank" }, "–"), make("span", { class: "marks" }), make("span", { class: "hit" }, name, gone, why), points);
      }
      const of = data.marks.filter((_, at) => (bits >> at) & 1);
      const label = of.length ? `relevant for ${of.join(", ")}` : "not relevant";
      const marks = make("span", { class: "marks", role: "img", "aria-label": label }, ...data.marks.map((_, at) => symbol(at, (bits >> at) & 1)));
      return make("li", {}, make("span", { class: "rank" }, String(rank)), marks, make("span", { class: "hit" }, name, make("span", { lang, dir: "auto" }, ...words)), points);
    });
    const title = `First ${known.h.filter((each) => each[0]).length} of ${known.n} hits`;
    return make("div", {}, ...error, make("h3", {}, title), make("ol", { class: "hits" }, ...rows));
  }

  function changed() {
    state.shown = 10;
    update();
    remember();
  }

  function press(button) {
    if (button.dataset.bin !== undefined) {
      const at = Number(button.dataset.bin);
      state.bin = state.bin === at ? null : at;
    } else {
      const column = Number(button.dataset.column);
      const label = data.columns[column].top[button.dataset.row];
      const again = state.column === column && state.label === label;
      [state.column, state.label] = again ? [null, null] : [column, label];
    }
    changed();
  }

  if (data) {
    recall();
    for (const button of all(".bars button, .ranges button")) button.addEventListener("click", () => press(button));
    for (const button of all(".band [data-bin]")) {
      button.addEventListener("click", () => {
        state.bin = Number(button.dataset.bin);
        changed();
        one("#queries").scrollIntoView();
        one(".q summary")?.focus({ preventScroll: true });
      });
    }
    one("#find").addEventListener("input", (event) => {
      state.find = event.target.value.trim();
      changed();
    });
    one("#sort").addEventListener("change", (event) => {
      state.sort = event.target.value;
      changed();
    });
    one("#more").addEventListener("click", () => {
      const from = state.shown;
      state.shown += STEP;
      list();
      all(".q summary")[from]?.focus();
    });
    page.keys(() => all(".q"), (row) => one("summary", row).focus());
    update();
    unpack().then(
      () => update(),
      () => {
        one("#find").placeholder = "Find in ids and beginnings: this browser cannot unpack the rest";
        document.documentElement.dataset.packed = "none";
      },
    ).finally(() => (document.documentElement.dataset.ready = "yes"));
  } else recall();
}
