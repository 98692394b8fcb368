// The verdicts of the endgame tables on the position and each legal move.

import { has, number, said, t } from "./language.js";

const $ = (id) => document.getElementById(id);

// words returns the text of a verdict.
function words(v) {
  if (!v.result) return t("verdict.unknown");
  const theory = t("verdict." + (v.forbidden || v.result), { n: number(v.moves ?? 0) });
  return v.forbidden ? t("verdict.forbidden", { theory }) : v.sure ? theory : t("verdict.unless", { theory });
}

export class Verdicts {
  // page: state, sideName(side), act(action, body).
  constructor(page) {
    this.page = page;
    this.found = null;
    $("verdicts").addEventListener("change", () => {
      this.found = null;
      page.act("verdicts", { on: $("verdicts").checked });
    });
  }

  take(found) {
    if (found.rev < this.page.state.rev) return;
    this.found = found;
    this.show();
  }

  show() {
    const { state, sideName } = this.page, { found } = this;
    $("verdicts").closest("label").hidden = !state.tables;
    $("verdicts").checked = Boolean(state.verdicts);
    $("verdict").hidden = !state.verdicts;
    const known = state.verdicts && found?.rev === state.rev ? found : null;
    $("verdict-moves").hidden = !known?.moves;
    if (!known) {
      $("verdict-text").textContent = t("searching");
      return;
    }
    if (known.refused) {
      const key = "verdict.no." + known.refused;
      $("verdict-text").textContent = has(key) ? t(key) : said(known.error);
      return;
    }
    $("verdict-text").textContent = t("verdict.position", { side: sideName(known.side), verdict: words(known.position) });
    $("verdict-rows").replaceChildren(...known.moves.map((m) => {
      const row = document.createElement("tr");
      for (const text of [m.text, words(m), m.plies ? number(m.plies) : "–"]) {
        const cell = document.createElement("td");
        cell.textContent = text;
        row.append(cell);
      }
      return row;
    }));
  }
}
