// The settings of the page, which the browser remembers.

import { memory } from "./memory.js";

const $ = (id) => document.getElementById(id);

export const settings = { numbers: true, arrows: true, light: false, manoury: false, motion: true, touch: false, sounds: false, theme: "auto", board: "wood", pieces: "discs" };

const boxes = ["numbers", "arrows", "light", "manoury", "motion", "touch", "sounds"];
const lists = ["theme", "board", "pieces"];

// useSettings puts the stored settings into effect. changed is called when a person has changed one
// that is not only a matter of style.
export function useSettings(board, changed) {
  try {
    Object.assign(settings, JSON.parse(memory.get("settings") ?? "{}"));
  } catch { /* stored by an older version */ }
  const apply = () => {
    board.element.classList.toggle("no-names", !settings.numbers);
    board.element.classList.toggle("on-light", settings.light);
    board.motion = settings.motion;
    for (const key of lists) document.documentElement.dataset[key] = settings[key];
  };
  const store = (key, value) => {
    settings[key] = value;
    memory.set("settings", JSON.stringify(settings));
    apply();
  };
  for (const key of boxes) {
    const box = $("set-" + key);
    box.checked = settings[key];
    box.addEventListener("change", () => {
      store(key, box.checked);
      changed();
    });
  }
  for (const key of lists) {
    const list = $("set-" + key);
    list.value = settings[key];
    list.addEventListener("change", () => store(key, list.value));
  }
  apply();
}
