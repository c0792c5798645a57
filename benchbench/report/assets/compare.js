"use strict";
{
  const { one, all, make, count } = page;
  const { signed } = lists;
  const data = JSON.parse(one("#data").textContent);
  const STEP = 20;
  const state = { m: data.start.m, b: data.start.b, s: data.start.s, mark: data.marks_of_load.length - 1, c: 0, sl: "", f: "", find: "", sort: "losses", q: "", shown: 12, whole: false };
  let queries = null;

  /* Pairs, in either direction. */

  function pair(base, system) {
    const there = data.pairs.findIndex(([b, s]) => b === base && s === system);
    return there >= 0 ? [there, 1] : [data.pairs.findIndex(([b, s]) => b === system && s === base), -1];
  }
  const partners = (base) => data.systems.map((_, place) => place).filter((place) => place !== base && pair(base, place)[0] >= 0);

  /* What is chosen, and the same in the URL's fragment. */

  function remember() {
    const kept = new URLSearchParams();
    kept.set("m", data.measures[state.m]);
    if (data.bases.length > 1) kept.set("b", data.systems[state.b]);
    kept.set("s", data.systems[state.s]);
    if (state.c) kept.set("c", data.columns[state.c]);
    for (const key of ["sl", "f", "find", "q"]) if (state[key]) kept.set(key, state[key]);
    if (state.sort !== "losses") kept.set("sort", state.sort);
    if (state.whole) kept.set("all", "1");
    page.keep(kept);
  }

  function recall() {
    const kept = page.kept();
    const place = (names, key, without) => (names.includes(kept.get(key)) ? names.indexOf(kept.get(key)) : without);
    state.m = place(data.measures, "m", data.start.m);
    const base = place(data.systems, "b", data.start.b);
    state.b = data.bases.includes(base) ? base : data.start.b;
    const system = place(data.systems, "s", data.start.s);
    state.s = partners(state.b).includes(system) ? system : partners(state.b)[0];
    state.c = place(data.columns, "c", 0);
    for (const key of ["sl", "f", "find", "q"]) state[key] = kept.get(key) ?? "";
    state.sort = ["gains", "moves", "data"].includes(kept.get("sort")) ? kept.get("sort") : "losses";
    state.whole = kept.has("all");
  }

  function choose(changes) {
    Object.assign(state, changes, { shown: 12 });
    if (!partners(state.b).includes(state.s)) state.s = partners(state.b)[0];
    remember();
    draw();
  }

  /* The matrix and what its chosen cell says. */

  function matrix() {
    const [chosen, sign] = pair(state.b, state.s);
    for (const each of all(".matrix")) each.hidden = data.bases[each.dataset.b] !== state.b;
    for (const each of all(".cell")) each.setAttribute("aria-pressed", Number(each.dataset.m) === state.m && Number(each.dataset.p) === chosen);
    const key = `${state.m}.${chosen}`;
    const [tone, verdict, rest] = (sign < 0 && data.readings[`${key}.r`]) || (data.readings[key] ?? ["open", "", ""]);
    const reading = one("#reading");
    reading.className = `reading ${tone}`;
    reading.replaceChildren(make("b", {}, verdict), " ", make("span", {}, rest));
    one("#base").textContent = data.systems[state.b];
    const systems = one('[data-choice="s"]');
    systems.replaceChildren(...partners(state.b).map((place) => make("option", { value: place, selected: place === state.s }, data.systems[place])));
    one('[data-choice="m"]').value = state.m;
    for (const input of all('[name="b"]')) input.checked = data.bases[input.value] === state.b;
  }

  /* Charts of all systems. */

  const kind = (style) => (style === state.s ? "chosen" : style === state.b ? "base" : "other");

  function figure(described) {
    const section = document.getElementById(described.id);
    const key = described.by.map((name) => ({ measure: state.m, mark: state.mark })[name]).join(".");
    const view = described.views[described.chosen[key] ?? 0];
    const place = one(".chart", section);
    one(".title", section).textContent = view.title;
    one(".sub", section).textContent = view.sentence;
    const seen = new Map();
    for (const each of view.series) if (each.style >= 0 && each.kind !== "whisker" && each.points.length) seen.set(each.name, each.style);
    one(".lines", section).replaceChildren(...[...seen].flatMap(([name, style]) => [make("span", {}, drawing.swatch(style, kind(style)), ` ${name}`), " "]));
    place.replaceChildren(drawing.figure(described, view, Math.max(300, Math.floor(place.clientWidth)), kind));
    const table = one(".sheet table", section);
    one("caption", table)?.replaceChildren(view.title);
    const row = (cells, tag) => make("tr", {}, ...cells.map((words, at) => make(at && tag === "td" ? "td" : "th", { scope: tag === "th" ? "col" : at ? null : "row", class: at ? "r" : null }, words)));
    table.tHead.replaceChildren(row(view.head, "th"));
    table.tBodies[0].replaceChildren(...view.rows.map((cells) => row(cells, "td")));
  }

  /* Differences of single queries. */

  function moves() {
    return Array.from({ length: queries.size }, (_, i) => queries.difference(state, i));
  }

  function sorted(each) {
    const place = one("#sorted");
    const pressed = each.some((stretch) => stretch.key === state.f) ? state.f : "";
    const press = (key) => choose({ f: state.f === key ? "" : key });
    place.replaceChildren(drawing.sorted(each, Math.max(300, Math.floor(place.clientWidth)), pressed, press));
    const sums = (side) => each.filter((stretch) => stretch.key[0] === side).reduce((sum, stretch) => sum + stretch.values.length, 0);
    one("#differences-said").textContent =
      `${data.systems[state.s]} minus ${data.systems[state.b]} in ${data.measures[state.m]}: ${count(sums("l"))} queries worse, ` +
      `${count(sums("e"))} equal, ${count(sums("g"))} better. Choose a stretch to list its queries.`;
    one("#stretches").replaceChildren(
      ...each.map((stretch) => {
        const button = make("button", { type: "button", "aria-pressed": String(stretch.key === pressed), "data-stretch": stretch.key });
        button.append(make("span", { class: { l: "bad", g: "good" }[stretch.key[0]] ?? "" }, lists.symbol(stretch.key)), ` ${stretch.name} `, make("small", {}, count(stretch.values.length)));
        button.addEventListener("click", () => {
          press(stretch.key);
          one(`#stretches [data-stretch="${stretch.key}"]`)?.focus();
        });
        return button;
      }),
    );
  }

  /* Slices. */

  function slices() {
    const column = data.columns[state.c];
    const [chosen, sign] = pair(state.b, state.s);
    const found = (data.slices[`${state.m}.${chosen}`] ?? []).filter((each) => each.column === column);
    const rows = found.map((each) => ({ ...each, mean: sign * each.mean, low: Math.min(sign * each.low, sign * each.high), high: Math.max(sign * each.low, sign * each.high) }));
    const inOrder = rows.every((each) => /^[−-]?\d/.test(each.value));
    rows.sort(inOrder ? (a, b) => parseFloat(a.value) - parseFloat(b.value) : (a, b) => a.mean - b.mean);
    const [low, high] = [Math.min(0, ...rows.map((each) => each.low)), Math.max(0, ...rows.map((each) => each.high))];
    const at = (value) => 4 + (92 * (value - low)) / (high - low || 1);
    const overall = sign * (data.means[`${state.m}.${chosen}`] ?? 0);
    const told = rows.filter((each) => each.significant).length;
    one("#slices-said").textContent = rows.length
      ? `${told} of ${rows.length} slices by ${column} differ significantly after correction. Small slices have long lines; dashed is the mean of all queries.`
      : `The page has no slices by ${column} of this measure and pair.`;
    const heads = one(".slices thead");
    one(".lo", heads).textContent = low ? signed(low) : "";
    one(".hi", heads).textContent = high ? signed(high) : "";
    one(".at", heads).style.left = `${at(0)}%`;
    const key = (each) => `${column}:${each.value}`;
    const shown = state.whole || inOrder ? rows : rows.filter((each, place) => place < 8 || place >= rows.length - 3 || each.significant || state.sl === key(each));
    one("#slice-rows").replaceChildren(
      ...shown.map((each) => {
        const tone = each.significant ? (each.mean > 0 ? "up" : "down") : "open";
        const button = make("button", { type: "button", class: "link", "aria-pressed": String(state.sl === key(each)), lang: page.language(each.value), dir: "auto" }, each.value);
        button.addEventListener("click", () => {
          choose({ sl: state.sl === key(each) ? "" : key(each) });
          all("#slice-rows button").find((other) => other.textContent === each.value)?.focus();
        });
        const mark = each.significant ? (each.mean > 0 ? "▲ " : "▼ ") : "";
        const words = make(each.significant ? "b" : "span", {}, `${mark}${signed(each.mean)}`);
        return make(
          "tr",
          { class: `${tone}${state.sl === key(each) ? " pressed" : ""}` },
          make("th", { scope: "row" }, button),
          make("td", { class: "r wide" }, count(each.queries)),
          make("td", { class: "track-cell" }, drawing.whisker(each.low, each.mean, each.high, overall, tone, at)),
          make("td", { class: "r" }, words),
          make("td", { class: "r wide" }, each.p),
        );
      }),
    );
    one("#all-slices").hidden = shown.length === rows.length;
    one("#all-slices").textContent = `Show the other ${rows.length - shown.length} slices`;
    all("[data-column]").forEach((button) => button.setAttribute("aria-pressed", String(Number(button.dataset.column) === state.c)));
  }

  function inSlice() {
    const at = state.sl.indexOf(":");
    const places = at > 0 ? queries.packed.slices[state.sl.slice(0, at)]?.[state.sl.slice(at + 1)] : null;
    return places ? new Set(places) : null;
  }

  /* The list. */

  function list(move, each) {
    const stretch = each.find((one_) => one_.key === state.f);
    const slice = inSlice();
    const words = state.find.toLowerCase();
    const rows = [];
    for (let i = 0; i < queries.size; i++) {
      if ((!stretch || stretch.has(move[i])) && (!slice || slice.has(i)) && (!words || queries.searched[i].includes(words))) rows.push(i);
    }
    const order = { losses: (i) => move[i], gains: (i) => -move[i], moves: (i) => -Math.abs(move[i]), data: () => 0 }[state.sort];
    rows.sort((a, b) => order(a) - order(b) || a - b);
    const top = rows.slice(0, state.shown);
    const opened = state.q ? queries.packed.ids.indexOf(state.q) : -1;
    if (opened >= 0 && rows.includes(opened) && !top.includes(opened)) top.unshift(opened); // a query in the URL is there
    const largest = move.reduce((most, one_) => Math.max(most, Math.abs(one_)), 1e-9);
    const toggled = (id, open) => {
      if (open) {
        state.q = id;
        for (const other of all("#list .q[open]")) other.open = other.dataset.id === id; // one, as in the URL
      } else if (state.q === id) state.q = "";
      remember();
    };
    one("#list").replaceChildren(...top.map((i) => lists.row(queries, data, state, i, largest, toggled)));
    if (!rows.length) one("#list").append(make("p", { class: "sub" }, "No query matches. Remove a filter above."));
    one("#count").textContent = rows.length === queries.size ? `All ${count(queries.size)} queries` : `${count(rows.length)} of ${count(queries.size)} queries`;
    one("#more").hidden = rows.length <= state.shown;
    one("#more").textContent = `Show ${Math.min(STEP, rows.length - state.shown)} more of ${count(rows.length - state.shown)}`;
    const chips = [];
    const chip = (name, key) => chips.push(page.chip(name, () => choose({ [key]: "" })));
    if (stretch) chip(stretch.name, "f");
    if (slice) chip(state.sl.slice(state.sl.indexOf(":") + 1), "sl");
    one("#chips").replaceChildren(...chips);
    if (one("#find").value.trim() !== state.find) one("#find").value = state.find;
    one("#sort").value = state.sort;
  }

  function draw() {
    matrix();
    data.figures.forEach(figure);
    if (!queries) return;
    const move = moves();
    const each = lists.stretches(move);
    sorted(each);
    if (data.columns.length) slices();
    list(move, each);
  }

  /* What people press. */

  for (const button of all(".cell")) {
    button.addEventListener("click", () => {
      const [base, system] = data.pairs[button.dataset.p];
      choose({ m: Number(button.dataset.m), s: base === state.b ? system : base, f: "" });
    });
  }
  for (const input of all('[name="b"]')) input.addEventListener("change", () => choose({ b: data.bases[input.value], f: "" }));
  for (const input of all('[name="mark"]')) input.addEventListener("change", () => choose({ mark: Number(input.value) }));
  for (const select of all("[data-choice]")) select.addEventListener("change", () => choose({ [select.dataset.choice]: Number(select.value), f: "" }));
  for (const button of all("[data-column]")) button.addEventListener("click", () => choose({ c: Number(button.dataset.column), sl: "" }));
  for (const button of all("[data-more]")) {
    button.addEventListener("click", () => {
      for (const row of all(".late", button.closest(".matrix"))) row.classList.remove("late");
      button.remove();
    });
  }
  one("#find")?.addEventListener("input", (event) => {
    Object.assign(state, { find: event.target.value.trim(), shown: 12 });
    remember();
    if (queries) draw();
  });
  one("#sort")?.addEventListener("change", (event) => choose({ sort: event.target.value }));
  one("#all-slices")?.addEventListener("click", () => choose({ whole: true }));
  one("#more")?.addEventListener("click", () => {
    const before = state.shown;
    state.shown += STEP;
    draw();
    all("#list summary")[before]?.focus();
  });
  addEventListener("hashchange", () => {
    recall();
    draw();
  });

  page.keys(() => all("#list .q"), (row) => one("summary", row).focus());
  let wide = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === wide) return;
    wide = innerWidth;
    draw();
  });

  recall();
  draw();
  const ready = () => (document.documentElement.dataset.ready = "yes");
  if (one("#packed")) {
    page.unpacked().then(
      (unpacked) => {
        queries = lists.opened(unpacked, data);
        draw();
        ready();
      },
      () => {
        one("#unpacked").hidden = false;
        for (const name of ["#differences", "#slices", "#queries .tools"]) one(name)?.setAttribute("hidden", "");
        ready();
      },
    );
  } else ready();
}
