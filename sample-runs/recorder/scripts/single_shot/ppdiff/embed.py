"""Embeddings of time and position."""
import math

MAX_OFFSET = 16
CROSS_CHAIN = 2 * MAX_OFFSET + 1
POSITION_BINS = CROSS_CHAIN + 1


def time_embedding(t, dim):
    """Sines then cosines of t at dim/2 frequencies from 1 down to 1/10000."""
    half = dim // 2
    freqs = [math.exp(-math.log(10000.0) * k / max(half - 1, 1)) for k in range(half)]
    return [math.sin(t * f) for f in freqs] + [math.cos(t * f) for f in freqs]


def relative_position(a, b):
    """The row of the position table for the pair; one row is shared by all pairs of different chains."""
    if a.chain != b.chain:
        return CROSS_CHAIN
    return max(-MAX_OFFSET, min(MAX_OFFSET, b.index - a.index)) + MAX_OFFSET
