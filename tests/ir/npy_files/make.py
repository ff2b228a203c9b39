#!/usr/bin/env python3
"""Writes the .npy files of this folder with NumPy (1.24 wrote those committed)."""

import os

import numpy as np

os.chdir(os.path.dirname(os.path.abspath(__file__)))


def write(name, array, version=None):
    with open(f"{name}.npy", "wb") as file:
        np.lib.format.write_array(file, np.asanyarray(array), version=version)


counting = np.arange(6).reshape(2, 3) - 2

for dtype in ["f2", "f4", "f8", "i1", "i2", "i4", "i8"]:
    write(f"{dtype}", counting.astype("<" + dtype))
    write(f"{dtype}_big_endian_fortran", np.asfortranarray(counting.astype(">" + dtype)))
write("u1", (counting % 256).astype("u1"))
write("b1", counting > 0)
write("special_f4", np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45], "f4"))
write("scalar_f8", np.float64(2.5))
write("empty_f4", np.zeros((0, 3), "f4"))
write("version_2", counting.astype("i4"), (2, 0))
write("version_3", counting.astype("i4"), (3, 0))
write("fortran_rank_3", np.asfortranarray(np.arange(24, dtype="i2").reshape(2, 3, 4)))
write("unsupported_u4", counting.astype("u4"))
write("unsupported_c8", counting.astype("c8"))
write("unsupported_structure", np.zeros(2, [("x", "f4"), ("y", "i4")]))
