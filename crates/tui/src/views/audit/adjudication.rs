//! Adjudication of items that raters scored differently: all their labels, the judges' verdicts on request, and the
//! outcome, which is added to the gold labels of the run and never removed from them.

use crate::{
    session::{Session, context::KeyContext, study::StudyMode},
    views::{
        audit::AuditView,
        verdict::{ShownScore, VerdictRow, doubt_text, evidence_row, label_score, words_in_rows},
    },
};
use trajview_run::rubric::{CANNOT_TELL, Confidence, GoldLabel, JudgementLabel, Label, score_text};
use trajview_study::adjudication::AdjudicationCase;

use super::{
    AuditAnswer, disagreement_reasons::AGREE, prompt::AuditPrompt, proposals::label_scale,
};

impl super::queue::LabelStatus {
    /// Returns the words for an outcome.
    pub(crate) fn settled_text(score: Option<f64>) -> String {
        score.map_or_else(
            || format!("✓ {CANNOT_TELL}"),
            |score| format!("✓ gold {}", score_text(score)),
        )
    }
}

/// Returns the current item with the labels of its raters.
fn current_case(session: &Session) -> Option<AdjudicationCase<'_>> {
    let study = session.study_queue()?;
    study.studied.adjudication_case(study.chosen_number()?)
}

/// Adds the rows above the description of the component.
pub(crate) fn push_case_rows(session: &Session, width: usize, rows: &mut Vec<VerdictRow>) {
    let (Some(study), Some(case)) = (session.study_queue(), current_case(session)) else { return };
    if let Some(why) = study.gold.why_not_saved() {
        let retry = session.keys.key_text(KeyContext::Audit, "retry-saving");
        let words = format!("not saved: {why}; {retry} retries");
        rows.extend(words_in_rows(&words, width).into_iter().map(VerdictRow::Problem));
    }
    let history = study.gold.outcomes_of(case.item);
    push_gold_rows(&history, width, rows);
    rows.push(VerdictRow::Heading(match case.has_different_answers() {
        true => "labels of the raters".into(),
        false => "labels: all raters agree".into(),
    }));
    for (rater, label) in &case.labels {
        push_label_rows(rater, *label, (width, study.shows_verdicts), rows);
    }
    for rater in &case.missing {
        rows.push(VerdictRow::Note(format!("{rater} has not labelled it")));
    }
    rows.push(VerdictRow::Blank);
    if study.shows_verdicts {
        push_verdict_rows(session, &case, width, rows);
    } else {
        let key = session.keys.key_text(KeyContext::Audit, "audit-kind");
        rows.push(VerdictRow::Note(format!("{key} shows the verdicts of the judges")));
    }
}

/// Adds the current outcome and the earlier ones.
fn push_gold_rows(history: &[&GoldLabel], width: usize, rows: &mut Vec<VerdictRow>) {
    let Some((last, before)) = history.split_last() else {
        let words = "to adjudicate: give a score";
        rows.extend(words_in_rows(words, width).into_iter().map(VerdictRow::Problem));
        rows.push(VerdictRow::Blank);
        return;
    };
    let by = last.by.clone().unwrap_or_else(|| "unnamed".into());
    if last.is_answered() {
        rows.push(VerdictRow::Score {
            by: format!("{by} (gold)"),
            score: Some(gold_in_words(last)),
            label: None,
            words: last.at.clone().unwrap_or_default(),
        });
    } else {
        rows.push(VerdictRow::Problem(format!(
            "{by} withdrew the outcome; give a score to adjudicate"
        )));
    }
    let note = last.note.iter().map(|note| format!("note: {note}"));
    rows.extend(note.flat_map(|note| words_in_rows(&note, width)).map(VerdictRow::Note));
    for gold in before.iter().rev() {
        let what = match (gold.score, gold.cannot_tell) {
            (Some(score), _) => score_text(score),
            (None, true) => CANNOT_TELL.to_owned(),
            (None, false) => "withdrawn".to_owned(),
        };
        let facts = [gold.by.clone(), gold.at.clone(), gold.note.clone()];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        let words = format!("before: {what} ({})", facts.join(", "));
        rows.extend(words_in_rows(&words, width).into_iter().map(VerdictRow::Note));
    }
    rows.push(VerdictRow::Blank);
}

/// Returns the outcome in the form in which a label of the same score is shown.
fn gold_in_words(gold: &GoldLabel) -> ShownScore {
    label_score(&Label {
        score: gold.score,
        unit: gold.unit,
        scale: gold.scale.clone(),
        cannot_tell: gold.cannot_tell,
        ..Label::default()
    })
}

/// Adds a label; agreement with the judge is mentioned only where the judge's verdict is shown.
fn push_label_rows(
    rater: &str,
    label: JudgementLabel<'_>,
    (width, shows_verdicts): (usize, bool),
    rows: &mut Vec<VerdictRow>,
) {
    let blind = match label.is_blind() {
        Some(true) => Some("blind".to_owned()),
        Some(false) => Some("not blind".to_owned()),
        None => None,
    };
    let confidence =
        label.label.confidence.map(|it: Confidence| format!("{} confidence", it.word()));
    let facts: Vec<String> = [blind, confidence].into_iter().flatten().collect();
    rows.push(VerdictRow::Score {
        by: rater.to_owned(),
        score: Some(label_score(label.label)),
        label: None,
        words: facts.join(", "),
    });
    let reason = label.reason().filter(|reason| shows_verdicts || *reason != AGREE);
    let reason = reason.map(|reason| format!("reason: {reason}"));
    let note = label.note().map(|note| format!("note: {note}"));
    for words in reason.into_iter().chain(note) {
        rows.extend(
            words_in_rows(&words, width.saturating_sub(2))
                .into_iter()
                .map(|it| VerdictRow::Words(format!("  {it}"))),
        );
    }
}

fn push_verdict_rows(
    session: &Session,
    case: &AdjudicationCase<'_>,
    width: usize,
    rows: &mut Vec<VerdictRow>,
) {
    let Some(study) = session.study_queue() else { return };
    rows.push(VerdictRow::Heading("verdicts of the judges".into()));
    for (source, item) in study.studied.judge_verdicts(case.item) {
        let verdict = &item.verdict;
        let own = item.unit.rubric_levels().names;
        let shown_score = |score: f64| {
            let names = if verdict.scale.is_none() { own } else { &[] };
            let name = verdict.label.as_deref().or(names.get(score as usize).copied());
            ShownScore::for_scale(
                score,
                verdict.scale.unwrap_or(item.unit.default_scale()),
                name.unwrap_or_default(),
            )
        };
        rows.push(VerdictRow::Score {
            by: source.by.clone(),
            score: verdict.score.map(shown_score),
            label: verdict.label.clone(),
            words: String::new(),
        });
        let doubt = verdict.doubt.map(|doubt| words_in_rows(&doubt_text(doubt), width));
        rows.extend(doubt.into_iter().flatten().map(VerdictRow::Problem));
        rows.extend(words_in_rows(&verdict.rationale, width).into_iter().map(VerdictRow::Words));
        for it in &verdict.evidence {
            rows.push(evidence_row(it));
        }
    }
}

/// Returns the current gold label of the chosen item.
fn current_gold(session: &Session) -> Option<GoldLabel> {
    let study = session.study_queue()?;
    study.gold.outcome_of(study.chosen_item()?).cloned()
}

/// Settles the current item; earlier outcomes stay in the history.
pub(crate) fn settle_item(session: &mut Session, answer: AuditAnswer) {
    let note = current_gold(session).and_then(|it| it.note);
    let (score, cannot_tell) = match answer {
        AuditAnswer::Score(score) => (Some(score), false),
        AuditAnswer::CannotTell => (None, true),
    };
    save_outcome(session, |gold| GoldLabel { score, cannot_tell, note, ..gold });
}

/// Withdraws what was settled.
pub(crate) fn withdraw_outcome(session: &mut Session) {
    if current_gold(session).is_none() {
        session.notice = Some("no outcome to withdraw here".into());
        return;
    }
    save_outcome(session, |gold| gold);
    session.notice = Some("outcome withdrawn; its history stays".into());
}

/// Asks for words on the outcome.
pub(crate) fn ask_for_note(audit: &mut AuditView, session: &mut Session) {
    match current_gold(session) {
        None => session.notice = Some("a note needs an outcome: give a score first".into()),
        Some(gold) => audit.prompt = Some(AuditPrompt::Note(gold.note.unwrap_or_default())),
    }
}

pub(crate) fn set_gold_note(session: &mut Session, text: &str) {
    let Some(before) = current_gold(session) else { return };
    let note = Some(text.trim().to_owned()).filter(|note| !note.is_empty());
    if note != before.note {
        let (score, cannot_tell) = (before.score, before.cannot_tell);
        save_outcome(session, |gold| GoldLabel { score, cannot_tell, note, ..gold });
    }
}

fn save_outcome(session: &mut Session, outcome: impl FnOnce(GoldLabel) -> GoldLabel) {
    let by = session.labels.annotator().map(str::to_owned);
    let Some(study) = session.study_queue() else { return };
    let Some(case) = current_case(session) else { return };
    let scale = label_scale(session, &case.item.item);
    let gold = outcome(GoldLabel { by, scale, ..study.studied.new_outcome(&case) });
    let run = case.item.run;
    if let Some(study) = session.study_mut() {
        study.gold.put_outcome(run, gold);
    }
}

/// Switches between labelling and adjudication.
pub(crate) fn switch_study_mode(audit: &mut AuditView, session: &mut Session) {
    match session.switch_study_mode() {
        Err(why) => session.notice = Some(why),
        Ok(mode) => {
            (audit.prompt, audit.chosen) = (None, None);
            let (count, done) = (
                session.study_queue().map_or(0, |it| it.len()),
                super::study_queue::done_count(session),
            );
            let key = session.keys.key_text(KeyContext::Audit, "adjudicate");
            session.notice = Some(match mode {
                StudyMode::Adjudicating => {
                    format!("{done} of {count} adjudicated; {key} returns to labelling")
                }
                StudyMode::Labelling => format!("labelling; {key}: adjudicate"),
            });
        }
    }
}

/// Shows the verdicts of the judges beside the labels, or hides them.
pub(crate) fn toggle_verdicts(session: &mut Session) {
    if !session.is_adjudicating() {
        let key = session.keys.key_text(KeyContext::Audit, "adjudicate");
        session.notice = Some(format!("a verdict is shown after its label; {key}: adjudicate"));
        return;
    }
    if let Some(study) = session.study_mut() {
        study.shows_verdicts = !study.shows_verdicts;
    }
}
