import random
import unittest

from ppdiff.config import Config
from ppdiff.denoiser import Denoiser
from ppdiff.sampler import guided, posterior_mean, sample, sequence_posterior
from ppdiff.schedule import CosineSchedule
from ppdiff.toy import toy_complex


class CoordPosteriorTest(unittest.TestCase):
    def setUp(self):
        self.schedule = CosineSchedule(20)

    def test_the_last_step_is_the_prediction(self):
        mean, sigma = posterior_mean([[1.0, 2.0, 3.0]], [[9.0, 9.0, 9.0]], 1, self.schedule)
        for got, wanted in zip(mean[0], [1.0, 2.0, 3.0]):
            self.assertAlmostEqual(got, wanted)
        self.assertEqual(sigma, 0.0)

    def test_early_steps_stay_close_to_the_noise(self):
        mean, _ = posterior_mean([[0.0, 0.0, 0.0]], [[1.0, 0.0, 0.0]], 15, self.schedule)
        self.assertGreater(mean[0][0], 0.5)


class SequencePosteriorTest(unittest.TestCase):
    def test_the_last_step_follows_the_prediction(self):
        p0 = [0.0] * 20
        p0[4] = 1.0
        self.assertAlmostEqual(sequence_posterior(p0, 9, 1, CosineSchedule(20))[4], 1.0)

    def test_it_is_a_distribution(self):
        self.assertAlmostEqual(sum(sequence_posterior([0.05] * 20, 9, 10, CosineSchedule(20))), 1.0)


class GuidanceTest(unittest.TestCase):
    def test_no_guidance_is_the_conditional_pass(self):
        model, made = Denoiser(Config(dim=4, blocks=1)), toy_complex(1)
        x, s = [[0.1 * v for v in p] for p in made.coords()], made.sequence()
        plain, strong = guided(model, made, x, s, 3, None, 0.0), guided(model, made, x, s, 3, None, 2.0)
        self.assertEqual(plain[0], model.estimate(made, x, s, 3)[0])
        self.assertNotEqual(plain[1], strong[1])


class SampleTest(unittest.TestCase):
    def test_the_target_is_the_one_that_was_given(self):
        made = toy_complex(1)
        design, _ = sample(Denoiser(Config(dim=4, blocks=1)), made, CosineSchedule(4), random.Random(5))
        self.assertEqual(design.letters("A"), made.letters("A"))
        for got, wanted, binder in zip(design.coords(), made.coords(), made.binder_mask()):
            if not binder:
                for a, b in zip(got, wanted):
                    self.assertAlmostEqual(a, b, places=6)
    def test_a_sample_is_repeatable(self):
        model, made = Denoiser(Config(dim=4, blocks=1)), toy_complex(1)
        one, _ = sample(model, made, CosineSchedule(4), random.Random(5))
        two, _ = sample(model, made, CosineSchedule(4), random.Random(5))
        self.assertEqual(one, two)
