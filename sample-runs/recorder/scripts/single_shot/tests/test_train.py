import os
import random
import tempfile
import unittest

from ppdiff.config import Config
from ppdiff.denoiser import Denoiser
from ppdiff.schedule import CosineSchedule
from ppdiff.toy import toy_complex
from ppdiff.train import EMA, load_checkpoint, save_checkpoint, spsa_step, train


class SpsaTest(unittest.TestCase):
    def test_it_finds_the_bottom_of_a_bowl(self):
        rows, rng = [[3.0, -2.0]], random.Random(0)
        for _ in range(200):
            spsa_step(rows, lambda seed: rows[0][0] ** 2 + rows[0][1] ** 2, rng, 0.05, 0.01)
        self.assertLess(abs(rows[0][0]) + abs(rows[0][1]), 0.1)


class CheckpointTest(unittest.TestCase):
    def test_the_average_is_what_is_loaded(self):
        config = Config(dim=4, blocks=1)
        ema = EMA(Denoiser(config).parameters(), 0.9)
        ema.shadow[0][0] = 42.0
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "c.json")
            save_checkpoint(path, ema, config)
            model, loaded = load_checkpoint(path)
        self.assertEqual((model.parameters()[0][0], loaded), (42.0, config))


class EmaTest(unittest.TestCase):
    def test_it_follows_slowly(self):
        rows = [[0.0]]
        ema = EMA(rows, decay=0.9)
        rows[0][0] = 1.0
        ema.update(rows)
        ema.copy_to(rows)
        self.assertAlmostEqual(rows[0][0], 0.1)


class TrainTest(unittest.TestCase):
    def test_training_changes_the_parameters_and_reports_every_step(self):
        config = Config(dim=4, blocks=1, seed=1, train_steps=2)
        model = Denoiser(config)
        before = [list(row) for row in model.parameters()]
        history, _ = train(model, [toy_complex(1)], CosineSchedule(config.n_steps), config)
        self.assertEqual(len(history), 2)
        self.assertNotEqual(before, model.parameters())
