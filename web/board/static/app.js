// The page: one board of the server, its status, and the actions on it.

import { Analysis } from "./analysis.js";
import { Board } from "./board.js";
import { Choice } from "./choice.js";
import { chosen, Clocks, prepare } from "./clock.js";
import { Editor } from "./editor.js";
import { Entry } from "./entry.js";
import { Explorer } from "./explorer.js";
import { Files, linked } from "./files.js";
import { message, objections } from "./informal.js";
import { has, language, preferred, sentence, speak, t } from "./language.js";
import { Lessons } from "./lessons.js";
import { fill } from "./list.js";
import { memory } from "./memory.js";
import { MoveList } from "./movelist.js";
import { Premove } from "./premove.js";
import { Replay } from "./replay.js";
import { Review } from "./review.js";
import { Seats } from "./seats.js";
import { ask, problemText, Refusal } from "./server.js";
import { settings, useSettings } from "./settings.js";
import { sound } from "./sound.js";
import { Threat } from "./threat.js";
import { Verdicts } from "./verdicts.js";

const $ = (id) => document.getElementById(id);

let info; // the server's answer: variants, levels
let state; // the board's latest state
let entry = new Entry([]);
const premove = new Premove();
let entered = 0; // legs of the entered move that the board shows already
let events = null;
let hinted = null; // the engine's hint for this position
let pending = null; // the Entry whose move was sent, until its answer or a new position

// ---- actions

let line = Promise.resolve(); // the last action of the queue

// inTurn sends an action when the previous one is answered, because two requests sent at once may
// arrive in either order.
function inTurn(action, body) {
  const answer = line.then(() => ask(`boards/${state.id}/${action}`, body));
  line = answer.catch(() => null);
  return answer;
}

let unanswered = 0; // actions whose answer the page does not show yet

function waiting(more) {
  unanswered += more;
  $("board").ariaBusy = String(unanswered > 0);
}

// act sends an action and shows the new state, or the reason of a refusal.
async function act(action, body = {}, tell = refused) {
  if (!state) return null;
  tell("");
  waiting(+1);
  try {
    const answer = await inTurn(action, body);
    if (answer.rev !== undefined) take(answer);
    return answer;
  } catch (e) {
    if (!(e instanceof Refusal)) throw e;
    if (e.code === "ambiguous") return chooseText(e.choices, action, body);
    tell(problemText(e));
    return null;
  } finally {
    waiting(-1);
  }
}

function refused(text) {
  $("refusal").textContent = text;
}

// firstBoard returns the board that this window had, or a new one if the server has closed it.
async function firstBoard() {
  const old = linked() ? null : sessionStorage.getItem("board"); // a link opens a new board
  const gone = (e) => {
    if (e.code === "offline") throw e;
  };
  return (old && (await ask("boards/" + old).catch(gone))) || ask("boards", {});
}

function open(first) {
  sessionStorage.setItem("board", first.id);
  take(first);
  listen(first.id);
}

// listen subscribes to a board's server-sent events.
function listen(id) {
  events?.close();
  events = new EventSource(`api/boards/${id}/events`);
  events.addEventListener("state", (e) => take(JSON.parse(e.data)));
  events.addEventListener("clock", (e) => clocks.set(JSON.parse(e.data)));
  events.addEventListener("analysis", (e) => analysis.take(JSON.parse(e.data)));
  events.addEventListener("review", (e) => review.take(JSON.parse(e.data)));
  events.addEventListener("tried", (e) => lessons.take(JSON.parse(e.data)));
  events.addEventListener("hint", (e) => hint(JSON.parse(e.data)));
  events.addEventListener("threat", (e) => threat.take(JSON.parse(e.data)));
  events.addEventListener("verdicts", (e) => verdicts.take(JSON.parse(e.data)));
  events.addEventListener("error", ({ target }) => {
    // Otherwise the browser connects again by itself.
    if (target === events && target.readyState === EventSource.CLOSED) closed(id);
  });
}

// closed finds out why the stream has ended, and subscribes again a little later. Either the board
// is gone, or the page is being reloaded and will need the board again.
async function closed(id) {
  const now = await ask("boards/" + id).catch((e) => e);
  if (id !== state.id) return;
  if (now.code === "gone") {
    refused(problemText(now));
    sessionStorage.removeItem("board");
    return;
  }
  if (now.rev !== undefined) take(now);
  setTimeout(() => id === state.id && listen(id), 2000);
}

// ---- display

const variant = () => info.variants.find((v) => v.name === state.variant);
const squareName = (q) => variant().squares[q - 1];
const variantName = (name) => (has("variant." + name) ? t("variant." + name) : name);

const board = new Board($("board"), { click: clicked, drop: dropped });
const hear = (name) => settings.sounds && sound(name);
const clocks = new Clocks((side) => state?.seats[side].player === "person" && hear("low"));
const replay = new Replay(board, {
  state: () => state,
  seek: (ply) => act("seek", { ply }),
  ask: async (index) => (await act("look", { index }))?.pieces,
  restore: () => {
    board.draw(state.pieces);
    mark();
  },
  changed: () => state && tell(),
});
const moves = () => [...state.legal, ...(state.lapses ?? [])]; // moves that can be entered

// The interface of this module for the other modules.
const page = {
  board, memory, settings, act, refused, halt, engineName, statusText, ask: (action, body) => ask(`boards/${state.id}/${action}`, body).catch(() => null),
  get state() { return state; }, get info() { return info; }, get variant() { return variant(); }, get first() { return variant().first; },
  get byVisits() { return state.search; }, // whether the search that reviews is tree search, which counts visits
  squareName: (q) => squareName(q), sideName: (side) => sideName(side), moveText: (m) => moveText(m), verdict: (id) => review.verdict(id),
  moves: () => new Map((state.tree ?? state.moves).map((m) => [m.id, m])),
  startsSecond: () => state.moves.length > 0 && state.moves[0].turn !== variant().first,
};
page.choice = new Choice({ board, changed: () => mark() });
const { choice } = page;
page.seats = new Seats({ __proto__: page, changed: () => tell() });
const { seats } = page;
const files = new Files(page);
const list = new MoveList(page);
const review = new Review({ __proto__: page, changed: () => (list.show(), lessons.offer(), analysis.show()) });
const analysis = new Analysis({ __proto__: page, review, changed: () => arrows() });
const lessons = new Lessons({ __proto__: page, review, changed: () => arrows() });
const threat = new Threat({ __proto__: page, changed: () => arrows() });
const verdicts = new Verdicts(page);
const explorer = new Explorer({
  __proto__: page, get: (path) => ask(`boards/${state.id}/${path}`), problem: (e) => (e instanceof Refusal ? problemText(e) : String(e)),
  play: (index) => (mine() ? play(index, []) : refused(t("not.now", { side: sideName(state.turn) }))),
}, memory);
const editor = new Editor({ __proto__: page, changed: () => (board.draw(state.pieces), tell(), mark()) });

// take shows a state, unless it already shows a newer one.
function take(s) {
  const old = state;
  if (old && old.id === s.id && s.rev <= old.rev) return;
  const fresh = !old || old.id !== s.id || old.variant !== s.variant || old.options !== s.options;
  const onward = !fresh && s.ply === old.ply + 1 && s.moves.length >= s.ply;
  const moved = fresh || s.ply !== old.ply || s.fen !== old.fen || s.outcome !== old.outcome || s.informal !== old.informal || s.past?.length !== old.past?.length;
  state = s;
  clocks.set(s.clock ?? leftAt(s));
  if (moved && replay.move) replay.end();
  if (fresh) {
    if (editor.active) editor.end();
    board.lay(variant());
    board.flip(preferredFlip());
    $("variant").value = s.variant;
    seats.fill();
    review.options();
  }
  if (moved) {
    const shown = onward ? entered : 0;
    entry = new Entry(moves(), settings.touch);
    entered = 0;
    pending = hinted = null;
    analysis.forget();
    board.point([]);
    if (editor.active) {
      // The editor draws the board.
    } else if (onward) {
      board.show({ last: [] });
      board.play(s.moves[s.ply - 1], shown, s.pieces).then(mark);
    } else {
      board.draw(s.pieces);
      mark();
    }
    announce(onward);
    explorer.moved();
    if (onward && s.outcome === "*") hear(s.moves[s.ply - 1].captured?.length ? "capture" : "move");
    if (!fresh && old.outcome === "*" && s.outcome !== "*") hear("end");
  }
  tell();
  listMoves();
  threat.show();
  verdicts.show();
  review.show();
  lessons.tell();
  if (!s.analysing || moved) analysis.show();
  if (s.premoves) premove.take(s.premoves, `${s.id} ${s.ply} ${s.fen}`);
  else if (onward && mine()) follow(premove.resolve(entry));
  else premove.take([], "");
  if (premove.possible) mark();
}

// leftAt returns the clock of a game without one of the server's, at the position that is shown:
// what the moves before it say; null where they say nothing.
function leftAt(s) {
  const left = {};
  for (const m of s.moves.slice(0, s.ply)) if (m.left !== undefined) left[m.turn] = m.left;
  return "white" in left || "black" in left ? { main: 0, ...left } : null;
}

const preferredFlip = () => state.seats.white.player !== "person" && state.seats.black.player === "person";

// mine reports whether a person may move now.
const mine = () => !pending && state.outcome === "*" && !state.thinking && (state.seats[state.turn].player === "person" || !state.auto);

// mark shows which squares, buttons and fields can be used.
function mark() {
  if (board.running || replay.move || editor.active) return;
  if (premove.possible && !pending) return markAhead();
  const path = entry.path, { next, final } = pending ? { next: [], final: [] } : entry.targets();
  const movable = mine() ? [...entry.movable()] : [];
  const open = entry.open();
  const last = state.ply > 0 ? state.moves[state.ply - 1].path : [];
  const ghosts = path.length > 1 ? board.victims(path, entry.legal[open[0].index].captured ?? []) : [];
  board.show({
    last: [last[0], last.at(-1)], movable, obliged: state.must !== 0 && !state.informal && mine() && path.length < 2 ? movable : [],
    path, next: [...next], final: [...final], ghosts,
  });
  arrows();
}

// markAhead shows the premove, and the squares that continue it.
function markAhead() {
  const { next, final } = premove.targets(), last = state.ply > 0 ? state.moves[state.ply - 1].path : [];
  board.show({ last: [last[0], last.at(-1)], movable: [...premove.movable()], premoved: premove.squares, next: [...next], final: [...final] });
  arrows();
}

const namesOf = (squares) => squares.map(squareName).join(" – ");

// cancelAhead takes the premove back, and returns whether there was one.
function cancelAhead() {
  if (!premove.clear()) return false;
  mark();
  $("status").textContent = statusText();
  return true;
}

const sideName = (side) => t(side);

function playerName(side) {
  const s = state.seats[side];
  if (s.player === "person") return (side === "white" ? state.white : state.black) || s.name || t("person");
  return `${engineName(s.player, s.model)}, ${t("level").toLowerCase()} ${s.level}`;
}

function engineName(player, name) {
  const own = name || variant().nnue;
  return (player === "nnue" || player === "tree") && own ? t(player + ".own", { name: own }) : t(player);
}

function tell() {
  const name = variantName(state.variant) + (state.options ? ` (${state.options})` : "");
  $("title").textContent = name;
  document.title = `${name} – Damier`;
  $("board").setAttribute("aria-label", t("board.label", { variant: name }));
  for (const [place, side] of [["player-top", board.flipped ? "white" : "black"], ["player-bottom", board.flipped ? "black" : "white"]]) {
    const e = $(place), disc = document.createElement("span"), who = document.createElement("span"), turn = document.createElement("span");
    disc.className = "disc " + side;
    who.textContent = `${sideName(side)}: ${playerName(side)}`;
    turn.className = "turn";
    const moving = state.outcome === "*" && state.turn === side;
    turn.textContent = moving ? (state.thinking ? t("thinks") : t("to.move")) : "";
    e.classList.toggle("moving", moving);
    e.replaceChildren(disc, who, turn, clocks.faces[side]);
  }
  $("status").textContent = statusText();
  if (state.message) refused(state.said ? sentence(state.said) : messageText(state.message));
  seats.show();
  const staged = replay.move !== null;
  $("first").disabled = staged || state.ply === 0;
  $("previous").disabled = staged ? replay.leg === 0 : state.ply === 0;
  $("next").disabled = staged ? replay.leg >= replay.move.path.length - 1 : state.ply >= state.moves.length;
  $("last").disabled = staged || state.ply >= state.moves.length;
  $("replay").disabled = state.moves.length === 0;
  $("replay").classList.toggle("running", replay.playing);
  $("replay").setAttribute("aria-label", t(replay.playing ? "replay.pause" : "replay.play"));
  $("stop").disabled = !replay.active;
  $("again").disabled = state.ply === 0;
  $("undo").disabled = state.ply === 0 && state.outcome === "*" && !state.past;
  $("redo").disabled = state.ply >= state.moves.length;
  $("resign").disabled = $("draw").disabled = state.outcome !== "*";
  $("draw").textContent = t(state.offered ? "draw.accept" : "draw");
  $("hint").disabled = state.outcome !== "*" || state.thinking; // the engine's move ends the search for a hint
  const engines = state.seats.white.player !== "person" && state.seats.black.player !== "person";
  $("go").disabled = state.outcome !== "*";
  $("go").textContent = engines && state.auto ? t("pause") : t("go");
  if (document.activeElement !== $("fen")) $("fen").value = state.fen;
  $("pdn-file").href = `api/boards/${state.id}/game.pdn`;
  $("analyse").checked = state.analysing;
  $("informal").checked = Boolean(state.informal);
  $("status").classList.toggle("over", state.outcome !== "*" && !replay.move);
  objections(state, squareName, (action, body) => act(action, body));
}

function messageText(text) {
  const declined = /^declined:(\d+)$/.exec(text);
  if (text === "declined:early") return t("declined.early");
  if (text === "offered") return t("draw.offered", { side: sideName(state.turn === "white" ? "black" : "white") });
  return declined ? t("declined", { n: declined[1] }) : message(text) || text;
}

function statusText() {
  if (replay.move) return replay.text(squareName);
  if (state.outcome !== "*") {
    const what = state.outcome === "draw" ? t("drawn") : t("wins", { side: sideName(state.outcome) });
    return `${what}: ${has("reason." + state.reason) ? t("reason." + state.reason) : state.reason}.`;
  }
  const side = sideName(state.turn);
  if (state.thinking) {
    const ahead = premove.set ? "premove.is" : premove.squares.length > 0 ? "from" : "";
    return t("side.thinks", { side }) + (ahead && " " + t(ahead, { move: namesOf(premove.squares), square: namesOf(premove.squares) }));
  }
  const must = state.informal ? "" : state.must > 0 ? t("must", { n: state.must }) : state.must < 0 ? t("must.free") : "";
  const text = must ? t("side.must", { side, must }) : t("side.moves", { side });
  if (entry.path.length > 0) return `${text} ${t("from", { square: entry.path.map(squareName).join(" × ") })}`;
  return text;
}

// announce gives a screen reader the move that was made and the status.
function announce(onward) {
  if (!onward) return;
  const m = state.moves[state.ply - 1];
  $("board").dataset.announced = m.text;
  $("status").setAttribute("aria-label", `${sideName(m.turn)}: ${m.text}. ${statusText()}`);
}

const moveText = (m) => (settings.manoury && m.manoury ? m.manoury : m.text);
const listMoves = () => list.show();

function arrows() {
  if (!board.arrows || editor.active) return;
  board.drawThreat(board.running ? [] : threat.path);
  const best = settings.arrows ? analysis.arrows : [];
  board.drawArrows(board.running ? [] : hinted ? [[hinted.from, hinted.to, "hint"]] : lessons.here ? lessons.arrows : best);
}

// ---- entering moves

function clicked(square) {
  if (!state) return;
  board.setFocus(square, false);
  if (replay.move) return replay.stop();
  if (editor.active) return editor.click(square);
  if (state.outcome !== "*") return refused(statusText());
  if (pending) return;
  if (premove.possible && premove.click(square)) return follow({ type: "ahead" });
  if (!mine()) return refused(t("not.now", { side: sideName(state.turn) }));
  refused("");
  follow(entry.click(square));
}

let dragged = 0;

// dropped handles the begin and the end of a drag; square 0 is outside the board.
function dropped(square, begins) {
  if (editor.active) return editor.drop(square, begins);
  if (begins && premove.possible && !replay.move && !pending) {
    premove.clear();
    premove.click(square);
    dragged = square;
    return follow({ type: "ahead" });
  }
  if (begins) {
    if (!mine() || replay.move) return;
    if (settings.touch && entry.path.length > 0 && entry.path.at(-1) !== square) return follow({ type: "touched", from: entry.path[0] });
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
  if (premove.possible) {
    if (!square || square === from || !premove.click(square)) premove.clear();
    return follow({ type: "ahead" });
  }
  if (!square || square === from) {
    if (!settings.touch) entry.clear();
    return mark();
  }
  board.setFocus(square, false);
  const result = entry.click(square);
  if (result.type === "play") entered = result.path.length - 1; // the drag has shown the move
  if (!settings.touch && (result.type === "refuse" || result.type === "select")) entry.clear();
  follow(result);
}

function follow(result) {
  if (result.type === "play") return play(result.index, result.path);
  if (result.type === "choose") return choose(result);
  if (result.type === "refuse") explain(result.from, result.to);
  if (result.type === "touched") refused(t("why.touched", { square: squareName(result.from) }));
  if (result.type === "begin") entry.path = [...result.squares];
  if (result.type === "ahead") refused("");
  if (result.type === "drop" || result.type === "many") refused(t("premove." + result.type, { move: namesOf(result.squares) }));
  mark();
  $("status").textContent = statusText();
}

async function play(index, path, ply = state.ply) {
  if (lessons.attempt({ index })) {
    entry.clear();
    entered = 0;
    board.draw(state.pieces);
    return mark();
  }
  if (entry.path.length > 1) entered = entry.path.length - 1;
  const mover = entry;
  pending = mover;
  mark();
  const legal = state.legal.length;
  const answer = index < legal ? await act("move", { ply, index, path: path.length > 2 ? path : [] }) : await act("lapse", { ply, index: index - legal });
  if (pending === mover) pending = null;
  if (!answer && entry === mover) {
    entered = 0;
    entry.clear();
  }
  mark();
}

async function explain(from, to) {
  if (from === to && state.pieces[from - 1] === "e") return refused(t("why.empty", { square: squareName(from) }));
  const why = await act("explain", { ply: state.ply, from, to });
  if (!why) return;
  refused(why.kind === "legal" ? "" : sentence(why));
}

// choose asks the person which capture is meant.
function choose({ indices, onward }) {
  const { ply } = state; // of the question; the state may change meanwhile
  const options = indices.map((index) => {
    const m = entry.legal[index], path = entry.pathOf(index);
    const captured = m.captured ?? [];
    return { text: t("choose.takes", { move: path.map(squareName).join(" × "), squares: captured.map(squareName).join(", ") }), squares: [...captured, m.to], run: () => play(index, path, ply) };
  });
  if (onward) {
    options.push({ text: t("choose.onward", { square: squareName(onward) }), squares: [onward], run: () => follow(entry.step(onward)) });
  }
  choice.ask(options);
}

function chooseText(choices, action, body) {
  choice.ask(choices.map((text) => ({ text, squares: [], run: () => act(action, { ...body, text }) })));
  return null;
}

$("board").addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.altKey || e.metaKey || editor.active) return;
  const does = { Escape: letGo, u: () => act("undo"), y: () => act("redo"), f: flip }[e.key];
  if (!does) return;
  e.preventDefault();
  does();
});

document.addEventListener("keydown", (e) => e.key === "Escape" && !document.querySelector("dialog[open]") && cancelAhead());
$("board").addEventListener("contextmenu", (e) => cancelAhead() && e.preventDefault());

// ---- buttons

const on = (id, does) => $(id).addEventListener("click", does);
on("first", () => seek(0));
on("previous", () => replay.previous());
on("next", () => replay.next());
on("last", () => seek(state.moves.length));
on("undo", () => act("undo"));
on("redo", () => act("redo"));
on("flip", flip);
on("go", () => {
  const engines = state.seats.white.player !== "person" && state.seats.black.player !== "person";
  act(engines && state.auto ? "stop" : "go", {});
});
on("draw", () => {
  const other = state.turn === "white" ? "black" : "white";
  if (state.offered || state.seats[state.turn].player !== "person" || state.seats[other].player !== "person") return act("draw");
  choice.ask([{ text: t("draw.accept"), squares: [], run: () => act("draw") }], t("draw.asked", { side: sideName(state.turn), other: sideName(other) }), t("draw.decline"));
});
on("resign", () => choice.sure("resign.ask", "resign", () => act("resign")));
on("hint", () => {
  act("hint");
  refused(t("searching")); // at once, because the hint may come before the answer to the request
});

// hint shows the engine's hint, unless the board has changed since the request.
function hint(h) {
  if (h.rev !== state.rev) return;
  if (h.error) return refused(sentence(h.error));
  hinted = h;
  refused(t("hint.is", { move: h.text }));
  arrows();
}

on("open-game", () => $("game").showModal());

// Left, Right, Home and End step through the moves, unless the focused element uses these keys.
document.addEventListener("keydown", (e) => {
  if (!state || e.defaultPrevented || e.ctrlKey || e.altKey || e.metaKey || e.shiftKey || editor.active) return;
  if (document.querySelector("dialog[open]") || e.target.closest?.("input, select, textarea, summary, [role='group'].table")) return;
  // On the board the arrow keys move the focus from square to square.
  if (!board.byMouse && $("board").contains(e.target) && e.key.startsWith("Arrow")) return;
  const button = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" }[e.key];
  if (!button) return;
  e.preventDefault();
  $(button).click();
});
on("replay", () => (replay.playing ? replay.pause() : replay.play()));
on("stop", () => replay.stop());
on("again", () => replay.last());
on("informal", () => act("informal", { on: $("informal").checked }));

function seek(ply) {
  halt();
  return act("seek", { ply });
}

function halt() {
  if (replay.active) replay.end();
}

// letGo deselects the selected piece, unless the touch-move rule is on.
function letGo() {
  if (settings.touch && entry.path.length > 0) return follow({ type: "touched", from: entry.path[0] });
  entry.clear();
  refused("");
  mark();
}

function flip() {
  board.flip(!board.flipped);
  if (editor.active) editor.draw();
  tell();
  mark();
  if (state.analysing) analysis.show();
}

$("typed").addEventListener("submit", async (e) => {
  e.preventDefault();
  const text = $("move").value.trim();
  if (!text) return;
  if (lessons.attempt({ text }, refused)) return ($("move").value = "");
  if (await act("text", { ply: state.ply, text })) $("move").value = "";
});

on("new", async () => {
  halt();
  $("game").close();
  const body = { variant: $("variant").value, seats: seats.chosen, clock: chosen() };
  if (await act("new", body)) {
    board.flip(preferredFlip());
    tell();
    mark();
  } else if (!sessionStorage.getItem("board")) {
    refused("");
    // The server has closed the old board.
    ask("boards", { ...body, informal: $("informal").checked }).then(open, (e) => refused(problemText(e)));
  }
});

// ---- languages, and the start

function fillVariants() {
  fill($("variant"), info.variants.map((v) => [v.name, `${variantName(v.name)} (${v.rows}×${v.columns})`]).sort((a, b) => a[1].localeCompare(b[1], language)));
}

async function chooseLanguage(name) {
  await speak(name);
  $("language").value = name;
  fillVariants();
  if (!state) return;
  $("variant").value = state.variant;
  seats.fill();
  tell();
  listMoves();
  review.options();
  review.show();
  lessons.tell();
  threat.show();
  verdicts.show();
  explorer.show();
  if (editor.active) editor.check();
  analysis.show();
  mark();
}

$("language").addEventListener("change", () => {
  memory.set("language", $("language").value);
  chooseLanguage($("language").value);
});

async function start() {
  useSettings(board, () => {
    entry.touch = settings.touch;
    arrows();
    listMoves();
  });
  prepare(memory);
  const [what, first] = await Promise.all([ask("info"), firstBoard(), speak(preferred(memory.get("language")))]);
  info = what;
  $("language").value = language;
  fillVariants();
  $("variant").value = info.variant;
  open(first);
  if (linked()) await files.open(linked());
  else if (!seats.named && state.moves.length === 0) await act("seats", { seats: seats.chosen });
  performance.mark("ready"); // for the measuring test
  document.body.dataset.ready = "true";
}

start().catch((e) => {
  refused(e instanceof Refusal ? problemText(e) : String(e));
  document.body.dataset.ready = "failed";
});
