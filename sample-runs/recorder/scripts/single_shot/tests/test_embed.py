import unittest

from ppdiff.embed import CROSS_CHAIN, MAX_OFFSET, relative_position, time_embedding
from tests.test_structures import residue


class TimeTest(unittest.TestCase):
    def test_zero_is_sin_zero_cos_one(self):
        self.assertEqual(time_embedding(0, 4), [0.0, 0.0, 1.0, 1.0])

    def test_times_are_told_apart(self):
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
