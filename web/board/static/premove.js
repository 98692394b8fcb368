// Premoves: while the engine thinks, the person enters a move for the next turn. It is a list of
// squares: where the piece stands, landing squares that are named, and where it ends.

// match returns how many squares of a path are used up by the squares of a premove, 0 if the
// premove does not fit: both begin at the same square, and the others follow in the same order.
function match(path, squares) {
  let at = 0;
  for (const [i, square] of squares.entries()) {
    at = i === 0 ? (path[0] === square ? 1 : 0) : path.indexOf(square, at) + 1;
    if (at === 0) return 0;
  }
  return at;
}

const fits = (path, squares) => squares.length > 1 && path.at(-1) === squares.at(-1) && match(path.slice(0, -1), squares.slice(0, -1)) > 0;

export class Premove {
  constructor() {
    this.ways = [];
    this.squares = [];
    this.at = ""; // the position for which it was entered
  }

  // possible reports whether one can be entered now.
  get possible() { return this.ways.length > 0; }

  // set reports whether a whole move is entered.
  get set() { return this.ways.some((path) => fits(path, this.squares)); }

  // take begins with the paths of a state, in which premoves are those that may be legal later.
  take(ways, at) {
    if (at !== this.at) this.squares = [];
    this.ways = ways ?? [];
    this.at = at;
  }

  clear() {
    const was = this.squares.length > 0;
    this.squares = [];
    return was;
  }

  movable() {
    return new Set(this.ways.map((path) => path[0]));
  }

  // targets returns the squares that continue the entry: ends of the next leg, and of the move.
  targets() {
    const next = new Set(), final = new Set();
    if (this.squares.length === 0) return { next, final };
    for (const path of this.ways) {
      const at = match(path, this.squares);
      if (at === 0 || at === path.length) continue;
      next.add(path[at]);
      final.add(path.at(-1));
    }
    if (this.squares.length === 1) final.delete(this.squares[0]); // a round trip needs its legs
    return { next, final };
  }

  // click enters a square, or lets go. It returns whether the square means anything.
  click(square) {
    const { next, final } = this.targets();
    if (next.has(square) || final.has(square)) {
      this.squares.push(square);
      return true;
    }
    const again = this.squares.length === 1 && this.squares[0] === square;
    const was = this.clear();
    if (!again && this.movable().has(square)) {
      this.squares = [square];
      return true;
    }
    return was;
  }

  // resolve returns what becomes of the premove now that the moves of an Entry are legal, and
  // forgets it: {type, ...} with the types none; play with index and path; begin with the squares
  // that are the begin of a legal move; drop with squares; and many with squares, if several moves
  // fit.
  resolve(entry) {
    const { squares } = this;
    const whole = this.set; // with respect to the moves that could be legal
    this.take([], "");
    if (squares.length === 0) return { type: "none" };
    const same = (w) => w.path.length === squares.length;
    const fit = entry.ways.filter((w) => fits(w.path, squares));
    for (const ways of [fit.filter(same), fit]) {
      if (new Set(ways.map((w) => w.index)).size === 1) return { type: "play", index: ways[0].index, path: ways[0].path };
    }
    if (fit.length > 0) return { type: "many", squares };
    const begun = entry.ways.some((w) => w.path.length > squares.length && squares.every((s, i) => w.path[i] === s));
    if (!whole && begun) return { type: "begin", squares };
    return squares.length > 1 ? { type: "drop", squares } : { type: "none" };
  }
}
