"""The Numba kernel of the debugger's tests: PTX with lines (`lineinfo`), and without optimization (`debug`)."""
from numba import cuda, float32, int32


def scale(x, y, factor):
    i = cuda.grid(1)
    if i < x.size:
        value = x[i] * factor
        y[i] = value + 1.0


if __name__ == "__main__":
    signature = (float32[::1], float32[::1], float32)
    for name, options in [("lines", {"lineinfo": True}), ("debug", {"debug": True, "opt": False})]:
        text, _ = cuda.compile_ptx(scale, signature, device=False, cc=(8, 0), **options)
        open(f"numba_{name}.ptx", "w").write(text)
