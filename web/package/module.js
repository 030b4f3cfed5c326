// The compiled WebAssembly: fetched once a page, and handed to workers ready to run.

import initialise, { WasmGame } from "./hippolyta.js";

/** @type {Promise<WebAssembly.Module> | undefined} */
let compiling;
/** @type {Promise<void> | undefined} */
let starting;
let ready = false;
/** @type {{ wasmUrl?: string | URL, workerUrl?: string | URL, workerType?: WorkerType }} */
const addresses = {};

/**
 * Says where the package's files lie, where that is not beside this one. Options of `load` and `Engine.load` win.
 * @param {{ wasmUrl?: string | URL, workerUrl?: string | URL, workerType?: WorkerType }} options `workerType` is
 *   "classic" where the worker is one plain script
 */
export function setAddresses(options) {
  if (options.wasmUrl) addresses.wasmUrl = options.wasmUrl;
  if (options.workerUrl) addresses.workerUrl = options.workerUrl;
  if (options.workerType) addresses.workerType = options.workerType;
}

/** An address as one that needs no base; a blob's page has none to give. @param {string | URL} address */
const absolute = (address) => (URL.canParse(address) ? new URL(address) : new URL(address, globalThis.location?.href));

/** @returns {WorkerType} */
export const workerType = () => addresses.workerType ?? "module";

/** @param {string | URL} [given] */
export function workerAddress(given) {
  const address = given ?? addresses.workerUrl;
  return address === undefined ? undefined : absolute(address);
}

/**
 * @param {string | URL} [given]
 * @returns {Promise<WebAssembly.Module>}
 */
export function compiled(given) {
  compiling ??= compile(given).catch((error) => {
    // The next call may try again.
    compiling = undefined;
    throw error;
  });
  return compiling;
}

/**
 * What a worker makes its instance of: the compiled code, or for a page without an origin, which can hand none over, the
 * bytes.
 * @param {string | URL} [given]
 */
export async function forWorker(given) {
  return workerType() === "module" ? compiled(given) : fetchWasm(given);
}

/** @param {string | URL} [given] */
async function compile(given) {
  return WebAssembly.compile(await fetchWasm(given));
}

/** @param {string | URL} [given] */
async function fetchWasm(given) {
  const address = given ?? addresses.wasmUrl;
  const url = address === undefined
    ? new URL("./hippolyta_bg.wasm", import.meta.url)
    : new URL(address, globalThis.location?.href);
  const bytes = await fetchBytes(url, "wasmUrl");
  if (bytes[0] !== 0 || bytes[1] !== 0x61 || bytes[2] !== 0x73 || bytes[3] !== 0x6d) {
    throw new Error(`${url} is not WebAssembly (a server may have answered with a page): name the right address as wasmUrl`);
  }
  return /** @type {Uint8Array<ArrayBuffer>} */ (bytes);
}

/**
 * Makes the rules ready. `Engine.load` does it too; a page that only needs rules calls this.
 * @param {{ wasmUrl?: string | URL }} [options]
 * @returns {Promise<void>}
 */
export function load(options = {}) {
  starting ??= compiled(options.wasmUrl)
    .then((module) => initialise({ module_or_path: module }))
    .then(() => { ready = true; })
    .catch((error) => {
      starting = undefined;
      throw error;
    });
  return starting;
}

/** The rules, once they are ready. */
export function rules() {
  if (!ready) throw new Error("the rules are not ready: await load() or Engine.load() first");
  return WasmGame;
}

/**
 * The bytes at an address, with progress where the server says how many there are.
 * @param {URL} url
 * @param {string} option the option that names another address
 * @param {(progress: { loaded: number, total: number | undefined }) => void} [onProgress]
 * @param {AbortSignal} [signal]
 * @returns {Promise<Uint8Array>}
 */
export async function fetchBytes(url, option, onProgress, signal) {
  if (url.protocol === "file:" && "process" in globalThis) {
    // Under node, whose fetch reads no files.
    const files = "node:fs/promises";
    const { readFile } = await import(/* @vite-ignore */ files);
    return new Uint8Array(await readFile(url));
  }
  let response;
  try {
    response = await fetch(url, { signal });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw new Error(`${url} cannot be fetched: ${/** @type {Error} */ (error).message}. Another address is named as ${option}`);
  }
  if (!response.ok) throw new Error(`${url} cannot be fetched: status ${response.status}. Another address is named as ${option}`);
  if (!onProgress || !response.body) return new Uint8Array(await response.arrayBuffer());
  const length = response.headers.get("content-encoding") ? 0 : Number(response.headers.get("content-length"));
  const reader = response.body.getReader();
  const parts = [];
  let loaded = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    loaded += value.length;
    onProgress({ loaded, total: length || undefined });
  }
  const bytes = new Uint8Array(loaded);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
