//! What a run shows of decisions: where its steps touch those of a store, and which its requests lay down.

use std::{collections::HashMap, path::Path};

use rayon::prelude::*;

use trajview_metrics::decisions::{
    Decision, DecisionStore, decision_verdicts, extraction,
    ranking::DecisionIndex,
    step_decisions::{self, DecisionLane, StepTouch, normalised_text, recognition_texts},
};
use trajview_run::{EditPath, Run, StepId};
use trajview_store::{Archive, sha256, write};

/// Returns the decisions of a store along a run.
pub fn decision_lane(archive: &Archive, run: &Run, store: &DecisionStore) -> DecisionLane {
    let seen = first_shown(archive, run, store);
    let ids = |chain: Vec<&Decision>| chain.iter().map(|it| it.id.clone()).collect();
    let first = |decision: &Decision| seen.get(&decision.id).copied();
    DecisionLane {
        decisions: store.decisions.len(),
        chains: store.supersession_chains().into_iter().map(ids).collect(),
        rows: step_decisions::decision_rows(
            &DecisionIndex::new(store),
            &file_touches(archive, run),
            &first,
        ),
        verdicts: decision_verdicts::latest_verdicts(
            run,
            &archive.read_rubric().decisions,
            store,
            &|text| sha256(text.as_bytes()),
        ),
        origin: store.origin.clone(),
        lines: store.lines.clone(),
        questions_and_answers: store
            .decisions
            .iter()
            .map(|it| (it.id.clone(), (it.question.clone(), it.answer.clone())))
            .collect(),
    }
}

/// Returns the decisions that a run's requests lay down.
pub fn request_decisions(archive: &Archive, run: &Run) -> Vec<Decision> {
    let requests: Vec<String> =
        (0..run.turns.len()).map(|turn| archive.request_text(run, turn)).collect();
    extraction::decisions_in_requests(&requests)
}

/// Writes the decisions of a run's requests into a new file. The error is a sentence with the path: where something is
/// there already, and where there is nothing to write.
pub fn write_request_decisions(archive: &Archive, run: &Run, path: &Path) -> Result<usize, String> {
    let drawn = request_decisions(archive, run);
    if drawn.is_empty() {
        return Err("no request lays anything down in words that say so; nothing is written".into());
    }
    let mut bytes = serde_json::to_vec_pretty(&drawn).map_err(|why| why.to_string())?;
    bytes.push(b'\n');
    write::new_file(path, &bytes).map_err(|why| why.to_string())?;
    Ok(drawn.len())
}

/// Returns every step that touches a file, in playing order.
pub(crate) fn file_touches(archive: &Archive, run: &Run) -> Vec<StepTouch> {
    let root = run.origin.root.as_deref();
    let of = |(step, number): (StepId, usize)| {
        let found = run.step(step)?;
        let text = archive.step_text(run, step);
        let call = text.arguments.unwrap_or_default();
        let action = trajview_metrics::process::action::actions_of_step(found, &call);
        let reads = action.reads.iter().map(|path| EditPath::from_recorded(path, root));
        let mut paths: Vec<String> =
            found.edits.iter().map(|edit| edit.path.as_str().to_owned()).collect();
        paths.extend(reads.map(|path| path.as_str().to_owned()));
        paths.dedup();
        (!paths.is_empty()).then_some(StepTouch { step, number, paths, call })
    };
    run.numbered_steps().into_par_iter().filter_map(of).collect()
}

/// Returns the first moment that shows each decision to the agent, by its id: a request shows it before its turn's
/// first step.
fn first_shown(archive: &Archive, run: &Run, store: &DecisionStore) -> HashMap<String, StepId> {
    let signs: Vec<(&Decision, Vec<String>)> =
        store.decisions.iter().map(|decision| (decision, recognition_texts(decision))).collect();
    let mut first: HashMap<String, StepId> = HashMap::new();
    for turn in 0..run.turns.len() {
        let start = StepId { turn, subagent: None, step: 0 };
        let request = normalised_text(&archive.request_with_added(run, turn));
        let layer = run.turns[turn].layer.as_deref().map(normalised_text).unwrap_or_default();
        let steps = run.steps_of_turn(turn);
        let result_texts: Vec<(StepId, String)> = steps
            .into_par_iter()
            .map(|step| {
                let text = archive.step_text(run, step);
                let read = text.result.unwrap_or_default();
                (step, normalised_text(&read))
            })
            .collect();
        let texts = [(start, request), (start, layer)].into_iter().chain(result_texts);
        for (step, text) in texts.filter(|(_, text)| !text.is_empty()) {
            for (decision, signs) in &signs {
                let is_new = !first.contains_key(&decision.id);
                if is_new && signs.iter().any(|sign| text.contains(sign.as_str())) {
                    first.insert(decision.id.clone(), step);
                }
            }
        }
    }
    first
}
