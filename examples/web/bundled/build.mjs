// Bundles main.js and the worker into dist: node build.mjs [PACKAGE] [DIST], where PACKAGE is target/web/package.
import { copyFile, mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const folder = resolve(process.argv[2] ?? `${here}../../../target/web/package`);
const dist = resolve(process.argv[3] ?? `${here}dist`);
await mkdir(dist, { recursive: true });
await build({
  entryPoints: { main: `${here}main.js`, worker: `${folder}/worker.js` },
  alias: { hippolyta: `${folder}/index.js` },
  outdir: dist, bundle: true, format: "esm", target: "es2022", minify: true,
});
await copyFile(`${folder}/hippolyta_bg.wasm`, `${dist}/hippolyta_bg.wasm`);
await copyFile(`${here}index.html`, `${dist}/index.html`);
