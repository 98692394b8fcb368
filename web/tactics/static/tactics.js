// The tactics page: positions to solve, or to watch an engine solve. The server sends the solution
// with a position, so the page itself checks a right move; it sends a wrong one to the server.

import { Board } from "./board.js";
import { Choice } from "./choice.js";
import { Entry } from "./entry.js";
import { has, language, number, percent, preferred, sentence, speak, t } from "./language.js";
import { fill, redraw } from "./list.js";
import { memory } from "./memory.js";
import { Rating } from "./rating.js";
import { ask, Refusal } from "./server.js";

const $ = (id) => document.getElementById(id);
const remembered = (key) => { try { return JSON.parse(memory.get(key) ?? "{}") ?? {}; } catch { return {}; } };

const settings = { numbers: true, light: false, motion: true, theme: "auto", board: "wood", pieces: "discs", ...remembered("settings") };
const solvedAlone = 1, solvedHelped = 2, shown = 3;
const progress = remembered("tactics"); // result of each tactic, by its id
const rating = new Rating(memory);
let counted = null; // the change of the rating by this tactic, if it has counted just now
const marks = { [solvedAlone]: "✓", [solvedHelped]: "✓", [shown]: "–" };

let info; // the variants of /api/info
let collection; // variants that have tactics, and all themes
let list = []; // tactics of the variant
let tactic = null; // the tactic on the board
let ply = 0; // in its solution
let phase = "solving"; // or solved, shown
let helped = false; // the person used a hint or watched
let hints = 0;
let busy = 0; // number of the latest animation; it cancels the earlier ones
let busyNow = false; // an answer is being shown: no move can be entered
let entry = new Entry([]);
let entered = 0;
let replaying = 0;
let watching = null;

const here = () => `tactics/${tactic.variant}/${tactic.id}`;
const variant = () => info.variants.find((v) => v.name === tactic.variant);
const squareName = (q) => variant().squares[q - 1];
const variantName = (name) => (has("variant." + name) ? t("variant." + name) : name);
const sideName = (side) => t(side);
const men = (n) => (n === 1 ? t("tactics.man") : t("tactics.men", { n: number(n) }));
const stars = (level) => "●".repeat(level) + "○".repeat(5 - level);

function refused(text, right = false) {
  $("refusal").textContent = text;
  $("refusal").classList.toggle("right", right);
}

const board = new Board($("board"), { click: clicked, drop: dropped });
const choice = new Choice({ board, changed: mark });

// ---- the list

const chosen = () => list.filter((x) => (!$("level").value || x.level === Number($("level").value)) && (!$("theme").value || x.themes?.includes($("theme").value)));

function fillSelects() {
  fill($("variant"), collection.variants.map((v) => [v.name, `${variantName(v.name)} (${v.count})`]));
  const levels = [...new Set(list.map((x) => x.level))].sort();
  fill($("level"), [["", t("tactics.all")], ...levels.map((n) => [String(n), `${n} ${stars(n)}`])]);
  const themes = collection.themes.filter((name) => list.some((x) => x.themes?.includes(name)));
  fill($("theme"), [["", t("tactics.all")], ...themes.map((name) => [name, t("theme." + name)])]);
}

function showList() {
  const rows = chosen().map((x) => {
    const b = document.createElement("button"), level = document.createElement("small");
    const n = list.indexOf(x) + 1, state = progress[x.id];
    b.type = "button";
    b.dataset.id = x.id;
    b.textContent = `${n}${marks[state] ? " " + marks[state] : ""}`;
    level.textContent = "●".repeat(x.level) + (state === solvedHelped ? " ½" : "");
    level.setAttribute("aria-hidden", "true");
    b.append(level);
    b.setAttribute("aria-label", t("tactics.item", { n, level: x.level }) + (state ? ", " + t("tactics.state." + state) : ""));
    b.setAttribute("aria-current", String(x.id === tactic?.id));
    return b;
  });
  redraw($("list"), rows, "id");
  const solved = list.filter((x) => progress[x.id] === solvedAlone || progress[x.id] === solvedHelped).length;
  const done = t("tactics.progress", { n: number(solved), all: number(list.length) });
  $("progress").textContent = rows.length > 0 ? done : t("tactics.none");
}

function keep(state) {
  const old = progress[tactic.id];
  if (old && old <= state) return;
  progress[tactic.id] = state;
  memory.set("tactics", JSON.stringify(progress));
  showList();
}

async function chooseVariant(name, id) {
  list = await ask(`tactics/${name}`);
  $("variant").value = name;
  fillSelects();
  const first = list.find((x) => x.id === id) ?? suggested(chosen()) ?? list[0];
  if (!chosen().includes(first)) $("level").value = $("theme").value = "";
  await open(first.id);
}

// suggested returns a tactic near the person's rating: one that still counts, else an unsolved one.
function suggested(all) {
  const unsolved = all.filter((x) => !progress[x.id]), open = unsolved.filter((x) => rating.counts(x));
  return rating.nearest(open.length > 0 ? open : unsolved);
}

// count ends the tactic for the rating, if it counts and has not ended yet.
function count(solved) {
  if (!rating.counts(tactic)) return;
  counted = rating.take(tactic, solved);
  showRating();
}

function showRating() {
  const values = { rating: number(Math.round(rating.rating)), deviation: number(Math.round(rating.deviation)), streak: number(rating.streak), best: number(rating.best) };
  $("rating").textContent = `${t("rating.is", values)} ${t("rating.streak", values)}`;
  if (!tactic) return;
  const change = counted === null ? "" : (counted < 0 ? "−" : "+") + number(Math.abs(Math.round(counted)));
  const key = counted !== null ? (rating.streak > 0 ? "rating.up" : "rating.down") : rating.counts(tactic) ? "rating.tactic" : "rating.seen";
  $("rating-change").textContent = t(key, { rating: number(tactic.rating), change });
}

// open shows a tactic of the list on the board.
async function open(id) {
  halt();
  stopWatching();
  const at = ++busy;
  busyNow = false; // an answer being shown belongs to the old tactic
  const loaded = await ask(`tactics/${$("variant").value}/${id}`);
  if (at !== busy) return;
  tactic = loaded;
  history.replaceState(null, "", `#${tactic.variant}/${tactic.id}`);
  board.lay(variant());
  board.flip(tactic.turn === "black");
  helped = false;
  hints = 0;
  counted = null;
  begin();
  showList();
  $("list").querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" });
}

// begin shows the start position of the tactic.
function begin() {
  halt();
  busy++;
  busyNow = false;
  ply = 0;
  phase = "solving";
  refused("");
  point([]);
  board.drawArrows([]);
  place();
  tell();
}

// ---- display

const step = () => tactic.steps[ply];
const last = () => ply >= tactic.steps.length;
const pieces = () => (last() ? tactic.end : step().pieces);

// place draws the position at ply of the solution.
function place() {
  entered = 0;
  entry = new Entry(phase === "solving" && !last() ? step().legal ?? [] : []);
  board.draw(pieces());
  mark();
}

function mark() {
  if (board.running) return;
  const path = entry.path, { next, final } = entry.targets(), movable = [...entry.movable()], open = entry.open();
  const before = ply > 0 ? tactic.steps[ply - 1].move.path : [];
  const ghosts = path.length > 1 ? board.victims(path, step().legal[open[0].index].captured ?? []) : [];
  board.show({
    last: [before[0], before.at(-1)], movable, obliged: movable.length > 0 && step().must !== 0 && path.length < 2 ? movable : [],
    path, next: [...next], final: [...final], ghosts,
  });
}

function point(squares) {
  for (let q = 1; q < board.squares.length; q++) board.squares[q].classList.toggle("hinted", squares.includes(q));
}

const prize = () => (tactic.gain ? t("tactics.wins", { men: men(tactic.gain) }) : t("tactics.wins.game"));

function tell() {
  if (!tactic) return;
  showRating();
  const n = list.findIndex((x) => x.id === tactic.id) + 1;
  $("task").textContent = t("tactics.task", { n, side: sideName(tactic.turn), wins: prize() });
  $("title").textContent = `${t("tactics")} – ${variantName(tactic.variant)}`;
  document.title = `${$("title").textContent} – Damier`;
  $("board").setAttribute("aria-label", t("board.label", { variant: variantName(tactic.variant) }));
  const done = phase !== "solving";
  $("hint").disabled = $("show").disabled = done;
  $("replaying").hidden = $("about").hidden = !done;
  if (!done) {
    const must = step()?.must;
    const obligation = must > 0 ? t("must", { n: must }) : must < 0 ? t("must.free") : "";
    $("status").textContent = busyNow ? "" : obligation ? t("side.must", { side: sideName(tactic.turn), must: obligation }) : t("side.moves", { side: sideName(tactic.turn) });
    if (ply > 0 && !busyNow) $("status").textContent = t("tactics.right") + " " + $("status").textContent;
  } else {
    $("status").textContent = phase === "shown" ? t("tactics.shown") : t(helped ? "tactics.solved.helped" : "tactics.solved");
    $("first").disabled = $("previous").disabled = ply === 0;
    $("next").disabled = last();
    $("replay").disabled = last() && !replaying;
    showLine();
    showAbout();
  }
  $("watch").textContent = watching && !watching.over ? t("tactics.watch.stop") : t("tactics.watch.go", { name: engineName() });
}

function showLine() {
  $("line").replaceChildren(...tactic.steps.flatMap((s, i) => {
    const e = document.createElement(i === ply - 1 ? "b" : "span");
    e.textContent = s.move.text;
    return [e, " "];
  }));
}

function showAbout() {
  $("themes").replaceChildren(...(tactic.themes ?? []).map((name) => {
    const e = document.createElement("span");
    e.textContent = t("theme." + name);
    return e;
  }));
  const facts = [t("tactics.level", { level: tactic.level, moves: tactic.moves }), t("tactics.proof", { depth: tactic.depth })];
  if (tactic.visits === 1) facts.push(t("tactics.once"));
  if (tactic.visits > 1) facts.push(t("tactics.visits", { n: number(tactic.visits) }));
  if (tactic.visits < 0) facts.push(t("tactics.unseen", { n: number(tactic.most) }));
  if (tactic.nodes > 0) facts.push(t("rating.nodes", { rating: number(tactic.rating), n: number(tactic.nodes) }));
  facts.push(t("tactics.source", { source: sourceText(tactic.source) }));
  $("facts").textContent = facts.join(" ");
  $("fen").textContent = tactic.fen;
}

function sourceText(source) {
  const game = /^self-play, generation (\d+)$/.exec(source);
  if (game) return t("tactics.source.self-play", { n: game[1] });
  return source === "composed" ? t("tactics.source.composed") : source;
}

// ---- entering moves

const mine = () => phase === "solving" && !busyNow && !last();

function clicked(square) {
  if (!tactic) return;
  board.setFocus(square, false);
  if (phase !== "solving") return refused(t("tactics.over"), true);
  if (!mine()) return;
  refused("");
  follow(entry.click(square));
}

let dragged = 0;

function dropped(square, begins) {
  if (begins) {
    if (!mine()) return;
    if (entry.path.at(-1) !== square || entry.path.length !== 1) {
      entry.clear();
      entry.click(square);
    }
    dragged = square;
    refused("");
    mark();
    return;
  }
  if (!dragged) return;
  const from = dragged;
  dragged = 0;
  if (!square || square === from) {
    entry.clear();
    return mark();
  }
  board.setFocus(square, false);
  const result = entry.click(square);
  if (result.type === "play") entered = result.path.length - 1;
  if (result.type === "refuse" || result.type === "select") entry.clear();
  follow(result);
}

function follow(result) {
  if (result.type === "play") return answer(result.index, result.path);
  if (result.type === "choose") return choose(result);
  if (result.type === "refuse") explain(result.from, result.to);
  mark();
}

function choose({ indices, onward }) {
  const options = indices.map((index) => {
    const m = step().legal[index], path = entry.pathOf(index), captured = m.captured ?? [];
    return { text: t("choose.takes", { move: path.map(squareName).join(" × "), squares: captured.map(squareName).join(", ") }), squares: [...captured, m.to], run: () => answer(index, path) };
  });
  if (onward) options.push({ text: t("choose.onward", { square: squareName(onward) }), squares: [onward], run: () => follow(entry.step(onward)) });
  choice.ask(options);
}

async function explain(from, to) {
  if (from === to && step().pieces[from - 1] === "e") return refused(t("why.empty", { square: squareName(from) }));
  const at = busy;
  const why = await ask(here() + "/explain", { ply, from, to }).catch((e) => e);
  if (at !== busy || why.kind === "legal") return;
  refused(sentence(why));
}

const pause = (ms) => new Promise((done) => setTimeout(done, settings.motion ? ms : ms / 4));

// answer checks a legal move. A right one is played, with the reply; a wrong one is shown, refuted
// and taken back.
async function answer(index, path) {
  const at = ++busy, right = index === step().index;
  if (entry.path.length > 1) entered = entry.path.length - 1;
  entry = new Entry([]);
  busyNow = true;
  point([]);
  hints = 0;
  try {
    await (right ? forward(at, path) : wrong(at, index, path));
  } catch (e) {
    if (!(e instanceof Refusal)) throw e;
    refused(sentence(e));
  } finally {
    if (at === busy) {
      busyNow = false;
      place();
      tell();
    }
  }
}

// forward plays the solution's move and the opponent's reply.
async function forward(at, path) {
  const from = entered;
  entered = 0;
  board.show({});
  await board.play({ ...step().move, ...(path ? { path } : {}) }, from, tactic.steps[ply + 1]?.pieces ?? tactic.end);
  if (at !== busy) return;
  ply++;
  if (!last()) {
    mark();
    $("status").textContent = t("tactics.right");
    await pause(350);
    if (at !== busy) return;
    board.show({});
    await board.play(step().move, 0, tactic.steps[ply + 1]?.pieces ?? tactic.end);
    if (at !== busy) return;
    ply++;
  }
  if (last()) {
    phase = "solved";
    count(!helped);
    keep(helped ? solvedHelped : solvedAlone);
  }
}

async function wrong(at, index, path) {
  const m = step().legal[index];
  const refuting = ask(here() + "/refute", { ply, index });
  refuting.catch(() => {}); // the error is handled where it is awaited below
  const found = await refuting;
  if (at !== busy) return;
  count(false);
  const values = { move: found.text, reply: found.reply?.text, side: sideName(tactic.turn === "white" ? "black" : "white"), men: men(Math.abs(found.gain)) };
  refused(t(!found.reply ? "tactics.wrong.end" : found.gain < 0 ? "tactics.wrong.loses" : found.gain > 0 ? "tactics.wrong.less" : "tactics.wrong", values));
  board.show({});
  await board.play({ path: path ?? [m.from, m.to], captured: m.captured }, entered, found.pieces);
  entered = 0;
  if (at !== busy || !found.reply) return;
  await pause(350);
  if (at !== busy) return;
  await board.play(found.reply, 0, found.after);
  if (at === busy) await pause(900);
}

// ---- help

function hint() {
  if (!mine()) return;
  helped = true;
  count(false);
  hints = Math.min(hints + 1, 2);
  const m = step().legal[step().index];
  const first = ply === 0 && hints === 1;
  entry.clear();
  mark();
  point(hints === 1 ? [m.from] : [m.from, m.to]);
  refused(hints === 1 ? t(first ? "tactics.hint.first" : "tactics.hint.from", { square: squareName(m.from) }) : t("tactics.hint.move", { move: step().move.text }), true);
}

function show() {
  if (phase !== "solving") return;
  keep(shown);
  count(false);
  halt();
  busy++;
  busyNow = false;
  phase = "shown";
  ply = 0;
  point([]);
  refused("");
  place();
  tell();
  replay();
}

// go shows another position of the solution.
function go(to) {
  halt();
  seek(to);
}

async function seek(to) {
  const at = ++busy, onward = to === ply + 1;
  const move = onward ? step().move : null;
  ply = Math.max(0, Math.min(to, tactic.steps.length));
  tell();
  if (onward) {
    board.show({});
    await board.play(move, 0, pieces());
    if (at === busy) mark();
    return;
  }
  place();
}

function replay() {
  if (last()) return;
  const on = async () => {
    if (last()) return halt();
    await seek(ply + 1);
    if (replaying) replaying = setTimeout(on, 700);
  };
  replaying = setTimeout(on, 500);
  $("replay").classList.add("running");
  $("replay").setAttribute("aria-label", t("replay.pause"));
}

function halt() {
  clearTimeout(replaying);
  replaying = 0;
  $("replay").classList.remove("running");
  $("replay").setAttribute("aria-label", t("replay.play"));
  if (tactic && phase !== "solving") tell();
}

function again() {
  stopWatching();
  busyNow = false;
  begin();
}

function onward() {
  const all = chosen(), at = all.findIndex((x) => x.id === tactic.id);
  const order = [...all.slice(at + 1), ...all.slice(0, at)];
  const next = suggested(order) ?? order[0] ?? all[0];
  if (next) open(next.id).catch(failed);
}

// ---- watching an engine

const engineName = () => (tactic.engine === "tree" ? (tactic.name ? t("tree.own", { name: tactic.name }) : t("tree")) : t("alphabeta"));
const frame = 140; // minimum milliseconds to show each of the first reports

function stopWatching() {
  watching?.source.close();
  clearTimeout(watching?.timer);
  watching = null;
  $("watching").hidden = true;
  $("watch-note").textContent = "";
}

function watch() {
  if (watching && !watching.over) {
    stopWatching();
    return tell();
  }
  stopWatching();
  const source = new EventSource(`api/${here()}/watch`);
  const w = { source, reports: [], since: 0, timer: 0, over: false };
  watching = w;
  if (phase === "solving") {
    helped = true;
    keep(shown);
    count(false);
  }
  const draw = () => {
    w.timer = 0;
    const r = w.reports.shift();
    if (!r) return;
    if (!r.best) w.since = 0;
    else w.since ||= Math.max(r.nodes, 1);
    drawReport(r, w);
    if (r.done) {
      w.over = true;
      $("watch").textContent = t("tactics.watch.go", { name: engineName() });
    } else {
      w.timer = setTimeout(draw, frame);
    }
  };
  source.addEventListener("begin", () => {
    w.reports = [];
    w.since = 0;
  });
  source.addEventListener("seen", (e) => {
    const r = JSON.parse(e.data);
    w.reports.push(r);
    if (r.done) source.close();
    if (!w.timer) draw();
  });
  source.addEventListener("failed", (e) => {
    source.close();
    if (watching === w) stopWatching();
    $("watch-note").textContent = sentence(JSON.parse(e.data));
    tell();
  });
  source.addEventListener("error", () => {
    source.close();
    if (watching !== w || w.reports.at(-1)?.done || w.over) return;
    stopWatching();
    $("watch-note").textContent = t("problem.failed");
    tell();
  });
  $("watch-note").textContent = t("searching");
  tell();
}

function drawReport(r, w) {
  const net = tactic.engine === "tree";
  $("watching").hidden = false;
  $("visits-head").textContent = net ? t("visits") : t("positions");
  $("score-head").textContent = t("tactics.score", { side: sideName(tactic.turn) });
  const most = Math.max(1, ...r.moves.map((m) => m.visits));
  $("seen").replaceChildren(...r.moves.map((m) => {
    const row = document.createElement("tr"), move = document.createElement("td"), visits = document.createElement("td"), score = document.createElement("td");
    row.classList.toggle("solution", m.solution);
    move.textContent = m.text + (m.solution ? " ★" : "");
    if (m.solution) move.setAttribute("aria-label", `${m.text}, ${t("tactics.solution")}`);
    const share = document.createElement("meter"), count = document.createElement("span");
    share.max = most;
    share.value = m.visits;
    share.setAttribute("aria-hidden", "true");
    count.textContent = number(m.visits);
    // Without visits there is no share: a move's number of positions does not show its value.
    visits.append(...(net ? [share, count] : [count]));
    score.textContent = m.score < 0 ? "–" : percent(m.score);
    row.append(move, visits, score);
    return row;
  }));
  const values = { name: engineName(), n: number(r.nodes), since: number(w.since), move: r.moves[0]?.text ?? "" };
  const kind = net ? "" : ".positions";
  $("watch-note").textContent = t(r.best ? (r.done ? "tactics.watch.found" : "tactics.watch.best") + kind : (r.done ? "tactics.watch.missed" : "tactics.watch.other") + kind, values);
}

// ---- buttons and keys

const on = (id, does) => $(id).addEventListener("click", does);
on("hint", hint);
on("show", show);
on("again", again);
on("onward", onward);
on("watch", watch);
on("rating-reset", () => $("sure").showModal());
on("sure-yes", () => {
  $("sure").close();
  rating.reset();
  counted = null;
  showRating();
});
on("first", () => go(0));
on("previous", () => go(ply - 1));
on("next", () => go(ply + 1));
on("replay", () => (replaying ? halt() : replay()));
$("list").addEventListener("click", (e) => {
  const id = e.target.closest("button")?.dataset.id;
  if (id) open(id).catch(failed);
});
$("variant").addEventListener("change", () => {
  $("level").value = $("theme").value = "";
  chooseVariant($("variant").value).catch(failed);
});
for (const id of ["level", "theme"]) {
  $(id).addEventListener("change", () => {
    showList();
    const all = chosen(), next = all.find((x) => !progress[x.id]) ?? all[0];
    if (next && !all.some((x) => x.id === tactic?.id)) open(next.id).catch(failed);
  });
}

$("board").addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.altKey || e.metaKey) return;
  const does = { Escape: () => (entry.clear(), refused(""), mark()), h: hint, s: show, a: again, x: onward }[e.key];
  if (!does) return;
  e.preventDefault();
  does();
});

$("language").addEventListener("change", async () => {
  memory.set("language", $("language").value);
  await speak($("language").value);
  fillSelects();
  showList();
  refused("");
  if (tactic) {
    halt();
    mark();
  }
  tell();
});

function failed(e) {
  refused(e instanceof Refusal ? sentence(e) : String(e));
}

async function start() {
  board.element.classList.toggle("no-names", !settings.numbers);
  board.element.classList.toggle("on-light", settings.light);
  board.motion = settings.motion;
  for (const key of ["theme", "board", "pieces"]) document.documentElement.dataset[key] = settings[key];
  [info, collection] = await Promise.all([ask("info"), ask("tactics"), speak(preferred(memory.get("language")))]);
  $("language").value = language;
  const [name, id] = location.hash.slice(1).split("/");
  const names = collection.variants.map((v) => v.name);
  fillSelects();
  await chooseVariant([name, info.variant, "international"].find((n) => names.includes(n)) ?? names[0], id);
  document.body.dataset.ready = "true";
}

addEventListener("hashchange", () => {
  const [name, id] = location.hash.slice(1).split("/");
  if (id !== tactic?.id && collection.variants.some((v) => v.name === name)) chooseVariant(name, id).catch(failed);
});

start().catch((e) => {
  failed(e);
  document.body.dataset.ready = "failed";
});
