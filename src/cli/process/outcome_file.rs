//! The choice of the file whose scores are the outcome of RigorBench's results: several lie beside them, and they
//! differ.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::cli::CommandFailure;
use trajview_formats::rigorbench::{names::score_key, scores::RigorScore};
use trajview_run::Run;
use trajview_store as store;
use trajview_store::score_files::ScoreFile;

/// The file of the released tables (`run_eval.py`).
const RELEASED: &str = "sc_scores_all.yaml";

/// The file whose specification coverage is the outcome where a run has no tests of its own.
#[derive(Serialize)]
pub struct OutcomeFile {
    pub file: String,
    /// The reason of the choice.
    pub why: &'static str,
    pub scores: usize,
    /// The other files beside the runs.
    pub others: Vec<OtherFile>,
    /// Scores of one task and harness that several of the files have, and those of them that are not the same in all.
    pub in_several: usize,
    pub differ: usize,
    #[serde(skip)]
    chosen: Vec<RigorScore>,
}

#[derive(Serialize)]
pub struct OtherFile {
    pub file: String,
    pub scores: usize,
    /// Scores that the chosen file has too, and those that it has otherwise.
    pub shared: usize,
    pub differ: usize,
}

/// Task and harness, however they are spelled.
type OutcomeKey = (String, String);

fn outcome_values(file: &ScoreFile) -> BTreeMap<OutcomeKey, f64> {
    let coverage = file.scores.iter().filter(|it| it.measure == "sc");
    coverage.filter_map(|it| Some((score_key(&it.task, &it.harness), it.value?))).collect()
}

impl OutcomeFile {
    /// Chooses among the files beside the runs: the named one, else the released one, else the file with the most scores;
    /// None if there is none.
    pub fn choose(
        beside: &[ScoreFile],
        path: Option<&Path>,
    ) -> Result<Option<Self>, CommandFailure> {
        let named = match path {
            Some(path) => Some(store::score_files::read_score_file(path).ok_or_else(|| {
                let why = "is not a file of RigorBench's scores ({task: {harness: {sc: ...}}})";
                CommandFailure::cannot_understand(format!("{}: {why}", path.display()))
            })?),
            None => None,
        };
        let is_of_outcome = |file: &&ScoreFile| file.scores.iter().any(|it| it.measure == "sc");
        let beside: Vec<&ScoreFile> = beside.iter().filter(is_of_outcome).collect();
        let name = |file: &ScoreFile| store::disk::name_of(&file.path).to_owned();
        let (chosen, why) = match (&named, beside.as_slice()) {
            (Some(file), _) => (file, "named by --outcome"),
            (None, []) => return Ok(None),
            (None, [only]) => (*only, "the only one"),
            (None, several) => match several.iter().find(|file| name(file) == RELEASED) {
                Some(file) => (*file, "the source of the released tables"),
                None => {
                    let most = several.iter().rev().max_by_key(|file| outcome_values(file).len());
                    let Some(most) = most else { return Ok(None) };
                    (*most, "the file with the most scores")
                }
            },
        };
        Ok(Some(Self::chosen_among(chosen, why, &beside)))
    }

    fn chosen_among(chosen: &ScoreFile, why: &'static str, beside: &[&ScoreFile]) -> Self {
        let own = outcome_values(chosen);
        let others = || beside.iter().filter(|file| file.path != chosen.path);
        let mut all: BTreeMap<OutcomeKey, Vec<f64>> = BTreeMap::new();
        for file in std::iter::once(&chosen).chain(others()) {
            outcome_values(file)
                .into_iter()
                .for_each(|(key, value)| all.entry(key).or_default().push(value));
        }
        let is_one = |values: &&Vec<f64>| values.windows(2).all(|two| two[0] == two[1]);
        let several = || all.values().filter(|values| values.len() > 1);
        let other = |file: &&ScoreFile| {
            let theirs = outcome_values(file);
            let shared = || theirs.iter().filter_map(|(key, value)| Some((value, own.get(key)?)));
            OtherFile {
                file: file.path.display().to_string(),
                scores: theirs.len(),
                shared: shared().count(),
                differ: shared().filter(|(theirs, ours)| theirs != ours).count(),
            }
        };
        Self {
            file: chosen.path.display().to_string(),
            why,
            scores: own.len(),
            others: others().map(other).collect(),
            in_several: several().count(),
            differ: several().count() - several().filter(is_one).count(),
            chosen: chosen.scores.clone(),
        }
    }

    /// Returns the specification coverage of a run's task and harness.
    pub(crate) fn outcome_of_run(&self, run: &Run) -> Option<f64> {
        let wanted = score_key(&run.task_key()?, &run.agent_key()?);
        let of_outcome = self.chosen.iter().filter(|it| it.measure == "sc");
        of_outcome.filter(|it| score_key(&it.task, &it.harness) == wanted).find_map(|it| it.value)
    }

    /// Returns `outcome: specification coverage of results/sc_scores_all.yaml, ...`.
    pub(crate) fn outcome_line(&self) -> String {
        let Self { file, why, in_several, differ, others, .. } = self;
        let mut words = format!("outcome: specification coverage of {file}, {why}");
        if !others.is_empty() {
            let files = others.len() + 1;
            words += &format!(
                " of {files} files; {differ} of {in_several} scores that several of them have differ (--outcome FILE uses another)"
            );
        }
        words
    }
}
