"""Training losses; all of them look at the binder only."""
import math

from ppdiff.graph import interface_mask
from ppdiff.nn import softmax

INTERFACE_FACTOR = 3.0


def snr_weight(t, schedule, gamma=5.0):
    """min(SNR, gamma) / gamma: 1 while there is little noise, falling to 0."""
    return min(schedule.snr(t), gamma) / gamma


def interface_weights(coords, binder):
    """0 for the target, 1 for the binder, INTERFACE_FACTOR for the binder at the interface; coordinates in angstrom."""
    touching = interface_mask(coords, binder)
    return [(INTERFACE_FACTOR if near else 1.0) if b else 0.0 for b, near in zip(binder, touching)]


def total_loss(predicted, logits, x0, complex_, t, schedule, sequence_share=0.5):
    weights = interface_weights(complex_.coords(), complex_.binder_mask())
    coords = coord_loss(predicted, x0, weights)
    sequence = sequence_loss(logits, complex_.sequence(), weights)
    return snr_weight(t, schedule) * (coords + sequence_share * sequence)


def coord_loss(predicted, x0, weights):
    """The weighted mean of the squared distances; residues of the target have weight zero."""
    total = sum(weights)
    return sum(w * sum((p[k] - x[k]) ** 2 for k in range(3)) for p, x, w in zip(predicted, x0, weights)) / max(total, 1e-9)


def sequence_loss(logits, s0, weights):
    """The weighted mean cross entropy in nats."""
    total = sum(weights)
    return sum(-w * math.log(softmax(l)[aa] + 1e-12) for l, aa, w in zip(logits, s0, weights) if w > 0) / max(total, 1e-9)
