//! A run as an ATIF 1.8 trajectory (Agent Trajectory Interchange Format, Harbor RFC 0001).

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use trajview_code::patch::{LineKind, PatchHunk};
use trajview_run::{
    Edit, Role, Run, Step, StepId, StepKind, StepText, SubAgent, Time, Tokens,
    files::{RecordedChange, RecordedEdit},
};

use super::{Archive, ExportWriter, ExportedDocument, arguments_object};
use crate::archive::format_of;

/// The version that is written.
const ATIF_VERSION: &str = "ATIF-v1.8";

/// Returns the run as an ATIF 1.8 trajectory. What ATIF has no field for is in `extra`, where the reader of ATIF finds
/// it.
pub fn to_atif(run: &Run, archive: &Archive) -> ExportedDocument {
    let mut writer = ExportWriter::new(run, archive);
    writer.subagent_ids = subagent_ids(run);
    let mut steps = vec![];
    for turn in 0..run.turns.len() {
        writer.add_turn(turn, &mut steps);
    }
    number_steps(&mut steps);
    let agents: Vec<Value> =
        (0..run.subagents.len()).map(|agent| writer.subagent_json(agent)).collect();
    let mut document = json!({
        "schema_version": ATIF_VERSION,
        "session_id": run.id,
        "agent": writer.agent_json(),
        "final_metrics": writer.totals_json(steps.len()),
        "steps": steps,
    });
    let mut extra = Map::new();
    for (key, value) in [
        ("cwd", run.origin.root.as_deref()),
        ("title", Some(run.title.as_str())),
        ("task", run.task.as_ref().map(|task| task.id.as_str())),
        ("task_set", run.task.as_ref().and_then(|task| task.venue.as_deref())),
        ("condition", run.condition.as_deref()),
        ("branch", run.origin.branch.as_deref()),
        ("start_commit", run.origin.start_commit.as_deref()),
        ("harness", run.origin.harness.as_deref()),
        ("provenance", run.origin.provenance.as_deref()),
        ("recorded_by", Some(run.origin.format)),
    ] {
        if let Some(value) = value {
            extra.insert(key.to_owned(), value.into());
        }
    }
    if let Some(trial) = trial_json(run) {
        extra.insert("trial".to_owned(), trial);
    }
    document["extra"] = extra.into();
    if !agents.is_empty() {
        document["subagent_trajectories"] = agents.into();
    }
    let turns = run.turns.iter().flat_map(|turn| &turn.steps);
    let edits = turns.filter(|step| step.tool.is_none() && !step.edits.is_empty()).count();
    if edits > 0 {
        writer.left_out.push(format!("changes of files of {edits} steps that call nothing"));
    }
    writer.report_left_out();
    ExportedDocument { document, left_out: writer.left_out }
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
        if let Some(tools) = self.archive.tool_definitions(run) {
            agent["tool_definitions"] = tools;
        }
        if let Some(tokens) = run.agent.context_window {
            agent["extra"] = json!({ "context_window": tokens });
        }
        agent
    }

    /// Returns the sums over the run: those that the recording states, where it states more than its turns have.
    fn totals_json(&self, steps: usize) -> Value {
        let run = self.run;
        let stated = run.stated.beyond_turn_sums(run);
        let tokens = run.tokens_of_turns().max_each(stated.tokens);
        let costs: Vec<f64> = run.turns.iter().filter_map(|turn| turn.cost_usd).collect();
        let cost = stated.cost_usd.or((!costs.is_empty()).then(|| costs.iter().sum()));
        let mut totals = token_metrics(
            tokens,
            "total_prompt_tokens",
            "total_completion_tokens",
            "total_cached_tokens",
        );
        if let Some(cost) = cost {
            totals.insert("total_cost_usd".into(), json!(cost));
        }
        totals.insert("total_steps".into(), json!(steps));
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
        if let Some(model) = step.model.as_deref().filter(|model| {
            source == "agent" && self.run.model.as_deref().is_none_or(|named| named != *model)
        }) {
            made["model_name"] = model.into();
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
            let id = self.subagent_ids.get(agent);
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
        let arguments = arguments_object(text.arguments.as_deref().unwrap_or_default());
        let mut call = json!({ "tool_call_id": id, "function_name": name, "arguments": arguments });
        let mut extra = json!({ "label": step.label });
        if !step.edits.is_empty() {
            extra["edits"] = self.edits_json(step);
        }
        call["extra"] = extra;
        made["tool_calls"] = json!([call]);
        let agent = step.subagent.and_then(|agent| self.subagent_ids.get(agent));
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
            seen["subagent_trajectory_ref"] = json!([{ "trajectory_id": agent }]);
        }
        made["observation"] = json!({ "results": [seen] });
    }

    /// Returns the changes of files, each whole: what reading the trajectory again makes edits of.
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
        let mut totals = token_metrics(
            recorded.tokens,
            "total_prompt_tokens",
            "total_completion_tokens",
            "total_cached_tokens",
        );
        totals.insert("total_steps".into(), json!(steps.len()));
        json!({
            "schema_version": ATIF_VERSION,
            "session_id": self.run.id,
            "trajectory_id": self.subagent_ids.get(agent),
            "agent": { "name": recorded.name, "version": "unknown" },
            "steps": steps,
            "final_metrics": totals,
            "extra": { "title": recorded.title },
        })
    }
}

fn number_steps(steps: &mut [Value]) {
    for (step, number) in steps.iter_mut().zip(1..) {
        step["step_id"] = json!(number);
    }
}

fn set_timestamp(step: &mut Value, time: Option<Time>) {
    // A broken clock may show a time that no calendar has.
    let text = time.map(|time| time.to_string()).filter(|text| Time::parse(text).is_some());
    if let Some(text) = text {
        step["timestamp"] = text.into();
    }
}

/// Returns an id for each sub-agent. A trajectory may have each id once, and a recording may repeat one.
fn subagent_ids(run: &Run) -> Vec<String> {
    let mut seen = HashSet::new();
    let of_agent = |agent: &SubAgent| {
        let mut id = agent.id.clone();
        let mut number = 2;
        while !seen.insert(id.clone()) {
            id = format!("{}-{number}", agent.id);
            number += 1;
        }
        id
    };
    run.subagents.iter().map(of_agent).collect()
}

/// Returns what the harness recorded of the trial; None without a result.
fn trial_json(run: &Run) -> Option<Value> {
    let trial = run.trial.as_deref()?;
    let mut fields = Map::new();
    let mut add = |key: &str, value: Option<Value>| {
        fields.extend(value.map(|value| (key.to_owned(), value)));
    };
    add("outcome", trial.outcome.map(|outcome| outcome.word().into()));
    add("attempt", trial.attempt.map(Value::from));
    add("reward", trial.reward.map(Value::from).filter(|reward| !reward.is_null()));
    add("reward_name", trial.reward_name.as_deref().map(Value::from));
    add("error", trial.error.as_deref().map(Value::from));
    (!fields.is_empty()).then(|| fields.into())
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
