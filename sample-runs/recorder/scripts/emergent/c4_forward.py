"""Turns 16-21: the noise schedule, noise on coordinates and on the sequence, both together, the target kept clean."""
from scripting import add, patch, shell, step, turn, update

turn(
    "The noise schedule is the cosine one: alpha_bar(t) = f(t)/f(0) with f(t) = cos^2((t/T + s)/(1 + s) * pi/2), s = 0.008, beta clipped at "
    "0.999. Make it a class, the same schedule will drive coordinates and sequence.",
    step("A module of its own, since both halves will use it.",
         patch(add("ppdiff/schedule.py", '''
"""The cosine noise schedule."""
import math


class CosineSchedule:
    """alpha_bar falls from 1 at t = 0 to almost 0 at t = steps; t counts from 1 for beta and alpha."""

    def __init__(self, steps, s=0.008):
        self.steps = steps
        f = [math.cos((t / steps + s) / (1 + s) * math.pi / 2) ** 2 for t in range(steps + 1)]
        self.betas = [0.0]
        for t in range(1, steps + 1):
            self.betas.append(min(1.0 - f[t] / f[t - 1], 0.999))
        self.alpha_bars = [1.0]
        for t in range(1, steps + 1):
            self.alpha_bars.append(self.alpha_bars[-1] * (1.0 - self.betas[t]))

    def beta(self, t):
        return self.betas[t]

    def alpha(self, t):
        return 1.0 - self.betas[t]

    def alpha_bar(self, t):
        return self.alpha_bars[t]

    def snr(self, t):
        return self.alpha_bars[t] / max(1.0 - self.alpha_bars[t], 1e-9)
'''),
               add("tests/test_schedule.py", '''
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
'''))),
    step(None, shell("python3 -m unittest")),
    step("`CosineSchedule` gives beta, alpha, alpha_bar and the signal to noise ratio."),
)

turn(
    "Coordinates: x_t = sqrt(alpha_bar) x_0 + sqrt(1 - alpha_bar) eps. Work in units of 10 angstrom so that the data have about unit "
    "variance, and take the centre of mass out of the noise as well.",
    step("`forward.py`.",
         patch(add("ppdiff/forward.py", '''
"""The forward process: clean complexes to noisy ones."""
import math

from ppdiff.geometry import remove_com

COORD_SCALE = 10.0


def gaussian_noise(n, rng):
    """Noise without a centre of mass."""
    return remove_com([[rng.gauss(0.0, 1.0) for _ in range(3)] for _ in range(n)])[0]


def diffuse_coords(x0, t, schedule, rng):
    """x_t and the noise in it; coordinates are centred and in units of COORD_SCALE."""
    a, b = math.sqrt(schedule.alpha_bar(t)), math.sqrt(1.0 - schedule.alpha_bar(t))
    eps = gaussian_noise(len(x0), rng)
    return [[a * x[k] + b * e[k] for k in range(3)] for x, e in zip(x0, eps)], eps
'''),
               add("tests/test_forward.py", '''
import random
import unittest

from ppdiff.forward import diffuse_coords
from ppdiff.geometry import center_of_mass, remove_com
from ppdiff.schedule import CosineSchedule
from ppdiff.toy import toy_complex


class CoordsTest(unittest.TestCase):
    def setUp(self):
        self.schedule = CosineSchedule(20)
        self.x0 = remove_com(toy_complex(1).coords())[0]

    def test_time_zero_changes_nothing(self):
        self.assertEqual(diffuse_coords(self.x0, 0, self.schedule, random.Random(0))[0], self.x0)

    def test_noise_keeps_the_centre(self):
        noisy, _ = diffuse_coords(self.x0, 15, self.schedule, random.Random(0))
        for v in center_of_mass(noisy):
            self.assertAlmostEqual(v, 0.0, places=9)
'''))),
    step(None, shell("python3 -m unittest")),
    step("`diffuse_coords` returns the noisy coordinates and the noise; the noise has no centre of mass."),
)

turn(
    "The sequence is discrete, so it gets a categorical forward process with the same alpha_bar.",
    step("I'll use an absorbing state: a residue is replaced by a mask token with probability 1 - alpha_bar.",
         patch(update("ppdiff/forward.py",
                      ('from ppdiff.geometry import remove_com', 'from ppdiff.data import AMINO_ACIDS\nfrom ppdiff.geometry import remove_com'),
                      ("COORD_SCALE = 10.0", "COORD_SCALE = 10.0\nMASK = len(AMINO_ACIDS)"),
                      ("def diffuse_coords(x0, t, schedule, rng):", '''
def corrupt_sequence(s0, t, schedule, rng):
    """Each residue becomes the mask token with probability 1 - alpha_bar."""
    return [MASK if rng.random() > schedule.alpha_bar(t) else aa for aa in s0]


def diffuse_coords(x0, t, schedule, rng):
''')),
               update("tests/test_forward.py", ("from ppdiff.forward import diffuse_coords", "from ppdiff.forward import MASK, corrupt_sequence, diffuse_coords"),
                      ("        self.x0 = remove_com(toy_complex(1).coords())[0]", "        self.x0 = remove_com(toy_complex(1).coords())[0]\n        self.s0 = toy_complex(1).sequence()"),
                      ("    def test_noise_keeps_the_centre(self):", '''
    def test_everything_is_masked_at_the_end(self):
        self.assertEqual(set(corrupt_sequence(self.s0, 20, self.schedule, random.Random(0))), {MASK})

    def test_noise_keeps_the_centre(self):
'''))),
         think="Absorbing or uniform is not said. Absorbing is the common choice for sequences, and simple."),
    step(None, shell("python3 -m unittest")),
    step("`corrupt_sequence` masks residues: an absorbing process with a 21st token."),
)

turn(
    "No, not masks. I want the uniform kind: with probability 1 - alpha_bar the residue is drawn again from the twenty amino acids, so q(s_t | s_0) = "
    "alpha_bar * onehot(s_0) + (1 - alpha_bar)/20. A residue must be able to change its mind more than once.",
    step("Replacing the mask by a uniform redraw.",
         patch(update("ppdiff/forward.py", ("COORD_SCALE = 10.0\nMASK = len(AMINO_ACIDS)", "COORD_SCALE = 10.0\nK = len(AMINO_ACIDS)"),
                      ('''
def corrupt_sequence(s0, t, schedule, rng):
    """Each residue becomes the mask token with probability 1 - alpha_bar."""
    return [MASK if rng.random() > schedule.alpha_bar(t) else aa for aa in s0]
''', '''
def corrupt_sequence(s0, t, schedule, rng):
    """q(s_t | s_0) = alpha_bar * onehot(s_0) + (1 - alpha_bar) / K: kept, or drawn again from all K."""
    return [rng.randrange(K) if rng.random() > schedule.alpha_bar(t) else aa for aa in s0]
''')),
               update("tests/test_forward.py", ("from ppdiff.forward import MASK, corrupt_sequence, diffuse_coords", "from ppdiff.forward import corrupt_sequence, diffuse_coords"),
                      ('''
    def test_everything_is_masked_at_the_end(self):
        self.assertEqual(set(corrupt_sequence(self.s0, 20, self.schedule, random.Random(0))), {MASK})
''', '''
    def test_early_the_sequence_is_kept_and_late_it_is_uniform(self):
        self.assertEqual(corrupt_sequence(self.s0, 0, self.schedule, random.Random(0)), self.s0)
        late = corrupt_sequence([3] * 4000, 20, self.schedule, random.Random(0))
        self.assertAlmostEqual(late.count(3) / 4000, 0.05, places=2)
''')))),
    step(None, shell("python3 -m unittest")),
    step("`corrupt_sequence` is uniform now and the mask token is gone."),
)

turn(
    "Structure and sequence are noised jointly: one t for both, drawn uniformly from 1 to T. Give me one function that takes a complex and returns the "
    "noisy coordinates, the noisy sequence and t.",
    step("`joint_forward`.",
         patch(update("ppdiff/forward.py", ("def gaussian_noise(n, rng):", '''
def joint_forward(complex_, schedule, rng, t=None):
    """One t for both halves: (x_0, x_t, s_t, t), coordinates centred and scaled."""
    if t is None:
        t = rng.randint(1, schedule.steps)
    centred, _ = remove_com(complex_.coords())
    x0 = [[v / COORD_SCALE for v in x] for x in centred]
    xt, _ = diffuse_coords(x0, t, schedule, rng)
    st = corrupt_sequence(complex_.sequence(), t, schedule, rng)
    return x0, xt, st, t


def gaussian_noise(n, rng):
''')),
               update("tests/test_forward.py", ("from ppdiff.forward import corrupt_sequence, diffuse_coords", "from ppdiff.forward import corrupt_sequence, diffuse_coords, joint_forward"),
                      ("    def test_noise_keeps_the_centre(self):", '''
    def test_both_halves_are_noised_at_one_time(self):
        x0, xt, st, t = joint_forward(toy_complex(1), self.schedule, random.Random(3))
        self.assertTrue(1 <= t <= 20)
        self.assertEqual((len(x0), len(xt), len(st)), (12, 12, 12))

    def test_noise_keeps_the_centre(self):
''')))),
    step(None, shell("python3 -m unittest")),
    step("`joint_forward` draws one t and returns (x_0, x_t, s_t, t)."),
)

turn(
    "But the target is given, it is the condition: its coordinates and its sequence stay clean at every t, only the binder is noised. The centre should then be that of "
    "the target.",
    step("A helper `fix_target` that puts the clean target back, used wherever something was noised; and centring on the target.",
         patch(update("ppdiff/forward.py",
                      ("from ppdiff.geometry import remove_com", "from ppdiff.geometry import center_of_mass, remove_com, sub"),
                      ("def joint_forward(complex_, schedule, rng, t=None):", '''
def fix_target(noisy, clean, binder):
    """The noisy values for the binder, the clean ones for the target."""
    return [a if b else c for a, c, b in zip(noisy, clean, binder)]


def center_on_target(coords, binder):
    com = center_of_mass([x for x, b in zip(coords, binder) if not b])
    return [sub(x, com) for x in coords], com


def joint_forward(complex_, schedule, rng, t=None):
'''),
                      ('''
    centred, _ = remove_com(complex_.coords())
    x0 = [[v / COORD_SCALE for v in x] for x in centred]
    xt, _ = diffuse_coords(x0, t, schedule, rng)
    st = corrupt_sequence(complex_.sequence(), t, schedule, rng)
''', '''
    binder = complex_.binder_mask()
    centred, _ = center_on_target(complex_.coords(), binder)
    x0 = [[v / COORD_SCALE for v in x] for x in centred]
    s0 = complex_.sequence()
    xt = fix_target(diffuse_coords(x0, t, schedule, rng)[0], x0, binder)
    st = fix_target(corrupt_sequence(s0, t, schedule, rng), s0, binder)
''')),
               update("tests/test_forward.py", ("    def test_noise_keeps_the_centre(self):", '''
    def test_the_target_stays_clean(self):
        made = toy_complex(1)
        x0, xt, st, _ = joint_forward(made, self.schedule, random.Random(3), t=20)
        for i, binder in enumerate(made.binder_mask()):
            if binder:
                self.assertNotEqual(xt[i], x0[i])
            else:
                self.assertEqual((xt[i], st[i]), (x0[i], self.s0[i]))

    def test_noise_keeps_the_centre(self):
''')))),
    step(None, shell("python3 -m unittest")),
    step("The target is clean at every t (`fix_target`), and the frame of reference is the target's centre (`center_on_target`)."),
    checkpoint="c4",
)
