"""How far two results of the same arithmetic may end apart, on any processor.

Processors add in different orders, fuse a product with a sum or do not, and have sines of their
own; so two right answers differ in their last digits, and by how much is known beforehand. One
rounding is off by at most half of EPS times the number that is rounded. Two results that are
compared both round, which makes it EPS a rounding. Three laws follow:

- after n roundings of numbers up to m, at worst n · EPS · m (`rounded32`, `rounded64`);
- in long sums and products the signs of roundings are independent, so that n of them grow as √n:
  four standard deviations are 4 · √n · EPS · m (`summed32`, `network32`);
- numbers that were large before they were subtracted keep the error of their size: m is the largest
  number on the way, not the result, and near zero a tolerance is absolute.

A tolerance in a test comes from here, or a comment beside it says where it comes from (a file that
keeps six decimals, a number of draws, half precision); tests/test_policy.py looks. What a law
promises to the last bit is compared to the last bit. What was measured on one machine is no reason.
"""

import math

EPS32 = 2.0**-23
EPS64 = 2.0**-52


def rounded32(operations: float, magnitude: float = 1.0) -> float:
    """Single precision, at worst: so many operations in a row on numbers up to `magnitude`."""
    return operations * EPS32 * magnitude


def rounded64(operations: float, magnitude: float = 1.0) -> float:
    """The same in double precision."""
    return operations * EPS64 * magnitude


def summed32(terms: float, magnitude: float = 1.0) -> float:
    """A sum of so many terms in single precision, in any order; `magnitude` is that of the sum of
    their sizes. With magnitude 1 it is relative, for terms of one sign."""
    return 4 * math.sqrt(terms) * EPS32 * magnitude


def network32(layers: float, width: float, magnitude: float = 1.0) -> float:
    """What a network says in single precision, alone or in a batch, padded or not.

    A layer has four matrix products on its way (in and out of attention, in and out of the inner
    layer), each a sum of `width` products; norms keep what is added up near one. `magnitude` is
    that of the output.
    """
    return summed32(4 * layers * width, magnitude)


# Joints hang in a chain of up to nine, and one more joint costs about fifty roundings: a turn from
# three angles or six numbers (about thirty), its product with a place, and a sum.
_CHAIN = 450

# Places up to ten metres, turns and angles in double precision: 1.0e-12.
GEOMETRY64 = rounded64(_CHAIN, 10.0)

# The same after a matrix was inverted or decomposed, or something divided by a small number, whose
# condition is up to a thousand: 1.0e-9.
SOLVED64 = 1000 * GEOMETRY64

# A number up to ten that was once written down in single precision: 1.2e-6.
STORED32 = rounded32(1, 10.0)

# Bones of up to a metre, turns and angles in single precision: 5.4e-5, a twentieth of a millimetre.
GEOMETRY32 = rounded32(_CHAIN)

# A film by the small networks of tests/director/makers.py (three layers, widest 68): 4.0e-4 metres
# or radians. Guidance 1.5 takes 1.5 times one velocity less half of another, which doubles the
# error of a step; a state that is off by a little is carried on by a velocity whose slope is at
# most two, for a flow time of one (e²); and a decoder adds up steps from the first frame on, as
# much again.
FILMED32 = network32(3, 68, magnitude=2 * math.e**2 * 2)


def frechet32(distance: float, row: float, variance: float, width: int) -> float:
    """A Fréchet distance of two sets whose rows are each off by at most `row`.

    Its root is a distance between distributions, and moving every row by e moves that by e at most;
    so the square itself, however near to zero, moves by 2 · √distance · e + e². On top come roots
    of eigenvalues that ought to be zero: each of `width` is known to EPS times the square of the
    largest variance, in double precision, and its root to √EPS times that variance.
    """
    return (2 * math.sqrt(max(distance, 0.0)) + row) * row + width * math.sqrt(EPS64) * variance
