// Charts: lines over a growing list of rows, drawn as SVG. Pointer and keys choose a point whose
// values are shown. A table has the same numbers.

import { compact, t } from "./language.js";

const svgNS = "http://www.w3.org/2000/svg";
const left = 44, right = 14, top = 15, bottom = 24;
const tableRows = 60;

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

// stepOf returns a round step that divides the range from low to high into `about` parts, roughly.
function stepOf(low, high, about) {
  const raw = (high - low) / about, power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((n) => n * power).find((s) => s >= raw * 0.999);
}

// steps returns the multiples of step from low to high.
function steps(low, high, step) {
  const list = [];
  // || 0 turns -0 into 0.
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) list.push(i * step || 0);
  return list;
}

let numbering = 0;

export class Chart {
  // spec: title, a text's key; series: [{ key or name, value(row), for an interval low(row),
  // high(row) }]; format(value). Optional: min, max, height, dots, marks: [{ name, value }],
  // columns: [{ name(), value(row) }] of the table instead of the series.
  constructor(host, spec) {
    this.spec = { height: 175, marks: [], format: compact, ...spec };
    this.rows = [];
    this.axis = { value: (row) => row.generation, name: () => t("d.axis.generation"), format: compact };
    this.at = -1; // the chosen point, -1 for the last
    const id = `chart-${++numbering}`;
    this.caption = element("h3", { id, "data-t": spec.title });
    this.place = element("p", { class: "place" });
    this.legend = element("ul", { class: "legend" });
    this.picture = svg("svg", { "aria-hidden": "true" });
    this.plot = element("div", { class: "plot", role: "slider", tabindex: 0, "aria-labelledby": id, "aria-valuemin": 0, "aria-valuemax": 0, "aria-valuenow": 0 }, this.picture);
    this.table = element("table");
    this.scroll = element("div", { class: "scroll", tabindex: 0, role: "group", "aria-labelledby": id }, this.table);
    this.numbers = element("details", {}, element("summary", { "data-t": "d.table" }), this.scroll);
    this.numbers.addEventListener("toggle", () => this.tabulate());
    this.element = element("figure", { class: `chart ${spec.wide ? "wide" : ""}` },
      element("figcaption", {}, this.caption, this.place), this.legend, this.plot, this.numbers);
    host.append(this.element);
    this.plot.addEventListener("pointermove", (e) => this.choose(this.nearest(e.clientX - this.plot.getBoundingClientRect().left)));
    this.plot.addEventListener("pointerdown", (e) => this.choose(this.nearest(e.clientX - this.plot.getBoundingClientRect().left)));
    this.plot.addEventListener("pointerleave", () => this.choose(-1));
    this.plot.addEventListener("blur", () => this.choose(-1));
    this.plot.addEventListener("keydown", (e) => this.key(e));
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  // show shows rows over an axis { value(row), name(), unit(), format }; unit is optional.
  show(rows, axis = this.axis) {
    this.rows = rows;
    this.axis = axis;
    this.draw();
    this.tabulate();
  }

  // draw draws everything again, for instance in another language.
  draw() {
    const { spec, axis } = this;
    for (const e of [this.caption, this.numbers.firstChild]) e.textContent = t(e.dataset.t);
    const finite = (v) => typeof v === "number" && Number.isFinite(v);
    this.points = this.rows.filter((row) => finite(axis.value(row)) && spec.series.some((s) => finite(s.value(row))));
    this.element.classList.toggle("empty", this.points.length === 0);
    const width = Math.max(this.plot.clientWidth, 120), height = spec.height;
    this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.picture.setAttribute("height", height);

    const values = this.points.flatMap((row) => spec.series.flatMap((s) => [s.value(row), s.low?.(row), s.high?.(row)])).filter(finite);
    let low = spec.min ?? values.reduce((a, b) => Math.min(a, b), Infinity), high = spec.max ?? values.reduce((a, b) => Math.max(a, b), -Infinity);
    if (!(low < high)) [low, high] = finite(low) && finite(high) ? [Math.min(0, low), high > 0 ? high * 1.2 : 1] : [0, 1];
    const marks = spec.marks.filter((m, i) => m.value <= high || (i > 0 && spec.marks[i - 1].value <= high));
    for (const m of marks) [low, high] = [Math.min(low, m.value), Math.max(high, m.value)];
    const step = stepOf(low, high, (height - top - bottom) / 28);
    if (spec.max === undefined) high = Math.ceil(high / step - 1e-9) * step;
    if (spec.min === undefined) low = Math.floor(low / step + 1e-9) * step;
    const ticks = steps(low, high, step);
    const first = this.points.length ? Math.min(0, axis.value(this.points[0])) : 0;
    const last = this.points.length ? axis.value(this.points.at(-1)) : 1;
    const end = last > first ? last : first + 1;
    this.x = (row) => left + ((axis.value(row) - first) / (end - first)) * (width - left - right);
    this.y = (v) => top + (1 - (v - low) / (high - low)) * (height - top - bottom);

    const parts = [];
    for (const v of ticks) {
      parts.push(svg("line", { class: "grid", x1: left, x2: width - right, y1: this.y(v), y2: this.y(v) }),
        this.text("tick", left - 6, this.y(v) + 4, "end", spec.format(v)));
    }
    const across = stepOf(first, end, (width - left - right) / 70);
    for (const v of steps(first, end, axis.whole ? Math.max(across, 1) : across)) {
      const x = left + ((v - first) / (end - first)) * (width - left - right);
      parts.push(svg("line", { class: "grid", x1: x, x2: x, y1: height - bottom, y2: height - bottom + 4 }),
        this.text("tick", x, height - 6, x > width - 30 ? "end" : "middle", axis.format(v)));
    }
    for (const m of marks) {
      parts.push(svg("line", { class: "rung", x1: left, x2: width - right, y1: this.y(m.value), y2: this.y(m.value) }),
        this.text("tick", left + 6, this.y(m.value) - 4, "start", m.name));
    }
    spec.series.forEach((s, i) => {
      const points = this.points.filter((row) => finite(s.value(row)));
      if (s.low) {
        for (const row of points) {
          const x = this.x(row), a = this.y(s.low(row)), b = this.y(s.high(row));
          if (finite(a) && finite(b)) parts.push(svg("path", { class: `bars s${i}`, d: `M${x} ${a}V${b}M${x - 4} ${a}h8M${x - 4} ${b}h8` }));
        }
      }
      parts.push(svg("path", { class: `line s${i}`, d: this.path(points, s, width) }));
      if (points.length < 30 || spec.dots) for (const row of points) parts.push(svg("circle", { class: `dot s${i}`, cx: this.x(row), cy: this.y(s.value(row)), r: 2.6 }));
    });
    this.cursor = svg("g", { class: "cursor" });
    this.picture.replaceChildren(...parts, this.cursor);

    this.values = spec.series.map(() => element("b"));
    this.legend.replaceChildren(...spec.series.map((s, i) => element("li", {},
      svg("svg", { width: 26, height: 8, "aria-hidden": "true" }, svg("path", { class: `line s${i}`, d: "M0 4h26" })),
      element("span", {}, s.name ?? t(s.key)), this.values[i])));
    this.plot.setAttribute("aria-valuemax", Math.max(this.points.length - 1, 0));
    this.tell();
  }

  text(kind, x, y, anchor, words) {
    const e = svg("text", { class: kind, x, y, "text-anchor": anchor });
    e.textContent = words;
    return e;
  }

  // path returns the path of a series. Points closer than two pixels are replaced by their mean.
  path(points, s, width) {
    const buckets = new Map(), close = points.length > width / 2;
    points.forEach((row, i) => {
      const key = close ? Math.round(this.x(row) / 2) : i;
      const b = buckets.get(key) ?? { x: 0, y: 0, n: 0 };
      buckets.set(key, { x: b.x + this.x(row), y: b.y + this.y(s.value(row)), n: b.n + 1 });
    });
    return [...buckets.values()].map((b, i) => `${i ? "L" : "M"}${(b.x / b.n).toFixed(1)} ${(b.y / b.n).toFixed(1)}`).join("");
  }

  // nearest returns the index of the point nearest to x on the plot.
  nearest(x) {
    let a = 0, b = this.points.length - 1;
    while (a < b) {
      const m = (a + b) >> 1;
      if (this.x(this.points[m]) < x) a = m + 1;
      else b = m;
    }
    return a > 0 && x - this.x(this.points[a - 1]) < this.x(this.points[a]) - x ? a - 1 : a;
  }

  key(e) {
    const n = this.points.length, here = this.at < 0 ? n - 1 : this.at;
    const to = { ArrowLeft: here - 1, ArrowDown: here - 1, ArrowRight: here + 1, ArrowUp: here + 1, PageDown: here - 10, PageUp: here + 10, Home: 0, End: n - 1, Escape: -1 }[e.key];
    if (to === undefined || e.ctrlKey || e.altKey || e.metaKey || n === 0) return;
    e.preventDefault();
    this.choose(e.key === "Escape" ? -1 : Math.min(Math.max(to, 0), n - 1));
  }

  choose(at) {
    this.at = at;
    this.tell();
  }

  // tell shows the values of the chosen point.
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
    spec.series.forEach((s, k) => {
      const v = s.value(row), known = typeof v === "number" && Number.isFinite(v);
      let words = known ? spec.format(v) : "–";
      if (known && s.low) words = t("d.interval", { value: words, low: spec.format(s.low(row)), high: spec.format(s.high(row)) });
      this.values[k].textContent = words;
      if (known) said.push(`${s.name ?? t(s.key)} ${words}`);
      if (known && this.at >= 0) this.cursor.append(svg("circle", { class: `dot s${k}`, cx: this.x(row), cy: this.y(v), r: 4 }));
    });
    if (this.at >= 0) this.cursor.prepend(svg("line", { x1: this.x(row), x2: this.x(row), y1: top, y2: spec.height - bottom }));
    this.plot.setAttribute("aria-valuenow", i);
    this.plot.setAttribute("aria-valuetext", `${place}: ${said.join(", ")}`);
  }

  // tabulate fills the table, if it is open: a selection of the rows if there are many, the last
  // included.
  tabulate() {
    if (!this.numbers.open) return;
    const { spec, axis, points } = this;
    const n = points.length, some = Math.min(n, tableRows), rows = [];
    for (let i = 0; i < some; i++) rows.push(points[some === n ? i : Math.round((i * (n - 1)) / (some - 1))]);
    const columns = spec.columns ?? spec.series.map((s) => ({ name: () => s.name ?? t(s.key), value: (row) => (Number.isFinite(s.value(row)) ? spec.format(s.value(row)) : "") }));
    const head = [t("d.generation"), axis.name(), ...columns.map((c) => c.name())];
    this.table.replaceChildren(
      element("thead", {}, element("tr", {}, ...head.map((words) => element("th", { scope: "col" }, words)))),
      element("tbody", {}, ...rows.reverse().map((row) => element("tr", {},
        element("th", { scope: "row" }, String(row.generation)), element("td", {}, axis.format(axis.value(row))),
        ...columns.map((c) => element("td", {}, c.value(row)))))));
  }
}
