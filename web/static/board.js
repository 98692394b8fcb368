// The board: its squares are buttons with a label for a screen reader; its pieces are an SVG
// picture above them.
//
// It draws positions and reports clicks and drags on squares; it does not know the rules.

import { t } from "./language.js";

const svgNS = "http://www.w3.org/2000/svg";
const sideOf = { w: "white", W: "white", b: "black", B: "black" };
const nameOf = { w: "white.man", W: "white.king", b: "black.man", B: "black.king", e: "empty" };
const legTime = 170; // milliseconds for a step, more for a long one

function svg(name, attributes = {}, ...children) {
  const e = document.createElementNS(svgNS, name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

// picture returns a piece centred on (0,0) on a square of 100: a man is one disc, a king two
// stacked discs, or a disc with a crown in the sets of pieces that style.css draws so.
export function picture(letter) {
  const disc = (y) => ["side", "face", "ring"].map((name) => svg("circle", { class: name + (y > 0 ? " lower" : ""), r: name === "ring" ? 25 : 36, cy: name === "side" ? y + 6 : y }));
  const king = letter === "W" || letter === "B";
  return svg("g", { class: `piece ${sideOf[letter]}` },
    ...(king ? [...disc(8), ...disc(-10), svg("path", { class: "crown", d: "M-20 12L-24 -14L-10 -2L0 -20L10 -2L24 -14L20 12Z" })] : disc(-2)), // bottom disc first
    svg("circle", { class: "must", r: 44 }),
    svg("path", { class: "cross", d: "M-24 -24L24 24M24 -24L-24 24" }));
}

export class Board {
  // click(square), drop(square): what a person does. hover is not reported.
  constructor(element, { click, drop }) {
    this.element = element;
    this.report = { click, drop };
    this.flipped = false;
    this.squares = [];
    this.pieces = new Map(); // square -> <g>
    this.letters = "";
    this.running = null; // the animation, with finish()
    this.motion = true;
    this.focus = 1;
    this.byMouse = false; // a square has the focus because it was clicked
    element.addEventListener("keydown", (e) => this.key(e));
    element.addEventListener("pointerdown", (e) => this.down(e));
    element.addEventListener("dragstart", (e) => e.preventDefault());
    element.addEventListener("click", (e) => {
      const q = this.squareOf(e.target);
      if (q && !this.suppress) this.report.click(q);
      this.suppress = false;
    });
  }

  squareOf(target) {
    const b = target?.closest?.("button[data-square]");
    return b && this.element.contains(b) ? Number(b.dataset.square) : 0;
  }

  // lay builds the board of a variant.
  lay(variant) {
    this.running?.finish(); // before the board changes
    this.pieces = new Map();
    this.letters = "";
    this.variant = variant;
    const { rows, columns } = variant;
    this.element.style.setProperty("--rows", rows);
    this.element.style.setProperty("--columns", columns);
    this.squares = [];
    this.element.replaceChildren();
    this.element.classList.remove("waiting");
    variant.squares.forEach((name, i) => {
      const b = document.createElement("button");
      b.type = "button";
      b.dataset.square = i + 1;
      const n = document.createElement("span");
      n.className = "n";
      n.textContent = name;
      n.setAttribute("aria-hidden", "true");
      b.append(n);
      this.squares[i + 1] = b;
    });
    this.picture = svg("svg", { viewBox: `0 0 ${columns * 100} ${rows * 100}`, "aria-hidden": "true" });
    this.layer = svg("g");
    this.arrows = svg("g");
    this.threat = svg("g");
    this.picture.append(this.layer, this.arrows, this.threat);
    this.focus = variant.squares.length;
    this.place();
  }

  // place lays out the squares in reading order, so the tab order and a screen reader's order are
  // the visible order.
  place() {
    const { squares, every } = this.variant;
    const order = squares.map((_, i) => i + 1);
    if (this.flipped) order.reverse();
    for (const q of order) {
      const { row, column } = this.seen(q);
      const b = this.squares[q];
      b.style.gridRow = row + 1;
      b.style.gridColumn = column + 1;
      b.classList.toggle("alt", every && (row + column) % 2 === 0);
      b.tabIndex = q === this.focus ? 0 : -1;
      this.element.append(b);
    }
    this.element.append(this.picture);
  }

  flip(flipped) {
    if (this.flipped === flipped) return;
    this.running?.finish();
    this.flipped = flipped;
    if (!this.variant) return;
    this.place();
    for (const [q, g] of this.pieces) this.move(g, q);
  }

  // seen returns the visible row and column of a square.
  seen(q) {
    const { rows, columns, at } = this.variant;
    let row = Math.floor(at[q - 1] / columns), column = at[q - 1] % columns;
    if (this.flipped) [row, column] = [rows - 1 - row, columns - 1 - column];
    return { row, column };
  }

  centre(q) {
    const { row, column } = this.seen(q);
    return { x: column * 100 + 50, y: row * 100 + 50 };
  }

  move(g, q) {
    const { x, y } = this.centre(q);
    g.setAttribute("transform", `translate(${x} ${y})`);
  }

  // draw shows a position without animation.
  draw(letters) {
    this.running?.finish();
    this.letters = letters;
    const old = this.pieces;
    this.pieces = new Map();
    for (let q = 1; q <= letters.length; q++) {
      const letter = letters[q - 1];
      if (letter === "e") continue;
      let g = old.get(q);
      if (g?.letter !== letter) {
        g = picture(letter);
        g.letter = letter;
      }
      g.classList.remove("ghost", "lifted", "obliged");
      this.move(g, q);
      this.pieces.set(q, g);
    }
    this.layer.replaceChildren(...this.pieces.values());
    for (let q = 1; q < this.squares.length; q++) this.label(q);
  }

  // label sets a square's label for a screen reader.
  label(q) {
    const b = this.squares[q];
    const words = [this.variant.squares[q - 1], t(nameOf[this.letters[q - 1] ?? "e"])];
    for (const mark of ["selected", "obliged", "target", "ghostly", "premoved", "last"]) {
      if (b.classList.contains(mark)) words.push(t("mark." + mark));
    }
    b.setAttribute("aria-label", words.join(", "));
  }

  // show marks squares: {last, obliged, movable, path, next, final, ghosts, premoved} are lists;
  // path ends at the square of the moving piece during a capture.
  show({ last = [], obliged = [], movable = [], path = [], next = [], final = [], ghosts = [], premoved = [] }) {
    const marks = { last, obliged, movable, selected: path.slice(-1), ghostly: ghosts, premoved };
    for (let q = 1; q < this.squares.length; q++) {
      const c = this.squares[q].classList;
      for (const [name, list] of Object.entries(marks)) c.toggle(name, list.includes(q));
      c.toggle("target", next.includes(q) || final.includes(q));
      c.toggle("far", !next.includes(q) && final.includes(q));
      this.label(q);
    }
    for (const [q, g] of this.pieces) {
      g.classList.toggle("obliged", obliged.includes(q));
      g.classList.toggle("ghost", ghosts.includes(q));
      this.move(g, path.length > 1 && q === path[0] ? path.at(-1) : q);
    }
  }

  // point marks squares that another part of the page refers to.
  point(squares) {
    for (let q = 1; q < this.squares.length; q++) this.squares[q].classList.toggle("pointed", squares.includes(q));
  }

  // between returns the captured square that a leg jumps over.
  between(from, to, captured) {
    const a = this.seen(from), b = this.seen(to);
    const steps = Math.max(Math.abs(b.row - a.row), Math.abs(b.column - a.column));
    return captured.find((q) => {
      const s = this.seen(q), n = Math.max(Math.abs(s.row - a.row), Math.abs(s.column - a.column));
      return n > 0 && n < steps && s.row - a.row === ((b.row - a.row) * n) / steps && s.column - a.column === ((b.column - a.column) * n) / steps;
    });
  }

  // victims returns what has been captured on a path so far.
  victims(path, captured) {
    const taken = [];
    for (let i = 1; i < path.length; i++) {
      const q = this.between(path[i - 1], path[i], captured.filter((c) => !taken.includes(c)));
      if (q) taken.push(q);
    }
    return taken;
  }

  // play animates a move leg by leg, starting after the legs already shown, and then shows the
  // position after it.
  async play({ path, captured = [] }, shown, letters) {
    this.running?.finish();
    const g = this.pieces.get(path[0]);
    if (!g || !this.motion || matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden) {
      this.draw(letters);
      return;
    }
    let finished = false, current = null;
    const finish = () => {
      if (finished) return;
      finished = true;
      current?.cancel();
      this.running = null;
      this.draw(letters);
    };
    this.running = { finish };
    this.layer.append(g); // above the others
    g.classList.add("lifted");
    const taken = [];
    for (let i = 1; i < path.length && !finished; i++) {
      const victim = this.between(path[i - 1], path[i], captured.filter((c) => !taken.includes(c)));
      if (victim) taken.push(victim);
      if (i > shown) {
        const a = this.centre(path[i - 1]), b = this.centre(path[i]);
        const far = Math.hypot(b.x - a.x, b.y - a.y) / 141;
        current = g.animate([{ transform: `translate(${a.x}px, ${a.y}px)` }, { transform: `translate(${b.x}px, ${b.y}px)` }],
          { duration: legTime * Math.sqrt(far), easing: "ease-in-out", fill: "forwards" });
        await current.finished.catch(() => {});
      }
      if (victim) this.pieces.get(victim)?.classList.add("ghost");
    }
    finish();
  }

  // slide animates the piece of a square from one square to another.
  async slide(square, from, to) {
    const g = this.pieces.get(square);
    if (!g || !this.motion || matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden) return;
    const a = this.centre(from), b = this.centre(to);
    this.layer.append(g);
    const far = Math.hypot(b.x - a.x, b.y - a.y) / 141;
    await g.animate([{ transform: `translate(${a.x}px, ${a.y}px)` }, { transform: `translate(${b.x}px, ${b.y}px)` }],
      { duration: 2 * legTime * Math.sqrt(far), easing: "ease-in-out" }).finished.catch(() => {});
  }

  // drawArrows draws arrows [from, to, kind]; kind is a class of the style sheet.
  drawArrows(list) {
    this.arrows.replaceChildren(...list.map(([from, to, kind]) => {
      const a = this.centre(from), b = this.centre(to);
      const length = Math.hypot(b.x - a.x, b.y - a.y);
      if (length === 0) return svg("g");
      const angle = (Math.atan2(b.y - a.y, b.x - a.x) * 180) / Math.PI;
      const end = length - 18;
      return svg("path", { class: kind ? `arrow ${kind}` : "arrow", transform: `translate(${a.x} ${a.y}) rotate(${angle})`,
        d: `M12 -6H${end - 26}V-19L${end} 0L${end - 26} 19V6H12Z` });
    }));
  }

  // drawThreat draws a path of squares as a dashed line from a ring to an open head, unlike the
  // arrows of the analysis.
  drawThreat(path) {
    this.threat.replaceChildren();
    if (path.length < 2) return;
    const points = path.map((q) => this.centre(q));
    const [a, b] = points.slice(-2), length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const u = { x: (b.x - a.x) / length, y: (b.y - a.y) / length };
    const line = points.map((p, i) => (i ? "L" : "M") + `${p.x} ${p.y}`).join("");
    const wing = (side) => `${b.x - 26 * u.x + side * 22 * u.y} ${b.y - 26 * u.y - side * 22 * u.x}`;
    const head = `M${wing(1)}L${b.x} ${b.y}L${wing(-1)}`;
    for (const name of ["threat under", "threat"]) {
      this.threat.append(svg("path", { class: name, d: line }), svg("path", { class: name + " head", d: head }),
        svg("circle", { class: name + " head", cx: points[0].x, cy: points[0].y, r: 30 }));
    }
  }

  // down begins a drag; a press without movement is a click.
  down(e) {
    this.byMouse = true;
    const from = this.squareOf(e.target);
    if (!from || e.button !== 0 || !this.squares[from].classList.contains("movable")) return;
    const g = this.pieces.get(from);
    if (!g) return;
    const start = { x: e.clientX, y: e.clientY };
    const box = this.picture.getBoundingClientRect(), scale = (this.variant.columns * 100) / box.width;
    let dragging = false;
    const moved = (m) => {
      if (m.pointerId !== e.pointerId) return;
      if (!dragging && Math.hypot(m.clientX - start.x, m.clientY - start.y) < 7) return;
      if (!dragging) {
        dragging = true;
        this.suppress = true; // ignore the click that follows
        this.report.drop(from, true);
        this.layer.append(g);
        g.classList.add("lifted");
      }
      g.setAttribute("transform", `translate(${(m.clientX - box.left) * scale} ${(m.clientY - box.top) * scale})`);
    };
    const over = (m) => {
      if (m.pointerId !== e.pointerId) return;
      for (const [name, f] of listeners) removeEventListener(name, f);
      if (!dragging) return;
      g.classList.remove("lifted");
      const to = m.type === "pointerup" ? this.squareOf(document.elementFromPoint(m.clientX, m.clientY)) : 0;
      this.report.drop(to, false);
      setTimeout(() => (this.suppress = false));
    };
    const listeners = [["pointermove", moved], ["pointerup", over], ["pointercancel", over]];
    for (const [name, f] of listeners) addEventListener(name, f);
  }

  // key moves the focus in the visible direction.
  key(e) {
    const q = this.squareOf(e.target);
    if (!q || e.ctrlKey || e.altKey || e.metaKey) return;
    // After a click, Left and Right step through the game.
    if (this.byMouse && (e.key === "ArrowLeft" || e.key === "ArrowRight")) return;
    this.byMouse = false;
    const { row, column } = this.seen(q), wide = this.variant.every ? 1 : 2;
    const lean = row % 2 === 0 ? 1 : -1; // up and down stay within two columns
    const go = {
      ArrowLeft: [[0, -wide]], ArrowRight: [[0, wide]],
      ArrowUp: this.variant.every ? [[-1, 0]] : [[-1, lean], [-1, -lean]],
      ArrowDown: this.variant.every ? [[1, 0]] : [[1, lean], [1, -lean]],
    }[e.key];
    let to = 0;
    if (go) {
      for (const [r, c] of go) to ||= this.seenAt(row + r, column + c);
    } else if (e.key === "n" || e.key === "p") {
      to = this.following(q, e.key === "n");
    } else {
      return;
    }
    e.preventDefault();
    if (to) this.setFocus(to, true);
  }

  seenAt(row, column) {
    for (let q = 1; q < this.squares.length; q++) {
      const s = this.seen(q);
      if (s.row === row && s.column === column) return q;
    }
    return 0;
  }

  // following returns the next useful square: a destination, or else a piece that can move.
  following(q, forward) {
    const all = [...this.element.querySelectorAll("button[data-square]")];
    let list = all.filter((b) => b.classList.contains("target"));
    if (list.length === 0) list = all.filter((b) => b.classList.contains("movable"));
    if (list.length === 0) return 0;
    const here = all.indexOf(this.squares[q]);
    const next = forward ? list.find((b) => all.indexOf(b) > here) ?? list[0] : list.findLast((b) => all.indexOf(b) < here) ?? list.at(-1);
    return Number(next.dataset.square);
  }

  setFocus(q, take) {
    this.squares[this.focus]?.setAttribute("tabindex", "-1");
    this.focus = q;
    this.squares[q].tabIndex = 0;
    if (take) this.squares[q].focus();
  }
}
