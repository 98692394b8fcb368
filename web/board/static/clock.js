// The clocks: the display of the server's clock, which alone decides, and the choice of a clock
// for a new game.

import { t } from "./language.js";

const $ = (id) => document.getElementById(id);

// written returns a time as text, with tenths of a second when little is left.
export function written(ms) {
  const s = Math.floor(ms / 1000);
  const two = (n) => String(n).padStart(2, "0");
  if (s >= 3600) return `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
  return `${Math.floor(s / 60)}:${two(s % 60)}${s < 20 ? "." + (Math.floor(ms / 100) % 10) : ""}`;
}

export class Clocks {
  // low(side) is called when the running clock of a side gets low: 10 seconds, or a quarter of the
  // time that it began with.
  constructor(low = () => {}) {
    this.low = low;
    this.warned = {};
    this.faces = {};
    for (const side of ["white", "black"]) {
      this.faces[side] = document.createElement("span");
      this.faces[side].className = "clock";
      this.faces[side].setAttribute("role", "timer");
    }
    this.state = null;
    this.ticking = 0;
  }

  // set shows the clock of a state; null means no clock.
  set(state) {
    this.state = state ?? null;
    this.heard = performance.now();
    clearTimeout(this.ticking);
    this.show();
  }

  show() {
    const s = this.state;
    for (const [side, face] of Object.entries(this.faces)) {
      face.hidden = s?.[side] === undefined;
      if (face.hidden) continue;
      const runs = s.running === side;
      const left = Math.max(0, s[side] - (runs ? performance.now() - this.heard : 0));
      face.textContent = written(left);
      const few = left > 0 && left < Math.min(10000, 250 * (s.main || s.move));
      if (few && runs && !this.warned[side]) this.low(side);
      this.warned[side] = few && (runs || this.warned[side]);
      face.classList.toggle("running", runs);
      face.classList.toggle("low", left < 10000);
      face.setAttribute("aria-label", t("clock." + side));
    }
    if (s?.running) this.ticking = setTimeout(() => this.show(), s[s.running] < 25000 ? 100 : 250);
  }
}

// The fields of a new game.
const shown = { none: [], main: ["minutes"], increment: ["minutes", "seconds"], move: ["seconds"] };

// prepare shows the fields of the chosen kind of clock; remember stores the choice.
export function prepare(memory) {
  try {
    const old = JSON.parse(memory.get("clock") ?? "{}");
    for (const name of ["kind", "minutes", "seconds"]) if (old[name]) $("clock-" + name).value = old[name];
  } catch { /* stored by an older version */ }
  const follow = () => {
    const fields = shown[$("clock-kind").value] ?? [];
    for (const name of ["minutes", "seconds"]) $("clock-" + name).parentElement.hidden = !fields.includes(name);
  };
  for (const name of ["kind", "minutes", "seconds"]) {
    $("clock-" + name).addEventListener("change", () => {
      follow();
      memory.set("clock", JSON.stringify(Object.fromEntries(["kind", "minutes", "seconds"].map((n) => [n, $("clock-" + n).value]))));
    });
  }
  follow();
}

// chosen returns the clock of a new game in the server's form, undefined for none.
export function chosen() {
  const minutes = Number($("clock-minutes").value) * 60, seconds = Number($("clock-seconds").value);
  switch ($("clock-kind").value) {
    case "main": return { main: minutes };
    case "increment": return { main: minutes, increment: seconds };
    case "move": return { move: seconds };
  }
  return undefined;
}
