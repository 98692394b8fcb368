// Charts: lines over growing lists of rows, of one run or of several, drawn as SVG, with the values at a place that the
// pointer or the keys choose, a table of the same numbers, and a file of all of them.

import { compact, inEnglish, t } from "./language.js";

const svgNS = "http://www.w3.org/2000/svg";
const left = 44, right = 14, top = 15, bottom = 24;
const tableRows = 60;
const leastDrag = 8; // pixels

function svg(name, attributes = {}, ...children) {
  const e = document.createElementNS(svgNS, name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

function element(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

// stepOf returns a round number that goes about so many times into what lies between low and high.
function stepOf(low, high, about) {
  const raw = (high - low) / about, power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((n) => n * power).find((s) => s >= raw * 0.999);
}

// steps returns the multiples of step from low to high.
function steps(low, high, step) {
  const list = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) list.push(i * step || 0); // never minus nought
  return list;
}

// field quotes a field of a CSV file where RFC 4180 asks for it.
const field = (v) => (/[",\r\n]/.test(String(v)) ? `"${String(v).replaceAll('"', '""')}"` : String(v));

let numbering = 0;

const finite = (v) => typeof v === "number" && Number.isFinite(v);

// Group holds what charts share: the part of the axis that they show, as [from, to], null for all of it; and how much their
// lines are smoothed, in [0,1).
export class Group {
  constructor(changed = () => {}) {
    this.charts = [];
    this.range = null;
    this.smoothing = 0;
    this.changed = changed;
  }

  zoom(range) {
    this.range = range;
    this.draw();
    this.changed();
  }

  draw() {
    for (const c of this.charts) c.draw();
  }
}

// smoothed returns the exponential moving average of values, without its bias towards 0 at the beginning.
export function smoothed(values, weight) {
  let mean = 0, sum = 0;
  return values.map((v) => {
    mean = weight * mean + (1 - weight) * v;
    sum = weight * sum + (1 - weight);
    return mean / sum;
  });
}

export class Chart {
  // spec: title, the key of a text; series, a list of { key or name, value(row), and for an interval low(row), high(row) };
  // format(value); wait(), which says what will fill the chart and when; file(), the beginning of the name of its CSV file;
  // and if wanted group, min, max, height, dots, rough: true for lines that are never smoothed, marks: [{ name, value }],
  // columns: [{ name(), value(row) }] of the table instead of the series, those with { key, raw(row) } in the CSV file too,
  // after the series.
  constructor(host, spec) {
    this.spec = { height: 175, marks: [], format: compact, ...spec };
    this.group = spec.group ?? new Group();
    this.group.charts.push(this);
    this.sets = [];
    this.axis = { key: "d.axis.generation", value: (row) => row.generation, name: () => t("d.axis.generation"), format: compact };
    this.at = -1; // the chosen point, -1 for the last
    const id = `chart-${++numbering}`;
    this.clip = `${id}-clip`;
    this.caption = element("h3", { id, "data-t": spec.title });
    this.place = element("p", { class: "place" });
    this.legend = element("ul", { class: "legend" });
    this.picture = svg("svg", { "aria-hidden": "true" });
    this.plot = element("div", { class: "plot", role: "slider", tabindex: 0, "aria-labelledby": id, "aria-valuemin": 0, "aria-valuemax": 0, "aria-valuenow": 0 }, this.picture);
    this.table = element("table");
    this.scroll = element("div", { class: "scroll", tabindex: 0, role: "group", "aria-labelledby": id }, this.table);
    this.numbers = element("details", {}, element("summary", { "data-t": "d.table" }), this.scroll);
    this.numbers.addEventListener("toggle", () => this.tabulate());
    this.waiting = element("p", { class: "waits quiet" });
    this.button = element("button", { type: "button", class: "csv" });
    this.button.addEventListener("click", () => this.save());
    this.element = element("figure", { class: `chart ${spec.wide ? "wide" : ""}` },
      element("figcaption", {}, this.caption, this.place), this.waiting, this.legend, this.plot, element("div", { class: "below" }, this.numbers, this.button));
    host.append(this.element);
    this.plot.addEventListener("pointermove", (e) => this.moved(e));
    this.plot.addEventListener("pointerdown", (e) => this.pressed(e));
    this.plot.addEventListener("pointerup", (e) => this.released(e));
    this.plot.addEventListener("pointercancel", () => this.select(null));
    this.plot.addEventListener("pointerleave", () => this.choose(-1));
    this.plot.addEventListener("dblclick", () => this.group.zoom(null));
    this.plot.addEventListener("blur", () => this.choose(-1));
    this.plot.addEventListener("keydown", (e) => this.key(e));
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  // show shows sets of rows, [{ name, letter, slot, rows }], the chosen run first, over an axis { value(row), name(), unit(),
  // format }; generations have no unit. A single set needs only rows.
  show(sets, axis = this.axis) {
    this.sets = sets;
    this.axis = axis;
    this.draw();
    this.tabulate();
  }

  get several() {
    return this.sets.length > 1;
  }

  // draw draws all anew, also in another language.
  draw() {
    const { spec, axis } = this;
    for (const e of [this.caption, this.numbers.firstChild]) e.textContent = t(e.dataset.t);
    this.button.textContent = t("d.csv");
    this.button.setAttribute("aria-label", t("d.csv.label", { chart: t(spec.title) }));
    const shown = (row) => finite(axis.value(row)) && spec.series.some((s) => finite(s.value(row)));
    this.lines = this.sets.map((set) => ({ ...set, points: set.rows.filter(shown) }));
    this.lead = Math.max(0, this.lines.findIndex((line) => line.points.length > 0)); // the line whose points are chosen
    this.points = this.lines[this.lead]?.points ?? [];
    this.element.classList.toggle("empty", this.points.length === 0);
    this.wait();
    const width = Math.max(this.plot.clientWidth, 120), height = spec.height;
    this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.picture.setAttribute("height", height);

    this.margin = this.several ? right + 8 : right; // with letters at the ends of the lines
    const ends = this.lines.filter((line) => line.points.length > 0).flatMap((line) => [axis.value(line.points[0]), axis.value(line.points.at(-1))]);
    const first = ends.reduce((a, b) => Math.min(a, b), 0), last = ends.reduce((a, b) => Math.max(a, b), 0);
    this.whole = [first, last > first ? last : first + 1];
    const [from, to] = this.range = this.group.range ?? this.whole;
    this.across = (v) => left + ((v - from) / (to - from)) * (width - left - this.margin);
    this.valueAt = (x) => from + ((x - left) / (width - left - this.margin)) * (to - from);
    this.x = (row) => this.across(axis.value(row));

    const weight = spec.rough ? 0 : this.group.smoothing;
    const curves = this.lines.flatMap((line) => spec.series.map((s, i) => this.curve(line, s, i, weight)));
    const values = curves.flatMap(({ s, near }) => near.flatMap(({ row, v }) => [v, s.low?.(row), s.high?.(row)])).filter(finite);
    let low = spec.min ?? values.reduce((a, b) => Math.min(a, b), Infinity), high = spec.max ?? values.reduce((a, b) => Math.max(a, b), -Infinity);
    if (!(low < high)) [low, high] = finite(low) && finite(high) ? [Math.min(0, low), high > 0 ? high * 1.2 : 1] : [0, 1];
    const marks = spec.marks.filter((m, i) => m.value <= high || (i > 0 && spec.marks[i - 1].value <= high))
      .filter((m) => !this.group.range || m.value >= low); // far from the part that is shown
    for (const m of marks) [low, high] = [Math.min(low, m.value), Math.max(high, m.value)];
    const step = stepOf(low, high, (height - top - bottom) / 28);
    if (spec.max === undefined) high = Math.ceil(high / step - 1e-9) * step;
    if (spec.min === undefined) low = Math.floor(low / step + 1e-9) * step;
    const ticks = steps(low, high, step);
    this.y = (v) => top + (1 - (v - low) / (high - low)) * (height - top - bottom);

    const parts = [svg("clipPath", { id: this.clip }, svg("rect", { x: left - 3, y: 0, width: width - left - this.margin + 6, height }))];
    for (const v of ticks) {
      parts.push(svg("line", { class: "grid", x1: left, x2: width - this.margin, y1: this.y(v), y2: this.y(v) }),
        this.text("tick", left - 6, this.y(v) + 4, "end", spec.format(v)));
    }
    const across = stepOf(from, to, (width - left - this.margin) / 70);
    for (const v of steps(from, to, axis.whole ? Math.max(across, 1) : across)) {
      const x = this.across(v);
      parts.push(svg("line", { class: "grid", x1: x, x2: x, y1: height - bottom, y2: height - bottom + 4 }),
        this.text("tick", x, height - 6, x > width - 30 ? "end" : "middle", axis.format(v)));
    }
    for (const m of marks) {
      parts.push(svg("line", { class: "rung", x1: left, x2: width - this.margin, y1: this.y(m.value), y2: this.y(m.value) }),
        this.text("tick", left + 6, this.y(m.value) - 4, "start", m.name));
    }
    const drawn = svg("g", { "clip-path": `url(#${this.clip})` });
    for (const c of curves.reverse()) drawn.append(...this.trace(c, weight, width)); // the chosen run on top
    parts.push(drawn);
    if (this.several) {
      for (const c of curves) {
        const end = c.near.findLast(({ place }) => place <= to);
        if (end) parts.push(this.text(`letter ${this.kind(c.line, c.i)}`, this.across(end.place) + 5, this.y(end.smooth) + 4, "start", c.line.letter));
      }
    }
    this.cursor = svg("g", { class: "cursor" });
    this.selection = svg("rect", { class: "selection", y: top, height: height - top - bottom, x: left, width: 0 });
    this.picture.replaceChildren(...parts, this.cursor, this.selection);

    this.values = spec.series.map(() => this.lines.map((line) => element("b", this.several ? { class: `of ${this.kind(line, 0)}` } : {})));
    this.legend.replaceChildren(...spec.series.map((s, i) => element("li", {},
      svg("svg", { width: 26, height: 8, "aria-hidden": "true" }, svg("path", { class: `line s${i}${this.several ? " any" : ""}`, d: "M0 4h26" })),
      element("span", {}, s.name ?? t(s.key)), ...this.values[i])));
    this.plot.setAttribute("aria-valuemax", Math.max(this.points.length - 1, 0));
    this.tell();
  }

  // kind returns the classes of a series of a line: with several runs the colour is the run's, and only dashes are the
  // series'.
  kind(line, i) {
    return this.several ? `s${i} r${line.slot}` : `s${i}`;
  }

  // curve returns a series of a line: near are its points in the range and one beyond each end, as { row, place, v: value,
  // smooth: value of the smoothed line }.
  curve(line, s, i, weight) {
    const [from, to] = this.range;
    const all = line.points.filter((row) => finite(s.value(row))).map((row) => ({ row, place: this.axis.value(row), v: s.value(row) }));
    smoothed(all.map(({ v }) => v), weight).forEach((v, k) => (all[k].smooth = v));
    const begin = all.findIndex(({ place }) => place >= from), end = all.findLastIndex(({ place }) => place <= to);
    const near = begin < 0 ? all.slice(-1) : all.slice(Math.max(0, begin - 1), Math.max(end, begin) + 2);
    return { line, s, i, near };
  }

  // trace returns what is drawn of a curve.
  trace({ line, s, i, near }, weight, width) {
    const parts = [], kind = this.kind(line, i), pale = weight > 0 ? " raw" : "";
    if (s.low) {
      for (const { row } of near) {
        const x = this.x(row), a = this.y(s.low(row)), b = this.y(s.high(row));
        if (finite(a) && finite(b)) parts.push(svg("path", { class: `bars ${kind}${pale}`, d: `M${x} ${a}V${b}M${x - 4} ${a}h8M${x - 4} ${b}h8` }));
      }
    }
    const path = (value) => this.path(near.map((p) => [this.across(p.place), this.y(value(p))]), width);
    if (pale) parts.push(svg("path", { class: `line ${kind}${pale}`, d: path((p) => p.v) }));
    parts.push(svg("path", { class: `line ${kind}`, d: path((p) => p.smooth) }));
    if (near.length < 30 || this.spec.dots) for (const p of near) parts.push(svg("circle", { class: `dot ${kind}${pale}`, cx: this.across(p.place), cy: this.y(p.v), r: 2.6 }));
    return parts;
  }

  text(kind, x, y, anchor, words) {
    const e = svg("text", { class: kind, x, y, "text-anchor": anchor });
    e.textContent = words;
    return e;
  }

  // path draws points [x, y]; where they are closer than two pixels it draws their mean.
  path(points, width) {
    const buckets = new Map(), close = points.length > width / 2;
    points.forEach(([x, y], i) => {
      const key = close ? Math.round(x / 2) : i;
      const b = buckets.get(key) ?? { x: 0, y: 0, n: 0 };
      buckets.set(key, { x: b.x + x, y: b.y + y, n: b.n + 1 });
    });
    return [...buckets.values()].map((b, i) => `${i ? "L" : "M"}${(b.x / b.n).toFixed(1)} ${(b.y / b.n).toFixed(1)}`).join("");
  }

  // nearest returns the point of a list nearest to a value of the axis.
  nearest(points, v) {
    let a = 0, b = points.length - 1;
    while (a < b) {
      const m = (a + b) >> 1;
      if (this.axis.value(points[m]) < v) a = m + 1;
      else b = m;
    }
    return a > 0 && v - this.axis.value(points[a - 1]) < this.axis.value(points[a]) - v ? a - 1 : a;
  }

  // moved, pressed and released follow the pointer: it chooses a point, and what a mouse or a pen drags over is shown alone.
  moved(e) {
    const x = e.clientX - this.plot.getBoundingClientRect().left;
    this.choose(this.nearest(this.points, Math.min(Math.max(this.valueAt(x), this.range[0]), this.range[1])));
    if (this.drag !== undefined) this.select(this.drag, x);
  }

  pressed(e) {
    this.moved(e);
    if (e.button !== 0 || e.pointerType === "touch" || this.points.length === 0) return;
    this.drag = e.clientX - this.plot.getBoundingClientRect().left;
    this.plot.setPointerCapture(e.pointerId);
  }

  released(e) {
    if (this.drag === undefined) return;
    const x = [this.drag, e.clientX - this.plot.getBoundingClientRect().left].sort((a, b) => a - b);
    this.select(null);
    if (x[1] - x[0] >= leastDrag) this.zoomTo(this.valueAt(x[0]), this.valueAt(x[1]));
  }

  // select marks what is dragged over, or with null ends the dragging.
  select(from, to) {
    if (from === null) this.drag = undefined;
    const [a, b] = from === null ? [left, left] : [from, to].sort((x, y) => x - y);
    this.selection.setAttribute("x", a);
    this.selection.setAttribute("width", b - a);
  }

  // zoomTo shows a part of the axis in all charts of the group, all of it if the part is as large.
  zoomTo(from, to) {
    const [first, last] = this.whole, least = (last - first) / 2000;
    [from, to] = [Math.max(first, from), Math.min(last, to)];
    if (to - from < least) to = from + least;
    this.group.zoom(from <= first + least && to >= last - least ? null : [from, to]);
  }

  // zoomBy makes the part of the axis that is shown larger or smaller, around the chosen point.
  zoomBy(factor) {
    const [from, to] = this.range;
    const centre = this.at >= 0 ? this.axis.value(this.points[this.at]) : (from + to) / 2;
    this.zoomTo(centre - (centre - from) * factor, centre + (to - centre) * factor);
  }

  key(e) {
    if (e.ctrlKey || e.altKey || e.metaKey || this.points.length === 0) return;
    const n = this.points.length, here = this.at < 0 ? n - 1 : this.at;
    const to = { ArrowLeft: here - 1, ArrowDown: here - 1, ArrowRight: here + 1, ArrowUp: here + 1, PageDown: here - 10, PageUp: here + 10, Home: 0, End: n - 1 }[e.key];
    const factor = { "+": 0.5, "=": 0.5, "-": 2 }[e.key];
    if (to === undefined && factor === undefined && e.key !== "Escape") return;
    e.preventDefault();
    if (factor !== undefined) {
      this.zoomBy(factor);
    } else if (e.key !== "Escape") {
      this.choose(Math.min(Math.max(to, 0), n - 1));
      this.reveal(this.axis.value(this.points[this.at]));
    } else {
      this.select(null);
      this.choose(-1);
      if (this.group.range) this.group.zoom(null);
    }
  }

  // reveal moves the part of the axis that is shown, until it holds a value.
  reveal(v) {
    const [from, to] = this.range, by = v < from ? v - from : v > to ? v - to : 0;
    if (this.group.range && by !== 0) this.group.zoom([from + by, to + by]);
  }

  choose(at) {
    this.at = at;
    this.tell();
  }

  // beside returns the point of a line at the place of a row of another; undefined where the line has not come or begun.
  beside(line, row) {
    const v = this.axis.value(row), near = line.points[this.nearest(line.points, v)];
    if (!near) return undefined;
    const far = (this.range[1] - this.range[0]) / 20;
    return v > this.axis.value(line.points.at(-1)) + far || v < this.axis.value(line.points[0]) - far ? undefined : near;
  }

  // tell shows the values at the chosen point.
  tell() {
    const { spec, axis, points } = this;
    const i = this.at < 0 || this.at >= points.length ? points.length - 1 : this.at, row = points[i];
    this.cursor?.replaceChildren();
    if (!row) {
      this.place.textContent = t("d.none");
      this.plot.setAttribute("aria-valuetext", t("d.none"));
      return;
    }
    const place = axis.unit
      ? t("d.place", { generation: row.generation, at: axis.format(axis.value(row)), axis: axis.unit() })
      : t("d.place.generation", { generation: row.generation });
    this.place.textContent = place;
    const said = [];
    const chosen = this.lines.map((line, l) => (l === this.lead ? row : this.at < 0 ? line.points.at(-1) : this.beside(line, row)));
    spec.series.forEach((s, k) => this.lines.forEach((line, l) => {
      const o = chosen[l], v = o && s.value(o), known = finite(v);
      let words = known ? spec.format(v) : "–";
      if (known && s.low) words = t("d.interval", { value: words, low: spec.format(s.low(o)), high: spec.format(s.high(o)) });
      this.values[k][l].textContent = this.several ? `${line.letter} ${words}` : words;
      if (known) said.push(`${s.name ?? t(s.key)}${this.several ? `, ${line.name}:` : ""} ${words}`);
      if (known && this.at >= 0) this.cursor.append(svg("circle", { class: `dot ${this.kind(line, k)}`, cx: this.x(o), cy: this.y(v), r: 4 }));
    }));
    if (this.at >= 0) this.cursor.prepend(svg("line", { x1: this.x(row), x2: this.x(row), y1: top, y2: spec.height - bottom }));
    this.plot.setAttribute("aria-valuenow", i);
    this.plot.setAttribute("aria-valuetext", `${place}: ${said.join(", ")}`);
  }

  // wait says what an empty chart waits for.
  wait() {
    const words = this.points?.length === 0 ? this.spec.wait() : "";
    if (this.waiting.textContent !== words) this.waiting.textContent = words;
  }

  // csv returns all points in the columns run, if there are several, generation, place on the axis, and the series with their
  // intervals: numbers as programs write them, under English names.
  csv() {
    const { spec, axis } = this;
    const columns = [{ name: inEnglish("d.generation"), value: (row) => row.generation }];
    if (this.several) columns.unshift({ name: inEnglish("d.run"), value: (row, line) => line.name });
    if (axis.key !== "d.axis.generation") columns.push({ name: inEnglish(axis.key), value: axis.value });
    for (const s of spec.series) {
      const name = s.name ?? inEnglish(s.key);
      columns.push({ name, value: s.value });
      if (s.low) columns.push({ name: `${name}, low`, value: (row) => (s.value(row) === undefined ? "" : s.low(row)) }, { name: `${name}, high`, value: (row) => (s.value(row) === undefined ? "" : s.high(row)) });
    }
    for (const c of spec.columns ?? []) if (c.raw) columns.push({ name: inEnglish(c.key), value: c.raw });
    return [columns.map((c) => c.name), ...this.lines.flatMap((line) => line.points.map((row) => columns.map((c) => c.value(row, line) ?? "")))]
      .map((line) => line.map(field).join(",") + "\r\n").join("");
  }

  // save gives the browser the CSV file.
  save() {
    const address = URL.createObjectURL(new Blob([this.csv()], { type: "text/csv" }));
    element("a", { href: address, download: `${this.spec.file()}-${this.spec.title.replace("d.", "").replaceAll(".", "-")}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  // tabulate writes the table, if it is open: some of the rows where there are many, the last among them.
  tabulate() {
    if (!this.numbers.open) return;
    const { spec, axis } = this, rows = [];
    for (const line of this.lines) {
      const n = line.points.length, some = Math.min(n, Math.ceil(tableRows / this.lines.length));
      for (let i = some - 1; i >= 0; i--) rows.push([line, line.points[some === n ? i : Math.round((i * (n - 1)) / (some - 1))]]);
    }
    const columns = spec.columns ?? spec.series.map((s) => ({ name: () => s.name ?? t(s.key), value: (row) => (Number.isFinite(s.value(row)) ? spec.format(s.value(row)) : "") }));
    const head = [t("d.generation"), axis.name(), ...columns.map((c) => c.name())];
    if (this.several) head.splice(1, 0, t("d.run"));
    this.table.replaceChildren(
      element("thead", {}, element("tr", {}, ...head.map((words) => element("th", { scope: "col" }, words)))),
      element("tbody", {}, ...rows.map(([line, row]) => element("tr", {},
        element("th", { scope: "row" }, String(row.generation)), ...(this.several ? [element("td", {}, line.name)] : []),
        element("td", {}, axis.format(axis.value(row))), ...columns.map((c) => element("td", {}, c.value(row)))))));
  }
}
