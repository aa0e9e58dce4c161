import math
import random
import unittest

from ppdiff.graph import knn_graph
from ppdiff.layers import CausalAttention, EGNNLayer, InterleavedBlock, SelfAttention
from ppdiff.toy import toy_complex

DIM = 4


def features(n, seed=0):
    rng = random.Random(seed)
    return [[rng.gauss(0, 1) for _ in range(DIM)] for _ in range(n)]


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


class BlockTest(unittest.TestCase):
    def test_a_block_keeps_the_shapes(self):
        x = toy_complex(1).coords()
        edges = knn_graph(x, 4)
        h, moved = InterleavedBlock(DIM, 1, random.Random(0))(features(len(x)), x, edges, [[0.0]] * len(edges))
        self.assertEqual((len(h), len(h[0]), len(moved)), (len(x), DIM, len(x)))


class EgnnTest(unittest.TestCase):
    def test_shapes(self):
        x = toy_complex(1).coords()
        edges = knn_graph(x, 4)
        h, moved = EGNNLayer(DIM, 1, random.Random(0))(features(len(x)), x, edges, [[0.0]] * len(edges))
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
