// The review of a game: its graph, and the list of mistakes.

import { written } from "./clock.js";
import { men, number, percent, sentence, t } from "./language.js";
import { redraw } from "./list.js";
import { drawTimes, svg, timesOf } from "./times.js";

const $ = (id) => document.getElementById(id);
const width = 320, height = 110;
const shapes = { // paths of the marks, centred on (0,0)
  doubtful: "M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0Z", mistake: "M0 -5.5L5.5 4.5H-5.5Z", blunder: "M0 -6.5L6.5 0L0 6.5L-6.5 0Z",
};

// worth returns the text of a score: a lead in men and an expected score.
const worth = (lead, score) => `${men(lead)} · ${percent(score)}`;

export class Review {
  // page: state, first, info, moveText(move), engineName(engine), act(action, body, tell), halt(),
  // changed().
  constructor(page) {
    this.page = page;
    this.clear();
    $("review").addEventListener("click", () => {
      if (this.running) return page.act("review", { on: false }, tell);
      page.act("review", { on: true, index: Number($("review-effort").value) }, tell);
    });
    for (const [id, round] of [["graph", Math.round], ["times", Math.ceil]]) {
      $(id).addEventListener("click", (e) => {
        const box = $(id).getBoundingClientRect();
        const at = round(((e.clientX - box.left) / box.width) * Math.max(this.total - 1, 1));
        this.visit(this.points[Math.min(Math.max(at, 0), this.points.length - 1)]);
      });
    }
    $("faults").addEventListener("click", (e) => {
      const at = e.target.closest("button")?.dataset.at;
      if (at) this.visit(this.points[Number(at)]);
    });
    const tell = (text) => ($("review-note").textContent = text);
  }

  clear() {
    this.points = [];
    this.verdicts = new Map();
    this.total = this.done = 0;
    this.accuracy = {};
    this.running = false;
    this.failed = "";
  }

  visit(point) {
    if (!point) return;
    this.page.halt();
    this.page.act("goto", { node: point.node });
  }

  // take shows a review event: the progress, and at the end the points.
  take({ points, done, total, running, engine, effort, accuracy, error }) {
    this.clear();
    Object.assign(this, { points, done, total, running, engine, effort, accuracy: accuracy ?? {}, failed: error ? sentence(error) : "" });
    for (const p of points) this.verdicts.set(p.node, p);
    this.show();
    this.page.changed();
  }

  verdict(id) {
    return this.verdicts.get(id);
  }

  // options fills the list of efforts in the page's language.
  options() {
    const { efforts, effort } = this.page.info, deep = !this.page.byVisits, list = $("review-effort"), old = list.value;
    list.replaceChildren(...efforts.map((e, i) => {
      const o = document.createElement("option");
      o.value = i;
      o.textContent = deep ? t("level.depth", { n: e.depth }) : t("level.visits", { n: number(e.visits) });
      return o;
    }));
    list.value = old || String(effort);
  }

  // move returns the text of the move that leads to a point, with its number.
  move(point) {
    const m = this.page.moves().get(point.node);
    if (!m) return "";
    const ply = point.ply - 1 + (this.page.startsSecond() ? 1 : 0);
    return `${Math.floor(ply / 2) + 1}${m.turn === this.page.first ? "." : "…"} ${this.page.moveText(m)}`;
  }

  show() {
    const { points, done, total, running } = this;
    $("review").textContent = running ? t("review.stop") : t("review.start");
    $("review").disabled = !running && this.page.state?.moves.length === 0;
    $("review-effort").disabled = running;
    $("review-progress").hidden = !running;
    $("review-progress").max = Math.max(total, 1);
    $("review-progress").value = done;
    const found = points.length > 0;
    $("review-result").hidden = !found;
    const said = running ? t("review.runs", { n: done, total }) : found ? t("review.done", { n: done }) : done > 0 ? t("review.part", { n: done, total }) : "";
    $("review-note").textContent = this.failed || said;
    if (!found) return;
    const exact = (side) => (side in this.accuracy ? percent(this.accuracy[side] / 100) : "–");
    $("accuracy").textContent = t("accuracy", { white: exact("white"), black: exact("black") });
    this.draw();
    this.clock = timesOf(points, this.page.moves());
    drawTimes(this.clock, { width, last: Math.max(total - 1, 1), here: points.find((p) => p.node === this.page.state.node)?.ply, move: (at) => this.move(points[at]) });
    this.list();
  }

  draw() {
    const { points, total } = this, last = Math.max(total - 1, 1);
    const x = (ply) => ((ply / last) * width).toFixed(1), y = (score) => ((1 - score) * height).toFixed(1);
    const line = points.map((p) => `${x(p.ply)} ${y(p.score)}`).join("L");
    const end = x(points.at(-1).ply);
    const parts = [
      svg("rect", { class: "unknown", width, height }),
      svg("rect", { class: "ground", width: end, height }),
      svg("path", { class: "area", d: `M0 ${height}L${line}L${end} ${height}Z` }),
      svg("path", { class: "half", d: `M0 ${height / 2}H${width}` }),
      svg("path", { class: "curve", d: `M${line}` }),
    ];
    const here = points.find((p) => p.node === this.page.state.node);
    if (here) parts.push(svg("path", { class: "here", d: `M${x(here.ply)} 0V${height}` }));
    for (const p of points) {
      if (p.mark) parts.push(svg("path", { class: p.mark, transform: `translate(${x(p.ply)} ${y(p.score)})`, d: shapes[p.mark] }));
    }
    $("graph").setAttribute("viewBox", `-7 -7 ${width + 14} ${height + 14}`);
    $("graph").replaceChildren(...parts);
    const count = (mark) => points.filter((p) => p.mark === mark).length;
    $("graph").setAttribute("aria-label", t("graph.label", {
      n: points.length - 1, score: percent(points.at(-1).score), blunders: count("blunder"), mistakes: count("mistake"), doubtful: count("doubtful"),
    }));
  }

  // list shows the list of mistakes, and all values as a table.
  list() {
    const { points } = this;
    const faults = points.map((p, i) => [p, i]).filter(([p]) => p.mark);
    redraw($("faults"), faults.map(([p, i]) => {
      const item = document.createElement("li"), b = document.createElement("button"), sign = document.createElement("span");
      sign.className = "verdict " + p.mark;
      sign.setAttribute("aria-hidden", "true");
      b.type = "button";
      b.dataset.at = i;
      b.append(sign, ` ${this.move(p)} – ${t("mark." + p.mark)}, ${t("review.cost", { before: worth(p.lead, p.before), after: worth(p.men, p.score), best: p.better.join(" ") })}`);
      item.append(b);
      return item;
    }), "at");
    const known = this.clock !== null, time = (ms) => (ms === undefined ? "" : written(ms));
    for (const e of document.querySelectorAll("#review-result .of-times")) e.hidden = !known;
    const { spent, left } = this.clock ?? {};
    $("no-faults").hidden = faults.length > 0 || this.running;
    $("values").replaceChildren(...points.map((p, i) => {
      const row = document.createElement("tr");
      for (const text of [p.ply ? this.move(p) : t("review.begin"), worth(p.men, p.score), p.mark ? t("mark." + p.mark) : "", p.best ?? "", ...(known ? [time(spent[i]), time(left[i])] : [])]) {
        const c = document.createElement("td");
        c.textContent = text;
        row.append(c);
      }
      return row;
    }));
  }
}
