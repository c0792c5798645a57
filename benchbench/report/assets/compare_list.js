"use strict";
/* The list of queries, each with its values and, opened, what both systems returned. */
const lists = (() => {
  const ROW = 46; // pixels of a hit, so that lines lead from one list to the other
  const EXACT = 1e5; // values are whole numbers of this part of 1
  const { make, count, language, marked, excerpt } = page;
  const number = (value) => (Math.abs(value) < 100 ? value.toFixed(3) : value.toFixed(1)).replace("-", "−");
  const signed = (value) => (value > 0 ? "+" : "") + number(value);

  /* What is packed, with what is asked of it. */
  function opened(packed, data) {
    const labels = packed.ids.map(() => []);
    for (const [column, values] of Object.entries(packed.slices)) {
      for (const [value, places] of Object.entries(values)) for (const i of places) labels[i].push(`${column}: ${value}`);
    }
    const known = (i) => packed.opened[i];
    const searched = packed.ids.map((id, i) => [id, known(i)?.l || labels[i].join("\n"), known(i)?.t ?? ""].join("\n").toLowerCase());
    const value = (measure, system, i) => packed.values[measure][system][i] / EXACT;
    const difference = (state, i) => {
      const of = packed.values[state.m];
      const move = of[state.s][i] - of[state.b][i];
      return Math.abs(move) <= data.ties[state.m] * EXACT ? 0 : move / EXACT;
    };
    return { packed, labels, known, searched, value, difference, size: packed.ids.length };
  }

  /* Stretches of differences: equal ones, and up to three on each side. */
  function stretches(moves) {
    const most = Math.max(...moves.map(Math.abs), 1e-9);
    let step = [0.02, 0.05, 0.1, 0.2, 0.4].find((one) => one * 2.5 >= most);
    if (!step) for (const power = 10 ** Math.floor(Math.log10(most)); !step; ) step = [0.4, 0.8, 2, 4].map((one) => one * power).find((one) => one * 2.5 >= most);
    const [tiny, short] = [1e-9, (one) => String(Number(one.toPrecision(2)))];
    const all = [
      ["l3", (d) => d <= -2 * step + tiny, `worse by ${short(2 * step)} or more`],
      ["l2", (d) => d <= -step + tiny && d > -2 * step + tiny, `worse by ${short(step)} to ${short(2 * step)}`],
      ["l1", (d) => d < 0 && d > -step + tiny, `worse by less than ${short(step)}`],
      ["e", (d) => d === 0, "equal"],
      ["g1", (d) => d > 0 && d < step - tiny, `better by less than ${short(step)}`],
      ["g2", (d) => d >= step - tiny && d < 2 * step - tiny, `better by ${short(step)} to ${short(2 * step)}`],
      ["g3", (d) => d >= 2 * step - tiny, `better by ${short(2 * step)} or more`],
    ];
    return all.map(([key, has, name]) => ({ key, has, name, values: moves.filter(has).sort((a, b) => a - b) })).filter((one) => one.values.length);
  }

  const symbol = (key) => (key === "e" ? "=" : key[0] === "l" ? "▼" : "▲");

  function row(all, data, state, i, largest, toggled) {
    const id = all.packed.ids[i];
    const move = all.difference(state, i);
    const width = (50 * Math.abs(move)) / largest;
    const bar = make("span", { class: `move ${move < 0 ? "lost" : "won"}`, style: `--from:${move < 0 ? 50 - width : 50}%;--wide:${width}%`, "aria-hidden": "true" });
    const text = all.known(i)?.t || "";
    const words = text || (all.known(i)?.l || all.labels[i].join("\n")).replaceAll("\n", " · ");
    const has = (one) => one.toLowerCase().includes(state.find.toLowerCase());
    const label = state.find && !has(words) && !has(id) ? (all.known(i)?.l.split("\n") ?? all.labels[i]).find(has) : "";
    const begin = excerpt(words, state.find);
    const summary = make(
      "summary",
      {},
      make("span", { class: "arrow" }),
      bar,
      make("b", { class: `d ${move < 0 ? "bad" : move > 0 ? "good" : ""}` }, signed(move)),
      make("span", { class: "both" }, `${number(all.value(state.m, state.b, i))} → ${number(all.value(state.m, state.s, i))}`),
      make("span", { class: "id" }, ...marked(id, state.find)),
      make("span", { class: "begin", dir: "auto", lang: language(begin) }, ...(label ? [...marked(label, state.find), " · "] : []), ...marked(begin, state.find)),
    );
    const made = make("details", { class: "q", "data-id": id, open: state.q === id }, summary);
    const fill = () => made.children.length < 2 && made.append(detail(all, data, state, i));
    if (made.open) fill();
    made.addEventListener("toggle", () => {
      if (made.open) fill();
      toggled(id, made.open);
    });
    return made;
  }

  function detail(all, data, state, i) {
    const known = all.known(i);
    const body = make("div", { class: "detail one" });
    const labels = known?.l ? known.l.split("\n") : all.labels[i];
    if (known?.t) body.append(...page.whole(known.t, state.find, known.t.length > 420 && !state.find));
    if (labels.length) body.append(make("p", { class: "known" }, ...labels.flatMap((words) => [make("span", { lang: language(words), dir: "auto" }, ...marked(words, state.find)), " "])));
    body.append(values(all, data, state, i));
    if (!known?.h.length) {
      body.append(make("p", { class: "note" }, known ? "No hits are known of this query." : "The page has no hits of this query: it did not move as much as others."));
      return body;
    }
    body.append(...sides(all, data, state, known), ...wanted(all, data, state, known));
    return body;
  }

  /* The query in every measure: where it moved in one, it may not have in another. */
  function values(all, data, state, i) {
    const said = data.measures.map((name, m) => {
      const [before, after] = [all.value(m, state.b, i), all.value(m, state.s, i)];
      return make("span", { class: m === state.m ? "now" : null }, `${name} ${number(before)} → ${number(after)}`);
    });
    return make("p", { class: "known" }, ...said.flatMap((one) => [one, " "]));
  }

  function sides(all, data, state, known) {
    const mark = data.mark_of[state.m];
    const both = [state.b, state.s].map((system) => known.h[system]);
    const relevant = (side, place) => mark !== null && ((side[1][place] >> mark) & 1) === 1;
    const places = both.map((side) => new Map((side?.[0] ?? []).map((document, place) => [document, place])));
    const shown = both.map((side, at) => {
      const name = data.systems[at ? state.s : state.b];
      if (!side) return make("div", {}, make("h3", {}, name), make("p", { class: "note" }, "Its hits are not known."));
      const found = side[0].filter((_, place) => relevant(side, place)).length;
      const head = make("h3", {}, `${name} `, make("span", {}, mark === null ? `${side[0].length} hits` : `${found} of ${side[0].length} relevant`));
      const list = make("ol", {});
      side[0].forEach((document, place) => list.append(hit(all, known, side, place, relevant(side, place), mark, places[1 - at], at)));
      const rest = side[5] > side[0].length ? [make("p", { class: "note" }, `${side[0].length} of ${count(side[5])} hits`)] : [];
      return make("div", { class: at ? "second" : "first" }, head, side[0].length ? list : make("p", { class: "note" }, "No hits."), ...rest);
    });
    const lines = (both[0]?.[0] ?? []).flatMap((document, place) => {
      const other = places[1].get(document);
      return other === undefined ? [] : [[place, other, relevant(both[0], place)]];
    });
    const rows = Math.max(...both.map((side) => side?.[0].length ?? 0));
    const between = make("div", { class: "between" }, drawing.slopes(lines, ROW, rows * ROW));
    const name = mark === null ? null : data.marks[mark];
    const says = name === null ? `For ${data.measures[state.m]} this result keeps no marks of hits.` : `● is relevant${name ? ` for ${name}` : ""}, the task of ${data.measures[state.m]}.`;
    return [make("p", { class: "note" }, name === "" ? `● is relevant for ${data.measures[state.m]}.` : says), make("div", { class: "sides" }, shown[0], between, shown[1])];
  }

  function hit(all, known, side, place, good, mark, other, second) {
    const document = side[0][place];
    const rank = side[3][place] ?? place + 1;
    const there = other.get(document);
    let [way, tone] = second ? ["new", good ? "good" : ""] : ["→ out", good ? "bad" : ""];
    if (there !== undefined && second) [way, tone] = there === place ? ["=", ""] : there > place ? [`↑ ${there - place}`, good ? "good" : ""] : [`↓ ${place - there}`, good ? "bad" : ""];
    if (there !== undefined && !second) [way, tone] = [`→ ${there + 1}`, ""];
    const grade = side[4][place];
    const told = [good ? "relevant" : mark === null ? "" : grade === null ? "not relevant" : "not relevant", grade === null ? "" : `grade ${grade}`, side[2][place] === null ? "" : `score ${side[2][place]}`];
    const window = known.w[document];
    const words = window === undefined ? [] : Array.isArray(window) ? window.map((part, at) => (at % 2 ? make("mark", {}, part) : part)) : [window];
    const excerpt = window === undefined ? "" : Array.isArray(window) ? window.join("") : window;
    return make(
      "li",
      { class: good ? "relevant" : null, title: told.filter(Boolean).join(", ") },
      make("span", { class: "rank" }, String(rank)),
      make("span", { class: "mark" }, good ? "●" : "·", make("span", { class: "vh" }, good ? "relevant" : "")),
      make("span", { class: `way ${tone}` }, way),
      make("span", { class: "words", dir: "auto", lang: language(excerpt) }, make("code", {}, all.packed.documents[document]), " ", ...words),
    );
  }

  /* What should have been found: as judged; where labels decide, only what was found is known. */
  function wanted(all, data, state, known) {
    const mark = data.mark_of[state.m];
    if (mark === null || !known.j.includes(mark) || !known.n) return [];
    const grade = data.grades[mark];
    const rows = known.r.filter((each) => each[1] === null || each[1] >= grade);
    const lost = rows.filter((each) => each[2 + state.b] === null && each[2 + state.s] === null).length;
    const cut = known.n > known.r.length ? `the best ${known.r.length} of ` : "";
    const words = `${cut}${count(known.n > known.r.length ? known.n : rows.length)} judged relevant, ${lost} of them in neither list`;
    const head = ["Relevant", "Grade", data.systems[state.b], data.systems[state.s]];
    const lines = rows.map((each) => {
      const cells = [all.packed.documents[each[0]], each[1] ?? "–", each[2 + state.b] ?? "not found", each[2 + state.s] ?? "not found"];
      return make("tr", {}, ...cells.map((one, at) => make(at ? "td" : "th", at ? { class: "r" } : { scope: "row" }, String(one))));
    });
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...head.map((name, at) => make("th", { scope: "col", class: at ? "r" : null }, name)))), make("tbody", {}, ...lines));
    const summary = make("summary", {}, words[0].toUpperCase() + words.slice(1));
    return [make("details", { class: "wanted" }, summary, make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Relevant documents" }, table))];
  }

  return { signed, opened, stretches, symbol, row };
})();
