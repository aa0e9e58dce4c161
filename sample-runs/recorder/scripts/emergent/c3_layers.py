"""Turns 10-15: a plan, the small linear algebra, a first layer that is thrown away, EGNN, attention."""
from scripting import add, patch, plan, shell, step, turn, update

turn(
    "Let us agree on a plan before we write layers: layers, then the forward process, then losses, then the denoiser with training, then sampling "
    "and evaluation. Keep the plan up to date.",
    step("Writing it down.", plan("the order we agreed on", ("Geometry, graph and embeddings", "completed"), ("Layers", "in_progress"),
                                  ("Forward process for coordinates and sequence", "pending"), ("Losses", "pending"),
                                  ("Denoiser and training", "pending"), ("Sampling and evaluation", "pending"))),
    step("The plan has six parts; geometry is done, layers are next."),
)

turn(
    "Start the layers with the basics: a linear layer, a two-layer MLP with SiLU, softmax, all on plain lists. Then a simple message "
    "passing layer over the graph, without coordinates for now.",
    step("`nn.py` for the basics and `mpnn.py` for the message passing.",
         patch(add("ppdiff/nn.py", '''
"""Small neural network parts on plain lists."""
import math


def silu(x):
    return x / (1.0 + math.exp(-x)) if x > -60.0 else 0.0


def softmax(values):
    top = max(values)
    exps = [math.exp(v - top) for v in values]
    total = sum(exps)
    return [e / total for e in exps]


class Linear:
    def __init__(self, n_in, n_out, rng):
        bound = 1.0 / math.sqrt(n_in)
        self.weight = [[rng.uniform(-bound, bound) for _ in range(n_in)] for _ in range(n_out)]
        self.bias = [0.0] * n_out

    def __call__(self, x):
        return [b + sum(w * v for w, v in zip(row, x)) for row, b in zip(self.weight, self.bias)]

    def parameters(self):
        return self.weight + [self.bias]


class MLP:
    def __init__(self, n_in, n_hidden, n_out, rng):
        self.first = Linear(n_in, n_hidden, rng)
        self.second = Linear(n_hidden, n_out, rng)

    def __call__(self, x):
        return self.second([silu(v) for v in self.first(x)])

    def parameters(self):
        return self.first.parameters() + self.second.parameters()
'''),
               add("ppdiff/mpnn.py", '''
"""Message passing over residues, features only."""
from ppdiff.nn import MLP


class MessageLayer:
    def __init__(self, dim, edge_dim, rng):
        self.message = MLP(2 * dim + edge_dim, dim, dim, rng)
        self.update = MLP(2 * dim, dim, dim, rng)

    def __call__(self, h, edges, edge_attr):
        total = [[0.0] * len(h[0]) for _ in h]
        for (i, j), e in zip(edges, edge_attr):
            m = self.message(h[i] + h[j] + e)
            total[i] = [a + b for a, b in zip(total[i], m)]
        return [[a + b for a, b in zip(x, self.update(x + t))] for x, t in zip(h, total)]

    def parameters(self):
        return self.message.parameters() + self.update.parameters()
'''),
               add("tests/test_nn.py", '''
import random
import unittest

from ppdiff.nn import MLP, Linear, softmax


class NnTest(unittest.TestCase):
    def test_softmax_sums_to_one(self):
        self.assertAlmostEqual(sum(softmax([1.0, 2.0, 300.0])), 1.0)

    def test_linear_is_affine(self):
        layer = Linear(2, 1, random.Random(0))
        layer.weight, layer.bias = [[2.0, -1.0]], [0.5]
        self.assertEqual(layer([3.0, 4.0]), [2.5])

    def test_mlp_shape(self):
        self.assertEqual(len(MLP(3, 4, 2, random.Random(0))([0.1, 0.2, 0.3])), 2)
'''),
               add("tests/test_mpnn.py", '''
import random
import unittest

from ppdiff.mpnn import MessageLayer


class MessageTest(unittest.TestCase):
    def test_only_neighbours_are_heard(self):
        layer = MessageLayer(4, 1, random.Random(0))
        h = [[0.1] * 4, [0.2] * 4, [0.3] * 4]
        near = layer(h, [(0, 1)], [[1.0]])
        h[2] = [9.0] * 4
        self.assertEqual(layer(h, [(0, 1)], [[1.0]])[0], near[0])
'''))),
    step(None, shell("python3 -m unittest")),
    step("The basics are in `ppdiff/nn.py`, the layer is `MessageLayer` in `ppdiff/mpnn.py`."),
)

turn(
    "On reflection plain messages will not do, the coordinates must move too. Use an E(n)-equivariant layer: m_ij = phi_e(h_i, h_j, |x_i - x_j|^2, "
    "a_ij), x_i <- x_i + 1/k sum_j (x_i - x_j) phi_x(m_ij), h_i <- h_i + phi_h(h_i, sum_j m_ij). Divide the difference by (distance + 1) "
    "so that far residues do not pull too hard.",
    step("I'll add it beside the message layer and leave that one alone for the moment.",
         patch(add("ppdiff/layers.py", '''
"""Layers of the denoiser."""
from ppdiff.geometry import norm, sub
from ppdiff.nn import MLP


class EGNNLayer:
    """E(n)-equivariant message passing: features are invariant, coordinates turn with the input."""

    def __init__(self, dim, edge_dim, rng):
        self.phi_e = MLP(2 * dim + 1 + edge_dim, dim, dim, rng)
        self.phi_x = MLP(dim, dim, 1, rng)
        self.phi_h = MLP(2 * dim, dim, dim, rng)

    def __call__(self, h, x, edges, edge_attr):
        dim, n = len(h[0]), len(h)
        total = [[0.0] * dim for _ in range(n)]
        move = [[0.0, 0.0, 0.0] for _ in range(n)]
        degree = [0] * n
        for (i, j), e in zip(edges, edge_attr):
            diff = sub(x[i], x[j])
            d = norm(diff)
            m = self.phi_e(h[i] + h[j] + [0.01 * d * d] + e)
            pull = self.phi_x(m)[0] / (d + 1.0)
            for k in range(dim):
                total[i][k] += m[k]
            for k in range(3):
                move[i][k] += diff[k] * pull
            degree[i] += 1
        new_x = [[x[i][k] + move[i][k] / max(degree[i], 1) for k in range(3)] for i in range(n)]
        new_h = [[a + b for a, b in zip(h[i], self.phi_h(h[i] + total[i]))] for i in range(n)]
        return new_h, new_x

    def parameters(self):
        return self.phi_e.parameters() + self.phi_x.parameters() + self.phi_h.parameters()
'''),
               add("tests/test_layers.py", '''
import random
import unittest

from ppdiff.graph import knn_graph
from ppdiff.layers import EGNNLayer
from ppdiff.toy import toy_complex

DIM = 4


def features(n, seed=0):
    rng = random.Random(seed)
    return [[rng.gauss(0, 1) for _ in range(DIM)] for _ in range(n)]


class EgnnTest(unittest.TestCase):
    def test_shapes(self):
        x = toy_complex(1).coords()
        edges = knn_graph(x, 4)
        h, moved = EGNNLayer(DIM, 1, random.Random(0))(features(len(x)), x, edges, [[0.0]] * len(edges))
        self.assertEqual((len(h), len(h[0]), len(moved), len(moved[0])), (len(x), DIM, len(x), 3))
'''))),
    step(None, shell("python3 -m unittest")),
    step("`EGNNLayer` is in `ppdiff/layers.py`. `mpnn.py` is still there but nothing needs it any more; say if I should remove it."),
)

turn(
    "Show me that the layer is equivariant: rotate and shift the input, the output coordinates must rotate and shift in the same way and the features must "
    "not change.",
    step("As a test.",
         patch(update("tests/test_layers.py",
                      ("import random\nimport unittest", "import math\nimport random\nimport unittest"),
                      ("        self.assertEqual((len(h), len(h[0]), len(moved), len(moved[0])), (len(x), DIM, len(x), 3))", '''
        self.assertEqual((len(h), len(h[0]), len(moved), len(moved[0])), (len(x), DIM, len(x), 3))

    def test_rotating_and_shifting_the_input_rotates_and_shifts_the_output(self):
        c, s = math.cos(0.7), math.sin(0.7)
        turned = lambda p: [c * p[0] - s * p[1] + 5.0, s * p[0] + c * p[1] - 2.0, p[2] + 1.0]
        x = toy_complex(1).coords()
        layer, edges = EGNNLayer(DIM, 1, random.Random(0)), knn_graph(x, 4)
        attr = [[0.0]] * len(edges)
        h, moved = layer(features(len(x)), x, edges, attr)
        h_turned, moved_turned = layer(features(len(x)), [turned(p) for p in x], edges, attr)
        for a, b in zip(moved, moved_turned):
            for u, v in zip(turned(a), b):
                self.assertAlmostEqual(u, v, places=9)
        for a, b in zip(h, h_turned):
            for u, v in zip(a, b):
                self.assertAlmostEqual(u, v, places=9)
''')))),
    step(None, shell("python3 -m unittest tests.test_layers")),
    step("It holds to nine places."),
)

turn(
    "Now attention over the sequence. I want both kinds: causal attention, in which a residue sees only itself and what comes before it, and full "
    "self attention. One head is enough.",
    step("Two classes in `layers.py`.",
         patch(update("ppdiff/layers.py",
                      ('"""Layers of the denoiser."""\nfrom ppdiff.geometry import norm, sub\nfrom ppdiff.nn import MLP',
                       '"""Layers of the denoiser."""\nimport math\n\nfrom ppdiff.geometry import norm, sub\nfrom ppdiff.nn import MLP, Linear, softmax'),
                      ("        return self.phi_e.parameters() + self.phi_x.parameters() + self.phi_h.parameters()", '''
        return self.phi_e.parameters() + self.phi_x.parameters() + self.phi_h.parameters()


class SelfAttention:
    def __init__(self, dim, rng):
        self.dim = dim
        self.q = Linear(dim, dim, rng)
        self.k = Linear(dim, dim, rng)
        self.v = Linear(dim, dim, rng)
        self.o = Linear(dim, dim, rng)

    def __call__(self, h):
        qs = [self.q(x) for x in h]
        ks = [self.k(x) for x in h]
        vs = [self.v(x) for x in h]
        out = []
        for i in range(len(h)):
            scores = []
            for j in range(len(h)):
                scores.append(sum(a * b for a, b in zip(qs[i], ks[j])) / math.sqrt(self.dim))
            weights = softmax(scores)
            mixed = [sum(w * vs[j][k] for j, w in enumerate(weights)) for k in range(self.dim)]
            out.append([a + b for a, b in zip(h[i], self.o(mixed))])
        return out

    def parameters(self):
        return self.q.parameters() + self.k.parameters() + self.v.parameters() + self.o.parameters()


class CausalAttention:
    def __init__(self, dim, rng):
        self.dim = dim
        self.q = Linear(dim, dim, rng)
        self.k = Linear(dim, dim, rng)
        self.v = Linear(dim, dim, rng)
        self.o = Linear(dim, dim, rng)

    def __call__(self, h):
        qs = [self.q(x) for x in h]
        ks = [self.k(x) for x in h]
        vs = [self.v(x) for x in h]
        out = []
        for i in range(len(h)):
            scores = []
            for j in range(i + 1):
                scores.append(sum(a * b for a, b in zip(qs[i], ks[j])) / math.sqrt(self.dim))
            weights = softmax(scores)
            mixed = [sum(w * vs[j][k] for j, w in enumerate(weights)) for k in range(self.dim)]
            out.append([a + b for a, b in zip(h[i], self.o(mixed))])
        return out

    def parameters(self):
        return self.q.parameters() + self.k.parameters() + self.v.parameters() + self.o.parameters()
''')),
               update("tests/test_layers.py", ("from ppdiff.layers import EGNNLayer", "from ppdiff.layers import CausalAttention, EGNNLayer, SelfAttention"),
                      ("class EgnnTest(unittest.TestCase):", '''
class AttentionTest(unittest.TestCase):
    def changed(self, layer):
        h = features(5)
        before = layer(h)
        h[4] = [9.0] * DIM
        after = layer(h)
        return [i for i in range(5) if before[i] != after[i]]

    def test_causal_attention_does_not_look_ahead(self):
        self.assertEqual(self.changed(CausalAttention(DIM, random.Random(0))), [4])

    def test_self_attention_sees_everything(self):
        self.assertEqual(self.changed(SelfAttention(DIM, random.Random(0))), [0, 1, 2, 3, 4])


class EgnnTest(unittest.TestCase):
''')))),
    step(None, shell("python3 -m unittest")),
    step("`SelfAttention` and `CausalAttention` are there, each with its own test."),
)

turn(
    "Interleave them: one block is causal attention, then self attention, then the EGNN layer, and the network is a stack of such blocks. That "
    "alternation is the point of the architecture, the causal half gives the sequence its direction and the full half lets the interface talk back.",
    step("`InterleavedBlock` in the same module.",
         patch(update("ppdiff/layers.py", ("class SelfAttention:", '''
class InterleavedBlock:
    """Causal attention, then self attention, then EGNN."""

    def __init__(self, dim, edge_dim, rng):
        self.causal = CausalAttention(dim, rng)
        self.full = SelfAttention(dim, rng)
        self.egnn = EGNNLayer(dim, edge_dim, rng)

    def __call__(self, h, x, edges, edge_attr):
        h = self.causal(h)
        h = self.full(h)
        return self.egnn(h, x, edges, edge_attr)

    def parameters(self):
        return self.causal.parameters() + self.full.parameters() + self.egnn.parameters()


class SelfAttention:
''')), update("tests/test_layers.py",
              ("from ppdiff.layers import CausalAttention, EGNNLayer, SelfAttention", "from ppdiff.layers import CausalAttention, EGNNLayer, InterleavedBlock, SelfAttention"),
              ("class EgnnTest(unittest.TestCase):", '''
class BlockTest(unittest.TestCase):
    def test_a_block_keeps_the_shapes(self):
        x = toy_complex(1).coords()
        edges = knn_graph(x, 4)
        h, moved = InterleavedBlock(DIM, 1, random.Random(0))(features(len(x)), x, edges, [[0.0]] * len(edges))
        self.assertEqual((len(h), len(h[0]), len(moved)), (len(x), DIM, len(x)))


class EgnnTest(unittest.TestCase):
''')))),
    step(None, shell("python3 -m unittest"),
         plan("layers are done", ("Geometry, graph and embeddings", "completed"), ("Layers", "completed"),
              ("Forward process for coordinates and sequence", "in_progress"), ("Losses", "pending"),
              ("Denoiser and training", "pending"), ("Sampling and evaluation", "pending"))),
    step("`InterleavedBlock` holds one of each in that order. The plan is up to date: the forward process is next."),
    checkpoint="c3",
)
