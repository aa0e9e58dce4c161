"""The draws of the scripts here, and the folder they write to. Needs nothing but Python."""

import pathlib

HERE = pathlib.Path(__file__).parent
MASK = (1 << 64) - 1


class SplitMix64:
    """Steele, Lea and Flood 2014; a draw is the upper half of the output times the count."""

    def __init__(self, seed):
        self.state = seed

    def number(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, count):
        return (self.number() * count) >> 64

    def unit(self):
        return (self.number() >> 11) / (1 << 53)
