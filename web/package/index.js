// The package: rules, opponents and networks for the Game of the Amazons.
//
//   import { Engine, Game } from "./package/index.js";
//   const engine = await Engine.load({ level: "hard" });
//   const game = Game.start(6);
//   const { move } = await engine.choose(game);
//   game.play(move);

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
