export type Level = import("./engine.js").Level;
export type EngineOptions = import("./engine.js").EngineOptions;
export type ChooseOptions = import("./engine.js").ChooseOptions;
export type Answer = import("./engine.js").Answer;
export type Evaluation = import("./engine.js").Evaluation;
export type Side = import("./game.js").Side;
export type Outcome = import("./game.js").Outcome;
export type Territory = import("./game.js").Territory;
/** @typedef {import("./engine.js").Level} Level */
/** @typedef {import("./engine.js").EngineOptions} EngineOptions */
/** @typedef {import("./engine.js").ChooseOptions} ChooseOptions */
/** @typedef {import("./engine.js").Answer} Answer */
/** @typedef {import("./engine.js").Evaluation} Evaluation */
/** @typedef {import("./game.js").Side} Side */
/** @typedef {import("./game.js").Outcome} Outcome */
/** @typedef {import("./game.js").Territory} Territory */
export { Engine } from "./engine.js";
export { Game } from "./game.js";
export { load, setAddresses } from "./module.js";
