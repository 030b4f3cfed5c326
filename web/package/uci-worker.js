// An engine that speaks UCI, as engines for chess in the browser do: `worker.postMessage("go movetime 500")`, and each
// line that it says is a message. Options beyond UCI's stand in the worker's address:
//   new Worker("uci-worker.js?level=hard", { type: "module" })
//   ?model=ADDRESS plays Insane, ?wasm=ADDRESS says where hippolyta_bg.wasm is.

import { initSync, WasmUci } from "./hippolyta.js";
import { compiled, fetchBytes } from "./module.js";
import { sliced } from "./slices.js";

const MAX_NODES = 16_000;

/** @typedef {{ say: string[], model: string | null, stop: boolean, quit: boolean, think: { timeMs: number | null, infinite: boolean } | null }} Orders */

/** @type {WasmUci | undefined} */
let engine;
let stopped = false;
/** @type {(() => void) | undefined} */
let onStop;
/** Thoughts and fetches, one after another.
 *  @type {Promise<unknown>} */
let queue = start();

const say = (/** @type {string} */ line) => line.split("\n").forEach((one) => self.postMessage(one));

self.addEventListener("message", ({ data }) => {
  for (const line of String(data).split(/\r?\n/)) {
    // A stop must not wait for the thought that it ends; everything else may be read during a thought too.
    if (engine) obey(engine, engine.line(line));
    else queue = queue.then(() => engine && obey(engine, engine.line(line)));
  }
});

async function start() {
  const query = new URL(self.location.href).searchParams;
  try {
    initSync({ module: await compiled(query.get("wasm") ?? undefined) });
    const address = query.get("model");
    const model = address === null ? undefined : await fetchBytes(new URL(address, self.location.href), "model");
    engine = new WasmUci(query.get("level") ?? (model ? "insane" : "hard"), model, MAX_NODES);
  } catch (error) {
    say(`info string error: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * @param {WasmUci} uci
 * @param {string} text
 */
function obey(uci, text) {
  const { say: lines, model, stop, quit, think } = /** @type {Orders} */ (JSON.parse(text));
  if (stop) {
    stopped = true;
    onStop?.();
  }
  if (model !== null) queue = queue.then(() => fetchModel(uci, model));
  lines.forEach(say);
  if (quit) self.close();
  if (think) {
    stopped = false;
    queue = queue.then(() => answer(uci, think));
  }
}

/**
 * @param {WasmUci} uci
 * @param {string} address
 */
async function fetchModel(uci, address) {
  try {
    uci.setModel(await fetchBytes(new URL(address, self.location.href), "ModelFile"));
  } catch (error) {
    say(`info string error: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * @param {WasmUci} uci
 * @param {{ timeMs: number | null, infinite: boolean }} think
 */
async function answer(uci, { timeMs, infinite }) {
  const refusal = uci.begin();
  if (refusal !== undefined) {
    obey(uci, refusal);
    return;
  }
  const begun = performance.now();
  const done = await sliced({
    step: (size) => uci.step(size),
    pace: 1,
    end: timeMs === null ? Infinity : begun + timeMs,
    isStopped: () => stopped,
    onNews: () => obey(uci, uci.answer(performance.now() - begun, false)),
  });
  // Nothing may be said of an infinite thought before it is stopped.
  if (done && infinite && !stopped) await new Promise((resolve) => { onStop = () => resolve(undefined); });
  onStop = undefined;
  obey(uci, uci.answer(performance.now() - begun, true));
}
