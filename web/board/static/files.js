// Positions and games as text: FEN, PDN, files and links.

import { chosen } from "./clock.js";
import { said, t } from "./language.js";

const $ = (id) => document.getElementById(id);
const note = (text) => ($("file-note").textContent = text);

// A link holds a position or a game after its #, which is not sent to any server. Mail programs
// and chats cut longer ones.
const longestLink = 16000;

// linked returns the content of a link in the page's address, null if there is none.
export function linked() {
  if (location.hash.length < 2 || location.hash.length > longestLink) return null;
  const held = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  return held.fen || held.pdn ? held : null;
}

export class Files {
  // page: state, variant, settings, seats, choice, act(action, body, tell).
  constructor(page) {
    this.page = page;
    $("fen-form").addEventListener("submit", (e) => {
      e.preventDefault();
      $("fen").blur();
      page.act("new", { fen: $("fen").value, seats: page.seats.chosen, clock: chosen() }, note);
    });
    $("pdn-form").addEventListener("submit", (e) => {
      e.preventDefault();
      this.read();
    });
    $("pdn-write").addEventListener("click", () => this.write());
    $("pdn-open").addEventListener("change", (e) => this.choose(e.target));
    $("link-fen").addEventListener("click", () => this.link("fen"));
    $("link-pdn").addEventListener("click", () => this.link("pdn"));
    addEventListener("hashchange", () => linked() && this.open(linked()));
  }

  // read loads the game in the text field; of several games the person chooses one.
  async read(index) {
    const { act, choice } = this.page, text = $("pdn").value;
    const answer = await act("load", index === undefined ? { text } : { text, index }, note);
    if (answer?.bad) note(said(answer.bad));
    if (!answer?.games) return;
    choice.ask(answer.games.map((g, i) => ({
      text: `${i + 1}. ${g.white || "?"} – ${g.black || "?"}, ${g.result}, ${t("plies", { n: g.plies })}${g.event ? ` (${g.event})` : ""}`, squares: [], run: () => this.read(i),
    })), t("choose.game"));
  }

  async write() {
    const { state, settings, variant } = this.page;
    const manoury = settings.manoury && !variant.algebraic;
    const answer = await fetch(`api/boards/${state.id}/game.${manoury ? "txt" : "pdn"}`);
    if (answer.ok) $("pdn").value = await answer.text();
    else note(t("problem.failed"));
  }

  // choose reads the file that the person has chosen.
  async choose(input) {
    const file = input.files[0];
    if (!file) return;
    if (file.size > 1e6) return note(t("problem.large"));
    $("pdn").value = await file.text();
    input.value = "";
    this.read();
  }

  // link shows a link to the position or the game, and copies it.
  async link(kind) {
    const { state } = this.page;
    let held = { variant: state.variant, ...(state.options && { options: state.options }), fen: state.fen };
    if (kind === "pdn") {
      const answer = await fetch(`api/boards/${state.id}/game.pdn`);
      if (!answer.ok) return ($("link-note").textContent = t("problem.failed"));
      held = { pdn: await answer.text() };
    }
    const address = `${location.origin}${location.pathname}#${new URLSearchParams(held)}`;
    if (address.length > longestLink) return ($("link-note").textContent = t("link.long"));
    $("link").value = address;
    $("link").select();
    const copied = await navigator.clipboard?.writeText(address).then(() => true, () => false);
    $("link-note").textContent = copied ? t("link.copied") : t("link.select");
  }

  // open opens the content of a link, with persons at both sides, like any game that is loaded.
  async open({ pdn, variant, options, fen }) {
    // After a reload the page continues the game instead of opening the link again.
    history.replaceState(null, "", location.pathname + location.search);
    const persons = { white: { player: "person" }, black: { player: "person" } };
    if (pdn) await this.page.act("load", { text: pdn, index: 0 });
    else await this.page.act("new", { variant, options: options ?? "", fen, seats: persons });
  }
}
