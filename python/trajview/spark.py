"""Shards as tasks of Spark. Needs `trajview-py[spark]`; Spark starts, spreads and repeats the tasks.

The program is found on each worker: give `program`, or set TRAJVIEW or PATH there. The paths are those of the workers.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from .tables import batches, schema
from .words import Path, Paths, Shard

T = TypeVar("T")

_TYPES = {
    pa.string(): "string",
    pa.int64(): "bigint",
    pa.float64(): "double",
    pa.bool_(): "boolean",
}


def rows(
    session: SparkSession,
    paths: Paths,
    table: str = "runs",
    *,
    shards: int,
    options: Sequence[str] = (),
    program: Path | None = None,
) -> DataFrame:
    """The rows of all runs below the paths, read when Spark asks: a task a shard, which hands on a few rows at a time.

    `trajview.in_order` puts the rows of a table (`DataFrame.toArrow`) into the order of one export.
    """

    def read(numbers: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for number in _numbers(numbers):
            shard = (number, shards)
            yield from batches(paths, table, shard=shard, options=options, program=program)

    columns = [f"`{field.name}` {_TYPES[field.type]}" for field in schema(table, program=program)]
    return _shards(session, shards).mapInArrow(read, ", ".join(columns))


def for_each_shard(session: SparkSession, work: Callable[[Shard], T], shards: int) -> list[T]:
    """Does work for each shard, a task each, and gives what each gave, in the order of the shards."""

    def do(numbers: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for number in _numbers(numbers):
            given = pickle.dumps(work((number, shards)))
            yield pa.RecordBatch.from_pydict({"shard": [number], "given": [given]})

    given = _shards(session, shards).mapInArrow(do, "shard bigint, given binary").collect()
    return [pickle.loads(row.given) for row in sorted(given, key=lambda row: row.shard)]


def _shards(session: SparkSession, shards: int) -> DataFrame:
    return session.range(1, shards + 1, numPartitions=shards)


def _numbers(numbers: Iterable[pa.RecordBatch]) -> Iterator[int]:
    for batch in numbers:
        yield from batch.column(0).to_pylist()
