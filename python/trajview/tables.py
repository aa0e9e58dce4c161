"""From runs to rows: tables of runs as Arrow."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .parts import export
from .program import run
from .words import Path, Paths, Shard

_TYPES = {
    "string": pa.string(),
    "json": pa.string(),
    "int64": pa.int64(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
}


def tables(*, program: Path | None = None) -> list[str]:
    """The names of the tables."""
    return [table["table"] for table in _described([], program)]


def schema(table: str = "runs", *, program: Path | None = None) -> pa.Schema:
    """The columns of a table; the metadata of each has its meaning and its unit."""
    (described,) = _described(["--tables", table], program)
    return pa.schema(
        pa.field(
            column["name"],
            _TYPES[column["type"]],
            metadata={key: column[key] for key in ("meaning", "unit") if column[key]},
        )
        for column in described["columns"]
    )


def rows(
    paths: Paths,
    table: str = "runs",
    *,
    shard: Shard | None = None,
    options: Sequence[str] = (),
    program: Path | None = None,
) -> pa.Table:
    """A table of all runs below the paths, or of one shard of them.

    A recording that cannot be read is a row of `runs` with `read_error`. `options` are further options of
    `trajview export`, such as ["--redact", "off"].
    """
    with _written(paths, table, shard, options, program) as file:
        return pa.Table.from_batches(_batches_of(file), file.schema_arrow)


def batches(
    paths: Paths,
    table: str = "runs",
    *,
    shard: Shard | None = None,
    options: Sequence[str] = (),
    program: Path | None = None,
) -> Iterator[pa.RecordBatch]:
    """The same as `rows`, a few rows at a time: one group of rows of the file is in memory, 16 MB and the row that goes beyond.

    The table lies in the folder for temporary files while it is read (TMPDIR names it).
    """
    with _written(paths, table, shard, options, program) as file:
        yield from _batches_of(file)


def in_order(table: pa.Table) -> pa.Table:
    """The rows of all shards in the order of one export: by task, those without one first, then by the path of the run.

    The rows of one run stay as they are.
    """
    keys = {
        "has_task": pc.is_valid(table["task_id"]),
        "task": table["task_id"],
        "path": table["source_uri"],
    }
    ascending = [(key, "ascending") for key in keys]
    order = pc.sort_indices(pa.table(keys), sort_keys=ascending)  # equal ones stay in their order
    return table.take(order).combine_chunks()


def _described(options: list[str], program: Path | None) -> list[dict[str, Any]]:
    columns = json.loads(run(["export", "--columns", "--json", *options], program=program))
    return list(columns["tables"])


@contextmanager
def _written(
    paths: Paths, table: str, shard: Shard | None, options: Sequence[str], program: Path | None
) -> Iterator[pq.ParquetFile]:
    with tempfile.TemporaryDirectory(prefix="trajview-") as folder:
        (path,) = export(
            paths, folder, tables=[table], shard=shard, options=options, program=program
        )
        with pq.ParquetFile(path) as file:
            yield file


def _batches_of(file: pq.ParquetFile) -> Iterator[pa.RecordBatch]:
    for group in range(file.num_row_groups):
        yield from file.read_row_group(group, use_threads=False).to_batches()
