import os
import tempfile
import unittest

from ppdiff.pdb import write_pdb
from ppdiff.toy import toy_complex


class PdbTest(unittest.TestCase):
    def test_columns(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.pdb")
            write_pdb(toy_complex(1), path)
            with open(path) as f:
                lines = f.read().splitlines()
        self.assertEqual(len(lines), 37)
        self.assertEqual(lines[1][12:16], " CA ")
        self.assertAlmostEqual(float(lines[1][30:38]), 2.3)
