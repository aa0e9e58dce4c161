//! The queue of other things than components: leaves of a rubric tree, flags, signals, decisions, parts of process.

use crate::cli::Failure;
use trajview_metrics::lifeline::moment;
use trajview_run::rubric::Unit;
use trajview_store as store;
use trajview_store::decisions;
use trajview_study::{
    items::{self, AuditItem, Ground, Source},
    queue::Plan,
};

use super::{
    Args, annotator,
    audited::Audited,
    document::{Counting, Document, ItemRow, JudgementRow, LabelRow, QueueRow, ScoreRow},
};

/// What was never opened is told of components alone: judges of other things record no looks, or look for no absence. The
/// error says what to do.
pub fn check_absences(unit: Unit) -> Result<(), Failure> {
    let why = match unit {
        Unit::Component => return Ok(()),
        Unit::Leaf => "a graded rubric tree does not record what its judge opened",
        Unit::Flag | Unit::Signal => "a flag or a signal is something that was found",
        Unit::Decision | Unit::Process => {
            "a broken decision or a poor part is nothing to be found in one place"
        }
    };
    Err(Failure::wrong(format!(
        "--absences looks for components that a judge may have missed, and {why}; leave out --unit {}",
        unit.word()
    )))
}

/// What is audited, in the order of the queue, and by whose judging.
pub fn drawn(
    audited: &Audited,
    args: &Args,
    plan: Plan,
) -> Result<(Source, Vec<AuditItem>), Failure> {
    let (run, archive) = (&audited.opened.run, &audited.opened.archive);
    let unit = args.unit;
    let process = (unit == Unit::Signal).then(|| store::report(archive, run));
    let store = (unit == Unit::Decision).then(|| decisions::of_run(archive, None)).flatten();
    let store = store.transpose().map_err(Failure::unread)?;
    let lane = store.map(|store| decisions::lane(archive, run, &store));
    let ground = Ground {
        run,
        rubric: &audited.rubric,
        process: process.as_ref(),
        decisions: lane.as_ref(),
    };
    let book = audited.rubric.codebook.as_deref().filter(|_| unit == Unit::Component);
    let mut all = items::sources(ground, unit);
    // What speaks for the run stands last, where it is taken.
    let speaks = book.and_then(|book| audited.rubric.shown_by(book));
    let at = speaks.and_then(|it| all.iter().position(|source| source.file == it.file));
    if let Some(at) = at {
        let speaks = all.remove(at);
        all.push(speaks);
    }
    let source = chosen(audited, all, args)?;
    let items = items::of(ground, unit, &source.file);
    let items = match book {
        Some(book) => items::by_criteria(items, book),
        None => items,
    };
    Ok((source, items::drawn(items, plan)))
}

pub fn document(audited: &Audited, args: &Args, plan: Plan) -> Result<Document, Failure> {
    let run = &audited.opened.run;
    let (source, drawn) = drawn(audited, args, plan)?;
    let name = annotator(args)?;
    let rows = (1..).zip(drawn).map(|(number, item)| row(audited, &name, number, item));
    let turn = moment(run, source.turn, source.commit.as_deref());
    let rubric = &audited.rubric;
    let judged = rubric.judgements.iter().chain(&rubric.decisions).chain(&rubric.process);
    let judged = judged.map(|it| (&it.file, &it.judge));
    let judged = judged.chain(rubric.flaggings.iter().map(|it| (&it.file, &it.judge)));
    let of_judge = judged.into_iter().find(|(file, _)| **file == source.file).map(|it| it.1);
    Ok(Document {
        schema: "trajview.audit/1",
        run: audited.run_name().to_owned(),
        judgement: JudgementRow {
            kind: of_judge.map(|judge| judge.kind.clone()).unwrap_or_default(),
            model: of_judge.and_then(|judge| judge.model.clone()),
            file: source.file,
            judge: source.by,
            commit: source.commit,
            turn: turn.unwrap_or_default(),
        },
        queue: Some(QueueRow::of((&name, Counting::of(args.blind_only)), plan, rows.collect())),
        absences: None,
    })
}

/// The judging of that file or judge, else the last.
fn chosen(audited: &Audited, mut all: Vec<Source>, args: &Args) -> Result<Source, Failure> {
    let shown = audited.path.display();
    let plural = args.unit.plural();
    let Some(wanted) = args.judgement.as_deref() else {
        return all
            .pop()
            .ok_or_else(|| Failure::not_understood(format!("{shown}: has no {plural} to check")));
    };
    let is_it =
        |it: &Source| it.by == wanted || it.file.ends_with(wanted) || it.by.starts_with(wanted);
    let at = all.iter().rposition(is_it).ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|it| it.by.as_str()).collect();
        let known = if known.is_empty() { "nobody".to_owned() } else { known.join(", ") };
        let why = format!("{shown}: {wanted:?} judged no {plural} of it; {known} did");
        Failure::not_understood(why)
    })?;
    Ok(all.swap_remove(at))
}

fn row(audited: &Audited, annotator: &str, number: usize, item: AuditItem) -> ItemRow {
    let labels = audited.labels_of(annotator);
    let label = labels.and_then(|labels| labels.on(item.state(), item.key()));
    let is_labelled = label.is_some_and(|label| label.is_answered());
    let said = item.said.score.filter(|_| is_labelled);
    ItemRow {
        number,
        label: label.map(LabelRow::of),
        verdict: said.map(|score| match item.said.scale {
            None => ScoreRow::of_unit(score, item.unit),
            Some(_) => ScoreRow { score, label: None },
        }),
        unit: item.unit.word(),
        component: item.id,
        criterion: item.criterion,
        name: item.title,
    }
}
