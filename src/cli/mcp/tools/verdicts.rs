//! The tool `verdicts`: the components of the checklist with the judge's level, rationale and evidence, and when each was lost.

use std::path::Path;

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use trajview_analysis::lifelines::component_lifelines;
use trajview_metrics::lifeline::components_to_follow;
use trajview_run::{
    Run,
    rubric::{Evidence, Judgement, LEVELS, Rubric, Verdict},
};
use trajview_store as store;

use super::{failure_sentence, page_of_run};
use crate::cli::{
    mcp::{
        answer::Answer,
        recordings::{Recordings, place_text},
    },
    score::faithfulness::choose_judgement,
};

pub(super) const DESCRIPTION: &str = "Lists the components that the task asks for with the verdict of a judge: level (0 to 4) and its \
    name, rationale, evidence (files and lines of the judged state), and the turn that lost the component, if one did. \
    Without `judge` the judgement that counts as the run's result.";

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub(super) struct VerdictsCall {
    /// The run, as the tool runs names it. May be left out where the server has one run.
    run: Option<String>,
    /// Only this component, by its id, such as C07.
    component: Option<String>,
    /// The judge's name, or the file of a judgement beside the run, or the beginning of one.
    judge: Option<String>,
    /// Only components with this level or a lower one.
    max_level: Option<u8>,
    /// `next` of the answer before.
    cursor: Option<String>,
}

pub(super) fn answer_call(recordings: &Recordings, call: &VerdictsCall) -> Result<String, String> {
    let path = recordings.find_run(call.run.as_deref())?;
    let opened = store::open(&path).map_err(|why| why.to_string())?;
    let (run, archive) = (&*opened.run, &*opened.archive);
    let mut rubric = store::rubric::read_beside(&path);
    if let Some(judge) = call.judge.as_deref().filter(|judge| Path::new(judge).exists()) {
        return Err(format!("judge {judge:?} is a path; name a judge or a judgement of the run"));
    }
    let chosen = choose_judgement(&mut rubric, call.judge.as_deref()).map_err(failure_sentence)?;
    let judgement = chosen.and_then(|at| rubric.judgements.get(at));
    let requests = components_to_follow(run, &rubric, judgement);
    if requests.is_empty() {
        return Err(format!(
            "{}: no checklist (components.json) and no judgement beside the run",
            path.display()
        ));
    }
    let lifelines = component_lifelines(archive, run, &requests, &|_, _| true)?;
    let listed = lifelines.iter().map(|lifeline| Component {
        id: &lifeline.component,
        lost_at: lifeline.lost_at,
        verdict: judgement.and_then(|it| it.verdict_on(&lifeline.component)),
    });
    let listed: Vec<Component<'_>> = listed.filter(|it| it.is_wanted(call)).collect();
    if let (Some(id), true) = (&call.component, listed.is_empty()) {
        let ids: Vec<&str> = lifelines.iter().map(|it| &*it.component).collect();
        return Err(format!("no component {id:?} with that level; there are {}", ids.join(", ")));
    }
    let rows = listed.iter().map(|it| it.component_row(&path, run, &rubric, judgement)).collect();
    let facts = facts_of_judgement(&rubric, judgement);
    page_of_run(
        recordings,
        &path,
        Answer::from_rows(facts, "components", rows),
        call.cursor.as_deref(),
    )
}

/// A component with the judge's verdict on it.
struct Component<'a> {
    id: &'a str,
    lost_at: Option<usize>,
    verdict: Option<&'a Verdict>,
}

impl Component<'_> {
    fn is_wanted(&self, call: &VerdictsCall) -> bool {
        let is_named = call.component.as_deref().is_none_or(|id| id == self.id);
        let level = self.verdict.and_then(|verdict| verdict.score);
        let is_low = call.max_level.is_none_or(|most| level.is_some_and(|level| level <= most));
        is_named && is_low
    }

    fn component_row(
        &self,
        path: &Path,
        run: &Run,
        rubric: &Rubric,
        judgement: Option<&Judgement>,
    ) -> Value {
        let components = rubric.checklist.iter().flat_map(|it| &it.components);
        let name = components.clone().find(|it| it.id == self.id).map(|it| &it.name);
        let turn = judgement.and_then(|it| it.turn).unwrap_or_else(|| run.end_in_turns());
        let verdict = self.verdict;
        let level = verdict.and_then(|it| it.score);
        json!({
            "component": self.id,
            "name": name,
            "place": place_text(path, Some(turn), None),
            "level": verdict.and_then(|it| it.exact).map_or_else(|| json!(level), |exact| json!(exact)),
            "label": level.and_then(|level| LEVELS.get(usize::from(level))),
            "rationale": verdict.map(|it| &it.rationale).filter(|it| !it.is_empty()),
            "evidence": verdict.map(|it| it.evidence.iter().map(evidence_row).collect::<Vec<_>>()),
            "error": verdict.and_then(|it| it.error.as_deref()),
            "reason": verdict.and_then(|it| it.reason.as_deref()),
            "lost": self.lost_at.map(|turn| json!({ "turn": turn, "place": place_text(path, Some(turn), None) })),
        })
    }
}

fn evidence_row(evidence: &Evidence) -> Value {
    json!({
        "path": evidence.path,
        "lines": evidence.shown_lines(),
        "quote": evidence.quote.as_ref().map(|quote| &quote.text),
    })
}

fn facts_of_judgement(rubric: &Rubric, judgement: Option<&Judgement>) -> Value {
    let judges: Vec<&str> = rubric.judgements.iter().map(|it| it.judge.name.as_str()).collect();
    let warnings: Vec<String> =
        rubric.warnings.iter().map(|it| format!("{}: {}", it.place, it.what)).collect();
    json!({
        "judge": judgement.map(|it| &it.judge.name),
        "judge_model": judgement.map(|it| &it.judge.model),
        "judgement": judgement.map(|it| &it.file),
        "judged_turn": judgement.and_then(|it| it.turn),
        "commit": judgement.and_then(|it| it.commit.as_deref()),
        "judges": judges,
        // Without a judgement: those that are not complete, each with what it has.
        "partial": if judgement.is_none() { rubric.partial_coverages() } else { vec![] },
        "warnings": warnings,
    })
}
