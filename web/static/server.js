// Requests to the server, and what it refuses.

import { language, sentence, t } from "./language.js";

export class Refusal extends Error {
  constructor(problem) {
    super(problem.text);
    Object.assign(this, problem);
  }
}

// ask returns the server's answer to a request; with a body it is a POST. It throws a Refusal,
// also where no server answers.
export async function ask(path, body) {
  let answer, text, json;
  try {
    answer = await fetch("api/" + path, body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    text = await answer.text();
  } catch {
    throw new Refusal({ code: "offline", text: t("problem.offline") });
  }
  try {
    json = text ? JSON.parse(text) : {};
  } catch { // the answer is not the server's, for instance a proxy's
    throw new Refusal({ code: "failed", text: answer.statusText || t("problem.failed") });
  }
  if (!answer.ok) throw new Refusal(json.error ?? { code: "failed", text: answer.statusText });
  return json;
}

// problemText returns the text of a Refusal in the page's language.
export const problemText = (e) => (language === "en" || !e.say ? e.text : sentence(e));
