"""A model server that speaks Codex's protocol just far enough to call one tool of an MCP server for each request of a person, and then
to say that it is done. Arguments: the file that gets its port, and a file with the calls: [{"ask": text, "tool": name, "args": {...}}]."""
import json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CALLS = json.load(open(sys.argv[2]))


def call_for(items):
    texts = [part.get("text", "") for item in items if item.get("role") == "user" for part in item.get("content", [])]
    return next(call for call in CALLS if any(call["ask"] in text for text in texts))


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(404)
        self.end_headers()

    def do_POST(self):
        items = json.loads(self.rfile.read(int(self.headers["content-length"]))).get("input", [])
        if any(item.get("type") == "function_call_output" for item in items):
            text = {"type": "output_text", "text": "Done.", "annotations": []}
            item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
        else:
            call = call_for(items)
            item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "namespace": "mcp__trajview",
                    "name": call["tool"], "arguments": json.dumps(call["args"])}
        usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        done = {"id": "resp_1", "object": "response", "status": "completed", "output": [item], "usage": usage}
        events = [{"type": "response.created", "response": {**done, "status": "in_progress", "output": []}},
                  {"type": "response.output_item.done", "output_index": 0, "item": item},
                  {"type": "response.completed", "response": done}]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
open(sys.argv[1], "w").write(str(server.server_port))
server.serve_forever()
