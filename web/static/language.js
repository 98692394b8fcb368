// The texts of the page: one file of strings for each language; English is the fallback.

let strings = {}, english = {};
export let language = "en";

const languages = ["en", "fr", "nl"];

const folders = ["strings"];

// also adds a folder with texts of a page; call it before speak.
export const also = (folder) => folders.push(folder);

async function load(name) {
  const parts = folders.map(async (folder) => {
    const answer = await fetch(`${folder}/${name}.json`);
    if (!answer.ok) throw new Error(`${folder}/${name}.json: ${answer.status}`);
    return answer.json();
  });
  return Object.assign({}, ...(await Promise.all(parts)));
}

// preferred returns the chosen language, or the browser's first language that has texts.
export function preferred(chosen) {
  if (languages.includes(chosen)) return chosen;
  for (const name of navigator.languages ?? []) {
    const short = name.slice(0, 2).toLowerCase();
    if (languages.includes(short)) return short;
  }
  return "en";
}

// speak loads a language and sets the page's texts.
export async function speak(name) {
  if (Object.keys(english).length === 0) english = await load("en");
  strings = name === "en" ? english : await load(name);
  language = name;
  document.documentElement.lang = name;
  for (const e of document.querySelectorAll("[data-t]")) e.textContent = t(e.dataset.t);
  for (const e of document.querySelectorAll("[data-t-label]")) e.setAttribute("aria-label", t(e.dataset.tLabel));
  for (const e of document.querySelectorAll("[data-t-placeholder]")) e.placeholder = t(e.dataset.tPlaceholder);
  for (const e of document.querySelectorAll("[data-t-title]")) e.title = t(e.dataset.tTitle);
}

// t returns a text with {name} replaced by values.
export function t(key, values = {}) {
  const text = strings[key] ?? english[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
}

// has reports whether a text with a key exists.
export const has = (key) => key in strings || key in english;

// number formats a number by the language's rules.
export const number = (n) => new Intl.NumberFormat(language).format(n);

// compact formats a number with about three digits: 0.125, 34.2, 1.2M.
export const compact = (n) => new Intl.NumberFormat(language, { maximumSignificantDigits: 3, notation: Math.abs(n) < 10000 ? "standard" : "compact" }).format(n);

// percent formats a share in [0,1] as a percentage.
export const percent = (n) => new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 }).format(n);

// either joins words as "a, b or c".
export function either(words) {
  return words.length < 2 ? words.join("") : words.slice(0, -1).join(", ") + " " + t("or") + " " + words.at(-1);
}

// men formats White's lead in men: +0.35, −1.20.
export const men = (n) => new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: "exceptZero" }).format(n);
