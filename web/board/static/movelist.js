// The list of moves with variations, and the actions on the current move.

import { history } from "./informal.js";
import { t } from "./language.js";
import { redraw } from "./list.js";

const $ = (id) => document.getElementById(id);
export const glyphs = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!" };

function cell(name, text = "") {
  const e = document.createElement("span");
  e.className = name;
  e.textContent = text;
  return e;
}

export class MoveList {
  // page: state, first (who begins), choice, moveText(move), verdict(id), act(action, body), halt().
  constructor(page) {
    this.page = page;
    this.noting = null; // what noted returned when the fields of a note got the focus
    $("moves").addEventListener("click", (e) => {
      const node = e.target.closest("button")?.dataset.node;
      if (!node) return;
      page.halt();
      page.act("goto", { node: Number(node) });
    });
    $("promote").addEventListener("click", () => page.act("promote", { node: page.state.node }));
    $("delete").addEventListener("click", () => {
      const { node } = page.state; // of the question; the state may change meanwhile
      page.choice.sure("delete.ask", "delete", () => page.act("delete", { node }));
    });
    $("annotate").addEventListener("focusin", (e) => {
      if (e.target.type !== "submit") this.noting ??= this.noted();
    });
    $("annotate").addEventListener("submit", (e) => {
      e.preventDefault();
      const { node, others } = this.noting ?? this.noted();
      this.noting = null;
      page.act("annotate", { node, text: $("comment").value, glyphs: $("glyph").value ? [Number($("glyph").value), ...others] : others });
      $("comment").blur();
    });
  }

  // noted returns the current move and those of its glyphs that the fields do not show.
  noted() {
    return { node: this.page.state.node, others: this.annotated().glyphs.filter((g) => !glyphs[g]) };
  }

  // annotated returns the annotations of the current move.
  annotated() {
    const { state } = this.page;
    const m = state.ply > 0 ? state.moves[state.ply - 1] : { comment: state.intro };
    return { comment: m.comment ?? "", glyphs: m.glyphs ?? [] };
  }

  // button returns the button of a move.
  button(m) {
    const { state } = this.page, b = document.createElement("button");
    b.type = "button";
    b.textContent = this.page.moveText(m) + (m.glyphs ?? []).map((g) => glyphs[g] ?? ` $${g}`).join("");
    if (m.book) b.append(cell("book", ` ${t("book")}`));
    b.dataset.node = m.id;
    b.setAttribute("aria-current", String(m.id === state.node));
    if (this.later.has(m.id)) b.className = "later";
    const mark = this.page.verdict(m.id)?.mark;
    if (mark) {
      const e = cell("verdict " + mark);
      e.title = t("mark." + mark);
      b.append(e, cell("hidden", ` (${t("mark." + mark)})`));
    }
    return b;
  }

  // variation returns the line that begins with a move, in brackets.
  variation(m, number) {
    const box = cell("variation");
    box.append("(");
    for (let n = number, begins = true, others = []; m; n++) {
      if (m.before) box.append(cell("comment", m.before));
      if (m.turn === this.page.first || begins) box.append(cell("no", this.numberOf(m, n)));
      box.append(this.button(m));
      if (m.comment) box.append(cell("comment", m.comment));
      begins = Boolean(m.comment);
      for (const o of others) {
        box.append(this.variation(o, n));
        begins = true;
      }
      [m, ...others] = this.next.get(m.id) ?? [];
    }
    box.append(")");
    return box;
  }

  // numberOf returns the text of the number of a move after n plies.
  numberOf(m, n) {
    const full = Math.floor((n + this.offset) / 2) + 1;
    return m.turn === this.page.first ? `${full}.` : `${full}…`;
  }

  show() {
    const { state, first } = this.page, rows = [];
    const tree = state.tree ?? state.moves.map((m, i) => ({ ...m, up: i ? state.moves[i - 1].id : 0 }));
    this.next = new Map();
    for (const m of tree) {
      if (!this.next.has(m.up)) this.next.set(m.up, []);
      this.next.get(m.up).push(m);
    }
    this.later = new Set(state.moves.slice(state.ply).map((m) => m.id));
    rows.push(...history(state, cell));
    if (state.intro) rows.push(cell("comment", state.intro));
    let moves = this.next.get(0) ?? [], n = 0, broken = true;
    this.offset = moves.length && moves[0].turn !== first ? 1 : 0;
    for (; moves.length; n++) {
      const [m, ...others] = moves, opens = m.turn === first;
      if (m.before) {
        rows.push(cell("comment", m.before));
        broken = true;
      }
      if (opens || broken) {
        rows.push(cell("no", this.numberOf(m, n)));
        if (!opens) rows.push(cell("none"));
      }
      rows.push(this.button(m));
      broken = Boolean(m.comment) || others.length > 0;
      if (opens && broken) rows.push(cell("none"));
      if (m.comment) rows.push(cell("comment", m.comment));
      for (const o of others) rows.push(this.variation(o, n));
      moves = this.next.get(m.id) ?? [];
    }
    const list = $("moves");
    redraw(list, rows, "node");
    const now = list.querySelector('[aria-current="true"]');
    if (now) list.scrollTop = now.offsetTop - list.offsetTop - list.clientHeight / 2;
    else list.scrollTop = 0;
    this.tools();
  }

  // tools shows the actions on the current move.
  tools() {
    const { state } = this.page;
    const up = new Map((state.tree ?? []).map((m) => [m.id, m.up]));
    let aside = false;
    for (let id = state.node; up.has(id); id = up.get(id)) aside ||= this.next.get(up.get(id))[0].id !== id;
    $("promote").disabled = !aside;
    $("delete").disabled = state.node === 0;
    if (!$("annotate").contains(document.activeElement)) this.noting = null;
    if (this.noting) return; // the fields are about another move
    $("glyph").disabled = state.node === 0;
    const a = this.annotated();
    $("comment").value = a.comment;
    $("glyph").value = a.glyphs.find((g) => glyphs[g]) ?? "";
  }
}
