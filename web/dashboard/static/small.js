// Small boards: pictures of positions, without interaction.

const svgNS = "http://www.w3.org/2000/svg";

function svg(name, attributes = {}, ...children) {
  const e = document.createElementNS(svgNS, name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

const cell = 10;

export class SmallBoard {
  // variant: rows, columns, at, every, as sent by the server.
  constructor(variant) {
    const { rows, columns, at, every } = variant;
    this.at = at;
    this.columns = columns;
    let light = "", dark = "";
    if (every) {
      for (let i = 0; i < rows * columns; i++) {
        const d = this.cell(i);
        if ((Math.floor(i / columns) + (i % columns)) % 2 === 0) light += d;
        else dark += d;
      }
    } else {
      for (const i of at) dark += this.cell(i);
      light = `M0 0h${columns * cell}v${rows * cell}H0z`;
    }
    this.marks = svg("path", { class: "mark" });
    this.pieces = svg("g");
    this.element = svg("svg", { class: "small", viewBox: `0 0 ${columns * cell} ${rows * cell}`, "aria-hidden": "true" },
      svg("path", { class: "light", d: light }), svg("path", { class: "dark", d: dark }), this.marks, this.pieces);
    this.shown = "";
  }

  cell(i) {
    return `M${(i % this.columns) * cell} ${Math.floor(i / this.columns) * cell}h${cell}v${cell}h-${cell}z`;
  }

  // draw shows letters, one for each square, with the squares of the last move marked.
  draw(letters, from = 0, to = 0) {
    const shown = `${letters} ${from} ${to}`;
    if (shown === this.shown) return;
    this.shown = shown;
    this.marks.setAttribute("d", [from, to].filter((q) => q > 0).map((q) => this.cell(this.at[q - 1])).join(""));
    const pieces = [];
    [...letters].forEach((letter, i) => {
      if (letter === "e") return;
      const x = (this.at[i] % this.columns) * cell + cell / 2, y = Math.floor(this.at[i] / this.columns) * cell + cell / 2;
      const side = letter.toLowerCase() === "w" ? "white" : "black";
      if (letter === letter.toLowerCase()) {
        pieces.push(svg("circle", { class: side, cx: x, cy: y, r: 3.7 }));
      } else { // a king is two stacked discs
        pieces.push(svg("circle", { class: side, cx: x, cy: y + 0.9, r: 3.6 }), svg("circle", { class: side, cx: x, cy: y - 0.9, r: 3.6 }),
          svg("circle", { class: `${side} ring`, cx: x, cy: y - 0.9, r: 1.9 }));
      }
    });
    this.pieces.replaceChildren(...pieces);
  }
}

// count returns the numbers of pieces: [white men, white kings, black men, black kings].
export function count(letters) {
  return ["w", "W", "b", "B"].map((letter) => letters.split(letter).length - 1);
}
