"""Turns 22-26: the two losses and their weights, and a rename."""
from scripting import add, patch, plan, shell, step, turn, update

turn(
    "Losses. The network will predict x_0 directly, so the coordinate loss is the mean squared distance between predicted and true CA atoms, over the "
    "binder only. Leave room for a weight per residue.",
    step(None,
         patch(add("ppdiff/losses.py", '''
"""Training losses; all of them look at the binder only."""


def coord_loss(predicted, x0, weights):
    """The weighted mean of the squared distances; residues of the target have weight zero."""
    total = sum(weights)
    return sum(w * sum((p[k] - x[k]) ** 2 for k in range(3)) for p, x, w in zip(predicted, x0, weights)) / max(total, 1e-9)
'''),
               add("tests/test_losses.py", '''
import unittest

from ppdiff.losses import coord_loss


class CoordLossTest(unittest.TestCase):
    def test_only_weighted_residues_count(self):
        x0 = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        self.assertEqual(coord_loss([[9.0, 0.0, 0.0], [1.0, 2.0, 2.0]], x0, [0.0, 1.0]), 9.0)
'''))),
    step(None, shell("python3 -m unittest")),
    step("`coord_loss(predicted, x0, weights)`; the target has weight zero."),
)

turn(
    "The sequence loss is the cross entropy between the predicted distribution over the twenty amino acids and the true residue, again only over the binder, with "
    "the same weights.",
    step(None,
         patch(update("ppdiff/losses.py",
                      ('"""Training losses; all of them look at the binder only."""', '"""Training losses; all of them look at the binder only."""\nimport math\n\nfrom ppdiff.nn import softmax'),
                      ("    return sum(w * sum((p[k] - x[k]) ** 2 for k in range(3)) for p, x, w in zip(predicted, x0, weights)) / max(total, 1e-9)", '''
    return sum(w * sum((p[k] - x[k]) ** 2 for k in range(3)) for p, x, w in zip(predicted, x0, weights)) / max(total, 1e-9)


def sequence_loss(logits, s0, weights):
    """The weighted mean cross entropy in nats."""
    total = sum(weights)
    return sum(-w * math.log(softmax(l)[aa] + 1e-12) for l, aa, w in zip(logits, s0, weights) if w > 0) / max(total, 1e-9)
''')),
               update("tests/test_losses.py", ("import unittest\n\nfrom ppdiff.losses import coord_loss", "import math\nimport unittest\n\nfrom ppdiff.losses import coord_loss, sequence_loss"),
                      ("        self.assertEqual(coord_loss([[9.0, 0.0, 0.0], [1.0, 2.0, 2.0]], x0, [0.0, 1.0]), 9.0)", '''
        self.assertEqual(coord_loss([[9.0, 0.0, 0.0], [1.0, 2.0, 2.0]], x0, [0.0, 1.0]), 9.0)


class SequenceLossTest(unittest.TestCase):
    def test_knowing_nothing_costs_log_twenty(self):
        self.assertAlmostEqual(sequence_loss([[0.0] * 20], [7], [1.0]), math.log(20), places=6)

    def test_being_right_costs_nothing(self):
        self.assertAlmostEqual(sequence_loss([[50.0] + [0.0] * 19], [0], [1.0]), 0.0, places=6)
''')))),
    step(None, shell("python3 -m unittest")),
    step("`sequence_loss` is in; guessing uniformly costs log 20 = 3.0 nats, as it should."),
)

turn(
    "Weight the loss by time: w(t) = min(SNR(t), 5)/5, so that neither the easy early steps nor the hopeless late ones dominate (min-SNR with "
    "gamma 5, for x_0 prediction).",
    step(None,
         patch(update("ppdiff/losses.py", ("def coord_loss(predicted, x0, weights):", '''
def snr_weight(t, schedule, gamma=5.0):
    """min(SNR, gamma) / gamma: 1 while there is little noise, falling to 0."""
    return min(schedule.snr(t), gamma) / gamma


def coord_loss(predicted, x0, weights):
''')),
               update("tests/test_losses.py", ("from ppdiff.losses import coord_loss, sequence_loss", "from ppdiff.losses import coord_loss, sequence_loss, snr_weight\nfrom ppdiff.schedule import CosineSchedule"),
                      ("class SequenceLossTest(unittest.TestCase):", '''
class TimeWeightTest(unittest.TestCase):
    def test_it_is_capped_early_and_small_late(self):
        schedule = CosineSchedule(50)
        self.assertEqual(snr_weight(1, schedule), 1.0)
        self.assertLess(snr_weight(49, schedule), 0.01)


class SequenceLossTest(unittest.TestCase):
''')))),
    step(None, shell("python3 -m unittest")),
    step("`snr_weight(t, schedule)` with gamma 5."),
)

turn(
    "And weight residues: a binder residue at the interface counts three times as much as one that touches nothing, in both losses, because the contact is what we "
    "design for. Then put everything together in one total_loss.",
    step("The interface is taken from the clean complex.",
         patch(update("ppdiff/losses.py",
                      ("from ppdiff.nn import softmax", "from ppdiff.graph import interface_mask\nfrom ppdiff.nn import softmax\n\nINTERFACE_FACTOR = 3.0"),
                      ("def coord_loss(predicted, x0, weights):", '''
def interface_weights(coords, binder):
    """0 for the target, 1 for the binder, INTERFACE_FACTOR for the binder at the interface; coordinates in angstrom."""
    touching = interface_mask(coords, binder)
    return [(INTERFACE_FACTOR if near else 1.0) if b else 0.0 for b, near in zip(binder, touching)]


def total_loss(predicted, logits, x0, complex_, t, schedule, sequence_share=0.5):
    weights = interface_weights(complex_.coords(), complex_.binder_mask())
    coords = coord_loss(predicted, x0, weights)
    sequence = sequence_loss(logits, complex_.sequence(), weights)
    return snr_weight(t, schedule) * (coords + sequence_share * sequence)


def coord_loss(predicted, x0, weights):
''')),
               update("tests/test_losses.py", ("from ppdiff.losses import coord_loss, sequence_loss, snr_weight", "from ppdiff.losses import coord_loss, interface_weights, sequence_loss, snr_weight, total_loss"),
                      ("from ppdiff.schedule import CosineSchedule", "from ppdiff.schedule import CosineSchedule\nfrom ppdiff.toy import toy_complex"),
                      ("class SequenceLossTest(unittest.TestCase):", '''
class InterfaceWeightTest(unittest.TestCase):
    def test_contacts_count_three_times(self):
        coords = [[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [30.0, 0.0, 0.0]]
        self.assertEqual(interface_weights(coords, [False, True, True]), [0.0, 3.0, 1.0])


class TotalLossTest(unittest.TestCase):
    def test_a_perfect_structure_leaves_the_sequence_term(self):
        made = toy_complex(1)
        loss = total_loss(made.coords(), [[0.0] * 20] * len(made), made.coords(), made, 1, CosineSchedule(50))
        self.assertAlmostEqual(loss, 0.5 * math.log(20), places=6)


class SequenceLossTest(unittest.TestCase):
''')))),
    step(None, shell("python3 -m unittest")),
    step("`interface_weights` feeds both losses and `total_loss` multiplies the sum with the time weight."),
)

turn(
    "data.py is too vague a name, rename it to structures.py, the test as well.",
    step("A move, then the imports.",
         shell("mv ppdiff/data.py ppdiff/structures.py && mv tests/test_data.py tests/test_structures.py && "
               "grep -rl 'ppdiff.data\\|test_data' ppdiff tests | xargs sed -i 's/ppdiff\\.data/ppdiff.structures/; s/tests\\.test_data/tests.test_structures/' && "
               "grep -rn 'structures' ppdiff tests")),
    step(None, shell("python3 -m unittest"),
         plan("losses are done", ("Geometry, graph and embeddings", "completed"), ("Layers", "completed"),
              ("Forward process for coordinates and sequence", "completed"), ("Losses", "completed"),
              ("Denoiser and training", "in_progress"), ("Sampling and evaluation", "pending"))),
    step("`ppdiff/data.py` is `ppdiff/structures.py` now and its test moved with it; the imports elsewhere follow."),
    checkpoint="c5",
)
