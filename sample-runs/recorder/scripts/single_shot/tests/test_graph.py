import unittest

from ppdiff.graph import edge_features, interface_mask, knn_graph
from tests.test_structures import residue


class GraphTest(unittest.TestCase):
    def test_nearest_first(self):
        coords = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0], [7.0, 0.0, 0.0]]
        self.assertEqual(knn_graph(coords, 2)[:4], [(0, 1), (0, 2), (1, 0), (1, 2)])

    def test_interface_is_within_eight_angstrom_of_the_other_side(self):
        coords = [[0.0, 0.0, 0.0], [20.0, 0.0, 0.0], [7.9, 0.0, 0.0]]
        self.assertEqual(interface_mask(coords, [False, False, True]), [True, False, True])

    def test_features_have_distance_and_a_unit_direction(self):
        residues = [residue("A", 0, "G", 0.0), residue("B", 0, "K", 3.8)]
        distance, *direction = edge_features(residues, [(0, 1)])[0]
        self.assertAlmostEqual(distance, 3.8, places=6)
        self.assertAlmostEqual(sum(d * d for d in direction), 1.0, places=6)
