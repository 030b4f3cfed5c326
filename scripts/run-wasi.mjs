// Runs a WASI program and exits as it does, without access to files: node --no-warnings run-wasi.mjs PROGRAM [ARGUMENT...]
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [program, ...rest] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [program, ...rest], returnOnExit: true });
const imports = { wasi_snapshot_preview1: wasi.wasiImport };
const { instance } = await WebAssembly.instantiate(await readFile(program), imports);
process.exitCode = wasi.start(instance);
