// How a move is entered by its squares: a small machine over the legal moves, which knows nothing
// of the page.
//
// A capture may be entered leg by leg or by its final square. Where a square leaves open which
// capture is meant, the machine asks.

export class Entry {
  // legal: the moves of the state, each with from, to and, if it is a capture, paths. touch: a
  // piece that was touched must move.
  constructor(legal, touch = false) {
    this.legal = legal;
    this.touch = touch;
    this.ways = legal.flatMap((m, index) => (m.paths?.length ? m.paths : [[m.from, m.to]]).map((path) => ({ index, path })));
    this.path = []; // squares entered so far
  }

  // movable is the set of squares that a move begins on.
  movable() {
    return new Set(this.legal.map((m) => m.from));
  }

  // open returns the ways that go on as entered.
  open() {
    return this.ways.filter((w) => w.path.length > this.path.length && this.path.every((s, i) => w.path[i] === s));
  }

  // targets returns where the next click may go: squares of the next leg, and final squares beyond
  // it.
  targets() {
    const next = new Set(), final = new Set();
    if (this.path.length === 0) return { next, final };
    for (const w of this.open()) {
      next.add(w.path[this.path.length]);
      final.add(w.path.at(-1));
    }
    if (this.path.length === 1) final.delete(this.path[0]); // a round trip is entered leg by leg
    return { next, final };
  }

  clear() {
    this.path = [];
  }

  // step goes a leg further.
  step(square) {
    this.path.push(square);
    return { type: "step" };
  }

  // click enters a square. It returns what follows: {type} is
  //   select, clear, step: the entry goes on; nothing: the square means nothing here
  //   play: with the index of the move and its path
  //   choose: with the indices that fit, and with onward if the square can also be a stop on the way
  //   refuse: with from and to, which have no move
  //   touched: another piece than the one on from may not be chosen
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

  // pathOf returns a way of a move that goes on as entered.
  pathOf(index) {
    return (this.open().find((w) => w.index === index) ?? this.ways.find((w) => w.index === index)).path;
  }
}
