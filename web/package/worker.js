// The worker behind an Engine: thinks in slices, and reads its messages in between.

import { initSync, WasmEngine } from "./hippolyta.js";
import { sliced } from "./slices.js";

/** @type {WasmEngine | undefined} */
let engine;
/** Whether the thought in progress is to end. */
let stopped = false;
/** @type {Promise<unknown>} */
let queue = Promise.resolve();

self.addEventListener("message", ({ data }) => {
  if (data.kind === "stop") {
    stopped = true;
    return;
  }
  // A stop ends what is in progress when it comes, and nothing later.
  queue = queue.then(async () => {
    const { id } = data;
    try {
      self.postMessage({ id, answer: await serve(data) });
    } catch (error) {
      self.postMessage({ id, error: String(error instanceof Error ? error.message : error) });
    }
  });
});

/** @param {any} message */
async function serve(message) {
  switch (message.kind) {
    case "load":
      initSync({ module: message.module });
      engine = new WasmEngine(message.level, message.model, message.maxNodes);
      engine.newGame(message.seed);
      return null;
    case "newGame":
      return loaded().newGame(message.seed);
    case "evaluate":
      return JSON.parse(loaded().evaluate(message.fen));
    case "choose":
      return choose(message);
    default:
      throw new Error(`the worker does not know '${message.kind}'`);
  }
}

function loaded() {
  if (!engine) throw new Error("the worker has not loaded an engine");
  return engine;
}

/** @param {any} message */
async function choose({ id, fen, visits, timeMs, infinite, lines, news }) {
  const player = loaded();
  stopped = false;
  player.begin(fen, visits, infinite || (timeMs !== undefined && visits === undefined), lines);
  await sliced({
    step: (size) => player.step(size),
    pace: player.pace(),
    end: timeMs === undefined ? Infinity : performance.now() + timeMs,
    isStopped: () => stopped,
    onNews: () => { if (news) self.postMessage({ id, info: JSON.parse(player.answer() ?? "null") }); },
  });
  const answer = player.answer();
  player.abandon();
  return JSON.parse(answer ?? "null");
}
