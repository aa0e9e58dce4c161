//! The lines on the component that is chosen: what it is; and once a label is in, what was said of it.

use crate::{
    run::rubric::{FULL, Verdict, written},
    session::{Session, rubric::score_said},
    views::{
        audit::Audit,
        verdict::{Given, Row, cut, given_label, label_by, say_fields, say_trace},
    },
};

use super::{Part, adjudicating, areas::Areas, over_runs, prompt::Prompt, queue::Standing};

/// As wide as the part is in these areas.
pub fn item_rows(audit: &Audit, session: &Session, areas: &Areas) -> Vec<Row> {
    let width = areas.width(Part::Component).max(20);
    let mut rows = vec![];
    if let Some(why) = over_runs::why_not_here(session) {
        return cut(&why, width).into_iter().map(Row::Note).collect();
    }
    let Some(id) = audit.audited_id() else { return rows };
    if session.adjudicates() {
        adjudicating::say_case(session, width, &mut rows);
        rows.push(Row::Blank);
        say_item(audit, session, id, width, &mut rows);
        return rows;
    }
    if let Some(why) = session.labels.why_not_saved() {
        let words = format!("not saved: {why}; s tries again");
        rows.extend(cut(&words, width).into_iter().map(Row::Problem));
    }
    match audit.revealed(session) {
        Some(verdict) => {
            say_outcome(audit, session, id, verdict, width, &mut rows);
            rows.push(Row::Blank);
            say_item(audit, session, id, width, &mut rows);
            rows.push(Row::Blank);
            say_trace(verdict, width, &mut rows);
        }
        None => {
            say_item(audit, session, id, width, &mut rows);
            rows.push(Row::Blank);
            say_levels(audit, session, width, &mut rows);
        }
    }
    rows
}

fn say_item(audit: &Audit, session: &Session, id: &str, width: usize, rows: &mut Vec<Row>) {
    let has_list = session.rubric.known().is_some_and(|it| it.checklist.is_some());
    match (audit.audited_component(session), has_list) {
        (Some(component), _) => {
            let committed = match component.committed_at_turn {
                Some(turn) => format!("in turn {turn}; o goes to its request"),
                None => String::new(),
            };
            say_fields(component, &[("asked for", committed)], width, rows);
        }
        (None, true) => rows.push(Row::Problem("the checklist has no such component".into())),
        (None, false) => {
            let words = format!(
                "nothing says what {id} is: there is no checklist (components.json) beside the run"
            );
            rows.extend(cut(&words, width).into_iter().map(Row::Note));
        }
    }
}

fn say_levels(audit: &Audit, session: &Session, width: usize, rows: &mut Vec<Row>) {
    rows.push(Row::Heading("your label comes first, then the verdict".into()));
    let levels: Vec<String> = (0..=FULL).map(score_said).collect();
    rows.extend(cut(&levels.join("   "), width).into_iter().map(Row::Words));
    if let Some(why) = audit.why_not_blind(session) {
        let words = format!("the label will not be blind: {why}");
        rows.extend(cut(&words, width).into_iter().map(Row::Problem));
    }
}

fn say_outcome(
    audit: &Audit,
    session: &Session,
    id: &str,
    verdict: &Verdict,
    width: usize,
    rows: &mut Vec<Row>,
) {
    let (Some(label), Some(judgement)) = (audit.own_label(session), session.audited()) else {
        return;
    };
    let blind = match label.blind() {
        Some(true) => "blind",
        Some(false) => "not blind",
        None => "",
    };
    let unsaved = session.labels.is_unsaved(judgement, id).then_some("not saved yet");
    let facts = [Some(blind), unsaved].into_iter().flatten().filter(|it| !it.is_empty());
    rows.push(Row::Score {
        by: label_by(session.labels.annotator()),
        score: Some(given_label(label.given)),
        label: None,
        words: facts.collect::<Vec<_>>().join(", "),
    });
    rows.push(Row::Score {
        by: judge_by(&judgement.judge.name),
        score: verdict.score.map(Given::level),
        label: verdict.label.clone(),
        words: String::new(),
    });
    say_difference(audit, session, id, width, rows);
    rows.extend(cut(&verdict.rationale, width).into_iter().map(Row::Words));
    if verdict.evidence.is_empty() {
        rows.push(Row::Note("the verdict names no lines of code".into()));
    }
    for it in &verdict.evidence {
        rows.push(Row::Evidence { path: it.path.clone(), lines: it.lines });
    }
    if let Some(words) = unopened_said(audit, session) {
        rows.extend(cut(&words, width).into_iter().map(Row::Problem));
    }
}

fn say_difference(audit: &Audit, session: &Session, id: &str, width: usize, rows: &mut Vec<Row>) {
    let (Some((judge, own)), Some(label)) = (audit.both_scores(session), audit.own_label(session))
    else {
        return;
    };
    let Standing::Differs { is_explained, .. } = audit.standing(session, id) else {
        rows.push(Row::Note("both agree".into()));
        return say_note(audit, session, width, rows);
    };
    let (by, side) = (written((judge - own).abs()), if judge < own { "lower" } else { "higher" });
    let reason = match is_explained {
        true => format!("; reason {}", label.reason().unwrap_or_default()),
        false => String::new(),
    };
    rows.push(Row::Heading(format!("they differ: the judge is {side} by {by}{reason}")));
    if audit.prompt == Some(Prompt::Reason) {
        say_choices(audit, session, width, rows);
    } else if !is_explained {
        rows.push(Row::Problem("no reason so far; b gives one".into()));
    }
    say_note(audit, session, width, rows);
}

fn say_choices(audit: &Audit, session: &Session, width: usize, rows: &mut Vec<Row>) {
    let words = "why? a letter answers, enter takes the first, esc asks later";
    rows.extend(cut(words, width).into_iter().map(Row::Heading));
    for (at, choice) in audit.reasons_offered(session).into_iter().enumerate() {
        let likely = if at == 0 { " (likely)" } else { "" };
        let words = format!("{}  {}{likely}: {}", choice.letter, choice.code, choice.means);
        rows.extend(cut(&words, width).into_iter().map(Row::Choice));
    }
}

fn say_note(audit: &Audit, session: &Session, width: usize, rows: &mut Vec<Row>) {
    let note = audit.own_label(session).and_then(|label| label.note()).unwrap_or_default();
    let words = format!("your note: {note}");
    if !note.is_empty() {
        rows.extend(cut(&words, width).into_iter().map(Row::Note));
    }
}

/// What a low score is to be checked against.
fn unopened_said(audit: &Audit, session: &Session) -> Option<String> {
    if !audit.found_little(session) {
        return None;
    }
    let places = audit.places_alike(session)?.as_ref().ok()?;
    let unopened = places.iter().filter(|place| !place.is_opened).count();
    Some(match (unopened, places.len()) {
        (_, 0) => "false absence? no place in the code looks like it".into(),
        (0, all) => {
            format!("false absence? the judge opened all {all} places that look like it")
        }
        (1, _) => {
            "false absence? the judge never opened 1 place that looks like it: ] shows it".into()
        }
        (some, _) => format!(
            "false absence? the judge never opened {some} places that look like it: ] shows them"
        ),
    })
}

fn judge_by(name: &str) -> String {
    if name.is_empty() { "the judge".into() } else { format!("{name} (judge)") }
}

/// The piece of evidence that a row is.
pub(super) fn evidence_at(rows: &[Row], at: usize) -> Option<(&str, Option<(usize, usize)>)> {
    match rows.get(at)? {
        Row::Evidence { path, lines } => Some((path, *lines)),
        _ => None,
    }
}
