"""Turns 1-6: the complex, its centre, its frames, its graph, its interface."""
from scripting import add, patch, shell, step, turn, update

turn(
    "Start a Python package called ppdiff, standard library only. It will hold a diffusion model that designs a protein binder for a "
    "given target. First the data: a complex is a list of residues, each with its chain, its index in the chain, its amino acid "
    "(one of the twenty) and the N, CA and C atoms. One chain is the binder, the others are the target.",
    step("I'll look at what is there first.", shell("ls -A; python3 --version"),
         think="An empty folder, probably. I need a package, a data module and a first test so that there is something to run."),
    step("The folder is empty, so this is the skeleton with the data module and a test.",
         patch(add("ppdiff/__init__.py", '''
"""PPDiff: joint sequence and structure diffusion for protein binders."""
'''),
               add("ppdiff/data.py", '''
"""Residues and complexes."""
from dataclasses import dataclass, replace

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"


@dataclass
class Residue:
    chain: str
    index: int
    aa: int
    n: list
    ca: list
    c: list


@dataclass
class Complex:
    residues: list
    binder: str = "B"

    def __len__(self):
        return len(self.residues)

    def coords(self):
        return [list(r.ca) for r in self.residues]

    def sequence(self):
        return [r.aa for r in self.residues]

    def chains(self):
        return [r.chain for r in self.residues]

    def binder_mask(self):
        return [r.chain == self.binder for r in self.residues]

    def letters(self, chain):
        return "".join(AMINO_ACIDS[r.aa] for r in self.residues if r.chain == chain)

    def with_state(self, coords, sequence):
        """A copy whose CA atoms and amino acids are replaced; N and C move along with CA."""
        moved = []
        for r, x, aa in zip(self.residues, coords, sequence):
            shift = [x[k] - r.ca[k] for k in range(3)]
            moved.append(replace(r, aa=aa, ca=list(x), n=[r.n[k] + shift[k] for k in range(3)],
                                 c=[r.c[k] + shift[k] for k in range(3)]))
        return Complex(moved, self.binder)
'''),
               add("tests/__init__.py", "\n"),
               add("tests/test_data.py", '''
import unittest

from ppdiff.data import AMINO_ACIDS, Complex, Residue


def residue(chain, index, aa, x):
    return Residue(chain, index, AMINO_ACIDS.index(aa), [x - 1.0, 0.5, 0.0], [x, 0.0, 0.0], [x + 1.0, 0.5, 0.0])


class DataTest(unittest.TestCase):
    def setUp(self):
        self.complex = Complex([residue("A", 0, "G", 0.0), residue("A", 1, "K", 3.8), residue("B", 0, "W", 7.6)])

    def test_mask(self):
        self.assertEqual(self.complex.binder_mask(), [False, False, True])

    def test_letters(self):
        self.assertEqual(self.complex.letters("A"), "GK")

    def test_with_state_moves_the_whole_backbone(self):
        moved = self.complex.with_state([[0.0, 0.0, 1.0]] * 3, [0, 1, 2])
        self.assertEqual(moved.residues[0].n, [-1.0, 0.5, 1.0])
        self.assertEqual(moved.sequence(), [0, 1, 2])
'''))),
    step(None, shell("python3 -m unittest")),
    step("`ppdiff/data.py` has `Residue` and `Complex`; `with_state` gives a copy with new CA positions and amino acids. Three tests pass."),
)

turn(
    "Before anything is noised the coordinates have to be centred: subtract the centre of mass of all CA atoms, and keep the offset so that we "
    "can put the result back where the target was.",
    step("That belongs in a geometry module.",
         patch(add("ppdiff/geometry.py", '''
"""Vectors in three dimensions, centring."""


def sub(a, b):
    return [a[0] - b[0], a[1] - b[1], a[2] - b[2]]


def add(a, b):
    return [a[0] + b[0], a[1] + b[1], a[2] + b[2]]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def center_of_mass(coords):
    n = len(coords)
    return [sum(x[k] for x in coords) / n for k in range(3)]


def remove_com(coords):
    """The centred coordinates and the offset that undoes it."""
    com = center_of_mass(coords)
    return [sub(x, com) for x in coords], com


def restore_com(coords, com):
    return [add(x, com) for x in coords]
'''),
               add("tests/test_geometry.py", '''
import unittest

from ppdiff.geometry import center_of_mass, remove_com, restore_com


class CenterTest(unittest.TestCase):
    def test_remove_and_restore(self):
        coords = [[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]
        centred, com = remove_com(coords)
        self.assertEqual(center_of_mass(centred), [0.0, 0.0, 0.0])
        self.assertEqual(restore_com(centred, com), coords)
'''))),
    step(None, shell("python3 -m unittest")),
    step("`remove_com` returns the centred coordinates and the offset, `restore_com` undoes it."),
)

turn(
    "Every residue also needs a local frame. Take it from N, CA and C by Gram-Schmidt: the first axis along CA-C, the second from CA-N made "
    "orthogonal to it, the third their cross product. It has to be a proper rotation (determinant +1), origin at CA.",
    step("Adding `frame_from_backbone`, with a test for orthonormality and the determinant.",
         patch(update("ppdiff/geometry.py",
                      ('"""Vectors in three dimensions, centring."""', '"""Vectors in three dimensions, centring, residue frames."""\nimport math'),
                      ("""
def center_of_mass(coords):
""", """
def scale(a, s):
    return [a[0] * s, a[1] * s, a[2] * s]


def norm(a):
    return math.sqrt(dot(a, a))


def unit(a):
    return scale(a, 1.0 / (norm(a) + 1e-9))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def frame_from_backbone(n, ca, c):
    \"\"\"The rotation (rows are the axes) and the origin of a residue.\"\"\"
    e1 = unit(sub(c, ca))
    v = sub(n, ca)
    e2 = unit(sub(v, scale(e1, dot(e1, v))))
    e3 = cross(e2, e1)
    return [e1, e2, e3], list(ca)


def center_of_mass(coords):
""")),
               update("tests/test_geometry.py",
                      ("from ppdiff.geometry import center_of_mass, remove_com, restore_com",
                       "from ppdiff.geometry import center_of_mass, cross, dot, frame_from_backbone, remove_com, restore_com"),
                      ("        self.assertEqual(restore_com(centred, com), coords)", """
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
""")))),
    step(None, shell("python3 -m unittest")),
    step("The determinant is -1: I crossed the axes in the wrong order. It must be e1 x e2.",
         patch(update("ppdiff/geometry.py", ("    e3 = cross(e2, e1)", "    e3 = cross(e1, e2)"))),
         think="e3 = e2 x e1 gives a left-handed frame. The test caught it; swap the arguments."),
    step(None, shell("python3 -m unittest")),
    step("`frame_from_backbone` gives a proper rotation now. The first version was left-handed, the determinant test caught it."),
)

turn(
    "A question before we go on: if the network only sees distances, what do we need the frames for?",
    step("For orientation. A network that sees only CA distances cannot tell a structure from its mirror image, because a reflection keeps "
         "all distances. Expressing the direction to a neighbour in the frame of the residue, R_i (x_j - x_i), gives features that are "
         "invariant under rotation and still change sign under a reflection. So we would use the frames for edge features, not for the "
         "coordinate update. I have changed nothing.",
         think="Answer only. Reflection is the point: distances are O(3) invariant, frames make features SO(3) invariant."),
)

turn(
    "Build the graph: every residue is joined to its k nearest residues by CA distance, across chains too. Each edge should carry the distance "
    "and the direction to the neighbour in the residue's own frame.",
    step("A graph module; the edges are (i, j, distance, direction).",
         patch(add("ppdiff/graph.py", '''
"""The nearest-neighbour graph over residues."""
from ppdiff.geometry import dot, frame_from_backbone, norm, sub


def knn_graph(coords, k):
    """Edges (i, j) to the k nearest other residues, nearest first, chains ignored."""
    edges = []
    for i, x in enumerate(coords):
        others = sorted((norm(sub(y, x)), j) for j, y in enumerate(coords) if j != i)
        edges.extend((i, j) for _, j in others[:k])
    return edges


def edge_features(residues, edges):
    """The distance and the direction to the neighbour in the frame of the first residue."""
    frames = [frame_from_backbone(r.n, r.ca, r.c) for r in residues]
    features = []
    for i, j in edges:
        axes, origin = frames[i]
        v = sub(residues[j].ca, origin)
        d = norm(v) + 1e-9
        features.append([d] + [dot(axis, v) / d for axis in axes])
    return features
'''),
               add("tests/test_graph.py", '''
import unittest

from ppdiff.graph import edge_features, knn_graph
from tests.test_data import residue


class GraphTest(unittest.TestCase):
    def test_nearest_first(self):
        coords = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0], [7.0, 0.0, 0.0]]
        self.assertEqual(knn_graph(coords, 2)[:4], [(0, 1), (0, 2), (1, 0), (1, 2)])

    def test_features_have_distance_and_a_unit_direction(self):
        residues = [residue("A", 0, "G", 0.0), residue("B", 0, "K", 3.8)]
        distance, *direction = edge_features(residues, [(0, 1)])[0]
        self.assertAlmostEqual(distance, 3.8, places=6)
        self.assertAlmostEqual(sum(d * d for d in direction), 1.0, places=6)
'''))),
    step(None, shell("python3 -m unittest")),
    step("`knn_graph` makes the edges, `edge_features` the distance and the direction in the residue's frame."),
)

turn(
    "We will need to know which residues sit at the interface: a residue is at the interface when its CA is within 8 angstrom of a CA "
    "of the other side (binder against target).",
    step("Small enough to live next to the graph.",
         patch(update("ppdiff/graph.py", ("def edge_features(residues, edges):", '''
def interface_mask(coords, binder, cutoff=8.0):
    """True where a residue lies within the cutoff of the other side; `binder` tells the sides apart."""
    mask = []
    for x, b in zip(coords, binder):
        near = any(norm(sub(y, x)) <= cutoff for y, other in zip(coords, binder) if other != b)
        mask.append(near)
    return mask


def edge_features(residues, edges):
''')), update("tests/test_graph.py",
              ("from ppdiff.graph import edge_features, knn_graph", "from ppdiff.graph import edge_features, interface_mask, knn_graph"),
              ("    def test_features_have_distance_and_a_unit_direction(self):", """
    def test_interface_is_within_eight_angstrom_of_the_other_side(self):
        coords = [[0.0, 0.0, 0.0], [20.0, 0.0, 0.0], [7.9, 0.0, 0.0]]
        self.assertEqual(interface_mask(coords, [False, False, True]), [True, False, True])

    def test_features_have_distance_and_a_unit_direction(self):
""")))),
    step(None, shell("python3 -m unittest")),
    step("`interface_mask` is in `ppdiff/graph.py`, symmetric: residues of the target count as well as those of the binder."),
    checkpoint="c1",
)
