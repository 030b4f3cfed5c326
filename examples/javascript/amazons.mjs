// The rules of the Game of the Amazons, and the network's input planes. Nothing here needs Node: a page can import it.
//
// A position is { files, ranks, squares, side }: squares is an array of '.', 'Q' (White), 'q' (Black) and '*' (an
// arrow), square rank * files + file from a1; side is 'Q' or 'q'.

export const PLANES = 20;

export const STARTS = {
  6: "1q2q1/q4q/6/6/Q4Q/1Q2Q1 w",
  8: "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w",
  10: "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w",
};

const DIRECTIONS = [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]];

export function parseFen(fen) {
  const [text, side] = fen.trim().split(/\s+/);
  const rows = text.split("/").reverse().map((rank) =>
    rank.match(/\d+|[Qq*]/g).flatMap((sign) => (/\d/.test(sign) ? Array(Number(sign)).fill(".") : [sign])),
  );
  return { files: rows[0].length, ranks: rows.length, squares: rows.flat(), side: side === "w" ? "Q" : "q" };
}

export function formatFen({ files, ranks, squares, side }) {
  const rows = Array.from({ length: ranks }, (_, rank) =>
    squares.slice(rank * files, (rank + 1) * files).join("").replace(/\.+/g, (run) => run.length),
  );
  return `${rows.reverse().join("/")} ${side === "Q" ? "w" : "b"}`;
}

export const other = (side) => (side === "Q" ? "q" : "Q");

/** The empty squares that a queen on `square` moves to, up to `reach` squares away. */
function slides({ files, ranks, squares }, square, reach = Infinity) {
  const targets = [];
  for (const [dr, df] of DIRECTIONS) {
    let rank = Math.floor(square / files) + dr;
    let file = (square % files) + df;
    for (let steps = 1; steps <= reach; steps++) {
      const here = rank * files + file;
      if (rank < 0 || rank >= ranks || file < 0 || file >= files || squares[here] !== ".") break;
      targets.push(here);
      rank += dr;
      file += df;
    }
  }
  return targets;
}

const amazonsOf = ({ squares }, side) => [...squares.keys()].filter((square) => squares[square] === side);

/** All moves as { from, to, arrow }. The square that the amazon left is empty when it shoots. */
export function legalMoves(position) {
  const moves = [];
  for (const from of amazonsOf(position, position.side)) {
    const lifted = { ...position, squares: position.squares.with(from, ".") };
    for (const to of slides(position, from)) {
      for (const arrow of slides(lifted, to)) moves.push({ from, to, arrow });
    }
  }
  return moves;
}

export function play(position, { from, to, arrow }) {
  const squares = position.squares.with(from, ".").with(to, position.side).with(arrow, "*");
  return { ...position, squares, side: other(position.side) };
}

export function nameMove({ files }, { from, to, arrow }) {
  const name = (square) => "abcdefghij"[square % files] + (Math.floor(square / files) + 1);
  return `${name(from)}-${name(to)}/${name(arrow)}`;
}

/** Moves that the nearest amazon of `side` needs to each square, 0 where none comes; reach 1 is a king's move. */
function distances(position, side, reach) {
  const found = new Uint8Array(position.squares.length);
  let frontier = amazonsOf(position, side);
  for (let moves = 1; frontier.length > 0; moves++) {
    const reached = [];
    for (const square of frontier) {
      for (const target of slides(position, square, reach)) {
        if (found[target] === 0) {
          found[target] = moves;
          reached.push(target);
        }
      }
    }
    frontier = reached;
  }
  return found;
}

/** The input of the network for one position: plane after plane, each by square. */
export function makePlanes(position) {
  const { squares } = position;
  const sides = [position.side, other(position.side)];
  const queen = sides.map((side) => distances(position, side, Infinity));
  const king = sides.map((side) => distances(position, side, 1));
  const empty = squares.filter((sign) => sign === ".").length;
  const planes = new Float32Array(PLANES * squares.length);
  const first = (own, opponent) => own > 0 && (opponent === 0 || own < opponent);
  for (const [square, sign] of squares.entries()) {
    const put = (plane, value) => (planes[plane * squares.length + square] = value);
    put(2, sign === "*");
    for (const i of [0, 1]) {
      const [q, k] = [queen[i][square], king[i][square]];
      const [opponentQ, opponentK] = [queen[1 - i][square], king[1 - i][square]];
      put(i, sign === sides[i]);
      put(3 + 3 * i, q === 1);
      put(4 + 3 * i, q === 2);
      put(5 + 3 * i, q >= 3);
      put(9 + i, k > 0 ? 1 / k : 0);
      put(11 + i, first(q, opponentQ));
      put(13 + i, first(k, opponentK));
      put(15 + i, q > 0 && opponentQ === 0);
    }
    put(17, empty % 2);
    put(18, empty / squares.length);
    put(19, 1);
  }
  return planes;
}

/** The score of each move: the sum of its entries in the three tables of one position. */
export function moveLogits(moves, { fromTo, toArrow, fromArrow }, area) {
  return moves.map(
    ({ from, to, arrow }) => fromTo[from * area + to] + toArrow[to * area + arrow] + fromArrow[from * area + arrow],
  );
}

export function softmax(logits) {
  const most = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  const shares = Array.from(logits, (logit) => Math.exp(logit - most));
  const sum = shares.reduce((a, b) => a + b, 0);
  return shares.map((share) => share / sum);
}
