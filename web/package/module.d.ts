import { WasmGame } from "./hippolyta.js";
/**
 * Says where the package's files lie, where that is not beside this one. Options of `load` and `Engine.load` win.
 * @param {{ wasmUrl?: string | URL, workerUrl?: string | URL, workerType?: WorkerType }} options `workerType` is
 *   "classic" where the worker is one plain script
 */
export declare function setAddresses(options: {
    wasmUrl?: string | URL;
    workerUrl?: string | URL;
    workerType?: WorkerType;
}): void;
/** @returns {WorkerType} */
export declare const workerType: () => WorkerType;
/** @param {string | URL} [given] */
export declare function workerAddress(given?: string | URL): URL | undefined;
/**
 * @param {string | URL} [given]
 * @returns {Promise<WebAssembly.Module>}
 */
export declare function compiled(given?: string | URL): Promise<WebAssembly.Module>;
/**
 * What a worker makes its instance of: the compiled code, or for a page without an origin, which can hand none over, the
 * bytes.
 * @param {string | URL} [given]
 */
export declare function forWorker(given?: string | URL): Promise<WebAssembly.Module>;
/**
 * Makes the rules ready. `Engine.load` does it too; a page that only needs rules calls this.
 * @param {{ wasmUrl?: string | URL }} [options]
 * @returns {Promise<void>}
 */
export declare function load(options?: {
    wasmUrl?: string | URL;
}): Promise<void>;
/** The rules, once they are ready. */
export declare function rules(): typeof WasmGame;
/**
 * The bytes at an address, with progress where the server says how many there are.
 * @param {URL} url
 * @param {string} option the option that names another address
 * @param {(progress: { loaded: number, total: number | undefined }) => void} [onProgress]
 * @param {AbortSignal} [signal]
 * @returns {Promise<Uint8Array>}
 */
export declare function fetchBytes(url: URL, option: string, onProgress?: (progress: {
    loaded: number;
    total: number | undefined;
}) => void, signal?: AbortSignal): Promise<Uint8Array>;
