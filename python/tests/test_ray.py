"""The same on a local cluster of Ray: two nodes of one worker each, all of it on loopback."""

import logging
import pathlib
import os
import shutil
import tempfile
import unittest

# Ray reads these when it is loaded.
os.environ |= {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # on any system: its address is that of loopback
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_DATA_DISABLE_PROGRESS_BARS": "1",
    "RAY_IGNORE_UNHANDLED_ERRORS": "1",
}

import common
import pyarrow as pa
import ray
import trajview
import trajview.ray
from ray.cluster_utils import Cluster

logging.getLogger("ray.data").setLevel(logging.ERROR)
LOOPBACK = "127.0.0.1"
STORE = 80 << 20  # bytes; the least that Ray takes is 75 MB


class OnRay(common.Runs):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        # Ray's sockets stand in it, whose paths are to be short.
        temporary = tempfile.mkdtemp(prefix="ray-", dir="/tmp")
        cls.addClassCleanup(shutil.rmtree, temporary, ignore_errors=True)
        node = {
            "num_cpus": 1,
            "object_store_memory": STORE,
            "include_dashboard": False,
            "temp_dir": temporary,
        }
        # Where the address of a cluster is noted, whatever folder it works in; a new machine has it not.
        noted = pathlib.Path(ray._private.utils.get_ray_address_file(None))
        noted.parent.mkdir(parents=True, exist_ok=True)
        cluster = Cluster(initialize_head=True, head_node_args=node)
        cls.addClassCleanup(cluster.shutdown)
        cluster.add_node(**node)
        cluster.wait_for_nodes()
        cls.address = cluster.address
        ray.init(cluster.address, log_to_driver=False, logging_level="ERROR")
        cls.addClassCleanup(ray.shutdown)

    def test_the_cluster_has_two_workers_on_loopback(self):
        nodes = [node for node in ray.nodes() if node["Alive"]]

        self.assertEqual(len(nodes), 2)
        self.assertEqual({node["NodeManagerAddress"] for node in nodes}, {LOOPBACK})

    def test_parts_of_all_shards_merged_are_one_export_byte_for_byte(self):
        for runs in [self.samples, self.made]:
            parts = self.new_folder("parts")
            work = lambda shard: trajview.export(runs, parts, shard=shard)
            files = trajview.ray.for_each_shard(work, common.SHARDS)

            self.assertEqual(sorted(sum(files, [])), sorted(parts.iterdir()))
            self.assertEqual(self.merged(parts), self.exported(runs))

    def test_rows_in_order_are_those_of_one_export(self):
        for runs, table in [(self.samples, "runs"), (self.made, "texts")]:
            dataset = trajview.ray.rows(runs, table, shards=common.SHARDS)
            blocks = pa.concat_tables(ray.get(dataset.to_arrow_refs()))

            self.assertEqual(trajview.in_order(blocks), trajview.rows(runs, table), table)

    def test_a_killed_worker_changes_nothing_in_parts(self):
        parts, folder = self.new_folder("parts"), self.new_folder("program")
        runs, program = self.samples, common.program_that_kills_once(folder)
        work = lambda shard: trajview.export(runs, parts, shard=shard, program=program)
        trajview.ray.for_each_shard(work, common.SHARDS, max_retries=2)

        self.assertTrue((folder / "killed").exists())
        self.assertEqual(self.merged(parts), self.exported(runs))

    def test_a_killed_worker_changes_nothing_in_rows(self):
        folder = self.new_folder("program")
        program = common.program_that_kills_once(folder)
        rows = trajview.ray.rows(self.made, "turns", shards=common.SHARDS, program=program)
        read = trajview.in_order(pa.concat_tables(ray.get(rows.to_arrow_refs())))

        self.assertTrue((folder / "killed").exists())
        self.assertEqual(read, trajview.rows(self.made, "turns"))

    def test_what_the_page_shows_runs(self):
        self.assertIn("codex", self.run_page("on_ray.py", RAY_ADDRESS=self.address))

    def test_an_error_has_the_words_of_the_program(self):
        parts = self.new_folder("parts")
        work = lambda shard: trajview.export("runs", parts, shard=shard, options=["--each", "year"])
        with self.assertRaisesRegex(trajview.TrajviewError, "invalid value 'year'"):
            trajview.ray.for_each_shard(work, 2)


if __name__ == "__main__":
    unittest.main()
