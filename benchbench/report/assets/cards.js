"use strict";
{
  const { one, all } = page;
  const cards = all(".card");
  const counter = one("#count");
  const FIRST = 25;
  const COLUMNS = ["source_type", "category"];
  const state = { f: "", source_type: "", category: "", find: "", q: "", shown: FIRST };
  const texts = new Map();

  function textOf(card) {
    if (!texts.has(card)) texts.set(card, card.textContent.toLowerCase());
    return texts.get(card);
  }

  function fits(card, find) {
    if (state.f && !card.dataset.k.split(" ").includes(state.f)) return false;
    if (COLUMNS.some((column) => state[column] && card.dataset[column] !== state[column])) return false;
    return !find || textOf(card).includes(find);
  }

  /* What is chosen, and the same in the URL's fragment. */

  function remember() {
    const kept = new URLSearchParams();
    for (const key of ["f", ...COLUMNS, "find", "q"]) if (state[key]) kept.set(key, state[key]);
    page.keep(kept);
  }

  function recall() {
    const kept = page.kept();
    const linked = /^#a(\d+)$/.exec(location.hash);
    const keys = new Set(all("[data-f]").map((button) => button.dataset.f));
    state.f = keys.has(kept.get("f")) ? kept.get("f") : "";
    for (const column of COLUMNS) {
      const known = all(`[data-column="${column}"]`).some((button) => button.dataset.value === kept.get(column));
      state[column] = known ? kept.get(column) : "";
    }
    state.find = kept.get("find") ?? "";
    state.q = linked ? linked[1] : (kept.get("q") ?? "");
    state.shown = FIRST;
    one("#find").value = state.find;
  }

  function update() {
    const find = state.find.trim().toLowerCase();
    let found = 0;
    for (const card of cards) {
      const is = fits(card, find);
      found += is;
      card.hidden = !is || found > state.shown;
    }
    const linked = cards.find((card) => card.dataset.number === state.q);
    if (linked) linked.hidden = false;
    for (const button of all("[data-f]")) button.setAttribute("aria-pressed", String(button.dataset.f === state.f));
    for (const button of all("[data-column]")) {
      button.setAttribute("aria-pressed", String(state[button.dataset.column] === button.dataset.value));
    }
    const chosen = one(`[data-f="${CSS.escape(state.f)}"]`);
    const counted = Number(chosen.dataset.count ?? counter.dataset.total);
    const held = cards.filter((card) => !state.f || card.dataset.k.split(" ").includes(state.f)).length;
    const part = held < counted && found < held ? `; the page holds ${page.count(held)}` : "";
    counter.textContent = `${page.count(found)} of ${page.count(counted)} ${counter.dataset.noun}${part}`;
    const chips = COLUMNS.filter((column) => state[column]).map((column) => {
      const chip = document.createElement("button");
      chip.type = "button";
      chip.textContent = `${state[column]} ✕`;
      chip.setAttribute("aria-label", `Show ${counter.dataset.noun} of other groups than ${state[column]} again`);
      chip.addEventListener("click", () => choose({ [column]: "" }));
      return chip;
    });
    one("#chosen").replaceChildren(...chips);
    const left = found - state.shown;
    one("#more").hidden = left <= 0;
    one("#more").textContent = `Show ${page.count(Math.min(left, 2 * FIRST))} more of ${page.count(left)}`;
  }

  function choose(changed) {
    Object.assign(state, { q: "", shown: FIRST }, changed);
    update();
    remember();
  }

  function visit(card) {
    card.scrollIntoView({ block: "start" });
    card.focus({ preventScroll: true });
  }

  if (counter) {
    for (const button of all("[data-f]")) {
      button.addEventListener("click", () => choose({ f: state.f === button.dataset.f ? "" : button.dataset.f }));
    }
    for (const button of all("[data-column]")) {
      const { column, value } = button.dataset;
      button.addEventListener("click", () => {
        choose({ [column]: state[column] === value ? "" : value });
        one("#answers")?.scrollIntoView();
      });
    }
    for (const link of all(".boxes a")) {
      link.addEventListener("click", (event) => {
        const card = one(link.hash);
        if (!card) return;
        event.preventDefault();
        choose({ f: "", source_type: "", category: "", find: "", q: card.dataset.number });
        one("#find").value = "";
        visit(card);
      });
    }
    one("#find").addEventListener("input", () => choose({ find: one("#find").value }));
    one("#more").addEventListener("click", () => {
      state.shown += 2 * FIRST;
      update();
    });
    const arrive = () => {
      recall();
      update();
      const card = state.q && cards.find((each) => each.dataset.number === state.q);
      if (card) visit(card);
    };
    arrive();
    addEventListener("hashchange", arrive);
    page.keys(() => cards.filter((card) => !card.hidden), visit);
  }
}
