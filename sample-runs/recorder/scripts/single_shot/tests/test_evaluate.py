import math
import unittest

from ppdiff.evaluate import binder_rmsd, confidence, kabsch_rmsd, rank_designs, sequence_recovery
from ppdiff.toy import toy_complex


class EvaluateTest(unittest.TestCase):
    def test_a_rotated_copy_has_no_distance(self):
        c, s = math.cos(2.0), math.sin(2.0)
        x = toy_complex(1).coords()
        turned = [[c * p[0] - s * p[1] + 4.0, s * p[0] + c * p[1], p[2] - 7.0] for p in x]
        self.assertAlmostEqual(kabsch_rmsd(turned, x), 0.0, places=5)

    def test_a_mirror_image_has(self):
        x = toy_complex(1).coords()
        self.assertGreater(kabsch_rmsd([[-p[0], p[1], p[2]] for p in x], x), 0.5)

    def test_the_surer_design_comes_first(self):
        made = toy_complex(1)
        sure, unsure = (made, [[1.0] + [0.0] * 19] * 12), (made, [[0.05] * 20] * 12)
        self.assertEqual(rank_designs([unsure, sure]), [sure, unsure])

    def test_a_design_far_away_has_no_confidence(self):
        made = toy_complex(1)
        away = made.with_state([[x[0] + 99.0 * b, x[1], x[2]] for x, b in zip(made.coords(), made.binder_mask())], made.sequence())
        self.assertEqual(confidence(away, [[1.0] + [0.0] * 19] * 12), 0.0)

    def test_the_native_recovers_itself(self):
        self.assertEqual(sequence_recovery(toy_complex(1), toy_complex(1)), 1.0)
        self.assertAlmostEqual(binder_rmsd(toy_complex(1), toy_complex(1)), 0.0, places=5)
