"""Turns 7-9: the time and position embeddings, and toy complexes to try things on."""
from scripting import add, patch, shell, step, turn, update

turn(
    "The network has to know the noise level. Use the usual sinusoidal embedding of t: half sines, half cosines, frequencies falling "
    "geometrically to 1/10000.",
    step("A module for embeddings.",
         patch(add("ppdiff/embed.py", '''
"""Embeddings of time and position."""
import math


def time_embedding(t, dim):
    """Sines then cosines of t at dim/2 frequencies from 1 down to 1/10000."""
    half = dim // 2
    freqs = [math.exp(-math.log(10000.0) * k / max(half - 1, 1)) for k in range(half)]
    return [math.sin(t * f) for f in freqs] + [math.cos(t * f) for f in freqs]
'''),
               add("tests/test_embed.py", '''
import unittest

from ppdiff.embed import time_embedding


class TimeTest(unittest.TestCase):
    def test_zero_is_sin_zero_cos_one(self):
        self.assertEqual(time_embedding(0, 4), [0.0, 0.0, 1.0, 1.0])

    def test_times_are_told_apart(self):
        self.assertNotEqual(time_embedding(3, 8), time_embedding(4, 8))
'''))),
    step(None, shell("python3 -m unittest")),
    step("`time_embedding(t, dim)` is in `ppdiff/embed.py`."),
)

turn(
    "Positions next. Within a chain the relative position j - i, clipped to plus or minus 16, picks a row of a learned table. Pairs from "
    "different chains share one extra row, so that the network cannot read an order into the numbering of the chains.",
    step("The index goes in `embed.py`; the table itself will belong to the network.",
         patch(update("ppdiff/embed.py", ('"""Embeddings of time and position."""\nimport math', '"""Embeddings of time and position."""\nimport math\n\nMAX_OFFSET = 16\nCROSS_CHAIN = 2 * MAX_OFFSET + 1\nPOSITION_BINS = CROSS_CHAIN + 1'),
                      ("    return [math.sin(t * f) for f in freqs] + [math.cos(t * f) for f in freqs]", '''
    return [math.sin(t * f) for f in freqs] + [math.cos(t * f) for f in freqs]


def relative_position(a, b):
    """The row of the position table for the pair; one row is shared by all pairs of different chains."""
    if a.chain != b.chain:
        return CROSS_CHAIN
    return max(-MAX_OFFSET, min(MAX_OFFSET, b.index - a.index)) + MAX_OFFSET
''')),
               update("tests/test_embed.py", ("from ppdiff.embed import time_embedding",
                                              "from ppdiff.embed import CROSS_CHAIN, MAX_OFFSET, relative_position, time_embedding\nfrom tests.test_data import residue"),
                      ("        self.assertNotEqual(time_embedding(3, 8), time_embedding(4, 8))", '''
        self.assertNotEqual(time_embedding(3, 8), time_embedding(4, 8))


class PositionTest(unittest.TestCase):
    def test_offset_is_clipped(self):
        first, far = residue("A", 0, "G", 0.0), residue("A", 40, "G", 0.0)
        self.assertEqual(relative_position(first, far), 2 * MAX_OFFSET)
        self.assertEqual(relative_position(far, first), 0)

    def test_chains_share_one_row(self):
        a = residue("A", 3, "G", 0.0)
        for index in (0, 7):
            self.assertEqual(relative_position(a, residue("B", index, "G", 0.0)), CROSS_CHAIN)
''')))),
    step(None, shell("python3 -m unittest")),
    step("`relative_position` gives 33 rows for offsets and one for pairs across chains."),
)

turn(
    "We have no real structures here, so make toy complexes: the target a straight helix, the binder a second helix lying beside it about 9 "
    "angstrom away, with random sequences and a seed.",
    step("An ideal helix: 100 degrees and 1.5 angstrom per residue, radius 2.3 for CA.",
         patch(add("ppdiff/toy.py", '''
"""Toy complexes: two ideal helices side by side."""
import math
import random

from ppdiff.data import AMINO_ACIDS, Complex, Residue

RISE, TURN = 1.5, math.radians(100.0)


def helix_atom(i, radius, phase, offset):
    angle = i * TURN + phase
    return [radius * math.cos(angle) + offset, radius * math.sin(angle), i * RISE + phase]


def helix(chain, length, offset, rng):
    residues = []
    for i in range(length):
        residues.append(Residue(chain, i, rng.randrange(len(AMINO_ACIDS)), helix_atom(i, 1.6, -0.5, offset),
                                helix_atom(i, 2.3, 0.0, offset), helix_atom(i, 1.7, 0.5, offset)))
    return residues


def toy_complex(seed, target_length=7, binder_length=5):
    rng = random.Random(seed)
    return Complex(helix("A", target_length, 0.0, rng) + helix("B", binder_length, 9.0, rng))
'''),
               add("tests/test_toy.py", '''
import unittest

from ppdiff.geometry import norm, sub
from ppdiff.graph import interface_mask
from ppdiff.toy import toy_complex


class ToyTest(unittest.TestCase):
    def test_neighbours_are_as_far_apart_as_in_a_helix(self):
        x = toy_complex(1).coords()
        self.assertAlmostEqual(norm(sub(x[1], x[0])), 3.8, places=1)

    def test_the_helices_touch(self):
        made = toy_complex(1)
        self.assertIn(True, interface_mask(made.coords(), made.binder_mask()))

    def test_the_seed_decides(self):
        self.assertEqual(toy_complex(4).sequence(), toy_complex(4).sequence())
'''))),
    step(None, shell("python3 -m unittest")),
    step(None, shell("python3 -c \"from ppdiff.toy import toy_complex; c = toy_complex(1); print(c.letters('A'), c.letters('B'))\"")),
    step("`toy_complex(seed)` makes a target helix of 7 and a binder helix of 5 residues beside it. They are in contact at 8 angstrom."),
    checkpoint="c2",
)
