"""Values of elementary functions to 200 bits, which the reference of `lanework-math`'s error tables is compared with.

    pip install mpmath
    python scripts/math_references.py > crates/rust-kernels/math/tests/references.txt
"""

import random
import struct

from mpmath import mp, mpf, acos, acosh, asin, asinh, atan, atan2, atanh, cbrt, cos, cosh, erf, erfc, exp, expm1, hypot, log, log1p, power, sin, sinh, tan, tanh

mp.prec = 2400
random.seed(7)

ONES = {
    "exp": (exp, (-700, 700)), "exp2": (lambda x: mpf(2)**x, (-1000, 1000)), "exp_m1": (expm1, (-30, 600)),
    "ln": (log, "positive"), "log2": (lambda x: log(x) / log(2), "positive"),
    "log10": (lambda x: log(x) / log(10), "positive"), "ln_1p": (log1p, (-0.999, 50)), "sin": (sin, "any"),
    "cos": (cos, "any"), "tan": (tan, "any"), "asin": (asin, (-1, 1)), "acos": (acos, (-1, 1)), "atan": (atan, "any"),
    "sinh": (sinh, (-600, 600)), "cosh": (cosh, (-600, 600)), "tanh": (tanh, (-20, 20)), "asinh": (asinh, "any"),
    "acosh": (acosh, (1, 1e9)), "atanh": (atanh, (-1, 1)),
    "cbrt": (lambda x: cbrt(x) if x >= 0 else -cbrt(-x), "any"), "erf": (erf, (-5, 5)), "erfc": (erfc, (-3, 25)),
}
TWOS = {
    "powf": (power, (0, 40), (-100, 100)), "atan2": (atan2, (-40, 40), (-40, 40)), "hypot": (hypot, (-40, 40), (-40, 40)),
}


def bits(x):
    return f"{struct.unpack('<Q', struct.pack('<d', x))[0]:016x}"


def draw(domain, i):
    if domain == "positive":
        return random.uniform(1, 2) * 2.0**random.randint(-1000, 1000) if i % 2 else 1 + random.uniform(-1, 1) * 2.0**-(i + 1)
    if domain == "any":
        return random.choice((-1, 1)) * random.uniform(1, 2) * 2.0**random.randint(-80, 1000 if i % 2 else 40)
    low, high = domain
    x = random.uniform(low, high)
    near = x * 2.0**-random.randint(1, 60)
    return near if i % 3 == 0 and low < near < high else x


def row(name, arguments, value):
    high = float(value)
    print(name, *map(bits, arguments), bits(high), bits(float(value - high)))


for name, (f, domain) in ONES.items():
    for i in range(12):
        x = draw(domain, i)
        row(name, [x], f(mpf(x)))
for name, (f, left, right) in TWOS.items():
    for i in range(12):
        x, y = draw(left, i), draw(right, i)
        row(name, [x, y], f(mpf(x), mpf(y)))
