// Runs: what the server says of each, and what their metrics have brought so far.

export class RunData {
  // index is that of the server; about has the name, the variant and its options.
  constructor(index, about) {
    Object.assign(this, { index, ...about });
    this.about = null; // what the server says of it alone: the board of its variant, the ladder
    this.settings = [];
    this.networks = []; // generations
    this.workers = null;
    this.skew = 0; // milliseconds by which the server's clock is ahead
    this.phase = { name: "" };
    this.clear();
  }

  clear() {
    this.next = 0; // place in the metrics
    this.generations = []; // { generation, cpu, hours, rows, games, p: what the generation did }
    this.evaluations = []; // the same, with e: the rating
    this.log = []; // events for people
    this.last = null; // event
  }

  // address returns the address of a request about the run.
  address(path, query = {}) {
    const q = new URLSearchParams(this.index === 0 ? query : { run: this.index, ...query }).toString();
    return q ? `${path}?${q}` : path;
  }

  setting(key) {
    return this.settings.find((s) => s.key === key)?.value;
  }

  get stopped() {
    return this.last?.event === "stop";
  }

  // now returns the present time by the server's clock, in milliseconds.
  now() {
    return Date.now() + this.skew;
  }

  // follow asks for what is new in the metrics, all of it, and returns whether something is.
  async follow(ask) {
    let fresh = false;
    for (;;) {
      const answer = await ask(this.address("api/events", { from: this.next }));
      this.phase = answer.phase;
      this.workers = answer.workers;
      this.skew = Date.parse(answer.now) - Date.now();
      if (answer.next < this.next) { // the file has become shorter: another run
        this.clear();
        fresh = true;
        continue;
      }
      for (const e of answer.events) this.take(e);
      fresh ||= answer.events.length > 0;
      if (answer.next === this.next) return fresh;
      this.next = answer.next;
    }
  }

  // take keeps an event. What a killed process had measured and the next one did again is replaced.
  take(e) {
    this.last = e;
    const before = this.generations.at(-1)?.p;
    const row = {
      generation: e.generation, cpu: e.cpu_hours, hours: e.seconds / 3600,
      rows: e.progress?.rows ?? before?.rows ?? 0, games: e.progress?.games ?? before?.games ?? 0,
    };
    const keep = (list, part) => {
      while (list.at(-1)?.generation >= row.generation) list.pop();
      list.push({ ...row, ...part });
    };
    if (e.progress) keep(this.generations, { p: e.progress });
    else if (e.evaluation) keep(this.evaluations, { e: e.evaluation });
    else this.log.push(e);
  }
}
