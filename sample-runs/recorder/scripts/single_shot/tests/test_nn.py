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
