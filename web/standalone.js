const bytes = (name) => Uint8Array.from(atob(files[name]), (letter) => letter.charCodeAt(0));
const addresses = {};
const address = (name, type, content) => {
  addresses[name] = URL.createObjectURL(new Blob([content], { type }));
};
const text = (name) => new TextDecoder().decode(bytes(name));
const IMPORT = /^import [^]*?"\.\/[\w-]+\.js";$/gm;
address("hippolyta_bg.wasm", "application/wasm", bytes("hippolyta_bg.wasm"));
// The worker in one piece and as a plain script: a page without a server has no origin, and may start no other.
const pieces = ["hippolyta.js", "slices.js", "worker.js"].map((name) => text(name).replace(IMPORT, "").replace(/^export \{[^}]*\};?$/gm, "").replace(/^export /gm, "")
  .replaceAll("import.meta.url", "self.location.href"));
address("worker.js", "text/javascript", pieces.join("\n"));
for (const name of ["hippolyta.js", "module.js", "game.js", "engine.js", "index.js"]) {
  // Those that a module imports stand before it in the list.
  address(name, "text/javascript", text(name).replace(/(from |import )"\.\/([\w-]+\.js)"/g, (_, word, other) => `${word}"${addresses[other]}"`));
}
return import(addresses["index.js"]).then((package_) => {
  package_.setAddresses({ wasmUrl: addresses["hippolyta_bg.wasm"], workerUrl: addresses["worker.js"], workerType: "classic" });
  return package_;
});
