//! What people and judges said of runs, in the form of another tool.

use std::collections::BTreeSet;

use crate::cli::{
    Exit, Failure, Outcome,
    agree::gather::{Gathered, NamedRun},
    output::{Out, tell},
};
use trajview_formats::annotations::{
    self, Annotation, Answer, Source, State, Tool, label_studio_config,
};
use trajview_run::rubric::{CANNOT_TELL, ItemKey, Judgement, LEVELS, Label, Unit};

use super::{Args, name_of};

pub fn export(gathered: &Gathered, args: &Args, tool: Tool, out: &mut Out) -> Outcome {
    let mut all: Vec<Annotation> = vec![];
    for run in gathered.runs() {
        all.extend(labels(&run));
        if args.judgements {
            all.extend(run.rubric.judgements.iter().flat_map(|it| verdicts(&run, it)));
        }
    }
    let names: BTreeSet<String> = all.iter().filter_map(|it| it.by.clone()).collect();
    if let Some(name) = args.of.iter().find(|of| !names.iter().any(|it| it.starts_with(*of))) {
        let names: Vec<String> = names.into_iter().collect();
        let known = if names.is_empty() { "nobody".into() } else { names.join(", ") };
        let why = format!("--of {name}: gave no score that is exported; there is {known}");
        return Err(Failure::wrong(why));
    }
    let is_asked = |it: &Annotation| {
        let is_of = |by: &String| args.of.iter().any(|of| by.starts_with(of));
        args.of.is_empty() || it.by.as_ref().is_some_and(is_of)
    };
    all.retain(is_asked);
    if all.is_empty() {
        let more = if args.judgements { "" } else { "; --judgements takes the verdicts of judges" };
        tell(&format!("no labels in what was named{more}"));
    }
    let text = annotations::write(tool, &all).map_err(Failure::wrong)?;
    out.raw(text.as_bytes())?;
    Ok(Exit::Fine)
}

/// The interface that shows our tasks in Label Studio, with the levels of components.
pub fn config(out: &mut Out) -> Outcome {
    let levels = (0_u8..).zip(LEVELS).map(|(score, word)| format!("{score} {word}"));
    let levels: Vec<String> = levels.chain([CANNOT_TELL.to_owned()]).collect();
    out.raw(label_studio_config(levels.iter().map(String::as_str)).as_bytes())?;
    Ok(Exit::Fine)
}

fn labels(run: &NamedRun<'_>) -> Vec<Annotation> {
    let of_label = |by: &str, label: &Label| {
        let answer = match (label.score, label.cannot_tell) {
            (Some(score), _) => score_of(label.unit, label.scale.as_deref(), score),
            (None, true) => Answer::CannotTell,
            (None, false) => return None, // taken back
        };
        let item = ItemKey {
            unit: label.unit,
            id: &label.component,
            criterion: label.criterion.as_deref(),
        };
        Some(Annotation {
            by: Some(by.to_owned()),
            answer,
            note: label.note.clone(),
            state: State {
                commit: label.commit.clone(),
                turn: label.turn,
                judgement: label.judgement.clone(),
                blind: label.blind,
                reason: label.reason.clone(),
                model: None,
            },
            at: label.at.clone(),
            ..about(run, item)
        })
    };
    let books = run.rubric.labels.iter();
    books
        .flat_map(|book| book.labels.iter().filter_map(|it| of_label(&book.annotator, it)))
        .collect()
}

fn verdicts(run: &NamedRun<'_>, judgement: &Judgement) -> Vec<Annotation> {
    let all = judgement.verdicts.iter();
    let scored = all.flat_map(|verdict| verdict.scores().into_iter().map(move |it| (verdict, it)));
    scored
        .map(|(verdict, scored)| Annotation {
            by: Some(judgement.judge.name.clone()),
            source: Source::Judge,
            answer: match scored.scale {
                None => score_of(Unit::Component, None, scored.score),
                Some(_) => Answer::Score(scored.score, scored.name.map(str::to_owned)),
            },
            note: Some(verdict.rationale.clone()).filter(|it| !it.is_empty()),
            state: State {
                commit: judgement.commit.clone(),
                turn: judgement.turn,
                judgement: Some(judgement.file.clone()),
                model: judgement.judge.model.clone(),
                ..State::default()
            },
            at: judgement.created_at.clone(),
            ..about(
                run,
                ItemKey { criterion: scored.criterion, ..ItemKey::from(&verdict.component) },
            )
        })
        .collect()
}

/// A score with the name of its level, where the scale is the unit's own.
fn score_of(unit: Unit, scale: Option<&str>, score: f64) -> Answer {
    let is_own = scale.is_none_or(|scale| scale == unit.scale().to_string());
    let level = (is_own && score.fract() == 0.0 && score >= 0.0).then_some(score as u8);
    let name = level.and_then(|level| unit.levels().name(level));
    Answer::Score(score, name.map(str::to_owned))
}

/// What is scored, as a person reads it.
fn about(run: &NamedRun<'_>, item: ItemKey<'_>) -> Annotation {
    let listed = run.rubric.checklist.iter().flat_map(|it| &it.components);
    let is_it = |id: &str| item.unit == Unit::Component && id == item.id;
    let found = listed.into_iter().find(|it| is_it(&it.id));
    let title = found.map(|it| format!("{}: {}", it.name, it.intent)).unwrap_or_default();
    Annotation { run: run.name.to_owned(), item: name_of(item), title, ..Annotation::default() }
}
