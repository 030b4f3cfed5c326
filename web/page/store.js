// What stays from visit to visit: settings, the game in progress, and the results. Without a store that works, as in
// private windows, it stays until the page is closed.

const KEY = "hippolyta";
/** Version of what is kept. An older one is brought up; a newer or broken one is set aside, not overwritten. */
const VERSION = 2;

/** @typedef {{ level: string, size: number, human: string }} Choice */
/**
 * @typedef {object} Saved
 * @property {string} text as `Game.save` writes it
 * @property {string} level
 * @property {string} human who the person plays: white, black or both
 * @property {string} [model] the champion that plays Insane
 */
/** @typedef {{ wins: number, losses: number, streak: number, best: number }} Record */
/**
 * @typedef {object} Settings
 * @property {string} [language]
 * @property {boolean} sound
 * @property {boolean} plain a board of one colour
 * @property {"visits" | "time"} limit how Insane's strength is bounded
 * @property {number} visits
 * @property {number} timeMs
 * @property {Choice} last what was chosen last
 */
/** @typedef {{ version: number, settings: Settings, saved: Saved | null, records: { [key: string]: Record } }} Kept */

/** @returns {Kept} */
function fresh() {
  return {
    version: VERSION,
    settings: {
      sound: true, plain: false, limit: "time", visits: 400, timeMs: 900,
      last: { level: "medium", size: 6, human: "white" },
    },
    saved: null,
    records: {},
  };
}

const LEVELS = ["easy", "medium", "hard", "insane"];
const isCount = (/** @type {unknown} */ value) => Number.isInteger(value) && Number(value) >= 0;

/**
 * What was kept, with all that is not as it should be left out. Throws when it is of no known version.
 * @param {any} raw
 * @returns {Kept}
 */
function checked(raw) {
  const kept = fresh();
  if (typeof raw !== "object" || raw === null || !Number.isInteger(raw.version)) throw new Error("not what this page keeps");
  if (raw.version > VERSION) throw new Error(`kept by a newer page (version ${raw.version})`);
  // Version 1 called the results "stats" and had no streaks.
  const records = raw.version === 1 ? raw.stats : raw.records;
  const { settings = {}, saved } = raw;
  if (typeof settings.language === "string") kept.settings.language = settings.language;
  for (const key of /** @type {const} */ (["sound", "plain"])) {
    if (typeof settings[key] === "boolean") kept.settings[key] = settings[key];
  }
  if (settings.limit === "visits") kept.settings.limit = "visits";
  if (isCount(settings.visits) && settings.visits >= 1) kept.settings.visits = Math.min(settings.visits, 15_000);
  if (isCount(settings.timeMs) && settings.timeMs >= 50) kept.settings.timeMs = Math.min(settings.timeMs, 60_000);
  const { level, size, human } = settings.last ?? {};
  if (LEVELS.includes(level) && [6, 8, 10].includes(size) && ["white", "black", "both"].includes(human)) {
    kept.settings.last = { level, size, human };
  }
  if (typeof saved?.text === "string" && LEVELS.includes(saved.level) && ["white", "black", "both"].includes(saved.human)) {
    kept.saved = { text: saved.text, level: saved.level, human: saved.human };
    if (typeof saved.model === "string") kept.saved.model = saved.model;
  }
  for (const [key, one] of Object.entries(/** @type {any} */ (records ?? {}))) {
    if (!/^(6|8|10)-(easy|medium|hard|insane)$/.test(key) || !isCount(one?.wins) || !isCount(one?.losses)) continue;
    kept.records[key] = {
      wins: one.wins, losses: one.losses,
      streak: Number.isInteger(one.streak) ? one.streak : 0, best: isCount(one.best) ? one.best : 0,
    };
  }
  return kept;
}

/** What the page keeps. */
export class Store {
  /** Why nothing is kept; empty while all is well. */
  trouble = "";

  /** @param {() => Storage} storage gives the browser's store, and may throw */
  constructor(storage = () => localStorage) {
    this.storage = storage;
    this.kept = this.#read();
  }

  #read() {
    let text;
    try {
      text = this.storage().getItem(KEY);
    } catch (error) {
      this.trouble = String(error);
      return fresh();
    }
    if (text === null) return fresh();
    try {
      return checked(JSON.parse(text));
    } catch (error) {
      // Nothing is lost: what cannot be read is put beside.
      try {
        this.storage().setItem(`${KEY}-unread`, text);
      } catch {
        this.trouble = String(error);
      }
      return fresh();
    }
  }

  /** Writes all of it. */
  write() {
    try {
      this.storage().setItem(KEY, JSON.stringify(this.kept));
      this.trouble = "";
    } catch (error) {
      this.trouble = String(error);
    }
  }

  get settings() {
    return this.kept.settings;
  }

  get saved() {
    return this.kept.saved;
  }

  /** @param {Saved | null} saved */
  save(saved) {
    this.kept.saved = saved;
    this.write();
  }

  /** @param {number} size @param {string} level @returns {Record} */
  record(size, level) {
    return this.kept.records[`${size}-${level}`] ?? { wins: 0, losses: 0, streak: 0, best: 0 };
  }

  /** Counts a finished game. @param {number} size @param {string} level @param {boolean} won */
  count(size, level, won) {
    const before = this.record(size, level);
    const streak = won ? Math.max(before.streak, 0) + 1 : Math.min(before.streak, 0) - 1;
    this.kept.records[`${size}-${level}`] = {
      wins: before.wins + (won ? 1 : 0),
      losses: before.losses + (won ? 0 : 1),
      streak,
      best: Math.max(before.best, streak),
    };
    this.write();
  }

  /** All of it, as text for a file. */
  export() {
    return JSON.stringify(this.kept, null, 1);
  }

  /** Takes what `export` gave; an error leaves all as it was. @param {string} text */
  import(text) {
    this.kept = checked(JSON.parse(text));
    this.write();
  }
}
