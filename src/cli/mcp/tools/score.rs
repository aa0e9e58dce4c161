//! The tool `score`: the numbers of a run at a moment, with profile and commit.

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use trajview_metrics::quality::QualityProfile;

use super::{notes_value, page_of_run, picked_fields, run_command, with_field};
use crate::cli::mcp::{
    answer::Answer,
    recordings::{Recordings, place_text},
};

pub(super) const DESCRIPTION: &str = "Measures the code of a run at a moment (default: final): erosion, verbosity, size, complexity, \
    clones, DIR (share of reused symbols), with profile, rules and commit. At the end of the run also the judged faithfulness \
    (mcf, 0 to 4) with its judge, exposure (rcr, esr) and process (pillars, RigorScore). Recorded values are apart from computed.";

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub(super) struct ScoreCall {
    /// The run, as the tool runs names it. May be left out where the server has one run.
    run: Option<String>,
    /// The moment: a turn (counts from 1), a step of one (12.7), a checkpoint's id, start or final.
    at: Option<String>,
    /// The profile of formulas: trajview (default), or one that reproduces a paper or tool.
    profile: Option<String>,
    /// `next` of the answer before.
    cursor: Option<String>,
}

/// Lists of faithfulness that are long; `verdicts` has what is in them.
const LEFT_OUT: [&str; 2] = ["dir_detail", "judges"];

pub(super) fn answer_call(recordings: &Recordings, call: &ScoreCall) -> Result<String, String> {
    let path = recordings.find_run(call.run.as_deref())?;
    let at = call.at.as_deref().unwrap_or("final");
    let profile = call.profile.clone().unwrap_or_else(|| QualityProfile::default().to_string());
    if QualityProfile::by_word(&profile).is_none() {
        let names = QualityProfile::ALL.map(QualityProfile::name).join(", ");
        return Err(format!("no profile {profile:?}; there are {names}"));
    }
    let (at_option, profile) = (format!("--at={at}"), format!("--profile={profile}"));
    let name = path.display().to_string();
    let printed = run_command(&["score", "--json", &at_option, &profile, "--", &name])?;
    let notes = notes_value(&printed.notes);
    let document = printed.into_document();
    let point = &document["points"][0];
    let number = |field: &str| point[field].as_u64().and_then(|it| usize::try_from(it).ok());
    let place = place_text(&path, number("turn"), number("step"));
    let mut facts = picked_fields(&document, &["profile", "formulas", "comparable"]);
    with_field(
        &mut facts,
        "rules",
        picked_fields(&document["rules"], &["source", "count", "sha256"]),
    );
    with_field(&mut facts, "place", place.clone());
    with_field(&mut facts, "notes", notes);
    let mut rows = vec![part_row("code", &place, point)];
    if at == "final" {
        let mut faithfulness = document["faithfulness"].clone();
        if let Value::Object(fields) = &mut faithfulness {
            LEFT_OUT.iter().for_each(|field| drop(fields.remove(*field)));
        }
        let exposure =
            picked_fields(&document["exposure"], &["rcr", "esr", "components", "not_recorded"]);
        let parts = [
            ("faithfulness", &faithfulness),
            ("exposure", &exposure),
            ("process", &document["process"]),
            ("tests", &document["tests"]),
            ("memory", &document["memory"]),
            ("rubric_tree", &document["rubric_tree"]),
        ];
        let parts = parts.into_iter().filter(|(_, values)| !values.is_null());
        rows.extend(parts.map(|(part, values)| part_row(part, &place, values)));
    }
    page_of_run(recordings, &path, Answer::from_rows(facts, "parts", rows), call.cursor.as_deref())
}

fn part_row(part: &str, place: &str, values: &Value) -> Value {
    json!({ "part": part, "place": place, "values": values })
}
