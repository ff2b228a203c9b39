#!/usr/bin/env python3
"""Writes the .npz files of this folder with NumPy (1.24 wrote those committed)."""

import os
import zipfile

import numpy as np

os.chdir(os.path.dirname(os.path.abspath(__file__)))

arrays = {
    "counting": np.arange(6, dtype="f4").reshape(2, 3) - 2,
    "big_endian": np.array([1, -2, 300], ">i2"),
    "fortran": np.asfortranarray(np.arange(6, dtype="i8").reshape(2, 3)),
    "flags": np.array([True, False, True]),
    "half": np.array([0.5, np.inf], "f2"),
    "nothing": np.zeros((0, 3), "f8"),
    "scalar": np.array(2.5),
    "größe/1": np.array([7], "u1"),
}
np.savez("stored.npz", **arrays)
np.savez_compressed("compressed.npz", zeros=np.zeros((50, 20), "i4"), **arrays)
np.savez("empty.npz")
zipfile.ZIP64_LIMIT = zipfile.ZIP_FILECOUNT_LIMIT = 1  # as if everything were larger than 4 GiB
np.savez("zip64.npz", **arrays)
zipfile.ZIP64_LIMIT = zipfile.ZIP_FILECOUNT_LIMIT = 1 << 31
np.savez("complex.npz", z=np.array([1j]))
np.savez("objects.npz", o=np.array([None], dtype=object))
with zipfile.ZipFile("text.npz", "w") as archive:
    archive.writestr("readme.txt", "no array")
with zipfile.ZipFile("bzip2.npz", "w", zipfile.ZIP_BZIP2) as archive:
    archive.writestr("a.npy", b"x" * 50)
