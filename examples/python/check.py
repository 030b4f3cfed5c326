"""Holds an exported network and these examples against what `hippolyta evaluate` says.

check.py positions COUNT            prints FENs from random games on the three boards
check.py compare NET.onnx JSON...   compares with `evaluate --fens FILE --precision f32 --planes --tables --json`
"""

import json
import random
import sys

import numpy as np

import amazons

BATCH = 32
# Of each number, relative to it where it is larger than 1: sums of f32 in another order.
TOLERANCE = 1e-4
TABLES = ["from_to", "to_arrow", "from_arrow"]


def positions(count):
    """As many of each board, from all parts of random games."""
    random.seed(1)
    for i, size in enumerate(amazons.STARTS):
        wanted = (count + i) // len(amazons.STARTS)
        board, side = amazons.parse_fen(amazons.STARTS[size])
        while wanted > 0:
            print(amazons.format_fen(board, side))
            wanted -= 1
            moves = amazons.legal_moves(board, side)
            if moves:
                board, side = amazons.play(board, random.choice(moves)), amazons.other(side)
            else:
                board, side = amazons.parse_fen(amazons.STARTS[size])


class Comparison:
    def __init__(self):
        self.largest = {}

    def near(self, what, fen, found, expected):
        found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
        assert found.shape == expected.shape, f"{fen}: {what} has shape {found.shape}, expected {expected.shape}"
        if found.size == 0:
            return
        error = float(np.max(np.abs(found - expected) / np.maximum(1, np.abs(expected))))
        assert error <= TOLERANCE, f"{fen}: {what} is off by {error}"
        self.largest[what] = max(error, self.largest.get(what, 0))


def compare(model, *reports):
    import onnx
    import onnxruntime

    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    properties = session.get_modelmeta().custom_metadata_map
    comparison, sizes = Comparison(), {}
    for path in reports:
        with open(path) as file:
            report = json.load(file)
        assert report["precision"] == "f32", f"{path} is of {report['precision']}"
        assert report["hash"] == properties["hash"], f"{path} is of another network than {model}"
        boards = {}
        for entry in report["positions"]:
            board, side = amazons.parse_fen(entry["fen"])
            boards.setdefault(board.shape, []).append((entry, board, side))
        for shape, group in boards.items():
            sizes[shape] = sizes.get(shape, 0) + len(group)
            for start in range(0, len(group), BATCH):
                compare_batch(session, group[start : start + BATCH], comparison)
    counts = ", ".join(f"{count} of {files}x{ranks}" for (ranks, files), count in sizes.items())
    print(f"{sum(sizes.values())} positions agree: {counts}")
    print("largest differences: " + ", ".join(f"{what} {error:.1e}" for what, error in comparison.largest.items()))


def compare_batch(session, group, comparison):
    batch = np.stack([amazons.make_planes(board, side) for _, board, side in group])
    names = [*TABLES, "value", "margin", "owner"]
    answers = dict(zip(names, session.run(names, {"planes": batch})))
    for i, (entry, board, side) in enumerate(group):
        fen = entry["fen"]
        planes = np.array(entry["planes"], np.float32).reshape(batch[i].shape)
        assert (planes == batch[i]).all(), f"{fen}: planes {np.unique(np.argwhere(planes != batch[i])[:, 0])} differ"
        for name in TABLES:
            comparison.near(name, fen, answers[name][i], entry["tables"][name])
        comparison.near("value", fen, answers["value"][i], entry["value"])
        comparison.near("margin", fen, answers["margin"][i], entry["margin_logits"])
        comparison.near("owner", fen, answers["owner"][i].ravel(), entry["owner"])

        moves = amazons.legal_moves(board, side)
        expected = {move["move"]: move["probability"] for move in entry["moves"]}
        assert sorted(map(amazons.name_move, moves)) == sorted(expected), f"{fen}: the legal moves differ"
        if moves:
            tables = [answers[name][i] for name in TABLES]
            found = amazons.softmax(amazons.move_logits(moves, tables, board.shape[1]))
            named = [expected[amazons.name_move(move)] for move in moves]
            comparison.near("probabilities", fen, found, named)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["positions", count]:
            positions(int(count))
        case ["compare", model, *reports] if reports:
            compare(model, *reports)
        case _:
            sys.exit(__doc__)
