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
