"""PDB files."""
from ppdiff.structures import AMINO_ACIDS

THREE = dict(zip(AMINO_ACIDS, "ALA CYS ASP GLU PHE GLY HIS ILE LYS LEU MET ASN PRO GLN ARG SER THR VAL TRP TYR".split()))


def write_pdb(complex_, path):
    serial = 1
    with open(path, "w") as f:
        for r in complex_.residues:
            for name, x in (("N", r.n), ("CA", r.ca), ("C", r.c)):
                f.write(f"ATOM  {serial:5d} {' ' + name:<4s} {THREE[AMINO_ACIDS[r.aa]]} {r.chain}{r.index + 1:4d}    "
                        f"{x[0]:8.3f}{x[1]:8.3f}{x[2]:8.3f}  1.00  0.00           {name[0]}\n")
                serial += 1
        f.write("END\n")
