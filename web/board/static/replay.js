// Replay of the game, move by move, or of one move, leg by leg. Both have play, pause, stop,
// previous and next.

import { t } from "./language.js";

const pace = 900; // milliseconds between two moves
const legPace = 700; // between two legs

export class Replay {
  // page: state(), seek(ply), ask(ply) for the pieces after ply moves, changed(), and the board.
  constructor(board, page) {
    this.board = board;
    this.page = page;
    this.timer = 0; // of the next automatic step
    this.origin = null; // the ply where the replay of the game began
    this.move = null; // {path, captured, letters} of the replayed move
    this.leg = 0; // the leg shown
  }

  get playing() { return this.timer !== 0; }
  get active() { return this.playing || this.origin !== null || this.move !== null; }

  // play starts or continues the replay.
  play() {
    if (!this.move) {
      const s = this.page.state();
      this.origin ??= s.ply;
      if (s.ply >= s.moves.length) return this.run(0, () => this.page.seek(0));
    } else if (this.leg >= this.move.path.length - 1) {
      this.show(0);
    }
    this.run(this.move ? legPace : 0);
  }

  // run takes a step after a delay, and repeats.
  run(wait, step = () => this.step()) {
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      await step();
      if (this.timer) this.run(this.move ? legPace : pace);
    }, wait);
    this.page.changed();
  }

  async step() {
    if (this.move) {
      if (this.leg >= this.move.path.length - 1) return this.stop();
      return this.go(this.leg + 1);
    }
    const s = this.page.state();
    if (s.ply >= s.moves.length) {
      this.origin = null;
      return this.pause();
    }
    await this.page.seek(s.ply + 1);
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.page.changed();
  }

  // stop ends the replay and shows the position where it began.
  async stop() {
    const back = this.origin;
    const moving = this.move !== null;
    this.end();
    if (moving) this.page.restore();
    else if (back !== null) await this.page.seek(back);
  }

  // end ends the replay and leaves the board as it is.
  end() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.origin = this.move = null;
    this.page.changed();
  }

  previous() {
    this.pause();
    if (this.move) return this.show(Math.max(0, this.leg - 1));
    return this.page.seek(this.page.state().ply - 1);
  }

  next() {
    this.pause();
    if (this.move) return this.go(Math.min(this.move.path.length - 1, this.leg + 1));
    return this.page.seek(this.page.state().ply + 1);
  }

  // last replays the move that led to the position shown.
  async last() {
    const s = this.page.state();
    if (s.ply === 0) return;
    this.end();
    const { path, captured = [], text } = s.moves[s.ply - 1];
    const letters = await this.page.ask(s.ply - 1);
    if (!letters || this.page.state() !== s) return;
    this.move = { path, captured, text };
    this.board.draw(letters);
    this.show(0);
    this.run(legPace);
  }

  // show shows the move after its first legs.
  show(leg) {
    this.leg = leg;
    const { path, captured } = this.move, done = path.slice(0, leg + 1);
    this.board.show({ path: done, ghosts: this.board.victims(done, captured) });
    this.page.changed();
  }

  // go animates the next leg.
  async go(leg) {
    const { path } = this.move, move = this.move;
    if (leg === this.leg) return;
    await this.board.slide(path[0], path[leg - 1], path[leg]);
    if (this.move === move) this.show(leg);
  }

  // text returns the progress of the replay of a move, "" if no move is replayed.
  text(name) {
    if (!this.move) return "";
    return t("replay.leg", { move: this.move.text, n: this.leg, of: this.move.path.length - 1, path: this.move.path.slice(0, this.leg + 1).map(name).join(this.move.captured.length ? " × " : " – ") });
  }
}
