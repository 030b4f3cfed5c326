// A game and the touches on its board. Knows no page.

import { placementAfter, positions, readFen } from "./board.js";

/** @typedef {import("./package/index.js").Game} Game */
/** @typedef {"chose" | "dropped" | "moved" | "back" | "played" | "nothing"} Touched */

/** A game with a move half made: an amazon chosen, perhaps moved, the arrow not yet shot. */
export class Table {
  /** The amazon that was touched. @type {string | null} */
  chosen = null;
  /** Where it went. @type {string | null} */
  target = null;

  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    this.files = game.files;
    this.ranks = game.ranks;
  }

  /**
   * Takes a touch of the side to move.
   * @param {string} square
   * @returns {Touched}
   */
  touch(square) {
    const { game, chosen, target } = this;
    if (chosen !== null && target !== null) {
      if (square === target) {
        this.target = null;
        return "back";
      }
      if (!game.shots(chosen, target).includes(square)) return "nothing";
      game.play(`${chosen}-${target}/${square}`);
      this.drop();
      return "played";
    }
    if (chosen !== null && game.targets(chosen).includes(square)) {
      this.target = square;
      return "moved";
    }
    if (square === chosen) {
      this.chosen = null;
      return "dropped";
    }
    if (!game.movable().includes(square)) return "nothing";
    this.chosen = square;
    return "chose";
  }

  /** Takes one step of the half-made move back; false when there was none. */
  back() {
    if (this.target !== null) this.target = null;
    else if (this.chosen !== null) this.chosen = null;
    else return false;
    return true;
  }

  /** Forgets the half-made move. */
  drop() {
    this.chosen = this.target = null;
  }

  get movable() {
    return this.target === null ? this.game.movable() : [];
  }

  get targets() {
    return this.chosen !== null && this.target === null ? this.game.targets(this.chosen) : [];
  }

  get shots() {
    return this.chosen !== null && this.target !== null ? this.game.shots(this.chosen, this.target) : [];
  }

  /** What stands on the board, the half-made move included. */
  placement() {
    const placement = this.at(this.game.moves.length);
    if (this.chosen === null || this.target === null) return placement;
    const squares = new Map(placement.squares);
    squares.set(this.target, squares.get(this.chosen) ?? "");
    squares.delete(this.chosen);
    return { ...placement, squares, move: null };
  }

  /** What stood on the board after so many moves. @param {number} ply */
  at(ply) {
    const { all } = positions({ start: this.game.startFen, moves: this.game.moves.slice(0, ply) });
    return all[ply];
  }

  /** The game as it was after so many moves. @param {number} ply @returns {Game} */
  gameAt(ply) {
    const game = this.game.clone();
    while (game.moves.length > ply) game.undo();
    return game;
  }
}

export { placementAfter, readFen };
