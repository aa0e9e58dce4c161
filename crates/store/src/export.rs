//! A run in forms that other programs read: the Agent Trajectory Interchange Format (ATIF 1.7, Harbor RFC 0001), and
//! messages in the form of OpenAI's API. With a report of what the form could not carry.

use serde_json::{Map, Value, json};

use trajview_code::patch::{LineKind, PatchHunk};
use trajview_run::{
    Edit, Role, Run, Step, StepId, StepKind, StepText, Time, Tokens, Turn,
    files::{RecordedChange, RecordedEdit},
};

use super::archive::{Archive, format_of};

/// A document, and sentences about what it does not hold of the run.
#[derive(Debug, Clone)]
pub struct ExportedDocument {
    pub document: Value,
    pub left_out: Vec<String>,
}

/// Returns the run as an ATIF 1.7 trajectory. What ATIF has no field for is in `extra`, where the reader of ATIF finds
/// it.
pub fn to_atif(run: &Run, archive: &Archive) -> ExportedDocument {
    let mut writer = ExportWriter { run, archive, left_out: vec![] };
    let mut steps = vec![];
    for turn in 0..run.turns.len() {
        writer.add_turn(turn, &mut steps);
    }
    number_steps(&mut steps);
    let agents: Vec<Value> =
        (0..run.subagents.len()).map(|agent| writer.subagent_json(agent)).collect();
    let mut document = json!({
        "schema_version": "ATIF-v1.7",
        "session_id": run.id,
        "agent": writer.agent_json(),
        "steps": steps,
        "final_metrics": writer.totals_json(),
    });
    let mut extra = Map::new();
    for (key, value) in [
        ("cwd", run.origin.root.as_deref()),
        ("title", Some(run.title.as_str())),
        ("task", run.task.as_ref().map(|task| task.id.as_str())),
        ("condition", run.condition.as_deref()),
        ("recorded_by", Some(run.origin.format)),
    ] {
        if let Some(value) = value {
            extra.insert(key.to_owned(), value.into());
        }
    }
    document["extra"] = extra.into();
    if !agents.is_empty() {
        document["subagent_trajectories"] = agents.into();
    }
    writer.report_left_out();
    ExportedDocument { document, left_out: writer.left_out }
}

/// Returns the run as messages: requests, words, calls and their results; nothing else is carried.
pub fn to_messages(run: &Run, archive: &Archive) -> ExportedDocument {
    let mut writer = ExportWriter { run, archive, left_out: vec![] };
    let mut all = vec![];
    for (turn, recorded) in run.turns.iter().enumerate() {
        if recorded.request.is_some() {
            all.push(json!({ "role": "user", "content": archive.request_with_added(run, turn) }));
        }
        for step in 0..recorded.steps.len() {
            writer.add_messages(StepId { turn, subagent: None, step }, &mut all);
        }
    }
    let mut document = json!({ "id": run.id, "messages": all });
    for (key, value) in [("model", &run.model), ("cwd", &run.origin.root)] {
        if let Some(value) = value {
            document[key] = value.clone().into();
        }
    }
    if !run.subagents.is_empty() {
        writer.left_out.push(format!("what {} sub-agents did", run.subagents.len()));
    }
    let changes = run.turns.iter().flat_map(|turn| &turn.steps).any(|step| !step.edits.is_empty());
    if changes {
        writer
            .left_out
            .push("changes of files, but for what the arguments of calls say".to_owned());
    }
    writer.report_left_out();
    ExportedDocument { document, left_out: writer.left_out }
}

/// Returns how many messages [`to_messages`] makes of a run, without reading their words.
pub fn message_count(run: &Run) -> usize {
    let of_step = |step: &Step| match (step.kind, &step.tool) {
        (StepKind::Tool | StepKind::SubAgent, None) => 0,
        (StepKind::Tool | StepKind::SubAgent, Some(tool)) => 1 + usize::from(tool.result.is_some()),
        (StepKind::Message | StepKind::Thinking | StepKind::Compaction | StepKind::Unknown, _) => 1,
    };
    let of_turn = |turn: &Turn| {
        usize::from(turn.request.is_some()) + turn.steps.iter().map(of_step).sum::<usize>()
    };
    run.turns.iter().map(of_turn).sum()
}

struct ExportWriter<'r> {
    run: &'r Run,
    archive: &'r Archive,
    left_out: Vec<String>,
}

impl ExportWriter<'_> {
    fn agent_json(&self) -> Value {
        let run = self.run;
        let named =
            |text: &str| if text.is_empty() { "unknown".to_owned() } else { text.to_owned() };
        let mut agent = json!({
            "name": named(&run.agent.name),
            "version": run.agent.version.as_deref().map_or("unknown".to_owned(), named),
        });
        if let Some(model) = &run.model {
            agent["model_name"] = model.clone().into();
        }
        agent
    }

    fn totals_json(&self) -> Value {
        let run = self.run;
        let tokens = run.turns.iter().fold(Tokens::default(), |sum, turn| sum + turn.tokens);
        let costs: Vec<f64> = run.turns.iter().filter_map(|turn| turn.cost_usd).collect();
        let mut totals = token_metrics(
            tokens,
            "total_prompt_tokens",
            "total_completion_tokens",
            "total_cached_tokens",
        );
        if !costs.is_empty() {
            totals.insert("total_cost_usd".into(), json!(costs.iter().sum::<f64>()));
        }
        totals.into()
    }

    fn add_turn(&mut self, turn: usize, steps: &mut Vec<Value>) {
        let recorded = &self.run.turns[turn];
        let first = steps.len();
        if recorded.request.is_some() || turn > 0 {
            let mut user_step =
                json!({ "source": "user", "message": self.archive.request_text(self.run, turn) });
            set_timestamp(&mut user_step, recorded.started_at);
            steps.push(user_step);
        }
        for step in 0..recorded.steps.len() {
            let made = self.step_json(StepId { turn, subagent: None, step });
            steps.push(made);
        }
        let counted = self.run.steps_of_turn(turn).into_iter().filter_map(|id| self.run.step(id));
        let counted = counted.fold(Tokens::default(), |sum, step| sum + step.tokens);
        if counted != recorded.tokens {
            self.left_out.push(format!("tokens of turn {} that no step has", turn + 1));
        }
        if let Some(cost) = recorded.cost_usd {
            match steps[first..].iter_mut().find(|step| step["source"] == "agent") {
                Some(step) => step["metrics"]["cost_usd"] = json!(cost),
                None => self.left_out.push(format!("the cost of turn {}", turn + 1)),
            }
        }
    }

    fn step_json(&mut self, id: StepId) -> Value {
        let Some(step) = self.run.step(id) else { return Value::Null };
        let text = self.archive.step_text(self.run, id);
        let source = match (step.kind, step.role) {
            (StepKind::Tool | StepKind::SubAgent | StepKind::Thinking, _)
            | (StepKind::Message, Role::Assistant) => "agent",
            _ => "system",
        };
        let mut made = json!({ "source": source, "message": text.text });
        set_timestamp(&mut made, step.started_at);
        let mut extra = Map::new();
        match step.kind {
            StepKind::Thinking => {
                made["reasoning_content"] = text.text.clone().into();
                made["message"] = "".into();
            }
            StepKind::Compaction => {
                extra.insert("context_management".into(), json!({ "type": "compaction" }));
            }
            StepKind::Unknown => {
                extra.insert("unknown_record".into(), true.into());
            }
            StepKind::Message if step.role == Role::User => {
                extra.insert("role".into(), "user".into());
            }
            StepKind::Message | StepKind::Tool | StepKind::SubAgent => {}
        }
        if step.is_error {
            extra.insert("is_error".into(), true.into());
        }
        if step.tool.is_some() || step.kind == StepKind::SubAgent {
            // Text beside a call belongs to the call: as a message it would be a step of its own.
            if !text.text.is_empty() {
                extra.insert("with_the_call".into(), text.text.clone().into());
                made["message"] = "".into();
            }
            self.add_call(step, &text, &mut made);
        } else if !step.edits.is_empty() {
            extra.insert("edits".into(), self.edits_json(step));
        }
        let step_tokens =
            token_metrics(step.tokens, "prompt_tokens", "completion_tokens", "cached_tokens");
        if !step_tokens.is_empty() {
            match source {
                "agent" => made["metrics"] = step_tokens.into(),
                _ => {
                    extra.insert("metrics".into(), step_tokens.into());
                }
            }
        }
        if !extra.is_empty() {
            made["extra"] = extra.into();
        }
        made
    }

    fn add_call(&mut self, step: &Step, text: &StepText, made: &mut Value) {
        // A branch that was left, or a sub-agent that no call is known to have started.
        if let (None, Some(agent)) = (&step.tool, step.subagent) {
            let id = self.run.subagents.get(agent).map(|agent| &agent.id);
            let seen =
                json!({ "content": "", "subagent_trajectory_ref": [{ "trajectory_id": id }] });
            made["message"] = (&*step.label).into();
            made["observation"] = json!({ "results": [seen] });
            return;
        }
        let (name, id, result) = match &step.tool {
            Some(tool) => (&*tool.name, &*tool.call_id, tool.result.as_ref()),
            None => ("sub-agent", "", None),
        };
        let id = match id {
            "" => format!("call-{}-{}-{}", step.place.source.0, step.place.start, step.place.part),
            id => id.to_owned(),
        };
        let arguments = text.arguments.clone().unwrap_or_default();
        let arguments = match serde_json::from_str::<Value>(&arguments) {
            Ok(Value::Object(fields)) => Value::Object(fields),
            _ => json!({ "command": arguments }),
        };
        let mut call = json!({ "tool_call_id": id, "function_name": name, "arguments": arguments });
        let mut extra = json!({ "label": step.label });
        if !step.edits.is_empty() {
            extra["edits"] = self.edits_json(step);
        }
        call["extra"] = extra;
        made["tool_calls"] = json!([call]);
        let agent = step.subagent.and_then(|agent| self.run.subagents.get(agent));
        if result.is_none() && agent.is_none() {
            return;
        }
        let mut seen =
            json!({ "source_call_id": id, "content": text.result.as_deref().unwrap_or_default() });
        let mut extra = Map::new();
        if let Some(result) = result {
            if result.is_error || result.is_ok {
                extra.insert("is_error".into(), result.is_error.into());
            }
            if let Some(code) = result.exit_code {
                extra.insert("exit_code".into(), code.into());
            }
            if let Some(time) = step.ended_at {
                extra.insert("ended_at".into(), time.to_string().into());
            }
        }
        if !extra.is_empty() {
            seen["extra"] = extra.into();
        }
        if let Some(agent) = agent {
            seen["subagent_trajectory_ref"] = json!([{ "trajectory_id": agent.id }]);
        }
        made["observation"] = json!({ "results": [seen] });
    }

    /// Changes of files, each whole: what reading the trajectory again makes edits of.
    fn edits_json(&self, step: &Step) -> Value {
        step.edits.iter().map(|edit| self.edit_json(edit)).collect()
    }

    fn edit_json(&self, edit: &Edit) -> Value {
        let body = format_of(self.run, edit.place)
            .and_then(|format| format.recorded_edit(&self.archive.record_bytes(edit.place), edit));
        let RecordedEdit { before, change } =
            body.unwrap_or(RecordedEdit { before: None, change: RecordedChange::NotRecorded });
        let mut fields = json!({ "path": edit.path.as_str(), "kind": edit.kind.word() });
        if let Some(from) = &edit.from {
            fields["from"] = from.as_str().into();
        }
        if let Some(before) = before {
            fields["before"] = before.into();
        }
        match change {
            RecordedChange::Write(text) => fields["content"] = text.into(),
            RecordedChange::Replace(parts) => {
                let part = |part: &trajview_run::files::Replacement| json!({ "old": part.old, "new": part.new, "all": part.all });
                fields["replace"] = parts.iter().map(part).collect();
            }
            RecordedChange::Patch(hunks) => fields["patch"] = unified_hunks(&hunks).into(),
            RecordedChange::Delete | RecordedChange::NotRecorded | RecordedChange::Binary => {}
        }
        if let (Some(added), removed) = (edit.added, edit.removed) {
            fields["lines"] = json!([added, removed]);
        }
        fields
    }

    fn subagent_json(&mut self, agent: usize) -> Value {
        let recorded = &self.run.subagents[agent];
        let turn = recorded.parent.map_or(0, |parent| parent.turn);
        let mut steps: Vec<Value> = vec![];
        if recorded.steps.is_empty() {
            steps.push(json!({ "source": "system", "message": recorded.title }));
        }
        for step in 0..recorded.steps.len() {
            steps.push(self.step_json(StepId { turn, subagent: Some(agent), step }));
        }
        number_steps(&mut steps);
        json!({ "schema_version": "ATIF-v1.7", "trajectory_id": recorded.id, "agent": { "name": recorded.name, "version": "unknown" }, "steps": steps, "extra": { "title": recorded.title } })
    }

    fn add_messages(&mut self, id: StepId, all: &mut Vec<Value>) {
        let Some(step) = self.run.step(id) else { return };
        let text = self.archive.step_text(self.run, id);
        match step.kind {
            StepKind::Tool | StepKind::SubAgent => {
                let Some(tool) = &step.tool else { return };
                let call = if tool.call_id.is_empty() {
                    format!("call-{}-{}", id.turn, id.step)
                } else {
                    tool.call_id.to_string()
                };
                let arguments = text.arguments.unwrap_or_default();
                let arguments = match serde_json::from_str::<Value>(&arguments) {
                    Ok(Value::Object(_)) => arguments,
                    _ => json!({ "command": arguments }).to_string(),
                };
                all.push(json!({ "role": "assistant", "content": text.text, "tool_calls": [
                    { "id": call, "type": "function", "function": { "name": tool.name, "arguments": arguments } }] }));
                if tool.result.is_some() {
                    all.push(json!({ "role": "tool", "tool_call_id": call, "content": text.result.unwrap_or_default() }));
                }
            }
            StepKind::Thinking => all.push(
                json!({ "role": "assistant", "content": "", "reasoning_content": text.text }),
            ),
            StepKind::Message if step.role == Role::Assistant => {
                all.push(json!({ "role": "assistant", "content": text.text }))
            }
            StepKind::Message | StepKind::Compaction | StepKind::Unknown => {
                all.push(json!({ "role": "system", "content": text.text }));
            }
        }
    }

    /// Reports what neither form has a field for.
    fn report_left_out(&mut self) {
        let run = self.run;
        let mut say = |is_there: bool, what: String| {
            if is_there {
                self.left_out.push(what);
            }
        };
        say(
            !run.checkpoints.is_empty(),
            format!("{} checkpoints with what was recorded of them", run.checkpoints.len()),
        );
        let commits = run.turns.iter().filter(|turn| turn.commit.is_some()).count();
        say(commits > 0, format!("the commits of {commits} turns"));
        say(run.rubric_tree.is_some(), "the rubric tree".to_owned());
        let added = run.turns.iter().filter(|turn| !turn.added.is_empty()).count();
        say(added > 0, format!("what the agent's program added to {added} requests"));
        let layers = run.turns.iter().filter(|turn| turn.layer.is_some()).count();
        say(layers > 0, format!("what a layer added to {layers} turns"));
        let states = run.turns.iter().filter(|turn| turn.record.is_some()).count();
        say(states > 0, format!("the recorded outcomes of {states} turns"));
        let unknown = run
            .turns
            .iter()
            .flat_map(|turn| &turn.steps)
            .filter(|step| step.kind == StepKind::Unknown)
            .count();
        say(
            unknown > 0,
            format!("the kinds of {unknown} records that are not known; they are carried as words"),
        );
    }
}

fn number_steps(steps: &mut [Value]) {
    for (step, number) in steps.iter_mut().zip(1..) {
        step["step_id"] = json!(number);
    }
}

fn set_timestamp(step: &mut Value, time: Option<Time>) {
    if let Some(time) = time {
        step["timestamp"] = time.to_string().into();
    }
}

/// Returns the recorded tokens only.
fn token_metrics(tokens: Tokens, input: &str, output: &str, cached: &str) -> Map<String, Value> {
    let mut made = Map::new();
    for (key, count) in
        [(input, tokens.input), (output, tokens.output), (cached, tokens.cached_input)]
    {
        if let Some(count) = count {
            made.insert(key.to_owned(), count.into());
        }
    }
    let more = [
        ("reasoning_tokens", tokens.reasoning),
        ("cache_write_tokens", tokens.cache_write),
        ("cache_write_1h_tokens", tokens.cache_write_1h),
    ];
    let more: Map<String, Value> =
        more.into_iter().filter_map(|(key, count)| Some((key.into(), count?.into()))).collect();
    if !more.is_empty() {
        made.insert("extra".to_owned(), more.into());
    }
    made
}

/// Returns hunks in unified form, with zeros where the dialect has no line numbers.
fn unified_hunks(hunks: &[PatchHunk]) -> String {
    let mut text = String::new();
    for hunk in hunks {
        let count = |kinds: [LineKind; 2]| {
            hunk.lines.iter().filter(|line| kinds.contains(&line.kind)).count()
        };
        let old = count([LineKind::Context, LineKind::Removed]);
        let new = count([LineKind::Context, LineKind::Added]);
        let start = |start: Option<usize>| start.unwrap_or(0);
        let anchor = hunk
            .anchor
            .as_deref()
            .map(|anchor| format!(" {}", anchor.replace('\n', " ")))
            .unwrap_or_default();
        text.push_str(&format!(
            "@@ -{},{old} +{},{new} @@{anchor}\n",
            start(hunk.old_start),
            start(hunk.new_start)
        ));
        for line in &hunk.lines {
            text.push(match line.kind {
                LineKind::Context => ' ',
                LineKind::Removed => '-',
                LineKind::Added => '+',
            });
            text.push_str(&line.text);
            text.push('\n');
            if !line.newline {
                text.push_str("\\ No newline at end of file\n");
            }
        }
    }
    text
}
