//! The queue of other things than components: leaves of a rubric tree, flags, signals, decisions, parts of process.

use crate::cli::CommandFailure;
use trajview_analysis as analysis;
use trajview_metrics::lifeline::turns_done_at;
use trajview_run::{model_vendor::shared_vendor, rubric::LabelUnit};
use trajview_store::decisions;
use trajview_study::{
    audit_items::{self, AuditInputs, AuditItem, JudgingSource},
    queue::QueuePlan,
};

use super::{
    AuditArgs, annotator_name,
    audited_run::AuditedRun,
    document::{
        AuditDocument, AuditItemRow, AuditQueueRow, AuditScoreRow, AuditedJudgementRow,
        CountedLabels, LabelRow,
    },
};

/// Checks that `--absences` is requested for components: judges of other things record no looks, or look for no
/// absence. The error names the remedy.
pub(crate) fn check_absences(unit: LabelUnit) -> Result<(), CommandFailure> {
    let why = match unit {
        LabelUnit::Component => return Ok(()),
        LabelUnit::Leaf => "a graded rubric tree does not record what its judge opened",
        LabelUnit::Flag | LabelUnit::Signal => "a flag or a signal is something that was found",
        LabelUnit::Decision | LabelUnit::Process => {
            "a broken decision or a poor part has no single place"
        }
    };
    Err(CommandFailure::wrong_arguments(format!(
        "--absences works only with components, because {why}; remove --unit {}",
        unit.word()
    )))
}

/// Draws the items to audit, in the order of the queue, and returns their source.
pub fn draw_items(
    audited: &AuditedRun,
    unit: LabelUnit,
    args: &AuditArgs,
    plan: QueuePlan,
) -> Result<(JudgingSource, Vec<AuditItem>), CommandFailure> {
    let (run, archive) = (&audited.opened.run, &audited.opened.archive);
    let process = (unit == LabelUnit::Signal).then(|| analysis::process_report(archive, run));
    let store =
        (unit == LabelUnit::Decision).then(|| decisions::store_of_run(archive, None)).flatten();
    let store = store.transpose().map_err(CommandFailure::cannot_read)?;
    let lane = store.map(|store| analysis::decisions::decision_lane(archive, run, &store));
    let ground = AuditInputs {
        run,
        rubric: &audited.rubric,
        process: process.as_ref(),
        decisions: lane.as_ref(),
    };
    let book = audited.rubric.codebook.as_deref().filter(|_| unit == LabelUnit::Component);
    let mut all = audit_items::audit_sources(ground, unit);
    // The judgement that `Rubric::shown_by` chooses comes last, where it is taken.
    let speaks = book.and_then(|book| audited.rubric.judgement_to_show_by(book));
    let at = speaks.and_then(|it| all.iter().position(|source| source.file == it.file));
    if let Some(at) = at {
        let speaks = all.remove(at);
        all.push(speaks);
    }
    let source = find_source(audited, unit, all, args)?;
    let items = audit_items::audit_items(ground, unit, &source.file);
    let items = match book {
        Some(book) => audit_items::split_by_criteria(items, book),
        None => items,
    };
    Ok((source, audit_items::draw_items(items, plan)))
}

pub(crate) fn items_document(
    audited: &AuditedRun,
    unit: LabelUnit,
    args: &AuditArgs,
    plan: QueuePlan,
) -> Result<AuditDocument, CommandFailure> {
    let run = &audited.opened.run;
    let (source, drawn) = draw_items(audited, unit, args, plan)?;
    let name = annotator_name(args)?;
    let rows = (1..).zip(drawn).map(|(number, item)| item_row(audited, &name, number, item));
    let turn = turns_done_at(run, source.turn, source.commit.as_deref());
    let rubric = &audited.rubric;
    let judged = rubric.judgements.iter().chain(&rubric.decisions).chain(&rubric.process);
    let judged = judged.map(|it| (&it.file, &it.judge));
    let judged = judged.chain(rubric.flaggings.iter().map(|it| (&it.file, &it.judge)));
    let of_judge = judged.into_iter().find(|(file, _)| **file == source.file).map(|it| it.1);
    Ok(AuditDocument {
        schema: "trajview.audit/1",
        run: audited.run_name().to_owned(),
        judgement: AuditedJudgementRow {
            kind: of_judge.map(|judge| judge.kind.clone()).unwrap_or_default(),
            model: of_judge.and_then(|judge| judge.model.clone()),
            shared_vendor: of_judge.and_then(|judge| shared_vendor(judge, run)),
            file: source.file,
            judge: source.by,
            commit: source.commit,
            turn: turn.unwrap_or_default(),
        },
        queue: Some(AuditQueueRow::new(
            (&name, CountedLabels::from_blind_only(args.blind_only)),
            plan,
            rows.collect(),
        )),
        absences: None,
    })
}

/// Returns the judging of that file or judge, else the last.
fn find_source(
    audited: &AuditedRun,
    unit: LabelUnit,
    mut all: Vec<JudgingSource>,
    args: &AuditArgs,
) -> Result<JudgingSource, CommandFailure> {
    let shown = audited.path.display();
    let plural = unit.plural_word();
    let Some(wanted) = args.judge.as_deref() else {
        return all.pop().ok_or_else(|| {
            CommandFailure::cannot_understand(format!("{shown}: has no {plural} to check"))
        });
    };
    let is_it = |it: &JudgingSource| {
        it.by == wanted || it.file.ends_with(wanted) || it.by.starts_with(wanted)
    };
    let at = all.iter().rposition(is_it).ok_or_else(|| {
        let judges: Vec<&str> = all.iter().map(|it| it.by.as_str()).collect();
        let judges_text = if judges.is_empty() { "nobody".to_owned() } else { judges.join(", ") };
        let why = format!("{shown}: {wanted:?} judged none of its {plural}; {judges_text} did");
        CommandFailure::cannot_understand(why)
    })?;
    Ok(all.swap_remove(at))
}

fn item_row(audited: &AuditedRun, annotator: &str, number: usize, item: AuditItem) -> AuditItemRow {
    let labels = audited.labels_of(annotator);
    let label = labels.and_then(|labels| labels.label_for(item.judged_state(), item.item_key()));
    let is_labelled = label.is_some_and(|label| label.is_answered());
    let score = item.verdict.score.filter(|_| is_labelled);
    AuditItemRow {
        number,
        label: label.map(LabelRow::new),
        verdict: score.map(|score| match item.verdict.scale {
            None => AuditScoreRow::of_unit(score, item.unit),
            Some(_) => AuditScoreRow { score, label: None },
        }),
        unit: item.unit.word(),
        component: item.id,
        criterion: item.criterion,
        name: item.title,
    }
}
