// The page in Chromium, as people use it.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { accessibility, launch, marked, missing, openPage, settled, shutDown, startGame, status } from "./browser.js";
import { serve, WEB } from "./server.js";

const { Game, load } = await import(join(WEB, "package/index.js"));
const skip = missing ? "there is no chromium (Debian: apt-get install chromium): the page is NOT tested" : false;
const MODEL = process.env.HIPPOLYTA_MODEL ?? join(WEB, "models/insane-6x6.safetensors");
const noModel = skip || (existsSync(MODEL) ? false : `there is no model at ${MODEL}`);

let server;
/** What the server answers instead of a file. */
let override = () => undefined;
before(async () => {
  await load();
  server = await serve(WEB, (path) => override(path) ??
    (path === "/models/insane-6x6.safetensors" && existsSync(MODEL) ? { body: readFileSync(MODEL) } : undefined));
});
after(async () => {
  await shutDown();
  await server?.close();
});

/** The position that the page has come to, from its list of moves. */
async function gameOf(page, size) {
  const game = Game.start(size);
  for (const move of await page.$$eval("#moves button", (buttons) => buttons.map((one) => one.textContent))) game.play(move);
  return game;
}

const touch = (page, square) => page.click(`[data-cell="${square}"]`);

for (const size of [6, 8, 10]) {
  test(`a whole game by touches on ${size}x${size}, with the legal squares of the rules`, { skip }, async () => {
    const { page, close } = await openPage(server.url);
    await startGame(page, { size, level: size === 10 ? "medium" : "easy", human: size === 8 ? "black" : "white" });
    for (let turn = 0; ; turn++) {
      await settled(page);
      if (await page.$("dialog[open]")) break;
      const game = await gameOf(page, size);
      assert.deepEqual((await marked(page, "can move")).sort(), game.movable().sort());
      const pick = (list) => list[(turn * 7 + 3) % list.length];
      const from = pick(game.movable());
      await touch(page, from);
      const targets = game.targets(from);
      assert.deepEqual((await marked(page, "target")).sort(), targets.sort());
      const to = pick(targets);
      await touch(page, to);
      assert.equal(await page.isVisible("#caption"), true);
      const shots = game.shots(from, to);
      assert.deepEqual((await marked(page, "arrow may land here")).sort(), shots.sort());
      await touch(page, pick(shots));
      assert.match(await page.textContent("#reach"), /White \d+, Black \d+/);
    }
    const game = await gameOf(page, size);
    assert.ok(game.isOver);
    assert.ok(game.moves.length <= { 6: 28, 8: 48, 10: 92 }[size]);
    const words = await page.textContent("dialog[open]");
    assert.match(words, new RegExp(`After ${game.moves.length} moves`));
    assert.match(words, game.outcome().winner === (size === 8 ? "black" : "white") ? /You win!/ : /Hippolyta wins/);
    assert.deepEqual(await accessibility(page), []);
    const kept = JSON.parse(await page.evaluate(() => localStorage.getItem("hippolyta")));
    assert.equal(kept.saved, null);
    assert.equal(Object.values(kept.records).reduce((sum, one) => sum + one.wins + one.losses, 0), 1);
    await close();
  });
}

test("a move is taken back before the shot; wrong and double touches do nothing", { skip }, async () => {
  const { page, close } = await openPage(server.url);
  await startGame(page);
  await touch(page, "c3");
  assert.deepEqual(await marked(page, "target"), []);
  await touch(page, "b6");
  assert.deepEqual(await marked(page, "chosen"), []);
  await touch(page, "b1");
  await touch(page, "b1");
  assert.deepEqual(await marked(page, "chosen"), []);
  for (const back of ["touch", "key", "button"]) {
    await touch(page, "b1");
    await touch(page, "b4");
    assert.deepEqual(await marked(page, "White amazon"), ["b4", "a2", "f2", "e1"]);
    if (back === "touch") await touch(page, "b4");
    if (back === "key") await page.keyboard.press("Escape");
    if (back === "button") await page.getByRole("button", { name: "Take back" }).click();
    assert.ok((await marked(page, "White amazon")).includes("b1"), back);
    assert.equal((await page.$$("#moves button")).length, 0);
    if (back !== "button") await page.keyboard.press("Escape");
  }
  // The arrow may land where the amazon came from.
  await touch(page, "b1");
  await touch(page, "b4");
  await touch(page, "b1");
  await page.waitForFunction(() => document.querySelectorAll("#moves button").length === 2);
  assert.equal(await page.textContent("#moves button"), "b1-b4/b1");
  await page.getByRole("button", { name: "Take back" }).click();
  assert.equal((await page.$$("#moves button")).length, 0);
  await close();
});

test("a whole game by keyboard alone", { skip }, async () => {
  const { page, close } = await openPage(server.url);
  await page.waitForSelector("dialog[open]");
  // The dialog opens with the focus inside; Enter on PLAY starts.
  await page.focus("[data-value=play]");
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog", { state: "detached" });
  await page.waitForSelector("[data-cell]");
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-cell"));
  assert.equal(await focused(), "b1");
  await page.keyboard.press("m");
  assert.match(await status(page), /Amazons that can move: b1 e1 a2 f2/);
  await page.keyboard.press("l");
  assert.match(await status(page), /No move/);
  const walk = async (square) => {
    const at = await focused();
    const steps = (from, to, less, more) => Array(Math.abs(to - from)).fill(to < from ? less : more);
    const keys = [...steps(at.charCodeAt(0), square.charCodeAt(0), "ArrowLeft", "ArrowRight"),
      ...steps(Number(at.slice(1)), Number(square.slice(1)), "ArrowDown", "ArrowUp")];
    for (const key of keys) await page.keyboard.press(key);
    assert.equal(await focused(), square);
    await page.keyboard.press("Enter");
  };
  for (let turn = 0; ; turn++) {
    await settled(page);
    if (await page.$("dialog[open]")) break;
    const game = await gameOf(page, 6);
    const from = game.movable()[0];
    await walk(from);
    assert.match(await status(page), new RegExp(`Amazon on ${from}: touch one of ${game.targets(from).length} squares`));
    const to = game.targets(from)[0];
    await walk(to);
    assert.match(await status(page), /^SHOOT/);
    await walk(game.shots(from, to)[0]);
    assert.equal(await page.evaluate(() => document.activeElement?.closest("#board, dialog") !== null), true, "the focus stays");
  }
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  assert.match(await status(page), /After \d+ moves/);
  await close();
});

test("moves are typed, keys flip and tell", { skip }, async () => {
  const { page, close } = await openPage(server.url);
  await startGame(page, { human: "both" });
  const type = async (text) => {
    await page.fill("#move-input", text);
    await page.press("#move-input", "Enter");
  };
  await type("b1-b4/d4");
  await type("e6e4");
  assert.match(await status(page), /^SHOOT/);
  await type("d5");
  assert.deepEqual(await page.$$eval("#moves button", (all) => all.map((one) => one.textContent)), ["b1-b4/d4", "e6-e4/d5"]);
  await type("a1-a2/a3");
  assert.match(await status(page), /'a1-a2\/a3' is not a square or a legal move here/);
  await type("<b>");
  assert.match(await status(page), /<b>/);
  const first = () => page.$eval("[data-cell]", (cell) => cell.dataset.cell);
  assert.equal(await first(), "a6");
  await page.focus('[data-cell][tabindex="0"]');
  await page.keyboard.press("f");
  assert.equal(await first(), "f1");
  assert.equal(await page.evaluate(() => document.activeElement?.hasAttribute("data-cell")), true);
  await page.keyboard.press("l");
  assert.match(await status(page), /Last move: e6-e4\/d5/);
  await close();
});

test("every state can be used with assistive technology, in light and dark, wide and 390 px", { skip }, async () => {
  for (const options of [{}, { colorScheme: "dark" }, { viewport: { width: 390, height: 800 } }]) {
    const { page, close } = await openPage(server.url, options);
    const check = async (state) => assert.deepEqual(await accessibility(page), [], `${state} ${JSON.stringify(options)}`);
    await check("start");
    await startGame(page, { human: "both" });
    await check("game");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing sticks out");
    await touch(page, "b1");
    await touch(page, "b4");
    await check("shoot");
    await touch(page, "d4");
    for (const item of ["rules", "results", "settings", "share"]) {
      await page.click("#menu-button");
      if (item === "rules") await check("menu");
      await page.click(`dialog [data-value=${item}]`);
      await page.waitForSelector(`dialog[open] h2`);
      await check(item);
      await page.keyboard.press("Escape");
      await page.waitForSelector("dialog", { state: "detached" });
    }
    await close();
  }
});

test("a stop is quick, stale answers are dropped, and the page stays quick meanwhile", { skip: noModel }, async () => {
  const { page, close } = await openPage(server.url);
  await page.evaluate(() => localStorage.setItem("hippolyta", JSON.stringify({ version: 2, settings: { limit: "time", timeMs: 20_000 } })));
  await page.reload();
  await page.waitForSelector("html[data-ready]");
  await startGame(page, { level: "insane", human: "black" });
  await page.getByRole("button", { name: "Move now" }).waitFor();
  const gap = page.evaluate(() => new Promise((resolve) => {
    let [last, longest, frames] = [performance.now(), 0, 0];
    const frame = (now) => {
      longest = Math.max(longest, now - last);
      last = now;
      if (++frames < 40) requestAnimationFrame(frame);
      else resolve(longest);
    };
    requestAnimationFrame(frame);
  }));
  await touch(page, "b6");
  assert.deepEqual(await marked(page, "chosen"), [], "no touch counts while it thinks");
  assert.ok(Number.isFinite(await gap));
  await page.getByRole("button", { name: "Move now" }).click();
  await page.waitForFunction(() => document.querySelectorAll("#moves button").length === 1);
  // It is asked to think again, and interrupted: its answer must not appear in the new game.
  await touch(page, (await marked(page, "can move"))[0]);
  await touch(page, (await marked(page, "target"))[0]);
  await touch(page, (await marked(page, "arrow may land here"))[0]);
  await page.getByRole("button", { name: "Move now" }).waitFor();
  await page.click("#menu-button");
  await page.click("dialog [data-value=new]");
  await startGame(page, { level: "easy", human: "white" });
  assert.equal((await page.$$("#moves button")).length, 0);
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
  assert.equal((await page.$$("#moves button")).length, 0);
  await close();
});

test("the package chooses in Chromium what it chooses elsewhere, stops, and says no twice", { skip: noModel }, async () => {
  const { page, close } = await openPage(server.url);
  const found = await page.evaluate(async () => {
    const { Engine, Game } = await import("./package/index.js");
    const engine = await Engine.load({ model: "models/insane-6x6.safetensors" });
    const game = Game.start(6);
    game.play("b1-b4/d4");
    const few = await engine.choose(game, { visits: 100, lines: 2 });
    const many = await engine.choose(game, { visits: 400 });
    const evaluation = await engine.evaluate(game);
    // Calls that come together wait for each other.
    const both = await Promise.all([engine.choose(game, { visits: 8 }), engine.choose(game, { visits: 8 })]);
    const infinite = engine.choose(game, { infinite: true });
    await new Promise((resolve) => setTimeout(resolve, 30));
    engine.stop();
    const stopped = await infinite;
    const abort = new AbortController();
    const given = engine.choose(game, { infinite: true, signal: abort.signal }).catch((error) => error.message);
    setTimeout(() => abort.abort(new Error("enough")), 20);
    const reason = await given;
    const next = await engine.choose(game, { visits: 4 });
    engine.dispose();
    const gone = await engine.choose(game).catch((error) => error.message);
    return { few, many, both: both.length, stopped: stopped.move, reason, next: next.move, gone, sum: evaluation.moves.reduce((sum, one) => sum + one.probability, 0), owners: evaluation.ownerWhite.size, best: evaluation.moves[0].move };
  });
  const game = Game.start(6);
  game.play("b1-b4/d4");
  for (const move of [found.few.move, found.many.move, found.stopped, found.next, found.best]) assert.ok(game.legalMoves().includes(move), move);
  assert.equal(found.few.visits, 100);
  assert.equal(found.few.valueWhite, -found.few.value);
  assert.ok(Math.abs(found.sum - 1) < 1e-6);
  assert.deepEqual([found.owners, found.both, found.reason], [36, 2, "enough"]);
  assert.match(found.gone, /disposed/);
  const native = process.env.HIPPOLYTA_BINARY;
  if (native) {
    const { execFileSync } = await import("node:child_process");
    for (const [visits, answer] of [[100, found.few], [400, found.many]]) {
      const input = `setoption name ModelFile value ${MODEL}\nsetoption name Level value insane\nposition fen ${game.fen}\ngo nodes ${visits}\n`;
      const lines = execFileSync(native, ["engine", "--protocol", "uci"], { input, encoding: "utf8" }).trim().split("\n");
      const best = lines.at(-1).split(" ")[1];
      assert.equal(best.replace(/^(\w+?\d+)(\w+?\d+),\2(\w+?\d+)$/, "$1-$2/$3"), answer.move);
      assert.equal(Number(lines.findLast((line) => / nodes /.test(line)).match(/nodes (\d+)/)[1]), answer.visits);
    }
  }
  await close();
});

test("a game goes on after a reload; broken and throwing stores do no harm", { skip }, async () => {
  const { page, context, close } = await openPage(server.url);
  await startGame(page, { human: "both" });
  for (const square of ["b1", "b4", "d4", "e6"]) await touch(page, square);
  await page.reload();
  await page.waitForSelector("dialog[open]");
  await page.getByRole("button", { name: "CONTINUE" }).click();
  await page.waitForSelector("#moves button");
  assert.deepEqual(await page.$$eval("#moves button", (all) => all.map((one) => one.textContent)), ["b1-b4/d4"]);
  await page.evaluate(() => localStorage.setItem("hippolyta", JSON.stringify({ version: 2, saved: { text: "zz", level: "easy", human: "white" } })));
  await page.reload();
  await page.getByRole("button", { name: "CONTINUE" }).click();
  await page.waitForFunction(() => /cannot be read/.test(document.getElementById("status").textContent));
  await context.addInitScript(() => Object.defineProperty(window, "localStorage", { get() { throw new Error("SecurityError"); } }));
  await page.reload();
  await startGame(page);
  await touch(page, "b1");
  assert.deepEqual(await marked(page, "chosen"), ["b1"]);
  await close();
});

test("positions and games come in and go out", { skip }, async () => {
  const fen = "Q*4/1*4/**4/6/6/5q w";
  const { page, close } = await openPage(`${server.url}#fen=${encodeURIComponent(fen)}`);
  assert.match(await page.getAttribute('[data-cell="a6"]', "aria-label"), /White amazon/);
  await page.goto(`${server.url}#fen=${encodeURIComponent("nonsense <img src=x onerror=alert(1)>")}`);
  await page.waitForFunction(() => /cannot be read: .*nonsense/.test(document.getElementById("status").textContent));
  const open = async () => {
    await page.click("#menu-button");
    await page.click("dialog [data-value=share]");
    await page.waitForSelector("dialog textarea");
  };
  const game = Game.start(8);
  for (const move of ["c1-c4/e4", "c8-c5/a5"]) game.play(move);
  for (const text of [game.sgf(), game.save(), `1. c1-c4/e4 c8-c5/a5`]) {
    await open();
    await page.fill("dialog textarea", text);
    await page.click("dialog [data-value=load]");
    await page.waitForFunction(() => document.querySelectorAll("#moves button").length === 2);
    await open();
    assert.equal(await page.inputValue("dialog input[readonly]"), game.fen);
    await page.keyboard.press("Escape");
  }
  await open();
  await page.fill("dialog textarea", "(;GM[18");
  await page.click("dialog [data-value=load]");
  await page.waitForFunction(() => /cannot be read/.test(document.getElementById("status").textContent));
  assert.equal((await page.$$("#moves button")).length, 2, "nothing is lost");
  await close();
});

test("a missing, broken or wrong model is said, and the game is not lost", { skip }, async () => {
  const faults = {
    missing: [{ status: 404 }, /there is none at .*insane-6x6/],
    "a page": [{ body: "<!doctype html>", type: "text/html" }, /cannot be used: .*safetensors/],
    "cut off": [{ body: existsSync(MODEL) ? readFileSync(MODEL).subarray(0, 1000) : "x" }, /cannot be used/],
  };
  for (const [fault, [answer, words]] of Object.entries(faults)) {
    override = (path) => (path.startsWith("/models/insane") ? answer : undefined);
    const { page, close } = await openPage(server.url);
    await startGame(page, { level: "insane", human: "black" });
    await page.waitForFunction(() => /none at|cannot be used/.test(document.getElementById("status").textContent));
    assert.match(await status(page), words, fault);
    override = () => undefined;
    await close();
  }
});

test("analysis and review", { skip: noModel }, async () => {
  const { page, close } = await openPage(server.url);
  await startGame(page, { human: "both" });
  for (const square of ["b1", "b4", "d4", "e6", "e4", "d5"]) await touch(page, square);
  await page.getByRole("button", { name: "Analyse" }).click();
  await page.waitForSelector(".best-list li:nth-child(3)");
  assert.match(await page.textContent("#tool"), /Value for White: [+−]?\d\.\d\d/);
  assert.ok((await page.$$(".owner-white, .owner-black")).length > 5);
  assert.deepEqual(await accessibility(page), []);
  await page.getByRole("button", { name: "End the analysis" }).click();
  assert.equal((await page.$$(".owner-white")).length, 0);
  await page.getByRole("button", { name: "Resign" }).click();
  await page.click("dialog [data-value=review]");
  await page.waitForSelector(".graph");
  assert.equal(await page.$eval(".graph .line", (line) => line.getAttribute("points").split(" ").length), 3);
  assert.deepEqual(await accessibility(page), []);
  await close();
});

test("motion is left out where it is not wanted, and the page can be read without colours", { skip }, async () => {
  const { page, close } = await openPage(server.url, { reducedMotion: "reduce" });
  await startGame(page);
  for (const square of ["b1", "b4", "d4"]) await touch(page, square);
  await settled(page);
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  // Sides, targets and arrows have shapes of their own.
  await page.emulateMedia({ forcedColors: "none" });
  await touch(page, (await marked(page, "can move"))[0]);
  assert.ok((await page.$$(".dot-target")).length > 0);
  await touch(page, (await marked(page, "target"))[0]);
  assert.ok((await page.$$(".cross-target")).length > 0);
  assert.equal((await page.$$(".dot-target")).length, 0);
  await close();
});

test("the page works without a network, and takes a new build only when asked", { skip }, async () => {
  const context = await (await launch()).newContext({ locale: "en-GB" });
  const page = await context.newPage();
  await page.goto(server.url);
  await page.waitForSelector("html[data-ready]");
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.reload();
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  await context.setOffline(true);
  await page.reload();
  await page.waitForSelector("html[data-ready]");
  await startGame(page);
  for (const square of ["b1", "b4", "d4"]) await touch(page, square);
  await page.waitForFunction(() => document.querySelectorAll("#moves button").length === 2);
  await context.setOffline(false);
  const worker = readFileSync(join(WEB, "sw.js"), "utf8").replace(/VERSION = "/, 'VERSION = "new-');
  override = (path) => (path === "/sw.js" ? { body: worker, type: "text/javascript" } : undefined);
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
  await page.waitForSelector("#update:not([hidden])");
  await Promise.all([page.waitForNavigation(), page.click("#update button")]);
  await page.waitForSelector("html[data-ready]");
  const names = await page.evaluate(() => caches.keys());
  assert.equal(names.filter((name) => name.startsWith("hippolyta-new-")).length, 1);
  assert.equal(names.filter((name) => /^hippolyta-[0-9a-f]/.test(name)).length, 0);
  override = () => undefined;
  await context.close();
});
