//! `trajview mcp`: the tool with which an agent queries the layers of its run, as a server of the Model Context
//! Protocol.
//!
//! JSON-RPC 2.0, one message a line on standard input and output. This module knows no layer: queries go to the run's
//! socket ([`question_channel`]). Every line is answered or ignored, whatever it contains, and the next one is read.

use std::{
    io::{BufRead, Read},
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use trajview_formats::JsonFields;
use trajview_live::layers::question_channel::{self, ChannelQuestion};

use super::{CommandResult, Exit, output::Out};

/// Answer an agent's questions about the project (used by agents of `trajview live`, not by people)
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub struct McpArgs {
    /// Socket of the run
    #[arg(long, value_name = "PATH")]
    socket: PathBuf,
}

/// Supported versions of the protocol, the newest first.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const TOOL_NAME: &str = "search_project_state";

/// A longer line is no message (bytes).
const MOST_BYTES: u64 = 1 << 20;

/// Codes of JSON-RPC.
const NO_JSON: i64 = -32_700;
const NO_REQUEST: i64 = -32_600;
const NO_METHOD: i64 = -32_601;
const WRONG_PARAMETERS: i64 = -32_602;

pub fn run(args: &McpArgs, out: &mut Out) -> CommandResult {
    serve_lines(&mut std::io::stdin().lock(), out, &|query| search_layers(&args.socket, query))?;
    Ok(Exit::Fine)
}

/// Returns the answer to a query; the error is a sentence.
fn search_layers(socket: &Path, query: &str) -> Result<String, String> {
    let answer =
        question_channel::ask_run(socket, &ChannelQuestion::Search { query: query.to_owned() })?;
    match answer.failed {
        Some(why) if answer.text.is_empty() => Err(why),
        _ if answer.text.is_empty() => Ok("Nothing is known about that.".into()),
        _ => Ok(answer.text),
    }
}

/// Answers line by line until there are no more.
fn serve_lines(
    input: &mut impl BufRead,
    out: &mut Out,
    search: &dyn Fn(&str) -> Result<String, String>,
) -> std::io::Result<()> {
    loop {
        let mut line = vec![];
        if input.by_ref().take(MOST_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.last() != Some(&b'\n') && line.len() as u64 == MOST_BYTES {
            skip_line(input)?;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let answer = match serde_json::from_slice(&line) {
            Ok(Value::Array(all)) if !all.is_empty() => {
                let answers: Vec<Value> =
                    all.iter().filter_map(|message| answer_message(message, search)).collect();
                (!answers.is_empty()).then_some(Value::Array(answers))
            }
            Ok(message) => answer_message(&message, search),
            Err(why) => Some(error_response(&Value::Null, NO_JSON, &format!("no JSON: {why}"))),
        };
        if let Some(answer) = answer {
            out.print_line(&answer.to_string())?;
            out.finish()?;
        }
    }
}

/// Passes over the rest of a line that is too long.
fn skip_line(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let piece = input.fill_buf()?;
        let end = piece.iter().position(|byte| *byte == b'\n');
        let (count, is_over) = (end.map_or(piece.len(), |at| at + 1), end.is_some());
        let is_over = is_over || piece.is_empty();
        input.consume(count);
        if is_over {
            return Ok(());
        }
    }
}

/// Returns the answer to a message. None for one that wants none.
fn answer_message(
    message: &Value,
    search: &dyn Fn(&str) -> Result<String, String>,
) -> Option<Value> {
    let id = message.get("id");
    let Some(method) = message.text("method") else {
        // An answer to us, which never ask, is none; anything else is no request.
        let is_answer = message.get("result").is_some() || message.get("error").is_some();
        let id = id.unwrap_or(&Value::Null);
        return (!is_answer)
            .then(|| error_response(id, NO_REQUEST, "expected a request with a method"));
    };
    let id = id?;
    let nothing = Value::Null;
    let parameters = message.get("params").unwrap_or(&nothing);
    let result = match method {
        "initialize" => Ok(initialize_result(parameters)),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({"tools": [tool_description()]})),
        "tools/call" => call_tool(parameters, search),
        other => Err((NO_METHOD, format!("unknown method {other}"))),
    };
    Some(match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err((code, why)) => error_response(id, code, &why),
    })
}

fn error_response(id: &Value, code: i64, why: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": why}})
}

/// Returns the requested version if it is supported, else the newest.
fn initialize_result(parameters: &Value) -> Value {
    let wanted = parameters.text("protocolVersion");
    let version = VERSIONS.into_iter().find(|it| Some(*it) == wanted).unwrap_or(VERSIONS[0]);
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {"listChanged": false}},
        "serverInfo": {"name": "trajview", "version": env!("CARGO_PKG_VERSION")},
        "instructions": "Ask search_project_state before you change what earlier requests may have laid down.",
    })
}

fn tool_description() -> Value {
    json!({
        "name": TOOL_NAME,
        "title": "Search the project's state",
        "description": "Finds what was laid down for this project in earlier requests: decisions, constraints, earlier \
                        modules. Ask with the files and names that you are about to touch.",
        "inputSchema": {
            "type": "object",
            "properties": {"query": {"type": "string", "description": "File paths, names and words."}},
            "required": ["query"],
            "additionalProperties": false,
        },
        "annotations": {
            "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
        },
    })
}

/// Returns the result of a tool call. A failed search is a result with `isError`, as the protocol requires.
fn call_tool(
    parameters: &Value,
    search: &dyn Fn(&str) -> Result<String, String>,
) -> Result<Value, (i64, String)> {
    let name = parameters.text("name").unwrap_or_default();
    if name != TOOL_NAME {
        return Err((WRONG_PARAMETERS, format!("unknown tool {name}; available: {TOOL_NAME}")));
    }
    let query = parameters.pointer("/arguments/query").and_then(Value::as_str);
    let query = query.ok_or_else(|| (WRONG_PARAMETERS, "expected a text as `query`".to_owned()))?;
    let (text, is_error) = match search(query) {
        Ok(text) => (text, false),
        Err(why) => (why, true),
    };
    Ok(json!({"content": [{"type": "text", "text": text}], "isError": is_error}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer_to(message: &str) -> Option<Value> {
        let message: Value = serde_json::from_str(message).unwrap();
        answer_message(&message, &|query| match query {
            "bad" => Err("no run answers".into()),
            query => Ok(format!("about {query}")),
        })
    }

    #[test]
    fn a_client_begins_lists_the_tool_and_calls_it() {
        let began = answer_to(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#).unwrap();
        let other = answer_to(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999"}}"#,
        )
        .unwrap();
        let listed = answer_to(r#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#).unwrap();
        let found = answer_to(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_project_state","arguments":{"query":"x.py"}}}"#).unwrap();
        let failed = answer_to(r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search_project_state","arguments":{"query":"bad"}}}"#).unwrap();

        assert_eq!(began["result"]["protocolVersion"], "2025-03-26");
        assert_eq!(other["result"]["protocolVersion"], VERSIONS[0]);
        assert_eq!(listed["result"]["tools"][0]["name"], TOOL_NAME);
        assert_eq!(listed["id"], "a");
        assert_eq!(found["result"]["content"][0]["text"], "about x.py");
        assert_eq!(failed["result"]["isError"], true);
        assert_eq!(answer_to(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), None);
        assert_eq!(
            answer_to(r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#).unwrap()["result"],
            json!({})
        );
    }

    #[test]
    fn whatever_is_asked_is_answered_with_an_error_where_it_is_wrong() {
        for (message, code) in [
            (r#"{"id":1,"method":"nothing"}"#, NO_METHOD),
            (r#"{"id":1,"method":"tools/call","params":{"name":"other"}}"#, WRONG_PARAMETERS),
            (r#"{"id":1,"method":"tools/call","params":[]}"#, WRONG_PARAMETERS),
            (
                r#"{"id":1,"method":"tools/call","params":{"name":"search_project_state","arguments":{"query":1}}}"#,
                WRONG_PARAMETERS,
            ),
            (r#"{"id":1}"#, NO_REQUEST),
            ("3", NO_REQUEST),
            ("[]", NO_REQUEST),
            (r#"{"method":7,"id":1}"#, NO_REQUEST),
        ] {
            let answer = answer_to(message).unwrap();
            assert_eq!(answer["error"]["code"], code, "{message}");
        }
        assert_eq!(answer_to(r#"{"id":1,"result":{}}"#), None);
    }
}
