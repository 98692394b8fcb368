// The dashboard: a run's metrics, its games, and its networks' evaluations of a position.

import { Chart } from "./chart.js";
import { also, compact, has, language, number, percent, preferred, speak, t } from "./language.js";
import { SmallBoard, count } from "./small.js";

const $ = (id) => document.getElementById(id);
const memory = {
  get: (key) => { try { return localStorage.getItem(key); } catch { return null; } },
  set: (key, value) => { try { localStorage.setItem(key, value); } catch { /* a private window */ } },
};
const eventsEvery = 3000, gamesEvery = 1000, checkpointEvery = 10000; // milliseconds

let run; // its name, variant and ladder
let next = 0; // offset of the next events in the metrics
let phase = { name: "" };
let settings = [];
let asked = null; // the last answer about a position
let failing = false;
const generations = []; // { generation, cpu, hours, rows, p: its event }
const evaluations = []; // { generation, cpu, hours, rows, e: the rating }
const log = []; // events to list
let last = null; // event

// ---- the server

async function ask(path, body) {
  let answer;
  try {
    answer = await fetch(path, body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  } catch {
    throw Object.assign(new Error(t("problem.offline")), { code: "offline" });
  }
  const json = await answer.json().catch(() => ({}));
  if (!answer.ok) throw Object.assign(new Error(json.error?.text ?? answer.statusText), { code: json.error?.code ?? "failed" });
  return json;
}

const problemText = (e) => (language !== "en" && has("d.problem." + e.code) ? t("d.problem." + e.code) : e.message);

// problem shows that the server does not answer, and clears that when it does.
function problem(e) {
  failing = Boolean(e);
  $("problem").textContent = e ? problemText(e) : "";
  showState();
}

// follow reads all new events of the metrics.
async function follow() {
  let fresh = false;
  for (;;) {
    const answer = await ask(`api/events?from=${next}`);
    phase = answer.phase;
    showWorkers(answer.workers);
    if (answer.next < next) { // the file has become shorter: another run
      for (const list of [generations, evaluations, log]) list.length = 0;
      next = 0;
      fresh = true;
      continue;
    }
    for (const e of answer.events) take(e);
    fresh ||= answer.events.length > 0;
    if (answer.next === next) break;
    next = answer.next;
  }
  if (failing) problem(null);
  return fresh;
}

// take stores an event. It replaces that of a killed process if the next process repeats the work.
function take(e) {
  last = e;
  const row = { generation: e.generation, cpu: e.cpu_hours, hours: e.seconds / 3600, rows: e.progress?.rows ?? generations.at(-1)?.p.rows ?? 0 };
  if (e.progress) {
    while (generations.at(-1)?.generation >= row.generation) generations.pop();
    generations.push({ ...row, p: e.progress });
  } else if (e.evaluation) {
    while (evaluations.at(-1)?.generation >= row.generation) evaluations.pop();
    evaluations.push({ ...row, e: e.evaluation });
  } else {
    log.push(e);
  }
}

// ---- charts

const axes = {
  cpu: { value: (row) => row.cpu, name: () => t("d.axis.cpu"), unit: () => t("d.unit.cpu"), format: compact },
  hours: { value: (row) => row.hours, name: () => t("d.axis.hours"), unit: () => t("d.unit.hours"), format: compact },
  generation: { value: (row) => row.generation, name: () => t("d.axis.generation"), format: compact, whole: true },
  rows: { value: (row) => row.rows, name: () => t("d.axis.rows"), unit: () => t("d.unit.rows"), format: compact, whole: true },
};

const of = (key, value) => ({ key, value: (row) => value(row.p) });
const heldout = (key, value) => of(key, (p) => (p.heldout_rows > 0 ? value(p) : undefined));
// Without an opponent of known Elo there is no rating.
const rated = (row, value) => (row.e.low < row.e.high ? value : undefined);
const whole = (n) => number(Math.round(n));
const record = (g) => (g ? `+${g.wins} =${g.draws} −${g.losses}` : "");

let eloChart;
const charts = [];

function makeCharts() {
  const host = $("charts");
  eloChart = new Chart(host, {
    title: "d.elo", wide: true, height: 300, format: whole, dots: true,
    marks: run.marks.map((m) => ({ name: m.name, value: m.elo })),
    series: [{ key: "d.elo.network", value: (row) => rated(row, row.e.elo), low: (row) => row.e.low, high: (row) => row.e.high }],
    columns: [
      { name: () => t("d.elo.short"), value: (row) => (row.e.low < row.e.high ? t("d.interval", { value: whole(row.e.elo), low: whole(row.e.low), high: whole(row.e.high) }) : "") },
      { name: () => t("d.visits"), value: (row) => number(row.e.visits) },
      { name: () => t("d.matches"), value: (row) => (row.e.rungs ?? []).map((g) => `${g.rung} ${record(g)}`).join(", ") },
      { name: () => t("d.gate"), value: (row) => record(row.e.gate) },
    ],
  });
  const make = (spec) => charts.push(new Chart(host, spec));
  make({ title: "d.policy", series: [
    heldout("d.heldout", (p) => p.heldout_policy_loss || undefined), of("d.batches", (p) => p.policy_loss || undefined), heldout("d.target", (p) => p.heldout_target_entropy || undefined)] });
  make({ title: "d.value.loss", series: [
    heldout("d.heldout", (p) => p.heldout_value_loss), of("d.batches", (p) => p.value_loss), heldout("d.material", (p) => p.heldout_material_loss)] });
  make({ title: "d.results", min: 0, max: 1, format: percent, series: [
    of("d.white", (p) => p.white), of("d.draws", (p) => p.draws), of("d.black", (p) => p.black), of("d.limited", (p) => p.limited)] });
  make({ title: "d.length", min: 0, series: [of("d.plies", (p) => p.length)] });
  make({ title: "d.entropy", min: 0, series: [of("d.entropy.target", (p) => p.entropy), of("d.kl", (p) => p.kl)] });
  make({ title: "d.simulations", min: 0, series: [of("d.sims", (p) => p.sims_per_second)] });
  make({ title: "d.rows", min: 0, series: [of("d.rows.played", (p) => p.rows_per_second)] });
  make({ title: "d.gamesrate", min: 0, series: [of("d.games.played", (p) => p.games_per_second)] });
  make({ title: "d.window", min: 0, series: [of("d.window.rows", (p) => p.window), of("d.rows.all", (p) => p.rows)] });
  make({ title: "d.generations", min: 0, format: whole, series: [{ key: "d.generations.published", value: (row) => row.generation }] });
  make({ title: "d.time", min: 0, series: [of("d.time.play", (p) => p.play_seconds), of("d.time.train", (p) => p.train_seconds), of("d.time.other", (p) => p.other_seconds)] });
  make({ title: "d.use", min: 0, max: 1, format: percent, series: [
    of("d.busy.play", (p) => p.play_busy), of("d.busy.train", (p) => p.train_busy), of("d.distinct", (p) => p.distinct)] });
  make({ title: "d.learning", min: 0, series: [of("d.learning.factor", (p) => p.learning_rate_factor)] });
  make({ title: "d.gradient", min: 0, series: [of("d.gradient.norm", (p) => p.gradient_norm)] });
}

function showCharts() {
  const axis = axes[$("axis").value];
  eloChart.show(evaluations, axis);
  for (const c of charts) c.show(generations, axis);
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
  const stopped = last?.event === "stop";
  const state = failing ? "gone" : stopped ? (["finished", "interrupted"].includes(last.message) ? "stopped" : "failed") : last ? "running" : "new";
  // Only a change is written, because a screen reader reads it out each time.
  if ($("now").dataset.state !== state || $("now").lang !== language) {
    $("now").dataset.state = state;
    $("now").lang = language;
    $("now").textContent = t("d.now." + state);
  }
  const doing = state === "running" && phase.name !== "";
  $("phase").textContent = doing ? t("d.phase." + phase.name, { done: number(phase.done), of: number(phase.of) }) : "";
  $("progress").hidden = !doing || phase.of === 0;
  if (!$("progress").hidden) {
    $("progress").max = phase.of;
    $("progress").value = phase.done;
    $("progress").setAttribute("aria-label", $("phase").textContent);
  }
  $("heard").textContent = last ? t("d.heard", { ago: ago(Math.max(0, (Date.now() - Date.parse(last.time)) / 1000)) }) : "";
}

function showFigures() {
  const g = generations.at(-1)?.p, e = evaluations.findLast((row) => row.e.low < row.e.high)?.e;
  const figures = [
    ["d.elo.short", e ? whole(e.elo) : "–", e ? t("d.figure.elo", { low: whole(e.low), high: whole(e.high), generation: e.generation }) : t("d.unmeasured")],
    ["d.generation", last ? number(last.generation) : "–", g ? t("d.figure.steps", { n: number(g.steps) }) : ""],
    ["d.figure.games", g ? number(g.games) : "–", g ? t("d.figure.rows", { n: number(g.rows) }) : ""],
    ["d.figure.window", g ? compact(g.window) : "–", g ? t("d.figure.passes", { n: compact(g.passes) }) : ""],
    ["d.figure.clock", last ? duration(last.seconds) : "–", last ? t("d.figure.cpu", { n: compact(last.cpu_hours) }) : ""],
    ["d.figure.sims", g ? compact(g.sims_per_second) : "–", g ? t("d.figure.visits", { visits: number(g.visits) }) : ""],
    ["d.figure.games.rate", g ? compact(g.games_per_second) : "–", g ? t("d.figure.rows.rate", { n: compact(g.rows_per_second) }) : ""],
    ["d.figure.memory", g ? t("d.megabytes", { n: compact(g.resident_bytes / 1e6) }) : "–", g ? t("d.figure.rate", { n: compact(g.learning_rate_factor) }) : ""],
  ];
  $("figures").replaceChildren(...figures.map(([key, value, note]) => {
    const box = document.createElement("div"), name = document.createElement("dt"), big = document.createElement("dd"), small = document.createElement("dd");
    name.textContent = t(key);
    big.textContent = value;
    big.className = "big";
    small.textContent = note;
    small.className = "quiet";
    box.append(name, big, small);
    return box;
  }));
}

// showWorkers shows the remote workers of the run; nothing if none can join.
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
  const g = generations.at(-1)?.p, reasons = Object.entries(g?.reasons ?? {}).sort((a, b) => b[1] - a[1]);
  const all = reasons.reduce((sum, [, n]) => sum + n, 0);
  $("endings").tBodies[0].replaceChildren(...reasons.map(([reason, n]) => cells("td", has("reason." + reason) ? t("reason." + reason) : reason, number(n), percent(n / all))));
}

function showLog() {
  const when = new Intl.DateTimeFormat(language, { dateStyle: "short", timeStyle: "medium" });
  $("log").replaceChildren(...log.slice(-50).reverse().map((e) => {
    const item = document.createElement("li"), time = document.createElement("time");
    time.dateTime = e.time;
    time.textContent = when.format(new Date(e.time));
    const more = e.event === "stop" && e.message === "finished" ? "" : e.message;
    item.append(time, ` ${t("d.event." + e.event)}${more ? `: ${more}` : ""}`);
    if (e.event === "warning") item.className = "alarm";
    return item;
  }));
}

// originText returns the origin of a value in the page's language.
function originText(origin) {
  const [, kind, rest] = /^(default|preset|file|environment|flag|board of)(.*)$/.exec(origin) ?? [];
  return kind ? t("d.origin." + kind.split(" ")[0]) + rest : origin;
}

function showSettings() {
  const shown = settings.filter((s) => !$("changed").checked || s.origin !== "default");
  $("settings").tBodies[0].replaceChildren(...shown.map((s) => cells("td", s.key, s.value, originText(s.origin))));
}

// showAll shows everything again, for instance in another language.
function showAll() {
  const name = has("variant." + run.variant.name) ? t("variant." + run.variant.name) : run.variant.name;
  document.title = `${run.name} – Damier`;
  $("title").textContent = `${run.name} · ${name}${run.options ? ` (${run.options})` : ""}`;
  showNew();
  showSettings();
  showGames();
  showAnswer();
}

// showNew shows the new events.
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

function bar(wdl) {
  const e = document.createElement("span");
  e.className = "wdlbar";
  for (const [i, name] of ["w", "d", "b"].entries()) {
    const part = document.createElement("i");
    part.className = name;
    part.style.flexBasis = `${100 * (wdl?.[i] ?? (i === 1 ? 1 : 0))}%`;
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
      const small = new SmallBoard(run.variant), caption = document.createElement("span");
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
    b.caption.textContent = t("d.ply", { n: g.ply }) + (g.wdl ? " · " + t("d.expects", { score: percent(g.wdl[0] + g.wdl[1] / 2) }) : "");
    b.button.replaceChildren(b.small.element, bar(g.wdl), b.caption);
    const [men, kings, theirs, theirKings] = count(g.pieces);
    b.button.setAttribute("aria-label", t("d.game.label", { n: i + 1, ply: g.ply, white: side(men, kings), black: side(theirs, theirKings), caption: b.caption.textContent }));
  });
}

// ---- a position

const positionAxis = { value: (row) => row.generation, name: () => t("d.axis.generation"), format: compact, whole: true };
let positionBoard, valueChart, moveChart;

let questions = 0; // requests about positions; only the latest one's answer is shown

async function consult() {
  const question = ++questions;
  $("position-note").textContent = "";
  try {
    const answer = await ask("api/position", { fen: $("fen").value.trim() });
    if (question !== questions) return;
    asked = answer;
    $("fen").value = asked.fen;
    showAnswer();
  } catch (e) {
    if (question === questions) $("position-note").textContent = problemText(e);
  }
}

function showAnswer() {
  if (!asked) return;
  if (!positionBoard) {
    positionBoard = new SmallBoard(run.variant);
    const caption = document.createElement("p");
    caption.className = "quiet";
    $("position-board").append(positionBoard.element, caption);
    valueChart = new Chart($("position-charts"), { title: "d.ask.value", min: 0, max: 1, format: percent, series: [
      { key: "d.white", value: (o) => o.wdl[0] }, { key: "d.draws", value: (o) => o.wdl[1] }, { key: "d.black", value: (o) => o.wdl[2] }] });
    moveChart = new Chart($("position-charts"), { title: "d.ask.policy", min: 0, max: 1, format: percent, series: [] });
  }
  positionBoard.draw(asked.pieces);
  const notes = [t("d.ask.turn", { side: t(asked.turn), n: asked.legal })];
  if (asked.networks.length === 0) notes.push(t("d.ask.none"));
  if (asked.left_out > 0) notes.push(t("d.ask.left", { n: asked.left_out }));
  $("position-board").querySelector("p").textContent = notes.join(" ");
  moveChart.spec.series = asked.moves.map((name, i) => ({ name, value: (o) => o.priors[i] }));
  valueChart.show(asked.networks, positionAxis);
  moveChart.show(asked.networks, positionAxis);
}

// ---- what happens

// every runs a function repeatedly, with a pause after each run, while the page is visible and the
// function is wanted.
function every(pause, wanted, something) {
  const go = async () => {
    if (!document.hidden && wanted()) await something().catch(problem);
    setTimeout(go, pause());
  };
  setTimeout(go, pause());
}

async function lookAtGames() {
  games = await ask(`api/games?n=${$("count").value}`);
  showGames();
}

async function main() {
  also("strings/dashboard");
  $("theme").value = memory.get("dashboard.theme") ?? "auto";
  const paint = () => { document.documentElement.dataset.theme = $("theme").value; };
  paint();
  [run] = await Promise.all([ask("api/run"), speak(preferred(memory.get("language")))]);
  $("language").value = language;
  makeCharts();
  const first = await Promise.allSettled([follow(), lookAtGames(), ask("api/settings").then((answer) => (settings = answer.settings))]);
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
  $("axis").addEventListener("change", showCharts);
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
  every(() => eventsEvery, () => true, async () => ((await follow()) ? showNew() : showState()));
  every(() => (games?.live ? gamesEvery : checkpointEvery), () => seen, lookAtGames);
  await consult();
  document.body.dataset.ready = "true";
}

main().catch((e) => {
  $("problem").textContent = e.message;
});
