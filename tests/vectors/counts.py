#!/usr/bin/env python3
"""Counts what the real logs of a folder tell, without trajview: counts.py FOLDER > counts.json

For each run: requests, the agent's messages, its thoughts, its tool calls, the files that calls which went well were to change,
and the sums of tokens in and out; null for what the log does not tell. Each kind of log is read by the shortest way to these
numbers that there is, with the standard library alone. `tests/commands/counts.rs` holds trajview to them.
"""
import io
import json
import re
import sqlite3
import sys
import zipfile
from pathlib import Path

EDITS = {"write", "edit", "multiedit", "write_file", "replace", "edit_file", "create_file", "create", "str_replace", "apply_patch", "patch", "writefile", "strreplacefile", "strreplace", "write_to_file", "replace_in_file", "search_replace", "applypatch"}


# What is not counted of a kind of log, since the shortest way to it would be trajview's own: the counts are null.
LEFT_OUT = {
    "agentrx": ("edits",),
    "atif": ("edits",),
    "claude_stream": ("said", "thought", "edits"),
    "codex": ("thought", "edits"),
    "codex_exec": ("thought", "edits"),
    "mini": ("said", "thought", "edits"),
    "openhands_v1": ("said", "thought", "edits"),
    "otel": ("said", "thought", "edits"),
    "pi": ("edits",),
    "qwen": ("edits",),
    "grok": ("edits",),
    "swe_agent": ("said", "thought", "edits"),
}


class Count(dict):
    def __init__(self):
        super().__init__(turns=0, said=0, thought=0, tools=0, edits=0, input=None, output=None)

    def text(self, key, text):
        if isinstance(text, str) and text.strip():
            self[key] += 1

    def tokens(self, given, made):
        for key, more in (("input", given), ("output", made)):
            if more is not None:
                self[key] = (self[key] or 0) + more


def lines(path):
    for line in path.read_text(errors="replace").splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def words(content):
    """The texts of a message's content, whatever its form."""
    if isinstance(content, str):
        return [content]
    return [it if isinstance(it, str) else it.get("text") for it in content or [] if isinstance(it, str) or it.get("type", "text") in ("text", "output_text")]


def is_edit(name, arguments):
    name = (name or "").lower().replace("-", "_")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            arguments = {"patch": arguments}
    arguments = arguments if isinstance(arguments, dict) else {}
    if name in ("str_replace_editor", "text_editor", "file_editor", "developer__text_editor", "execute_bash_editor"):
        return arguments.get("command") in ("create", "str_replace", "insert", "write")
    if name in ("apply_patch", "applypatch"):
        return len(re.findall(r"^\*\*\* (?:Add|Update|Delete) File: ", " ".join(map(str, arguments.values())).replace("\\n", "\n"), re.M))
    return name in EDITS


def chat(messages, count, asked=("user",)):
    """Messages in OpenAI's or Anthropic's form."""
    failed = set()
    for message in messages:
        for part in message.get("content") or [] if isinstance(message.get("content"), list) else []:
            if isinstance(part, dict) and part.get("type") == "tool_result" and part.get("is_error"):
                failed.add(part["tool_use_id"])
    for message in messages:
        role, content = message.get("role"), message.get("content")
        if role in asked:
            count["turns"] += any((it or "").strip() for it in words(content))
        if role != "assistant":
            continue
        for text in words(content):
            count.text("said", text)
        for part in content if isinstance(content, list) else []:
            if part.get("type") in ("thinking", "reasoning"):
                count.text("thought", part.get("thinking") or part.get("reasoning") or part.get("text"))
            if part.get("type") == "tool_use":
                count["tools"] += 1
                count["edits"] += is_edit(part["name"], part.get("input")) if part.get("id") not in failed else 0
        for call in message.get("tool_calls") or []:
            made = call.get("function", call)
            count["tools"] += 1
            count["edits"] += is_edit(made if isinstance(made, str) else made.get("name"), call.get("arguments") if isinstance(made, str) else made.get("arguments"))


def claude(path, count):
    """Sessions: one record a block; tokens once a response. Sub-agents count in tools and tokens, not in what is said."""
    responses, edits, failed, by_command = {}, {}, set(), 0
    own = path.with_suffix("")
    beside = sorted(own.glob("subagents/*.jsonl")) + sorted(path.parent.glob(path.name.replace(".session.", ".subagent.")) if ".session." in path.name else [])
    for record in [it for log in [path, *beside] for it in lines(log)]:
        message = record.get("message")
        if not isinstance(message, dict):
            continue
        is_sub = record.get("isSidechain")
        result = record.get("toolUseResult")
        if isinstance(result, dict) and result.get("bashEditDiff"):
            files = result["bashEditDiff"]["files"]
            # The same lines deleted here and created there were moved.
            told = lambda key: [[line[1:] for hunk in it["hunks"] for line in hunk["lines"]] for it in files if it.get(key)]
            by_command += len(files) - sum(text in told("created") for text in told("deleted"))
        content = message.get("content")
        if record.get("type") == "user" and is_sub:
            failed |= {it["tool_use_id"] for it in content if isinstance(it, dict) and it.get("type") == "tool_result" and it.get("is_error")} if isinstance(content, list) else set()
        elif record.get("type") == "user":
            is_own = record.get("isMeta") or record.get("isCompactSummary") or record.get("promptSource") == "system" or (record.get("origin") or {}).get("kind") == "task-notification"
            blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
            failed |= {it["tool_use_id"] for it in blocks if it.get("type") == "tool_result" and it.get("is_error")}
            text = "".join(it.get("text") or "" for it in blocks if it.get("type") == "text")
            is_word = re.match(r"\s*(<command-|<local-command-|\[Request interrupted|Caveat:)", text)
            count["turns"] += bool(text.strip()) and not is_own and not is_word
        if record.get("type") == "assistant" and message.get("model") != "<synthetic>":
            for part in content if isinstance(content, list) else [{"type": "text", "text": content}]:
                count.text("said", part.get("text") if part["type"] == "text" and not is_sub else None)
                count.text("thought", part.get("thinking") if part["type"] == "thinking" and not is_sub else None)
                if part["type"] == "tool_use":
                    count["tools"] += 1
                    edits[part.get("id")] = part["name"] in ("Write", "Edit", "MultiEdit", "NotebookEdit")
            if message.get("usage"):
                responses[message.get("id") or len(responses)] = message["usage"]
    count["edits"] = sum(is_edit for call, is_edit in edits.items() if call not in failed) + by_command
    for usage in responses.values():
        count.tokens(sum(usage.get(key) or 0 for key in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")), usage.get("output_tokens"))


def amp(path, count):
    document = json.loads(path.read_text())
    chat(document["messages"], count)
    count["turns"] = sum(m["role"] == "user" and any(it["type"] == "text" for it in m["content"]) for m in document["messages"])
    for message in document["messages"]:
        usage = message.get("usage")
        if usage:
            count.tokens(usage.get("totalInputTokens") or sum(usage.get(key) or 0 for key in ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")), usage.get("outputTokens"))


def gemini(path, count):
    text = path.read_text()
    is_lines = path.suffix == ".jsonl"
    messages = {}
    for record in lines(path) if is_lines else json.loads(text).get("messages") or json.loads(text).get("history") or []:
        # What is set again is the list told once more; older files have no ids.
        if record.get("type", record.get("role")) and record.get("id", len(messages)) is not None and "$set" not in record and "projectHash" not in record:
            messages[record.get("id", len(messages))] = {"type": record.get("role"), **record}
    for message in messages.values():
        if message["type"] == "user":
            content = message.get("content") or message.get("parts")
            parts = content if isinstance(content, list) else [{"text": content}]
            # A command of the program's own, such as /compress, asks nothing of the model.
            count["turns"] += any(re.match(r"\s*[^\s/]", part.get("text") or "") for part in parts)
        if message["type"] not in ("gemini", "model"):
            continue
        said = message.get("content") or message.get("displayContent") or [part for part in message.get("parts") or []]
        for text in words(said):
            count.text("said", text)
        count["thought"] += len(message.get("thoughts") or [])
        for call in message.get("toolCalls") or []:
            count["tools"] += 1
            count["edits"] += bool(is_edit(call["name"], call.get("args"))) and call.get("status") == "success"
        tokens = message.get("tokens")
        if tokens:
            read, written, thoughts = (tokens.get(key) or 0 for key in ("input", "output", "thoughts"))
            # Where the log's own total is the sum without thoughts, they are among what was written.
            if tokens.get("total") != read + written:
                written += thoughts
            count.tokens(tokens.get("input"), written)


def opencode(messages, count):
    for info, parts in messages:
        if info["role"] == "user":
            count["turns"] += any(part["type"] == "text" and not part.get("synthetic") for part in parts)
            continue
        for part in parts:
            count.text("said", part.get("text") if part["type"] == "text" and not part.get("synthetic") else None)
            count.text("thought", part.get("text") if part["type"] == "reasoning" else None)
            if part["type"] == "tool":
                count["tools"] += 1
                count["edits"] += bool(is_edit(part["tool"], part["state"].get("input"))) and part["state"]["status"] == "completed"
        tokens = info.get("tokens")
        if tokens:
            cache = tokens.get("cache") or {}
            count.tokens((tokens.get("input") or 0) + (cache.get("read") or 0) + (cache.get("write") or 0), (tokens.get("output") or 0) + (tokens.get("reasoning") or 0))


def openhands(events, count):
    """V0: actions and observations in a list; the sums of tokens stand with the last action."""
    failed = {it.get("cause") for it in events if it.get("observation") == "error" or str(it.get("content")).startswith("ERROR:")}
    sums = None
    for event in events:
        action = event.get("action")
        if action == "message":
            count.text("turns" if event.get("source") == "user" else "said", event["args"].get("content"))
        elif action in ("run", "run_ipython", "edit", "write", "read", "browse", "browse_interactive", "delegate", "call_tool_mcp"):
            count["tools"] += 1
            count.text("said", event["args"].get("thought"))
            is_change = action in ("edit", "write") and event["args"].get("command") not in ("view", "undo_edit")
            count["edits"] += is_change and event.get("id") not in failed
        elif action in ("think", "finish"):
            count.text("thought" if action == "think" else "said", event["args"].get("thought") or event["args"].get("final_thought"))
        usage = (event.get("llm_metrics") or {}).get("accumulated_token_usage")
        sums = usage or sums
    if sums:
        count.tokens(sums["prompt_tokens"], sums["completion_tokens"])


def inspect(sample, count):
    messages = sample["messages"]
    chat(messages, count, asked=())
    count["turns"] = 1
    for event in sample["events"]:
        usage = (event.get("output") or {}).get("usage") if event.get("event") == "model" else None
        if usage:
            count.tokens(usage["input_tokens"] + (usage.get("input_tokens_cache_read") or 0) + (usage.get("input_tokens_cache_write") or 0), usage["output_tokens"])


def agentrx(path, count):
    """Several agents talk with each other; the human's words are the request, and the rest is said by somebody."""
    messages = json.loads(path.read_text())
    count["turns"] = sum(message["role"] == "human" for message in messages)
    count["said"] = sum(bool(message["content"].strip()) for message in messages if message["role"] != "human")


def codex(path, count):
    """Rollouts: response items are what the model did. Each response tells its tokens, some twice; a sub-agent's log stands
    beside, and begins with what it inherits."""
    failed, edits = set(), {}
    for log in [path, path.with_name(path.name.replace("rollout0", "rollout1"))]:
        if not log.exists():
            continue
        is_sub, last, summary = log != path, {}, ""
        records = list(lines(log))
        start = max(((it.get("payload") or {}).get("subagent_history_start_ordinal") or 0 for it in records), default=0)
        for record in records:
            payload = record.get("payload") or {}
            kind = payload.get("type")
            if is_sub and record.get("ordinal", start) < start:
                continue
            if record.get("type") == "event_msg":
                item = payload.get("item") or {}
                is_asked = kind == "user_message" or kind == "item_completed" and item.get("type") == "UserMessage"
                count["turns"] += is_asked and not is_sub
                if kind == "token_count" and payload.get("info"):
                    sums, response = payload["info"]["total_token_usage"], payload["info"]["last_token_usage"]
                    if sums != last:
                        count.tokens(response["input_tokens"], response["output_tokens"])
                    last = sums
            if record.get("type") == "response_item":
                if kind in ("function_call", "custom_tool_call", "local_shell_call"):
                    count["tools"] += 1
                if kind == "message" and payload.get("role") == "assistant" and not is_sub:
                    for said in words(payload["content"]):
                        count.text("said", said)
                        summary = said
            if record.get("type") == "compacted" and not is_sub:
                # The words before were the summary that the context is cut down to.
                count["said"] -= bool(summary) and summary in payload.get("message", "")


def codex_exec(path, count):
    items = {}
    last = {}
    for record in lines(path):
        if record["type"] == "thread.started":
            items[len(items)] = {}
        if record["type"] == "turn.started":
            count["turns"] += 1
            items[len(items)] = {}
        if record["type"] in ("item.started", "item.completed"):
            items[len(items) - 1][record["item"]["id"]] = record["item"]
        if record["type"] == "turn.completed":
            last = record["usage"]
    for item in [it for turn in items.values() for it in turn.values()]:
        count["tools"] += item["type"] in ("command_execution", "file_change", "mcp_tool_call", "web_search", "todo_list", "collab_tool_call")
        count["said"] += item["type"] == "agent_message"
    count.tokens(last["input_tokens"], last["output_tokens"])


def claude_stream(path, count):
    """What is printed: tools and words of main agent and sub-agents, tokens of the result."""
    for record in lines(path):
        if record.get("type") == "assistant" and record["message"].get("model") != "<synthetic>":
            for part in record["message"]["content"]:
                count["tools"] += part["type"] == "tool_use"
        if record.get("type") == "result":
            usage = record["usage"]
            count.tokens(sum(usage.get(key) or 0 for key in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")), usage["output_tokens"])
    count["turns"] = 1


def atif(path, count):
    document = json.loads(path.read_text())
    steps = list(document["steps"])
    name = path.name.removesuffix(".json")
    for more in sorted(path.parent.glob(name + ".cont-*.json")):
        steps += [it for it in json.loads(more.read_text())["steps"] if not it.get("is_copied_context")]
    asked = False
    for step in steps:
        if step["source"] == "user" and not asked:
            count["turns"] += 1
        asked = step["source"] == "user" and count["turns"] == 0
        if step["source"] == "agent":
            count.text("said", step.get("message"))
            count.text("thought", step.get("reasoning_content"))
            count["tools"] += len(step.get("tool_calls") or [])
            metrics = step.get("metrics")
            if metrics:
                count.tokens(metrics.get("prompt_tokens"), metrics.get("completion_tokens"))
    final = document.get("final_metrics") or {}
    if count["input"] is None:
        count.tokens(final.get("total_prompt_tokens"), final.get("total_completion_tokens"))


def cursor(path, count):
    messages = [{"role": it["role"], **it["message"]} for it in lines(path) if "message" in it]
    chat(messages, count)


def droid(path, count):
    records = list(lines(path))
    chat([it["message"] for it in records if it.get("type") == "message" and "message" in it], count)
    for record in records:
        kind = record["type"]
        count["turns"] += kind == "message" and record.get("role") == "user"
        count["tools"] += kind == "tool_call"
        count.text("said", record.get("finalText") if kind == "completion" else None)


def grok(path, count):
    for record in lines(path):
        kind = record["type"]
        count["turns"] += kind == "user" and not record.get("synthetic_reason")
        if kind == "assistant":
            count.text("said", record["content"])
            count["tools"] += len(record.get("tool_calls") or [])
        count["tools"] += kind == "backend_tool_call"
        count["thought"] += kind == "reasoning"


def mini(path, count):
    """A list, or an object with one; the model's commands are its tool calls, or stand in its words between fences."""
    document = json.loads(path.read_text())
    messages = document if isinstance(document, list) else document["messages"]
    has_results = any(message["role"] == "tool" for message in messages)
    count["turns"] = sum(message["role"] == "user" for message in messages) if has_results else 1
    for message in messages:
        extra = message.get("extra") or {}
        calls = message.get("tool_calls")
        if message["role"] == "assistant":
            text = "".join(it or "" for it in words(message.get("content")))
            count["tools"] += len(calls) if calls else len(re.findall(r"^```(?:bash|mswea_bash_command)\n", text, re.M))
            usage = (extra.get("response") or {}).get("usage")
            if usage:
                count.tokens(usage["prompt_tokens"], usage["completion_tokens"])


def swe_agent(path, count):
    document = json.loads(path.read_text())
    count["turns"] = 1
    count["tools"] = sum(bool((step.get("action") or "").strip()) for step in document["trajectory"])
    stats = document["info"].get("model_stats") or {}
    if stats.get("tokens_sent"):
        count.tokens(stats["tokens_sent"], stats["tokens_received"])


def openhands_v1(path, count):
    usage = None
    for record in lines(path):
        kind = record.get("kind")
        count["turns"] += kind == "MessageEvent" and record.get("source") == "user"
        count["tools"] += kind == "ActionEvent" and record.get("tool_name") not in ("think", "finish")
        if kind == "ConversationStateUpdateEvent" and record.get("key") == "stats":
            all_usage = record["value"]["usage_to_metrics"].values()
            usage = [it["accumulated_token_usage"] for it in all_usage if it.get("accumulated_token_usage")]
    for it in usage or []:
        count.tokens(it["prompt_tokens"], it["completion_tokens"])


def pi(path, count):
    messages = [it["message"] for it in lines(path) if it.get("type") == "message"]
    for message in messages:
        count["turns"] += message["role"] == "user"
        if message["role"] == "assistant":
            for part in message["content"]:
                count.text("said", part.get("text") if part["type"] == "text" else None)
                count.text("thought", part.get("thinking") if part["type"] == "thinking" else None)
                count["tools"] += part["type"] == "toolCall"
            usage = message.get("usage")
            if usage:
                count.tokens(usage["input"] + (usage.get("cacheRead") or 0) + (usage.get("cacheWrite") or 0), usage["output"])


def qwen(path, count):
    for record in lines(path):
        parts = (record.get("message") or {}).get("parts") or []
        if record["type"] == "user" and record.get("subtype") != "notification":
            count["turns"] += any(part.get("text") for part in parts)
        if record["type"] == "assistant":
            for part in parts:
                count.text("thought" if part.get("thought") else "said", part.get("text"))
                count["tools"] += "functionCall" in part
            usage = record.get("usageMetadata")
            if usage:
                count.tokens(usage.get("promptTokenCount"), (usage.get("candidatesTokenCount") or 0))


def otel(base, conversation, count):
    traces = base.execute("select distinct s.trace_id from spans s join span_attributes a on a.span_id = s.span_id where a.key = 'gen_ai.conversation.id' and a.value = ?", (conversation,)).fetchall()
    for (trace,) in traces:
        for (span,) in base.execute("select span_id from spans where trace_id = ?", (trace,)).fetchall():
            told = dict(base.execute("select key, value from span_attributes where span_id = ?", (span,)).fetchall())
            operation = told.get("gen_ai.operation.name")
            count["tools"] += operation == "execute_tool"
            if operation == "chat":
                number = lambda key: int(float(told[key])) if told.get(key) is not None else None
                count.tokens(number("gen_ai.usage.input_tokens"), number("gen_ai.usage.output_tokens"))


def runs(folder):
    """Each run's name below the folder, and its counts."""
    def one(name, read, *given):
        count = Count()
        read(*given, count)
        # Where nobody wrote a request down, what was done is a turn all the same.
        count["turns"] = max(count["turns"], 1)
        count.update((key, None) for key in LEFT_OUT.get(read.__name__, ()))
        return name, count

    below = lambda pattern: sorted(folder.glob(pattern))
    name = lambda path: str(path.relative_to(folder))
    for path in [it for it in below("claude-code/*.jsonl") if "drift" not in it.name] + below("recorded/claude-*.session.jsonl"):
        yield one(name(path), claude, path)
    for pattern, read in (
        ("agentrx/*-*.json", agentrx),
        ("agentrx/" + "[0-9a-f]" * 60 + "*.json", agentrx),
        ("claude-code/with-subagents/*.jsonl", claude),
        ("recorded/claude-*.stream-*.jsonl", claude_stream),
        ("recorded/codex-*.rollout0.jsonl", codex),
        ("recorded/codex-*.exec-json.jsonl", codex_exec),
        ("atif/*trajectory.json", atif),
        ("atif/*no_function_calling.json", atif),
        ("cursor/session.jsonl", cursor),
        ("droid/*.jsonl", droid),
        ("grok/chat_history.jsonl", grok),
        ("mini-swe-agent/*.json", mini),
        ("recorded/mini-*.json", mini),
        ("swe-agent/*.traj", swe_agent),
        ("openhands-v1/events.jsonl", openhands_v1),
        ("pi/*.jsonl", pi),
        ("qwen/*.jsonl", qwen),
    ):
        for path in below(pattern):
            yield one(name(path), read, path)
    for path in below("otel/*.db"):
        base = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        for (conversation,) in base.execute("select distinct c.value from span_attributes c join span_attributes o on o.span_id = c.span_id where c.key = 'gen_ai.conversation.id' and o.key = 'gen_ai.operation.name' and o.value = 'invoke_agent'").fetchall():
            yield one(f"{name(path)}/{conversation}", otel, base, conversation)
    for path in below("amp/T-*.json"):
        yield one(name(path), amp, path)
    for path in below("gemini/*.json*") + below("recorded/gemini-*.jsonl"):
        yield one(name(path), gemini, path)
    for path in below("recorded/opencode-*.json"):
        document = json.loads(path.read_text())
        yield one(name(path), opencode, [(it["info"], it["parts"]) for it in document["messages"]])
    for path in below("opencode/*.db"):
        base = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        for (session,) in base.execute("select id from session").fetchall():
            made = base.execute("select id, data from message where session_id = ? order by id", (session,)).fetchall()
            parts = lambda ident: [json.loads(row[0]) for row in base.execute("select data from part where message_id = ? order by id", (ident,))]
            yield one(f"{name(path)}/{session}", opencode, [(json.loads(data), parts(ident)) for ident, data in made])
    for path in below("opencode/storage_v2/session/*/*.json"):
        session = json.loads(path.read_text())["id"]
        made = [json.loads(it.read_text()) for it in below(f"opencode/storage_v2/message/{session}/*.json")]
        parts = lambda ident: [json.loads(it.read_text()) for it in below(f"opencode/storage_v2/part/{ident}/*.json")]
        yield one(name(path), opencode, [(it, parts(it["id"])) for it in made])
    for path in below("openhands/output.jsonl"):
        for row in lines(path):
            yield one(f"{name(path)}/{row['instance_id']}", openhands, row["history"])
    for path in below("inspect/*.eval"):
        log = zipfile.ZipFile(path)
        for member in log.namelist():
            if member.startswith("samples/"):
                yield one(f"{name(path)}/{member.removeprefix('samples/')}", inspect, json.loads(log.read(member)))


if __name__ == "__main__":
    print(json.dumps(dict(runs(Path(sys.argv[1]))), indent=1, sort_keys=True))
