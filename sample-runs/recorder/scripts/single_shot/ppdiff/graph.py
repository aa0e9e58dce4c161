"""The nearest-neighbour graph over residues."""
from ppdiff.geometry import dot, frame_from_backbone, norm, sub


def knn_graph(coords, k):
    """Edges (i, j) to the k nearest other residues, nearest first, chains ignored."""
    edges = []
    for i, x in enumerate(coords):
        others = sorted((norm(sub(y, x)), j) for j, y in enumerate(coords) if j != i)
        edges.extend((i, j) for _, j in others[:k])
    return edges


def interface_mask(coords, binder, cutoff=8.0):
    """True where a residue lies within the cutoff of the other side; `binder` tells the sides apart."""
    mask = []
    for x, b in zip(coords, binder):
        near = any(norm(sub(y, x)) <= cutoff for y, other in zip(coords, binder) if other != b)
        mask.append(near)
    return mask


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
