#!/usr/bin/env python3
"""Writes minhash.json: signatures, estimates and exact similarities of sets, beside datasketch's estimates.

An implementation of its own of what crates/study/src/minhash.rs does, and datasketch (2.0), whose permutations are others: both are held
against the exact Jaccard similarity. Needs datasketch. Ours is the definition: member i of a signature is the least
mix(name XOR key i), where mix is the last part of SplitMix64 and key i the i-th output of SplitMix64 started at the seed.
"""

import hashlib
import json
import random
import struct

import datasketch

from splitmix import HERE, MASK, SplitMix64

SEED, FUNCTIONS = 20261126, 128


def mixed(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def name(member):
    return struct.unpack("<Q", hashlib.sha1(member.encode()).digest()[:8])[0]


def signature(members, keys):
    return [min(mixed(name(member) ^ key) for member in members) for key in keys]


def of_datasketch(a, b):
    def made(members):
        made = datasketch.MinHash(num_perm=FUNCTIONS, seed=SEED & 0xFFFF)
        for member in members:
            made.update(member.encode())
        return made

    return float(made(a).jaccard(made(b)))


def bands(threshold):
    """The longest bands by which a pair at the threshold is found with a probability of 0.99."""
    for rows in range(FUNCTIONS, 0, -1):
        count = FUNCTIONS // rows
        chance = 1 - (1 - threshold**rows) ** count
        if chance >= 0.99:
            return [threshold, count, rows, chance]
    return [threshold, FUNCTIONS, 1, 1 - (1 - threshold) ** FUNCTIONS]


def pair(dice, keys):
    words = [f"E assert <n> == {word}" for word in range(200)]
    size, common = dice.randrange(1, 60), dice.random()
    a = dice.sample(words, size)
    b = [word for word in a if dice.random() < common] + dice.sample(words, dice.randrange(1, 20))
    b = sorted(set(b))
    one, other = signature(a, keys), signature(b, keys)
    estimate = sum(x == y for x, y in zip(one, other)) / FUNCTIONS
    return {
        "a": a,
        "b": b,
        "jaccard": len(set(a) & set(b)) / len(set(a) | set(b)),
        "estimate": estimate,
        "standard_error": (estimate * (1 - estimate) / FUNCTIONS) ** 0.5,
        "datasketch": of_datasketch(a, b),
        "signature_a": [str(number) for number in one[:4]],
    }


def main():
    dice = random.Random(SEED)
    draws = SplitMix64(SEED)
    keys = [draws.number() for _ in range(FUNCTIONS)]
    members = ["", "a", "E assert <n> == <n>", "src/ähnlich.py"]
    made = {
        "seed": SEED,
        "functions": FUNCTIONS,
        "names": [[member, str(name(member))] for member in members],
        "pairs": [pair(dice, keys) for _ in range(60)],
        "bands": [bands(threshold) for threshold in (0.01, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0)],
    }
    (HERE / "minhash.json").write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
