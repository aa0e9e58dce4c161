//! Asks for the missing data of a comparison: the runs and their verdicts first, then the measures of their code, then
//! the content on screen - the lines of the chosen component, the open file. One question of each kind is pending at a
//! time.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc};

use crate::session::{
    effect::Effect,
    files::coloured_texts::{MAX_COLOURED_BYTES, TextsToColour},
    pending::Loading,
    question::{Answer, Question},
    request::{RequestId, RequestIds},
};
use trajview_study::compare::{
    ComparedRun, checkpoint_moments, turn_moments, turns_done_at_judgement,
};

use super::{
    ComparePart, ComparisonView,
    areas::CompareAreas,
    chart::CompareAxis,
    code::{CodeKey, FileLines, SideCode},
};

/// Moments measured at once: few enough that the curves grow visibly.
const MAX_MOMENTS_AT_ONCE: usize = 24;

/// Lines of unchanged text around each change of a file.
pub const CONTEXT_LINES: usize = 3;

impl ComparisonView {
    /// Asks for the missing data.
    pub(crate) fn ask_questions(
        &mut self,
        numbers: &mut RequestIds,
        areas: &CompareAreas,
    ) -> Vec<Effect> {
        let mut effects = vec![];
        if self.parties.is_nothing() {
            let paths = self.paths.clone();
            return vec![self.parties.ask_question(numbers, Question::Parties { paths })];
        }
        if self.parties.ready().is_none() {
            return effects;
        }
        effects.extend(self.ask_file(numbers, areas));
        effects.extend(self.ask_between(numbers));
        effects.extend(self.ask_colours(numbers, areas));
        effects.extend(self.ask_trees(numbers));
        effects.extend(self.ask_transcripts(numbers));
        effects.extend(self.ask_lifelines(numbers));
        effects.extend(self.ask_measures(numbers));
        effects
    }

    fn ask_file(&mut self, numbers: &mut RequestIds, areas: &CompareAreas) -> Option<Effect> {
        areas.part_area(ComparePart::Code)?;
        let key = self.code_keys().into_iter().find(|key| !self.code.texts.has_answer(key))?;
        let (path, file, done) = (self.paths.get(key.run)?.clone(), key.path.clone(), key.done);
        self.code.texts.ask_once(numbers, key, || Question::FileText { path, file, done })
    }

    /// Returns the keys of the shown files, the side with the keyboard first.
    fn code_keys(&self) -> Vec<CodeKey> {
        let key = |side: usize| match self.side_code(side) {
            SideCode::Place { key, .. } => Some(key),
            SideCode::Nothing(_) => None,
        };
        [self.side, 1 - self.side].into_iter().filter_map(key).collect()
    }

    pub(super) fn pair_of_paths(&self) -> Option<[PathBuf; 2]> {
        let [a, b] = self.pair;
        Some([self.paths.get(a)?.clone(), self.paths.get(b)?.clone()])
    }

    fn ask_trees(&mut self, numbers: &mut RequestIds) -> Option<Effect> {
        let paths = self.pair_of_paths().filter(|_| self.files.trees.is_nothing())?;
        Some(self.files.trees.ask_question(numbers, Question::Trees { paths }))
    }

    fn ask_between(&mut self, numbers: &mut RequestIds) -> Option<Effect> {
        let path = self.files.open_change()?.path.to_string();
        if self.files.compared.has_answer(&path) {
            return None;
        }
        let (paths, change) = (self.pair_of_paths()?, Box::new(self.files.open_change()?.clone()));
        self.files.compared.ask_once(numbers, path, || Question::FileBetween { paths, change })
    }

    fn ask_colours(&mut self, numbers: &mut RequestIds, areas: &CompareAreas) -> Option<Effect> {
        if !self.files.colours.is_free() || !self.code.colours.is_free() {
            return None;
        }
        if let Some((path, texts)) = self.plain_file() {
            return self.files.colours.ask_once(numbers, path, || Question::Colours { texts });
        }
        let code = areas.part_area(ComparePart::Code).map(|_| self.code_keys()).unwrap_or_default();
        let (key, texts) = code.into_iter().find_map(|key| self.plain_code(key))?;
        self.code.colours.ask_once(numbers, key, || Question::Colours { texts })
    }

    /// Returns the open file, where it is loaded and has no colours yet.
    fn plain_file(&self) -> Option<(String, TextsToColour)> {
        let path = self.files.open.as_ref()?.path.clone();
        let compared = self.files.open_comparison()?.as_ref().ok()?;
        let texts = TextsToColour::from_diff(&path, &compared.diff)?;
        (!self.files.colours.has_answer(&path)).then_some((path, texts))
    }

    fn plain_code(&self, key: CodeKey) -> Option<(CodeKey, TextsToColour)> {
        let text = self.code.file_text(&key)?.as_ref().ok()?.text.clone();
        if self.code.colours.has_answer(&key) || text.len() > MAX_COLOURED_BYTES {
            return None;
        }
        let texts = TextsToColour { path: key.path.clone(), old: None, new: Some(text) };
        Some((key, texts))
    }

    fn ask_measures(&mut self, numbers: &mut RequestIds) -> Option<Effect> {
        if self.measures.is_stopped || self.measures.failed.is_some() || self.is_measuring() {
            return None;
        }
        let (run, moments) = self.moments_to_measure()?;
        let path = self.paths.get(run)?.clone();
        Some(self.measures.pending_run.ask_question(
            numbers,
            run,
            Question::PartyScores { path, moments },
        ))
    }

    /// Returns the next moments to measure: the ends of the two runs, then of all, then checkpoints, or turns where they
    /// are shown, in the same order of runs. A few moments of one run at once.
    fn moments_to_measure(&self) -> Option<(usize, Vec<usize>)> {
        let all = self.all_parties();
        let runs = || self.pair.into_iter().chain(0..all.len());
        let is_new = |run: usize, done: &usize| !all[run].measured.contains_key(done);
        let ends = runs().map(|run| (run, vec![all[run].run.end_in_turns()]));
        let points = runs().map(|run| (run, shown_moments(&all[run], self.chart.axis)));
        let open = ends.chain(points).map(|(run, moments)| {
            let moments =
                moments.into_iter().filter(|done| is_new(run, done)).take(MAX_MOMENTS_AT_ONCE);
            (run, moments.collect::<Vec<_>>())
        });
        open.into_iter().find(|(_, moments)| !moments.is_empty())
    }

    /// Returns the number of measured moments and of all moments to measure.
    pub(crate) fn measured_counts(&self) -> (usize, usize) {
        let mut counts = (0, 0);
        for party in self.all_parties() {
            let wanted = shown_moments(party, self.chart.axis);
            counts.0 += wanted.iter().filter(|done| party.measured.contains_key(done)).count();
            counts.1 += wanted.len();
        }
        counts
    }

    pub(crate) fn is_measuring(&self) -> bool {
        !self.measures.pending_run.is_free()
    }

    /// Takes an answer, if it is to a question that is out.
    pub(crate) fn take_answer(&mut self, request: RequestId, answer: Answer) {
        match answer {
            Answer::Parties(Ok(parties)) => {
                if matches!(self.parties, Loading::Waiting(asked) if asked == request) {
                    self.set_parties(parties);
                }
            }
            Answer::Parties(Err(why)) => {
                self.parties.settle_with(request, Err(why));
            }
            Answer::PartyScores(scores) => {
                let Some(run) = self.measures.pending_run.take_answered(request) else { return };
                self.measures.progress = None;
                match scores {
                    Ok((ruler, measured)) => {
                        self.measures.ruler = Some(ruler);
                        self.put_measures(run, measured);
                    }
                    Err(why) => self.measures.failed = Some(why),
                }
            }
            Answer::PartyLifelines(lifelines) => self.take_lifelines(request, lifelines),
            Answer::Trees(trees) => {
                self.files.trees.settle_with(request, trees);
                self.files.sort_rows();
            }
            Answer::Transcripts(aligned) => self.transcripts.take_answer(request, aligned),
            Answer::FileBetween(diff) => self.files.take_diff(request, diff),
            Answer::FileText(text) => {
                self.code
                    .texts
                    .take_answer(request, text.map(|text| Arc::new(FileLines::new(text))));
            }
            Answer::Colours(colours) => {
                self.code.colours.take_answer(request, colours.clone());
                self.files.colours.take_answer(request, colours);
            }
            _ => {} // asked elsewhere
        }
    }

    /// Records the progress of the measurement.
    pub(crate) fn take_progress(&mut self, request: RequestId, done: usize, total: usize) {
        if self.measures.pending_run.is_waiting_for(request) {
            self.measures.progress = Some((done, total));
        }
    }

    /// Returns whether a question about colours has this id.
    pub(crate) fn awaits_colours(&self, request: RequestId) -> bool {
        self.code.colours.is_waiting_for(request) || self.files.colours.is_waiting_for(request)
    }
}

/// Returns the moments of a run that are drawn and listed, in order; its end and the judged state are among them.
pub(super) fn shown_moments(party: &ComparedRun, axis: CompareAxis) -> Vec<usize> {
    let moments = match axis {
        CompareAxis::Phases | CompareAxis::Checkpoints => checkpoint_moments(&party.run),
        CompareAxis::Turns => turn_moments(&party.run),
    };
    let judged = party.judgement().map(|judgement| turns_done_at_judgement(&party.run, judgement));
    let moments = moments.into_iter().map(|moment| moment.done).chain(judged);
    let moments: BTreeSet<usize> = moments.chain([party.run.end_in_turns()]).collect();
    moments.into_iter().collect()
}
