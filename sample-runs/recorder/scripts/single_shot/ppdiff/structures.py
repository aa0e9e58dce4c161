"""Residues and complexes."""
from dataclasses import dataclass, replace

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"


@dataclass
class Residue:
    chain: str
    index: int
    aa: int
    n: list
    ca: list
    c: list


@dataclass
class Complex:
    residues: list
    binder: str = "B"

    def __len__(self):
        return len(self.residues)

    def coords(self):
        return [list(r.ca) for r in self.residues]

    def sequence(self):
        return [r.aa for r in self.residues]

    def chains(self):
        return [r.chain for r in self.residues]

    def binder_mask(self):
        return [r.chain == self.binder for r in self.residues]

    def letters(self, chain):
        return "".join(AMINO_ACIDS[r.aa] for r in self.residues if r.chain == chain)

    def with_state(self, coords, sequence):
        """A copy whose CA atoms and amino acids are replaced; N and C move along with CA."""
        moved = []
        for r, x, aa in zip(self.residues, coords, sequence):
            shift = [x[k] - r.ca[k] for k in range(3)]
            moved.append(replace(r, aa=aa, ca=list(x), n=[r.n[k] + shift[k] for k in range(3)],
                                 c=[r.c[k] + shift[k] for k in range(3)]))
        return Complex(moved, self.binder)
