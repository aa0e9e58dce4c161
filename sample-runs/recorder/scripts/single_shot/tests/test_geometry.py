import unittest

from ppdiff.geometry import center_of_mass, cross, dot, frame_from_backbone, remove_com, restore_com


class CenterTest(unittest.TestCase):
    def test_remove_and_restore(self):
        coords = [[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]
        centred, com = remove_com(coords)
        self.assertEqual(center_of_mass(centred), [0.0, 0.0, 0.0])
        self.assertEqual(restore_com(centred, com), coords)


class FrameTest(unittest.TestCase):
    def setUp(self):
        self.axes, self.origin = frame_from_backbone([1.46, 0.1, 0.3], [0.0, 0.0, 0.0], [-0.5, 1.4, 0.2])

    def test_axes_are_orthonormal(self):
        for i in range(3):
            for j in range(3):
                self.assertAlmostEqual(dot(self.axes[i], self.axes[j]), 1.0 if i == j else 0.0, places=6)

    def test_it_is_a_rotation_and_not_a_reflection(self):
        e1, e2, e3 = self.axes
        self.assertAlmostEqual(dot(cross(e1, e2), e3), 1.0, places=6)
