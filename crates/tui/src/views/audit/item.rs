//! The lines on the item that is chosen: what it is, and what is put down of it; once a label is in, what was said of it.

use crate::{
    session::Session,
    views::{
        audit::Audit,
        verdict::{Given, Row, cut, label_by, say_facts, say_looks},
    },
};
use trajview_run::rubric::{Label, Scale, Unit, written};
use trajview_study::items::{AuditItem, Said};

use super::{
    Part, adjudicating, areas::Areas, over_runs, prompt::Prompt, proposing, queue::Standing,
};

/// As wide as the part is in these areas.
pub fn item_rows(audit: &Audit, session: &Session, areas: &Areas) -> Vec<Row> {
    let width = areas.width(Part::Item).max(20);
    let mut rows = vec![];
    if let Some(why) = over_runs::why_not_here(session) {
        return cut(&why, width).into_iter().map(Row::Note).collect();
    }
    let Some(item) = audit.audited_item(session) else { return rows };
    if session.adjudicates() {
        adjudicating::say_case(session, width, &mut rows);
        rows.push(Row::Blank);
        say_item(audit, session, item, width, &mut rows);
        return rows;
    }
    if let Some(why) = session.labels.why_not_saved() {
        let words = format!("not saved: {why}; s tries again");
        rows.extend(cut(&words, width).into_iter().map(Row::Problem));
    }
    match audit.revealed(session) {
        Some(said) => {
            say_outcome(audit, session, item, said, width, &mut rows);
            rows.push(Row::Blank);
            say_item(audit, session, item, width, &mut rows);
            if matches!(item.unit, Unit::Component | Unit::Decision | Unit::Process) {
                rows.push(Row::Blank);
                say_looks(&said.trace, width, &mut rows);
            }
        }
        None => {
            say_item(audit, session, item, width, &mut rows);
            rows.push(Row::Blank);
            say_levels(audit, session, item, width, &mut rows);
        }
    }
    rows
}

fn say_item(audit: &Audit, session: &Session, item: &AuditItem, width: usize, rows: &mut Vec<Row>) {
    if item.unit != Unit::Component {
        return say_facts(&item.fields, width, rows);
    }
    let has_list = session.rubric.known().is_some_and(|it| it.checklist.is_some());
    match (audit.audited_component(session), has_list) {
        (Some(component), _) => {
            let committed = component.committed_at_turn;
            let words = committed.map(|turn| format!("in turn {turn}; o goes to its request"));
            let asked = words.map(|words| ("asked for", words));
            let fields: Vec<_> = item.fields.iter().cloned().chain(asked).collect();
            say_facts(&fields, width, rows);
        }
        (None, true) => rows.push(Row::Problem("the checklist has no such component".into())),
        (None, false) => {
            let words = format!(
                "nothing says what {} is: there is no checklist (components.json) beside the run",
                item.id
            );
            rows.extend(cut(&words, width).into_iter().map(Row::Note));
        }
    }
}

fn say_levels(
    audit: &Audit,
    session: &Session,
    item: &AuditItem,
    width: usize,
    rows: &mut Vec<Row>,
) {
    let heading = match audit.proposes {
        true => "propose a label; enter commits it, and only then the verdict is shown",
        false => "your label comes first, then the verdict",
    };
    rows.extend(cut(heading, width).into_iter().map(Row::Heading));
    if let Some(criterion) = session.criterion_of(item) {
        let levels: Vec<String> = match criterion.scale {
            Scale::Share => vec!["any number from 0 to 1: . types it".into()],
            scale => scale.levels().map(|level| criterion.said(level.into())).collect(),
        };
        let words = format!("{}   x cannot tell", levels.join("   "));
        rows.extend(cut(&words, width).into_iter().map(Row::Words));
    }
    if let Some(proposal) = proposing::proposal(audit, session) {
        say_proposal(session, item, proposal, width, rows);
    }
    if let Some(why) = audit.why_not_blind(session) {
        let words = format!("the label will not be blind: {why}");
        rows.extend(cut(&words, width).into_iter().map(Row::Problem));
    }
}

fn say_proposal(
    session: &Session,
    item: &AuditItem,
    proposal: &Label,
    width: usize,
    rows: &mut Vec<Row>,
) {
    let confidence = proposal.confidence.map(|it| format!("{} confidence", it.word()));
    if proposal.is_answered() {
        rows.push(Row::Score {
            by: label_by(session.labels.annotator()),
            score: Some(given(session, item, proposal.score)),
            label: None,
            words: ["proposed".into()].into_iter().chain(confidence).collect::<Vec<_>>().join(", "),
        });
        let words = "enter commits it, another key changes it, u takes it away";
        rows.extend(cut(words, width).into_iter().map(Row::Note));
    } else if let Some(confidence) = confidence {
        rows.push(Row::Note(confidence));
    }
    let note = proposal.note.as_deref().unwrap_or_default();
    if !note.is_empty() {
        rows.extend(cut(&format!("your note: {note}"), width).into_iter().map(Row::Note));
    }
}

/// A score in the words of the codebook; None for what nobody can tell.
fn given(session: &Session, item: &AuditItem, score: Option<f64>) -> Given {
    let Some(score) = score else { return Given::open() };
    let criterion = session.criterion_of(item);
    let scale = criterion.map_or(item.unit.scale(), |it| it.scale);
    Given::of(score, scale, criterion.map_or("", |it| it.level_name(score)))
}

fn say_outcome(
    audit: &Audit,
    session: &Session,
    item: &AuditItem,
    said: &Said,
    width: usize,
    rows: &mut Vec<Row>,
) {
    let Some(label) = audit.own_label(session) else { return };
    let blind = label.blind().map(|blind| if blind { "blind" } else { "not blind" });
    let confidence = label.given.confidence.map(|it| format!("{} confidence", it.word()));
    let is_unsaved = session.labels.is_unsaved(item.state(), item.key());
    let unsaved = is_unsaved.then_some("not saved yet");
    let facts = [blind.map(str::to_owned), confidence, unsaved.map(str::to_owned)];
    rows.push(Row::Score {
        by: label_by(session.labels.annotator()),
        score: Some(given(session, item, label.score())),
        label: None,
        words: facts.into_iter().flatten().collect::<Vec<_>>().join(", "),
    });
    let by = session.audit_source().map(|it| it.by.as_str()).unwrap_or_default();
    rows.push(Row::Score {
        by: judge_by(by),
        score: said.score.map(|score| given(session, item, Some(score))),
        label: said.label.clone(),
        words: String::new(),
    });
    say_difference(audit, session, item, width, rows);
    if session.waits_for_criteria(item) {
        let words = "what the judge wrote is of all criteria: it is shown once each has a label";
        rows.extend(cut(words, width).into_iter().map(Row::Note));
        return;
    }
    rows.extend(cut(&said.rationale, width).into_iter().map(Row::Words));
    if matches!(item.unit, Unit::Component | Unit::Decision | Unit::Process)
        && said.evidence.is_empty()
    {
        rows.push(Row::Note("the verdict names no lines of code".into()));
    }
    for it in &said.evidence {
        rows.push(Row::Evidence { path: it.path.clone(), lines: it.lines });
    }
    if let Some(words) = unopened_said(audit, session) {
        rows.extend(cut(&words, width).into_iter().map(Row::Problem));
    }
}

fn say_difference(
    audit: &Audit,
    session: &Session,
    item: &AuditItem,
    width: usize,
    rows: &mut Vec<Row>,
) {
    let (Some((judge, own)), Some(label)) = (audit.both_scores(session), audit.own_label(session))
    else {
        return say_note(audit, session, width, rows);
    };
    let Standing::Differs { is_explained, .. } = audit.standing(session, item) else {
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
