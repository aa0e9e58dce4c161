"""Turns 34-39: the posteriors, the reverse loop, a target that moved, guidance, evaluation, ranking."""
from scripting import add, patch, plan, shell, step, turn, update

turn(
    "Sampling. First the posterior of the coordinates given the predicted x_0: q(x_{t-1} | x_t, x_0) is Gaussian with mean sqrt(abar_{t-1}) beta_t/(1 - abar_t) x_0 + "
    "sqrt(alpha_t) (1 - abar_{t-1})/(1 - abar_t) x_t and variance beta_t (1 - abar_{t-1})/(1 - abar_t).",
    step("I'll check what the schedule offers, then write the sampler's first half.", shell("grep -n 'def ' ppdiff/schedule.py ppdiff/forward.py ppdiff/denoiser.py")),
    step(None,
         patch(add("ppdiff/sampler.py", '''
"""The reverse process."""
import math


def posterior_mean(x0, xt, t, schedule):
    """Mean and standard deviation of q(x_{t-1} | x_t, x_0)."""
    bar, before, beta = schedule.alpha_bar(t), schedule.alpha_bar(t - 1), schedule.beta(t)
    a = math.sqrt(before) * beta / (1.0 - bar)
    b = math.sqrt(schedule.alpha(t)) * (1.0 - before) / (1.0 - bar)
    mean = [[a * p[k] + b * x[k] for k in range(3)] for p, x in zip(x0, xt)]
    return mean, math.sqrt(beta * (1.0 - before) / (1.0 - bar))
'''),
               add("tests/test_sampler.py", '''
import unittest

from ppdiff.sampler import posterior_mean
from ppdiff.schedule import CosineSchedule


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
'''))),
    step(None, shell("python3 -m unittest")),
    step("`posterior_mean` returns mean and standard deviation; at t = 1 it is the prediction itself."),
)

turn(
    "Then the sequence posterior, q(s_{t-1} | s_t, s_0) proportional to [alpha_t onehot(s_t) + (1 - alpha_t)/K] * [abar_{t-1} p_0 + (1 - abar_{t-1})/K] with p_0 the predicted "
    "probabilities, and the reverse loop over both from T to 1, feeding each estimate into the next step.",
    step(None,
         patch(update("ppdiff/sampler.py", ('"""The reverse process."""\nimport math', '"""The reverse process."""\nimport math\n\nfrom ppdiff.forward import COORD_SCALE, K, center_on_target, gaussian_noise\nfrom ppdiff.geometry import restore_com'),
                      ("    return mean, math.sqrt(beta * (1.0 - before) / (1.0 - bar))", '''
    return mean, math.sqrt(beta * (1.0 - before) / (1.0 - bar))


def sequence_posterior(p0, st, t, schedule):
    """The distribution of s_{t-1} for one residue."""
    alpha, before = schedule.alpha(t), schedule.alpha_bar(t - 1)
    likely = [(alpha * (k == st) + (1.0 - alpha) / K) * (before * p0[k] + (1.0 - before) / K) for k in range(K)]
    total = sum(likely)
    return [v / total for v in likely]


def draw(probabilities, rng):
    return rng.choices(range(len(probabilities)), probabilities)[0]


def sample(model, complex_, schedule, rng):
    """A design for the binder, and the probabilities of the last step."""
    binder = complex_.binder_mask()
    _, com = center_on_target(complex_.coords(), binder)
    x = gaussian_noise(len(complex_), rng)
    s = [rng.randrange(K) for _ in range(len(complex_))]
    previous = None
    for t in range(schedule.steps, 0, -1):
        previous = model.estimate(complex_, x, s, t, previous)
        mean, sigma = posterior_mean(previous[0], x, t, schedule)
        noise = gaussian_noise(len(x), rng)
        x = [[m[k] + sigma * e[k] for k in range(3)] for m, e in zip(mean, noise)]
        s = [draw(sequence_posterior(p, aa, t, schedule), rng) for p, aa in zip(previous[1], s)]
    coords = restore_com([[v * COORD_SCALE for v in p] for p in x], com)
    return complex_.with_state(coords, s), previous[1]
''')),
               update("tests/test_sampler.py", ("import unittest\n\nfrom ppdiff.sampler import posterior_mean\nfrom ppdiff.schedule import CosineSchedule", '''
import random
import unittest

from ppdiff.config import Config
from ppdiff.denoiser import Denoiser
from ppdiff.sampler import posterior_mean, sample, sequence_posterior
from ppdiff.schedule import CosineSchedule
from ppdiff.toy import toy_complex
'''),
                      ("        self.assertGreater(mean[0][0], 0.5)", '''
        self.assertGreater(mean[0][0], 0.5)


class SequencePosteriorTest(unittest.TestCase):
    def test_the_last_step_follows_the_prediction(self):
        p0 = [0.0] * 20
        p0[4] = 1.0
        self.assertAlmostEqual(sequence_posterior(p0, 9, 1, CosineSchedule(20))[4], 1.0)

    def test_it_is_a_distribution(self):
        self.assertAlmostEqual(sum(sequence_posterior([0.05] * 20, 9, 10, CosineSchedule(20))), 1.0)


class SampleTest(unittest.TestCase):
    def test_a_sample_is_repeatable(self):
        model, made = Denoiser(Config(dim=4, blocks=1)), toy_complex(1)
        one, _ = sample(model, made, CosineSchedule(4), random.Random(5))
        two, _ = sample(model, made, CosineSchedule(4), random.Random(5))
        self.assertEqual(one, two)
''')))),
    step(None, shell("python3 -m unittest")),
    step("`sample` runs the reverse loop and feeds each estimate into the next step."),
)

turn(
    "Wait, does the target stay where it is while sampling? Write the test first.",
    step("A test first.",
         patch(update("tests/test_sampler.py", ("class SampleTest(unittest.TestCase):", '''
class SampleTest(unittest.TestCase):
    def test_the_target_is_the_one_that_was_given(self):
        made = toy_complex(1)
        design, _ = sample(Denoiser(Config(dim=4, blocks=1)), made, CosineSchedule(4), random.Random(5))
        self.assertEqual(design.letters("A"), made.letters("A"))
        for got, wanted, binder in zip(design.coords(), made.coords(), made.binder_mask()):
            if not binder:
                for a, b in zip(got, wanted):
                    self.assertAlmostEqual(a, b, places=6)
''')))),
    step(None, shell("python3 -m unittest tests.test_sampler")),
    step("It does not: I never put the target back. `fix_target` has to be applied at the start and after every step, to coordinates and sequence.",
         patch(update("ppdiff/sampler.py",
                      ("from ppdiff.forward import COORD_SCALE, K, center_on_target, gaussian_noise", "from ppdiff.forward import COORD_SCALE, K, center_on_target, fix_target, gaussian_noise"),
                      ("    _, com = center_on_target(complex_.coords(), binder)\n    x = gaussian_noise(len(complex_), rng)\n    s = [rng.randrange(K) for _ in range(len(complex_))]", '''
    centred, com = center_on_target(complex_.coords(), binder)
    x0 = [[v / COORD_SCALE for v in p] for p in centred]
    s0 = complex_.sequence()
    x = fix_target(gaussian_noise(len(complex_), rng), x0, binder)
    s = fix_target([rng.randrange(K) for _ in s0], s0, binder)
'''),
                      ("        x = [[m[k] + sigma * e[k] for k in range(3)] for m, e in zip(mean, noise)]\n        s = [draw(sequence_posterior(p, aa, t, schedule), rng) for p, aa in zip(previous[1], s)]", '''
        x = fix_target([[m[k] + sigma * e[k] for k in range(3)] for m, e in zip(mean, noise)], x0, binder)
        s = fix_target([draw(sequence_posterior(p, aa, t, schedule), rng) for p, aa in zip(previous[1], s)], s0, binder)
'''))),
         think="The sampler starts everything from noise, target included. The forward process used fix_target; the reverse has to as well."),
    step(None, shell("python3 -m unittest")),
    step("Good that you asked: the target was noised like the binder. It is fixed at every step now, and the test holds it."),
)

turn(
    "Add classifier-free guidance on the target. In training hide the target in one step out of ten (its features zero, no edges between the sides); when sampling combine the passes with and "
    "without the target: (1 + w) * conditional - w * unconditional, for x_0 and for the logits, w = 1 by default.",
    step("The denoiser learns to hide the target, the trainer does it now and then, the sampler combines.",
         patch(update("ppdiff/config.py", ("    decay: float = 0.99", "    decay: float = 0.99\n    hide_target: float = 0.1\n    guidance: float = 1.0")),
               update("ppdiff/denoiser.py",
                      ("    def __call__(self, complex_, xt, st, t, previous=None):", "    def __call__(self, complex_, xt, st, t, previous=None, see_target=True):"),
                      ("            h.append([self.aa[aa][k] + time[k] + self.side[int(b)][k] for k in range(self.dim)])", '''
            if b or see_target:
                h.append([self.aa[aa][k] + time[k] + self.side[int(b)][k] for k in range(self.dim)])
            else:
                h.append([0.0] * self.dim)
'''),
                      ("        edges = knn_graph(xt, self.k)", '''
        edges = knn_graph(xt, self.k)
        if not see_target:
            edges = [(i, j) for i, j in edges if binder[i] == binder[j]]
''')),
               update("ppdiff/train.py",
                      ("def training_loss(model, complex_, schedule, rng):", "def training_loss(model, complex_, schedule, rng, hide_target):"),
                      ("    predicted, logits = model(complex_, xt, st, t, previous)", "    see_target = rng.random() >= hide_target\n    predicted, logits = model(complex_, xt, st, t, previous, see_target)"),
                      ("        history.append(spsa_step(rows, lambda s: training_loss(model, complex_, schedule, random.Random(s)), rng, config.lr, config.c))",
                       "        loss = lambda s: training_loss(model, complex_, schedule, random.Random(s), config.hide_target)\n        history.append(spsa_step(rows, loss, rng, config.lr, config.c))")),
               update("ppdiff/sampler.py",
                      ("from ppdiff.geometry import restore_com", "from ppdiff.geometry import restore_com\nfrom ppdiff.nn import softmax"),
                      ("def sample(model, complex_, schedule, rng):", '''
def guided(model, complex_, x, s, t, previous, w):
    """(1 + w) times the pass with the target minus w times the pass without it."""
    with_x, with_logits = model(complex_, x, s, t, previous)
    without_x, without_logits = model(complex_, x, s, t, previous, see_target=False)
    mix = lambda a, b: [[(1.0 + w) * u - w * v for u, v in zip(p, q)] for p, q in zip(a, b)]
    return mix(with_x, without_x), [softmax(l) for l in mix(with_logits, without_logits)]


def sample(model, complex_, schedule, rng, guidance=1.0):
'''),
                      ("        previous = model.estimate(complex_, x, s, t, previous)", "        previous = guided(model, complex_, x, s, t, previous, guidance)")),
               update("tests/test_sampler.py",
                      ("from ppdiff.sampler import posterior_mean, sample, sequence_posterior", "from ppdiff.sampler import guided, posterior_mean, sample, sequence_posterior"),
                      ("class SampleTest(unittest.TestCase):", '''
class GuidanceTest(unittest.TestCase):
    def test_no_guidance_is_the_conditional_pass(self):
        model, made = Denoiser(Config(dim=4, blocks=1)), toy_complex(1)
        x, s = [[0.1 * v for v in p] for p in made.coords()], made.sequence()
        plain, strong = guided(model, made, x, s, 3, None, 0.0), guided(model, made, x, s, 3, None, 2.0)
        self.assertEqual(plain[0], model.estimate(made, x, s, 3)[0])
        self.assertNotEqual(plain[1], strong[1])


class SampleTest(unittest.TestCase):
''')))),
    step(None, shell("python3 -m unittest")),
    step("`guided` mixes the two passes, the trainer hides the target in a tenth of the steps. Five files changed, all tests pass."),
)

turn(
    "Evaluation: CA RMSD of the binder after superposition (Kabsch) and sequence recovery, the share of binder residues that are the native ones.",
    step("Without a linear algebra library the optimal rotation is easiest by Horn's quaternion, the largest eigenvector of a 4x4 matrix, by power iteration.",
         patch(add("ppdiff/evaluate.py", '''
"""How close a design is to the native binder."""
import math

from ppdiff.geometry import remove_com


def best_rotation(moving, fixed):
    """The rotation that superposes the centred points, by Horn's quaternion and power iteration."""
    s = [[sum(p[a] * q[b] for p, q in zip(moving, fixed)) for b in range(3)] for a in range(3)]
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = s
    m = [[xx + yy + zz, yz - zy, zx - xz, xy - yx],
         [yz - zy, xx - yy - zz, xy + yx, zx + xz],
         [zx - xz, xy + yx, yy - xx - zz, yz + zy],
         [xy - yx, zx + xz, yz + zy, zz - xx - yy]]
    shift = sum(abs(v) for row in m for v in row) + 1e-9
    q = [1.0, 0.3, 0.2, 0.1]
    for _ in range(2000):
        q = [sum(m[i][j] * q[j] for j in range(4)) + shift * q[i] for i in range(4)]
        length = math.sqrt(sum(v * v for v in q))
        q = [v / length for v in q]
    w, x, y, z = q
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def kabsch_rmsd(moving, fixed):
    """The root mean square distance after the best superposition."""
    a, b = remove_com(moving)[0], remove_com(fixed)[0]
    r = best_rotation(a, b)
    total = 0.0
    for p, q in zip(a, b):
        turned = [sum(r[i][k] * p[k] for k in range(3)) for i in range(3)]
        total += sum((turned[k] - q[k]) ** 2 for k in range(3))
    return math.sqrt(total / len(a))


def sequence_recovery(design, native):
    """The share of binder residues that are the native ones."""
    pairs = [(a, b) for a, b, binder in zip(design.sequence(), native.sequence(), native.binder_mask()) if binder]
    return sum(a == b for a, b in pairs) / len(pairs)


def binder_rmsd(design, native):
    mask = native.binder_mask()
    pick = lambda c: [x for x, b in zip(c.coords(), mask) if b]
    return kabsch_rmsd(pick(design), pick(native))
'''),
               add("tests/test_evaluate.py", '''
import math
import unittest

from ppdiff.evaluate import binder_rmsd, kabsch_rmsd, sequence_recovery
from ppdiff.toy import toy_complex


class EvaluateTest(unittest.TestCase):
    def test_a_rotated_copy_has_no_distance(self):
        c, s = math.cos(2.0), math.sin(2.0)
        x = toy_complex(1).coords()
        turned = [[c * p[0] - s * p[1] + 4.0, s * p[0] + c * p[1], p[2] - 7.0] for p in x]
        self.assertAlmostEqual(kabsch_rmsd(turned, x), 0.0, places=5)

    def test_a_mirror_image_has(self):
        x = toy_complex(1).coords()
        self.assertGreater(kabsch_rmsd([[-p[0], p[1], p[2]] for p in x], x), 0.5)

    def test_the_native_recovers_itself(self):
        self.assertEqual(sequence_recovery(toy_complex(1), toy_complex(1)), 1.0)
        self.assertAlmostEqual(binder_rmsd(toy_complex(1), toy_complex(1)), 0.0, places=5)
'''))),
    step(None, shell("python3 -m unittest")),
    step("`kabsch_rmsd` (no reflections) and `sequence_recovery` are in `ppdiff/evaluate.py`."),
)

turn(
    "Many designs will be drawn per target, so they have to be ranked without knowing the native one: confidence is the mean of the largest amino acid probability over the binder, times the "
    "share of binder residues at the interface. Best first.",
    step(None,
         patch(update("ppdiff/evaluate.py", ("from ppdiff.geometry import remove_com", "from ppdiff.geometry import remove_com\nfrom ppdiff.graph import interface_mask"),
                      ("def binder_rmsd(design, native):", '''
def confidence(design, probabilities):
    """Mean of the largest probability over the binder times the share of the binder at the interface."""
    binder = design.binder_mask()
    best = [max(p) for p, b in zip(probabilities, binder) if b]
    touching = [near for near, b in zip(interface_mask(design.coords(), binder), binder) if b]
    return sum(best) / len(best) * sum(touching) / len(touching)


def rank_designs(designs):
    """(design, probabilities) pairs, the most confident first."""
    return sorted(designs, key=lambda pair: -confidence(*pair))


def binder_rmsd(design, native):
''')),
               update("tests/test_evaluate.py", ("from ppdiff.evaluate import binder_rmsd, kabsch_rmsd, sequence_recovery", "from ppdiff.evaluate import binder_rmsd, confidence, kabsch_rmsd, rank_designs, sequence_recovery"),
                      ("    def test_the_native_recovers_itself(self):", '''
    def test_the_surer_design_comes_first(self):
        made = toy_complex(1)
        sure, unsure = (made, [[1.0] + [0.0] * 19] * 12), (made, [[0.05] * 20] * 12)
        self.assertEqual(rank_designs([unsure, sure]), [sure, unsure])

    def test_a_design_far_away_has_no_confidence(self):
        made = toy_complex(1)
        away = made.with_state([[x[0] + 99.0 * b, x[1], x[2]] for x, b in zip(made.coords(), made.binder_mask())], made.sequence())
        self.assertEqual(confidence(away, [[1.0] + [0.0] * 19] * 12), 0.0)

    def test_the_native_recovers_itself(self):
''')))),
    step(None, shell("python3 -m unittest"),
         plan("everything of the first plan is there", ("Geometry, graph and embeddings", "completed"), ("Layers", "completed"),
              ("Forward process for coordinates and sequence", "completed"), ("Losses", "completed"),
              ("Denoiser and training", "completed"), ("Sampling and evaluation", "completed"))),
    step("`confidence` and `rank_designs`. With that the plan is done."),
    checkpoint="c7",
)
