// Analysis of a position, and the review of a game.

import { svgElement } from "./board.js";
import { html } from "./dom.js";
import { t } from "./texts.js";

/** @typedef {import("./package/index.js").Game} Game */
/** @typedef {import("./package/engine.js").Answer} Answer */
/** @typedef {import("./opponents.js").Opponents} Opponents */
/** @typedef {{ owners: Map<string, number> | null, best: { move: string, share: number }[] }} Findings */

const LINES = 3;
/** Visits of each position in a review. */
const REVIEW_VISITS = 100;
/** The share of won games that a move must lose to be told. */
const SLIP = 0.1;

/** @param {number} value in [-1, 1] */
const chance = (value) => (1 + value) / 2;
/** @param {number} share */
const percent = (share) => Math.round(100 * share);
const sideName = (/** @type {string} */ side) => t(side === "white" ? "white" : "black");

/** Thinks about the position that is shown, until it is told to end. */
export class Analysis {
  /** @type {AbortController | null} */
  #thought = null;

  /**
   * @param {HTMLElement} place
   * @param {Opponents} opponents
   * @param {(findings: Findings) => void} found
   */
  constructor(place, opponents, found) {
    this.place = place;
    this.opponents = opponents;
    this.found = found;
  }

  get isOn() {
    return this.#thought !== null;
  }

  end() {
    this.#thought?.abort(new Error("the analysis has ended"));
    this.#thought = null;
    this.place.replaceChildren();
    this.found({ owners: null, best: [] });
  }

  /** Looks at a position. @param {Game} game @param {() => void} onEnd the reader asks for the end */
  async look(game, onEnd) {
    this.#thought?.abort(new Error("another position"));
    const thought = this.#thought = new AbortController();
    const { signal } = thought;
    const territory = game.territory();
    const parts = {
      bar: html("div", {}), best: html("ol", { class: "best-list" }), visits: html("p", { class: "soft" }), legend: html("p", { class: "soft" }),
    };
    this.place.replaceChildren(html("h2", {}, t("analysisTitle")), parts.bar, html("h3", {}, t("bestMoves")), parts.best, parts.visits, parts.legend,
      html("p", { class: "soft" }, t("territory", span(territory.white), span(territory.black), territory.contested)),
      html("div", { class: "row" }, html("button", { type: "button", onclick: onEnd }, t("stopAnalysis"))));
    parts.bar.replaceChildren(...valueBar(game.isOver ? (game.outcome()?.winner === "white" ? 1 : -1) : 0));
    if (game.isOver) return;
    /** @type {Findings} */
    const findings = { owners: null, best: [] };
    try {
      const engine = await this.opponents.analyst(game.files);
      if (signal.aborted) return;
      if (engine.level === "insane") {
        const { ownerWhite, valueWhite } = await engine.evaluate(game);
        if (signal.aborted) return;
        findings.owners = ownerWhite;
        parts.legend.textContent = `${t("owners")}: ${t("ownersLegend")}`;
        parts.bar.replaceChildren(...valueBar(valueWhite));
        this.found(findings);
      } else {
        parts.legend.textContent = t("analysisClassical");
      }
      const tell = (/** @type {Answer} */ answer) => {
        if (signal.aborted) return;
        if (answer.valueWhite !== null) parts.bar.replaceChildren(...valueBar(answer.valueWhite));
        const lines = answer.lines.slice(0, LINES);
        parts.best.replaceChildren(...lines.map((line, k) => html("li", {}, `${k + 1}. ${line.moves.slice(0, 3).join(" ")}  (${percent(chance(line.valueWhite))} %)`)));
        parts.visits.textContent = t("visitsText", answer.visits.toLocaleString());
        findings.best = lines.map((line, k) => ({ move: line.moves[0], share: 1 - 0.35 * k }));
        this.found(findings);
      };
      tell(await engine.choose(game, { infinite: true, lines: LINES, signal, onInfo: tell }));
    } catch (error) {
      if (!signal.aborted) parts.legend.textContent = String(error);
    }
  }
}

/** @param {[number, number]} bounds */
const span = ([low, high]) => (low === high ? String(low) : `${low}–${high}`);

/** White's chance as a bar and in words. @param {number} value White's */
function valueBar(value) {
  const share = percent(chance(value));
  const signed = (value > 0 ? "+" : "") + value.toFixed(2).replace("-", "−");
  const words = Math.abs(value) === 1 ? t("proven", sideName(value > 0 ? "white" : "black")) : t("valueText", share);
  return [html("p", {}, `${t("valueFor")}: ${signed}`),
    html("div", { class: "value-bar", "aria-hidden": "true" }, html("i", { style: `width: ${share}%` })), html("p", { class: "soft" }, words)];
}

/** @typedef {{ chances: number[], best: (string | null)[] }} Reviewed White's chance before each move and at the end, and the best moves */

/** Reviews a game: what each position was worth, where it turned. */
export class Review {
  /** @type {AbortController | null} */
  #work = null;
  /** @type {Reviewed | null} */
  result = null;

  /**
   * @param {HTMLElement} place
   * @param {Opponents} opponents
   * @param {{ go: (ply: number) => void, tryAt: (ply: number) => void, end: () => void }} told
   */
  constructor(place, opponents, told) {
    this.place = place;
    this.opponents = opponents;
    this.told = told;
  }

  get isOn() {
    return this.#work !== null;
  }

  end() {
    this.#work?.abort(new Error("the review has ended"));
    this.#work = null;
    this.result = null;
    this.place.replaceChildren();
  }

  /** @param {import("./table.js").Table} table */
  async start(table) {
    this.end();
    const work = this.#work = new AbortController();
    const { signal } = work;
    const count = table.game.moves.length;
    const state = html("p", {});
    this.place.replaceChildren(html("h2", {}, t("reviewTitle")), state, this.#ending());
    /** @type {Reviewed} */
    const result = { chances: [], best: [] };
    try {
      const engine = await this.opponents.analyst(table.files);
      for (let ply = 0; ply <= count; ply++) {
        if (signal.aborted) return;
        state.textContent = t("reviewing", ply + 1, count + 1);
        const game = table.gameAt(ply);
        const outcome = game.outcome();
        if (outcome) {
          result.chances.push(outcome.winner === "white" ? 1 : 0);
          result.best.push(null);
          continue;
        }
        const answer = await engine.choose(game, { visits: engine.level === "insane" ? REVIEW_VISITS : 20_000, signal });
        result.chances.push(chance(answer.valueWhite ?? 0));
        result.best.push(answer.move);
      }
    } catch (error) {
      if (!signal.aborted) state.textContent = String(error);
      return;
    }
    this.result = result;
    this.show(table, count);
  }

  /** Draws what was found. @param {import("./table.js").Table} table @param {number} ply the position that is shown */
  show(table, ply) {
    const { result } = this;
    if (!result) return;
    const slips = slipsOf(table, result).slice(0, 5);
    const list = slips.length === 0 ? html("p", {}, t("noBlunders")) : html("ol", { class: "slips" }, ...slips.map((slip) => html("li", {},
      html("button", { type: "button", onclick: () => this.told.go(slip.ply) },
        t("blunder", slip.ply + 1, sideName(slip.side), slip.move, t("drop", percent(slip.before), percent(slip.after)))),
      " ", html("button", { type: "button", onclick: () => this.told.tryAt(slip.ply) }, t("findBetter")))));
    this.place.replaceChildren(html("h2", {}, t("reviewTitle")), html("h3", {}, t("valueGraph")), this.#graph(result, slips, ply),
      html("h3", {}, t("blunders")), list, this.#ending());
  }

  #ending() {
    return html("div", { class: "row" }, html("button", { type: "button", onclick: () => this.told.end() }, t("backToGame")));
  }

  /** @param {Reviewed} result @param {{ ply: number }[]} slips @param {number} ply */
  #graph({ chances }, slips, ply) {
    const [width, height] = [300, 100];
    const x = (/** @type {number} */ k) => (k * width) / Math.max(1, chances.length - 1);
    const y = (/** @type {number} */ share) => height * (1 - share);
    const graph = svgElement("svg", { class: "graph", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": t("valueGraph") },
      svgElement("rect", { class: "ground", width, height }),
      svgElement("line", { class: "middle", x1: 0, x2: width, y1: height / 2, y2: height / 2 }),
      svgElement("polyline", { class: "line", points: chances.map((share, k) => `${x(k).toFixed(1)},${y(share).toFixed(1)}`).join(" ") }),
      ...slips.map((slip) => svgElement("circle", { class: "slip", cx: x(slip.ply), cy: y(chances[slip.ply]), r: 4 })),
      svgElement("line", { class: "here", x1: x(ply), x2: x(ply), y1: 0, y2: height }));
    graph.addEventListener("click", (event) => {
      const { left, width: shown } = graph.getBoundingClientRect();
      this.told.go(Math.round((/** @type {MouseEvent} */ (event).clientX - left) / shown * (chances.length - 1)));
    });
    return graph;
  }
}

/**
 * The moves that lost most, the worst first.
 * @param {import("./table.js").Table} table
 * @param {Reviewed} result
 */
export function slipsOf(table, { chances }) {
  return table.game.moves.map((move, ply) => {
    const side = table.at(ply).side === "w" ? "white" : "black";
    const own = (/** @type {number} */ share) => (side === "white" ? share : 1 - share);
    return { ply, move, side, before: own(chances[ply]), after: own(chances[ply + 1]) };
  }).filter((slip) => slip.before - slip.after >= SLIP).sort((a, b) => b.before - b.after - (a.before - a.after));
}

/**
 * Says whether a move is better than the one that was played.
 * @param {Opponents} opponents
 * @param {Game} before
 * @param {string} move
 * @returns {Promise<number>} the mover's chance after it
 */
export async function chanceAfter(opponents, before, move) {
  const after = before.clone();
  const side = after.side;
  after.play(move);
  const outcome = after.outcome();
  if (outcome) return outcome.winner === side ? 1 : 0;
  const engine = await opponents.analyst(after.files);
  const answer = await engine.choose(after, { visits: engine.level === "insane" ? REVIEW_VISITS : 20_000 });
  return chance(-(answer.value ?? 0));
}
