// The package under node: rules, texts, sizes, types.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { brotliCompressSync, constants } from "node:zlib";
import { WEB } from "./server.js";

const root = new URL("../../", import.meta.url).pathname;
const { Game, load } = await import(join(WEB, "package/index.js"));
const { allTexts } = await import(join(WEB, "texts.js"));
const { Store } = await import(join(WEB, "store.js"));
const { placementAfter, readFen } = await import(join(WEB, "board.js"));

test("rules want to be loaded first", () => {
  assert.throws(() => Game.start(6), /await load\(\)/);
});

test("the package", async (group) => {
  await load();

  await group.test("touches make the legal moves, whose number is known", () => {
    for (const [size, count] of [[6, 544], [8, 1232], [10, 2176]]) {
      const game = Game.start(size);
      const touched = game.movable().flatMap((from) => game.targets(from).flatMap((to) => game.shots(from, to).map((arrow) => `${from}-${to}/${arrow}`)));
      assert.equal(touched.length, count);
      assert.deepEqual(touched.sort(), game.legalMoves().sort());
      assert.deepEqual([game.files, game.ranks], [size, size]);
    }
  });

  await group.test("a game goes forth and back", () => {
    const game = Game.start(6);
    const start = game.fen;
    assert.equal(game.play("b1b4(d4)"), "b1-b4/d4");
    assert.equal(game.side, "black");
    assert.throws(() => game.play("b1-b4/d4"), /b1-b4\/d4 is not legal/);
    assert.throws(() => game.play("nonsense"), /nonsense/);
    assert.throws(() => game.targets("j9"), /j9 is outside/);
    assert.throws(() => Game.start(7), /board of 7/);
    assert.throws(() => Game.fromFen("<html>"), /html/);
    const copy = game.clone();
    assert.equal(game.undo(), "b1-b4/d4");
    assert.equal(game.undo(), undefined);
    assert.equal(game.fen, start);
    assert.deepEqual(copy.moves, ["b1-b4/d4"]);
    assert.equal(Game.load(copy.save()).fen, copy.fen);
  });

  await group.test("SGF and FEN go both ways", () => {
    const game = Game.start(10);
    for (const move of ["d1-d7/g7", "d10-d8/a8", "a4-b4/b9"]) game.play(move);
    const read = Game.fromSgf(game.sgf({ white: "me", black: "it" }));
    assert.deepEqual([read.fen, read.moves, read.players], [game.fen, game.moves, { white: "me", black: "it" }]);
    assert.equal(Game.fromFen(game.fen).fen, game.fen);
    assert.throws(() => Game.fromSgf("(;GM[1]"), /SGF|GM/);
  });

  await group.test("the end and the territory are told", () => {
    const lost = Game.fromFen("Q*4/**4/6/6/6/5q w");
    assert.deepEqual(lost.outcome(), { winner: "black", reason: "no-move" });
    assert.deepEqual([lost.reach("white"), lost.reach("black"), lost.movable()], [0, 13, []]);
    const decided = Game.fromFen("Q1*3/1**3/***3/6/6/5q w");
    const { winner, white, by } = decided.territory();
    assert.deepEqual([winner, white], ["black", [2, 2]]);
    assert.ok(by > 10, String(by));
    const resigned = Game.start(6);
    resigned.resign("white");
    assert.deepEqual(resigned.clone().outcome(), { winner: "black", reason: "resignation" });
  });

  await group.test("a board's drawing follows the rules", () => {
    for (const size of [6, 8, 10]) {
      const game = Game.start(size);
      let placement = readFen(game.fen).placement;
      for (let ply = 0; ply < 20 && !game.isOver; ply++) {
        const moves = game.legalMoves();
        const move = moves[(ply * 37) % moves.length];
        game.play(move);
        placement = placementAfter(placement, move);
        const wanted = readFen(game.fen).placement;
        assert.deepEqual([...placement.squares].sort(), [...wanted.squares].sort());
        assert.equal(placement.side, wanted.side);
      }
    }
  });
});

test("all texts are there in each language, with the same places", () => {
  const places = (text) => [...text.matchAll(/\{\d\}/g)].map(String).sort();
  for (const key of Object.keys(allTexts.en)) {
    assert.ok(allTexts.ru[key], key);
    assert.deepEqual(places(allTexts.ru[key]), places(allTexts.en[key]), key);
  }
});

const storage = (text) => {
  const kept = new Map(text === undefined ? [] : [["hippolyta", text]]);
  return { kept, getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
};

test("results are counted, kept, and read again", () => {
  const one = storage();
  const store = new Store(() => one);
  for (const won of [true, true, false, true]) store.count(6, "easy", won);
  assert.deepEqual(new Store(() => one).record(6, "easy"), { wins: 3, losses: 1, streak: 1, best: 2 });
  const other = new Store(() => storage());
  other.import(store.export());
  assert.deepEqual(other.record(6, "easy"), store.record(6, "easy"));
  assert.throws(() => other.import("{}"), /not what/);
  assert.equal(other.record(6, "easy").wins, 3);
});

test("an older store is brought up, a newer or broken one set aside", () => {
  const old = JSON.stringify({ version: 1, settings: { sound: false }, stats: { "6-hard": { wins: 2, losses: 5 } } });
  const store = new Store(() => storage(old));
  assert.deepEqual(store.record(6, "hard"), { wins: 2, losses: 5, streak: 0, best: 0 });
  assert.equal(store.settings.sound, false);
  for (const text of ["{broken", "null", JSON.stringify({ version: 99 })]) {
    const one = storage(text);
    const fresh = new Store(() => one);
    assert.equal(fresh.saved, null);
    assert.equal(one.kept.get("hippolyta-unread"), text);
  }
  const wild = { version: 2, settings: { visits: -1, last: { level: "x" } }, saved: { text: 5 }, records: { "7-easy": { wins: 1, losses: 1 }, "6-easy": { wins: "a" } } };
  assert.deepEqual(new Store(() => storage(JSON.stringify(wild))).kept.records, {});
});

test("a store that throws costs nothing but the keeping", () => {
  const store = new Store(() => { throw new Error("SecurityError"); });
  store.count(6, "easy", true);
  assert.equal(store.record(6, "easy").wins, 1);
  assert.match(store.trouble, /SecurityError/);
});

test("a player of Easy to Hard loads at most 300 KB, and a model is at most 1.5 MB", () => {
  const size = (name) => brotliCompressSync(readFileSync(join(WEB, name)), { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
  const files = ["index.html", "style.css", "app.js", "analysis.js", "board.js", "dialogs.js", "dom.js", "opponents.js", "sound.js", "store.js", "table.js", "texts.js",
    ...["index", "engine", "game", "module", "slices", "worker", "hippolyta"].map((name) => `package/${name}.js`), "package/hippolyta_bg.wasm"];
  const total = files.reduce((sum, name) => sum + size(name), 0);
  assert.ok(total <= 300_000, `${total} bytes`);
  for (const board of ["6x6", "8x8", "10x10"]) {
    const path = join(WEB, `models/insane-${board}.safetensors`);
    if (existsSync(path)) assert.ok(readFileSync(path).length <= 1_500_000, board);
  }
});

/** Runs the TypeScript compiler with settings beside those of tsconfig.json. */
function compile(settings) {
  const folder = mkdtempSync(join(tmpdir(), "hippolyta-types-"));
  const file = (name) => new URL(name, import.meta.url).pathname;
  try {
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: file("tsconfig.json"), ...settings }));
    execFileSync(process.execPath, [file("node_modules/typescript/bin/tsc"), "-p", folder], { encoding: "utf8" });
  } catch (error) {
    assert.fail(error.stdout || String(error));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the types hold", () => {
  compile({ include: [join(WEB, "*.js"), join(WEB, "package/*.js")], exclude: [join(WEB, "package/standalone.js"), join(WEB, "package/hippolyta.js")] });
});

// Where this fails: copy what it found, HIPPOLYTA_TYPES=web/package scripts/test-web.
test("the package's declarations are those of its code", () => {
  const folder = mkdtempSync(join(tmpdir(), "hippolyta-package-"));
  const names = ["engine.d.ts", "game.d.ts", "index.d.ts", "module.d.ts"];
  try {
    cpSync(join(WEB, "package"), join(folder, "package"), { recursive: true });
    for (const name of names) rmSync(join(folder, "package", name), { force: true });
    const [rootDir, outDir] = ["package", "types"].map((name) => join(folder, name));
    compile({ compilerOptions: { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir, outDir }, include: [join(rootDir, "index.js")] });
    for (const name of names) {
      if (process.env.HIPPOLYTA_TYPES) cpSync(join(outDir, name), join(root, process.env.HIPPOLYTA_TYPES, name));
      else assert.equal(readFileSync(join(WEB, "package", name), "utf8"), readFileSync(join(outDir, name), "utf8"), name);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
