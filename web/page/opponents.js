// Who plays, and who analyses: engines, and the networks that they need.

import { Engine } from "./package/index.js";

/** @typedef {import("./package/engine.js").Level} Level */
/** @typedef {{ name: string, file: string }} Champion */

/** There is no network to be had. */
export class NoModelError extends Error {
  /** @param {string} address */
  constructor(address) {
    super(`there is no model at ${address}`);
    this.address = address;
  }
}

/** Makes engines, one for each player, and keeps those that were made. */
export class Opponents {
  /** @type {Map<string, Promise<Engine>>} */
  #engines = new Map();
  /** A model that the person gave, for all boards. @type {File | URL | null} */
  own = null;
  /** The champion that was chosen. @type {string | null} */
  champion = null;
  /** @type {Champion[]} */
  champions = [];

  /** @param {string | URL} base the page's address */
  constructor(base = document.baseURI) {
    this.base = base;
  }

  /** Asks for the champions that the server has to offer; most have none. */
  async ask() {
    try {
      const response = await fetch(new URL("models/index.json", this.base));
      const { champions } = await response.json();
      this.champions = champions.filter((/** @type {any} */ one) => typeof one?.name === "string" && typeof one.file === "string");
    } catch {
      // A folder without the list has no champions to choose from.
    }
  }

  /** What Insane plays with on a board. @param {number} size @returns {File | URL} */
  model(size) {
    if (this.own) return this.own;
    const chosen = this.champions.find((one) => one.file === this.champion);
    return new URL(`models/${chosen ? chosen.file : `insane-${size}x${size}.safetensors`}`, this.base);
  }

  /**
   * An engine for a seat; the same one each time until something about it changes.
   * @param {Level} level
   * @param {number} size
   * @param {string} seat who asks: an engine plays for one seat
   * @param {(progress: { loaded: number, total?: number }) => void} [onProgress]
   * @returns {Promise<Engine>}
   */
  engine(level, size, seat, onProgress) {
    const model = level === "insane" ? this.model(size) : undefined;
    const key = `${seat} ${level} ${model instanceof URL ? model.href : model ? `${model.name} ${model.lastModified} ${model.size}` : ""}`;
    let engine = this.#engines.get(key);
    if (!engine) {
      // One engine a seat: those that it had before are not needed any more.
      for (const [other, old] of this.#engines) {
        if (!other.startsWith(`${seat} `)) continue;
        this.#engines.delete(other);
        old.then((one) => one.dispose(), () => {});
      }
      engine = Engine.load({ level, model, onProgress }).catch((error) => {
        this.#engines.delete(key);
        if (model instanceof URL && /status 404/.test(error.message)) throw new NoModelError(model.href);
        throw error;
      });
      this.#engines.set(key, engine);
    }
    return engine;
  }

  /** Who analyses on a board: the network, or the classical program where there is none. @param {number} size */
  async analyst(size) {
    try {
      return await this.engine("insane", size, "analyst");
    } catch {
      return this.engine("classical", size, "analyst");
    }
  }
}
