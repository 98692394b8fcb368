// The dialog that asks which of several things is meant, or for confirmation.

import { t } from "./language.js";

const $ = (id) => document.getElementById(id);

export class Choice {
  // page: board, changed().
  constructor(page) {
    this.page = page;
    $("choose").addEventListener("close", () => {
      page.board.point([]);
      page.changed();
    });
  }

  // ask shows options {text, squares, run}: the board shows the squares of the one that the person
  // points at, and run is called for the one that is chosen.
  ask(options, title = t("choose"), otherwise = t("cancel")) {
    $("choose-title").textContent = title;
    $("choose-cancel").textContent = otherwise;
    $("choices").replaceChildren(...options.map((o) => this.button(o)));
    $("choose").showModal();
  }

  button({ text, squares, run }) {
    const b = document.createElement("button"), { board } = this.page;
    b.type = "button";
    b.textContent = text;
    for (const here of ["focus", "pointerenter"]) b.addEventListener(here, () => board.point(squares));
    for (const away of ["blur", "pointerleave"]) b.addEventListener(away, () => board.point([]));
    b.addEventListener("click", () => {
      $("choose").close();
      run();
    });
    return b;
  }

  // sure asks for confirmation before it runs an action; question and yes are keys of texts.
  sure(question, yes, run) {
    this.ask([{ text: t(yes), squares: [], run }], t(question));
  }
}
