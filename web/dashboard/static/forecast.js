// Forecast: how long a run still takes, and when its strength is measured next.

const paceOver = 20; // generations

// measurePause returns the time from the last measurement to the next: as much as the run had before the last, at least a
// fifth of the period and at most all of it. measured is 0 before the first. All are in the same unit.
export const measurePause = (period, measured) => Math.min(period, Math.max(measured, period / 5));

// forecast returns { state, left, limit, due, last }, times in seconds from now:
// state is "new" (nothing is known yet), "over" (finished), "paused" (stopped before its end), "silent" (no news for so
// long that it has probably been killed), or "running"; left is the time to the end, undefined if the run has no end or
// nothing tells how fast it is; limit, { kind: "minutes", "cpu" or "generations", of }, is what ends it; due is the time to
// the next measurement, and last tells that it is the one at the end of the run.
//
// setting(key) gives a setting of the run; last is its last event; generations and evaluations are rows with
// { generation, hours, cpu }; now is the present time of the server in milliseconds; live tells that its learner answers.
export function forecast({ setting, last, generations, evaluations, now, live }) {
  if (!last) return { state: "new" };
  const limits = { minutes: Number(setting("minutes") || 0), cpu: Number(setting("cpu_minutes") || 0), generations: Number(setting("generations") || 0) };
  const every = Number(setting("evaluation.every") ?? NaN);
  if (last.event === "stop" && last.message === "finished") return { state: "over" };
  const stopped = last.event === "stop";
  const since = stopped ? 0 : Math.max(0, (now - Date.parse(last.time)) / 1000);
  const seconds = last.seconds + since;

  // The pace of the last generations, or of the run so far.
  const b = generations.at(-1), a = generations.at(-1 - paceOver) ?? (generations.length > 1 ? generations[0] : undefined);
  const from = a && a.generation < b.generation && a.hours < b.hours ? a : { generation: 0, hours: 0, cpu: 0 };
  const perGeneration = b && b.generation > from.generation ? (3600 * (b.hours - from.hours)) / (b.generation - from.generation) : NaN;
  const cpuPace = b && b.hours > from.hours ? (b.cpu - from.cpu) / (b.hours - from.hours) : (3600 * last.cpu_hours) / last.seconds;
  const sinceGeneration = b ? seconds - 3600 * b.hours : seconds;

  const left = {
    minutes: 60 * limits.minutes - seconds,
    cpu: (60 * limits.cpu - 3600 * last.cpu_hours) / cpuPace - since,
    generations: (limits.generations - last.generation) * perGeneration - sinceGeneration,
  };
  const kinds = Object.keys(limits).filter((k) => limits[k] > 0 && Number.isFinite(left[k])).sort((x, y) => left[x] - left[y]);
  const result = { state: stopped ? "paused" : "running" };
  if (kinds.length > 0) Object.assign(result, { left: Math.max(0, left[kinds[0]]), limit: { kind: kinds[0], of: limits[kinds[0]] } });
  if (!stopped && !live && since > 1800 + 5 * (perGeneration || 0)) return { state: "silent" };

  if (every > 0) {
    // A measurement follows the first generation that ends when the time has come.
    const measured = 3600 * (evaluations.at(-1)?.hours ?? 0);
    const due = measurePause(60 * every, measured) - (seconds - measured);
    const ends = perGeneration > 0 ? Math.max(1, Math.ceil((due + sinceGeneration) / perGeneration)) * perGeneration - sinceGeneration : due;
    result.due = Math.max(0, due, ends);
    result.last = result.left !== undefined && result.due > result.left;
  } else {
    result.last = every === 0;
  }
  if (result.last) result.due = result.left;
  return result;
}
