// A game against Hard. Copy the folder `package` of the built page beside this file.
import { Engine, Game } from "./package/index.js";

const engine = await Engine.load({ level: "hard" });
const game = Game.start(6);
const status = document.getElementById("status");

function show(words) {
  const rows = game.fen.split(" ")[0].split("/");
  document.getElementById("board").textContent = rows
    .map((row) => row.replace(/\d+/g, (count) => ".".repeat(Number(count))).split("").join(" ")).join("\n");
  const outcome = game.outcome();
  status.textContent = outcome ? `${outcome.winner} has won` : words;
}

document.getElementById("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = document.getElementById("move");
  try {
    game.play(field.value);
  } catch (error) {
    return show(error.message);
  }
  field.value = "";
  show("Thinking…");
  if (!game.isOver) show(`It played ${game.play((await engine.choose(game)).move)}. Your move.`);
});
show("You are Q. Your move.");
