import unittest

from ppdiff.structures import AMINO_ACIDS, Complex, Residue


def residue(chain, index, aa, x):
    return Residue(chain, index, AMINO_ACIDS.index(aa), [x - 1.0, 0.5, 0.0], [x, 0.0, 0.0], [x + 1.0, 0.5, 0.0])


class DataTest(unittest.TestCase):
    def setUp(self):
        self.complex = Complex([residue("A", 0, "G", 0.0), residue("A", 1, "K", 3.8), residue("B", 0, "W", 7.6)])

    def test_mask(self):
        self.assertEqual(self.complex.binder_mask(), [False, False, True])

    def test_letters(self):
        self.assertEqual(self.complex.letters("A"), "GK")

    def test_with_state_moves_the_whole_backbone(self):
        moved = self.complex.with_state([[0.0, 0.0, 1.0]] * 3, [0, 1, 2])
        self.assertEqual(moved.residues[0].n, [-1.0, 0.5, 1.0])
        self.assertEqual(moved.sequence(), [0, 1, 2])
