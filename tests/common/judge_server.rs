//! A server that speaks the three protocols of judges, well or badly, on a port of its own.
//!
//! What it says to a request is told by a plain function of what it was asked: it remembers nothing, so retries and
//! several requests at once need no care.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use serde_json::{Value, json};

/// One request.
#[derive(Debug, Clone)]
pub struct Asked {
    pub path: String,
    /// Lower-case names.
    pub headers: Vec<(String, String)>,
    pub body: Value,
    /// `C07`, out of the question; or a group of criteria.
    pub component: String,
    /// What the tools said, in order.
    pub results: Vec<String>,
    /// Tools that are offered.
    pub tools: Vec<String>,
    /// Requests about this component so far, this one included; counts from 1.
    pub nth: usize,
}

/// What the server does.
#[derive(Debug, Clone)]
pub enum Say {
    Text(String),
    Calls(Vec<(&'static str, Value)>),
    Status(u16, Vec<(&'static str, &'static str)>, String),
    /// As the other says, but the connection ends after so many events, or in the middle of the one piece.
    Cut(usize, Box<Say>),
    /// As the other says, each event or quarter of the piece after a pause.
    Drip(Duration, Box<Say>),
    /// Bytes in the place of HTTP's body, with this content type.
    Garbage(&'static str, &'static [u8]),
    /// Nothing, for so long.
    Hang(Duration),
    /// Not even HTTP.
    NotHttp,
}

type Brain = dyn Fn(&Asked) -> Say + Send + Sync;

pub struct Server {
    pub port: u16,
    seen: Arc<Mutex<Vec<Asked>>>,
    lists: Arc<Lists>,
}

/// Path and headers of a request without a body.
pub type Got = (String, Vec<(String, String)>);

/// The models it lists to whoever asks, and who asked: path and headers.
#[derive(Default)]
struct Lists {
    models: Vec<&'static str>,
    asked: Mutex<Vec<Got>>,
}

impl Server {
    pub fn new(brain: impl Fn(&Asked) -> Say + Send + Sync + 'static) -> Self {
        Self::with_models(&[], brain)
    }

    /// With these models.
    pub fn with_models(
        models: &[&'static str],
        brain: impl Fn(&Asked) -> Say + Send + Sync + 'static,
    ) -> Self {
        let lists = Arc::new(Lists { models: models.to_vec(), ..Lists::default() });
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::default();
        let (brain, known): (Arc<Brain>, Arc<Mutex<Vec<Asked>>>) =
            (Arc::new(brain), Arc::clone(&seen));
        let told = Arc::clone(&lists);
        // It ends with the test's process.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (brain, known) = (Arc::clone(&brain), Arc::clone(&known));
                let told = Arc::clone(&told);
                thread::spawn(move || serve_stream(&stream, &*brain, &known, &told));
            }
        });
        Self { port, seen, lists }
    }

    /// Paths and headers of those who asked for its models.
    pub fn list_requests(&self) -> Vec<Got> {
        self.lists.asked.lock().unwrap().clone()
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    pub fn seen_requests(&self) -> Vec<Asked> {
        self.seen.lock().unwrap().clone()
    }
}

/// A judge that looks twice and then gives the level that the component's number leaves when divided by five.
pub fn able_reply(asked: &Asked) -> Say {
    match asked.results.len() {
        0 => Say::Calls(vec![("list", json!({})), ("read", json!({"path": "../../etc/passwd"}))]),
        2 => Say::Calls(vec![("search", json!({"pattern": "def "}))]),
        _ => Say::Calls(vec![("verdict", made_verdict(asked))]),
    }
}

/// A verdict that rests on the first line a search found, if one did.
pub fn made_verdict(asked: &Asked) -> Value {
    let number: usize = asked.component.trim_start_matches('C').parse().unwrap_or_default();
    let hit = asked.results.iter().flat_map(|result| result.lines()).find_map(|line| {
        let (path, rest) = line.split_once(".py:")?;
        let line: usize = rest.split(':').next()?.parse().ok()?;
        Some(json!({"path": format!("{path}.py"), "start": line, "end": line + 1}))
    });
    let elsewhere = json!({"path": "no/such.py", "start": 1, "end": 2});
    let evidence: Vec<Value> = hit.into_iter().chain([elsewhere]).collect();
    json!({"level": number % 5, "rationale": format!("{} was looked at.", asked.component), "evidence": evidence})
}

fn serve_stream(stream: &TcpStream, brain: &Brain, known: &Mutex<Vec<Asked>>, lists: &Lists) {
    let mut reader = BufReader::new(stream);
    let Some((method, path, headers)) = read_head(&mut reader) else { return };
    if method == "GET" {
        lists.asked.lock().unwrap().push((path.clone(), headers));
        let _ = stream_list(stream, &path, &lists.models);
        return;
    }
    let Some(mut asked) = read_request(&mut reader, path, headers) else { return };
    {
        let mut known = known.lock().unwrap();
        asked.nth = 1 + known.iter().filter(|it| it.component == asked.component).count();
        known.push(asked.clone());
    }
    // The other side may be gone; that is its business.
    let _ = write_answer(stream, &asked, &brain(&asked));
}

/// The models as Ollama or as OpenAI lists them; nothing else is found here.
fn stream_list(mut stream: &TcpStream, path: &str, models: &[&str]) -> std::io::Result<()> {
    let of = |key: &str, list: &str| {
        let rows: Vec<Value> = models.iter().map(|id| json!({key: id})).collect();
        json!({list: rows}).to_string()
    };
    let (status, body) = match path {
        _ if models.is_empty() => ("404 Not Found", String::new()),
        "/api/tags" => ("200 OK", of("name", "models")),
        "/v1/models" => ("200 OK", of("id", "data")),
        _ => ("404 Not Found", String::new()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

type Head = (String, String, Vec<(String, String)>);

/// Method, path and headers.
fn read_head(reader: &mut BufReader<&TcpStream>) -> Option<Head> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = vec![];
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_lowercase(), value.to_owned()));
    }
    Some((method, path, headers))
}

fn read_request(
    reader: &mut BufReader<&TcpStream>,
    path: String,
    headers: Vec<(String, String)>,
) -> Option<Asked> {
    let length = headers.iter().find(|(name, _)| name == "content-length")?.1.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body: Value = serde_json::from_slice(&body).ok()?;
    let results = tool_results(&body);
    let said = body.to_string();
    // A program's own words may have that word in them too.
    let ids = said.split("Component ").skip(1).filter_map(|rest| rest.split_once(':'));
    let component = ids.map(|(id, _)| id).find(|id| id.starts_with('C') && id.len() < 6);
    let group = said.split_once("Criteria group ").and_then(|(_, rest)| rest.split_once(':'));
    let component = component.or(group.map(|(id, _)| id))?.to_owned();
    let name = |tool: &Value| {
        tool.pointer("/function/name").or(tool.get("name"))?.as_str().map(str::to_owned)
    };
    let tools = body["tools"].as_array().into_iter().flatten().filter_map(name).collect();
    Some(Asked { path, headers, component, results, tools, body, nth: 0 })
}

fn tool_results(body: &Value) -> Vec<String> {
    let list = |name: &str| body[name].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut found = vec![];
    for message in list("messages").into_iter().chain(list("input")) {
        if message["role"] == "tool" {
            found.push(text(&message["content"]));
        }
        if message["type"] == "function_call_output" {
            found.push(text(&message["output"]));
        }
        for block in message["content"].as_array().into_iter().flatten() {
            if block["type"] == "tool_result" {
                found.push(text(&block["content"]));
            }
        }
    }
    found
}

fn write_answer(mut stream: &TcpStream, asked: &Asked, say: &Say) -> std::io::Result<()> {
    let (say, cut, pause) = match say {
        Say::Cut(after, say) => (&**say, Some(*after), Duration::ZERO),
        Say::Drip(pause, say) => (&**say, None, *pause),
        say => (say, None, Duration::ZERO),
    };
    let (text, calls) = match say {
        Say::Text(text) => (text.as_str(), &[][..]),
        Say::Calls(calls) => ("", calls.as_slice()),
        Say::Status(status, headers, body) => {
            let headers: String =
                headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            return write!(
                stream,
                "HTTP/1.1 {status} No\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
        }
        Say::Garbage(kind, bytes) => {
            write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                bytes.len()
            )?;
            return stream.write_all(bytes);
        }
        Say::Hang(time) => {
            thread::sleep(*time);
            return Ok(());
        }
        Say::NotHttp => return stream.write_all(b"220 mail ready\r\n"),
        Say::Cut(..) | Say::Drip(..) => unreachable!("one at a time"),
    };
    let calls: Vec<(String, &str, &Value)> =
        calls.iter().map(|(name, arguments)| (next_id(), *name, arguments)).collect();
    let path = asked.path.split('?').next().unwrap_or_default();
    let (whole, events) = if path.ends_with("/chat/completions") {
        chat_reply(text, &calls)
    } else if path.ends_with("/responses") {
        responses_reply(text, &calls)
    } else {
        messages_reply(text, &calls)
    };
    let head =
        "HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\ncontent-type: ";
    let pieces: Vec<String> = if asked.body["stream"] == json!(true) {
        write!(stream, "{head}text/event-stream\r\n\r\n")?;
        events
    } else {
        write!(stream, "{head}application/json\r\n\r\n")?;
        let text = whole.to_string();
        let bytes = text.as_bytes().chunks(text.len().div_ceil(4));
        bytes.map(|piece| String::from_utf8_lossy(piece).into_owned()).collect()
    };
    for piece in pieces.iter().take(cut.unwrap_or(usize::MAX)) {
        thread::sleep(pause);
        write!(stream, "{:x}\r\n{piece}\r\n", piece.len())?;
        stream.flush()?;
    }
    if cut.is_none() {
        stream.write_all(b"0\r\n\r\n")?;
    }
    stream.flush()
}

fn next_id() -> String {
    static NUMBER: AtomicUsize = AtomicUsize::new(1);
    format!("call_{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

type Calls<'a> = [(String, &'a str, &'a Value)];

/// Arguments in two halves, as models send them.
fn argument_halves(arguments: &Value) -> [String; 2] {
    let text = arguments.to_string();
    let mut at = text.len() / 2;
    while !text.is_char_boundary(at) {
        at += 1;
    }
    [text[..at].to_owned(), text[at..].to_owned()]
}

fn chat_reply(text: &str, calls: &Calls<'_>) -> (Value, Vec<String>) {
    let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
    let call = |(id, name, arguments): &(String, &str, &Value)| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments.to_string()}});
    let usage = json!({"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100});
    let listed: Vec<Value> = calls.iter().map(call).collect();
    let whole = json!({
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": reason,
            "message": {"role": "assistant", "content": text, "tool_calls": listed}}],
        "usage": usage,
    });
    let delta =
        |delta: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    let mut pieces =
        vec![delta(json!({"role": "assistant", "content": ""})), delta(json!({"content": text}))];
    for (index, (id, name, arguments)) in calls.iter().enumerate() {
        let function = json!({"name": name, "arguments": ""});
        pieces.push(delta(json!({"tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]})));
        for half in argument_halves(arguments) {
            pieces.push(delta(
                json!({"tool_calls": [{"index": index, "function": {"arguments": half}}]}),
            ));
        }
    }
    pieces.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}));
    pieces.push(json!({"choices": [], "usage": usage}));
    let mut events: Vec<String> = pieces.iter().map(|piece| format!("data: {piece}\n\n")).collect();
    events.push("data: [DONE]\n\n".into());
    (whole, events)
}

fn event_line(piece: &Value) -> String {
    format!("event: {}\ndata: {piece}\n\n", piece["type"].as_str().unwrap_or_default())
}

fn responses_reply(text: &str, calls: &Calls<'_>) -> (Value, Vec<String>) {
    let message = json!({"type": "message", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}]});
    let call = |(id, name, arguments): &(String, &str, &Value)| json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments.to_string()});
    let output: Vec<Value> = std::iter::once(message).chain(calls.iter().map(call)).collect();
    let whole = json!({"object": "response", "status": "completed", "output": output,
        "id": "resp_1", "usage": {"input_tokens": 1000, "output_tokens": 100, "total_tokens": 1100}});
    let mut events = vec![event_line(
        &json!({"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}}),
    )];
    for (index, item) in output.iter().enumerate() {
        events.push(event_line(
            &json!({"type": "response.output_item.added", "output_index": index}),
        ));
        events.push(event_line(
            &json!({"type": "response.output_item.done", "output_index": index, "item": item}),
        ));
    }
    events.push(event_line(&json!({"type": "response.completed", "response": whole})));
    (whole, events)
}

fn messages_reply(text: &str, calls: &Calls<'_>) -> (Value, Vec<String>) {
    let usage = json!({"input_tokens": 400, "cache_read_input_tokens": 600, "output_tokens": 100});
    let said = (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
    let call = |(id, name, arguments): &(String, &str, &Value)| json!({"type": "tool_use", "id": id, "name": name, "input": arguments});
    let content: Vec<Value> = said.into_iter().chain(calls.iter().map(call)).collect();
    let reason = if calls.is_empty() { "end_turn" } else { "tool_use" };
    let whole = json!({"type": "message", "role": "assistant", "content": content, "stop_reason": reason, "usage": usage});
    let mut events = vec![event_line(
        &json!({"type": "message_start", "message": {"content": [], "usage": usage}}),
    )];
    for (index, block) in content.iter().enumerate() {
        let is_text = block["type"] == "text";
        let mut empty = block.clone();
        empty[if is_text { "text" } else { "input" }] = if is_text { json!("") } else { json!({}) };
        events.push(event_line(
            &json!({"type": "content_block_start", "index": index, "content_block": empty}),
        ));
        let deltas = match block["text"].as_str() {
            Some(text) => vec![json!({"type": "text_delta", "text": text})],
            None => argument_halves(&block["input"])
                .map(|half| json!({"type": "input_json_delta", "partial_json": half}))
                .to_vec(),
        };
        for delta in deltas {
            events.push(event_line(
                &json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ));
        }
        events.push(event_line(&json!({"type": "content_block_stop", "index": index})));
    }
    events.push(event_line(&json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 100}})));
    events.push(event_line(&json!({"type": "message_stop"})));
    (whole, events)
}
