"""Computes the coefficients of `lanework-math`: crates/rust-kernels/math/src/elementary/coefficients.rs.

For each function: the polynomial that nearly minimizes the largest weighted error on an interval,
by Lawson's reweighted least squares on Chebyshev nodes, with the smallest degree that reaches the
wanted precision. Coefficients are rounded to the format one by one, lowest first, and
the others are fitted again each time, so that rounding costs little (Brisebarre and Chevillard,
"Efficient polynomial L-infinity approximations", 2007, do it by lattices).

    pip install mpmath gmpy2
    python scripts/minimax.py > crates/rust-kernels/math/src/elementary/coefficients.rs
"""

import struct
import sys
import textwrap

from mpmath import (asin, atan, atanh, cos, erf, erfc, exp, expm1, frexp, ldexp, log, log1p, lu_solve, matrix, mp, mpf,
                    nint, pi, sin, sinh, sqrt, tan, tanh)

mp.prec = 400


def to_format(value, bits):
    """`value` rounded to nearest in a format with `bits` bits of precision (normal range)."""
    if value == 0:
        return mpf(0)
    mantissa, exponent = frexp(value)
    return ldexp(nint(ldexp(mantissa, bits)), exponent - bits)


def fit(g, weight, low, high, fixed, free):
    """The `free` coefficients above `fixed` whose largest weighted error is near the least: weighted
    least squares on Chebyshev nodes, reweighted by the error (Lawson's algorithm)."""
    n, k = free, len(fixed)
    mid, half = (low + high) / 2, (high - low) / 2
    count = 5 * (n + 2)
    points = [mid - half * cos(pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    weights = [weight(x) ** 2 for x in points]
    rest = [g(x) - sum((c * x**i for i, c in enumerate(fixed)), mpf(0)) for x in points]
    powers = [[x ** (k + j) for j in range(n)] for x in points]
    lawson = [mpf(1)] * count
    coefficients = None
    for _ in range(4):
        scaled = [w * v for w, v in zip(weights, lawson)]
        a, b = matrix(n, n), matrix(n, 1)
        for i in range(n):
            for j in range(i, n):
                a[i, j] = a[j, i] = sum((s * p[i] * p[j] for s, p in zip(scaled, powers)), mpf(0))
            b[i] = sum((s * p[i] * r for s, p, r in zip(scaled, powers, rest)), mpf(0))
        solution = lu_solve(a, b)
        coefficients = [solution[i] for i in range(n)]
        errors = [sqrt(w) * abs(r - sum((c * q for c, q in zip(coefficients, p)), mpf(0)))
                  for w, r, p in zip(weights, rest, powers)]
        largest = max(errors)
        if largest == 0:
            break
        lawson = [v * (e / largest + mpf(1) / 50) for v, e in zip(lawson, errors)]
    return coefficients


def worst(g, weight, low, high, coefficients):
    """The largest weighted error, on a grid."""
    steps = 400
    xs = [low + (high - low) * (mpf(i) + mpf(1) / 2) / steps for i in range(steps)]
    return max(abs(weight(x) * (g(x) - sum(c * x**i for i, c in enumerate(coefficients)))) for x in xs)


def polynomial(g, weight, low, high, bits, wanted):
    """Rounded coefficients, lowest first, with the weighted error, of the least sufficient degree."""
    low, high = mpf(low), mpf(high)
    for n in range(3, 40):
        mp.prec = 300 if bits == 24 else 500
        exact = fit(g, weight, low, high, [], n)
        if worst(g, weight, low, high, exact) > mpf(2)**-wanted:
            continue
        rounded = []
        for i in range(n):
            rounded.append(to_format(fit(g, weight, low, high, rounded, n - i)[0], bits))
        error = worst(g, weight, low, high, rounded)
        if error < mpf(2)**-(wanted - 1):
            return rounded, error
    raise SystemExit("no degree suffices")


def odd(f):
    """(f(x) - x) / x^3 in terms of z = x^2, and the weight that makes the error relative to f."""
    def g(z):
        x = sqrt(z)
        return (f(x) - x) / (x * z)

    def weight(z):
        x = sqrt(z)
        return x * z / f(x)
    return g, weight


def erfcx(x):
    return exp(x * x) * erfc(x)


def of_t(scale):
    """erfcx(x) (1 + 2x) for t = (x - scale) / (x + scale)."""
    def g(t):
        x = scale * (1 + t) / (1 - t)
        return erfcx(x) * (1 + 2 * x)
    return g


EPS = mpf(10)**-12
PIO4 = float(pi / 4) ** 2 * 1.0001
POLYNOMIALS = [
    ("EXP", "(exp(r) - 1 - r) / r^2, |r| <= ln(2)/2", lambda r: (expm1(r) - r) / r**2 if r else mpf(1) / 2,
     lambda r: r**2 / expm1(r) if r else mpf(0), -0.3485, 0.3485, (26, 57)),
    ("EXP2", "(2^r - 1) / r, |r| <= 1/2", lambda r: expm1(r * log(2)) / r if r else log(2),
     lambda r: r, -0.5003, 0.5003, (27, 58)),
    ("LN", "(ln(1 + f) - f) / f^2, |f| <= 1/3", lambda f: (log1p(f) - f) / f**2 if f else -mpf(1) / 2,
     lambda f: f**2 / log1p(f) if f else mpf(0), -0.3334, 0.3334, (27, None)),
    ("LN_RATIO", "(2 atanh(s) - 2s) / s^3, z = s^2 <= 1/25",
     lambda z: (2 * atanh(sqrt(z)) - 2 * sqrt(z)) / sqrt(z)**3, lambda z: z, EPS, 0.0402, (None, 60)),
    ("LN_TAIL", "(2 atanh(s) / s - 2 - 2/3 z - 2/5 z^2) / z^3, z = s^2 <= 1/25",
     lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2 - 2 * z / 3 - 2 * z**2 / 5) / z**3, lambda z: z**3 / 2,
     mpf(10)**-6, 0.0402, (37, 70)),
    ("SIN", "(sin(r) - r) / r^3, z = r^2 <= (pi/4)^2", *odd(sin), EPS, PIO4, (26, 58)),
    ("COS", "(cos(r) - 1 + z/2) / z^2, z = r^2 <= (pi/4)^2",
     lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, lambda z: z**2 / cos(sqrt(z)), EPS, PIO4, (27, 57)),
    ("TAN", "(tan(r) - r) / r^3, z = r^2 <= (pi/4)^2", *odd(tan), EPS, PIO4, (27, 57)),
    ("ASIN", "(asin(x) - x) / x^3, z = x^2 <= 1/4", *odd(asin), EPS, 0.2501, (27, 57)),
    ("ATAN", "(atan(x) - x) / x^3, z = x^2 <= 1", *odd(atan), EPS, 1.0, (27, 57)),
    ("TANH", "(tanh(x) - x) / x^3, z = x^2 <= (5/8)^2", *odd(tanh), EPS, 0.3907, (27, 57)),
    ("SINH", "(sinh(x) - x) / x^3, z = x^2 <= 1", *odd(sinh), EPS, 1.0, (27, 57)),
    ("ERF", "erf(x) / x - 1, z = x^2 <= 1", lambda z: erf(sqrt(z)) / sqrt(z) - 1,
     lambda z: sqrt(z) / erf(sqrt(z)), EPS, 1.0, (27, 57)),
    ("ERFCX", "exp(x^2) erfc(x) (1 + 2x), t = (x - K) / (x + K), 1/2 <= x < 11 (f32) or 28 (f64)", None, None, None, None, (26, 53.5)),
]

CONSTANTS = [
    ("LOG2_E", "log2(e)", 1 / log(2)), ("LN_2", "ln(2)", log(2)), ("LOG10_E", "log10(e)", 1 / log(10)),
    ("PI", "pi", pi), ("FRAC_PI_2", "pi/2", pi / 2), ("TWO_THIRDS", "2/3", mpf(2) / 3),
    ("TWO_FIFTHS", "2/5", mpf(2) / 5), ("FRAC_2_PI", "2/pi", 2 / pi),
]


def bits_of(value, bits):
    """The bits of an exactly representable value, as a literal."""
    form, word, digits = ("<f", "<I", 8) if bits == 24 else ("<d", "<Q", 16)
    return f"0x{struct.unpack(word, struct.pack(form, float(value)))[0]:0{digits}x}"


def filled(words, indent):
    """Words in lines of 100 columns."""
    return textwrap.fill(" ".join(words), 100, initial_indent=indent, subsequent_indent=indent)


HEAD = """//! Coefficients and constants, computed by `scripts/minimax.py`; lowest power first.

use crate::real::{Pair, Polynomial};

/// Constants by the bits of their `f32` and their `f64`.
macro_rules! pairs {
    ($($(#[$doc:meta])* $name:ident = $single:literal, $double:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) const $name: Pair =
            Pair { single: f32::from_bits($single), double: f64::from_bits($double) };
    )*};
}

/// Polynomials by the bits of their coefficients.
macro_rules! polynomials {
    ($($(#[$doc:meta])* $name:ident { $($single:literal)* } { $($double:literal)* })*) => {$(
        $(#[$doc])*
        pub(crate) const $name: Polynomial = Polynomial {
            single: &[$(f32::from_bits($single)),*],
            double: &[$(f64::from_bits($double)),*],
        };
    )*};
}

pairs! {"""


def emit():
    print(HEAD)
    for name, text, value in CONSTANTS:
        rows = []
        for bits in (24, 53):
            high = to_format(value, bits)
            low = to_format(value - high, bits)
            rows.append((bits_of(high, bits), bits_of(low, bits)))
        print(f"    /// {text}.\n    {name} = {rows[0][0]}, {rows[1][0]};")
        if name == "FRAC_2_PI":
            continue
        print(f"    /// {text} less `{name}`.\n    {name}_LOW = {rows[0][1]}, {rows[1][1]};")
    for name, text, value in (("LN_2", "ln(2)", log(2)), ("LOG10_2", "log10(2)", log(2) / log(10))):
        rows = []
        for bits, short in ((24, 15), (53, 41)):
            high = to_format(value, short)
            rows.append((bits_of(high, bits), bits_of(to_format(value - high, bits), bits)))
        print(f"    /// {text}, short enough that its product with an exponent is exact.\n    {name}_SHORT = {rows[0][0]}, {rows[1][0]};")
        print(f"    /// {text} less `{name}_SHORT`.\n    {name}_REST = {rows[0][1]}, {rows[1][1]};")
    rows = []
    for bits in (24, 53):
        rest = pi / 2
        parts = []
        for _ in range(3):
            parts.append(to_format(rest, bits))
            rest -= parts[-1]
        rows.append([bits_of(p, bits) for p in parts])
    for i in range(3):
        print(f"    /// Part {i + 1} of pi/2.\n    PI_PART_{i + 1} = {rows[0][i]}, {rows[1][i]};")
    print("}")
    mp.prec = 1600
    digits = int(2 / pi * mpf(2)**(64 * 20))
    for width, name, count in ((32, "TWO_OVER_PI_SINGLE", 8), (64, "TWO_OVER_PI_DOUBLE", 20)):
        words = [0] + [digits >> (64 * 20 - width * (i + 1)) & (2**width - 1) for i in range(count - 1)]
        print(f"\n/// The bits of 2/pi after the point, {width} a word, most significant first, after a word of zeros.")
        if width == 64:
            print("#[rustfmt::skip]")
        print(f"pub const {name}: &[u{width}] = &[")
        print(filled([f"0x{w:0{width // 4}x}," for w in words], "    ") + "\n];")
    print("\npolynomials! {")
    mp.prec = 400
    for name, text, g, weight, low, high, wanted in POLYNOMIALS:
        tables, errors = [], []
        for bits, want, scale, most in ((24, wanted[0], 2, 11), (53, wanted[1], 4, 28)):
            if want is None:
                tables.append("{}")
                continue
            if name == "ERFCX":
                g_, w_ = of_t(scale), (lambda t, s=scale: 1 / of_t(s)(t))
                table, error = polynomial(g_, w_, (0.5 - scale) / (0.5 + scale), mpf(most - scale) / (most + scale), bits, want)
            else:
                table, error = polynomial(g, weight, low, high, bits, want)
            tables.append("{\n" + filled([bits_of(c, bits) for c in table], "        ") + "\n    }")
            errors.append(f"2^{float(log(error, 2)):.1f} ({'f32' if bits == 24 else 'f64'})")
            print(name, bits, len(table), errors[-1], file=sys.stderr, flush=True)
        print(f"    /// {text}; error {', '.join(errors)}.\n    {name} {tables[0]} {tables[1]}")
    print("}")


emit()
