
"use strict";
{
  const data = JSON.parse(document.getElementById("data").textContent);
  const state = { ...data.start };
  const DASHES = ["solid", [7, 4], [2, 3], [9, 3, 2, 3]];
  const SYMBOLS = ["circle", "rect", "triangle", "diamond", "path://M-4,-1.3H-1.3V-4H1.3V-1.3H4V1.3H1.3V4H-1.3V1.3H-4Z"];
  const STEP = 50;

  const make = (tag, attributes = {}, ...children) => {
    const one = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined) one.setAttribute(name, value);
    }
    one.append(...children);
    return one;
  };
  const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const own = (style) => ({ "-1": "--won", "-2": "--equal", "-3": "--lost", "-4": "--muted" })[style];
  const look = (style) => ({
    color: variable(style < 0 ? own(style) : `--s${style % 6}`),
    dash: style === -4 ? [4, 4] : style < 0 ? "solid" : DASHES[(style + Math.floor(style / 6)) % DASHES.length],
    symbol: SYMBOLS[Math.max(style, 0) % SYMBOLS.length],
  });
  const number = (value) => (Math.abs(value) < 100 ? value.toFixed(4) : value.toFixed(2)).replace("-", "−");
  const signed = (value) => (value > 0 ? "+" : "") + number(value);

  /* Tables: filled from rows of text or [text, sort key, interval, strong], and sorted by their heads. */

  function cell(content, first) {
    const [text, by, interval, strong] = Array.isArray(content) ? content : [content, null, null, 0];
    const one = make(first ? "th" : "td", { scope: first ? "row" : null, "data-by": by });
    if (interval) {
      const drawn = make("span", { class: "interval" });
      ["low", "mean", "high", "zero"].forEach((name, i) => drawn.style.setProperty(`--${name}`, interval[i]));
      one.append(drawn);
    } else one.append(strong ? make("strong", {}, text) : text);
    return one;
  }

  function fill(table, view) {
    table.caption.textContent = view.title;
    table.parentElement.setAttribute("aria-label", view.title);
    table.tHead.replaceChildren(make("tr", {}, ...view.head.map((name) => make("th", { scope: "col" }, name))));
    const rows = view.rows.map((row) => make("tr", {}, ...row.map((one, i) => cell(one, i === 0))));
    table.tBodies[0].replaceChildren(...rows);
    sortable(table);
  }

  function sortable(table) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (!head.textContent) return;
      const button = make("button", { type: "button", class: "sort" }, head.textContent);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") !== "descending";
        for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const key = (row) => row.cells[column].dataset.by ?? row.cells[column].textContent;
        const rows = [...table.tBodies[0].rows].sort((a, b) => compare(key(a), key(b)) * (down ? -1 : 1));
        table.tBodies[0].append(...rows);
      });
    });
  }

  function compare(a, b) {
    const [x, y] = [Number(a), Number(b)];
    if (a === "nan" || b === "nan") return (a === "nan" ? 0 : 1) - (b === "nan" ? 0 : 1);
    return Number.isNaN(x) || Number.isNaN(y) ? String(a).localeCompare(String(b), "en", { numeric: true }) : x - y;
  }

  /* Charts. */

  function axis(described, view, at, bars) {
    const values = view.series.flatMap((one) => one.points.map((point) => point[at]));
    const [low, high] = values.length ? [Math.min(...values), Math.max(...values)] : [1, 10];
    const common = {
      name: described.name,
      nameLocation: "middle",
      nameGap: at ? 48 : 28,
      nameTextStyle: { color: variable("--muted") },
      axisLine: { show: at === 0, lineStyle: { color: variable("--muted") } },
      axisTick: { show: at === 0 && described.scale !== "ticks" },
      axisLabel: { color: variable("--muted"), hideOverlap: true },
      splitLine: { show: at === 1 || described.scale !== "ticks", lineStyle: { color: variable("--grid") } },
    };
    if (described.percent) common.axisLabel.formatter = (value) => `${Math.round(value * 100)} %`;
    if (described.scale === "ticks") {
      const [middle, each] = [(view.ticks.length - 1) / 2, Math.ceil(view.ticks.length / 12)];
      if (bars) {
        common.axisLabel.interval = (i) => (i - middle) % each === 0;
        return { ...common, type: "category", data: view.ticks, splitLine: { show: false } };
      }
      common.axisLabel.formatter = (value) => view.ticks[value] ?? "";
      return { ...common, type: "value", min: -0.5, max: view.ticks.length - 0.5, interval: 0.5 };
    }
    if (described.scale === "log") {
      const base = high / low > 300 ? 10 : 2;
      const ends = [Math.floor(Math.log(low) / Math.log(base) - 0.1), Math.ceil(Math.log(high) / Math.log(base) + 0.1)];
      if (ends[0] === ends[1]) ends[1] += 1;
      return { ...common, type: "log", logBase: base, min: base ** ends[0], max: base ** ends[1] };
    }
    const percent = described.percent ? { max: 1 } : {};
    return { ...common, type: "value", scale: !described.zero, boundaryGap: described.zero ? 0 : ["6%", "6%"], ...percent };
  }

  function drawn(one, view) {
    const { color, dash, symbol } = look(one.style);
    const base = { name: one.name, color, emphasis: { focus: "series" }, animation: false };
    const items = one.points.map(([x, y, told]) => ({ value: [x, y], told }));
    const line = { ...base, type: "line", data: items, lineStyle: { color, width: 2, type: dash }, symbol, symbolSize: 9 };
    if (one.kind === "bar") {
      return { ...base, type: "bar", stack: "all", barCategoryGap: "12%", data: items };
    }
    if (one.kind === "step") return { ...line, step: "end", showSymbol: false };
    if (one.kind === "curve") return { ...line, showSymbol: false };
    if (one.kind === "points") return { ...line, lineStyle: { width: 0 }, symbolSize: 14, z: 4 };
    if (one.kind === "small") return { ...line, lineStyle: { width: 0 }, symbolSize: 7, itemStyle: { opacity: 0.75 } };
    if (one.kind === "whisker") {
      const broken = items.flatMap((item, i) => (i % 2 ? [item, { value: [item.value[0], null] }] : [item]));
      return { ...line, data: broken, symbol: "none", silent: true, lineStyle: { color, width: 1.5 }, z: 1 };
    }
    if (one.kind === "front") return { ...line, symbol: "none", silent: true, lineStyle: { color, width: 1.5, type: dash }, z: 1 };
    return line;
  }

  function tip(lines) {
    const drawnTip = make("div", { class: "tip" });
    for (const [name, words] of lines) drawnTip.append(make("div", {}, make("b", {}, name), ` ${words}`));
    return lines.length ? drawnTip : "";
  }

  const under = (items) =>
    tip([items].flat().filter((item) => item.data?.told).map((item) => [item.seriesName, item.data.told]));

  function nearest(series, x) {
    const asked = series.filter((one) => one.points.length && one.points[0][2]);
    const away = (point) => Math.abs(point[0] - x);
    return tip(asked.map((one) => [one.name, one.points.reduce((a, b) => (away(b) < away(a) ? b : a))[2]]));
  }

  function swatch(one) {
    const { color, dash, symbol } = look(one.style);
    const names = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(names, "svg");
    for (const [name, value] of Object.entries({ width: 26, height: 12, viewBox: "-13 -6 26 12", "aria-hidden": "true" })) {
      svg.setAttribute(name, value);
    }
    const path = (d, attributes) => {
      const drawnPath = document.createElementNS(names, "path");
      for (const [name, value] of Object.entries({ d, ...attributes })) drawnPath.setAttribute(name, value);
      svg.append(drawnPath);
    };
    const shapes = {
      circle: "M-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0Z",
      rect: "M-4,-4H4V4H-4Z",
      triangle: "M0,-5L5,4H-5Z",
      diamond: "M0,-5.5L5,0L0,5.5L-5,0Z",
    };
    if (one.kind === "bar") path("M-6,-5H6V5H-6Z", { fill: color });
    if (["line", "step", "curve", "front"].includes(one.kind)) {
      path("M-13,0H13", { stroke: color, "stroke-width": 2, "stroke-dasharray": Array.isArray(dash) ? dash.join(" ") : "" });
    }
    if (["line", "points", "small"].includes(one.kind)) path(shapes[symbol] ?? symbol.slice(7), { fill: color });
    return svg;
  }

  const charts = [];
  function figure(described) {
    const section = document.getElementById(described.id);
    const sheet = section.querySelector("table");
    const place = section.querySelector(".chart");
    const hidden = new Set(described.hidden);
    const view = () => described.views[described.chosen[described.by.map((key) => state[key]).join(".")] ?? 0];
    const chart = place && echarts.init(place, null, { renderer: "svg" });

    function legend(shown) {
      const group = section.querySelector(".legend");
      const seen = new Map();
      for (const one of shown.series) if (one.kind !== "whisker" && one.points.length && !seen.has(one.name)) seen.set(one.name, one);
      const buttons = [...seen.values()].map((one) => {
        const button = make("button", { type: "button", "aria-pressed": String(!hidden.has(one.name)) }, swatch(one), one.name);
        button.addEventListener("click", () => {
          if (!hidden.delete(one.name)) hidden.add(one.name);
          button.setAttribute("aria-pressed", String(!hidden.has(one.name)));
          paint();
        });
        const point = (type) => () => chart.dispatchAction({ type, seriesName: one.name });
        button.addEventListener("pointerenter", point("highlight"));
        button.addEventListener("pointerleave", point("downplay"));
        return button;
      });
      for (const old of group.querySelectorAll("button")) old.remove();
      group.append(...buttons);
    }

    function paint() {
      const shown = view();
      const bars = shown.series.some((one) => one.kind === "bar");
      const series = shown.series.filter((one) => !hidden.has(one.name));
      const formatter = described.nearest && !bars ? (items) => nearest(series, items[0].axisValue) : under;
      const over = { trigger: described.nearest ? "axis" : "item", confine: true, formatter, transitionDuration: 0 };
      const paper = { backgroundColor: variable("--paper"), borderColor: variable("--line"), textStyle: { color: variable("--text") } };
      chart.setOption(
        {
          animation: false,
          textStyle: { fontFamily: "system-ui, sans-serif" },
          grid: { left: 68, right: 20, top: 16, bottom: 52 },
          tooltip: { ...over, ...paper, axisPointer: { type: bars ? "shadow" : "line", label: { show: false } } },
          xAxis: axis(described.x, shown, 0, bars),
          yAxis: axis(described.y, bars ? { series: series.length ? series : shown.series } : shown, 1, bars),
          series: series.map((one) => drawn(one, shown)),
        },
        { notMerge: true },
      );
    }

    function draw() {
      const shown = view();
      section.querySelector(".said").textContent = shown.sentence;
      fill(sheet, shown);
      if (!chart) return;
      section.querySelector(".title").textContent = shown.title;
      legend(shown);
      paint();
    }

    if (chart) new ResizeObserver(() => chart.resize()).observe(place);
    charts.push({ by: described.by, draw });
    draw();
  }

  /* Queries. */

  function queries(found) {
    const table = document.getElementById("query-table");
    const [find, count, more] = ["find", "count", "more"].map((id) => document.getElementById(id));
    const searched = found.ids.map((id, i) => `${id}\n${found.texts?.[i] ?? ""}`.toLowerCase());
    const order = { by: "difference", down: true };
    const open = new Set();
    let shown = STEP;

    const value = (system, i) => found.values[state.measure][system][i];
    const difference = (i) => value(data.pairs[state.pair][1], i) - value(data.pairs[state.pair][0], i);

    function key(i) {
      if (order.by === "difference") return Math.abs(difference(i));
      if (order.by === "id") return found.ids[i];
      return order.by === "text" ? (found.texts[i] ?? "") : value(order.by, i);
    }

    function head() {
      const [baseline, system] = data.pairs[state.pair];
      const columns = [["id", "Query"], ...(found.texts ? [["text", "Text"]] : [])];
      columns.push(...data.systems.map((name, i) => [i, name]), ["difference", "Difference"]);
      table.caption.textContent =
        `${data.measures[state.measure]} of each query; difference of ${data.systems[system]} minus ${data.systems[baseline]}`;
      const cells = columns.map(([by, name]) => {
        const button = make("button", { type: "button", class: "sort" }, name);
        const sorted = order.by === by ? (order.down ? "descending" : "ascending") : null;
        button.addEventListener("click", () => {
          order.down = order.by === by ? !order.down : typeof by === "number" || by === "difference";
          order.by = by;
          draw();
          table.tHead.rows[0].cells[columns.findIndex((column) => column[0] === by)].firstChild.focus();
        });
        return make("th", { scope: "col", "aria-sort": sorted }, button);
      });
      table.tHead.replaceChildren(make("tr", {}, ...cells));
    }

    function row(i) {
      const name = found.evidence
        ? make("button", { type: "button", class: "open", "aria-expanded": String(open.has(i)), "aria-controls": `hits-${i}` }, found.ids[i])
        : found.ids[i];
      const line = make("tr", {}, make("th", { scope: "row" }, name));
      if (found.texts) line.append(make("td", { class: "text" }, make("div", { dir: "auto" }, (found.texts[i] ?? "").slice(0, 240))));
      data.systems.forEach((_, s) => line.append(make("td", {}, number(value(s, i)))));
      const moved = difference(i);
      line.append(make("td", {}, signed(moved)));
      if (!found.evidence) return [line];
      const detail = make("tr", { id: `hits-${i}`, class: "opened", hidden: open.has(i) ? null : "" });
      if (open.has(i)) detail.append(opened(i));
      name.addEventListener("click", () => {
        const now = !open.delete(i);
        if (now) open.add(i);
        name.setAttribute("aria-expanded", String(now));
        detail.hidden = !now;
        detail.replaceChildren(...(now ? [opened(i)] : []));
      });
      return [line, detail];
    }

    function opened(i) {
      const entry = found.evidence[i];
      const detail = make("div", { class: "detail" });
      if (found.texts?.[i]) {
        detail.append(make("p", { class: "asked", dir: "auto", tabindex: "0", role: "group", "aria-label": "The query" }, found.texts[i]));
      }
      const columns = Object.entries(found.columns).map(([name, values]) => `${name}: ${values[i] ?? "–"}`);
      if (columns.length) detail.append(make("p", { class: "columns" }, columns.join(" · ")));
      const sides = make("div", { class: "sides" });
      data.systems.forEach((name, s) => sides.append(side(name, s, i, entry)));
      detail.append(sides, relevant(entry));
      return make("td", { colspan: table.tHead.rows[0].cells.length }, detail);
    }

    function side(name, s, i, entry) {
      const [all, places, ranks, scores] = entry.h[s];
      const list = make("ol");
      places.forEach((d, h) => {
        const [grade, good] = [entry.g[d], entry.r[d]];
        const mark = good ? `✓ relevant${grade === null ? "" : ` (${grade})`}` : grade === null ? "not judged" : `✗ not relevant (${grade})`;
        const line = make("li", { class: good ? "relevant" : null });
        line.append(`${ranks[h]}. `, make("code", {}, found.documents.ids[entry.d[d]]), " ", make("span", { class: "mark" }, mark));
        if (scores[h] !== null) line.append(make("span", { class: "score" }, ` score ${scores[h]}`));
        const words = found.documents.texts?.[entry.d[d]];
        if (words) line.append(make("div", { class: "words", dir: "auto" }, words));
        list.append(line);
      });
      const cut = all > places.length ? make("p", { class: "score" }, `${places.length} of ${all} hits shown`) : "";
      const nothing = all ? "" : make("p", {}, "No hits.");
      return make("div", {}, make("h3", {}, `${name}: ${number(value(s, i))}`), nothing, list, cut);
    }

    function relevant(entry) {
      const [all, ranks] = entry.n;
      if (!all) return make("p", {}, "No document is judged relevant.");
      const heads = ["Relevant document", "Grade", ...data.systems.map((name) => `Rank, ${name}`)];
      const lines = ranks[0].map((_, d) => {
        const cells = [found.documents.ids[entry.d[d]], entry.g[d] ?? "–", ...ranks.map((of) => of[d] ?? "not found")];
        return make("tr", {}, ...cells.map((text, c) => make(c ? "td" : "th", { scope: c ? null : "row" }, String(text))));
      });
      const cut = all > lines.length ? `The best ${lines.length} of ${all} relevant documents` : "Relevant documents and where they were found";
      const sheet = make("table", {}, make("caption", {}, cut));
      sheet.append(make("thead", {}, make("tr", {}, ...heads.map((name) => make("th", { scope: "col" }, name)))), make("tbody", {}, ...lines));
      return make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": cut }, sheet);
    }

    function draw() {
      const words = find.value.trim().toLowerCase();
      const kept = [...found.ids.keys()].filter((i) => searched[i].includes(words));
      const keys = new Map(kept.map((i) => [i, key(i)]));
      kept.sort((a, b) => compare(keys.get(a), keys.get(b)) * (order.down ? -1 : 1) || a - b);
      const rows = kept.slice(0, shown);
      head();
      table.tBodies[0].replaceChildren(...rows.flatMap(row));
      const many = (n) => n.toLocaleString("en");
      count.textContent = words
        ? `${many(kept.length)} of ${many(found.ids.length)} queries match; ${many(rows.length)} listed`
        : `${many(rows.length)} of ${many(kept.length)} queries listed`;
      more.hidden = rows.length === kept.length;
      more.textContent = `Show ${many(Math.min(STEP, kept.length - rows.length))} more`;
    }

    find.addEventListener("input", () => {
      shown = STEP;
      draw();
    });
    more.addEventListener("click", () => {
      const first = shown;
      shown += STEP;
      draw();
      table.tBodies[0].querySelectorAll("button.open")[first]?.focus();
    });
    charts.push({ by: ["measure", "pair"], draw });
    draw();
  }

  /* What was chosen holds for the whole page. */

  function verdicts() {
    for (const list of document.querySelectorAll("[data-of-measure]")) {
      list.hidden = list.dataset.ofMeasure !== String(state.measure);
    }
  }

  for (const select of document.querySelectorAll("select[data-choice]")) {
    select.addEventListener("change", () => {
      state[select.dataset.choice] = Number(select.value);
      verdicts();
      for (const one of charts) if (one.by.includes(select.dataset.choice)) one.draw();
    });
  }
  for (const table of document.querySelectorAll("table[data-sortable]")) {
    if (!table.closest(".numbers")) sortable(table);
  }
  data.figures.forEach(figure);
  if (data.queries) queries(data.queries);
  for (const media of ["(prefers-color-scheme: dark)", "print"]) {
    matchMedia(media).addEventListener("change", () => charts.forEach((one) => one.draw()));
  }
}
