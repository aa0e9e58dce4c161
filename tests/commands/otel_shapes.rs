//! Recordings of OpenTelemetry in every shape in which programs write them: the same session in each is the same run.

use serde_json::{Map, Value, json};
use trajview::{
    run::{Outcome, Run, Time, checkpoint_record::MeasureValue},
    store,
};

use crate::common::{cli_json, project_path, run_cli};

const DETAILS: &str = "gen_ai.client.inference.operation.details";

fn sample() -> Value {
    let text = std::fs::read_to_string(project_path("sample-runs/logs/otel.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn spans_of(document: &mut Value) -> &mut Vec<Value> {
    document.pointer_mut("/resourceSpans/0/scopeSpans/0/spans").unwrap().as_array_mut().unwrap()
}

fn read_run(name: &str, text: &str) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let opened = store::open(&path).unwrap_or_else(|why| panic!("{name}: {why}\n{text}"));
    Run::clone(&opened.run)
}

/// What must be equal in every shape: requests, steps with their calls and results, tokens.
fn gist(run: &Run) -> Vec<String> {
    let mut lines = vec![format!("{} {:?} {}", run.id, run.model, run.origin.format)];
    for turn in &run.turns {
        lines.push(format!("{} {:?}", turn.title, turn.tokens));
        for step in &turn.steps {
            let tool = step.tool.as_deref();
            let bytes = step.tool_result().map(|result| (result.bytes, result.exit_code));
            let name = tool.map(|tool| tool.name.as_ref());
            lines.push(format!("  {:?} {} {name:?} {bytes:?}", step.kind, step.label));
        }
    }
    lines
}

fn lines(values: impl IntoIterator<Item = Value>) -> String {
    values.into_iter().map(|value| format!("{value}\n")).collect()
}

fn request(spans: Value) -> Value {
    json!({ "resourceSpans": [{ "resource": {}, "scopeSpans": [{ "scope": {}, "spans": spans }] }] })
}

fn plain_attributes(span: &Value) -> Map<String, Value> {
    let pairs = span["attributes"].as_array().unwrap().iter();
    let value = |pair: &Value| match &pair["value"] {
        Value::Object(of_kind) => of_kind.values().next().cloned().unwrap(),
        other => other.clone(),
    };
    pairs.map(|pair| (pair["key"].as_str().unwrap().to_owned(), value(pair))).collect()
}

/// A span as the exporters of the SDKs print it.
fn sdk_span(span: &Value) -> Value {
    let time = |key: &str| {
        let nanos: i64 = span[key].as_str().unwrap().parse().unwrap();
        Time(nanos / 1_000_000).to_string()
    };
    json!({
        "name": span["name"],
        "context": { "trace_id": span["traceId"], "span_id": span["spanId"] },
        "kind": "SpanKind.CLIENT",
        "parent_id": null,
        "start_time": time("startTimeUnixNano"),
        "end_time": time("endTimeUnixNano"),
        "status": { "status_code": "UNSET" },
        "attributes": plain_attributes(span),
        "events": [],
    })
}

/// A value of JSON in the form of OTLP.
fn any_value(value: Value) -> Value {
    match value {
        Value::String(text) => json!({ "stringValue": text }),
        Value::Number(number) => json!({ "intValue": number.to_string() }),
        Value::Bool(flag) => json!({ "boolValue": flag }),
        Value::Null => json!({}),
        Value::Array(list) => {
            json!({ "arrayValue": { "values": list.into_iter().map(any_value).collect::<Value>() } })
        }
        Value::Object(fields) => {
            let pair = |(key, value)| json!({ "key": key, "value": any_value(value) });
            json!({ "kvlistValue": { "values": fields.into_iter().map(pair).collect::<Value>() } })
        }
    }
}

/// Takes the attributes with messages off a span.
fn take_messages(span: &mut Value) -> Vec<Value> {
    let list = span["attributes"].as_array_mut().unwrap();
    let is_messages = |pair: &Value| pair["key"].as_str().unwrap().ends_with(".messages");
    let taken = list.iter().filter(|it| is_messages(it)).cloned().collect();
    list.retain(|pair| !is_messages(pair));
    taken
}

fn is_chat(span: &Value) -> bool {
    span["name"].as_str().unwrap().starts_with("chat")
}

#[test]
fn one_session_is_the_same_run_in_every_shape() {
    let expected = gist(&read_run("a.json", &sample().to_string()));
    assert!(expected.len() >= 8, "{expected:#?}");
    let spans = spans_of(&mut sample()).clone();
    let mut shapes: Vec<(&str, String)> = vec![];

    let requests = spans.iter().map(|span| request(json!([span])));
    shapes.push(("requests as lines", lines(requests)));
    shapes.push(("spans of an SDK as lines", lines(spans.iter().map(sdk_span))));
    let list: Value = spans.iter().map(sdk_span).collect();
    shapes.push(("spans of an SDK as a list", list.to_string()));

    let schema_names = [
        ("resourceSpans", "resource_spans"),
        ("scopeSpans", "scope_spans"),
        ("traceId", "trace_id"),
        ("spanId", "span_id"),
        ("parentSpanId", "parent_span_id"),
        ("startTimeUnixNano", "start_time_unix_nano"),
        ("endTimeUnixNano", "end_time_unix_nano"),
        ("stringValue", "string_value"),
        ("intValue", "int_value"),
    ];
    let renamed = schema_names.iter().fold(sample().to_string(), |text, (json, schema)| {
        text.replace(&format!("\"{json}\""), &format!("\"{schema}\""))
    });
    shapes.push(("names of the schema", renamed));

    let mut structured = sample();
    for span in spans_of(&mut structured) {
        for pair in span["attributes"].as_array_mut().unwrap() {
            let text = pair["value"]["stringValue"].as_str().unwrap_or_default().to_owned();
            if pair["key"].as_str().unwrap().ends_with(".messages") {
                pair["value"] = any_value(serde_json::from_str(&text).unwrap());
            }
        }
    }
    shapes.push(("messages as values", structured.to_string()));

    let mut with_events = sample();
    for span in spans_of(&mut with_events).iter_mut().filter(|span| is_chat(span)) {
        let attributes = take_messages(span);
        let time = span["endTimeUnixNano"].clone();
        span["events"] =
            json!([{ "name": DETAILS, "timeUnixNano": time, "attributes": attributes }]);
    }
    shapes.push(("messages in an event of the span", with_events.to_string()));

    for repeats in [false, true] {
        let (mut without, mut records) = (sample(), vec![]);
        for span in spans_of(&mut without).iter_mut().filter(|span| is_chat(span)) {
            let whole = span.clone();
            let mut attributes = take_messages(span);
            if repeats {
                attributes = whole["attributes"].as_array().unwrap().clone();
                *span = whole;
            }
            records.push(json!({ "eventName": DETAILS, "timeUnixNano": span["startTimeUnixNano"],
                "traceId": span["traceId"], "spanId": span["spanId"], "attributes": attributes }));
        }
        let logs = json!({ "resourceLogs": [{ "scopeLogs": [{ "logRecords": records }] }] });
        let name = if repeats { "messages in both" } else { "messages in log records" };
        shapes.push((name, lines([without, logs])));
    }

    for (shape, text) in shapes {
        let ending = if text.trim().lines().count() > 1 { "jsonl" } else { "json" };
        let run = read_run(&format!("a.{ending}"), &text);
        assert_eq!(gist(&run), expected, "{shape}");
        assert_eq!(run.warnings, [], "{shape}");
    }
}

#[test]
fn the_sample_of_each_shape_has_the_requests_calls_and_tokens_of_the_first() {
    let whole = |run: &Run| gist(run);
    let expected = whole(&read_run("a.json", &sample().to_string()));
    let mut shapes = vec![];
    for path in store::runs_below(&project_path("sample-runs/logs/otel-shapes")) {
        let run = Run::clone(&store::open(&path).unwrap().run);
        assert_eq!(whole(&run), expected, "{}", path.display());
        assert_eq!(run.warnings, [], "{}", path.display());
        shapes.push(path);
    }
    assert_eq!(shapes.len(), 8, "{shapes:?}");
}

#[test]
fn each_choice_of_a_response_is_shown() {
    let record = |name: &str, second: u64, body: Value| json!({ "eventName": name, "timeUnixNano": format!("{second}000000000"), "spanId": "s1", "body": any_value(body) });
    let choice =
        |text: &str| json!({ "index": 0, "message": { "role": "assistant", "content": text } });
    let records = [
        record("gen_ai.user.message", 1790000001, json!({ "content": "Ask" })),
        record("gen_ai.choice", 1790000002, choice("One.")),
        record("gen_ai.choice", 1790000002, choice("Two.")),
    ];
    let logs = json!({ "resourceLogs": [{ "scopeLogs": [{ "logRecords": records }] }] });

    let run = read_run("a.json", &logs.to_string());

    let labels: Vec<&str> = run.turns[0].steps.iter().map(|step| &*step.label).collect();
    assert_eq!(labels, ["One.", "Two."]);
}

#[test]
fn evaluations_are_recorded_scores_with_their_source() {
    let evaluation = |name: &str, value: f64, label: &str| {
        let text = |key: &str, text: &str| json!({ "key": format!("gen_ai.evaluation.{key}"), "value": { "stringValue": text } });
        let score =
            json!({ "key": "gen_ai.evaluation.score.value", "value": { "doubleValue": value } });
        let attributes = json!([
            text("name", name),
            score,
            text("score.label", label),
            text("explanation", "so")
        ]);
        json!({ "name": "gen_ai.evaluation.result", "timeUnixNano": "1790000009000000000", "attributes": attributes })
    };
    let mut document = sample();
    spans_of(&mut document)[0]["events"] =
        json!([evaluation("relevance", 0.75, "relevant"), evaluation("tests", 1.0, "pass")]);

    let run = read_run("a.json", &document.to_string());

    let trial = run.trial.as_deref().unwrap();
    assert_eq!(trial.outcome, Some(Outcome::Passed));
    assert_eq!((trial.reward, trial.reward_name.as_deref()), (Some(1.0), Some("tests")));
    assert_eq!(trial.other_rewards, [("relevance".into(), 0.75)]);
    assert_eq!(&*trial.source, "a.json");
    let recorded: Vec<_> =
        run.recorded.iter().map(|it| (&*it.source, &*it.name, it.value.clone())).collect();
    assert_eq!(recorded[0], ("a.json", "relevance", MeasureValue::Number(0.75)));
    assert_eq!(recorded[1], ("a.json", "relevance.label", MeasureValue::Text("relevant".into())));
    assert_eq!(recorded.len(), 6);
    assert_eq!(run.warnings, []);
}

#[test]
fn a_run_written_as_otlp_reads_as_the_same_run() {
    let logs = ["otel.json", "pi.jsonl", "amp.json", "qwen-code.jsonl", "opencode.export.json"];
    for log in logs {
        let run = format!("sample-runs/logs/{log}");
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("spans.json").display().to_string();
        let ran = run_cli(&["export", "--otlp", &run, "--redact", "off", "--out", &out]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);

        let (before, after) =
            (cli_json(&["show", &run, "--json"]), cli_json(&["show", &out, "--json"]));

        assert_eq!(after["run"]["format"], "otel");
        for key in ["id", "model"] {
            assert_eq!(before["run"][key], after["run"][key], "{key} of {run}");
        }
        let of = |shown: &Value, key: &str| -> Vec<Value> {
            shown["turns"].as_array().unwrap().iter().map(|turn| turn[key].clone()).collect()
        };
        let reasons = ["cuts of the context", "program", "unknown kinds", "sub-agents"];
        let has_all = !reasons.iter().any(|reason| ran.err.contains(reason));
        let keys = ["request", "tool_calls", "started_at", "steps"];
        for key in &keys[..if has_all { 4 } else { 3 }] {
            assert_eq!(of(&before, key), of(&after, key), "{key} of {run}");
        }
        if !ran.err.contains("that no response has") {
            for key in ["input", "output"] {
                let of = |shown: &Value| -> Vec<Value> {
                    of(shown, "tokens").into_iter().map(|tokens| tokens[key].clone()).collect()
                };
                assert_eq!(of(&before), of(&after), "{key} tokens of {run}");
            }
        }
    }
}

#[test]
fn ids_of_spans_are_hex_digits_and_each_is_there_once() {
    let run = "sample-runs/codex-p12";
    let document = cli_json(&["export", "--otlp", run]);
    let mut document = document;
    let spans = spans_of(&mut document).clone();
    let ids: std::collections::BTreeSet<&str> =
        spans.iter().map(|span| span["spanId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), spans.len());
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(ids.iter().all(|id| id.len() == 16 && is_hex(id)));
    for span in &spans {
        assert!(span["traceId"].as_str().is_some_and(|id| id.len() == 32 && is_hex(id)));
        let parent = span.get("parentSpanId").map(|parent| parent.as_str().unwrap());
        assert!(parent.is_none_or(|parent| ids.contains(parent)));
    }
}
