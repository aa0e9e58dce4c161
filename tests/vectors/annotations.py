"""Holds what `trajview annotations` writes against the programs that take it.

    pip install inspect-scout arize-phoenix-client label-studio-sdk pandas
    python tests/vectors/annotations.py PROGRAM RUN

RUN is a bundle with labels of one rater. Scout reads its validation set, Phoenix's client looks over its table, Label Studio
checks each task against the interface. Nothing is sent anywhere.
"""

import io
import json
import subprocess
import sys
import tempfile

import pandas
from inspect_scout import validation_set
from label_studio_sdk.label_interface import LabelInterface
from phoenix.client.resources import spans

program, run = sys.argv[1:]


def printed(*arguments):
    return subprocess.run(
        [program, "annotations", run, *arguments], check=True, capture_output=True, text=True
    ).stdout


with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    file.write(printed("--export-to", "scout"))
    file.flush()
    cases = validation_set(file.name).cases
    print("Scout:", [(case.id, case.target) for case in cases])
    assert cases and all(isinstance(case.target, dict) for case in cases)

table = pandas.read_csv(io.StringIO(printed("--export-to", "phoenix")))
table["metadata"] = table["metadata"].map(json.loads)
spans._validate_span_annotations_dataframe(dataframe=table)
print("Phoenix:", len(table), "annotations")

interface = LabelInterface(printed("--config"))
interface.validate()
tasks = json.loads(printed("--export-to", "label-studio"))
for task in tasks:
    for annotation in task["annotations"]:
        assert interface.validate_annotation({**annotation, "completed_by": 1}), annotation
print("Label Studio:", len(tasks), "tasks")
