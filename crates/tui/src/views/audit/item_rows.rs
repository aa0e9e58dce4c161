//! The rows on the chosen item: its description and its proposal; once a label is given also the verdict.

use crate::{
    session::{Session, context::KeyContext},
    views::{
        audit::AuditView,
        verdict::{
            ShownScore, VerdictRow, doubt_text, evidence_row, label_author_text, push_fact_rows,
            push_look_rows, push_request_rows, words_in_rows,
        },
    },
};
use trajview_run::rubric::{Label, LabelUnit, ScoreScale, score_text};
use trajview_study::audit_items::{AuditItem, AuditedVerdict};

use super::{
    AuditPart, adjudication, areas::AuditAreas, prompt::AuditPrompt, proposals, queue::LabelStatus,
    study_queue,
};

/// Returns the rows of the current item with its levels or its verdict, wrapped to the width of the part; the reason where the
/// item cannot be shown.
pub(crate) fn item_rows(
    audit: &AuditView,
    session: &Session,
    areas: &AuditAreas,
) -> Vec<VerdictRow> {
    let width = areas.width_inside(AuditPart::Item).max(20);
    let mut rows = vec![];
    if let Some(why) = study_queue::why_item_not_shown(session) {
        return words_in_rows(&why, width).into_iter().map(VerdictRow::Note).collect();
    }
    let Some(item) = audit.audited_item(session) else { return rows };
    if session.is_adjudicating() {
        adjudication::push_case_rows(session, width, &mut rows);
        rows.push(VerdictRow::Blank);
        push_item_rows(audit, session, item, width, &mut rows);
        return rows;
    }
    if let Some(why) = session.labels.why_not_saved() {
        let retry = session.keys.key_text(KeyContext::Audit, "retry-saving");
        let words = format!("not saved: {why}; {retry} retries");
        rows.extend(words_in_rows(&words, width).into_iter().map(VerdictRow::Problem));
    }
    match audit.revealed_verdict(session) {
        Some(said) => {
            push_outcome_rows(audit, session, item, said, width, &mut rows);
            rows.push(VerdictRow::Blank);
            push_item_rows(audit, session, item, width, &mut rows);
            if matches!(item.unit, LabelUnit::Component | LabelUnit::Decision | LabelUnit::Process)
            {
                rows.push(VerdictRow::Blank);
                push_look_rows(&said.trace, said.looks, width, &mut rows);
            }
        }
        None => {
            // The levels come first: where the part is low, they are seen without scrolling.
            push_level_rows(audit, session, item, width, &mut rows);
            rows.push(VerdictRow::Blank);
            push_item_rows(audit, session, item, width, &mut rows);
        }
    }
    if let Some(turn) = audit.requesting_turn(session) {
        rows.push(VerdictRow::Blank);
        push_request_rows(session, turn, width, &mut rows);
    }
    rows
}

fn push_item_rows(
    audit: &AuditView,
    session: &Session,
    item: &AuditItem,
    width: usize,
    rows: &mut Vec<VerdictRow>,
) {
    if item.unit != LabelUnit::Component {
        return push_fact_rows(&item.fields, width, rows);
    }
    let has_list = session.rubric.known_rubric().is_some_and(|it| it.checklist.is_some());
    match (audit.audited_component(session), has_list) {
        (Some(component), _) => {
            let committed = component.committed_at_turn;
            let key = session.keys.key_text(KeyContext::Audit, "specified-turn");
            let words = committed.map(|turn| format!("in turn {turn}; {key} shows the request"));
            let request_field = words.map(|words| ("requested", words));
            let fields: Vec<_> = item.fields.iter().cloned().chain(request_field).collect();
            push_fact_rows(&fields, width, rows);
        }
        (None, true) => {
            rows.push(VerdictRow::Problem("the checklist has no such component".into()))
        }
        (None, false) => {
            let words = format!(
                "no description of {}: the run has no checklist (components.json)",
                item.id
            );
            rows.extend(words_in_rows(&words, width).into_iter().map(VerdictRow::Note));
        }
    }
}

fn push_level_rows(
    audit: &AuditView,
    session: &Session,
    item: &AuditItem,
    width: usize,
    rows: &mut Vec<VerdictRow>,
) {
    let heading = match audit.proposes {
        true => "propose a label; enter confirms it and shows the verdict",
        false => "Label first; the verdict is shown afterwards",
    };
    rows.extend(words_in_rows(heading, width).into_iter().map(VerdictRow::Heading));
    if let Some(criterion) = session.criterion_of(item) {
        let levels: Vec<String> = match criterion.scale {
            ScoreScale::Share => vec!["any number from 0 to 1: . types it".into()],
            scale => scale.level_range().map(|level| criterion.level_text(level.into())).collect(),
        };
        let words = format!("{}   _ cannot tell", levels.join("   "));
        rows.extend(words_in_rows(&words, width).into_iter().map(VerdictRow::Words));
    }
    if let Some(proposal) = proposals::current_proposal(audit, session) {
        push_proposal_rows(session, item, proposal, width, rows);
    }
    if let Some(why) = audit.why_not_blind(session) {
        let words = format!("the label will not be blind: {why}");
        rows.extend(words_in_rows(&words, width).into_iter().map(VerdictRow::Problem));
    }
}

fn push_proposal_rows(
    session: &Session,
    item: &AuditItem,
    proposal: &Label,
    width: usize,
    rows: &mut Vec<VerdictRow>,
) {
    let confidence = proposal.confidence.map(|it| format!("{} confidence", it.word()));
    if proposal.is_answered() {
        rows.push(VerdictRow::Score {
            by: label_author_text(session.labels.annotator()),
            score: Some(score_in_words(session, item, proposal.score)),
            label: None,
            words: ["proposed".into()].into_iter().chain(confidence).collect::<Vec<_>>().join(", "),
        });
        let words = "enter confirms, another score changes it, u removes it";
        rows.extend(words_in_rows(words, width).into_iter().map(VerdictRow::Note));
    } else if let Some(confidence) = confidence {
        rows.push(VerdictRow::Note(confidence));
    }
    let note = proposal.note.as_deref().unwrap_or_default();
    if !note.is_empty() {
        rows.extend(
            words_in_rows(&format!("your note: {note}"), width).into_iter().map(VerdictRow::Note),
        );
    }
}

/// Returns a score in the words of the codebook; without a score the words for "cannot tell".
fn score_in_words(session: &Session, item: &AuditItem, score: Option<f64>) -> ShownScore {
    let Some(score) = score else { return ShownScore::cannot_tell() };
    let criterion = session.criterion_of(item);
    let scale = criterion.map_or(item.unit.default_scale(), |it| it.scale);
    ShownScore::for_scale(score, scale, criterion.map_or("", |it| it.level_name(score)))
}

fn push_outcome_rows(
    audit: &AuditView,
    session: &Session,
    item: &AuditItem,
    said: &AuditedVerdict,
    width: usize,
    rows: &mut Vec<VerdictRow>,
) {
    let Some(label) = audit.current_label(session) else { return };
    let blind = label.is_blind().map(|blind| if blind { "blind" } else { "not blind" });
    let confidence = label.label.confidence.map(|it| format!("{} confidence", it.word()));
    let is_unsaved = session.labels.is_unsaved(item.judged_state(), item.item_key());
    let unsaved = is_unsaved.then_some("not saved yet");
    let facts = [blind.map(str::to_owned), confidence, unsaved.map(str::to_owned)];
    rows.push(VerdictRow::Score {
        by: label_author_text(session.labels.annotator()),
        score: Some(score_in_words(session, item, label.score())),
        label: None,
        words: facts.into_iter().flatten().collect::<Vec<_>>().join(", "),
    });
    let by = session.audit_source().map(|it| it.by.as_str()).unwrap_or_default();
    rows.push(VerdictRow::Score {
        by: judge_name(by),
        score: said.score.map(|score| score_in_words(session, item, Some(score))),
        label: said.label.clone(),
        words: String::new(),
    });
    let doubt = said.doubt.map(|doubt| words_in_rows(&doubt_text(doubt), width));
    rows.extend(doubt.into_iter().flatten().map(VerdictRow::Problem));
    push_difference_rows(audit, session, item, width, rows);
    if session.waits_for_criteria(item) {
        let words = "the verdict covers all criteria: it is shown after each has a label";
        rows.extend(words_in_rows(words, width).into_iter().map(VerdictRow::Note));
        return;
    }
    rows.extend(words_in_rows(&said.rationale, width).into_iter().map(VerdictRow::Words));
    if matches!(item.unit, LabelUnit::Component | LabelUnit::Decision | LabelUnit::Process)
        && said.evidence.is_empty()
    {
        rows.push(VerdictRow::Note("the verdict cites no lines of code".into()));
    }
    for it in &said.evidence {
        rows.push(evidence_row(it));
    }
    if let Some(words) = unopened_places_text(audit, session) {
        rows.extend(words_in_rows(&words, width).into_iter().map(VerdictRow::Problem));
    }
}

fn push_difference_rows(
    audit: &AuditView,
    session: &Session,
    item: &AuditItem,
    width: usize,
    rows: &mut Vec<VerdictRow>,
) {
    let (Some((judge, own)), Some(label)) =
        (audit.both_scores(session), audit.current_label(session))
    else {
        return push_note_rows(audit, session, width, rows);
    };
    let LabelStatus::Differs { is_explained, .. } = audit.item_status(session, item) else {
        rows.push(VerdictRow::Note("both agree".into()));
        return push_note_rows(audit, session, width, rows);
    };
    let (by, side) =
        (score_text((judge - own).abs()), if judge < own { "lower" } else { "higher" });
    let reason = match is_explained {
        true => format!("; reason {}", label.reason().unwrap_or_default()),
        false => String::new(),
    };
    rows.push(VerdictRow::Heading(format!("they differ: the judge is {side} by {by}{reason}")));
    if audit.prompt == Some(AuditPrompt::Reason) {
        push_reason_choices(audit, session, width, rows);
    } else if !is_explained {
        let reason = session.keys.key_text(KeyContext::Audit, "reason");
        rows.push(VerdictRow::Problem(format!("no reason yet ({reason})")));
    }
    push_note_rows(audit, session, width, rows);
}

fn push_reason_choices(
    audit: &AuditView,
    session: &Session,
    width: usize,
    rows: &mut Vec<VerdictRow>,
) {
    let key = |id| session.keys.key_text(KeyContext::AuditReason, id);
    let words =
        format!("why? press a letter · {}: suggested · {}: skip", key("accept"), key("cancel"));
    rows.extend(words_in_rows(&words, width).into_iter().map(VerdictRow::Heading));
    for (at, choice) in audit.reasons_offered(session).into_iter().enumerate() {
        let likely = if at == 0 { " (likely)" } else { "" };
        let words = format!("{}  {}{likely}: {}", choice.letter, choice.code, choice.means);
        rows.extend(words_in_rows(&words, width).into_iter().map(VerdictRow::Choice));
    }
}

fn push_note_rows(audit: &AuditView, session: &Session, width: usize, rows: &mut Vec<VerdictRow>) {
    let note = audit.current_label(session).and_then(|label| label.note()).unwrap_or_default();
    let words = format!("your note: {note}");
    if !note.is_empty() {
        rows.extend(words_in_rows(&words, width).into_iter().map(VerdictRow::Note));
    }
}

/// Returns the sentence on places that contradict a low score.
fn unopened_places_text(audit: &AuditView, session: &Session) -> Option<String> {
    if !audit.is_low_score(session) {
        return None;
    }
    let places = audit.similar_places(session)?.as_ref().ok()?;
    let unopened = places.iter().filter(|place| !place.is_opened).count();
    Some(match (unopened, places.len()) {
        (_, 0) => "false absence? no candidate code".into(),
        (0, all) => {
            format!("false absence? the judge opened all {all} candidates")
        }
        (1, _) => "false absence? the judge never opened 1 candidate: ] shows it".into(),
        (some, _) => {
            format!("false absence? the judge never opened {some} candidates: ] shows them")
        }
    })
}

fn judge_name(name: &str) -> String {
    if name.is_empty() { "the judge".into() } else { format!("{name} (judge)") }
}

/// Returns the evidence of a row; None for other rows.
pub(super) fn evidence_at(
    rows: &[VerdictRow],
    at: usize,
) -> Option<(&str, Option<(usize, usize)>)> {
    match rows.get(at)? {
        VerdictRow::Evidence { path, lines, .. } => Some((path, *lines)),
        _ => None,
    }
}
