//! What a run is judged by, and which judgement is looked at: the checklist, the judgements, labels of raters, flags, and
//! what is worked out of them (lifelines of components, reuse).
//!
//! It is read once the run is open, and again whenever something was written beside the run or somebody comes back to it.

use crate::session::context::KeyContext;
use crate::session::key_texts::KeyTexts;
use std::sync::Arc;

use crate::session::files::{DiffKey, DiffScope};
use trajview_metrics::{
    faithfulness::Faithfulness,
    lifeline::{self, Lifeline},
};
use trajview_run::{
    RepoPath, Run,
    files::RunMoment,
    format_number,
    pooled_judgements::PoolRequest,
    rubric::{Judge, Judgement, LEVELS, PoolMethod, Rubric},
};

use super::{
    Session,
    corrected_mcf::{CorrectedMcf, ShownMeans, open_count},
    crash_tests::CrashTests,
    effect::Effect,
    lifelines::Lifelines,
    pending::Loading,
    question::Question,
    request::{RequestId, RequestIds},
    reuse::ReuseCache,
};

/// The focus of a view, for a judge that is opened from it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ViewFocus {
    /// Id of the component at the cursor of the scores.
    pub component: Option<String>,
    /// The judged state that is shown, in turns done. None in views that are about the playhead's turn, and where nothing
    /// was judged.
    pub done: Option<usize>,
}

#[derive(Debug, Default)]
pub struct RubricState {
    /// The focus of the current view.
    pub focus: ViewFocus,
    read: Loading<Arc<Rubric>>,
    /// A newer reading in progress, while the old one is shown.
    again: Option<RequestId>,
    /// Something was written beside the run since it was read.
    is_stale: bool,
    /// The file of the shown judgement, where the user chose one.
    judgement: Option<String>,
    /// File of the judgement that was shown first: newer ones are announced and never take its place by themselves.
    pinned: Option<String>,
    /// The judge that the user wants to be pinned, until the runtime has it: None for no judge.
    wanted_pin: Option<Option<String>>,
    /// The method of pooling judgements of one state; None where each is separate.
    pool: Option<PoolMethod>,
    /// Which mean the scores show.
    pub(crate) shown_means: ShownMeans,
    corrected: Option<(CorrectedFor, CorrectedMcf)>,
    pub lifelines: Lifelines,
    pub reuse: ReuseCache,
    pub crash_tests: CrashTests,
}

/// What a corrected mean was computed of.
#[derive(Debug)]
struct CorrectedFor {
    rubric: Arc<Rubric>,
    file: String,
    rater: (Option<String>, bool),
    open_in_study: Option<usize>,
}

impl RubricState {
    /// Returns the corrected mean of the shown judgement; None before it is computed, and without a judgement.
    pub(crate) fn corrected_mcf(&self) -> Option<&CorrectedMcf> {
        self.corrected.as_ref().map(|(_, corrected)| corrected)
    }

    /// Returns whether there is anything for a table to show.
    pub fn has_content(&self) -> bool {
        self.read.ready().is_some_and(|rubric| {
            let has_list = rubric.checklist.as_ref().is_some_and(|it| !it.components.is_empty());
            has_list || !rubric.judgements.is_empty()
        })
    }

    /// Returns the rubric; None while it is not read, or reading failed.
    pub fn known_rubric(&self) -> Option<&Rubric> {
        self.shared_rubric().map(|rubric| &**rubric)
    }

    pub(crate) fn shared_rubric(&self) -> Option<&Arc<Rubric>> {
        self.read.ready()
    }

    /// Returns the state of reading the rubric.
    pub(crate) const fn loading_rubric(&self) -> &Loading<Arc<Rubric>> {
        &self.read
    }

    /// Looks at the judgement of a file.
    pub(crate) fn show_judgement(&mut self, file: &str) {
        self.judgement = Some(file.to_owned());
    }

    /// Returns the judgement that is looked at: the one that was flipped to, else the one that was shown first, else
    /// the one that speaks for the run, else the last there is.
    pub fn shown_judgement(&self) -> Option<&Judgement> {
        self.chosen_judgement()
            .or_else(|| self.run_judgement())
            .or_else(|| self.known_rubric()?.judgements.last())
    }

    /// Returns the judgement that counts for the run in this session, where the user chose none.
    pub(crate) fn run_judgement(&self) -> Option<&Judgement> {
        self.judgement_in_file(self.pinned.as_deref())
            .or_else(|| self.known_rubric()?.judgement_to_show())
    }

    /// Returns the judgement that the user chose.
    fn chosen_judgement(&self) -> Option<&Judgement> {
        self.judgement_in_file(self.judgement.as_deref())
    }

    fn judgement_in_file(&self, file: Option<&str>) -> Option<&Judgement> {
        self.known_rubric()?.judgements.iter().find(|it| Some(&*it.file) == file)
    }

    /// Returns the judgement that would speak for the run if it were opened now, where that is not the one that is
    /// looked at and the user has not seen it yet.
    pub(crate) fn newer_judgement(&self) -> Option<&Judgement> {
        let newest = self.known_rubric()?.judgement_to_show().filter(|it| it.pooled.is_none())?;
        let is_pinned = self.pinned.as_ref().is_some_and(|pinned| *pinned != newest.file);
        let is_shown = self.shown_judgement().is_some_and(|it| it.file == newest.file);
        Some(newest).filter(|_| is_pinned && !is_shown)
    }

    /// Pins the judge of the shown judgement, so that its scores are the results of all runs; a judge that is pinned is so no
    /// longer. Returns a sentence.
    pub(crate) fn toggle_pin(&mut self) -> String {
        let Some(shown) = self.shown_judgement().filter(|it| it.pooled.is_none()) else {
            return "no judgement of one judge is shown, so none can be pinned".into();
        };
        let (judge, file) = (shown.judge.name.clone(), shown.file.clone());
        let rubric = self.known_rubric();
        if rubric.is_some_and(|it| it.pinned_judge.as_ref() == Some(&judge)) {
            self.wanted_pin = Some(None);
            return format!("{judge} is no longer pinned: the last judgement of each run counts");
        }
        self.wanted_pin = Some(Some(judge.clone()));
        self.pinned = Some(file);
        format!(
            "{judge} is pinned: its scores count in every run; `judge = \"{judge}\"` in the settings keeps it"
        )
    }

    /// Takes the judge to pin, None for no judge, after the user asked for it; the rubric is read again then.
    pub(crate) fn take_wanted_pin(&mut self) -> Option<Option<String>> {
        let wanted = self.wanted_pin.take()?;
        self.is_stale = true;
        Some(wanted)
    }

    /// Returns whether the judge of a judgement is pinned.
    pub(crate) fn is_pinned(&self, judgement: &Judgement) -> bool {
        let pinned = self.known_rubric().and_then(|it| it.pinned_judge.as_deref());
        pinned.is_some_and(|pinned| judgement.is_named(pinned))
    }

    /// Returns a sentence about the last judgement that is not among the earlier ones: whose it is, and which mean it would
    /// give instead of the shown one. Where `hides` one of both, neither mean is in it.
    pub(crate) fn new_judgement_text(
        &self,
        earlier: &[Judgement],
        keys: &KeyTexts,
        hides: impl Fn(&Judgement) -> bool,
    ) -> Option<String> {
        let rubric = self.known_rubric()?;
        let is_new = |it: &&Judgement| {
            it.pooled.is_none()
                && rubric.coverage(it).scored > 0
                && !earlier.iter().any(|known| known.file == it.file)
        };
        let new = rubric.judgements.iter().rfind(is_new)?;
        let shown = self.shown_judgement().filter(|it| it.file != new.file)?;
        let mean_text = |it: &Judgement| {
            let coverage = rubric.coverage(it);
            let mean = Faithfulness::from_judgement(it, rubric.checklist.as_ref()).mcf();
            match mean.filter(|_| coverage.is_complete) {
                Some(mean) => format!("MCF {}", format_number::three_decimals(mean)),
                None => format!("{coverage} components, no MCF"),
            }
        };
        let at =
            |it: &Judgement| it.turn.map(|turn| format!(" at turn {turn}")).unwrap_or_default();
        let (of_new, of_shown) = match hides(new) || hides(shown) {
            true => (String::new(), "that".to_owned()),
            false => (format!(": {}", mean_text(new)), mean_text(shown)),
        };
        Some(format!(
            "new judgement by {}{}{of_new}; shown stays {of_shown} by {}{} (in the scores {} shows the next one, {} pins it)",
            new.judge.name,
            at(new),
            shown.judge.name,
            at(shown),
            keys.key_text(KeyContext::Judged, "next-judgement"),
            keys.key_text(KeyContext::Judged, "pin-judge"),
        ))
    }

    /// Pins the judgement that counts for the run, so that newer ones do not replace it.
    fn pin_judgement(&mut self) {
        if self.judgement_in_file(self.pinned.as_deref()).is_none() {
            self.pinned =
                self.known_rubric().and_then(Rubric::judgement_to_show).map(|it| it.file.clone());
        }
    }

    /// Returns whether means over the shown judgement are shown: where it covers the checklist and is of the judge that
    /// counts, or the user chose it.
    pub fn has_means(&self) -> bool {
        let rubric = self.known_rubric();
        let covers = || {
            rubric.zip(self.shown_judgement()).is_some_and(|(rubric, it)| rubric.may_be_result(it))
        };
        self.chosen_judgement().is_some() || covers()
    }

    /// Returns the judge of the curves: that of the shown judgement where it covers the checklist, else that of the
    /// one that counts for the run.
    pub(crate) fn judge_of_curves(&self) -> Option<&Judge> {
        let rubric = self.known_rubric()?;
        let is_covered = |it: &&Judgement| rubric.is_covered_by(it);
        let looked_at = self
            .shown_judgement()
            .filter(is_covered)
            .or_else(|| self.run_judgement().filter(is_covered));
        looked_at.or_else(|| rubric.result_judgement()).map(|it| &it.judge)
    }

    /// Returns the number of the shown judgement and the number of all; both count from 1.
    pub(crate) fn judgement_number(&self) -> Option<(usize, usize)> {
        let (rubric, chosen) = (self.known_rubric()?, self.shown_judgement()?);
        let at = rubric.judgements.iter().position(|it| it.file == chosen.file)?;
        Some((at + 1, rubric.judgements.len()))
    }

    /// Returns the judgement that changes are relative to: the one before with a score, else one after.
    pub(crate) fn compared_judgement(&self) -> Option<&Judgement> {
        let (rubric, (number, _)) = (self.known_rubric()?, self.judgement_number()?);
        let (before, after) = rubric.judgements.split_at(number - 1);
        let has_score = |it: &&Judgement| rubric.coverage(it).scored > 0;
        before.iter().rfind(has_score).or_else(|| after.iter().skip(1).find(has_score))
    }

    /// Reads again what the run is judged by.
    pub(crate) fn mark_stale(&mut self) {
        self.is_stale = true;
    }

    /// Keeps looking at this judgement, whatever newer ones come.
    pub fn keep_judgement(&mut self) {
        self.judgement = self.shown_judgement().map(|it| it.file.clone());
    }

    /// Switches to the next method of pooling the judgements of each state; after the last one they are separate
    /// again. Returns a sentence about the shown judgement, or about why nothing can be pooled.
    ///
    /// # Errors
    /// Returns a sentence where no state has several judgements.
    pub(crate) fn next_pool(&mut self) -> Result<String, String> {
        let rubric = self.shared_rubric().ok_or("no judgements of this run yet")?.clone();
        let next = match self.pool {
            None => PoolMethod::ALL.first().copied(),
            Some(pool) => PoolMethod::ALL.into_iter().skip_while(|it| *it != pool).nth(1),
        };
        let turn = self.shown_judgement().and_then(|it| it.turn);
        let mut rubric = Rubric::clone(&rubric);
        let notice = match next {
            None => {
                rubric.remove_pooled();
                self.judgement = None;
                "each judgement alone".to_owned()
            }
            Some(pool) => {
                rubric.add_pooled(&PoolRequest { pool, judge: None })?;
                let all =
                    || rubric.judgements.iter().filter_map(|it| Some((it, it.pooled.as_ref()?)));
                let here = all().find(|(it, _)| it.turn == turn).or(all().next_back());
                self.judgement = here.map(|(it, _)| it.file.clone());
                here.map(|(_, pooled)| format!("pooled: {}", pooled.summary_text()))
                    .unwrap_or_default()
            }
        };
        self.pool = next;
        self.read = Loading::Ready(Arc::new(rubric));
        Ok(notice)
    }

    /// Pools a new reading as before, where that is still possible.
    fn pool_again(&mut self) {
        let (Some(pool), Loading::Ready(rubric)) = (self.pool, &mut self.read) else { return };
        if Arc::make_mut(rubric).add_pooled(&PoolRequest { pool, judge: None }).is_err() {
            self.pool = None;
        }
    }

    /// Moves to another judgement, by count. Returns a sentence about it, or about why nothing changes.
    ///
    /// # Errors
    /// Returns a sentence where there is no other judgement.
    pub(crate) fn flip_judgement(&mut self, by: isize) -> Result<String, String> {
        let (number, count) = self.judgement_number().ok_or("no judgements of this run yet")?;
        if count == 1 {
            return Err("this run has one judgement".into());
        }
        let (at, count) = (number as isize - 1, count as isize);
        let next = (at + by).rem_euclid(count) as usize;
        let judgements = self.known_rubric().map_or(&[][..], |rubric| &rubric.judgements);
        let file = judgements.get(next).map(|it| it.file.clone()).unwrap_or_default();
        let words = format!("judgement {} of {count}: {file}", next + 1);
        self.judgement = Some(file);
        Ok(words)
    }

    pub(crate) fn take_answer(&mut self, request: RequestId, rubric: Result<Arc<Rubric>, String>) {
        if self.again.take_if(|asked| *asked == request).is_some() {
            if let Ok(rubric) = rubric {
                self.read = Loading::Ready(rubric);
            }
        } else {
            self.read.settle_with(request, rubric);
        }
        self.pin_judgement();
        self.pool_again();
    }

    /// Asks for what the run is judged by; again where it may have changed.
    pub(crate) fn ask_rubric(
        &mut self,
        numbers: &mut RequestIds,
        run: &Arc<Run>,
        may_have_changed: bool,
    ) -> Option<Effect> {
        let question = Question::Rubric { run: run.clone() };
        match self.read {
            Loading::Nothing => Some(self.read.ask_question(numbers, question)),
            Loading::Ready(_) | Loading::Failed(_)
                if (may_have_changed || self.is_stale) && self.again.is_none() =>
            {
                self.is_stale = false;
                let request = numbers.next_request();
                self.again = Some(request);
                Some(question.with_request(request))
            }
            _ => None,
        }
    }

    /// Returns the turn after which the code was judged, counted from 0; None where the run has no such moment.
    pub fn judged_turn(&self, run: &Run) -> Option<usize> {
        lifeline::judged_after(run, self.shown_judgement()?)?.checked_sub(1)
    }

    /// Returns the lifeline; None while it is not known.
    pub fn lifeline_of(&self, component: &str) -> Option<&Lifeline> {
        let known = self.lifelines.known_lifelines()?.as_ref().ok()?;
        known.iter().find(|it| it.component == component)
    }

    /// Returns the reason why there is no lifeline.
    pub(crate) fn why_no_lifeline(&self) -> String {
        match self.lifelines.known_lifelines() {
            Some(Err(why)) => why.clone(),
            Some(Ok(_)) => "this component has no lifeline".into(),
            None => "computing the lifelines…".into(),
        }
    }
}

/// Returns whether a turn (counted from 0) ended in the judged state.
pub fn is_judged_at(run: &Run, judgement: &Judgement, turn: usize) -> bool {
    lifeline::judged_after(run, judgement) == Some(turn + 1)
}

impl Session {
    /// Corrects the mean of the shown judgement, where it or the labels are others than before.
    pub(crate) fn settle_corrected_mcf(&mut self) {
        let rubric = self.rubric.shared_rubric().cloned();
        let (Some(rubric), Some(shown)) = (rubric, self.rubric.shown_judgement()) else {
            self.rubric.corrected = None;
            return;
        };
        let rater = (self.labels.annotator().map(str::to_owned), self.audit.has_begun());
        let open_in_study = self.open_in_study(shown);
        let is_known = self.rubric.corrected.as_ref().is_some_and(|(of, _)| {
            let is_same = Arc::ptr_eq(&of.rubric, &rubric) && of.file == shown.file;
            is_same && of.rater == rater && of.open_in_study == open_in_study
        });
        if is_known {
            return;
        }
        let done = lifeline::judged_after(&self.run, shown).unwrap_or(self.run.end_in_turns());
        let by = (rater.0.as_deref(), rater.1);
        let open = open_in_study.unwrap_or_else(|| open_count(&rubric, shown, by));
        let corrected = CorrectedMcf::for_judgement(&rubric, shown, (&self.run.id, done), open);
        let file = shown.file.clone();
        let computed_for = CorrectedFor { rubric, file, rater, open_in_study };
        self.rubric.corrected = Some((computed_for, corrected));
    }

    /// Returns the sentence for a paper about the shown judgement. The error is the reason why there is none.
    pub(crate) fn scores_sentence(&self) -> Result<String, String> {
        let corrected = self.rubric.corrected_mcf().ok_or("no judgements of this run yet")?;
        corrected.sentence.clone().ok_or_else(|| corrected.summary_text())
    }

    /// Asks for what the run is judged by, once the run is read to its end.
    pub(crate) fn ask_rubric(
        &mut self,
        numbers: &mut RequestIds,
        may_have_changed: bool,
    ) -> Option<Effect> {
        let is_first = matches!(self.rubric.loading_rubric(), Loading::Nothing);
        if is_first && !self.growth.is_whole {
            return None;
        }
        self.rubric.ask_rubric(numbers, &self.run, may_have_changed)
    }

    /// Asks for the lifelines of the components as the judgement that is looked at names them.
    pub(crate) fn ask_lifelines(&mut self, numbers: &mut RequestIds) -> Option<Effect> {
        self.timeline.ready()?;
        let components = lifeline::components_to_follow(
            &self.run,
            self.rubric.known_rubric()?,
            self.rubric.shown_judgement(),
        );
        self.rubric.lifelines.ask_lifelines(numbers, &self.run, components)
    }

    /// Asks for the crash tests of the run's judges.
    pub(crate) fn ask_crash_tests(&mut self, numbers: &mut RequestIds) -> Option<Effect> {
        self.rubric.crash_tests.ask_tests(numbers, &self.run)
    }

    /// Asks how much is reused in the state that was judged.
    pub(crate) fn ask_reuse(&mut self, numbers: &mut RequestIds) -> Option<Effect> {
        self.timeline.ready()?;
        let done = self.judged_turn()? + 1;
        self.rubric.reuse.ask_reuse(numbers, &self.run, done)
    }

    /// Returns the turn after which the code was judged, counted from 0; None where the run has no such moment.
    pub fn judged_turn(&self) -> Option<usize> {
        self.rubric.judged_turn(&self.run)
    }

    /// Returns the key of a file as it was judged; None where the run has no such moment.
    pub(crate) fn judged_file(&self, path: &str) -> Option<DiffKey> {
        let scope = DiffScope::At(RunMoment::after_turns(self.judged_turn()? + 1));
        Some(DiffKey { scope, path: RepoPath::new(path)? })
    }
}

/// Returns `2 Simplified`, in the rubric's words.
pub fn score_text(score: u8) -> String {
    let word = LEVELS.get(usize::from(score)).copied().unwrap_or_default();
    format!("{score} {word}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::rubric::Verdict;

    fn judgement_with(file: &str, score: Option<u8>) -> Judgement {
        let verdict = Verdict { component: "C1".into(), score, ..Verdict::default() };
        Judgement { file: file.into(), verdicts: vec![verdict], ..Judgement::default() }
    }

    fn rubric_state(judgements: Vec<Judgement>) -> RubricState {
        let (mut judged, mut numbers) = (RubricState::default(), RequestIds::default());
        let asked = judged.ask_rubric(&mut numbers, &Arc::default(), false).unwrap();
        let rubric = Rubric { judgements, ..Rubric::default() };
        judged.take_answer(asked.request_id().unwrap(), Ok(Arc::new(rubric)));
        judged
    }

    #[test]
    fn the_judgement_that_was_flipped_to_is_looked_at_whatever_else_there_is() {
        let mut judged =
            rubric_state(vec![judgement_with("a", Some(1)), judgement_with("b", Some(2))]);
        judged.show_judgement("a");

        let words = judged.flip_judgement(-1);

        assert_eq!(words.as_deref(), Ok("judgement 2 of 2: b"));
        assert_eq!(judged.shown_judgement().unwrap().file, "b");
        assert_eq!(judged.judgement_number(), Some((2, 2)));
    }

    #[test]
    fn a_change_is_told_from_the_judgement_before_that_has_a_score() {
        let all = [("a", Some(1)), ("b", None), ("c", Some(2))];
        let mut judged =
            rubric_state(all.map(|(file, score)| judgement_with(file, score)).to_vec());
        judged.show_judgement("c");

        assert_eq!(judged.compared_judgement().unwrap().file, "a");
    }

    #[test]
    fn a_newer_judgement_is_announced_and_the_one_that_was_shown_stays() {
        let mut judged = rubric_state(vec![judgement_with("a", Some(1))]);
        let mut numbers = RequestIds::default();
        numbers.next_request();
        let again = judged.ask_rubric(&mut numbers, &Arc::default(), true).unwrap();
        let judgements = vec![judgement_with("a", Some(1)), judgement_with("b", Some(4))];
        let rubric = Rubric { judgements, ..Rubric::default() };

        judged.take_answer(again.request_id().unwrap(), Ok(Arc::new(rubric)));

        assert_eq!(judged.shown_judgement().unwrap().file, "a");
        assert_eq!(judged.newer_judgement().unwrap().file, "b");
        judged.flip_judgement(1).unwrap();
        assert_eq!(
            (&*judged.shown_judgement().unwrap().file, judged.newer_judgement()),
            ("b", None)
        );
    }

    #[test]
    fn the_notice_of_a_new_judgement_has_no_means_where_items_wait_for_a_label() {
        let earlier = judgement_with("a", Some(1));
        let mut judged = rubric_state(vec![earlier.clone(), judgement_with("b", Some(4))]);
        judged.show_judgement("a");
        let notice = |hides: bool| {
            let earlier = std::slice::from_ref(&earlier);
            judged.new_judgement_text(earlier, &KeyTexts::default(), |_| hides).unwrap()
        };

        assert!(notice(false).contains("MCF"), "{}", notice(false));
        let hidden = notice(true);
        assert!(!hidden.contains("MCF") && hidden.contains("; shown stays that by "), "{hidden}");
    }

    #[test]
    fn a_failure_to_read_again_leaves_what_was_read() {
        let mut judged = rubric_state(vec![judgement_with("a", Some(1))]);
        let mut numbers = RequestIds::default();
        numbers.next_request();
        let again = judged.ask_rubric(&mut numbers, &Arc::default(), true).unwrap();

        judged.take_answer(again.request_id().unwrap(), Err("no such file".into()));

        assert_eq!(judged.shown_judgement().unwrap().file, "a");
    }
}
