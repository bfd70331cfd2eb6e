#!/usr/bin/env python3
"""Products by a GPU's own libraries in several precisions, for the test of verdicts.

    python3 scripts/tensor_products.py FOLDER
    LANEWORK_TENSOR_PRODUCTS=FOLDER cargo test -p lanework-verify tensor_cores -- --nocapture

Writes FOLDER/DATA-K-PRECISION.f32: a 64x64 product as little-endian floats. The inputs are those of
`crates/laboratory/verify/src/product/tests.rs`: the numbers of one linear congruential generator.
"""
import pathlib
import sys

import numpy as np
import torch

EDGE = 64


def numbers(count):
    """The generator's first numbers, evenly from 0 to 1."""
    found, state = np.empty(count, np.uint32), 1
    for at in range(count):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        found[at] = state
    return ((found >> 8).astype(np.float32) / np.float32(1 << 24)).astype(np.float32)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for k in (64, 1024, 4096):
        drawn = numbers(2 * EDGE * k)
        for data, values in (
            ("uniform", np.float32(2) * drawn - np.float32(1)),
            ("one-signed", drawn),
            ("tenths", np.full_like(drawn, 0.1)),
        ):
            a = torch.from_numpy(values[: EDGE * k].reshape(EDGE, k)).cuda()
            b = torch.from_numpy(values[EDGE * k :].reshape(k, EDGE)).cuda()
            for precision in ("f32", "tf32", "bf16", "fp16"):
                torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
                if precision in ("bf16", "fp16"):
                    kind = torch.bfloat16 if precision == "bf16" else torch.float16
                    c = torch.mm(a.to(kind), b.to(kind), out_dtype=torch.float32)
                else:
                    c = a @ b
                c.cpu().numpy().astype("<f4").tofile(folder / f"{data}-{k}-{precision}.f32")
    print(torch.cuda.get_device_name(), torch.__version__)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
