export type Side = "white" | "black";
export type Outcome = {
    winner: Side;
    reason: "no-move" | "resignation" | "time";
};
export type Territory = {
    /**
     * the moves that White can surely make by itself, and at most
     */
    white: [number, number];
    /**
     * the same for Black
     */
    black: [number, number];
    /**
     * the empty squares of regions that hold amazons of both sides
     */
    contested: number;
    /**
     * who wins with best play, once the count decides it
     */
    winner: Side | null;
    /**
     * the moves that the loser lacks, at least
     */
    by: number;
};
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
export declare class Game {
    #private;
    /** @param {import("./hippolyta.js").WasmGame} game */
    constructor(game: import("./hippolyta.js").WasmGame);
    /**
     * A game from the start position of a board.
     * @param {number} [size] squares a side: 6, 8 or 10
     */
    static start(size?: number): Game;
    /**
     * A game from a position.
     * @param {string} fen as in `1q2q1/q4q/6/6/Q4Q/1Q2Q1 w`
     */
    static fromFen(fen: string): Game;
    /**
     * The first game of an SGF text, or of one in any other notation that Hippolyta reads.
     * @param {string} text
     */
    static fromSgf(text: string): Game;
    /**
     * A game as `save` wrote it.
     * @param {string} text a FEN, then a move a line
     */
    static load(text: string): Game;
    /** The same game once more; what is done to one does not change the other. */
    clone(): Game;
    /** The position on the board, as FEN. */
    get fen(): string;
    /** The position that the game began with, as FEN. */
    get startFen(): string;
    /**
     * The side to move.
     * @returns {Side}
     */
    get side(): Side;
    /** Squares along the bottom of the board. */
    get files(): number;
    /** Squares along the side of the board. */
    get ranks(): number;
    /** The moves played so far. */
    get moves(): string[];
    /** The names of White and Black, where the text of the game gave them. */
    get players(): {
        white: string;
        black: string;
    };
    /** Whether the game is over. */
    get isOver(): boolean;
    /** The squares of the amazons that can move now. */
    movable(): string[];
    /**
     * Where an amazon can go; nothing when none of the side to move stands there.
     * @param {string} from
     */
    targets(from: string): string[];
    /**
     * Where the arrow can land once the amazon on `from` has gone to `to`.
     * @param {string} from
     * @param {string} to
     */
    shots(from: string, to: string): string[];
    /** All legal moves; there can be more than two thousand. */
    legalMoves(): string[];
    /**
     * Plays a move of the side to move, and gives it as it is written. An illegal one is an error that says why.
     * @param {string} move as in `d1-d7/g7`; `d1d7g7`, `d1-d7(g7)` and `d1d7,d7g7` mean the same
     */
    play(move: string): string;
    /** Takes the last move back and gives it; undefined when there is none. A resignation goes with it. */
    undo(): string | undefined;
    /**
     * Ends the game as lost for a side.
     * @param {Side} side
     */
    resign(side: Side): void;
    /**
     * Who has won and how; null while the game goes on.
     * @returns {Outcome | null}
     */
    outcome(): Outcome | null;
    /**
     * How many squares the amazons of a side can move to now.
     * @param {Side} side
     */
    reach(side: Side): number;
    /**
     * What each side's own regions are worth, and who wins because of it.
     * @returns {Territory}
     */
    territory(): Territory;
    /**
     * The game as SGF.
     * @param {{ white?: string, black?: string }} [players]
     */
    sgf(players?: {
        white?: string;
        black?: string;
    }): string;
    /** The game as text that `load` reads. A resignation is not kept. */
    save(): string;
}
