"""Writes the small Parquet files of this folder, one in each layout in which data sets of runs are published. Needs pyarrow."""

import json
import os

import pyarrow as pa
import pyarrow.parquet as pq

os.makedirs("tests/vectors/parquet", exist_ok=True)
msgs = [
    {"role": "system", "content": "be good"},
    {"role": "user", "content": "fix it"},
    {
        "role": "assistant",
        "content": "look",
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command":"ls"}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "name": "bash", "content": "a.py"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {
                "id": "c2",
                "type": "function",
                "function": {"name": "str_replace_editor", "arguments": json.dumps({"command": "create", "path": "/w/a.py", "file_text": "x=1\n"})},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c2", "name": "str_replace_editor", "content": "ok"},
    {"role": "assistant", "content": "done"},
]
patch = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"


def w(n, rows):
    pq.write_table(pa.Table.from_pylist(rows), f"tests/vectors/parquet/{n}.parquet", compression="zstd", row_group_size=1000)


w(
    "rebench",
    [
        {
            "trajectory_id": f"t{i}",
            "instance_id": f"r__x-{i}",
            "repo": "r/x",
            "trajectory": msgs,
            "tools": None,
            "model_patch": patch,
            "exit_status": "submit",
            "resolved": i % 2,
            "gen_tests_correct": None,
            "pred_passes_gen_tests": None,
        }
        for i in range(5)
    ],
)
sw = [
    {"role": "system", "system_prompt": "You are", "text": None, "mask": False, "cutoff_date": "2023"},
    {"role": "user", "system_prompt": None, "text": "fix", "mask": False, "cutoff_date": None},
    {"role": "ai", "system_prompt": None, "text": "Let me look.\n```\nls -a\n```", "mask": True, "cutoff_date": None},
    {"role": "user", "system_prompt": None, "text": "a.py\n(Open file: n/a)", "mask": False, "cutoff_date": None},
    {"role": "ai", "system_prompt": None, "text": "Done\n```\nsubmit\n```", "mask": True, "cutoff_date": None},
]
w(
    "nebius",
    [
        {
            "instance_id": f"r__x-{i//2}",
            "model_name": "m",
            "target": True,
            "trajectory": sw,
            "exit_status": "submitted",
            "generated_patch": patch,
            "eval_logs": "log",
        }
        for i in range(4)
    ],
)
w("smith", [{"messages": msgs, "instance_id": f"r__x-{i}", "resolved": True, "patch": patch, "model": "m", "traj_id": str(i)} for i in range(3)])
w("smith_text", [{"messages": json.dumps(msgs), "instance_id": f"r__x-{i}", "resolved": True, "patch": patch} for i in range(3)])
w(
    "agentic",
    [
        {
            "session_id": f"s{i}",
            "source_dataset": "d",
            "source_id": str(i),
            "agent_framework": "openhands",
            "recorded_model": "m",
            "messages_json": json.dumps(msgs),
            "n_turns": 3,
            "max_isl": 5,
            "total_tokens": 100,
            "ground_truth_meta_json": "{}",
        }
        for i in range(3)
    ],
)
w(
    "scout",
    [
        {
            "transcript_id": f"s{i}",
            "messages": json.dumps(msgs),
            "events": "[]",
            "task_set": "ts",
            "task_id": "t",
            "task_repeat": 1,
            "agent": "a",
            "model": "m",
            "score": 0.5,
        }
        for i in range(3)
    ],
)
w(
    "zero",
    [
        {
            "instance_id": "i",
            "repo": "r",
            "license": "MIT",
            "trajectory_id": f"z{i}",
            "trajectory": [
                {
                    "role": m["role"],
                    "content": m["content"],
                    "name": m.get("name"),
                    "tool_call_id": m.get("tool_call_id"),
                    "tool_calls": m.get("tool_calls"),
                }
                for m in msgs
            ],
            "model_patch": patch,
            "dataset": "d",
        }
        for i in range(3)
    ],
)
