"""The network: noisy complex in, clean coordinates and amino acid logits out."""
import random

from ppdiff.embed import POSITION_BINS, relative_position, time_embedding
from ppdiff.forward import COORD_SCALE, K, fix_target
from ppdiff.geometry import norm, sub
from ppdiff.graph import edge_features, knn_graph
from ppdiff.layers import InterleavedBlock
from ppdiff.nn import Linear, softmax

POSITION_DIM = 3
EDGE_DIM = POSITION_DIM + 5


def table(rows, dim, rng):
    return [[rng.gauss(0.0, 0.3) for _ in range(dim)] for _ in range(rows)]


class Denoiser:
    def __init__(self, config):
        rng = random.Random(config.seed)
        dim = config.dim
        self.dim, self.k = dim, config.k
        self.aa = table(K, dim, rng)
        self.side = table(2, dim, rng)
        self.position = table(POSITION_BINS, POSITION_DIM, rng)
        self.blocks = [InterleavedBlock(dim, EDGE_DIM, rng) for _ in range(config.blocks)]
        self.head = Linear(dim, K, rng)
        self.from_previous = Linear(K, dim, rng)

    def __call__(self, complex_, xt, st, t, previous=None, see_target=True):
        """x_0 of the binder and logits for all residues; without `see_target` the target is hidden."""
        binder = complex_.binder_mask()
        h = self.node_features(st, t, binder, previous, see_target)
        edges, attr = self.edges(complex_, xt, st, binder, previous, see_target)
        x = xt
        for block in self.blocks:
            h, x = block(h, x, edges, attr)
        return fix_target(x, xt, binder), [self.head(v) for v in h]

    def node_features(self, st, t, binder, previous, see_target):
        time = time_embedding(t, self.dim)
        h = []
        for aa, b in zip(st, binder):
            known = b or see_target
            h.append([self.aa[aa][k] + time[k] + self.side[int(b)][k] if known else 0.0 for k in range(self.dim)])
        if previous is None:
            return h
        return [[a + b for a, b in zip(v, self.from_previous(p))] for v, p in zip(h, previous[1])]

    def edges(self, complex_, xt, st, binder, previous, see_target):
        """Directions only from the target: the binder has no frames while it is noise."""
        edges = [(i, j) for i, j in knn_graph(xt, self.k) if see_target or binder[i] == binder[j]]
        residues = complex_.with_state([[v * COORD_SCALE for v in x] for x in xt], st).residues
        attr = []
        for (i, j), (d, *direction) in zip(edges, edge_features(residues, edges)):
            row = self.position[relative_position(residues[i], residues[j])]
            before = norm(sub(previous[0][i], previous[0][j])) if previous else 0.0
            attr.append(row + [d / COORD_SCALE, before] + ([0.0] * 3 if binder[i] else direction))
        return edges, attr

    def estimate(self, complex_, xt, st, t, previous=None):
        x, logits = self(complex_, xt, st, t, previous)
        return x, [softmax(l) for l in logits]

    def self_condition(self, complex_, xt, st, t, rng):
        """Half of the time the estimate of a first pass, otherwise none."""
        return None if rng.random() < 0.5 else self.estimate(complex_, xt, st, t)

    def parameters(self):
        rows = self.aa + self.side + self.position + self.head.parameters() + self.from_previous.parameters()
        return rows + [row for block in self.blocks for row in block.parameters()]
