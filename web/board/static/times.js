// The times of a game: how long each move took, and what was left on the clocks, below the graph of
// the scores.

import { written } from "./clock.js";
import { t } from "./language.js";

const $ = (id) => document.getElementById(id);
const height = 60, middle = height / 2, gap = 2;

export function svg(name, attributes) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  return e;
}

// timesOf returns the times of the moves that lead to the points, in milliseconds and undefined
// where unknown, with the side that moved; null if no time is known.
export function timesOf(points, moves) {
  const list = points.map((p) => moves.get(p.node));
  const spent = list.map((m) => m?.spent), left = list.map((m) => m?.left);
  if (![...spent, ...left].some((n) => n !== undefined)) return null;
  return { spent, left, turns: list.map((m) => m?.turn) };
}

// drawTimes draws a bar for each move, White's upwards and Black's downwards, and a line for the
// time left of each side; and says the same in words. The root of a time is drawn, so that short
// ones can be seen beside long ones.
export function drawTimes(times, { width, last, here, move }) {
  $("times-box").hidden = !times;
  if (!times) return;
  const { spent, left, turns } = times;
  const most = Math.max(1, ...spent.filter((n) => n !== undefined)), full = Math.max(1, ...left.filter((n) => n !== undefined));
  const step = width / last, thick = Math.max(0.6, step - gap);
  const parts = [svg("rect", { class: "sheet", width, height })];
  spent.forEach((n, i) => {
    if (!n) return;
    const tall = Math.sqrt(n / most) * (middle - 2);
    parts.push(svg("rect", { class: turns[i], x: ((i - 0.5) * step - thick / 2).toFixed(1), y: (turns[i] === "white" ? middle - tall : middle).toFixed(1), width: thick.toFixed(1), height: tall.toFixed(1) }));
  });
  for (const side of ["white", "black"]) {
    const line = left.flatMap((n, i) => (n === undefined || turns[i] !== side ? [] : [`${(i * step).toFixed(1)} ${(middle + (side === "white" ? -1 : 1) * (n / full) * (middle - 2)).toFixed(1)}`]));
    if (line.length > 1) parts.push(svg("path", { class: "left", d: "M" + line.join("L") }));
  }
  parts.push(svg("path", { class: "axis", d: `M0 ${middle}H${width}` }));
  if (here !== undefined) parts.push(svg("path", { class: "here", d: `M${(here * step).toFixed(1)} 0V${height}` }));
  $("times").setAttribute("viewBox", `-7 0 ${width + 14} ${height}`);
  $("times").replaceChildren(...parts);
  const texts = [];
  for (const side of ["white", "black"]) {
    const own = spent.map((n, i) => [n, i]).filter(([n, i]) => n !== undefined && turns[i] === side);
    if (!own.length) continue;
    const sum = own.reduce((all, [n]) => all + n, 0), [long, at] = own.reduce((a, b) => (b[0] > a[0] ? b : a));
    texts.push(t("times.side", { side: t(side), sum: written(sum), longest: written(long), move: move(at) }));
  }
  $("times-text").textContent = [t("times.head"), ...texts, ...(left.some((n) => n !== undefined) ? [t("times.line")] : [])].join(" ");
}
