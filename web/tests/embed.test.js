// The package in pages of other people: as the documentation says, from another site, through a bundler, in one file.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch, missing, shutDown } from "./browser.js";
import { serve, WEB } from "./server.js";

const { Game, load } = await import(join(WEB, "package/index.js"));
const root = fileURLToPath(new URL("../../", import.meta.url));
const skip = missing ? "there is no chromium: the package is NOT tested in a page" : false;

let folder;
let server;
/** Another site, which lets others read it. */
let elsewhere;
before(async () => {
  await load();
  folder = mkdtempSync(join(tmpdir(), "hippolyta-embed-"));
  cpSync(join(WEB, "package"), join(folder, "package"), { recursive: true });
  server = await serve(folder);
  elsewhere = await serve(WEB, () => undefined, { "access-control-allow-origin": "*" });
});
after(async () => {
  await shutDown();
  await server?.close();
  await elsewhere?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a page, and gives what `look` finds in it. */
async function open(url, look) {
  const context = await (await launch()).newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(url);
  const found = await look(page);
  await context.close();
  assert.deepEqual(errors, []);
  return found;
}

/** Whether moves make a whole or begun game of 6x6. */
function check(moves) {
  const game = Game.start(6);
  for (const move of moves) game.play(move);
  return game;
}

/** The block of the documentation that begins with a text. */
function documented(language, holding) {
  const text = readFileSync(join(root, "docs/front-ends.md"), "utf8");
  const blocks = [...text.matchAll(/```(\w+)\n([^]*?)```/g)].filter(([, kind, block]) => kind === language && block.includes(holding));
  assert.equal(blocks.length, 1, holding);
  return blocks[0][2];
}

test("the documentation's lines play a whole game, copied word by word", { skip }, async () => {
  writeFileSync(join(folder, "copied.html"), `<!doctype html><body>${documented("html", "Engine.load")}`);
  const moves = await open(`${server.url}copied.html`, async (page) => {
    const read = () => page.evaluate(() => document.body.innerText.split(/\s+/).filter((word) => word));
    for (let before = -1; ;) {
      const now = (await read()).length;
      if (now === before && check(await read()).isOver) return read();
      before = now;
      await page.waitForTimeout(100);
    }
  });
  assert.ok(check(moves).isOver);
});

test("the documentation's UCI worker answers", { skip }, async () => {
  writeFileSync(join(folder, "uci.html"), `<!doctype html><script>window.lines = []; console.log = (line) => lines.push(line);</script>
    <script type="module">${documented("js", "uci-worker")}
    window.engine = engine;</script>`);
  const lines = await open(`${server.url}uci.html`, async (page) => {
    await page.waitForFunction(() => window.lines.some((line) => line.startsWith("bestmove")));
    return page.evaluate(() => window.lines);
  });
  assert.ok(lines.includes("uciok"), lines.join("\n"));
  const move = lines.at(-1).split(" ")[1];
  assert.ok(Game.start(6).legalMoves().includes(Game.start(6).play(move)), move);
});

test("a stop in one write, and an infinite thought that waits for it", { skip }, async () => {
  writeFileSync(join(folder, "stop.html"), "<!doctype html>");
  const lines = await open(`${server.url}stop.html`, (page) => page.evaluate(async () => {
    const engine = new Worker("package/uci-worker.js?level=classical", { type: "module" });
    const lines = [];
    let done;
    const best = () => new Promise((resolve) => { done = resolve; });
    engine.onmessage = ({ data }) => { lines.push(data); if (data.startsWith("bestmove")) done(); };
    let wait = best();
    engine.postMessage("setoption name Size value 6\nposition startpos\ngo nodes 3000");
    await wait;
    wait = best();
    engine.postMessage("go infinite");
    await new Promise((resolve) => setTimeout(resolve, 100));
    const early = lines.filter((line) => line.startsWith("bestmove")).length;
    engine.postMessage("stop");
    await wait;
    return [early, lines.filter((line) => line.startsWith("bestmove")).length];
  }));
  assert.deepEqual(lines, [1, 2]);
});

test("the package from another site, its worker too", { skip }, async () => {
  writeFileSync(join(folder, "elsewhere.html"), `<!doctype html><p id="moves"></p><script type="module">
    import { Engine, Game } from "${elsewhere.url}package/index.js";
    const engine = await Engine.load({ level: "easy" });
    document.getElementById("moves").textContent = (await engine.choose(Game.start(6))).move;</script>`);
  const move = await open(`${server.url}elsewhere.html`, async (page) => {
    await page.waitForFunction(() => document.getElementById("moves").textContent);
    return page.textContent("#moves");
  });
  check([move]);
});

test("one file for a script tag, without a server", { skip }, async () => {
  writeFileSync(join(folder, "one.html"), `<!doctype html><p id="moves"></p><script src="package/standalone.js"></script><script>
    Hippolyta.then(async ({ Engine, Game }) => {
      const engine = await Engine.load({ level: "easy" });
      document.getElementById("moves").textContent = (await engine.choose(Game.start(6))).move;
    }).catch((error) => { document.getElementById("moves").textContent = error; });</script>`);
  for (const url of [`${server.url}one.html`, pathToFileURL(join(folder, "one.html")).href]) {
    const move = await open(url, async (page) => {
      await page.waitForFunction(() => document.getElementById("moves").textContent);
      return page.textContent("#moves");
    });
    check([move]);
  }
});

test("a wrong address is said with the option that mends it", { skip }, async () => {
  writeFileSync(join(folder, "wrong.html"), "<!doctype html>");
  const errors = await open(`${server.url}wrong.html`, (page) => page.evaluate(async () => {
    const { Engine } = await import("./package/index.js");
    const told = (promise) => promise.then(() => "", (error) => error.message);
    return [await told(Engine.load({ level: "easy", wasmUrl: "none.wasm" })), await told(Engine.load({ level: "easy", wasmUrl: "wrong.html" })),
      await told(Engine.load({ level: "easy", workerUrl: "none.js" })), await told(Engine.load({ level: "insane" })), await told(Engine.load({ level: "harder" }))];
  }));
  for (const [k, words] of [/status 404.*wasmUrl/, /is not WebAssembly.*wasmUrl/, /worker.*workerUrl/, /give it a model/, /'harder' is not a level/].entries()) {
    assert.match(errors[k], words);
  }
});

test("the example of three files takes and gives moves", { skip }, async () => {
  const place = join(folder, "three");
  cpSync(join(root, "examples/web/embed"), place, { recursive: true });
  symlinkSync(join(WEB, "package"), join(place, "package"));
  const words = await open(`${server.url}three/`, async (page) => {
    await page.waitForFunction(() => /Your move/.test(document.getElementById("status").textContent));
    await page.fill("#move", "a1-a2/a3");
    await page.press("#move", "Enter");
    await page.waitForFunction(() => /not legal/.test(document.getElementById("status").textContent));
    await page.fill("#move", "b1-b4/d4");
    await page.press("#move", "Enter");
    await page.waitForFunction(() => /It played/.test(document.getElementById("status").textContent));
    return page.textContent("#board");
  });
  assert.match(words, /\*/);
});

test("the example with a bundler", { skip }, async () => {
  const build = join(root, "examples/web/bundled");
  // The example's own esbuild, or the tests'.
  const place = join(folder, "bundled-source");
  cpSync(build, place, { recursive: true, filter: (path) => !/node_modules|dist$/.test(path) });
  symlinkSync(fileURLToPath(new URL("node_modules", import.meta.url)), join(place, "node_modules"));
  execFileSync(process.execPath, [join(place, "build.mjs"), join(WEB, "package"), join(folder, "bundled")], { stdio: "pipe" });
  assert.ok(existsSync(join(folder, "bundled/worker.js")));
  const moves = await open(`${server.url}bundled/`, async (page) => {
    await page.waitForFunction(() => document.getElementById("moves").textContent.includes("/"));
    return page.textContent("#moves");
  });
  assert.equal(check(moves.split(" ")).moves.length, 6);
});
