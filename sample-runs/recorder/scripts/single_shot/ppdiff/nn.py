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
