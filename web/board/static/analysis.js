// The analysis of the position on the board: what the engine expects, its moves, and the bar.

import { men, number, percent, sentence, t } from "./language.js";

const $ = (id) => document.getElementById(id);
const kinds = ["", "second", "third"]; // classes of arrows, the best move first

// worth returns the text of a score.
function worth({ proof, score, men: lead }) {
  if (proof) return t("proved." + proof);
  return t("expected", { score: percent(score) }) + (lead === undefined ? "" : ` (${t("men", { n: men(lead) })})`);
}

export class Analysis {
  // page: state, board, review, act(action, body), engineName(engine), statusText(), refused(text),
  // changed().
  constructor(page) {
    this.page = page;
    this.found = null; // the last analysis of this position
    $("analyse").addEventListener("click", () => {
      this.found = null;
      page.act("analyse", { on: $("analyse").checked });
    });
  }

  // take shows a result. The server may send it before the state of its position.
  take(found) {
    const { rev } = this.page.state;
    if (found.rev < rev && this.found?.rev !== found.rev) return;
    if (found.error) return this.page.refused(sentence(found.error));
    this.found = found;
    this.show();
  }

  forget() { this.found = null; }

  // arrows are those of the best moves: from, to, class.
  get arrows() {
    return this.page.state.analysing && this.found ? this.found.moves.slice(0, 3).map((m, i) => [m.from, m.to, kinds[i]]) : [];
  }

  show() {
    const { state, review } = this.page;
    $("analysis").hidden = $("bar").hidden = !state.analysing;
    this.page.changed();
    if (!state.analysing) return;
    const known = this.found ?? review.verdict(state.node); // a review has a score, and no moves
    const text = known ? worth(known) : state.outcome === "*" ? t("searching") : "";
    $("expected").textContent = text;
    this.setBar(known?.score ?? { white: 1, black: 0 }[state.outcome] ?? 0.5, text || this.page.statusText());
    this.showMoves();
  }

  // setBar shows White's expected score.
  setBar(score, text) {
    const bar = $("bar");
    bar.classList.toggle("flipped", this.page.board.flipped);
    for (const [name, share] of [["w", score], ["b", 1 - score]]) bar.querySelector("." + name).style.flexBasis = `${share * 100}%`;
    bar.setAttribute("aria-label", text);
  }

  showMoves() {
    const { found } = this;
    if (!found) {
      $("top-moves").replaceChildren();
      $("pv").textContent = $("effort").textContent = "";
      return;
    }
    const visits = found.engine === "tree";
    $("visits-head").textContent = visits ? t("visits") : t("positions");
    $("top-moves").replaceChildren(...found.moves.map((m) => {
      const row = document.createElement("tr");
      for (const text of [m.text, m.visits ? number(m.visits) : "–", m.proof ? t("proof." + m.proof) : m.score === null ? "–" : `${men(m.men)} · ${percent(m.score)}`]) {
        const cell = document.createElement("td");
        cell.textContent = text;
        row.append(cell);
      }
      return row;
    }));
    $("pv").textContent = found.pv.join(" ");
    $("effort").textContent = t(visits ? "effort" : "effort.depth", { engine: this.page.engineName(found.engine), n: number(found.nodes), depth: found.depth, s: (found.ms / 1000).toFixed(1) });
  }
}
