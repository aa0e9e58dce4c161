import math
import unittest

from ppdiff.losses import coord_loss, interface_weights, sequence_loss, snr_weight, total_loss
from ppdiff.schedule import CosineSchedule
from ppdiff.toy import toy_complex


class CoordLossTest(unittest.TestCase):
    def test_only_weighted_residues_count(self):
        x0 = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        self.assertEqual(coord_loss([[9.0, 0.0, 0.0], [1.0, 2.0, 2.0]], x0, [0.0, 1.0]), 9.0)


class TimeWeightTest(unittest.TestCase):
    def test_it_is_capped_early_and_small_late(self):
        schedule = CosineSchedule(50)
        self.assertEqual(snr_weight(1, schedule), 1.0)
        self.assertLess(snr_weight(49, schedule), 0.01)


class InterfaceWeightTest(unittest.TestCase):
    def test_contacts_count_three_times(self):
        coords = [[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [30.0, 0.0, 0.0]]
        self.assertEqual(interface_weights(coords, [False, True, True]), [0.0, 3.0, 1.0])


class TotalLossTest(unittest.TestCase):
    def test_a_perfect_structure_leaves_the_sequence_term(self):
        made = toy_complex(1)
        loss = total_loss(made.coords(), [[0.0] * 20] * len(made), made.coords(), made, 1, CosineSchedule(50))
        self.assertAlmostEqual(loss, 0.5 * math.log(20), places=6)


class SequenceLossTest(unittest.TestCase):
    def test_knowing_nothing_costs_log_twenty(self):
        self.assertAlmostEqual(sequence_loss([[0.0] * 20], [7], [1.0]), math.log(20), places=6)

    def test_being_right_costs_nothing(self):
        self.assertAlmostEqual(sequence_loss([[50.0] + [0.0] * 19], [0], [1.0]), 0.0, places=6)
