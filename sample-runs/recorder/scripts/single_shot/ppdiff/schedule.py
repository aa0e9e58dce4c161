"""The cosine noise schedule."""
import math


class CosineSchedule:
    """alpha_bar falls from 1 at t = 0 to almost 0 at t = steps; t counts from 1 for beta and alpha."""

    def __init__(self, steps, s=0.008):
        self.steps = steps
        f = [math.cos((t / steps + s) / (1 + s) * math.pi / 2) ** 2 for t in range(steps + 1)]
        self.betas = [0.0]
        for t in range(1, steps + 1):
            self.betas.append(min(1.0 - f[t] / f[t - 1], 0.999))
        self.alpha_bars = [1.0]
        for t in range(1, steps + 1):
            self.alpha_bars.append(self.alpha_bars[-1] * (1.0 - self.betas[t]))

    def beta(self, t):
        return self.betas[t]

    def alpha(self, t):
        return 1.0 - self.betas[t]

    def alpha_bar(self, t):
        return self.alpha_bars[t]

    def snr(self, t):
        return self.alpha_bars[t] / max(1.0 - self.alpha_bars[t], 1e-9)
