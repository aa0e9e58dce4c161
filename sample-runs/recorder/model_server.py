#!/usr/bin/env python3
"""A model server that answers from a script, on loopback only (standard library only).

It speaks just enough of the OpenAI Responses API for the Codex command line, `POST /v1/responses` (server-sent events), and of
the older `POST /v1/chat/completions` (one JSON document) for agents whose only tool is a shell; and `GET /healthz`. What the "model" says and does is written in a script (see `scripting.py`); nothing here thinks.

The server remembers nothing between requests. Where the session stands is read from the request itself: the turn is the
last scripted request found among the user messages, and the step is one more than the highest step in the ids of the tool calls
after it, which this server minted (`call_T012S003P0` is turn 12, step 3, call 0). So a retry, a resumed session or a
restarted server changes nothing.
"""
import difflib
import hashlib
import json
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CALL_ID = re.compile(r"T(\d+)S(\d+)P\d+")
ASKS_FOR_SUMMARY = re.compile(r"CONTEXT CHECKPOINT COMPACTION|handoff summary", re.I)
CHUNK = 48                      # characters in one delta


def estimated_tokens(value):
    text = value if isinstance(value, str) else json.dumps(value)
    return max(1, len(text) // 4)


def plain(content):
    if not content or isinstance(content, str):
        return content or ""
    return "\n".join(part.get("text") or "" for part in content)


def squeezed(text):
    return re.sub(r"\s+", " ", text).strip()


def stable_id(prefix, *parts):
    return prefix + hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()[:24]


# ---- from what the script wants to the tools Codex offers ----

def hunk(old, new):
    """The smallest patch body that turns `old` into `new`, keeping the lines they share as context."""
    old_lines, new_lines = old.rstrip("\n").split("\n"), new.rstrip("\n").split("\n")
    body = []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, old_lines, new_lines, autojunk=False).get_opcodes():
        if tag == "equal":
            body += [" " + line for line in old_lines[i:j]]
        else:
            body += ["-" + line for line in old_lines[i:j]] + ["+" + line for line in new_lines[k:m]]
    return body


def patch_text(files):
    lines = ["*** Begin Patch"]
    for change in files:
        if change["kind"] == "add":
            lines.append("*** Add File: " + change["path"])
            lines += ["+" + line for line in change["content"].rstrip("\n").split("\n")]
        elif change["kind"] == "delete":
            lines.append("*** Delete File: " + change["path"])
        else:
            lines.append("*** Update File: " + change["path"])
            if change.get("to"):
                lines.append("*** Move to: " + change["to"])
            for old, new in change["edits"]:
                lines += ["@@"] + hunk(old, new)
    return "\n".join(lines + ["*** End Patch"]) + "\n"


def tool_call(op):
    """The name and the arguments of the tool call; a string argument makes it a custom (free-form) tool."""
    if op["op"] == "patch":
        return "apply_patch", patch_text(op["files"])
    if op["op"] == "shell":
        return "exec_command", {"cmd": op["cmd"], "yield_time_ms": 30000}
    raise KeyError(op["op"])


# ---- the older protocol, with a shell as its only tool ----

SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def items_of_chat(messages):
    """User messages and tool calls as the newer protocol would list them."""
    items = []
    for message in messages:
        if message.get("role") == "user":
            items.append({"role": "user", "content": message.get("content")})
        items += [{"call_id": call.get("id")} for call in message.get("tool_calls") or []]
    return items


def chat_message(position):
    """What the step says and calls. A step that calls nothing ends the task, which such agents want said by a command."""
    commands = [op["cmd"] for op in position.answer.get("ops", []) if op["op"] == "shell"] or [SUBMIT]
    calls = [{"id": f"call_T{position.turn or 0:03}S{position.step:03}P{k}", "type": "function",
              "function": {"name": "bash", "arguments": json.dumps({"command": command})}} for k, command in enumerate(commands)]
    return {"role": "assistant", "content": position.answer.get("say") or "", "tool_calls": calls}


# ---- where the session stands ----

class Position:
    def __init__(self, script, items):
        self.turn, self.step, self.answer = None, 0, {"say": "OK."}
        said = [(i, squeezed(plain(x.get("content")))) for i, x in enumerate(items) if x.get("role") == "user"]
        if said and ASKS_FOR_SUMMARY.search(said[-1][1]):
            self.turn, self.answer = 0, {"say": script["summary"]}
            return
        for index, text in reversed(said):
            turns = [t for t in script["turns"] if squeezed(t["text"]) in text]
            if turns:
                break
        else:
            return
        self.turn = max(turns, key=lambda t: text.rfind(squeezed(t["text"])))["turn"]
        steps = script["turns"][self.turn - 1]["steps"]
        ids = (CALL_ID.search(x.get("call_id") or "") for x in items[index:])
        done = [int(m.group(2)) for m in ids if m and int(m.group(1)) == self.turn]
        self.step = max(done, default=-1) + 1
        self.answer = steps[self.step] if self.step < len(steps) else {"say": "Done."}


def output_items(position, n):
    answer, where, out = position.answer, (position.turn, position.step, n), []
    if answer.get("think"):
        out.append({"type": "reasoning", "id": stable_id("rs_", *where),
                    "summary": [{"type": "summary_text", "text": answer["think"]}]})
    if answer.get("say"):
        out.append({"type": "message", "id": stable_id("msg_", *where), "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": answer["say"], "annotations": []}]})
    for k, op in enumerate(answer.get("ops", [])):
        name, arguments = tool_call(op)
        call = {"id": stable_id("tc_", *where, k), "call_id": f"call_T{position.turn:03}S{position.step:03}P{k}", "name": name,
                "status": "completed"}
        if isinstance(arguments, str):
            out.append({"type": "custom_tool_call", **call, "input": arguments})
        else:
            out.append({"type": "function_call", **call, "arguments": json.dumps(arguments)})
    return out


def usage_of(request, items, out, answer):
    """Four characters a token; everything before the newest tool results counts as cached, in blocks of 128."""
    old = len(items)
    while old and items[old - 1].get("type", "").endswith("_output"):
        old -= 1
    fixed = estimated_tokens(request.get("instructions") or "") + estimated_tokens(request.get("tools") or [])
    tokens_in = answer.get("tokens_in") or fixed + estimated_tokens(items)
    cached = min(fixed + estimated_tokens(items[:old]), tokens_in) // 128 * 128
    tokens_out = estimated_tokens(out)
    return {"input_tokens": tokens_in, "input_tokens_details": {"cached_tokens": cached}, "output_tokens": tokens_out,
            "output_tokens_details": {"reasoning_tokens": estimated_tokens(answer["think"]) if answer.get("think") else 0},
            "total_tokens": tokens_in + tokens_out}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "scripted-model/1"

    def log_message(self, *_):
        pass

    def reply(self, value, status=200):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/healthz":
            return self.reply({"ok": True, "script": self.server.script["name"]})
        self.server.unhandled.append("GET " + self.path)
        self.reply({"error": {"message": "not found"}}, 404)

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if self.path.split("?")[0].endswith("/chat/completions"):
            return self.chat(request)
        if not self.path.split("?")[0].endswith("/responses"):
            self.server.unhandled.append("POST " + self.path)
            return self.reply({"error": {"message": "not found"}}, 404)
        try:
            self.respond(request)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def respond(self, request):
        server, items = self.server, request.get("input", [])
        with server.lock:
            server.served += 1
            n = server.served
        position = Position(server.script, items)
        if position.turn is None:
            server.unhandled.append("a request with no scripted turn in it")
        out = output_items(position, n)
        base = {"id": stable_id("resp_", position.turn, position.step, n), "object": "response", "created_at": int(time.time()),
                "model": request.get("model"), "output": [], "usage": None}
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self.event("response.created", response={**base, "status": "in_progress"})
        time.sleep(server.latency)
        for index, item in enumerate(out):
            self.stream(index, item)
        self.event("response.completed", response={**base, "status": "completed", "output": out,
                                                   "usage": usage_of(request, items, out, position.answer)})
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def chat(self, request):
        server, messages = self.server, request.get("messages", [])
        position = Position(server.script, items_of_chat(messages))
        if position.turn is None:
            server.unhandled.append("a request with no scripted turn in it")
        with server.lock:
            server.served += 1
            n = server.served
        message = chat_message(position)
        tokens_in, tokens_out = estimated_tokens(messages), estimated_tokens(message)
        self.reply({"id": stable_id("chatcmpl-", position.turn, position.step, n), "object": "chat.completion", "created": int(time.time()),
                    "model": request.get("model"), "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
                    "usage": {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}})

    def stream(self, index, item):
        kind = {"message": ("content", "response.output_text.delta", lambda x: x["content"][0]["text"], []),
                "reasoning": ("summary", "response.reasoning_summary_text.delta", lambda x: x["summary"][0]["text"], []),
                "function_call": ("arguments", "response.function_call_arguments.delta", lambda x: x["arguments"], ""),
                "custom_tool_call": ("input", "response.custom_tool_call_input.delta", lambda x: x["input"], "")}
        field, event, text_of, empty = kind[item["type"]]
        where = {"item_id": item["id"], "output_index": index}
        self.event("response.output_item.added", output_index=index, item={**item, field: empty})
        if item["type"] == "reasoning":
            self.event("response.reasoning_summary_part.added", summary_index=0, part={"type": "summary_text", "text": ""}, **where)
        text = text_of(item)
        for i in range(0, len(text), CHUNK):
            self.event(event, delta=text[i:i + CHUNK], content_index=0, summary_index=0, **where)
            time.sleep(CHUNK / self.server.characters_per_second)
        self.event("response.output_item.done", output_index=index, item=item)

    def event(self, name, **fields):
        body = f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(body), body))
        self.wfile.flush()


def serve(script, latency=0.15, characters_per_second=12000, port=0):
    """A running server for the script; its address is `server.server_address`."""
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    server.script, server.latency, server.characters_per_second = script, latency, characters_per_second
    server.lock, server.served, server.unhandled = threading.Lock(), 0, []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


if __name__ == "__main__":
    import scripting
    running = serve(scripting.load(sys.argv[1]), port=int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print("listening on 127.0.0.1:%d" % running.server_address[1], flush=True)
    threading.Event().wait()
