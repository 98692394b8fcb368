// The texts of the page: one file of strings for each language, English where one is missing.

let strings = {}, english = {};
let messages = {}; // texts of the server's messages, by their English format; none in English
export let language = "en";

const languages = ["en", "fr", "nl"];

const folders = ["strings"];

// also adds a folder with texts of a page, before it speaks.
export const also = (folder) => folders.push(folder);

async function load(name) {
  const parts = folders.map(async (folder) => {
    const answer = await fetch(`${folder}/${name}.json`);
    if (!answer.ok) throw new Error(`${folder}/${name}.json: ${answer.status}`);
    return answer.json();
  });
  return Object.assign({}, ...(await Promise.all(parts)));
}

async function loadMessages(name) {
  const answer = await fetch(`said/${name}.json`);
  if (!answer.ok) throw new Error(`said/${name}.json: ${answer.status}`);
  return answer.json();
}

// preferred returns the language that was chosen, or the first of the browser's that there is.
export function preferred(chosen) {
  if (languages.includes(chosen)) return chosen;
  for (const name of navigator.languages ?? []) {
    const short = name.slice(0, 2).toLowerCase();
    if (languages.includes(short)) return short;
  }
  return "en";
}

let asked = 0; // how often the page was asked to speak a language

// speak loads a language and puts its texts into the page. If another one is asked for before they
// are here, it does nothing, because the later choice counts.
export async function speak(name) {
  const mine = ++asked;
  const first = Object.keys(english).length === 0 ? load("en") : english;
  const own = name === "en" ? first : load(name);
  const loaded = await Promise.all([first, own, name === "en" ? {} : loadMessages(name)]);
  english = loaded[0];
  if (mine !== asked) return;
  [, strings, messages] = loaded;
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

// said returns a message of the server, {text, say, values}, in the page's language. A message
// without a translation is joined from those in it; the text of the system stays as it is.
export function said(message) {
  if (language === "en" || !message?.say) return message?.text ?? message ?? "";
  const values = (message.values ?? []).map((v) => (typeof v === "object" ? said(v) : v));
  const text = messages[message.say];
  if (text !== undefined) return text.replace(/\{(\d+)\}/g, (all, n) => values[n] ?? all);
  let n = 0;
  return message.say.replace(/%(\.\d+)?[a-z]/g, () => values[n++]);
}

// sentence returns a message of the server as a sentence: with a capital and a full stop.
export function sentence(message) {
  const text = said(message);
  return text && text[0].toUpperCase() + text.slice(1).replace(/[.?!]?$/, (end) => end || ".");
}

// inEnglish returns a text in English, whatever the language: for what programs read.
export const inEnglish = (key) => english[key] ?? key;

// has reports whether there is such a text.
export const has = (key) => key in strings || key in english;

// number writes a number as the language does.
export const number = (n) => new Intl.NumberFormat(language).format(n);

// compact writes a number in three digits or so: 0.125, 34.2, 1.2M.
export const compact = (n) => new Intl.NumberFormat(language, { maximumSignificantDigits: 3, notation: Math.abs(n) < 10000 ? "standard" : "compact" }).format(n);

// percent writes a share in [0,1].
export const percent = (n) => new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 }).format(n);

// either lists words as "a, b or c".
export function either(words) {
  return words.length < 2 ? words.join("") : words.slice(0, -1).join(", ") + " " + t("or") + " " + words.at(-1);
}

// men writes a lead in men, White's: +0.35, −1.20.
export const men = (n) => new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: "exceptZero" }).format(n);
