"""What a position is worth by a network that damier export --onnx has written.

    damier export --onnx international.onnx
    python3 evaluate.py international.onnx W:W31-50:B1-20

needs numpy and onnx (Debian: python3-onnx). It walks through the graph with numpy, so that no other
runtime is needed; with onnxruntime the two lines are

    session = onnxruntime.InferenceSession(path)
    value = session.run(["/output/value"], {"/input/planes": planes})[0]

The FEN has square numbers in the order of the rows, as in international draughts.
"""

import re
import sys

import numpy as np
import onnx
from onnx import numpy_helper


def planes_of(fen, squares):
    """The input for one position: float32 [1][4][squares], as the side to move sees the board."""
    turn, *sides = fen.strip().rstrip(".").split(":")
    planes = np.zeros((1, 4, squares), np.float32)
    for side in sides:
        color, pieces = side[0].upper(), side[1:]
        for king, first, last in re.findall(r"(K?)(\d+)(?:-(\d+))?", pieces):
            for square in range(int(first), int(last or first) + 1):
                plane = (0 if color == turn.upper() else 1) + (2 if king else 0)
                planes[0, plane, square - 1 if turn.upper() == "W" else squares - square] = 1
    return planes


def one_hot(index, depth, values):
    depth = int(np.ravel(depth)[0])
    return np.where(index[..., None] == np.arange(depth), values[1], values[0])


OPERATORS = {
    "Add": lambda a, x, y: x + y,
    "Mul": lambda a, x, y: x * y,
    "Div": lambda a, x, y: x / y,
    "Min": lambda a, x, y: np.minimum(x, y),
    "Clip": lambda a, x, low, high: np.clip(x, low, high),
    "Floor": lambda a, x: np.floor(x),
    "Tanh": lambda a, x: np.tanh(x),
    "Cast": lambda a, x: x.astype(np.int64),
    "MatMul": lambda a, x, y: x @ y,
    "Reshape": lambda a, x, shape: x.reshape(shape),
    "Gather": lambda a, x, i: np.take(x, i, axis=a.get("axis", 0)),
    "Concat": lambda a, *x: np.concatenate(x, axis=a["axis"]),
    "ReduceSum": lambda a, x, axes: x.sum(axis=tuple(axes), keepdims=bool(a.get("keepdims", 1))),
    "OneHot": lambda a, *x: one_hot(*x),
}


def run(model, planes):
    """The output of the model for planes, float [N][1]: -1 for a loss of the side to move, 1 for a win."""
    known = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    known["/input/planes"] = planes
    for node in model.graph.node:
        attributes = {a.name: a.i for a in node.attribute}
        known[node.output[0]] = OPERATORS[node.op_type](attributes, *(known[i] for i in node.input))
    return known["/output/value"]


def main(path, *fens):
    model = onnx.load(path)
    onnx.checker.check_model(model)
    squares = model.graph.input[0].type.tensor_type.shape.dim[2].dim_value
    for fen in fens:
        print(f"{run(model, planes_of(fen, squares))[0, 0]:.6f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
