#!/usr/bin/env python3
"""Writes numpy.json with NumPy (1.24 wrote the one committed): arrays and how NumPy prints them."""

import json
import os

import numpy as np

CASES = []


def case(values, dtype="f4", shape=None, **options):
    array = np.array(values, dtype)
    if shape is not None:
        array = array.reshape(shape)
    with np.printoptions(**options):
        text = str(array)
    flat = [repr(float(v)) if array.dtype.kind == "f" else str(int(v)) for v in array.ravel()]
    CASES.append({"dtype": dtype, "shape": list(array.shape), "values": " ".join(flat),
                  "options": options, "text": text})


def counting(start, step, shape, dtype, **options):
    """Values that C++ counts up itself."""
    n = int(np.prod(shape))
    array = (start + step * np.arange(n)).astype(dtype).reshape(shape)
    with np.printoptions(**options):
        text = str(array)
    CASES.append({"dtype": dtype, "shape": list(shape), "start": start, "step": step,
                  "options": options, "text": text})


nan, inf = float("nan"), float("inf")

for dtype in ["f4", "f8", "f2"]:
    case([1, 2, 3], dtype)
    case([0.1, -20.25, 3], dtype)
    case([1, 1 / 3], dtype)
    case([nan, -inf, inf, 1.5], dtype)
    case([nan, inf], dtype)
    case([-0.0, 0.0], dtype)
    case([1e-5, 1], dtype)
    case([0.5, 600.125], dtype)
    case([0.1, 0.2, 0.30000001], dtype)
    case([[1.5, -2], [0.001, 3]], dtype)
    case(2.5, dtype)
    case(2, dtype)
    case(1e-5, dtype)
    case(-0.0, dtype)
    case([65504, 6e-8], dtype)
case([16777.1, 0.33333334])
case([16777216.0, 12345678.0])
case([1e8])
case([99999999.0], "f8")
case([99999.995, 123.5])
case([1e-4, 2e-4])
case([1e-4, 2e-4], "f8")
case([1e-300, 1], "f8")
case([1e300, -1e-300, nan], "f8")
case([5e-324], "f8")
case([1e-45, 3.4028235e38])
case([1 / 3, 2 / 3, 1e5], "f8")
case([0.1 + 0.2], "f8")
case(1e16, "f8")
case(123456789012345.6, "f8")
case(1 / 3)
case(nan)
case([nan, nan])
case([1e20, -inf])
case([1000.5, 1, 0.25])
case([1000, 1])
case([1001, 1])
case([[1, nan], [inf, -4]])
case([0.5, 1.5, 2.5], "f8", precision=0)
case([1 / 3, 100], precision=3)
case([1 / 3, 1e9], precision=2)
case([0.99999, 1], precision=3)
case([1e-6, 1, 20], suppress=True)
case([1e-10, 1, 2000], "f8", suppress=True)
case([1e9, 1], suppress=True)
case([True, False], "?")
case([True, True], "?")
case([[False, False]], "?")
case(True, "?")
case([1, -2, 300], "i4")
case(-7, "i8")
case([-9223372036854775808, 9223372036854775807], "i8")
case([0, 255], "u1")
case([[-128, 127], [0, 1]], "i1")
case([[[1]]], "i2")
counting(0, 1, (2, 2, 2), "i8")
counting(0, 0.5, (2, 3, 2), "f4")
counting(0, 1, (2, 1, 2, 2), "i4")
counting(0, 1, (30,), "i8")
counting(-10, 0.25, (3, 40), "f4")
counting(0, 1, (1001,), "i8")
counting(0, 1, (1000,), "i4", linewidth=200)
counting(0, 1, (1000, 2), "i8")
counting(0, 0.001, (40, 50), "f8")
counting(0, 1, (20, 10, 10), "f4")
counting(0, 1, (100,), "i8", threshold=10, edgeitems=2)
counting(0, 1, (6, 6), "i8", threshold=10, edgeitems=3)
counting(0, 1, (7, 7), "i8", threshold=10, edgeitems=1)
counting(1000000, 1, (12,), "i8", linewidth=40)
counting(1000000, 1, (3, 2), "i8", linewidth=5)
counting(0.25, 0.5, (30,), "f4", linewidth=40)

folder = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(folder, "numpy.json"), "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(c) for c in CASES) + "\n]\n")
print(len(CASES), "cases")
