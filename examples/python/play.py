"""Plays the move that a network holds for the most probable: play.py NET.onnx [FEN or 6, 8, 10]"""

import sys

import numpy as np
import onnxruntime

import amazons


def main(model, position="6"):
    board, side = amazons.parse_fen(amazons.STARTS.get(int(position)) if position.isdigit() else position)
    moves = amazons.legal_moves(board, side)
    if not moves:
        sys.exit("the side to move has no move: it has lost")

    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    names = ["from_to", "to_arrow", "from_arrow", "value", "margin"]
    planes = amazons.make_planes(board, side)
    # One position: a batch of 1, of which the first and only answer is taken.
    *tables, value, margin = (answer[0] for answer in session.run(names, {"planes": planes[None]}))

    probabilities = amazons.softmax(amazons.move_logits(moves, tables, board.shape[1]))
    best = int(probabilities.argmax())
    expected_margin = amazons.softmax(margin) @ np.arange(-32, 33)
    print(f"value {value:+.3f}, margin {expected_margin:+.1f}, {len(moves)} legal moves")
    print(f"plays {amazons.name_move(moves[best])} with probability {probabilities[best]:.3f}")
    print(amazons.format_fen(amazons.play(board, moves[best]), amazons.other(side)))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
