//! What a figure of judgements needs of its runs: two judged runs or states, or two raters. It is looked up before the
//! figure is drawn, so that the form can say what is missing.

use std::{collections::BTreeSet, path::Path};

use trajview_run::{format_number::count_with_noun, rubric::Rubric};
use trajview_store as store;
use trajview_study::compare::turns_done_at_judgement;
use trajview_tui::{
    session::{
        export_job::{AGREEMENT, ExportJob, TRANSITIONS},
        jobs::JobRefusal,
    },
    shell::jobs::export_form,
};

/// Returns the job with the two states that its form left open. The refusal says what the runs lack.
pub(super) fn complete_figure(job: &ExportJob) -> Result<ExportJob, JobRefusal> {
    let refusal = |why| JobRefusal { field: None, why };
    match (job.format.id, job.runs.as_slice()) {
        (TRANSITIONS, [run]) => {
            let moments = match &job.moment_pair {
                Some(typed) => checked_pair(typed)?,
                None => proposed_pair(run).map_err(refusal)?,
            };
            Ok(ExportJob { moment_pair: Some(moments), ..job.clone() })
        }
        (TRANSITIONS, runs) => {
            let is_judged = |run: &&Path| read_rubric(run).result_judgement().is_some();
            let judged = runs.iter().map(|run| &**run).filter(is_judged).take(2).count();
            match judged {
                2 => Ok(job.clone()),
                few => Err(refusal(format!(
                    "transitions compare the scores of two runs, and {few} of {} has a judgement of the whole checklist",
                    count_with_noun(runs.len(), "run")
                ))),
            }
        }
        (AGREEMENT, runs) => {
            let mut raters = BTreeSet::new();
            for run in runs {
                raters.extend(rater_names(&read_rubric(run)));
                if raters.len() > 1 {
                    return Ok(job.clone());
                }
            }
            let found = raters
                .pop_first()
                .map_or_else(|| "there is none".to_owned(), |only| format!("there is only {only}"));
            Err(refusal(format!("agreement needs two judges or people who scored, and {found}")))
        }
        _ => Ok(job.clone()),
    }
}

fn read_rubric(run: &Path) -> Rubric {
    store::rubric::read_beside(run)
}

fn rater_names(rubric: &Rubric) -> impl Iterator<Item = String> + '_ {
    let judges = rubric.judgements.iter().map(|it| it.judge.name.clone());
    let people = rubric.labels.iter().filter(|it| !it.labels.is_empty());
    judges.chain(people.map(|it| it.annotator.clone()))
}

fn checked_pair(typed: &str) -> Result<String, JobRefusal> {
    match typed.split_whitespace().count() {
        2 => Ok(typed.to_owned()),
        _ => Err(JobRefusal::for_field(
            export_form::MOMENT_PAIR,
            "type two moments with a blank between them, such as c1 final, or none for the proposed ones",
        )),
    }
}

/// Returns the first and the last state that the judge whose scores count has judged, as turns. The error says what is missing.
fn proposed_pair(path: &Path) -> Result<String, String> {
    let rubric = read_rubric(path);
    let judge = match rubric.result_judgement() {
        Some(judgement) => &judgement.judge.name,
        None => {
            return Err("transitions compare scores, and this run has no judgement of the whole checklist; :judge requests one".into());
        }
    };
    let run = store::open(path).map_err(|why| why.to_string())?.run;
    let of_judge = rubric.judgements.iter().filter(|it| it.judge.name == *judge);
    let states: BTreeSet<usize> = of_judge.map(|it| turns_done_at_judgement(&run, it)).collect();
    match (states.first(), states.last()) {
        (Some(first), Some(last)) if first < last => Ok(format!("{first} {last}")),
        _ => Err(format!(
            "transitions of one run compare two states, and {judge} judged one state; choose two runs, or judge an earlier state"
        )),
    }
}
