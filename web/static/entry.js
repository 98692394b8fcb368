// Entry of a move by its squares: a state machine over the legal moves, independent of the page.
//
// A capture can be entered leg by leg or by its final square. If several captures fit, the machine
// asks.

export class Entry {
  // legal: the moves of the state, each with from, to and, if it is a capture, paths. touch: a
  // touched piece must move.
  constructor(legal, touch = false) {
    this.legal = legal;
    this.touch = touch;
    this.ways = legal.flatMap((m, index) => (m.paths?.length ? m.paths : [[m.from, m.to]]).map((path) => ({ index, path })));
    this.path = []; // squares entered so far
  }

  // movable returns the set of squares where a move begins.
  movable() {
    return new Set(this.legal.map((m) => m.from));
  }

  // open returns the paths that begin with the entered squares.
  open() {
    return this.ways.filter((w) => w.path.length > this.path.length && this.path.every((s, i) => w.path[i] === s));
  }

  // targets returns the squares for the next click: ends of the next leg, and final squares behind
  // it.
  targets() {
    const next = new Set(), final = new Set();
    if (this.path.length === 0) return { next, final };
    for (const w of this.open()) {
      next.add(w.path[this.path.length]);
      final.add(w.path.at(-1));
    }
    // A capture that returns to its start is entered leg by leg.
    if (this.path.length === 1) final.delete(this.path[0]);
    return { next, final };
  }

  clear() {
    this.path = [];
  }

  // step enters one more leg.
  step(square) {
    this.path.push(square);
    return { type: "step" };
  }

  // click enters a square and returns {type, ...}. The types are
  //   select, clear, step: the entry continues; nothing: the square has no effect
  //   play: the entry is complete, with the move's index and path
  //   choose: with the indices that fit; onward if the square can also be an intermediate one
  //   refuse: no move goes from `from` to `to`
  //   touched: only the piece on from may move
  click(square) {
    const at = this.path.length, movable = this.movable();
    if (at === 0) {
      if (!movable.has(square)) return { type: "refuse", from: square, to: square };
      this.path = [square];
      return { type: "select" };
    }
    if (at === 1 && square === this.path[0]) {
      if (this.touch) return { type: "touched", from: square };
      this.clear();
      return { type: "clear" };
    }
    const open = this.open();
    const ends = open.filter((w) => w.path.at(-1) === square);
    const onward = open.filter((w) => w.path[at] === square && w.path.length > at + 1);
    const indices = [...new Set(ends.map((w) => w.index))];
    if (indices.length === 0 && onward.length === 0) {
      if (at === 1 && movable.has(square)) {
        if (this.touch) return { type: "touched", from: this.path[0] };
        this.path = [square];
        return { type: "select" };
      }
      return { type: "refuse", from: this.path[0], to: square };
    }
    if (indices.length === 0) return this.step(square);
    const others = onward.some((w) => !indices.includes(w.index));
    if (indices.length === 1 && !others) {
      return { type: "play", index: indices[0], path: (ends.find((w) => w.path.length === at + 1) ?? ends[0]).path };
    }
    return { type: "choose", indices, onward: others ? square : 0 };
  }

  // pathOf returns a path of a move that begins with the entered squares.
  pathOf(index) {
    return (this.open().find((w) => w.index === index) ?? this.ways.find((w) => w.index === index)).path;
  }
}
