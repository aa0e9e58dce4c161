"""Shards as tasks of Ray. Needs `trajview-py[ray]`; Ray starts, spreads and repeats the tasks.

The program is found on each worker: give `program`, or set TRAJVIEW or PATH there. The paths are those of the workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import pyarrow as pa
import ray
import ray.data

from .tables import batches, schema
from .words import Path, Paths, Shard

T = TypeVar("T")


def rows(
    paths: Paths,
    table: str = "runs",
    *,
    shards: int,
    options: Sequence[str] = (),
    program: Path | None = None,
) -> ray.data.Dataset:
    """The rows of all runs below the paths, read as they are needed: a task a shard, which hands on a few rows at a time.

    Shards come as they end. `trajview.in_order` puts the rows of a table into the order of one export.
    """

    def read(numbers: pa.Table) -> Iterator[pa.Table]:
        for number in numbers.column("item").to_pylist():
            shard = (number, shards)
            for batch in batches(paths, table, shard=shard, options=options, program=program):
                yield pa.Table.from_batches([batch])
        yield schema(table, program=program).remove_metadata().empty_table()

    numbers = ray.data.from_items(list(range(1, shards + 1)), override_num_blocks=shards)
    return numbers.map_batches(read, batch_size=1, batch_format="pyarrow")


def for_each_shard(work: Callable[[Shard], T], shards: int, **options: Any) -> list[T]:
    """Does work for each shard, a task each, and gives what each gave, in the order of the shards.

    `options` are those of `ray.remote`, such as `num_cpus` and `max_retries`.
    """
    task = ray.remote(**options)(work) if options else ray.remote(work)
    return ray.get([task.remote((number, shards)) for number in range(1, shards + 1)])
