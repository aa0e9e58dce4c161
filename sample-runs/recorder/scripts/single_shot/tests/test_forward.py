import random
import unittest

from ppdiff.forward import corrupt_sequence, diffuse_coords, joint_forward
from ppdiff.geometry import center_of_mass, remove_com
from ppdiff.schedule import CosineSchedule
from ppdiff.toy import toy_complex


class CoordsTest(unittest.TestCase):
    def setUp(self):
        self.schedule = CosineSchedule(20)
        self.x0 = remove_com(toy_complex(1).coords())[0]
        self.s0 = toy_complex(1).sequence()

    def test_time_zero_changes_nothing(self):
        self.assertEqual(diffuse_coords(self.x0, 0, self.schedule, random.Random(0))[0], self.x0)

    def test_early_the_sequence_is_kept_and_late_it_is_uniform(self):
        self.assertEqual(corrupt_sequence(self.s0, 0, self.schedule, random.Random(0)), self.s0)
        late = corrupt_sequence([3] * 4000, 20, self.schedule, random.Random(0))
        self.assertAlmostEqual(late.count(3) / 4000, 0.05, places=2)

    def test_both_halves_are_noised_at_one_time(self):
        x0, xt, st, t = joint_forward(toy_complex(1), self.schedule, random.Random(3))
        self.assertTrue(1 <= t <= 20)
        self.assertEqual((len(x0), len(xt), len(st)), (12, 12, 12))

    def test_the_target_stays_clean(self):
        made = toy_complex(1)
        x0, xt, st, _ = joint_forward(made, self.schedule, random.Random(3), t=20)
        for i, binder in enumerate(made.binder_mask()):
            if binder:
                self.assertNotEqual(xt[i], x0[i])
            else:
                self.assertEqual((xt[i], st[i]), (x0[i], self.s0[i]))

    def test_noise_keeps_the_centre(self):
        noisy, _ = diffuse_coords(self.x0, 15, self.schedule, random.Random(0))
        for v in center_of_mass(noisy):
            self.assertAlmostEqual(v, 0.0, places=9)
