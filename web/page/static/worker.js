// The web worker: it runs the program and passes it the page's requests, one after the other.
importScripts("wasm_exec.js");

const waiting = [];
let answers = null;

// The program calls ready when it can take requests.
self.ready = () => {
  answers = self.damier;
  for (const text of waiting.splice(0)) postMessage(answers(text));
};

self.onmessage = ({ data }) => {
  if (answers) postMessage(answers(data));
  else waiting.push(data);
};

async function start() {
  const go = new Go();
  const answer = await fetch("damier.wasm.gz");
  if (!answer.ok) throw new Error(`damier.wasm.gz: ${answer.status}`);
  let bytes = await answer.arrayBuffer();
  // A server may send a .gz file with a Content-Encoding, so that the browser has unpacked it.
  const head = new Uint8Array(bytes, 0, 2);
  if (head[0] === 0x1f && head[1] === 0x8b) {
    bytes = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  }
  const { instance } = await WebAssembly.instantiate(bytes, go.importObject);
  await go.run(instance);
}

start().catch((e) => postMessage(JSON.stringify({ id: -1, error: `the engine does not start: ${e.message}` })));
