// The two players: the choice of engine, level and name for each side.

import { fill } from "./list.js";
import { number, t } from "./language.js";

const $ = (id) => document.getElementById(id);
const sides = ["white", "black"];

// A tree search over a network of the library is the player "tree:NAME", an alpha-beta search
// "nnue:NAME".
const valueOf = (s) => (s.model ? `${s.player}:${s.model}` : s.player);

function playerOf(side) {
  const value = $(side + "-player").value;
  const at = value.indexOf(":");
  return at < 0 ? { player: value } : { player: value.slice(0, at), model: value.slice(at + 1) };
}

export class Seats {
  // page: state, info, variant, memory, engineName(player, model), act(action, body), changed().
  constructor(page) {
    this.page = page;
    this.unanswered = 0; // requests to change seats
    for (const side of sides) {
      const name = $(side + "-name");
      name.value = page.memory.get("name-" + side) ?? "";
      name.addEventListener("change", () => page.memory.set("name-" + side, name.value));
      for (const what of ["player", "level", "name"]) {
        $(`${side}-${what}`).addEventListener("change", async () => {
          this.unanswered++;
          await page.act("seats", { seats: this.chosen });
          if (--this.unanswered) return;
          page.changed();
          this.fillLevels();
        });
      }
    }
  }

  // chosen is what the person has chosen, as the server reads it.
  get chosen() {
    return Object.fromEntries(sides.map((side) => [side, { ...playerOf(side), level: Number($(side + "-level").value), name: $(side + "-name").value }]));
  }

  // named reports whether the board has the names that are chosen.
  get named() {
    return sides.every((side) => $(side + "-name").value === (this.page.state.seats[side].name ?? ""));
  }

  // show shows the players of the board, unless the person is changing them.
  show() {
    const { seats } = this.page.state;
    for (const side of sides) {
      if (!this.unanswered) {
        $(side + "-player").value = valueOf(seats[side]);
        $(side + "-level").value = seats[side].level;
      }
      $(side + "-name").disabled = seats[side].player !== "person";
      $(side + "-level").disabled = seats[side].player === "person";
    }
  }

  // fill lists the players that this variant has, and their levels.
  fill() {
    const { state, variant, engineName } = this.page;
    const players = [["person", t("person")]];
    if (state.nnue) players.push(["nnue", engineName("nnue")]);
    if (state.search) players.push(["tree", engineName("tree")]);
    for (const name of variant.models ?? []) players.push(["tree:" + name, engineName("tree", name)]);
    players.push(["alphabeta", t("alphabeta")]);
    for (const side of sides) {
      fill($(side + "-player"), players);
      $(side + "-player").value = valueOf(state.seats[side]);
    }
    this.fillLevels();
  }

  fillLevels() {
    const { state, info } = this.page;
    for (const side of sides) {
      fill($(side + "-level"), info.levels.map((l, i) => [String(i + 1), this.levelText(l, i + 1, playerOf(side))]));
      $(side + "-level").value = state.seats[side].level;
    }
  }

  // levelText describes a level, with its Elo if that was measured.
  levelText(l, n, { player, model }) {
    const { info, variant } = this.page;
    const network = player === "tree";
    const words = [network ? t("level.visits", { n: number(l.visits) }) : t("level.depth", { n: l.depth })];
    if (n === 1) words.unshift(t("level.beginner"));
    if (n === info.levels.length) words.unshift(t("level.full"));
    if (network && l.careful && !info.levels[n - 2]?.careful) words.push(t("level.careful"));
    const elo = model ? null : variant.elo?.[player]?.[n];
    if (elo) words.push(`Elo ${number(Math.round(elo.elo))} ± ${number(Math.round(elo.pm))}`);
    return `${n} · ${words.join(", ")}`;
  }
}
