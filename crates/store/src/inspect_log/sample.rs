//! A run as a sample: its messages, what was recorded of its result, and the facts about it.

use serde_json::{Map, Value, json};

use trajview_run::{Outcome, Run, Tokens, TrialResult};

use super::messages::SampleMessages;
use crate::archive::Archive;

/// The sample of a run. Its id, epoch and the log that it belongs to are not in the document yet.
#[derive(Debug, Clone)]
pub struct InspectSample {
    /// The benchmark that the task is from, else the task.
    pub task: String,
    pub model: String,
    pub agent: Option<String>,
    /// The task within the benchmark; the run's id where it has none.
    pub id: String,
    pub attempt: Option<u32>,
    pub document: Map<String, Value>,
    /// The names of the scores, the main one first.
    pub score_names: Vec<String>,
    /// Sentences about what the sample does not have of the run.
    pub left_out: Vec<String>,
}

/// The task and the model of a run that names none.
const UNKNOWN: &str = "unknown";

/// Makes the sample of a run. Images are left out without `with_images`, since nothing can be redacted in them.
pub fn inspect_sample(run: &Run, archive: &Archive, with_images: bool) -> InspectSample {
    let said = SampleMessages::of_run(run, archive, with_images);
    let tokens = run.tokens();
    let usage = usage_json(tokens).map(|mut usage| {
        usage["total_cost"] = json!(run.cost_usd());
        usage
    });
    let model = named(run.model.as_deref());
    let trial = run.trial.as_deref();
    let scores = recorded_scores(run);
    let score_names = scores.iter().map(|(name, _)| name.clone()).collect();
    let scores = (!scores.is_empty()).then(|| scores.into_iter().collect());
    let mut document = Map::new();
    let mut set = |name: &str, value: Value| drop(document.insert(name.to_owned(), value));
    set("id", Value::Null);
    set("epoch", Value::Null);
    set("input", said.first_request.into());
    set("target", "".into());
    set("messages", said.messages.into());
    set("output", output_json(&model, said.last_answer));
    set("scores", scores.map_or(Value::Null, Value::Object));
    set("metadata", run_metadata(run));
    set("store", json!({}));
    set("events", said.events.into());
    set("model_usage", usage.map_or(json!({}), |usage| json!({ &*model: usage })));
    set("started_at", json!(run.started_at));
    set("completed_at", json!(run.ended_at));
    set("total_time", json!(run.duration_s()));
    if let Some(error) = trial.filter(|it| it.outcome == Some(Outcome::Error)) {
        let message = error.error.as_deref().unwrap_or("the run ended with an error");
        set("error", json!({ "message": message, "traceback": "", "traceback_ansi": "" }));
    }
    set("attachments", json!({}));
    let venue = run.task.as_ref().and_then(|task| task.venue.clone());
    let key = run.task_key();
    InspectSample {
        task: venue.or_else(|| key.clone()).unwrap_or_else(|| UNKNOWN.to_owned()),
        agent: run.agent_key(),
        id: key.unwrap_or_else(|| run.id.clone()),
        attempt: trial.and_then(|trial| trial.attempt),
        model,
        document,
        score_names,
        left_out: said.left_out,
    }
}

fn named(text: Option<&str>) -> String {
    text.filter(|text| !text.trim().is_empty()).unwrap_or(UNKNOWN).to_owned()
}

/// Returns tokens as Inspect counts them: its input is without the prompt cache. None without input or output, which
/// would be 0 there.
pub(crate) fn usage_json(tokens: Tokens) -> Option<Value> {
    let (input, output) = (tokens.input?, tokens.output?);
    let cached = tokens.cached_input.unwrap_or(0).saturating_add(tokens.cache_write.unwrap_or(0));
    Some(json!({
        "input_tokens": input.saturating_sub(cached),
        "output_tokens": output,
        "total_tokens": input.saturating_add(output),
        "input_tokens_cache_write": tokens.cache_write,
        "input_tokens_cache_read": tokens.cached_input,
        "reasoning_tokens": tokens.reasoning,
    }))
}

fn output_json(model: &str, answer: Option<Value>) -> Value {
    let choices: Vec<Value> = answer
        .into_iter()
        .map(|message| json!({ "message": message, "stop_reason": "unknown" }))
        .collect();
    json!({ "model": model, "choices": choices })
}

/// Recorded scores by name, each with the file that it is from.
type NamedScores = Vec<(String, Value)>;

/// Returns the recorded scores, the main one first.
fn recorded_scores(run: &Run) -> NamedScores {
    let mut scores = vec![];
    if let Some(trial) = run.trial.as_deref() {
        add_trial_scores(trial, &mut scores);
    }
    let tree = run.rubric_tree.as_deref();
    if let Some((tree, score)) = tree.and_then(|tree| Some((tree, tree.nodes.first()?.score?))) {
        add_score(&mut scores, "rubric_tree", score.into(), json!({ "source": tree.file }));
    }
    let tests = run.checkpoints.iter().rev().find_map(|it| it.last_record()?.tests.as_ref());
    let tests = tests.filter(|tests| !tests.infrastructure_failure);
    if let Some((tests, share)) = tests.and_then(|it| Some((it, it.strict.passed_share()?))) {
        let (passed, total) = (tests.strict.passed, tests.strict.total);
        let facts = json!({ "source": tests.source, "passed": passed, "total": total });
        add_score(&mut scores, "tests", share.into(), facts);
    }
    scores
}

fn add_trial_scores(trial: &TrialResult, scores: &mut NamedScores) {
    let facts = json!({ "source": trial.source, "outcome": trial.outcome });
    let letter = match trial.outcome {
        Some(Outcome::Passed) => Some("C"),
        Some(Outcome::Partial) => Some("P"),
        Some(Outcome::Failed) => Some("I"),
        _ => None,
    };
    match (trial.reward, letter) {
        (Some(reward), _) => {
            let name = trial.reward_name.as_deref().unwrap_or("reward");
            add_score(scores, name, reward.into(), facts);
        }
        (None, Some(letter)) => add_score(scores, "outcome", letter.into(), facts),
        (None, None) => {}
    }
    for (name, reward) in &trial.other_rewards {
        add_score(scores, name, (*reward).into(), json!({ "source": trial.source }));
    }
}

/// Adds a score by its name, or by the next name that no other score has.
fn add_score(scores: &mut NamedScores, name: &str, value: Value, facts: Value) {
    let mut names = (1..).map(|number| match number {
        1 => name.to_owned(),
        number => format!("{name}-{number}"),
    });
    let is_taken = |name: &String| scores.iter().any(|(taken, _)| taken == name);
    if let Some(name) = names.find(|name| !is_taken(name)) {
        scores.push((name, json!({ "value": value, "metadata": facts })));
    }
}

/// Returns what is recorded of the run and has no field in a sample; what is not recorded is missing.
fn run_metadata(run: &Run) -> Value {
    let task = run.task.as_ref();
    let trial = run.trial.as_deref();
    let tokens = Some(run.tokens()).filter(|tokens| tokens.is_recorded());
    let recorded: Vec<Value> = run
        .recorded
        .iter()
        .map(|it| json!({ "source": it.source, "name": it.name, "value": it.value }))
        .collect();
    let notes = trial.map(|trial| &trial.notes).filter(|notes| !notes.is_empty());
    let facts = json!({
        "run": run.id,
        "title": run.title,
        "source_format": run.origin.format,
        "harness": run.origin.harness,
        "agent": run.agent.name,
        "agent_version": run.agent.version,
        "task": task.map(|task| &task.id),
        "task_title": task.and_then(|task| task.title.as_deref()),
        "venue": task.and_then(|task| task.venue.as_deref()),
        "condition": run.condition,
        "cwd": run.origin.root,
        "branch": run.origin.branch,
        "start_commit": run.origin.start_commit,
        "turns": (!run.has_no_log()).then_some(run.turns.len()),
        "attempt": trial.and_then(|trial| trial.attempt),
        "outcome": trial.and_then(|trial| trial.outcome),
        "error": trial.and_then(|trial| trial.error.as_deref()),
        "notes": notes,
        "cost_usd": run.cost_usd(),
        "tokens": tokens,
        "recorded": (!recorded.is_empty()).then_some(recorded),
    });
    let Value::Object(facts) = facts else { return facts };
    let is_known = |value: &Value| !value.is_null() && value != "";
    facts.into_iter().filter(|(_, value)| is_known(value)).collect::<Map<_, _>>().into()
}
