"use strict";
{
  const { one, all, make } = page;
  const data = JSON.parse(one("#data").textContent);
  const last = data.runs.length - 1;
  const WIDTH = 300; // pixels of what is told of a run
  const JUMP = 10; // runs that Page Up and Page Down go over

  /* Texts: as the tables of the page have them. */

  const minus = (text) => text.replace("-", "−");
  function shown(value, unit = "") {
    const size = Math.abs(value);
    let text = value === 0 ? "0" : size < 10 ? value.toFixed(3) : "";
    if (size < 10 && value !== 0 && Number(text) === 0) text = String(Number(value.toPrecision(3)));
    if (size >= 1e12) text = String(Number(value.toPrecision(4)));
    else if (size >= 10) {
      const digits = Math.max(0, 3 - Math.floor(Math.log10(size)));
      text = value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
    }
    return minus(`${text} ${unit}`.trim());
  }
  const has = (value) => value !== null && value !== undefined;
  const size = (line, place) => (Array.isArray(line.n) ? line.n[place] : line.n);

  /* The run before one in its series that has a value. */
  function before(line, place) {
    for (let at = place - 1; at >= 0; at--) if (data.runs[at][4] === data.runs[place][4] && has(line.v[at])) return at;
    return null;
  }

  function facts(line, place) {
    const [number, began, commit, branch, series, status] = data.runs[place];
    const value = line.v[place];
    const ends = has(line.l?.[place]) && has(line.h?.[place]) ? `(${shown(line.l[place])} to ${shown(line.h[place])})` : "";
    const n = size(line, place);
    const from = has(value) ? before(line, place) : null;
    const change = from === null ? null : value - line.v[from];
    const rows = [["Commit", commit ? `${commit}${branch ? ` on ${branch}` : ""}` : "not known"]];
    if (change !== null) rows.push(["Change", `${change > 0 ? "+" : ""}${shown(change, line.unit)} since run ${data.runs[from][0]}`]);
    if (status !== "complete") rows.push(["Status", status]);
    if (series) rows.push(["Rules", `${data.rules[series]}, not comparable with the last run`]);
    if (line.said[place]) rows.push(["Found", line.said[place]]);
    return {
      head: `Run ${number}`,
      began,
      now: has(value) ? shown(value, line.unit) : "no value",
      beside: [ends, has(n) && has(value) ? `of ${n.toLocaleString("en")}` : ""].filter(Boolean).join(" "),
      rows: [...rows, ...(data.told[place] ?? [])],
    };
  }

  /* Each chart is read run by run: what is below the pointer, or where the keys are. */

  const readers = new Map();
  const SVG = "http://www.w3.org/2000/svg";

  function reader(box) {
    const line = data.lines[box.dataset.line];
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

    const drawing = () => all("svg[data-frame]", box).find((each) => each.getBoundingClientRect().width > 0);

    function frame(drawn) {
      const [left, right, top, bottom, low, high, least, most] = drawn.dataset.frame.split(" ").map(Number);
      const x = (place) => left + ((right - left) * (place - low)) / (high - low);
      const y = (value) => bottom - ((bottom - top) * (value - least)) / (most - least || 1);
      return { left, right, top, bottom, low, high, x, y };
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
      const drawn = drawing();
      if (!drawn) return;
      const scales = frame(drawn);
      const x = scales.x(at);
      const rule = document.createElementNS(SVG, "path");
      rule.setAttribute("class", "cursor");
      rule.setAttribute("d", `M${x.toFixed(1)} ${scales.top}V${scales.bottom}`);
      drawn.append(rule);
      if (has(line.v[at])) {
        const spot = document.createElementNS(SVG, "circle");
        for (const [name, value] of [["class", "spot"], ["cx", x.toFixed(1)], ["cy", scales.y(line.v[at]).toFixed(1)], ["r", 4.5]]) spot.setAttribute(name, value);
        drawn.append(spot);
      }
      const { head, began, now, beside, rows } = facts(line, at);
      const list = make("dl");
      for (const [name, text] of rows) list.append(make("dt", {}, name), make("dd", { dir: "auto" }, text));
      tip.replaceChildren(
        make("p", {}, make("b", {}, head), ` · ${began}`),
        make("p", { class: "now" }, now, " ", make("small", {}, beside)),
        list,
      );
      tip.hidden = false;
      const whole = box.getBoundingClientRect().width;
      const scale = drawn.getBoundingClientRect().width / drawn.viewBox.baseVal.width;
      const wide = Math.min(WIDTH, whole);
      const free = x * scale + 16 + wide <= whole ? x * scale + 16 : x * scale - 16 - wide;
      tip.style.left = `${Math.max(0, Math.min(free, whole - wide)).toFixed(0)}px`;
    }

    function under(event) {
      const drawn = drawing();
      if (!drawn) return at;
      const box = drawn.getBoundingClientRect();
      const { left, right, low, high } = frame(drawn);
      const x = ((event.clientX - box.left) / box.width) * drawn.viewBox.baseVal.width;
      return Math.round(low + ((x - left) / (right - left)) * (high - low));
    }

    const leave = () => pinned || slider.matches(":focus-visible") || clear();
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
    slider.addEventListener("blur", () => {
      pinned = false;
      clear();
    });
    slider.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -JUMP, PageUp: JUMP, Home: -last, End: last };
      if (event.key === "Escape") {
        pinned = false;
        clear();
      } else if (event.key in steps && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        show(at + steps[event.key]);
      }
    });
    return {
      figure,
      visit(place) {
        figure.scrollIntoView({ block: "center" });
        slider.focus({ preventScroll: true });
        pinned = true;
        show(place);
      },
    };
  }

  /* A chart gets its reader when it is first seen: of many measures most never are. */
  function read(box) {
    if (!readers.has(box)) readers.set(box, reader(box));
    return readers.get(box);
  }

  /* The measure, chosen by buttons or from a list; the same in the URL's fragment. */

  const inputs = all('.seg input[name="measure"]');
  const select = one('select[data-choice="measure"]');
  const names = inputs.length ? inputs.map((each) => each.nextElementSibling.textContent) : all("option", select ?? make("p")).map((each) => each.textContent);

  function choose(at) {
    for (const each of all('[data-of="measure"]')) each.hidden = Number(each.dataset.at) !== at;
    if (inputs[at]) inputs[at].checked = true;
    if (select) select.value = String(at);
    for (const each of all(".none")) each.hidden = Boolean(one("figure:not([hidden])", each.closest(".courses")));
    for (const box of all(".read")) if (!box.closest("[hidden]")) read(box);
    const kept = new URLSearchParams();
    if (at) kept.set("measure", names[at]);
    page.keep(kept);
  }

  for (const each of inputs) each.addEventListener("change", () => choose(Number(each.value)));
  select?.addEventListener("change", () => choose(Number(select.value)));
  for (const button of all(".moments [data-line]")) {
    button.addEventListener("click", () => {
      choose(Number(button.dataset.line));
      read(one(`.read[data-line="${button.dataset.line}"]`)).visit(Number(button.dataset.place));
    });
  }
  choose(Math.max(0, names.indexOf(page.kept().get("measure"))));
  document.documentElement.dataset.ready = "yes";
}
