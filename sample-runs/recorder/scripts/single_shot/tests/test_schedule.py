import unittest

from ppdiff.schedule import CosineSchedule


class ScheduleTest(unittest.TestCase):
    def setUp(self):
        self.schedule = CosineSchedule(50)

    def test_it_starts_clean_and_ends_in_noise(self):
        self.assertEqual(self.schedule.alpha_bar(0), 1.0)
        self.assertLess(self.schedule.alpha_bar(50), 1e-3)

    def test_alpha_bar_only_falls(self):
        bars = [self.schedule.alpha_bar(t) for t in range(51)]
        self.assertEqual(bars, sorted(bars, reverse=True))

    def test_beta_is_clipped(self):
        self.assertLessEqual(max(self.schedule.betas), 0.999)

    def test_half_way_is_half_clean(self):
        self.assertAlmostEqual(self.schedule.alpha_bar(25), 0.5, places=1)
