// The dashboard: what a run's metrics say, alone or over those of other runs, its games, its networks, and what they think of
// a position.

import { Chart, Group } from "./chart.js";
import { forecast, measurePause } from "./forecast.js";
import { also, compact, has, language, number, percent, preferred, sentence, speak, t } from "./language.js";
import { memory } from "./memory.js";
import { RunData } from "./runs.js";
import { SmallBoard, count } from "./small.js";

const $ = (id) => document.getElementById(id);
const eventsEvery = 3000, gamesEvery = 1000, checkpointEvery = 10000; // milliseconds

let runs = []; // all that the server shows
let here; // the run that the page is about
const laid = []; // runs whose charts are drawn: at a slot each, which is its colour and its letter; some slots may be empty
let asked = null; // the last answer about a position
let failure = null; // why the server did not answer the last time
let misasked = null; // why it refused the last position

// ---- the server

async function ask(path, body) {
  let answer;
  try {
    answer = await fetch(path, body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  } catch {
    throw Object.assign(new Error("offline"), { offline: true });
  }
  const json = await answer.json().catch(() => ({}));
  if (!answer.ok) throw Object.assign(new Error(json.error?.text ?? answer.statusText), { said: json.error });
  return json;
}

// problemText returns the text of an error in the page's language.
const problemText = (e) => (!e ? "" : e.offline ? t("d.problem.offline") : sentence(e.said ?? e.message));

// problem tells that the server does not answer, and again when it does.
function problem(e) {
  failure = e;
  $("problem").textContent = problemText(e);
  showState();
}

// follow asks what is new of the run and of those laid over it, and returns whether something is.
async function follow() {
  let fresh = false;
  for (const r of new Set([here, ...laid.filter(Boolean)])) {
    try {
      fresh = (await r.follow(ask)) || fresh;
    } catch (e) {
      if (r === here) throw e; // of another run the page keeps what it has
    }
  }
  showWorkers(here.workers);
  if (failure) problem(null);
  return fresh;
}

// ---- charts

const axes = {
  cpu: { key: "d.axis.cpu", value: (row) => row.cpu, name: () => t("d.axis.cpu"), unit: () => t("d.unit.cpu"), format: compact },
  hours: { key: "d.axis.hours", value: (row) => row.hours, name: () => t("d.axis.hours"), unit: () => t("d.unit.hours"), format: compact },
  generation: { key: "d.axis.generation", value: (row) => row.generation, name: () => t("d.axis.generation"), format: compact, whole: true },
  games: { key: "d.axis.games", value: (row) => row.games, name: () => t("d.axis.games"), unit: () => t("d.unit.games"), format: compact, whole: true },
  rows: { key: "d.axis.rows", value: (row) => row.rows, name: () => t("d.axis.rows"), unit: () => t("d.unit.rows"), format: compact, whole: true },
};

const of = (key, value) => ({ key, value: (row) => value(row.p) });
const heldout = (key, value) => of(key, (p) => (p.heldout_rows > 0 ? value(p) : undefined));
const rated = (row, value) => (row.e.low < row.e.high ? value : undefined); // no rung with an Elo: no rating
const whole = (n) => number(Math.round(n));
const matches = (row) => (row.e.rungs ?? []).map((g) => `${g.rung} ${record(g)}`).join(", ");
const record = (g) => (g ? `+${g.wins} =${g.draws} −${g.losses}` : "");

const signed = (n) => (n < 0 ? "−" : "+") + whole(Math.abs(n));
const gained = (g) => (g ? t("d.gain.value", { elo: signed(g.elo), half: whole(g.half), generation: number(g.since) }) : "");

let eloChart;
const charts = [];
const group = new Group(() => showZoom()); // the charts of the progress

const marks = () => here.about.marks.map((m) => ({ name: m.name, value: m.elo }));

const file = () => here.name.split(/[/\\]/).at(-1); // with it the names of CSV files begin
const stopped = () => here.stopped;

// phaseText says what the learner does, "" if it is not known.
const phaseText = () => (stopped() || here.phase.name === "" ? "" : t("d.phase." + here.phase.name, { done: number(here.phase.done), of: number(here.phase.of) }));

// waitGeneration says what a chart of the generations waits for, or in the words of a text why it stays empty.
function waitGeneration(absent) {
  if (here.generations.length > 0) return t(absent);
  if (stopped()) return t("d.fill.stopped");
  const now = phaseText();
  return t("d.fill.generation") + (now ? " " + t("d.fill.now", { phase: now }) : "");
}

// foresee returns how long the run still takes and when its strength is measured next.
const foresee = () => forecast({
  setting: (key) => here.setting(key), last: here.last, generations: here.generations, evaluations: here.evaluations,
  now: here.now(), live: here.about?.live && !failure,
});

// waitElo says what the chart of the Elo waits for.
function waitElo() {
  if (here.evaluations.length > 0) return t("d.fill.elo.never");
  if (stopped()) return t("d.fill.stopped");
  const every = Number(here.setting("evaluation.every") ?? NaN);
  if (!(every > 0)) return t(every === 0 ? "d.fill.elo.end" : "d.fill.elo");
  const first = measurePause(every, 0);
  const left = here.last ? first - (here.last.seconds + Math.max(0, (here.now() - Date.parse(here.last.time)) / 1000)) / 60 : first;
  return t("d.fill.elo.every", { n: compact(every) }) + " " + (left > 0 ? t("d.fill.elo.due", { n: number(Math.ceil(left)) }) : t("d.fill.elo.next"));
}

function makeCharts() {
  const host = $("charts");
  eloChart = new Chart(host, {
    file, group, wait: waitElo,
    title: "d.elo", wide: true, height: 300, format: whole, dots: true,
    marks: marks(),
    series: [{ key: "d.elo.network", value: (row) => rated(row, row.e.elo), low: (row) => row.e.low, high: (row) => row.e.high }],
    columns: [
      { name: () => t("d.elo.short"), value: (row) => (row.e.low < row.e.high ? t("d.interval", { value: whole(row.e.elo), low: whole(row.e.low), high: whole(row.e.high) }) : "") },
      { key: "d.visits", raw: (row) => row.e.visits, name: () => t("d.visits"), value: (row) => number(row.e.visits) },
      { key: "d.matches", raw: matches, name: () => t("d.matches"), value: matches },
      { name: () => t("d.gain"), value: (row) => gained(row.e.gain) },
      { name: () => t("d.gate"), value: (row) => record(row.e.gate) },
    ],
  });
  const make = (spec) => charts.push(new Chart(host, { file, group, wait: () => waitGeneration("d.fill.absent"), ...spec }));
  make({ title: "d.loss", series: [
    heldout("d.heldout", (p) => p.heldout_value_loss), of("d.batches", (p) => p.value_loss), heldout("d.material", (p) => p.heldout_material_loss)] });
  make({ title: "d.results", min: 0, max: 1, format: percent, series: [
    of("d.white", (p) => p.white), of("d.draws", (p) => p.draws), of("d.black", (p) => p.black), of("d.limited", (p) => p.limited)] });
  make({ title: "d.length", min: 0, series: [of("d.plies", (p) => p.length)] });
  make({ title: "d.entropy", min: 0, series: [of("d.entropy.target", (p) => p.entropy), of("d.kl", (p) => p.kl)] });
  make({ title: "d.simulations", min: 0, series: [of("d.sims", (p) => p.sims_per_second)] });
  make({ title: "d.rows", min: 0, series: [of("d.rows.played", (p) => p.rows_per_second)] });
  make({ title: "d.gamesrate", min: 0, series: [of("d.games.played", (p) => p.games_per_second)] });
  make({ title: "d.window", min: 0, rough: true, series: [of("d.window.rows", (p) => p.window), of("d.rows.all", (p) => p.rows)] });
  make({ title: "d.generations", min: 0, rough: true, format: whole, series: [{ key: "d.generations.published", value: (row) => row.generation }] });
  make({ title: "d.time", min: 0, series: [of("d.time.play", (p) => p.play_seconds), of("d.time.train", (p) => p.train_seconds), of("d.time.other", (p) => p.other_seconds)] });
  make({ title: "d.use", min: 0, max: 1, format: percent, series: [
    of("d.busy.play", (p) => p.play_busy), of("d.busy.train", (p) => p.train_busy), of("d.distinct", (p) => p.distinct)] });
  make({ title: "d.learning", min: 0, rough: true, series: [of("d.learning.factor", (p) => p.learning_rate_factor)] });
  make({ title: "d.gradient", min: 0, series: [of("d.gradient.norm", (p) => p.gradient_norm)] });
}

// over returns a list of each run that is drawn, the chosen one first.
function over(rows) {
  const others = laid.filter((r) => r && r !== here);
  return [here, ...others].map((r) => ({ name: r.name, letter: letterOf(r), slot: laid.indexOf(r), rows: rows(r) }));
}

function showCharts() {
  const axis = axes[$("axis").value];
  eloChart.show(over((r) => r.evaluations), axis);
  for (const c of charts) c.show(over((r) => r.generations), axis);
}

// showZoom shows which part of the axis the charts show.
function showZoom() {
  $("whole").hidden = !group.range;
}

// zoomAll makes that part smaller or larger by the buttons.
function zoomAll(factor) {
  (charts.find((c) => c.points.length > 0) ?? eloChart).zoomBy(factor);
}

function smooth() {
  group.smoothing = Number($("smoothing").value) / 100;
  $("smoothed").textContent = percent(group.smoothing);
}

// ---- several runs

const mostLaid = 7; // as many as there are colours that everybody can tell apart

const letterOf = (r) => "ABCDEFG"[laid.indexOf(r)];

// lay draws a run in the charts, at the first empty slot, and returns whether there was one.
function lay(r) {
  if (laid.includes(r)) return true;
  const free = [...Array(mostLaid).keys()].find((i) => !laid[i]);
  if (free === undefined) return false;
  laid[free] = r;
  return true;
}

const variantName = (r) => (has("variant." + r.variant) ? t("variant." + r.variant) : r.variant) + (r.options ? ` (${r.options})` : "");

// showRuns shows the list of runs: which are drawn, and which the page is about.
function showRuns() {
  $("runs-box").hidden = runs.length < 2;
  if (runs.length < 2) return;
  const full = laid.filter(Boolean).length >= mostLaid;
  $("runs-note").textContent = full && runs.length > mostLaid ? t("d.runs.full", { n: mostLaid }) : "";
  $("run").replaceChildren(...runs.map((r) => new Option(r.name, r.index, false, r === here)));
  const focused = document.activeElement?.dataset?.run;
  $("runs").replaceChildren(...runs.map((r) => {
    const item = document.createElement("li"), label = document.createElement("label"), box = document.createElement("input");
    const mark = document.createElement("b"), name = document.createElement("span"), kind = document.createElement("span");
    box.type = "checkbox";
    box.dataset.run = r.index;
    box.checked = laid.includes(r);
    box.disabled = r === here || (full && !box.checked);
    box.addEventListener("change", () => toggle(r, box.checked).catch(problem));
    mark.className = box.checked ? `swatch r${laid.indexOf(r)}` : "swatch";
    mark.textContent = letterOf(r) ?? "";
    name.textContent = r.name;
    kind.className = "quiet";
    kind.textContent = r.variant === here.variant && r.options === here.options ? "" : variantName(r);
    label.append(box, mark, name, kind);
    item.append(label);
    return item;
  }));
  if (focused) $("runs").querySelector(`[data-run="${focused}"]`)?.focus();
}

async function toggle(r, drawn) {
  if (drawn) lay(r);
  else laid[laid.indexOf(r)] = undefined;
  showRuns();
  if (drawn) await follow();
  showCharts();
}

// about asks what the page needs to know of a run besides its metrics.
async function learnAbout(r) {
  r.about ??= await ask(r.address("api/run"));
  if (r.settings.length === 0) r.settings = (await ask(r.address("api/settings"))).settings;
}

// choose makes the page about another run.
async function choose(r) {
  await learnAbout(r);
  if (!laid.includes(r) && !lay(r)) {
    laid[laid.indexOf(here)] = r; // all slots are taken: it takes that of the run that was shown
  }
  here = r;
  games = null;
  asked = null;
  for (const b of boards) b.button.remove();
  boards = [];
  forgetBoard();
  eloChart.spec.marks = marks();
  await follow();
  await Promise.all([lookAtGames(), lookAtNetworks()]);
  $("fen").value = "";
  showAll();
  await consult();
}

// ---- the state of the run

function duration(seconds) {
  const s = Math.round(seconds), pad = (n) => String(n).padStart(2, "0");
  return `${Math.floor(s / 3600)}:${pad(Math.floor(s / 60) % 60)}:${pad(s % 60)}`;
}

function ago(seconds) {
  const form = new Intl.RelativeTimeFormat(language, { numeric: "always" });
  if (seconds < 90) return form.format(-Math.round(seconds), "second");
  if (seconds < 5400) return form.format(-Math.round(seconds / 60), "minute");
  return seconds < 129600 ? form.format(-Math.round(seconds / 3600), "hour") : form.format(-Math.round(seconds / 86400), "day");
}

function showState() {
  const { last, phase } = here;
  const state = failure ? "gone" : stopped() ? (["finished", "interrupted"].includes(last.message) ? "stopped" : "failed") : last ? "running" : "new";
  if ($("now").dataset.state !== state || $("now").lang !== language) { // or it would be read out each time
    $("now").dataset.state = state;
    $("now").lang = language;
    $("now").textContent = t("d.now." + state);
  }
  const doing = state === "running" && phase.name !== "";
  $("phase").textContent = doing ? phaseText() : "";
  for (const c of [eloChart, ...charts]) c?.wait();
  $("progress").hidden = !doing || phase.of === 0;
  if (!$("progress").hidden) {
    $("progress").max = phase.of;
    $("progress").value = phase.done;
    $("progress").setAttribute("aria-label", $("phase").textContent);
  }
  $("heard").textContent = last ? t("d.heard", { ago: ago(Math.max(0, (here.now() - Date.parse(last.time)) / 1000)) }) : "";
  showForecast();
}

// clockTime writes a time of day so many seconds from now, with the day if it is another.
function clockTime(seconds) {
  const at = new Date(Date.now() + 1000 * seconds);
  const today = at.toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(language, { timeStyle: "short", ...(today ? {} : { dateStyle: "medium" }) }).format(at);
}

const limits = {
  minutes: (n) => t("d.limit.minutes", { n: compact(n) }),
  cpu: (n) => t("d.limit.cpu", { n: compact(n) }),
  generations: (n) => t("d.limit.generations", { n: number(n) }),
};

// leftOf says how long the run still takes: a duration, and what it ends by.
function leftOf(f) {
  if (f.state === "new") return ["–", ""];
  if (f.state === "over") return ["–", t("d.left.over")];
  if (f.state === "silent") return ["–", t("d.left.silent")];
  if (f.left === undefined) return ["–", t("d.left.none")];
  const limit = limits[f.limit.kind](f.limit.of);
  if (f.state === "paused") return [duration(f.left), t("d.left.paused", { limit })];
  return f.left > 0 ? [duration(f.left), t("d.left.ends", { time: clockTime(f.left), limit })] : [duration(0), t("d.left.soon")];
}

// nextOf says when the strength of the run is measured next.
function nextOf(f) {
  if (f.state !== "running") return ["–", ""];
  const at = f.due === undefined ? "–" : duration(f.due);
  if (f.last) return [at, t("d.next.last")];
  if (f.due === undefined) return ["–", ""];
  const n = compact(Number(here.setting("evaluation.every")));
  return [at, f.due > 0 ? t("d.next.at", { time: clockTime(f.due), n }) : t("d.next.soon")];
}

// showForecast shows the time left and the next measurement, which change all the time.
function showForecast() {
  const f = foresee();
  for (const [key, [big, small]] of [["d.figure.left", leftOf(f)], ["d.figure.next", nextOf(f)]]) {
    const box = $("figures").querySelector(`[data-figure="${key}"]`);
    if (!box) continue;
    box.children[1].textContent = big;
    box.children[2].textContent = small;
  }
}

// known writes a number, or a dash if the metrics do not have it, as those of earlier versions.
const known = (v, write) => (Number.isFinite(v) ? write(v) : "–");

function showFigures() {
  const { last } = here;
  const g = here.generations.at(-1)?.p, e = here.evaluations.findLast((row) => row.e.low < row.e.high)?.e;
  const note = (v, key, name, write) => (Number.isFinite(v) ? t(key, { [name]: write(v) }) : "");
  const visits = g?.visits || g?.full_visits;
  const figures = [
    ["d.elo.short", e ? whole(e.elo) : "–", e ? t("d.figure.elo", { low: whole(e.low), high: whole(e.high), generation: e.generation }) : t("d.unmeasured")],
    ["d.generation", known(last?.generation, number), note(g?.steps, "d.figure.steps", "n", number)],
    ["d.figure.left", "–", ""],
    ["d.figure.next", "–", ""],
    ["d.figure.games", known(g?.games, number), note(g?.rows, "d.figure.rows", "n", number)],
    ["d.figure.window", known(g?.window, compact), note(g?.passes, "d.figure.passes", "n", compact)],
    ["d.figure.clock", known(last?.seconds, duration), note(last?.cpu_hours, "d.figure.cpu", "n", compact)],
    ["d.figure.sims", known(g?.sims_per_second, compact), g?.alphabeta ? t("d.figure.alphabeta") : note(visits, "d.figure.visits", "visits", number)],
    ["d.figure.games.rate", known(g?.games_per_second, compact), note(g?.rows_per_second, "d.figure.rows.rate", "n", compact)],
    ["d.figure.memory", g ? note(g.resident_bytes / 1e6, "d.megabytes", "n", compact) || "–" : "–", note(g?.learning_rate_factor, "d.figure.rate", "n", compact)],
  ];
  $("figures").replaceChildren(...figures.map(([key, value, note]) => {
    const box = document.createElement("div"), name = document.createElement("dt"), big = document.createElement("dd"), small = document.createElement("dd");
    box.dataset.figure = key;
    name.textContent = t(key);
    big.textContent = value;
    big.className = "big";
    small.textContent = note;
    small.className = "quiet";
    box.append(name, big, small);
    return box;
  }));
  showForecast();
}

// showWorkers shows the machines that play for the run; nothing where none can.
function showWorkers(w) {
  $("workers-box").hidden = !w;
  if (!w) return;
  $("workers-note").textContent = t("d.workers.note", {
    present: number(w.present), rate: compact(w.per_minute), accepted: number(w.accepted), refused: number(w.refused),
    backlog: number(w.backlog), barred: number(w.barred),
  });
  $("workers").tBodies[0].replaceChildren(...w.list.map((x) => cells("td", x.name, x.host, number(x.generation),
    x.gone ? t("d.worker.gone") : compact(x.per_minute), number(x.accepted), number(x.refused), t("d.worker.seconds", { n: compact(x.lag) }))));
}

function cells(tag, ...words) {
  const row = document.createElement("tr");
  words.forEach((w, i) => {
    const c = document.createElement(i === 0 ? "th" : tag);
    if (i === 0) c.scope = "row";
    c.textContent = w;
    row.append(c);
  });
  return row;
}

function showEndings() {
  const g = here.generations.at(-1)?.p, reasons = Object.entries(g?.reasons ?? {}).sort((a, b) => b[1] - a[1]);
  const all = reasons.reduce((sum, [, n]) => sum + n, 0);
  $("endings").tBodies[0].replaceChildren(...reasons.map(([reason, n]) => cells("td", has("reason." + reason) ? t("reason." + reason) : reason, number(n), percent(n / all))));
}

function showLog() {
  const when = new Intl.DateTimeFormat(language, { dateStyle: "short", timeStyle: "medium" });
  $("log").replaceChildren(...here.log.slice(-50).reverse().map((e) => {
    const item = document.createElement("li"), time = document.createElement("time");
    time.dateTime = e.time;
    time.textContent = when.format(new Date(e.time));
    const more = e.event === "stop" && e.message === "finished" ? "" : e.message; // it has nothing to add
    item.append(time, ` ${t("d.event." + e.event)}${more ? `: ${more}` : ""}`);
    if (e.event === "warning") item.className = "alarm";
    return item;
  }));
}

// originText says in the page's language where a value comes from.
function originText(origin) {
  const [, kind, rest] = /^(default|preset|file|environment|flag|board of)(.*)$/.exec(origin) ?? [];
  return kind ? t("d.origin." + kind.split(" ")[0]) + rest : origin;
}

function showSettings() {
  const shown = here.settings.filter((s) => !$("changed").checked || s.origin !== "default");
  $("settings").tBodies[0].replaceChildren(...shown.map((s) => cells("td", s.key, s.value, originText(s.origin))));
}

// showAll shows everything anew, in another language too.
function showAll() {
  document.title = `${here.name} – Damier`;
  $("title").textContent = `${here.name} · ${variantName(here)}`;
  smooth();
  showRuns();
  showNew();
  showSettings();
  listNetworks();
  showNetworks();
  showGames();
  showAnswer();
  $("problem").textContent = problemText(failure);
  $("position-note").textContent = problemText(misasked);
}

// showNew shows what the metrics have brought.
function showNew() {
  showState();
  showFigures();
  showCharts();
  showEndings();
  showLog();
}

// ---- the games under way

let games = null, boards = [];

function side(men, kings) {
  return [men ? t("d.men", { n: men }) : "", kings ? t("d.kings", { n: kings }) : ""].filter(Boolean).join(", ") || t("d.nothing");
}

// bar shows White's expected score, which may be unknown.
function bar(score) {
  const e = document.createElement("span");
  e.className = "scorebar";
  if (score === undefined) return e;
  for (const [name, share] of [["w", score], ["b", 1 - score]]) {
    const part = document.createElement("i");
    part.className = name;
    part.style.flexBasis = `${100 * share}%`;
    e.append(part);
  }
  return e;
}

function showGames() {
  if (!games) return;
  $("games-note").textContent = games.games.length === 0 ? t("d.games.none") : t(games.live ? "d.games.live" : "d.games.checkpoint");
  while (boards.length > games.games.length) boards.pop().button.remove();
  games.games.forEach((g, i) => {
    let b = boards[i];
    if (!b) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "game";
      const small = new SmallBoard(here.about.variant), caption = document.createElement("span");
      caption.className = "caption";
      b = boards[i] = { button, small, caption };
      button.addEventListener("click", () => {
        $("fen").value = b.fen;
        consult();
        $("ask").scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
      });
      $("games").append(button);
    }
    b.fen = g.fen;
    b.small.draw(g.pieces, g.from, g.to);
    b.caption.textContent = t("d.ply", { n: g.ply }) + (g.score === undefined ? "" : " · " + t("d.expects", { score: percent(g.score) }));
    b.button.replaceChildren(b.small.element, bar(g.score), b.caption);
    const [men, kings, theirs, theirKings] = count(g.pieces);
    b.button.setAttribute("aria-label", t("d.game.label", { n: i + 1, ply: g.ply, white: side(men, kings), black: side(theirs, theirKings), caption: b.caption.textContent }));
  });
}

// ---- a position

const positionAxis = { key: "d.axis.generation", value: (row) => row.generation, name: () => t("d.axis.generation"), format: compact, whole: true };
let positionBoard, valueChart, moveChart;
const ofPosition = new Group();

// forgetBoard removes the board and the charts of the position, which belong to a run.
function forgetBoard() {
  positionBoard = undefined;
  ofPosition.charts.length = 0;
  $("position-board").replaceChildren();
  $("position-charts").replaceChildren();
}

let questions = 0; // about positions; only the last one's answer is shown

async function consult() {
  const question = ++questions;
  const tell = (e) => ($("position-note").textContent = problemText((misasked = e)));
  tell(null);
  try {
    const answer = await ask(here.address("api/position"), { fen: $("fen").value.trim() });
    if (question !== questions) return;
    asked = answer;
    $("fen").value = asked.fen;
    showAnswer();
  } catch (e) {
    if (question === questions) tell(e);
  }
}

function showAnswer() {
  if (!asked) return;
  if (!positionBoard) {
    positionBoard = new SmallBoard(here.about.variant);
    const caption = document.createElement("p");
    caption.className = "quiet";
    $("position-board").append(positionBoard.element, caption);
    const wait = () => t("d.fill.network");
    valueChart = new Chart($("position-charts"), { file, wait, group: ofPosition, title: "d.ask.value", min: 0, max: 1, format: percent, series: [
      { key: "d.ask.score", value: (o) => o.score }] });
    moveChart = new Chart($("position-charts"), { file, wait, group: ofPosition, title: "d.ask.policy", min: 0, max: 1, format: percent, series: [] });
  }
  positionBoard.draw(asked.pieces);
  const notes = [t("d.ask.turn", { side: t(asked.turn), n: asked.legal })];
  if (asked.networks.length === 0) notes.push(t("d.ask.none"));
  if (asked.left_out > 0) notes.push(t("d.ask.left", { n: asked.left_out }));
  $("position-board").querySelector("p").textContent = notes.join(" ");
  moveChart.spec.series = asked.moves.map((name, i) => ({ name, value: (o) => o.priors[i] }));
  valueChart.show([{ rows: asked.networks }], positionAxis);
  moveChart.show([{ rows: asked.networks }], positionAxis);
}

// ---- the networks

let network = null; // what the server says of the network that is chosen

async function lookAtNetworks() {
  const run = here, { generations } = await ask(run.address("api/networks"));
  if (run !== here) return;
  const chosen = $("network").value, newest = String(here.networks.at(-1));
  here.networks = generations;
  listNetworks();
  if (chosen === newest || $("network").value === "") $("network").value = generations.at(-1);
  if (network?.run !== here || String(network.generation) !== $("network").value) await lookAtNetwork();
}

// listNetworks writes the list of networks; the chosen one stays chosen if the run still has it.
function listNetworks() {
  const chosen = $("network").value;
  const elo = new Map(here.evaluations.filter((row) => row.e.low < row.e.high).map((row) => [row.generation, row.e.elo]));
  $("network").replaceChildren(...here.networks.toReversed().map((g) =>
    new Option(elo.has(g) ? t("d.network.rated", { n: number(g), elo: whole(elo.get(g)) }) : t("d.network.of", { n: number(g) }), g)));
  $("network").value = chosen;
}

async function lookAtNetwork() {
  const run = here, generation = $("network").value;
  if (generation === "") {
    network = null;
  } else {
    const answer = await ask(run.address("api/network", { generation }));
    if (run !== here || generation !== $("network").value) return; // another one was chosen meanwhile
    network = { run, ...answer };
  }
  showNetworks();
}

function showNetworks() {
  $("network-box").hidden = !network;
  $("network-none").textContent = network ? "" : t("d.ask.none");
  $("network-problem").textContent = "";
  $("network-copied").textContent = "";
  if (!network) return;
  $("network-name").textContent = network.name;
  $("network-size").textContent = new Intl.NumberFormat(language, { style: "unit", unit: "kilobyte", maximumSignificantDigits: 4 }).format(network.bytes / 1000);
  $("network-hash").textContent = network.sha256;
  $("network-play").value = network.play;
  $("network-file").href = network.run.address("api/network/file", { generation: network.generation });
  $("network-file").download = network.name;
}

// copy puts the command into the clipboard; where the browser does not allow that, it selects it.
async function copy() {
  $("network-play").select();
  try {
    await navigator.clipboard.writeText($("network-play").value);
    $("network-copied").textContent = t("d.network.copied");
  } catch {
    $("network-copied").textContent = t("d.network.selected");
  }
}

// ---- what happens

// every runs something again and again, a time after it is done, while the page is seen and if it is wanted.
function every(pause, wanted, something) {
  const go = async () => {
    if (!document.hidden && wanted()) await something().catch(problem);
    setTimeout(go, pause());
  };
  setTimeout(go, pause());
}

async function lookAtGames() {
  const run = here, answer = await ask(run.address("api/games", { n: $("count").value }));
  if (run !== here) return;
  games = answer;
  showGames();
}

async function main() {
  also("strings/dashboard");
  $("theme").value = memory.get("dashboard.theme") ?? "auto";
  const paint = () => { document.documentElement.dataset.theme = $("theme").value; };
  paint();
  const [list] = await Promise.all([ask("api/runs"), speak(preferred(memory.get("language")))]);
  runs = list.runs.map((r, i) => new RunData(i, r));
  here = runs[0];
  for (const r of runs) if (r.variant === here.variant && r.options === here.options) lay(r);
  here.about = await ask(here.address("api/run"));
  $("language").value = language;
  $("smoothing").value = memory.get("dashboard.smoothing") ?? 0;
  makeCharts();
  smooth();
  const first = await Promise.allSettled([follow().then(lookAtNetworks), lookAtGames(), learnAbout(here)]);
  showAll();
  for (const f of first) if (f.status === "rejected") problem(f.reason);

  $("theme").addEventListener("change", () => {
    memory.set("dashboard.theme", $("theme").value);
    paint();
  });
  $("language").addEventListener("change", async () => {
    memory.set("language", $("language").value);
    await speak($("language").value);
    showAll();
  });
  $("axis").addEventListener("change", () => {
    group.range = null; // it was of another axis
    showZoom();
    showCharts();
  });
  $("smoothing").addEventListener("input", () => {
    memory.set("dashboard.smoothing", $("smoothing").value);
    smooth();
    group.draw();
  });
  $("closer").addEventListener("click", () => zoomAll(0.5));
  $("wider").addEventListener("click", () => zoomAll(2));
  $("whole").addEventListener("click", () => {
    group.zoom(null);
    $("closer").focus(); // this button is hidden now
  });
  $("run").addEventListener("change", () => choose(runs[$("run").value]).catch(problem));
  $("network").addEventListener("change", () => {
    lookAtNetwork().catch((e) => ($("network-problem").textContent = problemText(e)));
  });
  $("network-copy").addEventListener("click", copy);
  $("changed").addEventListener("change", showSettings);
  $("count").addEventListener("change", () => lookAtGames().catch(problem));
  $("position").addEventListener("submit", (e) => {
    e.preventDefault();
    consult();
  });
  $("start").addEventListener("click", () => {
    $("fen").value = "";
    consult();
  });
  let seen = false;
  new IntersectionObserver((entries) => (seen = entries.at(-1).isIntersecting)).observe($("games"));
  every(() => eventsEvery, () => true, async () => {
    if (!(await follow())) return showState();
    showNew();
    await lookAtNetworks();
  });
  every(() => (games?.live ? gamesEvery : checkpointEvery), () => seen, lookAtGames);
  await consult();
  document.body.dataset.ready = "true";
}

main().catch((e) => {
  $("problem").textContent = problemText(e);
});
