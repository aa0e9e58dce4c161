"""The reverse process."""
import math

from ppdiff.forward import COORD_SCALE, K, center_on_target, fix_target, gaussian_noise
from ppdiff.geometry import restore_com
from ppdiff.nn import softmax


def posterior_mean(x0, xt, t, schedule):
    """Mean and standard deviation of q(x_{t-1} | x_t, x_0)."""
    bar, before, beta = schedule.alpha_bar(t), schedule.alpha_bar(t - 1), schedule.beta(t)
    a = math.sqrt(before) * beta / (1.0 - bar)
    b = math.sqrt(schedule.alpha(t)) * (1.0 - before) / (1.0 - bar)
    mean = [[a * p[k] + b * x[k] for k in range(3)] for p, x in zip(x0, xt)]
    return mean, math.sqrt(beta * (1.0 - before) / (1.0 - bar))


def sequence_posterior(p0, st, t, schedule):
    """The distribution of s_{t-1} for one residue."""
    alpha, before = schedule.alpha(t), schedule.alpha_bar(t - 1)
    likely = [(alpha * (k == st) + (1.0 - alpha) / K) * (before * p0[k] + (1.0 - before) / K) for k in range(K)]
    total = sum(likely)
    return [v / total for v in likely]


def draw(probabilities, rng):
    return rng.choices(range(len(probabilities)), probabilities)[0]


def guided(model, complex_, x, s, t, previous, w):
    """(1 + w) times the pass with the target minus w times the pass without it."""
    with_x, with_logits = model(complex_, x, s, t, previous)
    without_x, without_logits = model(complex_, x, s, t, previous, see_target=False)
    mix = lambda a, b: [[(1.0 + w) * u - w * v for u, v in zip(p, q)] for p, q in zip(a, b)]
    return mix(with_x, without_x), [softmax(l) for l in mix(with_logits, without_logits)]


def sample(model, complex_, schedule, rng, guidance=1.0):
    """A design for the binder, and the probabilities of the last step."""
    binder = complex_.binder_mask()
    centred, com = center_on_target(complex_.coords(), binder)
    x0 = [[v / COORD_SCALE for v in p] for p in centred]
    s0 = complex_.sequence()
    x = fix_target(gaussian_noise(len(complex_), rng), x0, binder)
    s = fix_target([rng.randrange(K) for _ in s0], s0, binder)
    previous = None
    for t in range(schedule.steps, 0, -1):
        previous = guided(model, complex_, x, s, t, previous, guidance)
        mean, sigma = posterior_mean(previous[0], x, t, schedule)
        noise = gaussian_noise(len(x), rng)
        x = fix_target([[m[k] + sigma * e[k] for k in range(3)] for m, e in zip(mean, noise)], x0, binder)
        s = fix_target([draw(sequence_posterior(p, aa, t, schedule), rng) for p, aa in zip(previous[1], s)], s0, binder)
    coords = restore_com([[v * COORD_SCALE for v in p] for p in x], com)
    return complex_.with_state(coords, s), previous[1]
