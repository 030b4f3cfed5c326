// The page: turns between a person and an opponent, and what stands around the board.

import { Analysis, chanceAfter, Review } from "./analysis.js";
import { PlayBoard } from "./board.js";
import { askForGame, showDialog, showEnd, showMenu, showResults, showRules, showSettings, showSharing } from "./dialogs.js";
import { byId, html } from "./dom.js";
import { NoModelError, Opponents } from "./opponents.js";
import { Game, load } from "./package/index.js";
import { play as sound } from "./sound.js";
import { Store } from "./store.js";
import { Table } from "./table.js";
import { speak, t } from "./texts.js";

/** @typedef {import("./package/game.js").Side} Side */

const store = new Store();
const opponents = new Opponents();
const board = new PlayBoard(byId("board"), { touch, key, describe, label: () => t("board") });
const tool = byId("tool");
/** @type {import("./analysis.js").Findings} */
let findings = { owners: null, best: [] };
const analysis = new Analysis(tool, opponents, (found) => { findings = found; draw(); });
const review = new Review(tool, opponents, {
  go: (ply) => goTo(ply),
  tryAt: (ply) => tryAt(ply),
  end: () => { review.end(); goTo(null); },
});

const state = {
  table: /** @type {Table | null} */ (null),
  level: "medium",
  human: "white",
  flipped: false,
  paused: false,
  thinking: /** @type {AbortController | null} */ (null),
  thinker: /** @type {import("./package/index.js").Engine | null} */ (null),
  /** The number of moves shown, null for the game as it stands. */
  view: /** @type {number | null} */ (null),
  /** A position in which a better move is looked for. */
  trial: /** @type {{ table: Table, ply: number, played: string, chance: number, best: string } | null} */ (null),
  counted: false,
  /** Whether the opponent is still to hear that a game begins. */
  begins: true,
  /** The verdict on the territory that was waved away. */
  dismissed: false,
  said: "",
  hint: /** @type {string | null} */ (null),
  slide: /** @type {string | null} */ (null),
};
let language = speak(store.settings.language);

const sideName = (/** @type {string} */ side) => t(side === "white" ? "white" : "black");
/** The table whose board is shown. */
const shown = () => state.trial?.table ?? state.table;
const isHumans = (/** @type {Side} */ side) => state.human === "both" || state.human === side;

/** Whether a touch of the board counts now. */
function mayTouch() {
  const { table, trial, paused, view, thinking } = state;
  if (trial) return true;
  return table !== null && !paused && view === null && thinking === null && !table.game.isOver && isHumans(table.game.side);
}

/** @param {string} square */
function touch(square) {
  const table = shown();
  if (!table || !mayTouch()) return;
  const before = table.game.moves.length;
  const touched = table.touch(square);
  if (touched === "nothing") return;
  state.said = "";
  state.hint = null;
  if (touched === "played" && state.trial) {
    void judgeTrial(table.game.moves[before]);
    return;
  }
  if (touched === "played") afterMove(false);
  else {
    if (touched === "moved") noise("move");
    draw();
  }
}

/** @param {"move" | "shot" | "won" | "lost"} what */
function noise(what) {
  if (store.settings.sound) sound(what);
}

/** Follows a move that was just played. @param {boolean} byEngine */
function afterMove(byEngine) {
  const { table } = state;
  if (!table) return;
  const last = table.game.moves[table.game.moves.length - 1];
  if (byEngine) {
    state.said = `${t("played", sideName(table.game.side === "white" ? "black" : "white"), last)} ${t("yourTurn")}`;
    state.slide = last.split("-")[0];
  }
  noise("shot");
  keep();
  draw();
  if (analysis.isOn) lookAtShown();
  if (table.game.isOver) void tellEnd();
  else void think();
}

/** Keeps the game for another visit. */
function keep() {
  const { table, level, human } = state;
  if (!table) return;
  store.save(table.game.isOver ? null : { text: table.game.save(), level, human });
}

/** Lets the opponent move, when it is its turn. */
async function think() {
  const { table, level } = state;
  if (!table || state.paused || table.game.isOver || isHumans(table.game.side)) return;
  const { game } = table;
  const thought = state.thinking = new AbortController();
  const isStale = () => state.thinking !== thought;
  state.said = t("loadingLevel");
  draw();
  try {
    const engine = await opponents.engine(/** @type {"easy"} */ (level), table.files, "opponent", ({ loaded, total }) => {
      if (isStale()) return;
      state.said = t("loading", total ? `${Math.round((100 * loaded) / total)} %` : `${Math.round(loaded / 1024)} KB`);
      drawStatus();
    });
    if (isStale()) return;
    state.thinker = engine;
    if (state.begins) await engine.newGame();
    if (isStale()) return;
    state.begins = false;
    state.said = t("thinking");
    draw();
    const { limit, visits, timeMs } = store.settings;
    const strength = level !== "insane" ? {} : limit === "visits" ? { visits } : { timeMs };
    const answer = await engine.choose(game, { ...strength, signal: thought.signal });
    if (isStale()) return;
    state.thinking = null;
    game.play(answer.move);
    afterMove(true);
  } catch (error) {
    if (isStale()) return;
    state.thinking = null;
    state.paused = true;
    state.said = error instanceof NoModelError ? t("noModel", error.address) : t("badModel", /** @type {Error} */ (error).message);
    draw();
  }
}

/** Drops the thought in progress; its answer is not wanted any more. */
function interrupt() {
  state.thinking?.abort(new Error("not wanted any more"));
  state.thinking = null;
}

/** @param {Game} game @param {{ level: string, human: string }} seats @param {boolean} [viewOnly] */
function sit(game, { level, human }, viewOnly = false) {
  interrupt();
  analysis.end();
  review.end();
  Object.assign(state, {
    table: new Table(game), level, human, flipped: human === "black", paused: viewOnly, view: null, trial: null,
    counted: game.isOver, begins: true, dismissed: false, said: "", hint: null, slide: null,
  });
  keep();
  draw();
  board.focus(game.movable()[0] ?? "a1");
  void think();
}

async function newGame() {
  const wasPaused = state.paused;
  const choice = await askForGame(store, opponents);
  if (choice === null) {
    if (!state.table) sit(Game.start(store.settings.last.size), store.settings.last, true);
    else state.paused = wasPaused;
    return;
  }
  if (choice === "continue") {
    resumeSaved();
    return;
  }
  store.settings.last = choice;
  store.write();
  sit(Game.start(choice.size), choice);
}

function resumeSaved() {
  const { saved } = store;
  if (!saved) return;
  try {
    sit(Game.load(saved.text), saved);
  } catch (error) {
    store.save(null);
    sit(Game.start(store.settings.last.size), store.settings.last, true);
    say(t("badText", /** @type {Error} */ (error).message));
  }
}

async function tellEnd() {
  const { table, human, level } = state;
  const outcome = table?.game.outcome();
  if (!table || !outcome) return;
  const versus = human !== "both";
  const won = outcome.winner === human;
  if (versus && !state.counted) store.count(table.files, level, won);
  state.counted = true;
  const title = versus ? t(won ? "won" : "lost") : t("wonBy", sideName(outcome.winner));
  const loser = sideName(outcome.winner === "white" ? "black" : "white");
  const words = t("after", table.game.moves.length, t(outcome.reason === "resignation" ? "resignation" : "noMove", loser));
  state.said = `${title} ${words}`;
  noise(won || !versus ? "won" : "lost");
  draw();
  const next = await showEnd({ title, words, size: table.files, level: versus ? level : null, store });
  if (next === "new") await newGame();
  else if (next === "review") startReview();
}

/** @param {Side} side */
function resign(side) {
  const { table } = state;
  if (!table || table.game.isOver) return;
  interrupt();
  table.drop();
  table.game.resign(side);
  keep();
  void tellEnd();
}

/** Takes back the person's last move and what was answered to it. */
function takeBack() {
  const { table } = state;
  if (!table || state.trial) return;
  interrupt();
  state.said = "";
  state.hint = null;
  if (!table.back()) {
    table.game.undo();
    while (!isHumans(table.game.side) && table.game.moves.length > 0) table.game.undo();
  }
  table.drop();
  state.view = null;
  keep();
  draw();
  if (analysis.isOn) lookAtShown();
  void think();
}

/** Undoes one step of a half-made move. */
function stepBack() {
  if (!shown()?.back()) return false;
  state.said = "";
  draw();
  return true;
}

async function hint() {
  const { table } = state;
  if (!table || !mayTouch()) return;
  table.drop();
  const { game } = table;
  const count = game.moves.length;
  state.said = t("thinking");
  draw();
  const engine = await opponents.analyst(table.files);
  const { move } = await engine.choose(game, engine.level === "insane" ? { visits: 200 } : { timeMs: 500 });
  if (state.table !== table || game.moves.length !== count) return;
  state.hint = move;
  state.said = t("hintIs", move);
  draw();
}

/** Shows the game after so many moves; null shows it as it stands. @param {number | null} ply */
function goTo(ply) {
  const { table } = state;
  if (!table) return;
  state.trial = null;
  table.drop();
  const count = table.game.moves.length;
  state.view = ply === null || (ply >= count && !review.isOn) ? null : Math.max(0, Math.min(count, ply));
  state.said = "";
  if (review.result) review.show(table, state.view ?? count);
  draw();
  if (analysis.isOn) lookAtShown();
}

function lookAtShown() {
  const { table } = state;
  if (table) void analysis.look(table.gameAt(state.view ?? table.game.moves.length), () => { analysis.end(); draw(); });
}

function toggleAnalysis() {
  if (analysis.isOn) analysis.end();
  else {
    review.end();
    lookAtShown();
  }
  draw();
}

function startReview() {
  const { table } = state;
  if (!table) return;
  interrupt();
  analysis.end();
  state.view = table.game.moves.length;
  void review.start(table);
  draw();
}

/** @param {number} ply */
function tryAt(ply) {
  const { table } = state;
  const { result } = review;
  if (!table || !result) return;
  goTo(ply);
  const side = table.at(ply).side;
  const after = result.chances[ply + 1];
  state.trial = {
    table: new Table(table.gameAt(ply)), ply, played: table.game.moves[ply], best: result.best[ply] ?? "", chance: side === "w" ? after : 1 - after,
  };
  state.said = t("tryIt", sideName(side === "w" ? "white" : "black"), state.trial.played);
  draw();
  board.focus(state.trial.table.game.movable()[0] ?? "a1");
}

/** @param {string} move */
async function judgeTrial(move) {
  const { trial } = state;
  if (!trial) return;
  trial.table.game.undo();
  state.said = t("thinking");
  draw();
  const share = await chanceAfter(opponents, trial.table.game, move);
  if (state.trial !== trial) return;
  const [now, before] = [share, trial.chance].map((one) => Math.round(100 * one));
  state.said = now > before ? t("better", move, now, before) : t("notBetter", move, now);
  draw();
}

/** @param {KeyboardEvent} event @returns {boolean} whether it was meant for the board */
function key(event) {
  const table = shown();
  if (!table) return false;
  switch (event.key.toLowerCase()) {
    case "escape":
      return stepBack();
    case "f":
    case "а":
      flip();
      return true;
    case "l":
    case "д": {
      const last = table.game.moves[table.game.moves.length - 1];
      say(last ? t("lastMove", last) : t("noLast"));
      return true;
    }
    case "m":
    case "ь":
      say(table.chosen === null ? t("nothingChosen", table.movable.join(" ")) : t("targetsOf", [...table.targets, ...table.shots].join(" ")));
      return true;
    default:
      return false;
  }
}

/** @param {string} words */
function say(words) {
  state.said = words;
  drawStatus();
}

function flip() {
  state.flipped = !state.flipped;
  draw();
}

/** Takes a square or a whole move as it was typed. @param {string} text */
function typed(text) {
  const table = shown();
  if (!table || !mayTouch()) return;
  const squares = text.toLowerCase().match(/[a-j](10|[1-9])/g) ?? [];
  const refuse = (/** @type {string} */ why) => say(t("badMove", text, why));
  if (squares.length === 3) {
    table.drop();
    for (const square of squares) touch(square);
    if (table.chosen !== null) {
      table.drop();
      draw();
      try {
        table.game.clone().play(text);
      } catch (error) {
        refuse(/** @type {Error} */ (error).message);
      }
    }
    return;
  }
  if (squares.length === 0) return refuse(t("moveLabel"));
  for (const square of squares) {
    const before = `${table.chosen} ${table.target} ${table.game.moves.length}`;
    touch(square);
    if (before === `${table.chosen} ${table.target} ${table.game.moves.length}`) return refuse(square);
  }
}

/** @param {string} square @param {string} what @param {import("./board.js").BoardView} view */
function describe(square, what, { movable = [], chosen, targets = [], shots = [], owners }) {
  const piece = what === "Q" ? t("whiteAmazon") : what === "q" ? t("blackAmazon") : what === "*" ? t("arrow") : t("empty");
  const more = [square === chosen ? t("chosen") : movable.includes(square) ? t("canMove") : "",
    targets.includes(square) ? t("target") : "", shots.includes(square) ? t("shot") : ""].filter((word) => word);
  const owner = owners?.get(square) ?? 0;
  if (Math.abs(owner) >= 0.5) more.push(sideName(owner > 0 ? "white" : "black"));
  return [`${square}, ${piece}`, ...more].join(", ");
}

/** What the status line says when nothing else is to be said. */
function statusWords() {
  const table = shown();
  if (state.said && !(table && table.chosen !== null)) return state.said;
  if (!table) return "";
  if (state.view !== null && !state.trial) return t("view", state.view, table.game.moves.length);
  if (state.paused && !state.trial) return t("paused");
  if (table.target !== null && table.chosen !== null) return `${t("shootFrom", table.shots.length, table.target)} ${t("backHint", table.target)}`;
  if (table.chosen !== null) return t("chooseTarget", table.chosen, table.targets.length);
  if (table.game.isOver) return t("over");
  return state.human === "both" || state.trial ? t("turnOf", sideName(table.game.side)) : t("yourTurn");
}

function drawStatus() {
  const words = statusWords();
  const place = byId("status");
  // Written only when it changes, so that it is spoken once.
  if (place.textContent !== words) place.textContent = words;
  place.classList.toggle("busy", state.thinking !== null);
}

/** Says once what the territory has decided. */
function drawNotice() {
  const { table, dismissed, view, trial } = state;
  const place = byId("notice");
  place.hidden = true;
  if (!table || dismissed || view !== null || trial || table.game.isOver || table.target !== null) return;
  const { winner, by } = table.game.territory();
  if (!winner) return;
  const words = t("decided", sideName(winner), by);
  place.hidden = false;
  if (place.firstChild?.textContent === words) return;
  place.replaceChildren(html("span", {}, words),
    html("button", { type: "button", onclick: () => resign(winner === "white" ? "black" : "white") }, t("endHere")),
    html("button", { type: "button", onclick: () => { state.dismissed = true; draw(); } }, t("close")));
}

function drawButtons() {
  const { table, thinking, trial } = state;
  const button = (/** @type {Parameters<typeof t>[0]} */ text, /** @type {() => unknown} */ onclick, disabled = false, pressed = /** @type {boolean | undefined} */ (undefined)) =>
    ({ text: t(text), onclick, disabled, pressed });
  if (!table) return byId("buttons").replaceChildren();
  const over = table.game.isOver;
  const wanted = trial ? [
    button("showBest", () => { state.hint = trial.best; say(t("bestWas", trial.best)); draw(); }),
    button("backToGame", () => goTo(trial.ply)),
  ] : [
    ...(state.paused && !over ? [button("resume", () => { state.paused = false; state.said = ""; draw(); void think(); })] : []),
    ...(thinking ? [button("stop", () => state.thinker?.stop())] : []),
    button("takeBack", takeBack, table.game.moves.length === 0 && table.chosen === null),
    ...(over ? [] : [button("hint", () => void hint(), !mayTouch()), button("resign", () => resign(state.human === "both" ? table.game.side : /** @type {Side} */ (state.human)))]),
    button("analyse", toggleAnalysis, false, analysis.isOn),
    ...(over && !review.isOn ? [button("review", startReview)] : []),
    ...(over ? [button("newGame", () => void newGame())] : []),
  ];
  const place = byId("buttons");
  const focused = place.contains(document.activeElement) ? document.activeElement?.textContent : null;
  place.replaceChildren(...wanted.map((one) => html("button", { type: "button", onclick: one.onclick, disabled: one.disabled, "aria-pressed": one.pressed }, one.text)));
  if (focused) [...place.querySelectorAll("button")].find((one) => one.textContent === focused)?.focus();
}

function drawMoves() {
  const { table, view } = state;
  const place = byId("moves");
  if (!table) return;
  const { moves } = table.game;
  const at = view ?? moves.length;
  const blackFirst = table.at(0).side === "b";
  const signature = `${table.game.startFen} ${moves.join(" ")}`;
  if (place.dataset.moves !== signature) {
    place.dataset.moves = signature;
    const entries = moves.map((move, k) => html("button", { type: "button", onclick: () => goTo(k + 1) }, move));
    const cells = blackFirst ? [html("span", {}, "…"), ...entries] : entries;
    const rows = [];
    for (let k = 0; k < cells.length; k += 2) rows.push(html("li", {}, html("span", {}, `${k / 2 + 1}.`), ...cells.slice(k, k + 2)));
    place.replaceChildren(...rows);
  }
  const buttons = [...place.querySelectorAll("button")];
  buttons.forEach((one, k) => one.setAttribute("aria-current", String(k === at - 1)));
  const here = buttons[at - 1];
  if (!here) place.scrollTop = 0;
  else place.scrollTop = Math.max(0, here.offsetTop - place.offsetTop - place.clientHeight / 2);
  const step = (/** @type {string} */ sign, /** @type {Parameters<typeof t>[0]} */ name, /** @type {number} */ to, /** @type {boolean} */ off) =>
    html("button", { type: "button", "aria-label": t(name), title: t(name), disabled: off, onclick: () => goTo(to) }, sign);
  byId("walk").replaceChildren(step("«", "goFirst", 0, at === 0), step("‹", "goBack", at - 1, at === 0),
    step("›", "goOn", at + 1, at >= moves.length), step("»", "goLast", moves.length, at >= moves.length));
}

function draw() {
  const table = shown();
  drawTexts();
  if (!table) return drawStatus();
  const { view, trial } = state;
  board.shape(table.files, table.ranks, state.flipped);
  const touchable = mayTouch();
  board.show({
    placement: trial || view === null ? table.placement() : table.at(view),
    movable: touchable ? table.movable : [], chosen: table.target ?? table.chosen, targets: touchable ? table.targets : [], shots: touchable ? table.shots : [],
    owners: findings.owners, best: state.hint ? [{ move: state.hint, share: 1 }] : findings.best, slide: state.slide,
  });
  state.slide = null;
  byId("board").classList.toggle("plain", store.settings.plain);
  const caption = byId("caption");
  caption.hidden = !(touchable && table.target !== null);
  caption.textContent = t("shoot");
  const game = trial || view === null ? table.game : table.gameAt(view);
  byId("reach").textContent = t("reach", game.reach("white"), game.reach("black"));
  const seat = (/** @type {Side} */ side) => `${sideName(side)}: ${isHumans(side) ? "–" : `Hippolyta (${t(/** @type {"easy"} */ (state.level))})`}`;
  byId("players").textContent = state.human === "both" ? "" : state.flipped ? seat("white") : seat(state.human === "white" ? "black" : "white");
  drawStatus();
  drawNotice();
  drawButtons();
  drawMoves();
}

function drawTexts() {
  document.documentElement.lang = language;
  document.title = byId("title").textContent = t("title");
  byId("tagline").textContent = t("tagline");
  byId("menu-button").textContent = t("menu");
  byId("moves-title").textContent = t("moves");
  byId("keys").textContent = t("keys");
  const input = /** @type {HTMLInputElement} */ (byId("move-input"));
  input.placeholder = t("movePlaceholder");
  input.setAttribute("aria-label", t("moveLabel"));
}

async function menu() {
  switch (await showMenu(state.paused)) {
    case "pause":
      interrupt();
      state.paused = true;
      state.said = "";
      break;
    case "resume":
      state.paused = false;
      state.said = "";
      void think();
      break;
    case "new": return newGame();
    case "flip": return flip();
    case "rules": await showRules(); break;
    case "results": await showResults(store); break;
    case "settings":
      await showSettings(store, opponents, language);
      language = speak(store.settings.language);
      break;
    case "share": return share();
  }
  draw();
}

async function share() {
  const { table } = state;
  if (!table) return;
  const names = (/** @type {Side} */ side) => (isHumans(side) ? "" : `Hippolyta (${state.level})`);
  const text = await showSharing(table.game, { white: names("white"), black: names("black") });
  if (text.trim()) take(text);
}

/** Takes a position or a game as text, to look at. @param {string} text */
function take(text) {
  try {
    const game = read(text.trim());
    sit(game, { level: state.level, human: state.human }, true);
    state.said = t("loaded", game.moves.length);
    draw();
  } catch (error) {
    say(t("badText", /** @type {Error} */ (error).message));
  }
}

/** @param {string} text */
function read(text) {
  // A position, then perhaps moves, as the page and the report write games; anything else is a game's record.
  if (/^[^\s(){}]*\/[^\s(){}]* [wb]\b/.test(text) && !text.startsWith("(")) {
    return text.includes("\n") ? Game.load(text) : Game.fromFen(text);
  }
  return Game.fromSgf(text);
}

/** Takes what the address says: `#fen=…`, `#game=…`. Gives whether it said anything. */
function takeAddress() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const text = hash.get("fen") ?? hash.get("game");
  if (text === null) return false;
  if (!state.table) sit(Game.start(store.settings.last.size), store.settings.last, true);
  take(text);
  return true;
}

/** Keeps the page for use without a network, and says when a newer one is ready. */
async function keepOffline() {
  if (!("serviceWorker" in navigator)) return;
  try {
    // Without a network nothing can be registered, but what was registered before is still there.
    const registration = await navigator.serviceWorker.register("sw.js").catch(() => navigator.serviceWorker.ready);
    const offer = () => {
      const waiting = registration.waiting;
      if (!waiting || !navigator.serviceWorker.controller) return;
      const place = byId("update");
      place.hidden = false;
      place.replaceChildren(t("update"), html("button", { type: "button", onclick: () => {
        navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
        waiting.postMessage("take over");
      } }, t("reload")));
    };
    offer();
    registration.addEventListener("updatefound", () => registration.installing?.addEventListener("statechange", offer));
  } catch {
    // Some hosts and modes have none; the page works all the same.
  }
}

async function start() {
  drawTexts();
  byId("menu-button").addEventListener("click", () => void menu());
  const input = /** @type {HTMLInputElement} */ (byId("move-input"));
  byId("typed").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim();
    input.value = "";
    if (text) typed(text);
  });
  addEventListener("hashchange", takeAddress);
  const own = new URL(location.href).searchParams.get("model");
  if (own) opponents.own = new URL(own, location.href);
  try {
    await Promise.all([load(), opponents.ask()]);
  } catch (error) {
    await showDialog(t("title"), String(error));
    return;
  }
  document.documentElement.dataset.ready = "true";
  void keepOffline();
  if (store.trouble) say(t("storeTrouble"));
  if (!takeAddress()) await newGame();
}

void start();
