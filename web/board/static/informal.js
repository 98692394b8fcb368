// Informal play: the choices of the other side after a lapse (a move that omits, shortens or
// reduces a capture), and the list of past lapses.

import { either, t } from "./language.js";

const $ = (id) => document.getElementById(id);

// objections shows the buttons for the lapse of a state, if there is one. act sends the choice.
export function objections(state, name, act) {
  const box = $("lapse"), lapse = state.outcome === "*" && !state.thinking ? state.lapse : null;
  box.hidden = !lapse;
  if (!lapse) return box.replaceChildren();
  const text = document.createElement("p");
  text.textContent = t("lapse." + lapse.fault, { side: t(lapse.side), move: lapse.move, moves: either(lapse.missed) });
  const button = (label, does) => {
    const b = document.createElement("button");
    b.type = "button";
    b.textContent = label;
    b.addEventListener("click", does);
    return b;
  };
  const row = document.createElement("div");
  row.className = "buttons";
  row.append(button(t("lapse.force"), () => act("force")));
  for (const q of lapse.guilty ?? []) row.append(button(t("lapse.huff", { square: name(q) }), () => act("huff", { from: q })));
  const rest = document.createElement("p");
  rest.className = "quiet";
  rest.textContent = t("lapse.stand", { side: t(state.turn) });
  box.replaceChildren(text, row, rest);
}

// history returns rows for the list of moves: the moves before the last lapse.
export function history(state, cell) {
  const past = state.past ?? [];
  const became = (e, i) => {
    const fault = t("fault." + e.fault);
    if (state.lapse && i === past.length - 1) return fault; // not decided yet
    return t(e.remedy === "huff" ? "past.huff" : "past.stand", { square: e.huffed, fault });
  };
  return past.map((e, i) => cell("comment", `${[...e.moves, e.move].join(" ")}: ${became(e, i)}`));
}

// message returns the text of a message about a lapse, "" for other messages.
export function message(text) {
  const [what, square] = text.split(":");
  return { forced: t("done.force"), stands: t("done.stand"), huffed: t("done.huff", { square }) }[what] ?? "";
}
