"use strict";
/* What all pages of results do, and what their scripts share. */
const page = (() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  };
  const count = (number) => number.toLocaleString("en");

  function language(words) {
    if (/[\u3040-\u30ff]/u.test(words)) return "ja";
    if (/[\uac00-\ud7a3]/u.test(words)) return "ko";
    return /[\u3400-\u9fff]/u.test(words) ? "zh" : null;
  }

  /* Words with what is sought marked. */
  function marked(words, find) {
    const lowered = words.toLowerCase();
    const wanted = find.toLowerCase();
    if (!wanted || lowered.length !== words.length) return [words];
    const parts = [];
    let from = 0;
    for (let at = lowered.indexOf(wanted); at >= 0; at = lowered.indexOf(wanted, from)) {
      parts.push(words.slice(from, at), make("mark", {}, words.slice(at, at + wanted.length)));
      from = at + wanted.length;
    }
    return [...parts, words.slice(from)];
  }

  /* The beginning of a text, or what stands around what is sought. */
  function excerpt(words, find) {
    const at = find ? words.toLowerCase().indexOf(find.toLowerCase()) : -1;
    const from = at > 14 ? at - 10 : 0;
    return `${from ? "…" : ""}${words.slice(from, from + 120)}${words.length > from + 120 ? "…" : ""}`;
  }

  /* A whole text, of which a long one opens when it is asked for. */
  function whole(words, find, long) {
    const shown = make("p", { class: long ? "text clamp" : "text", lang: language(words), dir: "auto" }, ...marked(words, find));
    if (!long) return [shown];
    const button = make("button", { type: "button", class: "link" }, `Whole text, ${count(words.length)} characters`);
    button.addEventListener("click", () => {
      shown.classList.remove("clamp");
      button.remove();
    });
    return [shown, button];
  }

  /* A button that takes a filter away. */
  function chip(words, clear) {
    const button = make("button", { type: "button", "aria-label": `Remove the filter ${words}` }, `${words} ×`);
    button.addEventListener("click", () => {
      clear();
      one("#find").focus({ preventScroll: true });
    });
    return button;
  }

  /* What is chosen stands in the URL's fragment. */
  const kept = () => new URLSearchParams(location.hash.slice(1));
  function keep(chosen) {
    const text = chosen.toString();
    history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
  }

  async function unpacked() {
    const bytes = Uint8Array.from(atob(one("#packed").textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  /* `/` finds; `j` and `k` go from one of what is listed to the next; the focus says where one is. */
  function keys(listed, visit) {
    document.addEventListener("keydown", (event) => {
      if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "/" && one("#find")) {
        event.preventDefault();
        one("#find").focus();
      }
      if (event.key !== "j" && event.key !== "k") return;
      const rows = listed();
      const at = rows.findLastIndex((row) => row.contains(document.activeElement));
      const to = rows[Math.min(event.key === "j" ? at + 1 : Math.max(at - 1, 0), rows.length - 1)];
      if (to) visit(to);
    });
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
  for (const button of all("[data-copy]")) {
    const words = button.textContent;
    button.addEventListener("click", () => {
      const from = document.getElementById(button.dataset.copy);
      const chosen = () => getSelection().selectAllChildren(from);
      if (navigator.clipboard) navigator.clipboard.writeText(from.textContent).catch(chosen);
      else chosen();
      button.textContent = "copied";
      setTimeout(() => (button.textContent = words), 1200);
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

  return { one, all, make, count, language, marked, excerpt, whole, chip, kept, keep, unpacked, keys };
})();
