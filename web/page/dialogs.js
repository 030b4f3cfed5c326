// The dialogs: start, menu, rules, results, settings, sharing, the end of a game.

import { drawBoard, placementAfter, readFen } from "./board.js";
import { download, html } from "./dom.js";
import { t } from "./texts.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./store.js").Choice} Choice */

export const SIZES = [6, 8, 10];
export const LEVELS = /** @type {const} */ (["easy", "medium", "hard", "insane"]);

/**
 * Shows a dialog until it is closed; gives its return value. Esc gives "".
 * @param {string} title
 * @param {...(Node | string)} content
 * @returns {Promise<string>}
 */
export function showDialog(title, ...content) {
  const id = `dialog-title-${document.querySelectorAll("dialog").length}`;
  const heading = html("h2", { id, tabindex: -1 }, title);
  const dialog = html("dialog", { "aria-labelledby": id }, heading, ...content);
  document.body.append(dialog);
  dialog.showModal();
  // What can be focused first may stand at the end of a long text, which is read from its beginning.
  if (dialog.scrollTop > 0) heading.focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
}

/** A button that closes its dialog with a value. @param {string} text @param {string} value @param {string} [kind] */
function closing(text, value, kind) {
  return html("button", {
    type: "button", class: kind, "data-value": value, onclick: (/** @type {Event} */ event) => {
      /** @type {Element} */ (event.currentTarget).closest("dialog")?.close(value);
    },
  }, text);
}

/**
 * A group of radio buttons.
 * @param {string} name
 * @param {string} legend
 * @param {{ value: string, text: string, more?: string }[]} choices
 * @param {string} checked
 * @param {string} [kind]
 */
function radios(name, legend, choices, checked, kind = "") {
  return html("fieldset", {}, html("legend", {}, legend), html("div", { class: `choices ${kind}` }, ...choices.map(({ value, text, more }) =>
    html("label", {}, html("input", { type: "radio", name, value, checked: value === checked }),
      html("span", {}, text, ...(more ? [html("small", {}, more)] : []))))));
}

/**
 * Asks what to play. Null when nothing was chosen, "continue" to go on with the saved game.
 * @param {Store} store
 * @param {import("./opponents.js").Opponents} opponents
 * @returns {Promise<Choice | "continue" | null>}
 */
export async function askForGame(store, opponents) {
  const { last } = store.settings;
  const level = (/** @type {typeof LEVELS[number]} */ name) => ({ value: name, text: t(name), more: t(name === "insane" ? "insaneLoads" : `${name}Text`) });
  const form = html("form", {},
    radios("size", t("board"), SIZES.map((size) => ({ value: String(size), text: t(/** @type {"size6"} */ (`size${size}`)) })), String(last.size)),
    radios("level", t("level"), LEVELS.map(level), last.level, "tall"),
    ...(opponents.champions.length > 0 ? [championChoice(opponents)] : []),
    radios("human", t("colour"), [{ value: "white", text: t("first") }, { value: "black", text: t("second") }, { value: "both", text: t("both") }], last.human));
  const done = await showDialog(t("startGame"), form, html("div", { class: "row" },
    closing(t("play"), "play", "main"), ...(store.saved ? [closing(t("continue"), "continue", "main")] : []), closing(t("cancel"), "")));
  if (done === "continue") return "continue";
  if (done !== "play") return null;
  const data = new FormData(form);
  return { size: Number(data.get("size")), level: String(data.get("level")), human: String(data.get("human")) };
}

/** @param {import("./opponents.js").Opponents} opponents */
function championChoice(opponents) {
  const select = html("select", { onchange: () => { opponents.champion = select.value || null; } },
    html("option", { value: "" }, t("shipped")),
    ...opponents.champions.map(({ name, file }) => html("option", { value: file, selected: file === opponents.champion }, name)));
  return html("p", { class: "row" }, html("label", {}, `${t("champion")}: `, select));
}

/**
 * The menu. Gives what was chosen.
 * @param {boolean} paused
 */
export function showMenu(paused) {
  const source = document.querySelector("meta[name=source]")?.getAttribute("content");
  return showDialog(t("menu"), html("div", { class: "column" },
    closing(t(paused ? "resume" : "pause"), paused ? "resume" : "pause"), closing(t("newGame"), "new"), closing(t("flip"), "flip"),
    closing(t("share"), "share"), closing(t("results"), "results"), closing(t("settings"), "settings"), closing(t("rules"), "rules"),
    ...(source ? [html("a", { class: "button", href: source }, t("source"))] : []), closing(t("close"), "")));
}

const STARTS = {
  6: ["a2 b1 e1 f2", "a5 b6 e6 f5"], 8: ["a3 c1 f1 h3", "a6 c8 f8 h6"], 10: ["a4 d1 g1 j4", "a7 d10 g10 j7"],
};

export function showRules() {
  const { files, ranks, placement } = readFen("1q2q1/q4q/6/6/Q4Q/1Q2Q1 w");
  const after = placementAfter(placement, "b1-b4/d4");
  const moved = new Map(after.squares);
  moved.delete("d4");
  const picture = (/** @type {import("./board.js").Placement} */ shown, /** @type {string} */ words) =>
    html("figure", {}, drawBoard({ files, ranks }, shown, { label: words }), html("figcaption", {}, words));
  const half = { squares: moved, side: "w", move: { from: "b1", to: "b4", arrow: "b4" } };
  return showDialog(t("rules"),
    html("div", { class: "pictures" }, picture(placement, t("rule1")), picture(half, t("rule2")), picture(after, t("rule3"))),
    html("p", {}, t("rule4")),
    html("h3", {}, t("setup")),
    html("ul", {}, ...Object.entries(STARTS).map(([size, [white, black]]) => html("li", {}, `${size}×${size}: ${white} / ${black}`))),
    html("h3", {}, t("tips")), html("ul", {}, ...[t("tip1"), t("tip2"), t("tip3")].map((tip) => html("li", {}, tip))),
    html("p", { class: "soft" }, t("keys")),
    html("div", { class: "row" }, closing(t("close"), "")));
}

/** The record of one board and level as cells. @param {import("./store.js").Record} record */
function recordCells({ wins, losses, streak, best }) {
  const games = wins + losses;
  return [wins, losses, games ? `${Math.round((100 * wins) / games)} %` : "–", streak > 0 ? `+${streak}` : streak, best].map((cell) => html("td", {}, String(cell)));
}

const recordHeads = () => [t("wins"), t("losses"), t("percent"), t("streak"), t("best")].map((head) => html("th", { scope: "col" }, head));

/** @param {Store} store */
export function showResults(store) {
  const rows = SIZES.flatMap((size) => LEVELS.map((level) => ({ size, level, record: store.record(size, level) })))
    .filter(({ record }) => record.wins + record.losses > 0);
  const table = rows.length === 0 ? html("p", {}, t("none")) : html("table", {},
    html("thead", {}, html("tr", {}, html("th", { scope: "col" }, `${t("board")}, ${t("level")}`), ...recordHeads())),
    html("tbody", {}, ...rows.map(({ size, level, record }) =>
      html("tr", {}, html("th", { scope: "row" }, `${size}×${size} ${t(level)}`), ...recordCells(record)))));
  const told = html("p", { role: "status" });
  const input = html("input", { type: "file", accept: ".json,application/json", class: "unseen", tabindex: -1, "aria-label": t("importData"), onchange: async () => {
    const file = input.files?.[0];
    if (!file) return;
    try {
      store.import(await file.text());
      told.textContent = t("imported");
    } catch (error) {
      told.textContent = t("badImport", /** @type {Error} */ (error).message);
    }
  } });
  return showDialog(t("results"), table, html("p", { class: "soft" }, t(store.trouble ? "storeTrouble" : "kept")), told,
    html("div", { class: "row" }, html("button", { type: "button", onclick: () => download("hippolyta.json", store.export(), "application/json") }, t("exportData")),
      html("button", { type: "button", onclick: () => input.click() }, t("importData")), input, closing(t("close"), "")));
}

/**
 * @param {Store} store
 * @param {import("./opponents.js").Opponents} opponents
 * @param {string} language
 */
export async function showSettings(store, opponents, language) {
  const { settings } = store;
  const check = (/** @type {string} */ name, /** @type {string} */ text, /** @type {boolean} */ checked) =>
    html("label", { class: "row" }, html("input", { type: "checkbox", name, checked }), text);
  const number = (/** @type {string} */ name, /** @type {string} */ text, /** @type {number} */ value, /** @type {number} */ min, /** @type {number} */ max) =>
    html("input", { type: "number", name, value, min, max, "aria-label": text, size: 7 });
  const radio = (/** @type {string} */ value, /** @type {string} */ text, /** @type {Node} */ input) =>
    html("div", { class: "row" }, html("label", { class: "row" }, html("input", { type: "radio", name: "limit", value, checked: settings.limit === value }), text), input);
  const form = html("form", {},
    check("sound", t("sound"), settings.sound), check("plain", t("plain"), settings.plain),
    html("label", { class: "row" }, `${t("language")}: `, html("select", { name: "language" },
      html("option", { value: "en", selected: language === "en" }, "English"), html("option", { value: "ru", selected: language === "ru" }, "Русский"))),
    html("fieldset", {}, html("legend", {}, t("strength")),
      radio("time", t("byTime"), number("timeMs", t("byTime"), settings.timeMs, 50, 60_000)),
      radio("visits", t("byVisits"), number("visits", t("byVisits"), settings.visits, 1, 15_000))),
    html("label", { class: "row" }, `${t("ownModel")}: `, html("input", { type: "file", name: "model", accept: ".safetensors" })));
  await showDialog(t("settings"), form, html("div", { class: "row" }, closing(t("close"), "")));
  const data = new FormData(form);
  const within = (/** @type {string} */ key, /** @type {number} */ least, /** @type {number} */ most, /** @type {number} */ old) => {
    const value = Math.round(Number(data.get(key)));
    return value >= least && value <= most ? value : old;
  };
  settings.sound = data.has("sound");
  settings.plain = data.has("plain");
  settings.language = String(data.get("language"));
  settings.limit = data.get("limit") === "visits" ? "visits" : "time";
  settings.timeMs = within("timeMs", 50, 60_000, settings.timeMs);
  settings.visits = within("visits", 1, 15_000, settings.visits);
  const file = data.get("model");
  if (file instanceof File && file.size > 0) opponents.own = file;
  store.write();
}

/**
 * Hands the game out, and takes one in. Gives the text to load, or "".
 * @param {import("./package/index.js").Game} game
 * @param {{ white: string, black: string }} players
 */
export async function showSharing(game, players) {
  const link = new URL(`#fen=${encodeURIComponent(game.fen)}`, location.href).href;
  const told = html("p", { role: "status" });
  const line = (/** @type {string} */ name, /** @type {string} */ text) => {
    const field = html("input", { type: "text", readonly: true, value: text, "aria-label": name });
    return html("p", { class: "row" }, html("span", {}, `${name}:`), field, html("button", { type: "button", onclick: async () => {
      field.select();
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        document.execCommand("copy");
      }
      told.textContent = t("copied");
    } }, t("copy")));
  };
  const area = html("textarea", { "aria-label": t("paste"), spellcheck: "false" });
  const done = await showDialog(t("share"), line(t("fen"), game.fen), line(t("link"), link),
    html("p", { class: "row" }, html("button", { type: "button", onclick: () => download("game.sgf", game.sgf(players), "application/x-go-sgf") }, t("saveSgf"))),
    html("p", {}, t("paste"), ":"), area, told, html("div", { class: "row" }, closing(t("loadIt"), "load", "main"), closing(t("close"), "")));
  return done === "load" ? area.value : "";
}

/**
 * Tells the end of a game.
 * @param {{ title: string, words: string, size: number, level: string | null, store: Store }} end
 */
export function showEnd({ title, words, size, level, store }) {
  const record = level === null ? [] : [html("table", {}, html("thead", {}, html("tr", {}, html("th", { scope: "col" }, `${size}×${size} ${t(/** @type {"easy"} */ (level))}`), ...recordHeads())),
    html("tbody", {}, html("tr", {}, html("td", {}), ...recordCells(store.record(size, level)))))];
  return showDialog(title, html("p", {}, words), ...record,
    html("div", { class: "row" }, closing(t("newGame"), "new", "main"), closing(t("review"), "review"), closing(t("close"), "")));
}
