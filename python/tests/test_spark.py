"""The same on Spark with two threads, each task of which may be tried four times."""

import os
import sys
import unittest

import common
import pyspark.errors
import trajview
import trajview.spark
from pyspark.sql import SparkSession


class OnSpark(common.Runs):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
        settings = {
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "1g",
            "spark.local.dir": cls.folder.name,
            "spark.log.level": "OFF",
            "spark.ui.showConsoleProgress": "false",
        }
        builder = SparkSession.builder.master("local[2,4]").config(map=settings)
        cls.session = builder.getOrCreate()
        cls.addClassCleanup(cls.session.stop)

    def test_parts_of_all_shards_merged_are_one_export_byte_for_byte(self):
        for runs in [self.samples, self.made]:
            parts = self.new_folder("parts")
            work = lambda shard: trajview.export(runs, parts, shard=shard)
            files = trajview.spark.for_each_shard(self.session, work, common.SHARDS)

            self.assertEqual(sorted(sum(files, [])), sorted(parts.iterdir()))
            self.assertEqual(self.merged(parts), self.exported(runs))

    def test_rows_in_order_are_those_of_one_export(self):
        for runs, table in [(self.samples, "runs"), (self.made, "texts")]:
            rows = trajview.spark.rows(self.session, runs, table, shards=common.SHARDS)

            self.assertEqual(trajview.in_order(rows.toArrow()), trajview.rows(runs, table), table)

    def test_spark_counts_what_the_program_counts(self):
        rows = trajview.spark.rows(self.session, self.samples, "runs", shards=common.SHARDS)
        counted = {row.agent: row["count"] for row in rows.groupBy("agent").count().collect()}

        agents = trajview.rows(self.samples)["agent"].value_counts().to_pylist()
        self.assertEqual(counted, {agent["values"]: agent["counts"] for agent in agents})

    def test_a_killed_worker_changes_nothing_in_parts(self):
        parts, folder = self.new_folder("parts"), self.new_folder("program")
        runs, program = self.samples, common.program_that_kills_once(folder)
        work = lambda shard: trajview.export(runs, parts, shard=shard, program=program)
        trajview.spark.for_each_shard(self.session, work, common.SHARDS)

        self.assertTrue((folder / "killed").exists())
        self.assertEqual(self.merged(parts), self.exported(runs))

    def test_a_killed_worker_changes_nothing_in_rows(self):
        folder = self.new_folder("program")
        program = common.program_that_kills_once(folder)
        rows = trajview.spark.rows(self.session, self.made, "turns", shards=common.SHARDS, program=program)
        read = trajview.in_order(rows.toArrow())

        self.assertTrue((folder / "killed").exists())
        self.assertEqual(read, trajview.rows(self.made, "turns"))

    def test_a_task_that_failed_is_tried_again(self):
        parts, marks = self.new_folder("parts"), self.new_folder("marks")
        runs = self.made

        def work(shard):
            trajview.export(runs, parts, shard=shard)
            mark = marks / f"failed-{shard[0]}"
            if not mark.exists():
                mark.touch()
                raise OSError("the first time")

        trajview.spark.for_each_shard(self.session, work, 2)
        self.assertEqual(len(list(marks.iterdir())), 2)
        self.assertEqual(self.merged(parts), self.exported(runs))

    def test_what_the_page_shows_runs(self):
        self.assertIn("codex", self.run_page("on_spark.py"))

    def test_an_error_has_the_words_of_the_program(self):
        parts = self.new_folder("parts")
        work = lambda shard: trajview.export("runs", parts, shard=shard, options=["--each", "year"])
        with self.assertRaisesRegex(pyspark.errors.PythonException, "invalid value 'year'"):
            trajview.spark.for_each_shard(self.session, work, 2)


if __name__ == "__main__":
    unittest.main()
