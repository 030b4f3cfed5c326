// With a bundler: it moves the code, so the page says where the two files are that are not code of its own.
import { Engine, Game } from "hippolyta";

const engine = await Engine.load({ level: "hard", wasmUrl: "hippolyta_bg.wasm", workerUrl: "worker.js" });
const game = Game.start(6);
while (!game.isOver && game.moves.length < 6) game.play((await engine.choose(game)).move);
document.getElementById("moves").textContent = game.moves.join(" ");
engine.dispose();
