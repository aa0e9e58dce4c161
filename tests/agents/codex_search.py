"""A model server that speaks Codex's protocol just far enough to call one tool of an MCP server and then to say what it got."""
import json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "namespace": "mcp__trajview",
        "name": "search_project_state", "arguments": json.dumps({"query": "sampler.py"})}


def message(text):
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}]}


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(404)
        self.end_headers()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        outputs = [item for item in body.get("input", []) if item.get("type") == "function_call_output"]
        item = message("It said: " + json.dumps(outputs[-1]["output"])) if outputs else CALL
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
