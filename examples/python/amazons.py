"""The rules of the Game of the Amazons, and the network's input planes, on NumPy arrays.

A board is an array [rank, file] from a1 of '.', 'Q' (White), 'q' (Black) and '*' (an arrow). A square is (rank, file).
"""

import numpy as np

PLANES = 20
DIRECTIONS = [(dr, df) for dr in (-1, 0, 1) for df in (-1, 0, 1) if (dr, df) != (0, 0)]
STARTS = {
    6: "1q2q1/q4q/6/6/Q4Q/1Q2Q1 w",
    8: "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w",
    10: "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w",
}


def parse_fen(fen):
    """The board, and 'Q' or 'q' for the side to move."""
    ranks, side = fen.split()[:2]
    rows = []
    for rank in reversed(ranks.split("/")):
        row, run = [], ""
        for sign in rank + "/":
            if sign.isdigit():
                run += sign
                continue
            row += ["."] * int(run or 0)
            run = ""
            if sign != "/":
                row.append(sign)
        rows.append(row)
    return np.array(rows), {"w": "Q", "b": "q"}[side]


def format_fen(board, side):
    def rank(row):
        text, run = "", 0
        for sign in [*row, None]:
            if sign == ".":
                run += 1
                continue
            text += (str(run) if run else "") + (sign or "")
            run = 0
        return text

    return "/".join(rank(row) for row in board[::-1]) + (" w" if side == "Q" else " b")


def other(side):
    return "q" if side == "Q" else "Q"


def slides(board, square):
    """The empty squares that a queen on `square` moves to."""
    ranks, files = board.shape
    for dr, df in DIRECTIONS:
        rank, file = square[0] + dr, square[1] + df
        while 0 <= rank < ranks and 0 <= file < files and board[rank, file] == ".":
            yield rank, file
            rank, file = rank + dr, file + df


def legal_moves(board, side):
    """All moves as (from, to, arrow). The square that the amazon left is empty when it shoots."""
    moves = []
    for start in map(tuple, np.argwhere(board == side)):
        lifted = board.copy()
        lifted[start] = "."
        for to in slides(board, start):
            moves += [(start, to, arrow) for arrow in slides(lifted, to)]
    return moves


def play(board, move):
    start, to, arrow = move
    after = board.copy()
    after[start], after[to] = ".", board[start]
    after[arrow] = "*"
    return after


def name_move(move):
    start, to, arrow = ("abcdefghij"[file] + str(rank + 1) for rank, file in move)
    return f"{start}-{to}/{arrow}"


def distances(board, side, reach):
    """Moves that the nearest amazon of `side` needs to each empty square, 0 where none comes; a move goes up to `reach`
    squares: 1 for a king's, more for a queen's."""
    ranks, files = board.shape
    found = np.zeros(board.shape, int)
    frontier, moves = [tuple(square) for square in np.argwhere(board == side)], 0
    while frontier:
        moves, reached = moves + 1, []
        for square in frontier:
            for dr, df in DIRECTIONS:
                for steps in range(1, reach + 1):
                    rank, file = square[0] + steps * dr, square[1] + steps * df
                    if not (0 <= rank < ranks and 0 <= file < files) or board[rank, file] != ".":
                        break
                    if found[rank, file] == 0:
                        found[rank, file] = moves
                        reached.append((rank, file))
        frontier = reached
    return found


def make_planes(board, side):
    """The input of the network for one position, [plane, rank, file]."""
    sides = [side, other(side)]
    queen = [distances(board, each, max(board.shape)) for each in sides]
    king = [distances(board, each, 1) for each in sides]
    empty = board == "."
    planes = np.zeros((PLANES, *board.shape), np.float32)

    def first(own, opponent):
        return (own > 0) & ((opponent == 0) | (own < opponent))

    planes[0] = board == sides[0]
    planes[1] = board == sides[1]
    planes[2] = board == "*"
    for i in (0, 1):
        planes[3 + 3 * i] = queen[i] == 1
        planes[4 + 3 * i] = queen[i] == 2
        planes[5 + 3 * i] = queen[i] >= 3
        planes[9 + i] = np.divide(1, king[i], where=king[i] > 0, out=np.zeros(board.shape))
        planes[11 + i] = first(queen[i], queen[1 - i])
        planes[13 + i] = first(king[i], king[1 - i])
        planes[15 + i] = (queen[i] > 0) & (queen[1 - i] == 0)
    planes[17] = empty.sum() % 2
    planes[18] = empty.sum() / board.size
    planes[19] = 1
    return planes


def move_logits(moves, tables, files):
    """The score of each move: the sum of its entries in the three tables of one position."""
    start, to, arrow = (np.array([move[i] for move in moves]) @ [files, 1] for i in range(3))
    from_to, to_arrow, from_arrow = tables
    return from_to[start, to] + to_arrow[to, arrow] + from_arrow[start, arrow]


def softmax(logits):
    shares = np.exp(np.asarray(logits, float) - np.max(logits))
    return shares / shares.sum()
