// An opponent in a worker of its own, so that the page stays quick while it thinks.

import { Game } from "./game.js";
import { fetchBytes, forWorker, load, workerAddress, workerType } from "./module.js";

/** @typedef {"random" | "easy" | "medium" | "hard" | "classical" | "insane"} Level */
/** @typedef {{ loaded: number, total: number | undefined }} Progress bytes so far, and in all where that is known */

/**
 * @typedef {object} EngineOptions
 * @property {Level} [level] who plays; `insane` where there is a model, else `hard`
 * @property {string | URL | Blob | ArrayBuffer | Uint8Array} [model] the network for `insane`: its address, or its bytes
 * @property {string | URL} [wasmUrl] where hippolyta_bg.wasm is, when not beside the package
 * @property {string | URL} [workerUrl] where worker.js is, when not beside the package
 * @property {number} [maxNodes] the most nodes of a search tree; 16,000 stay below 64 MiB of memory
 * @property {number} [seed] the seed of the first game's lots; drawn by lot when absent
 * @property {(progress: Progress) => void} [onProgress] hears of the model's bytes
 */

/**
 * @typedef {object} ChooseOptions
 * @property {number} [visits] the most positions to visit
 * @property {number} [timeMs] the most milliseconds to take; with visits too, whichever is first
 * @property {boolean} [infinite] think until stopped
 * @property {number} [lines] how many lines to give whole; 1
 * @property {AbortSignal} [signal] an abort gives the answer up: the promise is rejected
 * @property {(answer: Answer) => void} [onInfo] hears of what is found so far
 */

/**
 * @typedef {object} AnswerLine
 * @property {number} value for the side to move, in [-1, 1]
 * @property {number} valueWhite the same for White
 * @property {string[]} moves the line of play, at least its first move
 */

/**
 * @typedef {object} Answer
 * @property {string} move the move chosen
 * @property {number | null} value the expected result for the side to move, in [-1, 1]; null where lots decided
 * @property {number | null} valueWhite the same for White
 * @property {AnswerLine[]} lines the moves that were weighed, the best first
 * @property {number} visits the positions visited
 * @property {number} depth the plies looked ahead
 */

/**
 * What a network thinks of a position before any search.
 * @typedef {object} Evaluation
 * @property {number} value the expected result for the side to move, in [-1, 1]
 * @property {number} valueWhite the same for White
 * @property {number} marginWhite the moves that White is expected to have more at the end
 * @property {Map<string, number>} ownerWhite who will own each square: 1 White, -1 Black
 * @property {{ move: string, probability: number }[]} moves the legal moves, the most probable first
 */

/** @typedef {{ resolve: (value: any) => void, reject: (reason: any) => void, onInfo?: (info: any) => void }} Call */

const MAX_NODES = 16_000;

/** An opponent. One at a time is asked of it: calls wait for each other. */
export class Engine {
  /** @type {Worker} */
  #worker;
  /** @type {Map<number, Call>} */
  #calls = new Map();
  #lastCall = 0;
  /** @type {Promise<unknown>} */
  #queue = Promise.resolve();
  /** @type {Error | undefined} */
  #gone;

  /**
   * @param {Worker} worker
   * @param {Level} level
   */
  constructor(worker, level) {
    this.#worker = worker;
    /** Who plays. */
    this.level = level;
    worker.onmessage = ({ data }) => this.#heard(data);
    worker.onerror = (event) => this.#end(new Error(
      `the worker has ended: ${event.message || "its script cannot be loaded; name its address as workerUrl"}`));
  }

  /**
   * Starts an opponent.
   * @param {EngineOptions} [options]
   * @returns {Promise<Engine>}
   */
  static async load(options = {}) {
    const level = options.level ?? (options.model === undefined ? "hard" : "insane");
    if (level === "insane" && options.model === undefined) throw new Error("Insane plays with a network: give it a model");
    const [module, model] = await Promise.all([forWorker(options.wasmUrl), bytesOf(options), load(options)]);
    const engine = new Engine(startWorker(options.workerUrl), level);
    const seed = options.seed ?? crypto.getRandomValues(new Uint32Array(1))[0];
    try {
      const maxNodes = options.maxNodes ?? MAX_NODES;
      await engine.#call({ kind: "load", module, level, model, maxNodes, seed }, model ? [model.buffer] : []);
    } catch (error) {
      engine.dispose();
      throw error;
    }
    return engine;
  }

  /**
   * Chooses a move of the side to move.
   * @param {Game} game
   * @param {ChooseOptions} [options]
   * @returns {Promise<Answer>}
   */
  choose(game, options = {}) {
    const { visits, timeMs, infinite, lines, signal, onInfo } = options;
    const white = game.side === "white" ? 1 : -1;
    if (game.isOver) return Promise.reject(new Error("the game is over: there is no move to choose"));
    const message = { kind: "choose", fen: game.fen, visits, timeMs, infinite: !!infinite, lines: lines ?? 1, news: !!onInfo };
    const seen = onInfo && ((/** @type {any} */ info) => { if (!signal?.aborted) onInfo(forWhite(info, white)); });
    return this.#inTurn(signal, async () => forWhite(await this.#call(message, [], signal, seen), white));
  }

  /**
   * What the network thinks of a position before any search.
   * @param {Game} game
   * @returns {Promise<Evaluation>}
   */
  evaluate(game) {
    const { files, fen } = game;
    const white = game.side === "white" ? 1 : -1;
    return this.#inTurn(undefined, async () => {
      const { value, margin, owner, moves } = await this.#call({ kind: "evaluate", fen });
      const name = (/** @type {number} */ k) => String.fromCharCode(97 + (k % files)) + (Math.floor(k / files) + 1);
      const ownerWhite = new Map(owner.map((/** @type {number} */ one, /** @type {number} */ k) => [name(k), one * white]));
      return { value, valueWhite: value * white, marginWhite: margin * white, ownerWhite, moves };
    });
  }

  /** Ends the thought in progress: its promise gives what was found so far. */
  stop() {
    this.#worker.postMessage({ kind: "stop" });
  }

  /**
   * Forgets the game before.
   * @param {number} [seed] of the lots that levels draw
   */
  newGame(seed = crypto.getRandomValues(new Uint32Array(1))[0]) {
    return this.#inTurn(undefined, () => this.#call({ kind: "newGame", seed }));
  }

  /** Ends the worker. What was asked and not answered is rejected. */
  dispose() {
    this.#end(new Error("the engine was disposed of"));
  }

  /**
   * Lets a call wait for those before it.
   * @template T
   * @param {AbortSignal | undefined} signal
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  #inTurn(signal, work) {
    const turn = this.#queue.then(() => {
      signal?.throwIfAborted();
      return work();
    });
    this.#queue = turn.catch(() => {});
    return turn;
  }

  /**
   * @param {object} message
   * @param {Transferable[]} [transfer]
   * @param {AbortSignal} [signal]
   * @param {(info: any) => void} [onInfo]
   * @returns {Promise<any>}
   */
  #call(message, transfer = [], signal, onInfo) {
    if (this.#gone) return Promise.reject(this.#gone);
    const id = ++this.#lastCall;
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.stop();
        // The worker's answer still ends the turn of this call, so that the next one finds it free.
        const call = this.#calls.get(id);
        if (call) call.resolve = () => reject(signal?.reason);
      };
      signal?.addEventListener("abort", abort);
      const settle = (/** @type {(value: any) => void} */ how) => (/** @type {any} */ value) => {
        signal?.removeEventListener("abort", abort);
        how(value);
      };
      this.#calls.set(id, { resolve: settle(resolve), reject: settle(reject), onInfo });
      this.#worker.postMessage({ ...message, id }, transfer);
    });
  }

  /** @param {{ id: number, info?: any, answer?: any, error?: string }} message */
  #heard({ id, info, answer, error }) {
    const call = this.#calls.get(id);
    if (!call) return;
    if (info !== undefined) {
      call.onInfo?.(info);
      return;
    }
    this.#calls.delete(id);
    if (error !== undefined) call.reject(new Error(error));
    else call.resolve(answer);
  }

  /** @param {Error} reason */
  #end(reason) {
    this.#gone ??= reason;
    this.#worker.terminate();
    for (const call of this.#calls.values()) call.reject(this.#gone);
    this.#calls.clear();
  }
}

/**
 * @param {any} answer
 * @param {number} white 1 when White is to move, else -1
 * @returns {Answer}
 */
function forWhite(answer, white) {
  return {
    ...answer,
    valueWhite: answer.value === null ? null : answer.value * white,
    lines: answer.lines.map((/** @type {any} */ line) => ({ ...line, valueWhite: line.value * white })),
  };
}

/** @param {EngineOptions} options */
async function bytesOf({ model, onProgress }) {
  if (model === undefined) return undefined;
  if (model instanceof Uint8Array) return model.slice();
  if (model instanceof ArrayBuffer) return new Uint8Array(model.slice(0));
  if (model instanceof Blob) return new Uint8Array(await model.arrayBuffer());
  return fetchBytes(new URL(model, globalThis.location?.href), "model", onProgress);
}

/**
 * A worker must come from the page's own origin. One from elsewhere is imported by a worker that does.
 * @param {string | URL} [given]
 */
function startWorker(given) {
  const address = workerAddress(given);
  const isOurs = (/** @type {URL} */ url) => url.protocol === "blob:" || url.origin === globalThis.location?.origin;
  if (address === undefined) {
    const beside = new URL("./worker.js", import.meta.url);
    // Written in one piece, which bundlers look for.
    if (isOurs(beside)) return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    return trampoline(beside);
  }
  return isOurs(address) ? new Worker(address, { type: workerType() }) : trampoline(address);
}

/** @param {URL} address */
function trampoline(address) {
  const script = new Blob([`import ${JSON.stringify(address.href)};`], { type: "text/javascript" });
  return new Worker(URL.createObjectURL(script), { type: "module" });
}
