//! Settling what raters scored differently: all that they said of a thing, the judges' verdicts if they are asked for, and
//! the outcome, which is added to the gold labels of the run and never taken out of them again.

use crate::{
    session::{Session, study::Mode},
    views::{
        audit::Audit,
        verdict::{Given, Row, cut, given_label},
    },
};
use trajview_run::rubric::{CANNOT_TELL, Confidence, Gold, Label, LabelOn, written};
use trajview_study::adjudication::Case;

use super::{Answer, prompt::Prompt, proposing::scale_of, reason::AGREE};

impl super::queue::Standing {
    /// The outcome of adjudication in a word.
    pub fn settled(score: Option<f64>) -> String {
        score.map_or_else(
            || format!("✓ {CANNOT_TELL}"),
            |score| format!("✓ gold {}", written(score)),
        )
    }
}

/// The thing that is looked at with what raters said of it.
fn case(session: &Session) -> Option<Case<'_>> {
    let study = session.study()?;
    study.studied.case(study.number()?)
}

/// The rows above what the component is.
pub fn say_case(session: &Session, width: usize, rows: &mut Vec<Row>) {
    let (Some(study), Some(case)) = (session.study(), case(session)) else { return };
    if let Some(why) = study.gold.why_not_saved() {
        let words = format!("not saved: {why}; s tries again");
        rows.extend(cut(&words, width).into_iter().map(Row::Problem));
    }
    let history = study.gold.history(case.item);
    say_outcome(&history, width, rows);
    rows.push(Row::Heading(match case.differs() {
        true => "what the raters said".into(),
        false => "what the raters said: all the same".into(),
    }));
    for (rater, label) in &case.labels {
        say_label(rater, *label, (width, study.shows_verdicts), rows);
    }
    for rater in &case.missing {
        rows.push(Row::Note(format!("{rater} has not labelled it")));
    }
    rows.push(Row::Blank);
    if study.shows_verdicts {
        say_verdicts(session, &case, width, rows);
    } else {
        rows.push(Row::Note("v shows what the judges said".into()));
    }
}

/// What was settled last, and what before it.
fn say_outcome(history: &[&Gold], width: usize, rows: &mut Vec<Row>) {
    let Some((last, before)) = history.split_last() else {
        let words = "not settled: a score settles it";
        rows.extend(cut(words, width).into_iter().map(Row::Problem));
        rows.push(Row::Blank);
        return;
    };
    let by = last.by.clone().unwrap_or_else(|| "nobody that is named".into());
    if last.is_answered() {
        rows.push(Row::Score {
            by: format!("{by} (gold)"),
            score: Some(given_gold(last)),
            label: None,
            words: last.at.clone().unwrap_or_default(),
        });
    } else {
        rows.push(Row::Problem(format!("{by} withdrew the outcome; a score settles it")));
    }
    let note = last.note.iter().map(|note| format!("note: {note}"));
    rows.extend(note.flat_map(|note| cut(&note, width)).map(Row::Note));
    for gold in before.iter().rev() {
        let what = match (gold.score, gold.cannot_tell) {
            (Some(score), _) => written(score),
            (None, true) => CANNOT_TELL.to_owned(),
            (None, false) => "withdrawn".to_owned(),
        };
        let facts = [gold.by.clone(), gold.at.clone(), gold.note.clone()];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        let words = format!("before: {what} ({})", facts.join(", "));
        rows.extend(cut(&words, width).into_iter().map(Row::Note));
    }
    rows.push(Row::Blank);
}

/// As a label of the same score is shown.
fn given_gold(gold: &Gold) -> Given {
    given_label(&Label {
        score: gold.score,
        unit: gold.unit,
        scale: gold.scale.clone(),
        cannot_tell: gold.cannot_tell,
        ..Label::default()
    })
}

/// That somebody agrees with the judge is said only where the judge's verdict is.
fn say_label(
    rater: &str,
    label: LabelOn<'_>,
    (width, shows_verdicts): (usize, bool),
    rows: &mut Vec<Row>,
) {
    let blind = match label.blind() {
        Some(true) => Some("blind".to_owned()),
        Some(false) => Some("not blind".to_owned()),
        None => None,
    };
    let confidence =
        label.given.confidence.map(|it: Confidence| format!("{} confidence", it.word()));
    let facts: Vec<String> = [blind, confidence].into_iter().flatten().collect();
    rows.push(Row::Score {
        by: rater.to_owned(),
        score: Some(given_label(label.given)),
        label: None,
        words: facts.join(", "),
    });
    let reason = label.reason().filter(|reason| shows_verdicts || *reason != AGREE);
    let reason = reason.map(|reason| format!("reason: {reason}"));
    let note = label.note().map(|note| format!("note: {note}"));
    for words in reason.into_iter().chain(note) {
        rows.extend(
            cut(&words, width.saturating_sub(2))
                .into_iter()
                .map(|it| Row::Words(format!("  {it}"))),
        );
    }
}

fn say_verdicts(session: &Session, case: &Case<'_>, width: usize, rows: &mut Vec<Row>) {
    let Some(study) = session.study() else { return };
    rows.push(Row::Heading("what the judges said".into()));
    for (source, item) in study.studied.verdicts(case.item) {
        let said = &item.said;
        let own = item.unit.levels().names;
        let given = |score: f64| {
            let names = if said.scale.is_none() { own } else { &[] };
            let name = said.label.as_deref().or(names.get(score as usize).copied());
            Given::of(score, said.scale.unwrap_or(item.unit.scale()), name.unwrap_or_default())
        };
        rows.push(Row::Score {
            by: source.by.clone(),
            score: said.score.map(given),
            label: said.label.clone(),
            words: String::new(),
        });
        rows.extend(cut(&said.rationale, width).into_iter().map(Row::Words));
        for it in &said.evidence {
            rows.push(Row::Evidence { path: it.path.clone(), lines: it.lines });
        }
    }
}

/// The outcome that counts of what is looked at.
fn known(session: &Session) -> Option<Gold> {
    let study = session.study()?;
    study.gold.of_item(study.chosen()?).cloned()
}

/// Settles what is looked at; what was settled before stays in the history.
pub fn settle(session: &mut Session, answer: Answer) {
    let note = known(session).and_then(|it| it.note);
    let (score, cannot_tell) = match answer {
        Answer::Score(score) => (Some(score), false),
        Answer::CannotTell => (None, true),
    };
    put(session, |gold| Gold { score, cannot_tell, note, ..gold });
}

/// Withdraws what was settled.
pub fn withdraw(session: &mut Session) {
    if known(session).is_none() {
        session.notice = Some("nothing is settled here that could be withdrawn".into());
        return;
    }
    put(session, |gold| gold);
    session.notice = Some("the outcome is withdrawn; its history stays".into());
}

/// Asks for words on the outcome.
pub fn ask_for_note(audit: &mut Audit, session: &mut Session) {
    match known(session) {
        None => session.notice = Some("a note needs an outcome, and a score gives one".into()),
        Some(gold) => audit.prompt = Some(Prompt::Note(gold.note.unwrap_or_default())),
    }
}

pub fn give_note(session: &mut Session, text: &str) {
    let Some(before) = known(session) else { return };
    let note = Some(text.trim().to_owned()).filter(|note| !note.is_empty());
    if note != before.note {
        let (score, cannot_tell) = (before.score, before.cannot_tell);
        put(session, |gold| Gold { score, cannot_tell, note, ..gold });
    }
}

fn put(session: &mut Session, outcome: impl FnOnce(Gold) -> Gold) {
    let by = session.labels.annotator().map(str::to_owned);
    let Some(study) = session.study() else { return };
    let Some(case) = case(session) else { return };
    let scale = scale_of(session, &case.item.item);
    let gold = outcome(Gold { by, scale, ..study.studied.outcome(&case) });
    let run = case.item.run;
    if let Some(study) = session.study_mut() {
        study.gold.put(run, gold);
    }
}

/// From labelling to settling, and back.
pub fn turn(audit: &mut Audit, session: &mut Session) {
    match session.turn_study() {
        Err(why) => session.notice = Some(why),
        Ok(mode) => {
            (audit.prompt, audit.chosen) = (None, None);
            let (count, done) =
                (session.study().map_or(0, |it| it.len()), super::over_runs::done_count(session));
            session.notice = Some(match mode {
                Mode::Adjudicating => format!(
                    "what raters differ on: {done} of {count} settled; d goes back to labelling"
                ),
                Mode::Labelling => "labelling; d goes to what raters differ on".into(),
            });
        }
    }
}

/// Shows the verdicts of the judges beside the labels, or hides them.
pub fn switch_verdicts(session: &mut Session) {
    if !session.adjudicates() {
        session.notice =
            Some("a verdict is shown once its label is in; d settles what raters differ on".into());
        return;
    }
    if let Some(study) = session.study_mut() {
        study.shows_verdicts = !study.shows_verdicts;
    }
}
