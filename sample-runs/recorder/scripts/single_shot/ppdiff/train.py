"""Training by simultaneous perturbation."""
import json
import random
from dataclasses import asdict

from ppdiff.config import Config
from ppdiff.denoiser import Denoiser
from ppdiff.forward import joint_forward
from ppdiff.losses import total_loss


def training_loss(model, complex_, schedule, rng, hide_target):
    x0, xt, st, t = joint_forward(complex_, schedule, rng)
    previous = model.self_condition(complex_, xt, st, t, rng)
    see_target = rng.random() >= hide_target
    predicted, logits = model(complex_, xt, st, t, previous, see_target)
    return total_loss(predicted, logits, x0, complex_, t, schedule)


def shift(rows, signs, amount):
    for row, sign in zip(rows, signs):
        for k in range(len(row)):
            row[k] += amount * sign[k]


def spsa_step(rows, loss, rng, lr, c):
    """One step of simultaneous perturbation; `loss` is called with a seed and must be repeatable. Returns the mean loss."""
    signs = [[rng.choice((-1.0, 1.0)) for _ in row] for row in rows]
    seed = rng.random()
    shift(rows, signs, c)
    up = loss(seed)
    shift(rows, signs, -2.0 * c)
    down = loss(seed)
    shift(rows, signs, c)
    shift(rows, signs, -lr * (up - down) / (2.0 * c))
    return (up + down) / 2.0


class EMA:
    """The exponential moving average of the parameters."""

    def __init__(self, rows, decay):
        self.decay = decay
        self.shadow = [list(row) for row in rows]

    def update(self, rows):
        for mean, row in zip(self.shadow, rows):
            for k in range(len(row)):
                mean[k] = self.decay * mean[k] + (1.0 - self.decay) * row[k]

    def copy_to(self, rows):
        for mean, row in zip(self.shadow, rows):
            row[:] = mean


def save_checkpoint(path, ema, config):
    with open(path, "w") as f:
        json.dump({"config": asdict(config), "ema": ema.shadow}, f)


def load_checkpoint(path):
    """The model with the averaged weights, and its config."""
    with open(path) as f:
        saved = json.load(f)
    config = Config(**saved["config"])
    model = Denoiser(config)
    for row, mean in zip(model.parameters(), saved["ema"]):
        row[:] = mean
    return model, config


def train(model, complexes, schedule, config):
    rng = random.Random(config.seed)
    rows = model.parameters()
    ema = EMA(rows, config.decay)
    history = []
    for _ in range(config.train_steps):
        complex_ = rng.choice(complexes)

        def loss(seed):
            return training_loss(model, complex_, schedule, random.Random(seed), config.hide_target)

        history.append(spsa_step(rows, loss, rng, config.lr, config.c))
        ema.update(rows)
    return history, ema
