"""How close a design is to the native binder."""
import math

from ppdiff.geometry import remove_com
from ppdiff.graph import interface_mask


def best_rotation(moving, fixed):
    """The rotation that superposes the centred points, by Horn's quaternion and power iteration."""
    s = [[sum(p[a] * q[b] for p, q in zip(moving, fixed)) for b in range(3)] for a in range(3)]
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = s
    m = [[xx + yy + zz, yz - zy, zx - xz, xy - yx],
         [yz - zy, xx - yy - zz, xy + yx, zx + xz],
         [zx - xz, xy + yx, yy - xx - zz, yz + zy],
         [xy - yx, zx + xz, yz + zy, zz - xx - yy]]
    shift = sum(abs(v) for row in m for v in row) + 1e-9
    q = [1.0, 0.3, 0.2, 0.1]
    for _ in range(2000):
        q = [sum(m[i][j] * q[j] for j in range(4)) + shift * q[i] for i in range(4)]
        length = math.sqrt(sum(v * v for v in q))
        q = [v / length for v in q]
    w, x, y, z = q
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def kabsch_rmsd(moving, fixed):
    """The root mean square distance after the best superposition."""
    a, b = remove_com(moving)[0], remove_com(fixed)[0]
    r = best_rotation(a, b)
    total = 0.0
    for p, q in zip(a, b):
        turned = [sum(r[i][k] * p[k] for k in range(3)) for i in range(3)]
        total += sum((turned[k] - q[k]) ** 2 for k in range(3))
    return math.sqrt(total / len(a))


def sequence_recovery(design, native):
    """The share of binder residues that are the native ones."""
    pairs = [(a, b) for a, b, binder in zip(design.sequence(), native.sequence(), native.binder_mask()) if binder]
    return sum(a == b for a, b in pairs) / len(pairs)


def confidence(design, probabilities):
    """Mean of the largest probability over the binder times the share of the binder at the interface."""
    binder = design.binder_mask()
    best = [max(p) for p, b in zip(probabilities, binder) if b]
    touching = [near for near, b in zip(interface_mask(design.coords(), binder), binder) if b]
    return sum(best) / len(best) * sum(touching) / len(touching)


def rank_designs(designs):
    """(design, probabilities) pairs, the most confident first."""
    return sorted(designs, key=lambda pair: -confidence(*pair))


def binder_rmsd(design, native):
    mask = native.binder_mask()
    pick = lambda c: [x for x, b in zip(c.coords(), mask) if b]
    return kabsch_rmsd(pick(design), pick(native))
