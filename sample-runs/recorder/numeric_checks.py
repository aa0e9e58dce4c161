#!/usr/bin/env python3
"""The numbers that the authors' reading quotes: `numeric_checks.py BUNDLE COMMIT` runs the package of that commit and prints them.

Only what ran can be judged from numbers; everything is seeded, so the same commit gives the same lines.
"""
import importlib
import io
import math
import random
import subprocess
import sys
import tarfile
import tempfile

T = 20


def unpack(bundle, commit, folder):
    packed = subprocess.run(["git", f"--git-dir={bundle}/workspace.git", "archive", commit], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        files.extractall(folder)


def module(name):
    return importlib.import_module(f"ppdiff.{name}")


class Package:
    """The package of a commit: before turn 42 its schedule is an object, afterwards a list of alpha_bar."""

    def __init__(self):
        self.toy = module("toy").toy_complex
        self.cosine = module("schedule").CosineSchedule(T)
        self.model = module("denoiser").Denoiser(module("config").Config())
        self.takes_list = "bars" in module("forward").diffuse_coords.__code__.co_varnames
        self.native = self.toy(1)
        self.binder = [i for i, is_binder in enumerate(self.native.binder_mask()) if is_binder]
        _, self.xt, self.st, self.t = module("forward").joint_forward(self.native, self.schedule(), random.Random(0), t=8)

    def schedule(self):
        return self.cosine.alpha_bars if self.takes_list else self.cosine

    def run(self, st=None, previous=None, see_target=True, xt=None):
        return self.model(self.native, xt or self.xt, st or self.st, self.t, previous, see_target)

    def differ(self, one, other):
        """The largest difference in the binder's logits."""
        return max(abs(a - b) for i in self.binder for a, b in zip(one[1][i], other[1][i]))


def alpha_bar_in_effect(package):
    """What the sampler hands to its posterior at t = T/2."""
    sampler, seen = module("sampler"), {}
    plain = sampler.posterior_mean

    def spy(x0, xt, t, schedule):
        seen[t] = schedule[t] if isinstance(schedule, list) else schedule.alpha_bar(t)
        return plain(x0, xt, t, schedule)

    sampler.posterior_mean = spy
    sampler.sample(package.model, package.native, T if package.takes_list else package.cosine, random.Random(0))
    sampler.posterior_mean = plain
    return seen


def time_weight(package, t, bars):
    """The factor of the loss, and what min(SNR, 5)/5 would be for the same alpha_bar."""
    losses = module("losses")
    if hasattr(losses, "snr_weight"):
        factor = losses.snr_weight(t, package.cosine)
    else:
        n = len(package.native)
        parts = losses.compute_losses(package.native.coords(), [[0.0] * 20] * n, package.native.coords(), package.native, t, bars)
        factor = parts["time_weight"]
    return factor, min(bars[t] / (1.0 - bars[t]), 5.0) / 5.0


def noise_off_centre(package, draws=2000):
    """How far the mean of the binder's share of the noise lies from zero, in angstrom, on average."""
    total = 0.0
    for seed in range(draws):
        eps = module("forward").diffuse_coords(package.native.coords(), T, package.schedule(), random.Random(seed))[1]
        mean = [sum(eps[i][k] for i in package.binder) / len(package.binder) for k in range(3)]
        total += 10.0 * math.sqrt(sum(v * v for v in mean))
    return total / draws


def nudged_target(package):
    """Noisy coordinates whose target is elsewhere by hundredths of an angstrom, with the same neighbours."""
    rng, knn_graph = random.Random(3), module("graph").knn_graph
    while True:
        moved = [x if i in package.binder else [v + rng.gauss(0.0, 0.004) for v in x] for i, x in enumerate(package.xt)]
        if knn_graph(moved, package.model.k) == knn_graph(package.xt, package.model.k):
            return moved


def responses(package):
    """What the binder's logits make of a previous estimate, and of another target with the target shown and hidden."""
    other = [aa if b else (aa + 3) % 20 for aa, b in zip(package.st, package.native.binder_mask())]
    before, before_other = (package.model.estimate(package.native, package.xt, s, package.t) for s in (package.st, other))
    yield "a previous estimate moves the logits by", package.differ(package.run(), package.run(previous=before))
    yield "another target sequence, target shown", package.differ(package.run(), package.run(other))
    yield "another target sequence, target hidden", package.differ(package.run(see_target=False), package.run(other, see_target=False))
    moved = nudged_target(package)
    yield "target moved a little, target shown", package.differ(package.run(), package.run(xt=moved))
    yield "target moved a little, target hidden", package.differ(package.run(see_target=False), package.run(xt=moved, see_target=False))
    yield "other sequence, hidden, after a first pass that saw it", package.differ(package.run(previous=before, see_target=False),
                                                                                     package.run(other, before_other, see_target=False))


def exact_rmsd(moving, fixed):
    """By the largest eigenvalue of Horn's matrix, from Jacobi rotations."""
    remove_com = module("geometry").remove_com
    a, b = remove_com(moving)[0], remove_com(fixed)[0]
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = [[sum(p[i] * q[j] for p, q in zip(a, b)) for j in range(3)] for i in range(3)]
    m = [[xx + yy + zz, yz - zy, zx - xz, xy - yx], [yz - zy, xx - yy - zz, xy + yx, zx + xz],
         [zx - xz, xy + yx, yy - xx - zz, yz + zy], [xy - yx, zx + xz, yz + zy, zz - xx - yy]]
    for _ in range(100):
        p, q = max(((i, j) for i in range(4) for j in range(i + 1, 4)), key=lambda ij: abs(m[ij[0]][ij[1]]))
        angle = 0.5 * math.atan2(2.0 * m[p][q], m[q][q] - m[p][p])
        c, s = math.cos(angle), math.sin(angle)
        for row in m:
            row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
        m[p], m[q] = [c * u - s * v for u, v in zip(m[p], m[q])], [s * u + c * v for u, v in zip(m[p], m[q])]
    square = sum(v * v for p in a + b for v in p) - 2.0 * max(m[i][i] for i in range(4))
    return math.sqrt(max(square, 0.0) / len(a))


def rmsd_error(pairs=300):
    rng, rmsd = random.Random(1), module("evaluate").kabsch_rmsd
    cloud = lambda n: [[rng.gauss(0.0, 3.0) for _ in range(3)] for _ in range(n)]
    sizes = [rng.choice([3, 4, 5, 8, 12]) for _ in range(pairs)]
    return max(abs(rmsd(a, b) - exact_rmsd(a, b)) for a, b in ((cloud(n), cloud(n)) for n in sizes))


def report():
    package = Package()
    geometry, first = module("geometry"), package.native.residues[0]
    (e1, e2, e3), _ = geometry.frame_from_backbone(first.n, first.ca, first.c)
    seen = alpha_bar_in_effect(package)
    bars = [1.0] + [seen[t] for t in range(1, T + 1)]
    factor, wanted = time_weight(package, 5, bars)
    print(f"C03 determinant of a frame                      {geometry.dot(geometry.cross(e1, e2), e3):.9f}")
    print(f"C10 alpha_bar the sampler uses at t = 10 of 20  {bars[10]:.4f}, the cosine schedule's {package.cosine.alpha_bar(10):.4f}")
    print(f"C11 binder noise off its centre, angstrom       {noise_off_centre(package):.2f}")
    print(f"C17 factor of the loss at t = 5                 {factor:.4f}, min(SNR, 5)/5 {wanted:.4f}")
    for what, value in responses(package):
        print(f"C20, C23 {what:54} {value:.6f}")
    print(f"C24 largest error of the RMSD, 300 pairs        {rmsd_error():.1e}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        unpack(sys.argv[1], sys.argv[2], folder)
        sys.dont_write_bytecode = True
        sys.path.insert(0, folder)
        report()
