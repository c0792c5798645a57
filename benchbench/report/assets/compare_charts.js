"use strict";
/* What is drawn on the page of a comparison: colours come from its style, sizes from the room there is. */
const drawing = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const DASHES = ["", "7 4", "2 3", "9 3 2 3", "1 4", "12 4"];
  const LETTER = 6.6; // mean width of one in pixels
  const make = (tag, attributes = {}, ...children) => {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined && value !== "") made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  };
  const text = (x, y, words, anchor = "start", kind = "") => make("text", { x, y, "text-anchor": anchor, class: kind }, words);
  const whole = (value) => String(value).replace("-", "−");  // a tick has few digits, and all of them tell it from the next

  function ticks(low, high, count) {
    const rough = (high - low) / count || 1;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999);
    const found = [];
    for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-6; at++) found.push(Number((at * step).toPrecision(12)));
    return found;
  }

  function powers(low, high) {
    const found = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
      for (const factor of high / low > 300 ? [1] : [1, 2, 5]) found.push(Number((factor * 10 ** power).toPrecision(3)));
    }
    return found.filter((one) => one >= low && one <= high);
  }

  /* A scale: where a value lies, and its ticks. */
  function scale(described, values, from, to, named) {
    let low = Math.min(...values);
    let high = Math.max(...values);
    if (described.scale === "ticks") {
      const at = (value) => from + ((value + 0.5) / named.length) * (to - from);
      const each = Math.ceil(named.length / 12);
      return { at, ticks: named.map((name, place) => [place, name]).filter(([place]) => place % each === 0) };
    }
    if (described.scale === "log") {
      [low, high] = [low * 0.85, high * 1.2];
      const at = (value) => from + (Math.log(value / low) / Math.log(high / low)) * (to - from);
      const marks = powers(low, high);
      return { at, ticks: (marks.length < 2 ? ticks(low, high, 4) : marks).map((one) => [one, whole(one)]) };
    }
    const room = (high - low || Math.abs(high) || 1) * 0.06;
    [low, high] = described.percent ? [0, 1] : [described.zero ? 0 : low - room, high + room];
    const at = (value) => from + ((value - low) / (high - low)) * (to - from);
    return { at, ticks: ticks(low, high, 5).map((one) => [one, described.percent ? `${Math.round(100 * one)} %` : whole(one)]) };
  }

  /* Lines, curves and points of systems; `kind` says how one stands out: base, chosen or other. */
  function figure(described, view, width, kind) {
    const height = 300;
    const series = view.series.filter((one) => one.points.length);
    const points = series.flatMap((one) => one.points);
    const drawn = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
    if (!points.length) return drawn;
    const y = scale(described.y, points.map((one) => one[1]), height - 44, 24, view.ticks);
    const left = 10 + Math.max(0, ...y.ticks.map(([, words]) => words.length)) * LETTER;
    const x = scale(described.x, points.map((one) => one[0]), left + 6, width - 10, view.ticks);
    drawn.append(text(0, 11, described.y.name, "start", "value"), text(width - 4, height - 5, described.x.name, "end"));
    for (const [at, words] of y.ticks) {
      drawn.append(make("path", { class: "grid", d: `M${left} ${y.at(at).toFixed(1)}H${width}` }), text(left - 6, y.at(at) + 4, words, "end"));
    }
    let free = 0;
    for (const [at, words] of x.ticks) {
      const half = (words.length * LETTER) / 2;
      if (x.at(at) - half < free || x.at(at) + half > width) continue;
      free = x.at(at) + half + 6;
      drawn.append(text(x.at(at), height - 26, words, "middle"));
    }
    const spot = (one) => `${x.at(one[0]).toFixed(1)} ${y.at(one[1]).toFixed(1)}`;
    const labels = [];
    for (const one of series) {
      const look = `s ${one.style < 0 ? "edge" : kind(one.style)}`;
      const dash = one.style < 0 ? "4 4" : DASHES[one.style % DASHES.length];
      if (one.kind === "whisker") {
        const d = [];
        for (let i = 0; i + 1 < one.points.length; i += 2) d.push(`M${spot(one.points[i])}L${spot(one.points[i + 1])}`);
        drawn.append(make("path", { class: `${look} thin`, d: d.join("") }));
        continue;
      }
      if (!["points", "small"].includes(one.kind)) {
        const d = one.points.map((each, i) => (i && one.kind === "step" ? `H${x.at(each[0]).toFixed(1)}V${y.at(each[1]).toFixed(1)}` : `${i ? "L" : "M"}${spot(each)}`));
        drawn.append(make("path", { class: look, "stroke-dasharray": dash, d: d.join("") }));
      }
      if (["line", "points", "small"].includes(one.kind)) {
        for (const each of one.points) {
          const told = make("title", {}, `${one.name}: ${each[2]}`);
          drawn.append(make("circle", { class: look, cx: x.at(each[0]).toFixed(1), cy: y.at(each[1]).toFixed(1), r: one.kind === "small" ? 3.5 : 5.5 }, told));
          if (one.kind === "points") labels.push([x.at(each[0]), y.at(each[1]), one.name, kind(one.style)]);
        }
      }
    }
    const taken = [];
    for (const [at, up, words, look] of labels) {
      const before = at + words.length * LETTER + 16 > width;
      let place = up + 4;
      while (taken.some((one) => Math.abs(one - place) < 13)) place += 13;
      taken.push(place);
      drawn.append(text(before ? at - 10 : at + 10, place, words.slice(0, 40), before ? "end" : "start", `halo ${look}`));
    }
    return drawn;
  }

  function swatch(style, look) {
    const drawn = make("svg", { width: 26, height: 8, viewBox: "0 0 26 8", "aria-hidden": "true" });
    drawn.append(make("path", { class: `s ${look}`, "stroke-dasharray": DASHES[style % DASHES.length], d: "M0 4H26" }));
    return drawn;
  }

  /* Differences in ascending order, those that are equal as one box; `pressed` is a stretch that stands out. */
  function sorted(stretches, width, pressed, choose) {
    const [height, left, top, bottom] = [280, 50, 12, 26];
    const values = stretches.flatMap((one) => one.values);
    const moved = stretches.reduce((sum, one) => sum + (one.key === "e" ? 0 : one.values.length), 0);
    const range = Math.max(...values, 0) - Math.min(...values, 0) || 1;
    const [low, high] = [Math.min(Math.min(...values, 0), -0.16 * range), Math.max(Math.max(...values, 0), 0.16 * range)];
    const y = (value) => top + ((high - value) / (high - low)) * (height - top - bottom);
    const equal = stretches.some((one) => one.key === "e") ? Math.min(96, width * 0.24) : 0;
    const each = (width - left - equal) / Math.max(moved, 1);
    const drawn = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
    for (const at of ticks(low, high, 5)) {
      drawn.append(make("path", { class: "grid", d: `M${left} ${y(at).toFixed(1)}H${width}` }), text(left - 7, y(at) + 4, (at > 0 ? "+" : "") + whole(at), "end"));
    }
    let x = left;
    for (const one of stretches) {
      const wide = one.key === "e" ? equal : one.values.length * each;
      const dim = pressed && pressed !== one.key ? " dim" : "";
      if (one.key === "e") {
        drawn.append(make("rect", { class: `box${dim}`, x: x + 3, y: y(0) - 11, width: wide - 6, height: 22, rx: 3 }));
        drawn.append(text(x + wide / 2, y(0) + 4, `${one.values.length.toLocaleString("en")} equal`, "middle", "value"));
      } else {
        const look = `${one.key[0] === "l" ? "lost" : "won"}${dim}`;
        const shown = Math.min(one.values.length, Math.max(2, Math.round(wide * 1.5))); // many are drawn by quantiles
        const slim = wide / shown;
        const gap = slim > 3 ? 1 : 0;
        const d = [];
        for (let i = 0; i < shown; i++) {
          const value = one.values[Math.floor(((i + 0.5) * one.values.length) / shown)];
          d.push(`M${(x + i * slim).toFixed(2)} ${y(0).toFixed(1)}V${y(value).toFixed(1)}h${(slim - gap).toFixed(2)}V${y(0).toFixed(1)}z`);
        }
        drawn.append(make("path", { class: look, d: d.join("") }));
      }
      const over = make("rect", { class: "over", x: x.toFixed(1), y: top, width: Math.max(wide, 1).toFixed(1), height: height - top - bottom, "data-stretch": one.key });
      over.append(make("title", {}, `${one.name}: ${one.values.length.toLocaleString("en")} queries`));
      over.addEventListener("click", () => choose(one.key));
      drawn.append(over);
      x += wide;
    }
    return drawn;
  }

  /* Lines from a hit of one list to the same hit of the other. */
  function slopes(lines, row, height) {
    const drawn = make("svg", { class: "slope", width: 58, height, viewBox: `0 0 58 ${height}`, "aria-hidden": "true" });
    for (const [from, to, relevant] of lines) {
      const [begin, end] = [from, to].map((place) => place * row + row / 2);
      const look = relevant ? (to < from ? "won" : to > from ? "lost" : "kept") : "";
      drawn.append(make("path", { class: look, d: `M2 ${begin}C24 ${begin} 34 ${end} 56 ${end}` }));
    }
    return drawn;
  }

  /* An interval on a scale, the mean of all queries dashed. */
  function whisker(low, mean, high, all, tone, at) {
    const drawn = make("svg", { class: `whisk ${tone}`, "aria-hidden": "true" });
    const percent = (value) => `${at(value).toFixed(2)}%`;
    drawn.append(make("line", { class: "zero", x1: percent(0), x2: percent(0), y1: 0, y2: 20 }));
    if (all !== null) drawn.append(make("line", { class: "all", x1: percent(all), x2: percent(all), y1: 0, y2: 20 }));
    drawn.append(make("line", { class: "l", x1: percent(low), x2: percent(high), y1: 10, y2: 10 }));
    drawn.append(make("circle", { class: "p", cx: percent(mean), cy: 10, r: 4 }));
    return drawn;
  }

  return { figure, swatch, sorted, slopes, whisker };
})();
