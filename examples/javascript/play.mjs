// Plays the move that a network holds for the most probable: node play.mjs NET.onnx [FEN or 6, 8, 10]

import { readFile } from "node:fs/promises";

import { STARTS, formatFen, legalMoves, moveLogits, nameMove, parseFen, play, softmax } from "./amazons.mjs";
import { evaluate, loadNetwork } from "./network.mjs";

const [file, wanted = "6"] = process.argv.slice(2);
if (!file) {
  console.error("usage: node play.mjs NET.onnx [FEN or 6, 8, 10]");
  process.exit(2);
}
const position = parseFen(STARTS[wanted] ?? wanted);
const moves = legalMoves(position);
if (moves.length === 0) {
  console.error("the side to move has no move: it has lost");
  process.exit(1);
}

const network = await loadNetwork(await readFile(file));
const { value, margin, tables } = await evaluate(network, position);
const probabilities = softmax(moveLogits(moves, tables, position.squares.length));
const best = probabilities.indexOf(Math.max(...probabilities));
const expectedMargin = softmax(margin).reduce((sum, share, bin) => sum + share * (bin - 32), 0);

console.log(`value ${value.toFixed(3)}, margin ${expectedMargin.toFixed(1)}, ${moves.length} legal moves`);
console.log(`plays ${nameMove(position, moves[best])} with probability ${probabilities[best].toFixed(3)}`);
console.log(formatFen(play(position, moves[best])));
