// The page without a server: a game against the engine; both run in a web worker.

import { Board } from "./board.js";
import { Entry } from "./entry.js";
import { also, has, language, number, percent, preferred, speak, t } from "./language.js";

const $ = (id) => document.getElementById(id);
const worker = new Worker("worker.js");
const open = new Map(); // id of a request -> the resolver of its promise
let requests = 0;

// ask sends a request to the worker. It returns the reply, or throws its error.
export function ask(request) {
  const id = ++requests;
  return new Promise((resolve, reject) => {
    open.set(id, { resolve, reject });
    worker.postMessage(JSON.stringify({ ...request, id }));
  });
}

worker.onmessage = ({ data }) => {
  const reply = JSON.parse(data);
  if (reply.id < 0) return failed(new Error(reply.error));
  const waits = open.get(reply.id);
  open.delete(reply.id);
  if (reply.error) waits.reject(new Error(reply.error));
  else waits.resolve(reply);
};
worker.onerror = (e) => failed(new Error(e.message));

let variants = [], state = null, entry = new Entry([]), thinking = false, thought = null, round = 0;

const failed = (e) => { $("refusal").textContent = e.message; };
const variantName = (name) => (has("variant." + name) ? t("variant." + name) : name);
const described = (name) => variants.find((v) => v.name === name);
const mine = () => state && state.outcome === "*" && !thinking && ($("side").value === "both" || $("side").value === state.turn);

const board = new Board($("board"), { click: (q) => mine() && follow(entry.click(q)), drop: dropped });

let dragged = 0;
function dropped(square, begins) {
  if (begins) {
    if (!mine()) return;
    entry.clear();
    entry.click(square);
    dragged = square;
    return mark();
  }
  const from = dragged;
  dragged = 0;
  if (!from) return;
  if (!square || square === from) {
    entry.clear();
    return mark();
  }
  const result = entry.click(square);
  if (result.type === "refuse" || result.type === "select") entry.clear();
  follow(result);
}

function follow(result) {
  $("refusal").textContent = result.type === "refuse" ? t("p.refused") : "";
  if (result.type === "play") return play(result.index);
  if (result.type === "choose") return choose(result);
  mark();
}

function choose({ indices, onward }) {
  const button = (text, action) => {
    const b = document.createElement("button");
    b.type = "button";
    b.textContent = text;
    b.addEventListener("click", () => { $("choose").close(); action(); });
    return b;
  };
  const list = indices.map((i) => button(state.legal[i].text, () => play(i)));
  if (onward) list.push(button(t("p.onward"), () => { entry.step(onward); mark(); }));
  $("choices").replaceChildren(...list);
  $("choose").showModal();
}

function mark() {
  const path = entry.path, { next, final } = entry.targets();
  const movable = mine() ? [...entry.movable()] : [];
  const last = state.last ? [state.last.path[0], state.last.path.at(-1)] : [];
  const ways = entry.open();
  const ghosts = path.length > 1 && ways.length ? board.victims(path, entry.legal[ways[0].index].captured ?? []) : [];
  board.show({ last, movable, obliged: state.must !== 0 && path.length < 2 ? movable : [], path, next: [...next], final: [...final], ghosts });
}

function tell() {
  const name = variantName(state.variant);
  $("title").textContent = name;
  $("board").setAttribute("aria-label", t("board.label", { variant: name }));
  const side = t(state.turn);
  let text;
  if (state.outcome !== "*") {
    const why = has("reason." + state.reason) ? t("reason." + state.reason) : state.reason;
    text = `${state.outcome === "draw" ? t("drawn") : t("wins", { side: t(state.outcome) })}: ${why}.`;
  } else if (thinking) {
    text = t("side.thinks", { side });
  } else {
    const must = state.must > 0 ? t("must", { n: state.must }) : state.must < 0 ? t("must.free") : "";
    text = must ? t("side.must", { side, must }) : t("side.moves", { side });
  }
  $("status").textContent = text;
  $("moves").textContent = state.moves.map((m, i) => (i % 2 === 0 ? `${i / 2 + 1}. ${m}` : m)).join(" ");
  $("undo").disabled = thinking || state.moves.length === 0;
  $("thought").textContent = thought ? t("p.thought", { move: thought.move, score: percent(thought.score), nodes: number(thought.nodes) }) : "";
  document.body.dataset.ply = state.moves.length;
  document.body.dataset.thinking = thinking;
}

// take shows a state; a new move is animated leg by leg.
async function take(next, entered = 0) {
  const onward = state && next.variant === state.variant && next.moves.length === state.moves.length + 1;
  const fresh = !state || next.variant !== state.variant;
  state = next;
  entry = new Entry(state.legal);
  if (fresh) board.lay(described(state.variant));
  tell();
  if (onward) await board.play(state.last, entered, state.pieces);
  else board.draw(state.pieces);
  mark();
}

async function play(index) {
  const of = round;
  try {
    const reply = await ask({ op: "play", index });
    if (of !== round) return;
    await take(reply.state, Math.max(entry.path.length - 1, 0));
    if (of === round) await answer();
  } catch (e) { failed(e); }
}

// answer lets the engine move if it is its turn.
async function answer() {
  const of = round;
  if (state.outcome !== "*" || thinking || $("side").value === "both" || $("side").value === state.turn) return;
  thinking = true;
  tell();
  mark();
  try {
    const reply = await ask({ op: "think", play: true, level: Number($("level").value) });
    if (of !== round) return;
    thinking = false;
    thought = reply.thought;
    await take(reply.state);
    if (of === round) await answer(); // the person may have changed sides meanwhile
  } catch (e) {
    thinking = false;
    failed(e);
  }
}

async function begin() {
  round++;
  thinking = false;
  thought = null;
  $("refusal").textContent = "";
  try {
    const of = round, reply = await ask({ op: "new", variant: $("variant").value });
    if (of !== round) return;
    board.flip($("side").value === "black");
    await take(reply.state);
    await answer();
  } catch (e) { failed(e); }
}

async function undo() {
  try {
    // Back to the person's turn: two moves, or one if the engine has not moved yet.
    const of = round;
    for (let n = 0; n < 2 && state.moves.length > 0; n++) {
      const reply = await ask({ op: "undo" });
      if (of !== round) return;
      await take(reply.state);
      if (of !== round) return;
      if ($("side").value === "both" || $("side").value === state.turn) break;
    }
    thought = null;
    tell();
    await answer();
  } catch (e) { failed(e); }
}

function fill() {
  const chosen = $("variant").value || "international";
  $("variant").replaceChildren(...variants.map((v) => new Option(variantName(v.name), v.name, false, v.name === chosen)));
}

async function main() {
  also("strings/page");
  const [reply] = await Promise.all([ask({ op: "variants" }), speak(preferred(null))]);
  variants = reply.variants;
  $("language").value = language;
  fill();
  for (let n = 1; n <= reply.levels; n++) $("level").add(new Option(String(n), String(n), n === 4, n === 4));
  $("language").addEventListener("change", async () => {
    await speak($("language").value);
    fill();
    tell();
    mark();
  });
  $("new").addEventListener("click", begin);
  $("variant").addEventListener("change", begin);
  $("side").addEventListener("change", async () => { board.flip($("side").value === "black"); mark(); await answer(); });
  $("undo").addEventListener("click", undo);
  $("flip").addEventListener("click", () => board.flip(!board.flipped));
  $("cancel").addEventListener("click", () => $("choose").close());
  await begin();
  document.body.dataset.ready = "true";
}

globalThis.damierPage = { ask }; // for tests and for the console
main().catch(failed);
