"""Vectors in three dimensions, centring, residue frames."""
import math


def sub(a, b):
    return [a[0] - b[0], a[1] - b[1], a[2] - b[2]]


def add(a, b):
    return [a[0] + b[0], a[1] + b[1], a[2] + b[2]]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def scale(a, s):
    return [a[0] * s, a[1] * s, a[2] * s]


def norm(a):
    return math.sqrt(dot(a, a))


def unit(a):
    return scale(a, 1.0 / (norm(a) + 1e-9))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def frame_from_backbone(n, ca, c):
    """The rotation (rows are the axes) and the origin of a residue."""
    e1 = unit(sub(c, ca))
    v = sub(n, ca)
    e2 = unit(sub(v, scale(e1, dot(e1, v))))
    e3 = cross(e1, e2)
    return [e1, e2, e3], list(ca)


def center_of_mass(coords):
    n = len(coords)
    return [sum(x[k] for x in coords) / n for k in range(3)]


def remove_com(coords):
    """The centred coordinates and the offset that undoes it."""
    com = center_of_mass(coords)
    return [sub(x, com) for x in coords], com


def restore_com(coords, com):
    return [add(x, com) for x in coords]
