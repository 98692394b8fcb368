// Lessons: the board shows the position before each mistake of a reviewed game, and the person
// looks for a better move. The server judges every attempt; the game does not change.

import { men, percent, t } from "./language.js";

const $ = (id) => document.getElementById(id);
const players = { white: ["white"], black: ["black"], both: ["white", "black"] };

export class Lessons {
  // page: state, moves(), act(action, body, tell), halt(), review, changed().
  constructor(page) {
    this.page = page;
    this.mistakes = []; // of the reviewed game
    this.list = []; // mistakes of this round; empty between rounds
    this.text = () => "";
    this.arrows = [];
    $("learn").addEventListener("click", () => this.begin());
    $("learn-next").addEventListener("click", () => this.show(this.at + 1));
    $("learn-back").addEventListener("click", () => this.show(this.at));
    $("learn-end").addEventListener("click", () => this.end());
    $("learn-show").addEventListener("click", () => this.solve());
    $("learn-side").addEventListener("change", () => this.tell());
  }

  get mistake() { return this.list[this.at]; }

  // start is the id of the move before the mistake, 0 if there is none.
  get start() { return this.page.review.points[this.mistake.ply - 1].node; }

  // here reports whether the board shows the position of a lesson.
  get here() { return this.list.length > 0 && this.page.state.node === this.start; }

  // offer takes the mistakes of a review. A lesson goes on if they are the same as before.
  offer() {
    const mistakes = this.page.review.points.filter((p) => p.mark);
    if (JSON.stringify(mistakes) !== JSON.stringify(this.mistakes)) {
      this.mistakes = mistakes;
      this.stop("");
      const { seats } = this.page.state, persons = players.both.filter((s) => seats[s].player === "person");
      $("learn-side").value = persons.length === 1 ? persons[0] : "both";
    }
    this.tell();
  }

  // chosen returns the mistakes of the side that is chosen.
  chosen() {
    const moves = this.page.moves(), sides = players[$("learn-side").value];
    return this.mistakes.filter((p) => sides.includes(moves.get(p.node)?.turn));
  }

  begin() {
    this.list = this.chosen();
    this.found = new Set(); // nodes of the mistakes solved without the solution
    this.seen = new Set(); // those whose solution was shown
    this.analysing = this.page.state.analysing;
    this.show(0);
  }

  // stop ends a round with a text.
  stop(key, values) {
    const resumes = this.list.length > 0 && this.analysing;
    this.list = [];
    this.arrows = [];
    this.text = key ? () => t(key, values) : () => "";
    if (resumes) this.page.act("analyse", { on: true });
  }

  end() {
    this.stop("");
    this.tell();
    this.page.changed();
    $("learn").focus();
  }

  // show sets up a mistake of the round, or ends the round behind the last one.
  async show(at) {
    if (at >= this.list.length) {
      this.stop("learn.over", { n: this.found.size, all: this.list.length });
      this.page.changed();
      return this.tell();
    }
    this.at = at;
    this.arrows = [];
    const { mistake } = this;
    this.text = () => t("learn.task", {
      n: at + 1, all: this.list.length, move: this.page.review.move(mistake), mark: t("mark." + mistake.mark), side: t(this.page.moves().get(mistake.node).turn),
    });
    this.page.halt();
    await this.page.act("goto", { node: this.start });
    if (this.page.state.analysing) await this.page.act("analyse", { on: false }); // it would tell the solution
    this.tell();
    this.page.changed();
    $("learn-box").scrollIntoView({ block: "nearest" });
  }

  // attempt sends a move (its index or its text) as an attempt. It returns whether it is one.
  attempt(move, tell) {
    if (!this.here || move.index >= this.page.state.legal.length) return false;
    const before = this.text, searching = () => t("searching");
    this.arrows = [];
    this.text = searching;
    this.tell();
    const refused = (text) => {
      if (text) this.text = () => text;
      this.tell();
    };
    this.page.act("try", { node: this.mistake.node, ...move }, tell ?? refused).then((answer) => {
      if (answer || this.text !== searching) return;
      this.text = before; // the move was refused
      this.tell();
    });
    return true;
  }

  // take shows the server's verdict on an attempt.
  take({ node, text, from, to, best, good, score, men: lead, reply, error }) {
    if (!this.list.length || this.mistake.node !== node) return;
    const worth = `${men(lead)} · ${percent(score)}`;
    if (error) this.text = () => error;
    else this.text = () => t(best ? "learn.best" : good ? "learn.good" : reply ? "learn.wrong.reply" : "learn.wrong", { move: text, worth, best: this.mistake.better[0], reply });
    if (!error) this.arrows = [[from, to, good ? "hint" : "wrong"]];
    if (good && !this.seen.has(node)) this.found.add(node);
    this.tell();
    this.page.changed();
  }

  // solve shows the solution of the lesson.
  solve() {
    const { mistake } = this, line = mistake.better.join(" ");
    if (!this.found.has(mistake.node)) this.seen.add(mistake.node);
    this.text = () => t("learn.solution", { line });
    const best = this.page.state.legal.find((m) => m.text === mistake.better[0]);
    this.arrows = this.here && best ? [[best.from, best.to, "hint"]] : [];
    this.tell();
    this.page.changed();
  }

  // tell shows the text and the buttons.
  tell() {
    const runs = this.list.length > 0, away = runs && !this.here;
    document.body.classList.toggle("learning", runs);
    $("learn-box").hidden = this.mistakes.length === 0;
    $("learn-begin").hidden = runs;
    $("learn").disabled = this.chosen().length === 0;
    $("learn-tools").hidden = !runs;
    $("learn-back").hidden = !away;
    $("learn-show").hidden = away;
    const text = away ? t("learn.away") : this.text();
    if ($("learn-text").textContent !== text) $("learn-text").textContent = text;
  }
}
