//! The form of a trajectory by version 1.8 of RFC 0001: which fields an object has, of which type, and the rules between
//! them. Older versions have fewer fields and the same types.

use std::collections::HashSet;

use crate::{
    FormFault,
    json_object::{self, JsonObject},
    tape::{JsonTape, TapeValue},
};
use trajview_run::Time;

use FieldShape::{Anything, Content, Count, Flag, List, Number, Object, Text, Word};

/// The type of a value.
#[derive(Clone, Copy)]
enum FieldShape {
    Text,
    /// A text of a closed list.
    Word(&'static [&'static str]),
    /// A whole number that is not negative.
    Count,
    Number,
    Flag,
    /// An object with any fields.
    Anything,
    /// An object of the form.
    Object(&'static FormObject),
    List(&'static Self),
    /// A text, or a list of parts.
    Content,
    /// A qualitative or a quantitative effort.
    TextOrNumber,
}

/// An object of the form: its fields, and the rules between them.
struct FormObject {
    name: &'static str,
    fields: &'static [(&'static str, FieldShape)],
    /// The number of fields at the start that must be there.
    required: usize,
    rules: FormRules,
}

/// The rules between the fields of an object.
#[derive(Clone, Copy)]
enum FormRules {
    Nothing,
    Trajectory,
    Step,
    Reference,
    Part,
}

static TRAJECTORY: FormObject = FormObject {
    name: "trajectory",
    fields: &[
        ("schema_version", Word(&VERSIONS)),
        ("agent", Object(&AGENT)),
        ("steps", List(&Object(&STEP))),
        ("session_id", Text),
        ("trajectory_id", Text),
        ("notes", Text),
        ("final_metrics", Object(&FINAL_METRICS)),
        ("continued_trajectory_ref", Text),
        ("subagent_trajectories", List(&Object(&TRAJECTORY))),
        ("extra", Anything),
    ],
    required: 3,
    rules: FormRules::Trajectory,
};

const VERSIONS: [&str; 9] = [
    "ATIF-v1.0",
    "ATIF-v1.1",
    "ATIF-v1.2",
    "ATIF-v1.3",
    "ATIF-v1.4",
    "ATIF-v1.5",
    "ATIF-v1.6",
    "ATIF-v1.7",
    "ATIF-v1.8",
];

static AGENT: FormObject = FormObject {
    name: "agent",
    fields: &[
        ("name", Text),
        ("version", Text),
        ("model_name", Text),
        ("tool_definitions", List(&Anything)),
        ("extra", Anything),
    ],
    required: 2,
    rules: FormRules::Nothing,
};

static STEP: FormObject = FormObject {
    name: "step",
    fields: &[
        ("step_id", Count),
        ("source", Word(&["system", "user", "agent"])),
        ("message", Content),
        ("timestamp", Text),
        ("model_name", Text),
        ("reasoning_effort", FieldShape::TextOrNumber),
        ("reasoning_content", Text),
        ("tool_calls", List(&Object(&TOOL_CALL))),
        ("observation", Object(&OBSERVATION)),
        ("metrics", Object(&METRICS)),
        ("is_copied_context", Flag),
        ("llm_call_count", Count),
        ("extra", Anything),
    ],
    required: 3,
    rules: FormRules::Step,
};

/// The fields that only a step of the agent may have.
const AGENT_FIELDS: [&str; 5] =
    ["model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"];

static TOOL_CALL: FormObject = FormObject {
    name: "tool call",
    fields: &[
        ("tool_call_id", Text),
        ("function_name", Text),
        ("arguments", Anything),
        ("extra", Anything),
    ],
    required: 3,
    rules: FormRules::Nothing,
};

static OBSERVATION: FormObject = FormObject {
    name: "observation",
    fields: &[("results", List(&Object(&RESULT)))],
    required: 1,
    rules: FormRules::Nothing,
};

static RESULT: FormObject = FormObject {
    name: "result",
    fields: &[
        ("source_call_id", Text),
        ("content", Content),
        ("subagent_trajectory_ref", List(&Object(&SUBAGENT_REF))),
        ("extra", Anything),
    ],
    required: 0,
    rules: FormRules::Nothing,
};

static SUBAGENT_REF: FormObject = FormObject {
    name: "reference",
    fields: &[
        ("trajectory_id", Text),
        ("trajectory_path", Text),
        ("session_id", Text),
        ("extra", Anything),
    ],
    required: 0,
    rules: FormRules::Reference,
};

static METRICS: FormObject = FormObject {
    name: "metrics",
    fields: &[
        ("prompt_tokens", Count),
        ("completion_tokens", Count),
        ("cached_tokens", Count),
        ("cost_usd", Number),
        ("prompt_token_ids", List(&Count)),
        ("completion_token_ids", List(&Count)),
        ("logprobs", List(&Number)),
        ("extra", Anything),
    ],
    required: 0,
    rules: FormRules::Nothing,
};

static FINAL_METRICS: FormObject = FormObject {
    name: "final metrics",
    fields: &[
        ("total_prompt_tokens", Count),
        ("total_completion_tokens", Count),
        ("total_cached_tokens", Count),
        ("total_cost_usd", Number),
        ("total_steps", Count),
        ("extra", Anything),
    ],
    required: 0,
    rules: FormRules::Nothing,
};

static PART: FormObject = FormObject {
    name: "content part",
    fields: &[
        ("type", Word(&["text", "image", "audio"])),
        ("text", Text),
        ("source", Object(&PART_SOURCE)),
    ],
    required: 1,
    rules: FormRules::Part,
};

static PART_SHAPE: FieldShape = Object(&PART);

static PART_SOURCE: FormObject = FormObject {
    name: "source",
    fields: &[("media_type", Text), ("path", Text), ("duration_sec", Number)],
    required: 2,
    rules: FormRules::Nothing,
};

const IMAGE_TYPES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// The registered types of audio, and the names that producers write for them.
const AUDIO_TYPES: [&str; 19] = [
    "audio/wav",
    "audio/mpeg",
    "audio/mp4",
    "audio/aac",
    "audio/ogg",
    "audio/flac",
    "audio/webm",
    "audio/aiff",
    "audio/mp3",
    "audio/mpga",
    "audio/x-mpeg",
    "audio/x-wav",
    "audio/wave",
    "audio/vnd.wave",
    "audio/x-m4a",
    "audio/m4a",
    "audio/x-aac",
    "audio/x-flac",
    "audio/x-aiff",
];

/// The most faults of a file that are listed.
const MOST_FAULTS: usize = 100;

/// The greatest depth of sub-agents within sub-agents that is checked.
const MOST_DEPTH: usize = 64;

/// Returns the faults of a trajectory in the order of the rules; empty where it is valid.
pub(super) fn trajectory_faults(text: &str) -> Vec<FormFault> {
    let Some(tape) = JsonTape::parse(text) else { return vec![] };
    let mut check = FormCheck { text, faults: vec![], more: 0, depth: 0 };
    check.check_value("", tape.root(), Object(&TRAJECTORY));
    if check.more > 0 {
        let what = format!("{} more faults of ATIF 1.8", check.more);
        check.faults.push(FormFault { offset: 0, what });
    }
    check.faults
}

struct FormCheck<'a> {
    text: &'a str,
    faults: Vec<FormFault>,
    /// The number of faults that are not listed.
    more: usize,
    depth: usize,
}

impl FormCheck<'_> {
    fn add_fault(&mut self, path: &str, at: TapeValue<'_>, what: &str) {
        if self.faults.len() == MOST_FAULTS {
            self.more += 1;
            return;
        }
        let offset = (at.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let path = if path.is_empty() { "the trajectory" } else { path };
        self.faults.push(FormFault { offset, what: format!("ATIF 1.8: {path}: {what}") });
    }

    fn check_value(&mut self, path: &str, value: TapeValue<'_>, shape: FieldShape) {
        let wanted = match shape {
            Object(form) => return self.check_object(path, value, form),
            List(shape) if value.is_list() => {
                for (at, element) in value.elements().enumerate() {
                    self.check_value(&format!("{path}[{at}]"), element, *shape);
                }
                return;
            }
            Content if value.is_list() => {
                return self.check_value(path, value, List(&PART_SHAPE));
            }
            Word(words) => {
                let is_word = |text: &str| words.contains(&text);
                if json_object::string_text(value).is_some_and(|text| is_word(&text)) {
                    return;
                }
                let last = words.last().copied().unwrap_or_default();
                if words.len() > 3 { format!("a version up to {last}") } else { words.join(", ") }
            }
            shape if shape.is_shape_of(value) => return,
            shape => shape.noun().to_owned(),
        };
        self.add_fault(path, value, &format!("expected {wanted}, found {}", found_text(value)));
    }

    fn check_object(&mut self, path: &str, value: TapeValue<'_>, form: &'static FormObject) {
        let Some(object) = JsonObject::from_value(value) else {
            return self.add_fault(path, value, &format!("the {} is not an object", form.name));
        };
        if self.depth == MOST_DEPTH {
            return;
        }
        self.depth += 1;
        for (at, (key, _)) in form.fields.iter().enumerate() {
            if at < form.required && object.get(key).is_none() {
                self.add_fault(path, value, &format!("the {} has no {key}", form.name));
            }
        }
        for (key, field) in object.fields() {
            let inner = join_path(path, &key);
            match form.fields.iter().find(|(name, _)| *name == key) {
                None => {
                    self.add_fault(&inner, field, &format!("unknown field of the {}", form.name))
                }
                Some(_) if field.is_null() => {}
                Some((_, shape)) => self.check_value(&inner, field, *shape),
            }
        }
        match form.rules {
            FormRules::Nothing => {}
            FormRules::Trajectory => self.check_trajectory_rules(path, object),
            FormRules::Step => self.check_step(path, object),
            FormRules::Reference => self.check_reference(path, object),
            FormRules::Part => self.check_part(path, object),
        }
        self.depth -= 1;
    }

    /// Adds the faults that no single field shows: no steps, wrong step ids, repeated or missing ids of sub-agents, a wrong total
    /// of steps.
    fn check_trajectory_rules(&mut self, path: &str, trajectory: JsonObject<'_>) {
        let steps = trajectory.elements_of("steps");
        if let Some(at) = trajectory.get("steps").filter(|list| list.is_list() && steps.is_empty())
        {
            self.add_fault(&join_path(path, "steps"), at, "expected at least one step");
        }
        for (at, step) in steps.iter().enumerate() {
            let id = JsonObject::from_value(*step).and_then(|step| step.get("step_id"));
            let Some(id) = id.filter(|id| Count.is_shape_of(*id)) else { continue };
            if id.get().parse() != Ok(at + 1) {
                let inner = format!("{}[{at}].step_id", join_path(path, "steps"));
                self.add_fault(&inner, id, &format!("expected {}, found {}", at + 1, id.get()));
            }
        }
        let mut seen = HashSet::new();
        let agents = trajectory.elements_of("subagent_trajectories");
        for (at, agent) in agents.into_iter().enumerate() {
            let inner = format!("{}[{at}]", join_path(path, "subagent_trajectories"));
            match JsonObject::from_value(agent).map(|agent| agent.text("trajectory_id")) {
                Some(None) => self.add_fault(&inner, agent, "a sub-agent needs a trajectory_id"),
                Some(Some(id)) if !seen.insert(id.clone()) => {
                    self.add_fault(&inner, agent, &format!("a second trajectory_id {id}"));
                }
                _ => {}
            }
        }
        let totals = trajectory.object("final_metrics").unwrap_or_default();
        let total = totals.get("total_steps").filter(|it| Count.is_shape_of(*it));
        if let Some(total) = total.filter(|_| trajectory.get("notes").is_none())
            && total.get().parse() != Ok(steps.len())
        {
            let inner = join_path(path, "final_metrics.total_steps");
            let what = format!("expected {}, or notes that say why not", steps.len());
            self.add_fault(&inner, total, &what);
        }
    }

    fn check_step(&mut self, path: &str, step: JsonObject<'_>) {
        let source = step.text("source").unwrap_or_default();
        for key in AGENT_FIELDS.iter().filter(|_| source != "agent") {
            if let Some(value) = step.get(key) {
                let what = format!("only a step of the agent may have it, and this is of {source}");
                self.add_fault(&join_path(path, key), value, &what);
            }
        }
        if step.number("llm_call_count") == Some(0) && source == "agent" {
            for key in ["metrics", "reasoning_content"] {
                if let Some(value) = step.get(key) {
                    let what = "a step without a call of a model has none";
                    self.add_fault(&join_path(path, key), value, what);
                }
            }
        }
        if let Some(at) = step.get("timestamp")
            && json_object::string_text(at).is_some_and(|text| Time::parse(&text).is_none())
        {
            let what = format!("expected a time by ISO 8601, found {}", found_text(at));
            self.add_fault(&join_path(path, "timestamp"), at, &what);
        }
        let calls = step.elements_of("tool_calls").into_iter().filter_map(JsonObject::from_value);
        let ids: HashSet<_> = calls.filter_map(|call| call.text("tool_call_id")).collect();
        let observation = step.object("observation").unwrap_or_default();
        for (at, result) in observation.elements_of("results").into_iter().enumerate() {
            let id = JsonObject::from_value(result).and_then(|it| it.text("source_call_id"));
            if let Some(id) = id.filter(|id| !ids.contains(id)) {
                let inner =
                    format!("{}[{at}].source_call_id", join_path(path, "observation.results"));
                self.add_fault(&inner, result, &format!("no call of this step has the id {id}"));
            }
        }
    }

    fn check_reference(&mut self, path: &str, reference: JsonObject<'_>) {
        let keys = ["trajectory_id", "trajectory_path"];
        if let Some(at) = reference.as_value()
            && keys.iter().all(|key| reference.get(key).is_none())
        {
            self.add_fault(path, at, "the reference has neither trajectory_id nor trajectory_path");
        }
    }

    fn check_part(&mut self, path: &str, part: JsonObject<'_>) {
        let Some(at) = part.as_value() else { return };
        let kind = part.text("type").unwrap_or_default();
        let (wanted, unwanted) =
            if kind == "text" { ("text", "source") } else { ("source", "text") };
        if part.get(wanted).is_none() {
            self.add_fault(path, at, &format!("a part of type {kind} needs {wanted}"));
        }
        if let Some(value) = part.get(unwanted) {
            let what = format!("a part of type {kind} has none");
            self.add_fault(&join_path(path, unwanted), value, &what);
        }
        let types: &[&str] = match &*kind {
            "image" => &IMAGE_TYPES,
            "audio" => &AUDIO_TYPES,
            _ => return,
        };
        let source = part.object("source").unwrap_or_default();
        let inner = join_path(path, "source");
        if let Some(media_type) = source.text("media_type")
            && !types.contains(&&*media_type.trim().to_ascii_lowercase())
        {
            self.add_fault(&inner, at, &format!("{media_type} is not a media type of {kind}"));
        }
        if let Some(seconds) = source.get("duration_sec").filter(|_| kind == "image") {
            self.add_fault(&join_path(&inner, "duration_sec"), seconds, "an image has no duration");
        }
    }
}

impl FieldShape {
    /// Returns whether a value is of this type; lists and objects are looked at by [`FormCheck::check_value`].
    fn is_shape_of(self, value: TapeValue<'_>) -> bool {
        match self {
            Text | Content => value.is_string(),
            Word(_) | List(_) | Object(_) => false,
            Count => value.get().parse::<u64>().is_ok(),
            Number => value.is_number(),
            Flag => matches!(value.get(), "true" | "false"),
            Anything => value.is_object(),
            Self::TextOrNumber => value.is_string() || value.is_number(),
        }
    }

    const fn noun(self) -> &'static str {
        match self {
            Text | Word(_) => "a text",
            Content => "a text or a list of parts",
            Count => "a whole number",
            Number => "a number",
            Flag => "true or false",
            Anything | Object(_) => "an object",
            List(_) => "a list",
            Self::TextOrNumber => "a text or a number",
        }
    }
}

/// Returns a value as a fault names it: short values as they are written, others by their type.
fn found_text(value: TapeValue<'_>) -> String {
    let written = value.get();
    match () {
        () if value.is_object() => "an object".to_owned(),
        () if value.is_list() => "a list".to_owned(),
        () if written.chars().count() > 40 => "a long text".to_owned(),
        () => written.to_owned(),
    }
}

fn join_path(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        trajectory_faults(text).into_iter().map(|fault| fault.what).collect()
    }

    const AGENT_JSON: &str = r#""schema_version":"ATIF-v1.8","agent":{"name":"a","version":"1"}"#;

    #[test]
    fn a_trajectory_with_every_field_of_1_8_has_no_fault() {
        let text = format!(
            r#"{{{AGENT_JSON},"session_id":"s","trajectory_id":"t","notes":null,
            "final_metrics":{{"total_prompt_tokens":3,"total_cost_usd":0.5,"total_steps":2}},
            "steps":[
              {{"step_id":1,"source":"user","message":[{{"type":"text","text":"hear"}},
                {{"type":"audio","source":{{"media_type":"audio/mp3","path":"a.mp3","duration_sec":2.5}}}}]}},
              {{"step_id":2,"source":"agent","timestamp":"2026-05-16T12:00:00Z","message":"","reasoning_effort":"high",
                "reasoning_content":"so","llm_call_count":1,"metrics":{{"prompt_tokens":3,"logprobs":[-0.1]}},
                "tool_calls":[{{"tool_call_id":"c","function_name":"bash","arguments":{{}}}}],
                "observation":{{"results":[{{"source_call_id":"c","content":null,
                  "subagent_trajectory_ref":[{{"trajectory_id":"u"}}]}}]}}}}],
            "subagent_trajectories":[{{{AGENT_JSON},"trajectory_id":"u","steps":[{{"step_id":1,"source":"system","message":"m"}}]}}]}}"#
        );
        assert_eq!(faults(&text), Vec::<String>::new());
    }

    #[test]
    fn each_fault_names_its_place() {
        let cases = [
            (r#""steps":[]"#, "steps: expected at least one step"),
            (
                r#""steps":[{"step_id":2,"source":"user","message":"m"}]"#,
                "steps[0].step_id: expected 1, found 2",
            ),
            (
                r#""steps":[{"step_id":1,"source":"person","message":"m"}]"#,
                "steps[0].source: expected system, user, agent, found \"person\"",
            ),
            (
                r#""steps":[{"step_id":1,"source":"user","message":7}]"#,
                "steps[0].message: expected a text or a list of parts, found 7",
            ),
            (
                r#""steps":[{"step_id":1,"source":"user","message":"m","metrics":{}}]"#,
                "steps[0].metrics: only a step of the agent may have it, and this is of user",
            ),
            (
                r#""steps":[{"step_id":1,"source":"agent","message":"m","llm_call_count":0,"reasoning_content":"r"}]"#,
                "steps[0].reasoning_content: a step without a call of a model has none",
            ),
            (
                r#""steps":[{"step_id":1,"source":"agent","message":"m","timestamp":"noon"}]"#,
                "steps[0].timestamp: expected a time by ISO 8601, found \"noon\"",
            ),
            (
                r#""steps":[{"step_id":1,"source":"agent","message":"m","observation":{"results":[{"source_call_id":"x"}]}}]"#,
                "steps[0].observation.results[0].source_call_id: no call of this step has the id x",
            ),
            (
                r#""steps":[{"step_id":1,"source":"agent","message":"m","observation":{"results":[{"subagent_trajectory_ref":[{"session_id":"s"}]}]}}]"#,
                "steps[0].observation.results[0].subagent_trajectory_ref[0]: the reference has neither trajectory_id nor trajectory_path",
            ),
            (
                r#""steps":[{"step_id":1,"source":"agent","message":[{"type":"image","source":{"media_type":"audio/wav","path":"p"}}]}]"#,
                "steps[0].message[0].source: audio/wav is not a media type of image",
            ),
            (
                r#""steps":[{"step_id":1,"source":"agent","message":"m"}],"subagent_trajectories":[{"agent":{"name":"b"}}]"#,
                "subagent_trajectories[0].agent: the agent has no version",
            ),
        ];
        for (fields, fault) in cases {
            let found = faults(&format!("{{{AGENT_JSON},{fields}}}"));
            let fault = format!("ATIF 1.8: {fault}");
            assert!(found.contains(&fault), "{fields}: {found:?}");
        }
    }

    #[test]
    fn an_older_version_has_the_same_form_and_a_newer_one_is_a_fault() {
        let of = |version: &str| {
            faults(&format!(
                r#"{{"schema_version":"{version}","agent":{{"name":"a","version":"1"}},"steps":[{{"step_id":1,"source":"user","message":"m"}}]}}"#
            ))
        };
        assert_eq!(of("ATIF-v1.2"), Vec::<String>::new());
        assert_eq!(
            of("ATIF-v2.0"),
            [r#"ATIF 1.8: schema_version: expected a version up to ATIF-v1.8, found "ATIF-v2.0""#]
        );
    }
}
