"""Toy complexes: two ideal helices side by side."""
import math
import random

from ppdiff.structures import AMINO_ACIDS, Complex, Residue

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
