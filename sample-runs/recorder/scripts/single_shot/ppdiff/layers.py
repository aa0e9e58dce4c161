"""Layers of the denoiser."""
import math

from ppdiff.geometry import norm, sub
from ppdiff.nn import MLP, Linear, softmax


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


class SelfAttention:
    """One head; every residue sees every other."""

    def __init__(self, dim, rng):
        self.dim = dim
        self.q, self.k, self.v, self.o = (Linear(dim, dim, rng) for _ in range(4))

    def visible(self, i, n):
        return n

    def __call__(self, h):
        qs, ks, vs = ([f(x) for x in h] for f in (self.q, self.k, self.v))
        return [[a + b for a, b in zip(x, self.o(self.mixed(qs[i], ks, vs, self.visible(i, len(h)))))] for i, x in enumerate(h)]

    def mixed(self, q, ks, vs, seen):
        weights = softmax([sum(a * b for a, b in zip(q, key)) / math.sqrt(self.dim) for key in ks[:seen]])
        return [sum(w * v[k] for w, v in zip(weights, vs)) for k in range(self.dim)]

    def parameters(self):
        return [row for part in (self.q, self.k, self.v, self.o) for row in part.parameters()]


class CausalAttention(SelfAttention):
    """A residue sees itself and what comes before it."""

    def visible(self, i, n):
        return i + 1


class InterleavedBlock:
    """Causal attention, then self attention, then EGNN."""

    def __init__(self, dim, edge_dim, rng):
        self.causal = CausalAttention(dim, rng)
        self.full = SelfAttention(dim, rng)
        self.egnn = EGNNLayer(dim, edge_dim, rng)

    def __call__(self, h, x, edges, edge_attr):
        return self.egnn(self.full(self.causal(h)), x, edges, edge_attr)

    def parameters(self):
        return self.causal.parameters() + self.full.parameters() + self.egnn.parameters()
