//! Judgings that belong together: all runs of one drift gate, or all rewordings of one command.
//!
//! Their files share an id, so that a stopped batch continues with its own files and never with finished files of an earlier
//! one, which may be of an earlier version of the model.

use std::collections::{BTreeMap, BTreeSet};

use trajview_store::{judgements::JudgementFolder, sha256};

use super::{
    document::{JudgementDocument, JudgingSubject},
    judging::JudgingJob,
};

/// Digits of the hash of the judged items, which ends each id.
const DIGITS: usize = 12;

/// Returns an id for a new batch of these jobs: the time and a hash of the judged items, so that later ids sort after earlier
/// ones.
pub fn new_batch_id(jobs: &[(&JudgingJob, JudgementFolder)]) -> String {
    let time = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
    format!("{time}-{}", items_digest(jobs))
}

/// Returns the id of the newest batch of these items by the judges of these jobs. None if it is finished, or if there is no such
/// batch; an unfinished batch before a finished one is never continued.
pub fn unfinished_batch(jobs: &[(&JudgingJob, JudgementFolder)]) -> Option<String> {
    let suffix = format!("-{}", items_digest(jobs));
    // The numbers of the jobs with a finished file, by batch.
    let mut finished_jobs: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (number, (job, folder)) in jobs.iter().enumerate() {
        let judge = job.document_judge();
        for (_, bytes) in folder.read_all() {
            let Some(document) = JudgementDocument::parse(&bytes) else { continue };
            let own_id = document.batch_id.clone().filter(|id| id.ends_with(&suffix));
            let Some(batch_id) = own_id else { continue };
            let subject =
                JudgingSubject { batch_id: Some(batch_id.clone()), ..job.subject.clone() };
            if !document.is_same_judging(&judge, &subject) {
                continue;
            }
            let finished = finished_jobs.entry(batch_id).or_default();
            if document.is_finished() {
                finished.insert(number);
            }
        }
    }
    let (newest, finished) = finished_jobs.pop_last()?;
    (finished.len() < jobs.len()).then_some(newest)
}

/// Returns the beginning of a hash of the judged items, each counted once.
fn items_digest(jobs: &[(&JudgingJob, JudgementFolder)]) -> String {
    let subject_lines = |(job, _): &(&JudgingJob, JudgementFolder)| {
        let JudgingSubject { run, commit, turn, components, .. } = &job.subject;
        let commit = commit.as_deref().unwrap_or_default();
        format!("{run}\n{commit}\n{turn}\n{}\n", components.join("\n"))
    };
    let subjects: BTreeSet<String> = jobs.iter().map(subject_lines).collect();
    let text: Vec<String> = subjects.into_iter().collect();
    sha256(text.join("\n").as_bytes()).chars().take(DIGITS).collect()
}
