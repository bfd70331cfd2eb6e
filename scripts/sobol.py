"""Packs the first 20,000 dimensions of Joe and Kuo's direction numbers (set 6) for the stand-in for cuRAND.

Usage: python scripts/sobol.py new-joe-kuo-6.21201 crates/cuda-programs/curand/data/joe-kuo-6.bin, where the first is the authors' file
(web.maths.unsw.edu.au/~fkuo/sobol). From the second dimension on, bits from the lowest: the degree s of the polynomial (5 bits), its
s - 1 inner coefficients, and of each initial number m_i, i from 2 to s, all but its lowest bit, which is 1 (i - 1 bits).
"""

import sys

DIMENSIONS = 20_000


def main(source: str, target: str) -> None:
    packed, used = 0, 0
    chunks = []

    def put(value: int, width: int) -> None:
        nonlocal packed, used
        assert 0 <= value < 1 << width
        packed |= value << used
        used += width
        while used >= 8:
            chunks.append(packed & 0xFF)
            packed >>= 8
            used -= 8

    with open(source, encoding="ascii") as lines:
        next(lines)
        for line in list(lines)[: DIMENSIONS - 1]:
            _, degree, inner, *numbers = map(int, line.split())
            assert len(numbers) == degree and numbers[0] == 1
            put(degree, 5)
            put(inner, degree - 1)
            for index, number in enumerate(numbers[1:], start=1):
                assert number & 1
                put(number >> 1, index)
    put(0, 7)
    with open(target, "wb") as file:
        file.write(bytes(chunks))


main(*sys.argv[1:])
