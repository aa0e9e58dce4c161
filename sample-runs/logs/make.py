#!/usr/bin/env python3
"""Writes the logs of this folder: one small session in the form of each tool.

A person asks twice: for a package with an `add`, then for a `div` that fails once. Nothing of it was recorded; the forms are
those that the tools write, the words are ours. With `--drift FOLDER` the same sessions are written with a record of a kind
that no reader knows, and with fields of other types: `tests/vectors/drift` holds those.
"""
import json
import sys
import zipfile
from pathlib import Path

ROOT = "/work/tinycalc"
# Where a tool does not say in which folder the agent worked, the files are named from it on.
FILE = {"name": f"{ROOT}/calc.py"}
ADD = "def add(a, b):\n    return a + b\n"
DIV = ADD + "\n\ndef div(a, b):\n    return a / b\n"
ASKED = ["Create a package tinycalc with add.", "Now add div, and run it."]
SAID = ["I'll write the module.", "Added add to calc.py.", "I'll add div and run it.", "Division by zero is left to Python."]
RUN = "python3 -c 'import calc; print(calc.div(1, 0))'"
PRINTED = "ZeroDivisionError: division by zero\n"
DIFF = "diff --git a/calc.py b/calc.py\nnew file mode 100644\n--- /dev/null\n+++ b/calc.py\n@@ -0,0 +1,6 @@\n" + "".join(
    f"+{line}\n" for line in DIV.splitlines()
)


def at(second, form="iso"):
    millis = 1790000000000 + second * 1000
    if form == "ms":
        return millis
    if form == "s":
        return millis / 1000
    return f"2026-09-21T14:13:{20 + second:02d}.000Z"


def dumps(value):
    return json.dumps(value, ensure_ascii=False)


def lines(*records):
    return "".join(dumps(record) + "\n" for record in records)


def document(value):
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def write_args(**names):
    path, text = names.get("path", "file_path"), names.get("text", "content")
    return {path: FILE["name"], text: ADD}


def edit_args(**names):
    path, old, new = names.get("path", "file_path"), names.get("old", "old_string"), names.get("new", "new_string")
    return {path: FILE["name"], old: ADD, new: DIV}


def openai(name, arguments, call):
    return {"id": call, "type": "function", "function": {"name": name, "arguments": dumps(arguments)}}


def chat_messages():
    return [
        {"role": "system", "content": "You are a coding agent."},
        {"role": "user", "content": ASKED[0]},
        {"role": "assistant", "content": SAID[0], "tool_calls": [openai("write_file", write_args(), "c1")]},
        {"role": "tool", "tool_call_id": "c1", "content": "written"},
        {"role": "assistant", "content": SAID[1]},
        {"role": "user", "content": ASKED[1]},
        {"role": "assistant", "content": SAID[2], "tool_calls": [openai("edit_file", edit_args(), "c2"), openai("bash", {"command": RUN}, "c3")]},
        {"role": "tool", "tool_call_id": "c2", "content": "edited"},
        {"role": "tool", "tool_call_id": "c3", "content": PRINTED + "Exit code: 1"},
        {"role": "assistant", "content": SAID[3]},
    ]


def anthropic_messages(write="Write", edit="Edit", bash="Bash", **names):
    use = lambda name, arguments, call: {"type": "tool_use", "id": call, "name": name, "input": arguments}
    seen = lambda call, text, failed=False: {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": failed}
    text = lambda words: {"type": "text", "text": words}
    return [
        {"role": "user", "content": [text(ASKED[0])]},
        {"role": "assistant", "content": [text(SAID[0]), use(write, write_args(**names), "c1")]},
        {"role": "user", "content": [seen("c1", "written")]},
        {"role": "assistant", "content": [text(SAID[1])]},
        {"role": "user", "content": [text(ASKED[1])]},
        {"role": "assistant", "content": [text(SAID[2]), use(edit, edit_args(**names), "c2"), use(bash, {"command": RUN}, "c3")]},
        {"role": "user", "content": [seen("c2", "edited"), seen("c3", PRINTED, True)]},
        {"role": "assistant", "content": [text(SAID[3])]},
    ]


def messages(drift):
    extra = [{"role": "umpire"}] if drift else []
    return {"messages.json": document(chat_messages() + extra)}


def mini(drift):
    call = lambda command, call_id: openai("bash", {"command": command}, call_id)
    said = lambda words, command, call_id, second: {
        "role": "assistant", "content": words, "tool_calls": [call(command, call_id)],
        "extra": {"actions": [{"command": command, "tool_call_id": call_id}], "cost": 0.01, "timestamp": at(second, "s"),
                  "response": {"usage": {"prompt_tokens": 100, "completion_tokens": 20}}},
    }
    seen = lambda call_id, code, text, second: {
        "role": "tool", "tool_call_id": call_id, "content": f"<returncode>{code}</returncode>\n<output>\n{text}</output>",
        "extra": {"returncode": code, "timestamp": at(second, "s")},
    }
    all_messages = [
        {"role": "system", "content": "You can interact with a computer."},
        {"role": "user", "content": "Please solve this issue: " + ASKED[0]},
        said(SAID[0], "cat > calc.py <<'EOF'\n" + ADD + "EOF", "c1", 2),
        seen("c1", 0, "", 3),
        {"role": "user", "content": "The user added a new task: " + ASKED[1]},
        said(SAID[2], RUN, "c2", 5),
        seen("c2", 1, PRINTED, 6),
        {"role": "exit", "content": "Submitted", "extra": {"exit_status": "Submitted", "submission": DIFF}},
    ]
    if drift:
        all_messages.insert(4, {"role": "umpire"})
        all_messages[2]["extra"] = 7
    info = {"model_stats": {"instance_cost": 0.02, "api_calls": 2}, "config": {"model": {"model_name": "made/model"}, "environment": {"cwd": ROOT}},
            "mini_version": "2.4.6", "exit_status": "Submitted", "submission": DIFF}
    return {"mini-swe-agent.traj.json": document({"info": info, "messages": all_messages, "trajectory_format": "mini-swe-agent-1.1"})}


def swe_agent(drift):
    step = lambda thought, action, seen, second: {
        "action": action, "observation": seen, "response": thought, "thought": thought, "execution_time": 0.1,
        "state": {"working_dir": ROOT}, "query": [{"role": "system", "content": "again"}],
    }
    trajectory = [
        step(SAID[0], "str_replace_editor create calc.py", "File created", 2),
        step(SAID[2], RUN, PRINTED, 4),
        step(SAID[3], "submit", DIFF, 6),
    ]
    history = [{"role": "system", "content": "SETTING", "agent": "main"}, {"role": "user", "content": ASKED[0], "agent": "main"},
               {"role": "assistant", "content": SAID[0], "agent": "main"}]
    if drift:
        history.insert(2, {"role": "umpire"})
        trajectory[0]["state"] = 3
    info = {"exit_status": "submitted", "submission": DIFF, "swe_agent_version": "1.1.0",
            "model_stats": {"instance_cost": 0.3, "tokens_sent": 300, "tokens_received": 60, "api_calls": 3}}
    return {"swe-agent.traj": document({"trajectory": trajectory, "history": history, "info": info, "environment": "made__tinycalc-1",
                                        "replay_config": dumps({"agent": {"model": {"name": "made/model"}}})})}


def atif(drift):
    metrics = lambda prompt, completion: {"prompt_tokens": prompt, "completion_tokens": completion, "cached_tokens": 10, "cost_usd": 0.01}
    call = lambda call_id, name, arguments: {"tool_call_id": call_id, "function_name": name, "arguments": arguments}
    seen = lambda *results: {"results": [{"source_call_id": call_id, "content": text} for call_id, text in results]}
    first = [
        {"step_id": 1, "timestamp": at(0), "source": "user", "message": ASKED[0]},
        {"step_id": 2, "timestamp": at(1), "source": "agent", "model_name": "made/model", "message": SAID[0],
         "tool_calls": [call("c1", "write_file", write_args())], "observation": seen(("c1", "written")), "metrics": metrics(100, 20)},
        {"step_id": 3, "timestamp": at(2), "source": "agent", "message": SAID[1], "metrics": metrics(130, 9)},
    ]
    more = [
        {"step_id": 1, "source": "user", "message": ASKED[0], "is_copied_context": True},
        {"step_id": 2, "timestamp": at(3), "source": "user", "message": [{"type": "text", "text": ASKED[1]}]},
        {"step_id": 3, "timestamp": at(4), "source": "agent", "message": SAID[2], "reasoning_content": "Divide, then see.",
         "tool_calls": [call("c2", "edit_file", edit_args()), call("c3", "bash", {"command": RUN})],
         "observation": {"results": seen(("c2", "edited"))["results"] + [{"source_call_id": "c3", "content": PRINTED, "extra": {"exit_code": 1}}]},
         "metrics": metrics(150, 30)},
        {"step_id": 4, "timestamp": at(5), "source": "agent", "message": SAID[3], "metrics": metrics(190, 12)},
    ]
    if drift:
        first.append({"step_id": 4, "source": "umpire", "message": 5})
        first[1]["metrics"] = "many"
    agent = {"name": "made-agent", "version": "1.0", "model_name": "made/model", "extra": {}}
    head = lambda steps, **rest: document({"schema_version": "ATIF-v1.7", "session_id": "made", "agent": agent, "steps": steps, **rest})
    return {"atif/trajectory.json": head(first, continued_trajectory_ref="trajectory.cont-1.json", extra={"cwd": ROOT}), "atif/trajectory.cont-1.json": head(more)}


def gemini(drift):
    said = lambda ident, second, text, calls=(), **rest: {
        "id": ident, "timestamp": at(second), "type": "gemini", "content": text, "thoughts": [], "model": "made-model",
        "tokens": {"input": 100, "output": 20, "cached": 10, "thoughts": 5, "tool": 0, "total": 125}, "toolCalls": list(calls), **rest}
    call = lambda ident, name, args, output, status="success", shown=None: {
        "id": ident, "name": name, "args": args, "status": status, "timestamp": at(9), "resultDisplay": shown or output,
        "result": [{"functionResponse": {"id": ident, "name": name, "response": {"output" if status == "success" else "error": output}}}]}
    shown = {"fileDiff": "", "fileName": "calc.py", "filePath": f"{ROOT}/calc.py", "originalContent": ADD, "newContent": DIV}
    records = [
        {"sessionId": "made", "projectHash": "0f", "startTime": at(0), "lastUpdated": at(0), "kind": "main", "directories": [ROOT]},
        {"id": "u1", "timestamp": at(0), "type": "user", "content": [{"text": ASKED[0]}]},
        said("g1", 1, SAID[0]),
        said("g1", 1, SAID[0], [call("c1", "write_file", write_args(), "written")]),
        said("g2", 2, SAID[1]),
        {"$set": {"lastUpdated": at(2)}},
        {"id": "u2", "timestamp": at(3), "type": "user", "content": "Never mind."},
        {"$rewindTo": "u2"},
        {"id": "u3", "timestamp": at(4), "type": "user", "content": ASKED[1]},
        said("g3", 5, SAID[2], [call("c2", "replace", edit_args(), "edited", shown=shown), call("c3", "run_shell_command", {"command": RUN}, PRINTED + "Exit Code: 1")]),
        said("g4", 6, SAID[3], thoughts=[{"subject": "Zero", "description": "Python raises by itself.", "timestamp": at(6)}]),
    ]
    if drift:
        records.append({"id": "x", "type": "umpire", "content": 3})
        records[2]["tokens"] = []
    return {"gemini.jsonl": lines(*records)}


def gemini_stream(drift):
    records = [
        {"type": "init", "timestamp": at(0), "session_id": "made", "model": "made-model"},
        {"type": "message", "timestamp": at(0), "role": "user", "content": ASKED[0]},
        {"type": "message", "timestamp": at(1), "role": "assistant", "content": SAID[0], "delta": True},
        {"type": "tool_use", "timestamp": at(1), "tool_name": "write_file", "tool_id": "c1", "parameters": write_args()},
        {"type": "tool_result", "timestamp": at(2), "tool_id": "c1", "status": "success", "output": "written"},
        {"type": "tool_use", "timestamp": at(3), "tool_name": "run_shell_command", "tool_id": "c2", "parameters": {"command": RUN}},
        {"type": "tool_result", "timestamp": at(4), "tool_id": "c2", "status": "error", "output": PRINTED},
        {"type": "message", "timestamp": at(5), "role": "assistant", "content": SAID[3], "delta": True},
        {"type": "result", "timestamp": at(5), "status": "success", "stats": {"input_tokens": 100, "output_tokens": 20}},
    ]
    if drift:
        records.append({"type": "umpire"})
        records[3]["parameters"] = "many"
    return {"gemini-stream.jsonl": lines(*records)}


def opencode(drift):
    ident = iter(range(1, 100))
    part = lambda kind, **rest: {"id": f"prt_{next(ident):02d}", "type": kind, **rest}
    tool = lambda name, call, given, output, second, **metadata: part(
        "tool", tool=name, callID=call, state={"status": "completed", "input": given, "output": output, "metadata": metadata, "time": {"start": at(second, "ms"), "end": at(second + 1, "ms")}})
    user = lambda number, second, text: {"info": {"id": f"msg_{number}", "role": "user", "time": {"created": at(second, "ms")}}, "parts": [part("text", text=text)]}
    said = lambda number, second, *parts: {
        "info": {"id": f"msg_{number}", "role": "assistant", "modelID": "made-model", "providerID": "made", "cost": 0.01, "time": {"created": at(second, "ms")},
                 "tokens": {"input": 100, "output": 20, "reasoning": 5, "cache": {"read": 10, "write": 0}}}, "parts": list(parts)}
    all_messages = [
        user(1, 0, ASKED[0]),
        said(2, 1, part("step-start"), part("text", text=SAID[0]), tool("write", "c1", write_args(path="filePath"), "written", 1), part("step-finish")),
        user(3, 4, ASKED[1]),
        said(4, 5, part("reasoning", text="Divide, then see."), tool("edit", "c2", edit_args(path="filePath", old="oldString", new="newString"), "edited", 5), tool("bash", "c3", {"command": RUN}, PRINTED, 6, exit=1), part("text", text=SAID[3])),
    ]
    if drift:
        all_messages[1]["parts"].append(part("umpire"))
        all_messages[1]["info"]["tokens"] = []
    info = {"id": "ses_made", "projectID": "made", "directory": ROOT, "title": "tinycalc", "version": "1.18.33", "time": {"created": at(0, "ms"), "updated": at(9, "ms")}}
    return {"opencode.export.json": document({"info": info, "messages": all_messages})}


def copilot(drift):
    number = iter(range(1, 100))
    def event(kind, second, **data):
        own = next(number)
        return {"type": kind, "data": data, "id": f"e{own}", "timestamp": at(second), "parentId": f"e{own - 1}" if own > 1 else None}
    ask = lambda call, name, arguments: {"toolCallId": call, "name": name, "arguments": arguments, "type": "function"}
    records = [
        event("session.start", 0, sessionId="made", copilotVersion="1.0.77", context={"cwd": ROOT}),
        event("user.message", 0, content=ASKED[0]),
        event("assistant.message", 1, content=SAID[0], toolRequests=[ask("c1", "create", {"path": f"{ROOT}/calc.py", "file_text": ADD})], outputTokens=20, model="made-model"),
        event("tool.execution_start", 1, toolCallId="c1", toolName="create", arguments={"path": f"{ROOT}/calc.py", "file_text": ADD}),
        event("tool.execution_complete", 2, toolCallId="c1", success=True, result={"content": "created"}),
        event("assistant.message", 2, content=SAID[1], toolRequests=[], outputTokens=9),
        event("user.message", 3, content=ASKED[1]),
        event("assistant.message", 4, content=SAID[2], toolRequests=[ask("c2", "edit", {"path": f"{ROOT}/calc.py", "old_str": ADD, "new_str": DIV}), ask("c3", "bash", {"command": RUN})], outputTokens=30),
        event("tool.execution_complete", 5, toolCallId="c2", success=True, result={"content": "edited"}),
        event("tool.execution_complete", 6, toolCallId="c3", success=False, result={"content": PRINTED}),
        event("assistant.message", 7, content=SAID[3], toolRequests=[], outputTokens=12),
        event("session.shutdown", 8, shutdownType="routine"),
    ]
    if drift:
        records.append(event("umpire.said", 9))
        records[2]["data"]["toolRequests"] = 4
    return {"copilot-cli.jsonl": lines(*records)}


def cursor(drift):
    records = [{"role": it["role"], "message": {"content": it["content"]}} for it in anthropic_messages("Write", "StrReplace", "Shell", path="path", text="contents")]
    records[0]["message"]["content"][0]["text"] = f"<user_query>\n{ASKED[0]}\n</user_query>"
    if drift:
        records.append({"role": "user", "message": {"content": [{"type": "umpire"}]}})
    return {"cursor.jsonl": lines(*records)}


def pi(drift):
    number = iter(range(1, 100))
    def entry(kind, second, parent=None, **rest):
        own = next(number)
        return {"type": kind, "id": f"p{own}", "parentId": parent or (f"p{own - 1}" if own > 1 else None), "timestamp": at(second), **rest}
    usage = {"input": 90, "output": 20, "cacheRead": 10, "cacheWrite": 0, "totalTokens": 120, "cost": {"total": 0.01}}
    call = lambda ident, name, arguments: {"type": "toolCall", "id": ident, "name": name, "arguments": arguments}
    user = lambda text: {"role": "user", "content": [{"type": "text", "text": text}]}
    said = lambda *content: {"role": "assistant", "provider": "made", "model": "made-model", "usage": usage, "content": list(content)}
    seen = lambda ident, name, text, failed=False: {"role": "toolResult", "toolCallId": ident, "toolName": name, "content": [{"type": "text", "text": text}], "isError": failed}
    records = [
        {"type": "session", "version": 3, "id": "made", "timestamp": at(0), "cwd": ROOT},
        entry("message", 0, message=user(ASKED[0])),
        entry("message", 1, message=said({"type": "text", "text": SAID[0]}, call("c1", "write", write_args(path="path")))),
        entry("message", 2, message=seen("c1", "write", "written")),
        *([entry("message", 3, message=user("A branch that was left."))] if drift else []),
        entry("message", 4, "p3", message=user(ASKED[1])),
        entry("message", 5, message=said(call("c2", "edit", edit_args(path="path", old="oldText", new="newText")), call("c3", "bash", {"command": RUN}))),
        entry("message", 6, message=seen("c2", "edit", "edited")),
        entry("message", 7, message=seen("c3", "bash", PRINTED, True)),
        entry("message", 8, message=said({"type": "text", "text": SAID[3]})),
        entry("compaction", 9, summary="tinycalc has add and div.", tokensBefore=400),
    ]
    if drift:
        records.append(entry("umpire", 9))
        records[2]["message"]["usage"] = []
    return {"pi.jsonl": lines(*records)}


def amp(drift):
    all_messages = []
    for number, it in enumerate(anthropic_messages("create_file", "edit_file", "Bash", path="path", old="old_str", new="new_str")):
        for block in it["content"]:
            if block["type"] == "tool_result":
                text, failed = block.pop("content"), block.pop("is_error")
                block["toolUseID"] = block.pop("tool_use_id")
                block["run"] = {"status": "done", "result": {"output": text, "exitCode": 1} if failed else {"content": text}}
        message = {**it, "messageId": number}
        if it["role"] == "assistant":
            message["usage"] = {"model": "made-model", "inputTokens": 5, "outputTokens": 20, "cacheReadInputTokens": 80, "cacheCreationInputTokens": 15, "totalInputTokens": 100, "timestamp": at(number)}
        else:
            message["meta"] = {"sentAt": at(number, "ms")}
        all_messages.append(message)
    if drift:
        all_messages[1]["content"].append({"type": "umpire"})
        all_messages[1]["usage"] = 3
    env = {"initial": {"trees": [{"uri": f"file://{ROOT}"}], "platform": {"clientVersion": "0.0.1"}}}
    return {"amp.json": document({"v": 9, "id": "T-made", "created": at(0, "ms"), "messages": all_messages, "agentMode": "smart", "env": env, "title": "tinycalc"})}


def droid(drift):
    records = [{"type": "session_start", "id": "made", "title": "tinycalc", "version": 2, "cwd": ROOT}]
    for number, it in enumerate(anthropic_messages("Create", "Edit", "Execute")):
        records.append({"type": "message", "id": f"m{number}", "timestamp": at(number), "message": it})
    if drift:
        records.append({"type": "umpire"})
        records[2]["message"]["content"].append(5)
    return {"droid.jsonl": lines(*records)}


def kimi(drift):
    loop = lambda second, kind, **rest: {"type": "context.append_loop_event", "event": {"type": kind, **rest}, "time": at(second, "ms")}
    usage = {"inputOther": 90, "output": 20, "inputCacheRead": 10, "inputCacheCreation": 0}
    asked = lambda second, text: {"type": "turn.prompt", "input": [{"type": "text", "text": text}], "origin": {"kind": "user"}, "time": at(second, "ms")}
    records = [
        {"type": "metadata", "protocol_version": "1.4", "created_at": at(0, "ms")},
        {"type": "config.update", "cwd": ROOT, "modelAlias": "made/model", "time": at(0, "ms")},
        asked(0, ASKED[0]),
        loop(1, "step.begin", step=1),
        loop(1, "content.part", part={"type": "text", "text": SAID[0]}),
        loop(1, "tool.call", toolCallId="c1", name="Write", args=write_args(path="path")),
        loop(2, "tool.result", toolCallId="c1", result={"output": "written"}),
        loop(2, "step.end", step=1, usage=usage),
        {"type": "turn.ended", "turnId": 0, "reason": "completed", "durationMs": 2000, "time": at(2, "ms")},
        asked(3, ASKED[1]),
        loop(4, "content.part", part={"type": "think", "think": "Divide, then see."}),
        loop(4, "tool.call", toolCallId="c2", name="Edit", args=edit_args(path="path", old="old", new="new")),
        loop(5, "tool.result", toolCallId="c2", result={"output": "edited"}),
        loop(5, "tool.call", toolCallId="c3", name="Bash", args={"command": RUN}),
        loop(6, "tool.result", toolCallId="c3", result={"output": PRINTED, "isError": True}),
        loop(7, "content.part", part={"type": "text", "text": SAID[3]}),
        loop(7, "step.end", step=2, usage=usage),
    ]
    if drift:
        records.append({"type": "umpire", "time": at(9, "ms")})
        records[7]["event"]["usage"] = "many"
    return {"kimi.jsonl": lines(*records)}


def qwen(drift):
    number = iter(range(1, 100))
    def record(kind, second, parts, **rest):
        own = next(number)
        role = "model" if kind == "assistant" else "user"
        return {"uuid": f"q{own}", "parentUuid": f"q{own - 1}" if own > 1 else None, "sessionId": "made", "timestamp": at(second), "type": kind, "cwd": ROOT,
                "version": "0.21.13", "message": {"role": role, "parts": parts}, **rest}
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "cachedContentTokenCount": 10, "thoughtsTokenCount": 5}
    call = lambda ident, name, args: {"functionCall": {"id": ident, "name": name, "args": args}}
    seen = lambda second, ident, name, output, status="success": record(
        "tool_result", second, [{"functionResponse": {"id": ident, "name": name, "response": {"output": output}}}], toolCallResult={"callId": ident, "status": status})
    records = [
        record("user", 0, [{"text": ASKED[0]}]),
        record("assistant", 1, [{"text": SAID[0]}, call("c1", "write_file", write_args())], model="made-model", usageMetadata=usage),
        seen(2, "c1", "write_file", "written"),
        record("user", 3, [{"text": ASKED[1]}]),
        record("assistant", 4, [{"text": "Divide, then see.", "thought": True}, call("c2", "edit", edit_args()), call("c3", "run_shell_command", {"command": RUN})], model="made-model", usageMetadata=usage),
        seen(5, "c2", "edit", "edited"),
        seen(6, "c3", "run_shell_command", PRINTED, "error"),
        record("assistant", 7, [{"text": SAID[3]}], model="made-model"),
    ]
    if drift:
        records.append(record("umpire", 9, []))
        records[1]["usageMetadata"] = "many"
    return {"qwen-code.jsonl": lines(*records)}


def antigravity(drift):
    number = iter(range(100))
    step = lambda source, kind, second, **rest: {"step_index": next(number), "source": source, "type": kind, "status": rest.pop("status", "DONE"), "created_at": at(second), **rest}
    call = lambda name, **args: {"name": name, "args": {key: dumps(value) for key, value in args.items()}}
    records = [
        step("USER_EXPLICIT", "USER_INPUT", 0, content=f"<USER_REQUEST>\n{ASKED[0]}\n</USER_REQUEST>"),
        step("MODEL", "PLANNER_RESPONSE", 1, thinking="Write it.", content=SAID[0], tool_calls=[call("write_to_file", TargetFile=FILE["name"], CodeContent=ADD)]),
        step("MODEL", "CODE_ACTION", 2, content="Created the file."),
        step("USER_EXPLICIT", "USER_INPUT", 3, content=f"<USER_REQUEST>\n{ASKED[1]}\n</USER_REQUEST>"),
        step("MODEL", "PLANNER_RESPONSE", 4, content=SAID[2], tool_calls=[
            call("replace_file_content", TargetFile=FILE["name"], TargetContent=ADD, ReplacementContent=DIV), call("run_command", CommandLine=RUN, Cwd=ROOT)]),
        step("MODEL", "CODE_ACTION", 5, content="Edited the file."),
        step("MODEL", "RUN_COMMAND", 6, status="ERROR", content="The command failed with exit code: 1.\nOutput:\n" + PRINTED),
        step("MODEL", "PLANNER_RESPONSE", 7, content=SAID[3]),
    ]
    if drift:
        records.append(step("MODEL", "UMPIRE", 9))
        records[1]["tool_calls"][0]["args"] = 4
    return {"antigravity.jsonl": lines(*records)}


def rigorbench(drift):
    action = lambda kind, **about: {"type": kind, "timestamp": at(0).rstrip("Z"), "metadata": about}
    actions = [
        action("plan_created", file="plan.md"),
        action("file_modified", file=FILE["name"]),
        action("test_written", file="test_calc.py"),
        action("test_executed", command=RUN),
        action("error_encountered", error="Created At: x Completed At: y " + PRINTED),
        action("recovery_attempted", triggered_by="error_encountered"),
    ]
    if drift:
        actions.append(action("umpire"))
        actions[0]["metadata"] = 4
    result = {"task_id": "task_001_calc", "agent_name": "Agent-Rigor", "rigor_enabled": True, "total_tokens": 0, "duration_seconds": 0,
              "phases": [{"name": "execution", "started_at": at(0).rstrip("Z"), "actions": actions}]}
    # What JSON writes is YAML too; the keys of the first level stand at the beginning of lines, as the tool writes them.
    return {"rigorbench.yaml": "".join(f"{key}: {dumps(value)}\n" for key, value in result.items())}


def grok(drift):
    call = lambda ident, name, arguments: {"id": ident, "name": name, "arguments": dumps(arguments)}
    text = lambda words: [{"type": "text", "text": words}]
    records = [
        {"type": "system", "content": "You are a coding agent."},
        {"type": "user", "content": text("<user_info></user_info>"), "synthetic_reason": "environment_context"},
        {"type": "user", "content": text(ASKED[0]), "prompt_index": 0},
        {"type": "assistant", "content": SAID[0], "tool_calls": [call("c1", "write_file", write_args())], "model_id": "made-model"},
        {"type": "tool_result", "tool_call_id": "c1", "content": "written"},
        {"type": "user", "content": text(ASKED[1]), "prompt_index": 1},
        {"type": "reasoning", "id": "r1", "summary": [{"type": "summary_text", "text": "Divide, then see."}], "status": "completed"},
        {"type": "assistant", "content": "", "tool_calls": [call("c2", "search_replace", edit_args()), call("c3", "bash", {"command": RUN})], "model_id": "made-model"},
        {"type": "tool_result", "tool_call_id": "c2", "content": "edited"},
        {"type": "tool_result", "tool_call_id": "c3", "content": PRINTED},
        {"type": "assistant", "content": SAID[3], "tool_calls": [], "model_id": "made-model"},
    ]
    if drift:
        records.append({"type": "umpire"})
        records[3]["content"] = 4
    summary = {"info": {"id": "made", "cwd": ROOT}, "session_summary": "tinycalc", "created_at": at(0), "current_model_id": "made-model"}
    return {"grok/chat_history.jsonl": lines(*records), "grok/summary.json": document(summary)}


def cline(drift):
    tag = lambda name, **fields: f"<{name}>\n" + "".join(f"<{key}>{value}</{key}>\n" for key, value in fields.items()) + f"</{name}>"
    text = lambda *words: [{"type": "text", "text": it} for it in words]
    blocks = f"\n<<<<<<< SEARCH\n{ADD}=======\n{DIV}>>>>>>> REPLACE\n"
    all_messages = [
        {"role": "user", "content": text(f"<task>\n{ASKED[0]}\n</task>", "<environment_details>\nnone\n</environment_details>"), "ts": at(0, "ms")},
        {"role": "assistant", "content": text(SAID[0] + "\n\n" + tag("write_to_file", path="calc.py", content="\n" + ADD)), "ts": at(2, "ms")},
        {"role": "user", "content": text("[write_to_file for 'calc.py'] Result:", "The content was saved."), "ts": at(3, "ms")},
        {"role": "assistant", "content": text(tag("attempt_completion", result=SAID[1])), "ts": at(4, "ms")},
        {"role": "user", "content": text("[attempt_completion] Result:", f"<feedback>\n{ASKED[1]}\n</feedback>"), "ts": at(5, "ms")},
        {"role": "assistant", "content": text(tag("replace_in_file", path="calc.py", diff=blocks)), "ts": at(6, "ms")},
        {"role": "user", "content": text("[replace_in_file for 'calc.py'] Result:", "The content was saved."), "ts": at(7, "ms")},
        {"role": "assistant", "content": text(tag("execute_command", command=RUN)), "ts": at(8, "ms")},
        {"role": "user", "content": text(f"[execute_command for '{RUN}'] Result:", "Command failed with exit code 1\n" + PRINTED), "ts": at(9, "ms")},
    ]
    if drift:
        all_messages[1]["content"].append({"type": "umpire"})
        all_messages[2]["ts"] = "late"
    price = lambda second: {"ts": at(second, "ms"), "type": "say", "say": "api_req_started", "text": dumps({"tokensIn": 90, "tokensOut": 20, "cacheReads": 10, "cacheWrites": 0, "cost": 0.01})}
    shown = [{"ts": at(0, "ms"), "type": "say", "say": "task", "text": ASKED[0]}, price(1), price(6)]
    return {"cline/api_conversation_history.json": document(all_messages), "cline/ui_messages.json": document(shown)}


def goose(drift):
    request = lambda ident, name, arguments: {"type": "toolRequest", "id": ident, "toolCall": {"status": "success", "value": {"name": name, "arguments": arguments}}}
    response = lambda ident, text, status="success": {"type": "toolResponse", "id": ident, "toolResult": {"status": status, "value": [{"type": "text", "text": text}]} if status == "success" else {"status": status, "error": text}}
    text = lambda words: {"type": "text", "text": words}
    message = lambda role, second, *content: {"role": role, "created": int(at(second, "s")), "content": list(content)}
    records = [
        {"working_dir": ROOT, "description": "tinycalc", "message_count": 8, "total_tokens": 240, "input_tokens": 200, "output_tokens": 40},
        message("user", 0, text(ASKED[0])),
        message("assistant", 1, text(SAID[0]), request("c1", "developer__text_editor", {"command": "write", "path": f"{ROOT}/calc.py", "file_text": ADD})),
        message("user", 2, response("c1", "written")),
        message("user", 3, text(ASKED[1])),
        message("assistant", 4, request("c2", "developer__text_editor", {"command": "str_replace", "path": f"{ROOT}/calc.py", "old_str": ADD, "new_str": DIV}), request("c3", "developer__shell", {"command": RUN})),
        message("user", 5, response("c2", "edited"), response("c3", PRINTED, "error")),
        message("assistant", 6, text(SAID[3])),
    ]
    if drift:
        records.append(message("assistant", 9, {"type": "umpire"}))
    return {"goose.jsonl": lines(*records)}


def aider(drift):
    block = lambda old, new: f"calc.py\n```python\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n"
    text = (
        "\n# aider chat started at 2026-09-21 14:13:20\n\n> Aider v0.86.1  \n> Main model: made/model with diff edit format  \n> Git repo: .git with 1 files  \n\n"
        f"#### {ASKED[0]}  \n\n{SAID[0]}\n\n{block('', ADD)}\n> Tokens: 1.2k sent, 250 received. Cost: $0.01 message, $0.01 session.  \n> Applied edit to calc.py  \n\n"
        f"#### {ASKED[1]}  \n\n{SAID[2]}\n\n{block(ADD, DIV)}\n> Tokens: 1.4k sent, 200 received. Cost: $0.01 message, $0.02 session.  \n> Applied edit to calc.py  \n"
    )
    return {} if drift else {"aider.chat.history.md": text}


def specstory(drift):
    heading = lambda who, second: f"_**{who} ({'' if who == 'User' else 'made-model '}{at(second)[:19].replace('T', ' ')}Z)**_\n\n"
    fence = lambda language, text: f"```{language}\n{text}```\n"
    tool = lambda kind, name, second, *parts: heading("Agent", second) + f'<tool-use data-tool-type="{kind}" data-tool-name="{name}"><details>\n<summary>Tool use: **{name}**</summary>\n\n' + "\n".join(parts) + "</details></tool-use>\n\n"
    text = (
        "<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n# Create a package\n\n<!-- Claude Code Session 5c7d5c23 (2026-09-21 14:13:20Z) -->\n\n"
        + heading("User", 0) + ASKED[0] + "\n\n---\n\n"
        + heading("Agent", 1) + SAID[0] + "\n\n"
        + tool("write", "Write", 2, fence("python", ADD), fence("text", f"File created successfully at: {FILE['name']}\n"))
        + heading("Agent", 3) + SAID[1] + "\n\n---\n\n"
        + heading("User", 4) + ASKED[1] + "\n\n---\n\n"
        + heading("Agent", 5) + "<think><details><summary>Thought Process</summary>\nWhat of zero?\n</details></think>\n\n"
        + tool("write", "Edit", 6, fence("text", f"The file {FILE['name']} has been updated successfully.\n"))
        + tool("shell", "Bash", 7, f"`{RUN}`\n", fence("text", PRINTED))
        + heading("Agent", 8) + SAID[3] + "\n\n---\n"
    )
    return {} if drift else {".specstory/history/2026-09-21_14-13-20Z-create-a-package.md": text}


def git_ai(drift):
    said = lambda kind, text, second: {"type": kind, "text": text, "timestamp": at(second)}
    tool = lambda name, arguments: {"type": "tool_use", "name": name, "input": arguments}
    commit = lambda ident, second, subject, lines, *messages: {"commit": ident * 20, "time": at(second), "subject": subject, "lines": [f"calc.py {lines}"], "messages": list(messages)}
    commits = [
        commit("1a", 3, "add", "1-2", said("user", ASKED[0], 0), said("assistant", SAID[0], 1), tool("write_file", write_args())),
        commit("2b", 8, "div", "5-6", said("user", ASKED[1], 4), tool("edit_file", edit_args()), tool("bash", {"command": RUN}), said("assistant", SAID[3], 7)),
    ]
    if drift:
        commits[1]["messages"].append({"type": "umpire", "text": 4})
    return {"git-ai.json": document({"git_ai": {"tool": "made-agent", "id": "made", "model": "made/model"}, "id": "made", "human_author": "nobody", "commits": commits})}


def openhands(drift):
    ident = iter(range(100))
    usage = {"id": "r", "usage": {"prompt_tokens": 100, "completion_tokens": 20}}
    event = lambda source, second, **rest: {"id": next(ident), "timestamp": at(second)[:-1], "source": source, **rest}
    def acted(second, action, seen, **args):
        own = event("agent", second, action=action, args=args, message="", llm_metrics={"accumulated_cost": second / 100}, tool_call_metadata={"tool_call_id": f"c{second}", "model_response": {**usage, "id": f"r{second}"}})
        return [own, event("agent", second + 1, observation=action, cause=own["id"], content=seen.pop("content"), message="", extras=seen)]
    records = [
        event("agent", 0, action="system", args={"content": "You are a coding agent."}, message="x"),
        event("user", 0, action="message", args={"content": f"<uploaded_files>\n{ROOT}\n</uploaded_files>\n{ASKED[0]}"}, message="x"),
        *acted(1, "edit", {"content": "File created", "path": f"{ROOT}/calc.py", "prev_exist": False, "old_content": None, "new_content": ADD}, path=f"{ROOT}/calc.py", command="create", file_text=ADD, thought=SAID[0]),
        event("user", 3, action="message", args={"content": ASKED[1]}, message="x"),
        *acted(4, "edit", {"content": "The file has been edited.", "path": f"{ROOT}/calc.py", "prev_exist": True, "old_content": ADD, "new_content": DIV}, path=f"{ROOT}/calc.py", command="str_replace", old_str=ADD, new_str=DIV),
        *acted(6, "run", {"content": PRINTED, "metadata": {"exit_code": 1, "working_dir": ROOT}}, command=RUN),
        event("agent", 8, action="finish", args={"final_thought": SAID[3]}, message="x"),
    ]
    if drift:
        records.append(event("agent", 9, message="x"))
        records[3]["extras"] = 4
    return {"openhands.trajectory.json": document(records)}


def openhands_v1(drift):
    ident = iter(range(1, 100))
    event = lambda kind, source, second, **rest: {"id": f"e{next(ident)}", "timestamp": at(second)[:-1], "source": source, **rest, "kind": kind}
    def acted(second, name, given, seen):
        call = f"c{second}"
        own = event("ActionEvent", "agent", second, thought=[{"type": "text", "text": seen.pop("said", "")}], action=given, tool_name=name, tool_call_id=call,
                    tool_call={"id": call, "name": name, "arguments": dumps(given)}, llm_response_id=f"r{second}")
        return [own, event("ObservationEvent", "environment", second + 1, tool_name=name, tool_call_id=call, action_id=own["id"], observation=seen)]
    text = lambda words: [{"type": "text", "text": words}]
    stats = lambda second, count: event("ConversationStateUpdateEvent", "environment", second, key="stats", value={"usage_to_metrics": {"default": {
        "accumulated_cost": count / 10000, "accumulated_token_usage": {"prompt_tokens": count, "completion_tokens": count // 5, "cache_read_tokens": 10, "reasoning_tokens": 0}}}})
    records = [
        event("SystemPromptEvent", "agent", 0, system_prompt={"type": "text", "text": "You are a coding agent."}),
        event("MessageEvent", "user", 0, llm_message={"role": "user", "content": text(ASKED[0])}),
        *acted(1, "file_editor", {"command": "create", "path": FILE["name"], "file_text": ADD, "kind": "FileEditorAction"},
               {"said": SAID[0], "content": text("created"), "is_error": False, "command": "create", "path": FILE["name"], "prev_exist": False, "old_content": None, "new_content": ADD, "kind": "FileEditorObservation"}),
        stats(2, 100),
        event("MessageEvent", "user", 3, llm_message={"role": "user", "content": text(ASKED[1])}),
        *acted(4, "file_editor", {"command": "str_replace", "path": FILE["name"], "old_str": ADD, "new_str": DIV, "kind": "FileEditorAction"},
               {"content": text("edited"), "is_error": False, "command": "str_replace", "path": FILE["name"], "prev_exist": True, "old_content": ADD, "new_content": DIV, "kind": "FileEditorObservation"}),
        *acted(6, "terminal", {"command": RUN, "is_input": False, "kind": "TerminalAction"}, {"content": text(PRINTED), "is_error": False, "exit_code": 1, "command": RUN, "kind": "TerminalObservation"}),
        event("MessageEvent", "agent", 8, llm_message={"role": "assistant", "content": text(SAID[3])}),
        stats(8, 250),
    ]
    if drift:
        records.append(event("UmpireEvent", "agent", 9))
        records[3]["observation"] = 4
    return {"openhands-v1.jsonl": lines(*records)}


def sample_of_inspect(drift):
    all_messages = []
    for number, it in enumerate(chat_messages()):
        message = {"id": f"m{number}", **it}
        if it["role"] == "user":
            message["source"] = "input" if number < 3 else "operator"
        for call in message.pop("tool_calls", []):
            function = call["function"]
            message.setdefault("tool_calls", []).append({"id": call["id"], "function": function["name"], "arguments": json.loads(function["arguments"])})
        all_messages.append(message)
    all_messages[3]["content"] = "attachment://0f"
    if drift:
        all_messages.append({"id": "x", "role": "umpire"})
    answered = lambda ident, second: {"event": "model", "timestamp": at(second), "completed": at(second + 1), "output": {"choices": [{"message": {"id": ident}}], "usage": {"input_tokens": 90, "output_tokens": 20, "input_tokens_cache_read": 10}}}
    return {"id": "tinycalc", "epoch": 1, "input": ASKED[0], "target": "", "messages": all_messages, "output": {"model": "made/model"}, "scores": {"check": {"value": "I"}},
            "model_usage": {"made/model": {"input_tokens": 180, "output_tokens": 40, "input_tokens_cache_read": 20}}, "events": [answered("m2", 1), answered("m6", 5)], "attachments": {"0f": "written"}}


def otel(drift):
    value = lambda it: {"stringValue": it} if isinstance(it, str) else {"intValue": str(it)}
    number = iter(range(1, 100))
    def span(name, operation, second, **attributes):
        own = {"gen_ai.operation.name": operation, **{"gen_ai." + key.replace("__", "."): it for key, it in attributes.items()}}
        return {"traceId": "t1", "spanId": f"s{next(number)}", "parentSpanId": "", "name": name, "startTimeUnixNano": str(at(second, "ms") * 10**6), "endTimeUnixNano": str(at(second + 1, "ms") * 10**6),
                "attributes": [{"key": key, "value": value(it)} for key, it in own.items()]}
    asked = lambda text: dumps([{"role": "user", "parts": [{"type": "text", "content": text}]}])
    said = lambda *parts: dumps([{"role": "assistant", "parts": list(parts)}])
    text = lambda words: {"type": "text", "content": words}
    call = lambda ident, name, arguments: {"type": "tool_call", "id": ident, "name": name, "arguments": arguments}
    chat = lambda second, asks, *parts: span("chat made-model", "chat", second, conversation__id="made", request__model="made-model", usage__input_tokens=100, usage__output_tokens=20, input__messages=asks, output__messages=said(*parts))
    tool = lambda second, ident, name, arguments, result: span("execute_tool " + name, "execute_tool", second, tool__name=name, tool__call__id=ident, tool__call__arguments=dumps(arguments), tool__call__result=result)
    spans = [
        span("invoke_agent made", "invoke_agent", 0, agent__name="made-agent", conversation__id="made", input__messages=asked(ASKED[0])),
        chat(1, asked(ASKED[0]), text(SAID[0]), call("c1", "write_file", write_args())),
        tool(2, "c1", "write_file", write_args(), "written"),
        chat(4, asked(ASKED[1]), call("c2", "edit_file", edit_args()), call("c3", "bash", {"command": RUN})),
        tool(5, "c2", "edit_file", edit_args(), "edited"),
        tool(6, "c3", "bash", {"command": RUN}, PRINTED + "Exit code: 1"),
        chat(7, dumps([{"role": "tool", "parts": []}]), text(SAID[3])),
    ]
    if drift:
        spans.append(chat(8, "4", {"type": "umpire"}))
    return {"otel.json": document({"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"scope": {"name": "made"}, "spans": spans}]}]})}


def otel_value(it):
    """A value in OTLP: a text, a number, a list or a record."""
    if isinstance(it, bool):
        return {"boolValue": it}
    if isinstance(it, int):
        return {"intValue": str(it)}
    if isinstance(it, float):
        return {"doubleValue": it}
    if isinstance(it, list):
        return {"arrayValue": {"values": [otel_value(one) for one in it]}}
    if isinstance(it, dict):
        return {"kvlistValue": {"values": otel_pairs(it)}}
    return {"stringValue": it}


def otel_pairs(fields):
    return [{"key": key, "value": otel_value(it)} for key, it in fields.items()]


TRACE = "5b8efff798038103d269b633813fc60c"
NANOS = lambda second: str(at(second, "ms") * 10**6)
# The conversation as calls of the model: what it is asked, what it says, and its tool calls with their results.
EXCHANGES = [
    (1, ASKED[0], SAID[0], [("c1", "write_file", write_args, "written")]),
    (4, ASKED[1], "", [("c2", "edit_file", edit_args, "edited"), ("c3", "bash", lambda: {"command": RUN}, PRINTED + "Exit code: 1")]),
    (7, None, SAID[3], []),
]


def otel_story(chat, tool, agent=None):
    """Makes the spans of the story: each call of a model, then its tools. A request's results are those of the exchange before."""
    spans, results = ([agent()] if agent else []), []
    for second, asked, said, calls in EXCHANGES:
        called = [(ident, name, arguments()) for ident, name, arguments, _ in calls]
        spans.append(chat(second, asked, results, said, called))
        results = [(ident, result) for ident, _, _, result in calls]
        spans += [tool(second + number, name, ident, arguments, result) for number, ((ident, name, arguments), (_, result)) in enumerate(zip(called, results), 1)]
    return spans


def otlp_span(name, second, attributes, events=(), number=iter(range(1, 1000)), parent=None, kind=3):
    own = {"traceId": TRACE, "spanId": f"{next(number):016x}", "flags": 257, "name": name, "kind": kind, "startTimeUnixNano": NANOS(second), "endTimeUnixNano": NANOS(second + 1),
           "attributes": otel_pairs(attributes), "status": {}}
    own.update({"parentSpanId": parent} if parent else {})
    own.update({"events": list(events)} if events else {})
    return own


def otlp_request(spans):
    resource = {"attributes": otel_pairs({"service.name": "made", "telemetry.sdk.language": "python", "telemetry.sdk.name": "opentelemetry"})}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "made.instrumentation", "version": "0.1.0"}, "spans": spans}]}]}


def otlp_logs(records):
    return {"resourceLogs": [{"resource": {"attributes": otel_pairs({"service.name": "made"})}, "scopeLogs": [{"scope": {"name": "made.instrumentation"}, "logRecords": records}]}]}


def gen_ai_chat(asked, results, said, calls):
    """The messages of the conventions from 1.37 on."""
    asking = [{"type": "tool_call_response", "id": ident, "response": text} for ident, text in results]
    role = "tool" if asked is None else "user"
    parts = asking if asked is None else [{"type": "text", "content": asked}]
    said = [{"type": "text", "content": said}] if said else []
    called = [{"type": "tool_call", "id": ident, "name": name, "arguments": arguments} for ident, name, arguments in calls]
    finish = "tool_call" if calls else "stop"
    return {"gen_ai.input.messages": [{"role": role, "parts": parts}], "gen_ai.output.messages": [{"role": "assistant", "parts": said + called, "finish_reason": finish}]}


def gen_ai_facts(operation="chat", **more):
    return {"gen_ai.operation.name": operation, "gen_ai.provider.name": "made", "gen_ai.conversation.id": "made", **more}


CHAT_FACTS = {"gen_ai.request.model": "made-model", "gen_ai.response.model": "made-model", "gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 20}


def gen_ai_tool(second, name, ident, arguments, result, **more):
    facts = {"gen_ai.tool.name": name, "gen_ai.tool.call.id": ident, "gen_ai.tool.type": "function", "gen_ai.tool.call.arguments": dumps(arguments), "gen_ai.tool.call.result": result}
    return otlp_span("execute_tool " + name, second, gen_ai_facts("execute_tool", **facts), kind=1, **more)


def otel_shapes(drift):
    if drift:
        return {}
    shapes = {
        "collector.jsonl": otel_collector(), "sdk.jsonl": otel_sdk(), "log-records.jsonl": otel_log_records(), "message-events.json": otel_message_events(),
        "openinference.jsonl": otel_openinference(), "openllmetry.json": otel_openllmetry(), "logfire.json": otel_logfire(), "schema-names.json": otel_schema_names(),
    }
    provenance = "Made, not recorded: make.py in the folder above writes them. The same session in each shape, after the public conventions of OpenTelemetry, OpenInference, OpenLLMetry and Logfire.\n"
    return {"otel-shapes/provenance.txt": provenance, **{f"otel-shapes/{name}": text for name, text in shapes.items()}}


def otel_collector():
    """Requests as lines, as the file exporter of the collector writes them: spans in the order in which they end."""
    number = iter(range(1, 100))
    texts = lambda lists: {key: dumps(value) for key, value in lists.items()}
    chat = lambda second, *exchange: otlp_span("chat made-model", second, gen_ai_facts(**CHAT_FACTS, **texts(gen_ai_chat(*exchange))), number=number, parent="00000000000000aa")
    tool = lambda *call: gen_ai_tool(*call, number=number, parent="00000000000000aa")
    agent = {**otlp_span("invoke_agent made", 0, gen_ai_facts("invoke_agent", **{"gen_ai.agent.name": "made-agent"}), number=number, kind=1), "spanId": "00000000000000aa", "endTimeUnixNano": NANOS(8)}
    return lines(*(otlp_request([span]) for span in otel_story(chat, tool)), otlp_request([agent]))


def otel_sdk():
    """Spans as lines, as an SDK writes them to a console or a file."""
    number = iter(range(1, 100))
    def span(name, second, attributes):
        context = {"trace_id": "0x" + TRACE, "span_id": f"0x{next(number):016x}", "trace_state": "[]"}
        return {"name": name, "context": context, "kind": "SpanKind.CLIENT", "parent_id": None, "start_time": at(second), "end_time": at(second + 1), "status": {"status_code": "UNSET"},
                "attributes": attributes, "events": [], "links": [], "resource": {"attributes": {"service.name": "made"}, "schema_url": ""}}
    texts = lambda lists: {key: dumps(value) for key, value in lists.items()}
    chat = lambda second, *exchange: span("chat made-model", second, gen_ai_facts(**CHAT_FACTS, **texts(gen_ai_chat(*exchange))))
    def tool(second, name, ident, arguments, result):
        facts = {"gen_ai.tool.name": name, "gen_ai.tool.call.id": ident, "gen_ai.tool.call.arguments": dumps(arguments), "gen_ai.tool.call.result": result}
        return span("execute_tool " + name, second, gen_ai_facts("execute_tool", **facts))
    return lines(*otel_story(chat, tool))


def otel_log_records():
    """Messages apart from the spans: log records `gen_ai.client.inference.operation.details`, and two evaluations."""
    number, records = iter(range(1, 100)), []
    def chat(second, *exchange):
        span = otlp_span("chat made-model", second, gen_ai_facts(**CHAT_FACTS), number=number)
        records.append({"timeUnixNano": NANOS(second), "traceId": TRACE, "spanId": span["spanId"], "eventName": "gen_ai.client.inference.operation.details",
                        "attributes": otel_pairs(gen_ai_facts(**CHAT_FACTS, **gen_ai_chat(*exchange)))})
        return span
    spans = otel_story(chat, lambda *call: gen_ai_tool(*call, number=number))
    def evaluation(second, name, value, label, explanation):
        fields = {"name": name, "score.value": value, "score.label": label, "explanation": explanation}
        return {"timeUnixNano": NANOS(second), "traceId": TRACE, "spanId": spans[-1]["spanId"], "eventName": "gen_ai.evaluation.result",
                "attributes": otel_pairs({f"gen_ai.evaluation.{key}": it for key, it in fields.items()})}
    records.append(evaluation(9, "tests", 1.0, "pass", "both functions are there"))
    records.append(evaluation(9, "relevance", 0.75, "relevant", "the zero is left to Python"))
    return lines(otlp_request(spans), otlp_logs(records))


def otel_message_events():
    """An event for each message, as the conventions have it up to version 1.36."""
    number, records = iter(range(1, 100)), []
    def record(second, span, name, body):
        records.append({"timeUnixNano": NANOS(second), "traceId": TRACE, "spanId": span["spanId"], "eventName": name, "attributes": otel_pairs({"gen_ai.system": "openai"}), "body": otel_value(body)})
    def chat(second, asked, results, said, calls):
        span = otlp_span("chat made-model", second, {"gen_ai.operation.name": "chat", "gen_ai.system": "openai", "gen_ai.conversation.id": "made", **CHAT_FACTS}, number=number)
        if asked is not None:
            record(second, span, "gen_ai.user.message", {"content": asked})
        for ident, text in results:
            record(second, span, "gen_ai.tool.message", {"id": ident, "content": text})
        message = {"role": "assistant", **({"content": said} if said else {}), **({"tool_calls": [openai(name, arguments, ident) for ident, name, arguments in calls]} if calls else {})}
        record(second, span, "gen_ai.choice", {"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message})
        return span
    spans = otel_story(chat, lambda *call: None)
    return document({**otlp_request([span for span in spans if span]), **otlp_logs(records)})


def otel_openinference():
    """An attribute for each field of each message, as OpenInference has it."""
    number = iter(range(1, 100))
    def span(name, kind, second, attributes):
        return {"name": name, "context": {"trace_id": TRACE, "span_id": f"{next(number):016x}"}, "span_kind": kind, "parent_id": None, "start_time": at(second), "end_time": at(second + 1),
                "status_code": "OK", "status_message": "", "attributes": {"openinference.span.kind": kind, "session.id": "made", **attributes}, "events": []}
    def chat(second, asked, results, said, calls):
        incoming = [{"role": "user", "content": asked}] if asked is not None else [{"role": "tool", "tool_call_id": ident, "content": text} for ident, text in results]
        facts = {f"llm.input_messages.{at}.message.{key}": it for at, message in enumerate(incoming) for key, it in message.items()}
        facts["llm.output_messages.0.message.role"] = "assistant"
        facts.update({"llm.output_messages.0.message.content": said} if said else {})
        for at_call, (ident, name, arguments) in enumerate(calls):
            prefix = f"llm.output_messages.0.message.tool_calls.{at_call}.tool_call."
            facts.update({prefix + "id": ident, prefix + "function.name": name, prefix + "function.arguments": dumps(arguments)})
        return span("ChatCompletion", "LLM", second, {"llm.model_name": "made-model", "llm.token_count.prompt": 100, "llm.token_count.completion": 20, **facts})
    tool = lambda second, name, ident, arguments, result: span(name, "TOOL", second, {"tool.name": name, "tool_call.id": ident, "input.value": dumps(arguments), "input.mime_type": "application/json", "output.value": result})
    return lines(*otel_story(chat, tool))


def otel_openllmetry():
    """An attribute for each field of each message, as OpenLLMetry has it."""
    number = iter(range(1, 100))
    def chat(second, asked, results, said, calls):
        incoming = [{"role": "user", "content": asked}] if asked is not None else [{"role": "tool", "tool_call_id": ident, "content": text} for ident, text in results]
        facts = {f"gen_ai.prompt.{at}.{key}": it for at, message in enumerate(incoming) for key, it in message.items()}
        facts["gen_ai.completion.0.role"] = "assistant"
        facts.update({"gen_ai.completion.0.content": said} if said else {})
        for at_call, (ident, name, arguments) in enumerate(calls):
            prefix = f"gen_ai.completion.0.tool_calls.{at_call}."
            facts.update({prefix + "id": ident, prefix + "name": name, prefix + "arguments": dumps(arguments)})
        usage = {"gen_ai.request.model": "made-model", "gen_ai.response.model": "made-model", "gen_ai.usage.prompt_tokens": 100, "gen_ai.usage.completion_tokens": 20}
        return otlp_span("openai.chat", second, {"llm.request.type": "chat", "gen_ai.system": "openai", "traceloop.association.properties.session_id": "made", **usage, **facts}, number=number)
    def tool(second, name, ident, arguments, result):
        facts = {"traceloop.span.kind": "tool", "traceloop.entity.name": name, "traceloop.entity.input": dumps(arguments), "traceloop.entity.output": result, "tool.id": ident}
        return otlp_span(name + ".tool", second, facts, number=number, kind=1)
    return document(otlp_request(otel_story(chat, tool)))


def otel_logfire():
    """All messages of a response in one attribute, as Logfire and Pydantic AI have it."""
    number = iter(range(1, 100))
    def chat(second, asked, results, said, calls):
        events = [{"event.name": "gen_ai.user.message", "content": asked, "role": "user"}] if asked is not None else [{"event.name": "gen_ai.tool.message", "content": text, "role": "tool", "id": ident} for ident, text in results]
        message = {"role": "assistant", **({"content": said} if said else {}), **({"tool_calls": [openai(name, arguments, ident) for ident, name, arguments in calls]} if calls else {})}
        events.append({"event.name": "gen_ai.choice", "index": 0, "message": message})
        return otlp_span("chat made-model", second, {"gen_ai.operation.name": "chat", "gen_ai.system": "openai", "gen_ai.conversation.id": "made", **CHAT_FACTS, "events": dumps(events)}, number=number)
    return document(otlp_request(otel_story(chat, lambda *call: gen_ai_tool(*call, number=number))))


def otel_schema_names():
    """OTLP with the names of the schema, as a decoder of its bytes may leave them."""
    renamed = {"resourceSpans": "resource_spans", "scopeSpans": "scope_spans", "traceId": "trace_id", "spanId": "span_id", "parentSpanId": "parent_span_id", "startTimeUnixNano": "start_time_unix_nano",
               "endTimeUnixNano": "end_time_unix_nano", "stringValue": "string_value", "intValue": "int_value", "arrayValue": "array_value", "kvlistValue": "kvlist_value"}
    number = iter(range(1, 100))
    chat = lambda second, *exchange: otlp_span("chat made-model", second, gen_ai_facts(**CHAT_FACTS, **gen_ai_chat(*exchange)), number=number)
    text = document(otlp_request(otel_story(chat, lambda *call: gen_ai_tool(*call, number=number))))
    for name, other in renamed.items():
        text = text.replace(f'"{name}"', f'"{other}"')
    return text


def copilot_chat(drift):
    result = lambda text: {"content": [{"$mid": 21, "value": text}]}
    call = lambda ident, name, arguments: {"id": ident, "name": name, "arguments": dumps(arguments)}
    rounds = lambda said, calls, last: [{"response": said, "toolCalls": calls, "timestamp": at(1, "ms")}, {"response": last, "toolCalls": []}]
    uri = {"$mid": 1, "fsPath": FILE["name"], "path": FILE["name"], "scheme": "file"}
    def asked(number, second, words, said, calls, results, last, **rest):
        return {"requestId": f"request_{number}", "timestamp": at(second, "ms"), "message": {"text": words, "parts": []}, "variableData": {"variables": []},
                "modelId": "copilot/made-model", "agent": {"id": "github.copilot.editsAgent"}, "promptTokens": 100, "completionTokens": 20,
                "response": [{"value": said}, {"kind": "textEditGroup", "uri": uri, "edits": [], "done": True}, {"value": last}],
                "result": {"timings": {"totalElapsed": 2000}, "metadata": {"toolCallRounds": rounds(said, calls, last), "toolCallResults": results}}, **rest}
    first = asked(1, 0, ASKED[0], SAID[0], [call("c1", "create_file", write_args(path="filePath"))], {"c1": result("written")}, SAID[1])
    second = asked(2, 4, ASKED[1], SAID[2], [
        call("c2", "replace_string_in_file", edit_args(path="filePath", old="oldString", new="newString")), call("c3", "run_in_terminal", {"command": RUN})],
        {"c2": result("edited"), "c3": result(PRINTED + "Command exited with code 1")}, SAID[3])
    undone = asked(3, 8, "Never mind.", "Well.", [], {}, "Well.", shouldBeRemovedOnSend={})
    late = second.pop("result")
    changes = [
        {"kind": 0, "v": {"version": 3, "creationDate": at(0, "ms"), "customTitle": "tinycalc", "initialLocation": "panel", "responderUsername": "GitHub Copilot", "sessionId": "made", "requests": [first]}},
        {"kind": 2, "k": ["requests"], "v": [{**second, "response": []}]},
        {"kind": 2, "k": ["requests", 1, "response"], "v": [{"value": "I'll add"}]},
        {"kind": 2, "k": ["requests", 1, "response"], "i": 0, "v": second["response"]},
        {"kind": 1, "k": ["requests", 1, "result"], "v": late},
        {"kind": 2, "k": ["requests"], "v": [undone]},
    ]
    if drift:
        changes.append({"kind": 7, "k": ["requests", 1], "v": "umpire"})
        changes.append({"kind": 1, "k": ["requests", 0, "variableData"], "v": 3})
    return {"copilot-chat/chatSessions/made.jsonl": lines(*changes), "copilot-chat/workspace.json": document({"folder": f"file://{ROOT}"})}


def claude_web(drift):
    ident = lambda number: f"00000000-0000-4000-8000-00000000000{number}"
    timed = lambda block, second: {"start_timestamp": at(second), "stop_timestamp": at(second + 1), **block}
    text = lambda words, second: timed({"type": "text", "text": words, "citations": []}, second)
    use = lambda name, given, call, second: timed({"type": "tool_use", "id": call, "name": name, "input": given, "message": name}, second)
    seen = lambda name, call, words, second, failed=False: timed({"type": "tool_result", "tool_use_id": call, "name": name, "content": [{"type": "text", "text": words}], "is_error": failed}, second)
    message = lambda number, parent, sender, second, *blocks: {"uuid": ident(number), "text": "", "content": list(blocks), "sender": sender, "created_at": at(second),
                                                                "updated_at": at(second), "attachments": [], "files": [], "parent_message_uuid": ident(parent)}
    all_messages = [
        message(1, 0, "human", 0, text(ASKED[0], 0)),
        message(2, 1, "assistant", 1, text(SAID[0], 1), use("create_file", write_args(path="path", text="file_text"), "c1", 1), seen("create_file", "c1", "written", 2), text(SAID[1], 2)),
        message(3, 2, "human", 4, text("A branch that was left.", 4)),
        message(4, 2, "human", 5, text(ASKED[1], 5)),
        message(5, 4, "assistant", 6, timed({"type": "thinking", "thinking": "Divide, then see.", "summaries": []}, 6), text(SAID[2], 6),
                use("str_replace", edit_args(path="path", old="old_str", new="new_str"), "c2", 6), seen("str_replace", "c2", "edited", 7),
                use("bash_tool", {"command": RUN}, "c3", 7), seen("bash_tool", "c3", PRINTED, 8, True), text(SAID[3], 8)),
    ]
    if drift:
        all_messages[1]["content"].append({"type": "umpire"})
        all_messages[2]["attachments"] = 4
    return {"claude-web.json": document([{"uuid": "made", "name": "tinycalc", "created_at": at(0), "updated_at": at(8), "account": {"uuid": "made"}, "chat_messages": all_messages}])}


def continue_dev(drift):
    calls = lambda *calls: [{"id": call, "type": "function", "function": {"name": name, "arguments": dumps(given)}} for call, name, given in calls]
    state = lambda call, status, text: {"toolCallId": call["id"], "toolCall": call, "status": status, "parsedArgs": {}, "output": [{"name": "Output", "description": "", "content": text}]}
    item = lambda role, content, **rest: {"message": {"role": role, "content": content, **rest.pop("message", {})}, "contextItems": [], **rest}
    used = {"usage": {"promptTokens": 100, "completionTokens": 20, "promptTokensDetails": {"cachedTokens": 10}}}
    first = calls(("c1", "create_new_file", write_args(path="filepath", text="contents")))
    second = calls(("c2", "single_find_and_replace", edit_args(path="filepath")), ("c3", "run_terminal_command", {"command": RUN}))
    history = [
        item("user", ASKED[0], editorState={}),
        item("assistant", SAID[0], message={"toolCalls": first, **used}, toolCallStates=[state(first[0], "done", "written")], promptLogs=[{"modelTitle": "made-model", "prompt": "", "completion": ""}]),
        item("assistant", SAID[1], message=used),
        item("user", [{"type": "text", "text": ASKED[1]}]),
        item("assistant", SAID[2], message={"toolCalls": second, **used}, toolCallStates=[state(second[0], "done", "edited"), state(second[1], "errored", PRINTED)], reasoning={"active": False, "text": "Divide, then see.", "startAt": at(4, "ms")}),
        item("assistant", SAID[3], message=used),
    ]
    if drift:
        history.insert(3, {"message": {"role": "umpire"}})
        history[1]["toolCallStates"] = 3
    return {"continue.json": document({"sessionId": "made", "title": "tinycalc", "workspaceDirectory": f"file://{ROOT}", "history": history})}


def iflow(drift):
    records = []
    for number, it in enumerate(anthropic_messages("write_file", "replace", "run_shell_command")):
        own = {"uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None, "sessionId": "session-0a000000-0000-4000-8000-000000000000", "timestamp": at(number), "type": it["role"], "isSidechain": False, "userType": "external"}
        message = {"role": it["role"], "content": it["content"]}
        if it["role"] == "assistant":
            message.update({"id": f"m{number}", "type": "message", "model": "made-model", "stop_reason": None, "usage": {"input_tokens": 100, "output_tokens": 20}})
        else:
            own.update({"cwd": ROOT, "gitBranch": None, "version": "1.0.0"})
        for block in it["content"]:
            if block["type"] == "tool_result":
                text, failed, call = block["content"], block.pop("is_error"), block["tool_use_id"]
                response = {"functionResponse": {"id": call, "name": "made", "response": {"error" if failed else "output": text}}}
                block["content"] = {"callId": call, "responseParts": response, "resultDisplay": text}
                own["toolUseResult"] = {"status": "error" if failed else "success", "timestamp": at(number, "ms"), "toolName": "made"}
        if len(it["content"]) > 1 and it["role"] == "user":
            own.pop("toolUseResult")
        records.append({**own, "message": message})
    if drift:
        records.append({"uuid": "u99", "parentUuid": "u7", "sessionId": "session-0a000000-0000-4000-8000-000000000000", "type": "umpire"})
        records[2]["toolUseResult"] = 3
    return {"iflow.jsonl": lines(*records)}


def dsh(drift):
    number = iter(range(100))
    event = lambda kind, second, **data: {"type": kind, "seq": next(number), "time": at(second, "ms"), "data": data}
    text = lambda words: [{"type": "text", "text": words}]
    asked = lambda second, words: event("user/message", second, id="u", role="user", content=text(words), source={"kind": "user"})
    said = lambda second, *content: event("assistant/message", second, turn=1, step=1, message={"role": "assistant", "content": list(content), "source": {"kind": "model", "provider": "made", "model": "made-model"}},
                                          usage={"inputTokens": 90, "outputTokens": 20, "cacheReadTokens": 10, "reasoningTokens": 5})
    use = lambda call, name, given: {"type": "tool-call", "toolCallId": call, "name": name, "arguments": dumps(given)}
    call = lambda second, ident, name, given: event("tool/call", second, turn=1, step=1, callId=ident, name=name, arguments=dumps(given))
    def seen(second, ident, words, failed=False):
        content = [{"type": "tool-result", "toolCallId": ident, "content": text(words), "isError": failed}]
        error = {"error": {"name": "ToolError", "code": "EXECUTION_FAILED"}} if failed else {}
        return event("tool/result", second, turn=1, step=1, message={"role": "user", "source": {"kind": "tool", "callId": ident}, "content": content}, **error)
    records = [
        {"type": "session", "version": 0, "id": "made", "createdAt": at(0, "ms"), "cwd": ROOT, "delegationDepth": 0},
        event("turn/start", 0, turn=1), asked(0, ASKED[0]), event("request/context", 0, provider="made", model="made-model"),
        event("assistant/chunk", 1, turn=1, step=1, chunk={"type": "usage", "usage": {"inputTokens": 90, "outputTokens": 20}}),
        said(1, *text(SAID[0]), use("c1", "write", write_args())), call(1, "c1", "write", write_args()), seen(2, "c1", "written"), said(2, *text(SAID[1])),
        event("turn/end", 3, turn=1, reason={"kind": "completed"}), asked(4, ASKED[1]),
        said(5, {"type": "reasoning", "text": "Divide, then see."}, *text(SAID[2])), call(5, "c2", "edit", edit_args()), call(5, "c3", "bash", {"command": RUN}),
        seen(6, "c2", "edited"), seen(7, "c3", PRINTED, True), said(8, *text(SAID[3])), event("session/title", 8, title="tinycalc"),
        event("compaction/summary", 9, compactionId="k", summary=text("tinycalc has add and div.")),
    ]
    if drift:
        records.append(event("umpire/said", 9))
        records[5]["data"]["usage"] = []
    return {"dsh.jsonl": lines(*records)}


def kiro(drift):
    prompt = lambda words: {"Prompt": {"prompt": words}}
    results = lambda *results: {"ToolUseResults": {"tool_use_results": [{"tool_use_id": call, "content": content, "status": status} for call, content, status in results]}}
    uses = lambda words, *calls: {"ToolUse": {"message_id": "m", "content": words, "tool_uses": [{"id": call, "name": name, "args": given} for call, name, given in calls]}}
    said = lambda words: {"Response": {"message_id": "m", "content": words}}
    def turn(second, content, assistant):
        user = {"env_context": {"env_state": {"current_working_directory": ROOT}}, "content": content, "timestamp": at(second)}
        return {"user": user, "assistant": assistant, "request_metadata": {"model_id": "made-model", "stream_end_timestamp_ms": at(second + 1, "ms")}}
    history = [
        turn(0, prompt(ASKED[0]), uses(SAID[0], ("c1", "fs_write", {"command": "create", "path": FILE["name"], "file_text": ADD}))),
        turn(2, results(("c1", [{"Text": "written"}], "Success")), said(SAID[1])),
        turn(4, prompt(ASKED[1]), uses(SAID[2], ("c2", "fs_write", {"command": "str_replace", "path": FILE["name"], "old_str": ADD, "new_str": DIV}), ("c3", "execute_bash", {"command": RUN}))),
        turn(6, results(("c2", [{"Text": "edited"}], "Success"), ("c3", [{"Json": {"exit_status": "1", "stdout": "", "stderr": PRINTED}}], "Success")), said(SAID[3])),
    ]
    if drift:
        history.append({"umpire": 1})
        history[1]["request_metadata"] = 3
    return {"kiro.json": document({"conversation_id": "made", "history": history, "model_info": {"model_id": "made-model"}})}


NO_FOLDER = [specstory, rigorbench, messages, gemini_stream, cursor, antigravity, openhands_v1, otel, otel_shapes, claude_web]
ALL = [messages, mini, swe_agent, atif, gemini, gemini_stream, opencode, copilot, cursor, pi, amp, droid, kimi, qwen, antigravity, rigorbench, grok, cline, goose, aider, specstory, git_ai, openhands, openhands_v1, otel, otel_shapes, copilot_chat, claude_web, continue_dev, iflow, dsh, kiro]


def main():
    drift = len(sys.argv) > 2 and sys.argv[1] == "--drift"
    folder = Path(sys.argv[2]) if drift else Path(__file__).parent
    for make in ALL:
        FILE["name"] = "calc.py" if make in NO_FOLDER else f"{ROOT}/calc.py"
        for name, text in make(drift).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    FILE["name"] = "calc.py"
    if drift:
        (folder / "inspect.json").write_text(document(sample_of_inspect(True)))
        return
    with zipfile.ZipFile(folder / "inspect.eval", "w", zipfile.ZIP_DEFLATED) as log:
        put = lambda name, value: log.writestr(zipfile.ZipInfo(name, (2026, 9, 21, 14, 13, 20)), document(value), zipfile.ZIP_DEFLATED)
        put("_journal/start.json", {"version": 2, "eval": {"task": "made", "model": "made/model"}})
        put("samples/tinycalc_epoch_1.json", sample_of_inspect(False))
        put("header.json", {"version": 2, "status": "success", "eval": {"task": "made", "model": "made/model"}})


main()
