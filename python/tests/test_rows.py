"""From runs to rows, on this machine."""

import json
import os
import pickle
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import common
import pyarrow as pa
import trajview
from trajview.program import find


class Rows(common.Runs):
    def test_every_table_has_the_columns_that_the_program_declares(self):
        for table in trajview.tables():
            rows = trajview.rows(self.samples / "claude-code", table)
            self.assertEqual(rows.schema, trajview.schema(table), table)

    def test_a_value_is_the_one_that_the_commands_print(self):
        (run,) = trajview.rows(self.samples / "codex-p12").to_pylist()

        self.assertEqual(run["turns"], 56)
        self.assertEqual(run["agent"], "codex")
        self.assertIsNone(run["read_error"])

    def test_batches_are_the_rows_a_few_at_a_time(self):
        for table in ["runs", "texts", "labels"]:
            rows = trajview.rows(self.made, table)
            batches = list(trajview.batches(self.made, table))
            self.assertEqual(pa.Table.from_batches(batches, rows.schema), rows, table)

    def test_no_batch_is_much_larger_than_sixteen_megabytes(self):
        folder = self.new_folder("long")
        for number in range(8):
            made = common.messages()
            made[-1]["content"] = "a long answer " * 400_000
            (folder / f"{number}.json").write_text(json.dumps(made))

        sizes = [batch.nbytes >> 20 for batch in trajview.batches(folder, "texts")]
        self.assertGreater(sum(sizes), 40)
        self.assertLess(max(sizes), 24)

    def test_a_recording_that_cannot_be_read_is_a_row_that_says_why(self):
        runs = trajview.rows(self.made).to_pylist()

        unread = [run for run in runs if run["read_error"]]
        self.assertEqual([Path(run["source_uri"]).name for run in unread], ["damaged"])
        self.assertEqual(len(runs), 61)

    def test_several_paths_are_taken_together(self):
        one = trajview.rows([self.samples / "claude-code", str(self.samples / "codex-rollout")])

        self.assertEqual(one.num_rows, 2)

    def test_shards_in_order_are_the_whole(self):
        for table in ["runs", "turns", "texts"]:
            shards = [trajview.rows(self.made, table, shard=(n, 3)) for n in (3, 1, 2)]
            whole = trajview.rows(self.made, table)
            self.assertEqual(trajview.in_order(pa.concat_tables(shards)), whole, table)

    def test_options_are_those_of_the_program(self):
        by_turn = trajview.rows(self.samples / "codex-p12", "points", options=["--each", "turn"])

        self.assertEqual(by_turn.num_rows, 56)

    def test_nothing_is_left_in_the_folder_for_temporary_files(self):
        folder = self.new_folder("temporary")
        with mock.patch("tempfile.tempdir", str(folder)):
            trajview.rows(self.made)
            batches = trajview.batches(self.made)
            next(batches)
            batches.close()

        self.assertEqual(list(folder.iterdir()), [])


class Parts(common.Runs):
    def test_shards_merged_are_one_export_byte_for_byte(self):
        parts = self.new_folder("parts")
        for number in range(1, 4):
            files = trajview.export(self.samples, parts, shard=(number, 3))
            again = trajview.export(self.samples, parts, shard=(number, 3))
            self.assertEqual(files, again)
            self.assertTrue(all(file.is_file() for file in files), files)
            self.assertEqual(len(files), len(trajview.tables()))

        self.assertEqual(self.merged(parts), self.exported(self.samples))

    def test_a_program_that_is_killed_in_the_middle_changes_nothing(self):
        parts = self.new_folder("parts")
        words = [find(), "export", "--parquet", str(parts), str(self.samples)]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL) as begun:
            common.until(lambda: any(parts.iterdir()))
            begun.kill()
        trajview.export(self.samples, parts)

        left = [path for path in parts.iterdir() if path.name.startswith(".trajview-")]
        self.assertEqual(self.merged(parts), self.exported(self.samples))
        for path in left:
            path.unlink()
        self.assertEqual(common.contents(parts), self.exported(self.samples))

    def test_scores_and_checks_of_shards_merged_are_those_of_one_call(self):
        for work in [trajview.score, trajview.check]:
            parts, one = self.new_folder("parts"), self.new_folder("one")
            for number in (1, 2):
                (file,) = work(self.made, parts, shard=(number, 2))
                self.assertTrue(file.is_file())
            work(self.made, one)
            self.assertEqual(self.merged(parts), common.contents(one))

    def test_files_of_a_merge_are_named(self):
        parts, merged = self.new_folder("parts"), self.new_folder("merged")
        trajview.export(self.made, parts, form="jsonl", tables=["runs"], shard=(1, 2))
        trajview.export(self.made, parts, form="jsonl", tables=["runs"], shard=(2, 2))

        (file,) = trajview.merge(parts, merged)
        self.assertEqual(file.read_bytes().count(b"\n"), 61)
        self.assertEqual(trajview.merge([parts], merged), [file])

    def test_other_runs_take_the_place_of_parts_only_when_told(self):
        parts = self.new_folder("parts")
        trajview.export(self.made, parts, tables=["runs"])
        with self.assertRaisesRegex(trajview.TrajviewError, "is there already.*--overwrite"):
            trajview.export(self.made, parts, tables=["runs"], shard=(1, 2))

        trajview.export(self.made, parts, tables=["runs"], shard=(1, 2), replace=True)
        self.assertEqual(len(list(parts.iterdir())), 1)


class Page(common.Runs):
    def test_what_the_page_shows_runs(self):
        self.assertIn("476", self.run_page("rows.py"))


class Errors(unittest.TestCase):
    def test_an_error_has_the_words_of_the_program_and_its_exit_code(self):
        with self.assertRaises(trajview.TrajviewError) as caught:
            trajview.rows("no/such/folder")

        self.assertEqual(str(caught.exception), "cannot read no/such/folder: no such file or folder")
        self.assertEqual(caught.exception.exit_code, 3)
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((again.words, again.exit_code), (caught.exception.words, 3))

    def test_a_shard_of_what_is_not_there_is_no_rows_but_an_error(self):
        for number in (1, 2):
            with self.assertRaisesRegex(trajview.TrajviewError, "no such file or folder"):
                trajview.rows("no/such/folder", shard=(number, 2))

    def test_a_path_that_looks_like_an_option_is_a_path(self):
        with self.assertRaisesRegex(trajview.TrajviewError, "cannot read --help"):
            trajview.rows("--help")

    def test_a_missing_shard_is_told(self):
        with self.assertRaisesRegex(trajview.TrajviewError, "no parts of tables"):
            trajview.merge(os.path.dirname(__file__), "unused")

    def test_a_program_that_is_not_there_is_told(self):
        with self.assertRaisesRegex(trajview.TrajviewError, "cannot start no/program: No such file"):
            trajview.run(["--version"], program="no/program")
        nowhere = mock.patch("sysconfig.get_path", return_value="no/scripts")
        with mock.patch.dict(os.environ, {"TRAJVIEW": "", "PATH": ""}), nowhere:
            with self.assertRaisesRegex(trajview.TrajviewError, "neither in this Python environment nor in PATH"):
                trajview.run(["--version"])

    def test_the_program_of_the_environment_goes_before_the_one_in_the_path(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("scripts", "path"):
                program = Path(folder, name, "trajview")
                program.parent.mkdir()
                program.touch(mode=0o755)
            in_path = {"TRAJVIEW": "", "PATH": f"{folder}/path"}
            scripts = mock.patch("sysconfig.get_path", return_value=f"{folder}/scripts")
            with mock.patch.dict(os.environ, in_path), scripts:
                self.assertEqual(find(), f"{folder}/scripts/trajview")
                Path(folder, "scripts", "trajview").chmod(0o644)
                self.assertEqual(find(), f"{folder}/path/trajview")

    def test_the_argument_goes_before_the_variable(self):
        program = find()
        with mock.patch.dict(os.environ, {"TRAJVIEW": "no/program"}):
            self.assertIn("trajview", trajview.run(["--version"], program=program))


if __name__ == "__main__":
    unittest.main()
