// The threat: the move that the side not to move would play if it were its turn.

import { has, percent, said, t } from "./language.js";

const $ = (id) => document.getElementById(id);

export class Threat {
  // page: state, sideName(side), act(action, body), changed().
  constructor(page) {
    this.page = page;
    this.found = null;
    $("threats").addEventListener("change", () => {
      this.found = null;
      page.act("threat", { on: $("threats").checked });
    });
  }

  take(found) {
    if (found.rev < this.page.state.rev) return;
    this.found = found;
    this.show();
    this.page.changed();
  }

  // path is the path of the arrow to draw, empty if none.
  get path() {
    const { state } = this.page;
    return state.threats && this.found?.rev === state.rev && this.found.path ? this.found.path : [];
  }

  show() {
    const { state, sideName } = this.page, { found } = this;
    $("threats").checked = state.threats;
    $("threat").hidden = !state.threats;
    if (!state.threats) return;
    if (found?.rev !== state.rev) {
      $("threat").textContent = t("searching");
      return;
    }
    const side = sideName(found.side);
    if (found.refused) {
      const key = "threat." + found.refused;
      $("threat").textContent = has(key) ? t(key, { side, other: sideName(found.side === "white" ? "black" : "white") }) : said(found.error);
      return;
    }
    const line = found.pv?.length > 1 ? ` (${found.pv.join(" ")})` : "";
    $("threat").textContent = t(found.taken ? "threat.takes" : "threat.is", { side, move: found.text, n: found.taken, score: percent(found.score) }) + line;
  }
}
