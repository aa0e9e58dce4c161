"""Recorded runs of coding agents as Arrow tables, by the program `trajview`.

    import trajview

    runs = trajview.rows("sample-runs")                  # a pyarrow.Table, a row a run
    steps = trajview.rows("sample-runs", "steps")        # a row a step
    for batch in trajview.batches("sample-runs", "texts"):
        ...                                              # a few rows at a time

A value in a table is the one that the commands of trajview print; what is not known is null. `trajview.ray` and
`trajview.spark` do the same over the shards of many runs. Everything is done by the program: this package starts it and
reads what it wrote.
"""

from .parts import check, export, judge, merge, score
from .program import TrajviewError, run
from .tables import batches, in_order, rows, schema, tables
from .words import Paths, Shard

__all__ = [
    "Paths",
    "Shard",
    "TrajviewError",
    "batches",
    "check",
    "export",
    "in_order",
    "judge",
    "merge",
    "rows",
    "run",
    "schema",
    "score",
    "tables",
]
