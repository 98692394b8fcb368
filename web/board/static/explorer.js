// The opening explorer: the moves that the opening book and the person's own games know here.

import { men, number, percent, said, t } from "./language.js";
import { redraw } from "./list.js";

const $ = (id) => document.getElementById(id);

// cell returns a cell of a table with a text or elements.
function cell(...content) {
  const e = document.createElement("td");
  e.append(...content);
  return e;
}

// odds returns a bar of the results of games: White wins, draws, Black wins.
function odds(counts) {
  const bar = document.createElement("span");
  bar.className = "odds";
  bar.setAttribute("role", "img");
  const shares = { white: counts.white, draws: counts.draws, black: counts.black };
  const text = t("explorer.odds", Object.fromEntries(Object.entries(shares).map(([k, n]) => [k, percent(n)])));
  bar.setAttribute("aria-label", text);
  bar.title = text;
  for (const [name, share] of Object.entries(shares)) {
    const part = document.createElement("i");
    part.className = name[0];
    part.style.flexBasis = `${100 * share}%`;
    bar.append(part);
  }
  return bar;
}

// positionOf returns what tells the position of a state from others.
const positionOf = ({ variant, options, node, fen }) => [variant, options, node, fen].join(" ");

export class Explorer {
  // page: state, board, get(path), play(index), has the methods of the page for its modules.
  constructor(page, memory) {
    this.page = page;
    this.found = null;
    this.at = ""; // the position that it is about
    this.asked = 0;
    $("explorer").open = memory.get("explorer") === "open";
    $("explorer").addEventListener("toggle", () => {
      memory.set("explorer", $("explorer").open ? "open" : "");
      this.moved();
    });
  }

  // moved asks the server about the position that is shown now, if the explorer is open.
  async moved() {
    clearTimeout(this.again);
    const asked = ++this.asked;
    if (!$("explorer").open || !this.page.state) return;
    const at = positionOf(this.page.state);
    try {
      const found = await this.page.get("explorer");
      if (asked !== this.asked) return;
      this.found = found;
      this.at = at;
      this.show();
      if (found.games?.reading) this.again = setTimeout(() => this.moved(), 1000);
    } catch (e) {
      if (asked !== this.asked) return;
      this.found = null;
      $("explorer-table").hidden = true;
      $("explorer-note").textContent = this.page.problem(e);
    }
  }

  show() {
    const { found } = this;
    if (!found) return;
    $("explorer-table").hidden = found.moves.length === 0;
    for (const e of document.querySelectorAll("#explorer .of-games")) e.hidden = !found.games;
    for (const e of document.querySelectorAll("#explorer .of-book")) e.hidden = !found.book;
    redraw($("explorer-moves"), found.moves.map((m) => this.row(m)), "move");
    $("explorer-note").textContent = this.note();
    $("explorer-bad").replaceChildren(...(found.games?.errors ?? []).map((error) => {
      const item = document.createElement("li");
      item.textContent = said(error);
      return item;
    }));
  }

  row(m) {
    const { found, at, page } = this, row = document.createElement("tr"), play = document.createElement("button");
    play.type = "button";
    play.textContent = play.dataset.move = m.text;
    play.setAttribute("aria-label", t("explorer.play", { move: m.text }));
    play.addEventListener("click", () => {
      if (at === positionOf(page.state)) page.play(m.index); // else the row is about to be replaced
    });
    const here = () => page.board.point([m.from, m.to]), away = () => page.board.point([]);
    for (const name of ["focus", "pointerenter"]) play.addEventListener(name, here);
    for (const name of ["blur", "pointerleave"]) play.addEventListener(name, away);
    row.append(cell(play));
    if (found.book) {
      row.append(cell(m.book ? men(m.book.men) : "–"), cell(m.book?.share > 0 ? percent(m.book.share) : "–"));
    }
    if (found.games) {
      const g = m.games, ended = g && g.score >= 0;
      row.append(cell(g ? `${number(g.games)} · ${percent(m.share)}` : "–"), cell(ended ? odds(g) : "–"), cell(ended ? percent(g.score) : "–"));
    }
    return row;
  }

  // note says what is known of the position, and why there is nothing if so.
  note() {
    const { found } = this, { games, all } = found, said = [];
    if (!found.book) said.push(t("explorer.no-book"));
    else if (!found.moves.some((m) => m.book)) said.push(t("explorer.out"));
    if (!games) said.push(t("explorer.no-games"));
    else {
      if (games.reading) said.push(t("explorer.reading", { n: number(games.games) }));
      else said.push(t("explorer.games", { n: number(games.games), here: number(all?.games ?? 0) }));
      if (all && all.score >= 0) said.push(t("explorer.score", { score: percent(all.score) }));
      if (games.full) said.push(t("explorer.full"));
      if (games.bad > 0) said.push(t("explorer.bad", { n: number(games.bad) }));
    }
    return said.join(" ");
  }
}
