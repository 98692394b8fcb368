"""The network and the games of a run, read with Python alone.

    damier train games --run runs/international | python3 run.py runs/international/models/gen-000140.nnue
    python3 run.py models/international.nnue W:W31-50:B1-20 B:W31-50:B1-20

The first says how the games ended, generation by generation, and how well the network foretells the
results from positions without a capture, beside the searches that played. The second prints the
expected score of the side to move in each position.

It needs no package; with numpy the network is faster. For variants whose squares are numbered along
the rows from the top left, as in international draughts. The Parquet files of a run hold more:

    pandas.read_parquet("runs/international/games")                 # with pyarrow
    duckdb.sql("select * from 'runs/international/games/*.parquet'")
"""

import array
import collections
import gzip
import json
import math
import re
import struct
import sys

try:
    import numpy as np
except ImportError:
    np = None


def read_safetensors(path):
    """The metadata and the tensors of a *.nnue, as lists of rows: {name: (shape, float32 values)}."""
    with gzip.open(path) as f:
        size = struct.unpack("<Q", f.read(8))[0]
        header = json.loads(f.read(size))
        content = f.read()
    tensors = {}
    metadata = header.pop("__metadata__")
    for name, t in header.items():
        begin, end = t["data_offsets"]
        values = array.array("f", content[begin:end])
        if sys.byteorder == "big":
            values.byteswap()
        tensors[name] = (t["shape"], np.array(values) if np else values)
    return metadata, tensors


class Network:
    """A network of docs/nnue.md: a row for each piece, one hidden layer, outputs by the number of pieces."""

    def __init__(self, path):
        self.metadata, tensors = read_safetensors(path)
        (rows, self.width), self.hidden = tensors["hidden"]
        self.squares = (rows - 1) // 4
        (self.outputs, _, _), self.output = tensors["output"]
        self.bias = tensors["bias"][1]

    def layer(self, inputs):
        """The activations for the pieces as one side sees them, float [width]."""
        w = self.width
        rows = [self.hidden[i * w : (i + 1) * w] for i in [*inputs, 4 * self.squares]]
        if np:
            return np.clip(np.sum(rows, axis=0), 0, 1) ** 2
        return [min(max(sum(column), 0.0), 1.0) ** 2 for column in zip(*rows)]

    def score(self, fen, pieces_at_start):
        """The expected score of the side to move, in [0,1]."""
        turn, pieces = parse_fen(fen)
        views = []
        for viewer in (turn, "B" if turn == "W" else "W"):
            views.append([
                (2 * king + (color != viewer)) * self.squares
                + (square - 1 if viewer == "W" else self.squares - square)
                for color, king, square in pieces
            ])
        phase = min(self.outputs * len(pieces) // pieces_at_start, self.outputs - 1)
        w, logit = self.width, float(self.bias[phase])
        for view, inputs in enumerate(views):
            weights = self.output[(2 * phase + view) * w : (2 * phase + view + 1) * w]
            units = self.layer(inputs)
            logit += float(np.dot(weights, units)) if np else sum(map(lambda a, b: a * b, weights, units))
        return 1 / (1 + math.exp(-logit))


def parse_fen(fen):
    """The side to move, W or B, and the pieces: (color, king, square)."""
    turn, *sides = fen.strip().rstrip(".").upper().split(":")
    pieces = []
    for side in sides:
        if side[:1] not in ("W", "B"):
            continue  # counters of king moves
        for king, first, last in re.findall(r"(K?)([0-9]+)(?:-([0-9]+))?", side[1:]):
            for square in range(int(first), int(last or first) + 1):
                pieces.append((side[0], king == "K", square))
    return turn, pieces


def ends(games):
    """How the games of each generation ended."""
    generations = collections.defaultdict(list)
    for g in games:
        generations[g["generation"]].append(g)
    print("generation  games  white  draws  black  plies")
    for n, list_ in sorted(generations.items()):
        share = {o: sum(g["outcome"] == o for g in list_) / len(list_) for o in ("white", "draw", "black")}
        plies = sum(len(g["plies"]) for g in list_) / len(list_)
        print(f"{n:10} {len(list_):6} {share['white']:6.0%} {share['draw']:6.0%} {share['black']:6.0%} {plies:6.1f}")


def foretold(network, games, start, most=2000):
    """How far the network and the searches were from the results: mean squares over quiet positions."""
    errors = collections.defaultdict(list)
    positions = [
        (g, p) for g in games if g["outcome"] in ("white", "draw", "black")
        for p in g["plies"] if p["score"] is not None and not re.search("[x:]", p["move"])
    ]
    for g, p in positions[:: max(1, len(positions) // most)]:
        side = "white" if p["fen"][0] == "W" else "black"
        result = 0.5 if g["outcome"] == "draw" else float(g["outcome"] == side)
        errors["network"].append((network.score(p["fen"], start) - result) ** 2)
        errors["search"].append((p["score"] - result) ** 2)
        errors["always a half"].append((0.5 - result) ** 2)
    for who, e in errors.items():
        print(f"{who}: {len(e)} positions, mean square error {sum(e) / len(e):.4f}")


def main(path, *fens):
    network = Network(path)
    start = {50: 40, 64: 32, 72: 60}.get(network.squares, 24)  # pieces at the start
    if network.metadata["variant"] == "thai":
        start = 16
    if fens:
        for fen in fens:
            print(f"{network.score(fen, start):.6f}")
        return
    games = [json.loads(line) for line in sys.stdin]
    if not games:
        sys.exit("there are no games on standard input; give it those of damier train games --run RUN")
    if games[0]["variant"] != network.metadata["variant"]:
        sys.exit(f"the games are of {games[0]['variant']}, the network of {network.metadata['variant']}")
    ends(games)
    foretold(network, games, start)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
