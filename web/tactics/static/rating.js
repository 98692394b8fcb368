// The rating and the streak of the person who solves tactics, kept in this browser only.
//
// The rating is by the Glicko system (M. E. Glickman, The Glicko system, 1999, steps 2 and 3; its
// step 1, which lets an unused rating become less sure, is left out). Every tactic is a game: it
// is won if it is solved at once without help.

const q = Math.LN10 / 400;
const g = (deviation) => 1 / Math.sqrt(1 + (3 * q * q * deviation * deviation) / (Math.PI * Math.PI));

// update returns {rating, deviation} after games, each {rating, deviation, score}: those of the
// opponent, and 1 for a win, 0.5 for a draw, 0 for a loss.
export function update({ rating, deviation }, games) {
  let information = 0, surprise = 0; // 1/d² and the sum of the paper's equation for r'
  for (const o of games) {
    const weight = g(o.deviation);
    const expected = 1 / (1 + 10 ** ((-weight * (rating - o.rating)) / 400));
    information += q * q * weight * weight * expected * (1 - expected);
    surprise += weight * (o.score - expected);
  }
  const precision = 1 / (deviation * deviation) + information;
  return { rating: rating + (q / precision) * surprise, deviation: Math.sqrt(1 / precision) };
}

const beginner = { rating: 1200, deviation: 350 };
const leastDeviation = 60; // a rating can always change
const tacticDeviation = 100; // how sure the rating of a tactic is for a person
const key = "tactics.rating";

export class Rating {
  constructor(memory) {
    this.memory = memory;
    this.reset(false);
    try {
      const kept = JSON.parse(memory.get(key) ?? "{}");
      for (const name of ["rating", "deviation", "streak", "best"]) {
        if (Number.isFinite(kept?.[name])) this[name] = kept[name];
      }
      if (Array.isArray(kept?.rated)) this.rated = new Set(kept.rated);
    } catch { /* stored by another version */ }
  }

  // reset forgets everything.
  reset(keep = true) {
    Object.assign(this, beginner, { streak: 0, best: 0, rated: new Set() });
    if (keep) this.keep();
  }

  keep() {
    const { rating, deviation, streak, best, rated } = this;
    this.memory.set(key, JSON.stringify({ rating, deviation, streak, best, rated: [...rated] }));
  }

  // counts reports whether a tactic still counts: each one counts once.
  counts(tactic) {
    return !this.rated.has(tactic.id);
  }

  // take counts a tactic, which was solved or not, and returns the change of the rating.
  take(tactic, solved) {
    const before = this.rating;
    const game = { rating: tactic.rating, deviation: tacticDeviation, score: solved ? 1 : 0 };
    const { rating, deviation } = update(this, [game]);
    this.rating = rating;
    this.deviation = Math.max(deviation, leastDeviation);
    this.streak = solved ? this.streak + 1 : 0;
    this.best = Math.max(this.best, this.streak);
    this.rated.add(tactic.id);
    this.keep();
    return rating - before;
  }

  // nearest returns the tactic with the rating nearest to the person's, null if there is none.
  nearest(list) {
    const far = (x) => Math.abs(x.rating - this.rating);
    return list.reduce((best, x) => (best && far(best) <= far(x) ? best : x), null);
  }
}
