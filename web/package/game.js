// A game in progress: whose turn it is, what may be played, who has won.

import { rules } from "./module.js";

/** @typedef {"white" | "black"} Side */

/**
 * The end of a game. A side loses when it cannot move on its turn, or resigns.
 * @typedef {object} Outcome
 * @property {Side} winner
 * @property {"no-move" | "resignation" | "time"} reason
 */

/**
 * What each side's own regions are worth.
 * @typedef {object} Territory
 * @property {[number, number]} white the moves that White can surely make by itself, and at most
 * @property {[number, number]} black the same for Black
 * @property {number} contested the empty squares of regions that hold amazons of both sides
 * @property {Side | null} winner who wins with best play, once the count decides it
 * @property {number} by the moves that the loser lacks, at least
 */

/** A game. Squares are named as in `d1`, moves as in `d1-d7/g7`. The first player is White, at the bottom. */
export class Game {
  /** @type {import("./hippolyta.js").WasmGame} */
  #rules;

  /** @param {import("./hippolyta.js").WasmGame} game */
  constructor(game) {
    this.#rules = game;
  }

  /**
   * A game from the start position of a board.
   * @param {number} [size] squares a side: 6, 8 or 10
   */
  static start(size = 6) {
    if (![6, 8, 10].includes(size)) throw new RangeError(`there is no start for a board of ${size} squares a side: expected 6, 8 or 10`);
    return new Game(rules().start(size));
  }

  /**
   * A game from a position.
   * @param {string} fen as in `1q2q1/q4q/6/6/Q4Q/1Q2Q1 w`
   */
  static fromFen(fen) {
    return new Game(rules().fromFen(fen));
  }

  /**
   * The first game of an SGF text, or of one in any other notation that Hippolyta reads.
   * @param {string} text
   */
  static fromSgf(text) {
    return new Game(rules().fromTranscript(text));
  }

  /**
   * A game as `save` wrote it.
   * @param {string} text a FEN, then a move a line
   */
  static load(text) {
    return new Game(rules().load(text));
  }

  /** The same game once more; what is done to one does not change the other. */
  clone() {
    const game = Game.load(this.save());
    const outcome = this.outcome();
    if (outcome?.reason === "resignation") game.resign(outcome.winner === "white" ? "black" : "white");
    return game;
  }

  /** The position on the board, as FEN. */
  get fen() {
    return this.#rules.fen();
  }

  /** The position that the game began with, as FEN. */
  get startFen() {
    return this.#rules.startFen();
  }

  /**
   * The side to move.
   * @returns {Side}
   */
  get side() {
    return /** @type {Side} */ (this.#rules.side());
  }

  /** Squares along the bottom of the board. */
  get files() {
    return (this.startFen.split(" ")[0].split("/")[0].match(/\d+|\D/g) ?? [])
      .reduce((sum, part) => sum + (Number(part) || 1), 0);
  }

  /** Squares along the side of the board. */
  get ranks() {
    return this.startFen.split(" ")[0].split("/").length;
  }

  /** The moves played so far. */
  get moves() {
    return this.#rules.movesPlayed();
  }

  /** The names of White and Black, where the text of the game gave them. */
  get players() {
    const [white, black] = this.#rules.players();
    return { white, black };
  }

  /** Whether the game is over. */
  get isOver() {
    return this.outcome() !== null;
  }

  /** The squares of the amazons that can move now. */
  movable() {
    return this.#rules.movable();
  }

  /**
   * Where an amazon can go; nothing when none of the side to move stands there.
   * @param {string} from
   */
  targets(from) {
    return this.#rules.targets(from);
  }

  /**
   * Where the arrow can land once the amazon on `from` has gone to `to`.
   * @param {string} from
   * @param {string} to
   */
  shots(from, to) {
    return this.#rules.shots(from, to);
  }

  /** All legal moves; there can be more than two thousand. */
  legalMoves() {
    return this.#rules.legalMoves();
  }

  /**
   * Plays a move of the side to move, and gives it as it is written. An illegal one is an error that says why.
   * @param {string} move as in `d1-d7/g7`; `d1d7g7`, `d1-d7(g7)` and `d1d7,d7g7` mean the same
   */
  play(move) {
    return this.#rules.play(move);
  }

  /** Takes the last move back and gives it; undefined when there is none. A resignation goes with it. */
  undo() {
    return this.#rules.undo();
  }

  /**
   * Ends the game as lost for a side.
   * @param {Side} side
   */
  resign(side) {
    this.#rules.resign(side);
  }

  /**
   * Who has won and how; null while the game goes on.
   * @returns {Outcome | null}
   */
  outcome() {
    const text = this.#rules.outcome();
    return text === undefined ? null : JSON.parse(text);
  }

  /**
   * How many squares the amazons of a side can move to now.
   * @param {Side} side
   */
  reach(side) {
    return this.#rules.reach(side);
  }

  /**
   * What each side's own regions are worth, and who wins because of it.
   * @returns {Territory}
   */
  territory() {
    return JSON.parse(this.#rules.territory());
  }

  /**
   * The game as SGF.
   * @param {{ white?: string, black?: string }} [players]
   */
  sgf(players = {}) {
    return this.#rules.sgf(players.white ?? "", players.black ?? "");
  }

  /** The game as text that `load` reads. A resignation is not kept. */
  save() {
    return this.#rules.save();
  }
}
