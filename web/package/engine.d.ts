import { Game } from "./game.js";
export type Level = "random" | "easy" | "medium" | "hard" | "classical" | "insane";
export type Progress = {
    loaded: number;
    total: number | undefined;
};
export type EngineOptions = {
    /**
     * who plays; `insane` where there is a model, else `hard`
     */
    level?: Level;
    /**
     * the network for `insane`: its address, or its bytes
     */
    model?: string | URL | Blob | ArrayBuffer | Uint8Array;
    /**
     * where hippolyta_bg.wasm is, when not beside the package
     */
    wasmUrl?: string | URL;
    /**
     * where worker.js is, when not beside the package
     */
    workerUrl?: string | URL;
    /**
     * the most nodes of a search tree; 16,000 stay below 64 MiB of memory
     */
    maxNodes?: number;
    /**
     * the seed of the first game's lots; drawn by lot when absent
     */
    seed?: number;
    /**
     * hears of the model's bytes
     */
    onProgress?: (progress: Progress) => void;
};
export type ChooseOptions = {
    /**
     * the most positions to visit
     */
    visits?: number;
    /**
     * the most milliseconds to take; with visits too, whichever is first
     */
    timeMs?: number;
    /**
     * think until stopped
     */
    infinite?: boolean;
    /**
     * how many lines to give whole; 1
     */
    lines?: number;
    /**
     * an abort gives the answer up: the promise is rejected
     */
    signal?: AbortSignal;
    /**
     * hears of what is found so far
     */
    onInfo?: (answer: Answer) => void;
};
export type AnswerLine = {
    /**
     * for the side to move, in [-1, 1]
     */
    value: number;
    /**
     * the same for White
     */
    valueWhite: number;
    /**
     * the line of play, at least its first move
     */
    moves: string[];
};
export type Answer = {
    /**
     * the move chosen
     */
    move: string;
    /**
     * the expected result for the side to move, in [-1, 1]; null where lots decided
     */
    value: number | null;
    /**
     * the same for White
     */
    valueWhite: number | null;
    /**
     * the moves that were weighed, the best first
     */
    lines: AnswerLine[];
    /**
     * the positions visited
     */
    visits: number;
    /**
     * the plies looked ahead
     */
    depth: number;
};
export type Evaluation = {
    /**
     * the expected result for the side to move, in [-1, 1]
     */
    value: number;
    /**
     * the same for White
     */
    valueWhite: number;
    /**
     * the moves that White is expected to have more at the end
     */
    marginWhite: number;
    /**
     * who will own each square: 1 White, -1 Black
     */
    ownerWhite: Map<string, number>;
    /**
     * the legal moves, the most probable first
     */
    moves: {
        move: string;
        probability: number;
    }[];
};
export type Call = {
    resolve: (value: any) => void;
    reject: (reason: any) => void;
    onInfo?: (info: any) => void;
};
/** An opponent. One at a time is asked of it: calls wait for each other. */
export declare class Engine {
    #private;
    /** Who plays. */
    level: Level;
    /**
     * @param {Worker} worker
     * @param {Level} level
     */
    constructor(worker: Worker, level: Level);
    /**
     * Starts an opponent.
     * @param {EngineOptions} [options]
     * @returns {Promise<Engine>}
     */
    static load(options?: EngineOptions): Promise<Engine>;
    /**
     * Chooses a move of the side to move.
     * @param {Game} game
     * @param {ChooseOptions} [options]
     * @returns {Promise<Answer>}
     */
    choose(game: Game, options?: ChooseOptions): Promise<Answer>;
    /**
     * What the network thinks of a position before any search.
     * @param {Game} game
     * @returns {Promise<Evaluation>}
     */
    evaluate(game: Game): Promise<Evaluation>;
    /** Ends the thought in progress: its promise gives what was found so far. */
    stop(): void;
    /**
     * Forgets the game before.
     * @param {number} [seed] of the lots that levels draw
     */
    newGame(seed?: number): Promise<any>;
    /** Ends the worker. What was asked and not answered is rejected. */
    dispose(): void;
}
