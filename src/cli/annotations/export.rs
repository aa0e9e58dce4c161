//! Exports labels and verdicts of runs in the form of another tool.

use std::collections::BTreeSet;

use crate::cli::{
    CommandFailure, CommandResult, Exit,
    agree::inputs::{AgreeInputs, NamedRun},
    output::{Out, print_note},
};
use trajview_formats::annotations::{
    self, AnnotatedState, Annotation, AnnotationAnswer, AnnotationSource, AnnotationTool,
    label_studio_config,
};
use trajview_run::rubric::{CANNOT_TELL, ItemKey, Judgement, LEVELS, Label, LabelUnit};

use super::{AnnotationsArgs, item_name};

pub(crate) fn export_annotations(
    gathered: &AgreeInputs,
    args: &AnnotationsArgs,
    tool: AnnotationTool,
    out: &mut Out,
) -> CommandResult {
    let mut all: Vec<Annotation> = vec![];
    for run in gathered.named_runs() {
        all.extend(label_annotations(&run));
        if args.judgements {
            all.extend(run.rubric.judgements.iter().flat_map(|it| verdict_annotations(&run, it)));
        }
    }
    let names: BTreeSet<String> = all.iter().filter_map(|it| it.by.clone()).collect();
    if let Some(name) =
        args.rater.iter().find(|beginning| !names.iter().any(|it| it.starts_with(*beginning)))
    {
        let names: Vec<String> = names.into_iter().collect();
        let names_text = if names.is_empty() { "nobody".into() } else { names.join(", ") };
        let why = format!("--rater {name}: has no exported scores; available: {names_text}");
        return Err(CommandFailure::wrong_arguments(why));
    }
    let is_asked = |it: &Annotation| {
        let is_of = |by: &String| args.rater.iter().any(|beginning| by.starts_with(beginning));
        args.rater.is_empty() || it.by.as_ref().is_some_and(is_of)
    };
    all.retain(is_asked);
    if all.is_empty() {
        let more =
            if args.judgements { "" } else { "; --judgements includes the verdicts of judges" };
        print_note(&format!("no labels found{more}"));
    }
    let text =
        annotations::write_annotations(tool, &all).map_err(CommandFailure::wrong_arguments)?;
    out.print_bytes(text.as_bytes())?;
    Ok(Exit::Fine)
}

/// Prints the interface that shows our tasks in Label Studio, with the levels of components.
pub(crate) fn print_label_studio_config(out: &mut Out) -> CommandResult {
    let levels = (0_u8..).zip(LEVELS).map(|(score, word)| format!("{score} {word}"));
    let levels: Vec<String> = levels.chain([CANNOT_TELL.to_owned()]).collect();
    out.print_bytes(label_studio_config(levels.iter().map(String::as_str)).as_bytes())?;
    Ok(Exit::Fine)
}

fn label_annotations(run: &NamedRun<'_>) -> Vec<Annotation> {
    let of_label = |by: &str, label: &Label| {
        let answer = match (label.score, label.cannot_tell) {
            (Some(score), _) => score_answer(label.unit, label.scale.as_deref(), score),
            (None, true) => AnnotationAnswer::CannotTell,
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
            state: AnnotatedState {
                commit: label.commit.clone(),
                turn: label.turn,
                judgement: label.judgement.clone(),
                blind: label.blind,
                reason: label.reason.clone(),
                model: None,
            },
            at: label.at.clone(),
            ..annotation_of_item(run, item)
        })
    };
    let books = run.rubric.labels.iter();
    books
        .flat_map(|book| book.labels.iter().filter_map(|it| of_label(&book.annotator, it)))
        .collect()
}

fn verdict_annotations(run: &NamedRun<'_>, judgement: &Judgement) -> Vec<Annotation> {
    let all = judgement.verdicts.iter();
    let scored =
        all.flat_map(|verdict| verdict.given_scores().into_iter().map(move |it| (verdict, it)));
    scored
        .map(|(verdict, scored)| Annotation {
            by: Some(judgement.judge.name.clone()),
            source: AnnotationSource::Judge,
            answer: match scored.scale {
                None => score_answer(LabelUnit::Component, None, scored.score),
                Some(_) => AnnotationAnswer::Score(scored.score, scored.name.map(str::to_owned)),
            },
            note: Some(verdict.rationale.clone()).filter(|it| !it.is_empty()),
            state: AnnotatedState {
                commit: judgement.commit.clone(),
                turn: judgement.turn,
                judgement: Some(judgement.file.clone()),
                model: judgement.judge.model.clone(),
                ..AnnotatedState::default()
            },
            at: judgement.created_at.clone(),
            ..annotation_of_item(
                run,
                ItemKey { criterion: scored.criterion, ..ItemKey::from(&verdict.component) },
            )
        })
        .collect()
}

/// Returns a score with the name of its level, where the scale is the unit's own.
fn score_answer(unit: LabelUnit, scale: Option<&str>, score: f64) -> AnnotationAnswer {
    let is_own = scale.is_none_or(|scale| scale == unit.default_scale().to_string());
    let level = (is_own && score.fract() == 0.0 && score >= 0.0).then_some(score as u8);
    let name = level.and_then(|level| unit.rubric_levels().name(level));
    AnnotationAnswer::Score(score, name.map(str::to_owned))
}

/// Describes the scored item for a person, without an answer.
fn annotation_of_item(run: &NamedRun<'_>, item: ItemKey<'_>) -> Annotation {
    let listed = run.rubric.checklist.iter().flat_map(|it| &it.components);
    let is_it = |id: &str| item.unit == LabelUnit::Component && id == item.id;
    let found = listed.into_iter().find(|it| is_it(&it.id));
    let title = found.map(|it| format!("{}: {}", it.name, it.intent)).unwrap_or_default();
    Annotation { run: run.name.to_owned(), item: item_name(item), title, ..Annotation::default() }
}
