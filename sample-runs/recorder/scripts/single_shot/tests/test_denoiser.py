import random
import unittest

from ppdiff.config import Config
from ppdiff.denoiser import Denoiser
from ppdiff.forward import K, joint_forward
from ppdiff.schedule import CosineSchedule
from ppdiff.toy import toy_complex


class DenoiserTest(unittest.TestCase):
    def setUp(self):
        self.complex = toy_complex(1)
        _, self.xt, self.st, self.t = joint_forward(self.complex, CosineSchedule(20), random.Random(0))
        self.model = Denoiser(Config(seed=1))

    def test_shapes(self):
        x, logits = self.model(self.complex, self.xt, self.st, self.t)
        self.assertEqual((len(x), len(x[0]), len(logits), len(logits[0])), (12, 3, 12, K))

    def test_the_target_is_not_moved(self):
        x, _ = self.model(self.complex, self.xt, self.st, self.t)
        for i, binder in enumerate(self.complex.binder_mask()):
            self.assertEqual(x[i] != self.xt[i], binder)

    def test_a_previous_estimate_changes_the_next(self):
        first = self.model.estimate(self.complex, self.xt, self.st, self.t)
        second = self.model.estimate(self.complex, self.xt, self.st, self.t, first)
        self.assertNotEqual(first, second)

    def test_self_conditioning_is_used_half_of_the_time(self):
        rng = random.Random(0)
        used = [self.model.self_condition(self.complex, self.xt, self.st, self.t, rng) is not None for _ in range(60)]
        self.assertAlmostEqual(sum(used) / 60, 0.5, delta=0.15)

    def test_time_matters(self):
        early = self.model(self.complex, self.xt, self.st, 1)[1]
        late = self.model(self.complex, self.xt, self.st, 19)[1]
        self.assertNotEqual(early, late)
