// The position editor: on the same board, a click places pieces. The server checks the position.

import { picture } from "./board.js";
import { sentence, t } from "./language.js";

const $ = (id) => document.getElementById(id);
const tools = { 1: "w", 2: "W", 3: "b", 4: "B", 0: "e", Delete: "e", Backspace: "e" }; // keys
const names = { w: "white.man", W: "white.king", b: "black.man", B: "black.king", e: "empty" };

export class Editor {
  // page: state, board, variant, squareName(square), act(action, body, tell), ask(action, body),
  // seats, changed().
  constructor(page) {
    this.page = page;
    this.active = false;
    this.letters = [];
    this.said = ""; // text about the last square
    for (const label of $("edit-tools").querySelectorAll("label")) {
      const letter = label.querySelector("input").value;
      if (letter === "e") continue;
      const e = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      e.setAttribute("viewBox", "-46 -50 92 100");
      e.setAttribute("aria-hidden", "true");
      e.append(picture(letter));
      label.querySelector("input").after(e);
    }
    $("edit").addEventListener("click", () => this.begin());
    $("edit-cancel").addEventListener("click", () => this.end());
    $("edit-clear").addEventListener("click", () => {
      for (const box of document.getElementsByName("edit-turn")) box.checked = false;
      this.put("e".repeat(this.letters.length));
    });
    $("edit-start").addEventListener("click", () => {
      this.turn = page.variant.first;
      this.put(page.variant.pieces);
    });
    for (const box of document.getElementsByName("edit-turn")) box.addEventListener("change", () => this.check());
    $("edit-use").addEventListener("click", () => this.use());
    $("board").addEventListener("keydown", (e) => {
      if (!this.active || !(e.key in tools) || e.ctrlKey || e.altKey || e.metaKey) return;
      const square = page.board.squareOf(e.target);
      if (!square) return;
      e.preventDefault();
      this.set(square, tools[e.key]);
    });
  }

  get turn() {
    return [...document.getElementsByName("edit-turn")].find((b) => b.checked)?.value ?? "";
  }

  set turn(side) {
    for (const box of document.getElementsByName("edit-turn")) box.checked = box.value === side;
  }

  get tool() {
    return [...document.getElementsByName("edit-tool")].find((b) => b.checked)?.value ?? "w";
  }

  async begin() {
    if (this.active) return;
    await this.page.act("stop");
    this.active = true;
    document.body.classList.add("editing");
    $("editor").hidden = false;
    this.said = "";
    this.turn = this.page.state.turn;
    this.put(this.page.state.pieces);
    $("editor-title").focus();
    $("board").scrollIntoView({ block: "nearest" });
  }

  end() {
    this.active = false;
    document.body.classList.remove("editing");
    $("editor").hidden = true;
    this.page.changed();
    $("edit").focus();
  }

  // put replaces the whole position.
  put(letters) {
    this.letters = [...letters];
    this.draw();
    this.check();
  }

  draw() {
    const { board } = this.page;
    board.draw(this.letters.join(""));
    board.show({ movable: this.letters.flatMap((l, i) => (l === "e" ? [] : [i + 1])) });
    board.drawArrows([]);
    board.drawThreat([]);
  }

  // set places a piece on a square, or removes it.
  set(square, letter) {
    this.letters[square - 1] = letter;
    this.said = `${this.page.squareName(square)}: ${t(names[letter])}.`;
    this.draw();
    this.check();
  }

  // click places the chosen piece, or removes it if the square has the same one.
  click(square) {
    const { tool } = this;
    this.set(square, this.letters[square - 1] === tool ? "e" : tool);
  }

  // drop handles a drag: a piece moves to another square, or off the board.
  drop(square, begins) {
    if (begins) {
      this.from = square;
      return;
    }
    const from = this.from;
    this.from = 0;
    if (!from) return;
    const letter = this.letters[from - 1];
    if (square === from) return this.draw();
    this.letters[from - 1] = "e";
    this.set(square || from, square ? letter : "e");
  }

  // check asks the server for the position's faults and shows them.
  check() {
    this.checking = this.showFaults();
  }

  async showFaults() {
    const asked = (this.asked = (this.asked ?? 0) + 1);
    this.fen = ""; // of the position before the change
    const answer = await this.page.ask("check", { text: this.letters.join(""), side: this.turn });
    if (asked !== this.asked) return;
    this.fen = answer?.fen ?? "";
    $("edit-use").disabled = !this.fen;
    if (!answer) return;
    $("edit-said").textContent = this.said;
    const texts = answer.faults.map((f) => this.text(f));
    if (texts.length === 0) texts.push(t("edit.good"));
    $("edit-faults").replaceChildren(...texts.map((text) => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    }));
    $("edit-faults").classList.toggle("good", Boolean(answer.fen));
    $("edit-fen").textContent = answer.fen;
  }

  text(fault) {
    if (fault.kind === "rule") return sentence(fault);
    return t("edit." + fault.kind, {
      side: fault.side ? t(fault.side) : "", piece: fault.side ? t(fault.side + ".man") : "", square: fault.square ? this.page.squareName(fault.square) : "",
      n: fault.count, most: fault.most,
    });
  }

  async use() {
    await this.checking; // of the latest change
    if (!this.active || !this.fen) return;
    const fen = this.fen;
    this.end();
    await this.page.act("new", { fen, seats: this.page.seats.chosen });
  }
}
