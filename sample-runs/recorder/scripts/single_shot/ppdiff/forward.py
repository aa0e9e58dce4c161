"""The forward process: clean complexes to noisy ones."""
import math

from ppdiff.structures import AMINO_ACIDS
from ppdiff.geometry import center_of_mass, remove_com, sub

COORD_SCALE = 10.0
K = len(AMINO_ACIDS)


def fix_target(noisy, clean, binder):
    """The noisy values for the binder, the clean ones for the target."""
    return [a if b else c for a, c, b in zip(noisy, clean, binder)]


def center_on_target(coords, binder):
    com = center_of_mass([x for x, b in zip(coords, binder) if not b])
    return [sub(x, com) for x in coords], com


def joint_forward(complex_, schedule, rng, t=None):
    """One t for both halves: (x_0, x_t, s_t, t), coordinates centred and scaled."""
    if t is None:
        t = rng.randint(1, schedule.steps)
    binder = complex_.binder_mask()
    centred, _ = center_on_target(complex_.coords(), binder)
    x0 = [[v / COORD_SCALE for v in x] for x in centred]
    s0 = complex_.sequence()
    xt = fix_target(diffuse_coords(x0, t, schedule, rng)[0], x0, binder)
    st = fix_target(corrupt_sequence(s0, t, schedule, rng), s0, binder)
    return x0, xt, st, t


def gaussian_noise(n, rng):
    """Noise without a centre of mass."""
    return remove_com([[rng.gauss(0.0, 1.0) for _ in range(3)] for _ in range(n)])[0]


def corrupt_sequence(s0, t, schedule, rng):
    """q(s_t | s_0) = alpha_bar * onehot(s_0) + (1 - alpha_bar) / K: kept, or drawn again from all K."""
    return [rng.randrange(K) if rng.random() > schedule.alpha_bar(t) else aa for aa in s0]


def diffuse_coords(x0, t, schedule, rng):
    """x_t and the noise in it; coordinates are centred and in units of COORD_SCALE."""
    a, b = math.sqrt(schedule.alpha_bar(t)), math.sqrt(1.0 - schedule.alpha_bar(t))
    eps = gaussian_noise(len(x0), rng)
    return [[a * x[k] + b * e[k] for k in range(3)] for x, e in zip(x0, eps)], eps
