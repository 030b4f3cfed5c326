// Holds an exported network and these examples against what `hippolyta evaluate --fens FILE --precision f32 --planes
// --tables --json` says: node check.mjs NET.onnx REPORT.json

import { readFile } from "node:fs/promises";

import { legalMoves, makePlanes, moveLogits, nameMove, parseFen, softmax } from "./amazons.mjs";
import { evaluate, loadNetwork } from "./network.mjs";

// Of each number, relative to it where it is larger than 1: sums of f32 in another order.
const TOLERANCE = 1e-4;

const [file, report] = process.argv.slice(2);
if (!report) {
  console.error("usage: node check.mjs NET.onnx REPORT.json");
  process.exit(2);
}
const { positions, precision } = JSON.parse(await readFile(report, "utf8"));
if (precision !== "f32") throw new Error(`${report} is of ${precision}`);
const network = await loadNetwork(await readFile(file));
let largest = 0;

function near(what, fen, found, expected) {
  if (found.length !== expected.length) throw new Error(`${fen}: ${found.length} of ${what}, not ${expected.length}`);
  for (const [i, x] of found.entries()) {
    const error = Math.abs(x - expected[i]) / Math.max(1, Math.abs(expected[i]));
    // Not `error > TOLERANCE`, which holds for no NaN.
    if (!(error <= TOLERANCE)) throw new Error(`${fen}: ${what} ${i} is ${x}, expected ${expected[i]}`);
    largest = Math.max(largest, error);
  }
}

for (const entry of positions) {
  const { fen } = entry;
  const position = parseFen(fen);
  const planes = Float32Array.from(entry.planes.flat());
  const wrong = makePlanes(position).findIndex((x, i) => x !== planes[i]);
  if (wrong >= 0) throw new Error(`${fen}: plane ${Math.floor(wrong / position.squares.length)} differs`);

  const { value, margin, owner, tables } = await evaluate(network, position);
  near("value", fen, [value], [entry.value]);
  near("margin", fen, margin, entry.margin_logits);
  near("owner", fen, owner, entry.owner);
  near("from_to", fen, tables.fromTo, entry.tables.from_to.flat());
  near("to_arrow", fen, tables.toArrow, entry.tables.to_arrow.flat());
  near("from_arrow", fen, tables.fromArrow, entry.tables.from_arrow.flat());

  const moves = legalMoves(position);
  const expected = new Map(entry.moves.map(({ move, probability }) => [move, probability]));
  const named = moves.map((move) => expected.get(nameMove(position, move)));
  if (moves.length !== expected.size || named.includes(undefined)) throw new Error(`${fen}: the legal moves differ`);
  near("probabilities", fen, softmax(moveLogits(moves, tables, position.squares.length)), named);
}
console.log(`${positions.length} positions agree; largest difference ${largest.toExponential(1)}`);
