//! What a run is judged by, and which judgement is looked at: the checklist, the judgements, labels of raters, flags, and
//! what is worked out of them (lifelines of components, reuse).
//!
//! It is read once the run is open, and again whenever something was written beside the run or somebody comes back to it.

use std::sync::Arc;

use crate::session::files::{DiffKey, Scope};
use trajview_metrics::lifeline::{self, Lifeline};
use trajview_run::{
    RepoPath, Run,
    files::Moment,
    pooled::Pooling,
    rubric::{Judge, Judgement, LEVELS, Pool, Rubric},
};

use super::{
    Session,
    ask::Loading,
    effect::Effect,
    lifelines::Lifelines,
    question::Question,
    request::{Numbers, Request},
    reuse::Reused,
};

/// What a view of the run is about, for a judge that is asked while it is on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LookedAt {
    /// Id of the component at the cursor of the scores.
    pub component: Option<String>,
    /// The judged state that is shown, in turns done. None in views that are about the playhead's turn, and where nothing
    /// was judged.
    pub done: Option<usize>,
}

#[derive(Debug, Default)]
pub struct Judged {
    /// What of it the view that is on looks at.
    pub looked_at: LookedAt,
    read: Loading<Arc<Rubric>>,
    /// A newer reading that is under way, with the old one on screen.
    again: Option<Request>,
    /// Something was written beside the run since it was read.
    is_stale: bool,
    /// File of the judgement that is looked at, where one was asked for.
    judgement: Option<String>,
    /// File of the judgement that was shown first: newer ones are announced and never take its place by themselves.
    pinned: Option<String>,
    /// How judgements of one state are pooled; None where each stands alone.
    pool: Option<Pool>,
    pub lifelines: Lifelines,
    pub reuse: Reused,
}

impl Judged {
    /// Whether anything is known that a table could show.
    pub fn is_there(&self) -> bool {
        self.read.ready().is_some_and(|rubric| {
            let has_list = rubric.checklist.as_ref().is_some_and(|it| !it.components.is_empty());
            has_list || !rubric.judgements.is_empty()
        })
    }

    /// None while it is not read, or cannot be.
    pub fn known(&self) -> Option<&Rubric> {
        self.shared().map(|rubric| &**rubric)
    }

    pub fn shared(&self) -> Option<&Arc<Rubric>> {
        self.read.ready()
    }

    /// Whether it is read, and why it cannot be.
    pub const fn reading(&self) -> &Loading<Arc<Rubric>> {
        &self.read
    }

    /// Looks at the judgement of a file.
    pub fn look_at(&mut self, file: &str) {
        self.judgement = Some(file.to_owned());
    }

    /// The judgement that is looked at: the one that was flipped to, else the one that was shown first, else the one that
    /// speaks for the run, else the last there is.
    pub fn judgement(&self) -> Option<&Judgement> {
        self.flipped_to().or_else(|| self.speaking()).or_else(|| self.known()?.judgements.last())
    }

    /// The judgement whose numbers are the run's while this session goes on, where the user chose none.
    pub fn speaking(&self) -> Option<&Judgement> {
        self.called(self.pinned.as_deref()).or_else(|| self.known()?.shown())
    }

    /// The judgement that the user asked for.
    fn flipped_to(&self) -> Option<&Judgement> {
        self.called(self.judgement.as_deref())
    }

    fn called(&self, file: Option<&str>) -> Option<&Judgement> {
        self.known()?.judgements.iter().find(|it| Some(&*it.file) == file)
    }

    /// The judgement that would speak for the run if it were opened now, where that is not the one that is looked at and
    /// the user has not seen it yet.
    pub fn newer(&self) -> Option<&Judgement> {
        let newest = self.known()?.shown().filter(|it| it.pooled.is_none())?;
        let is_pinned = self.pinned.as_ref().is_some_and(|pinned| *pinned != newest.file);
        let is_shown = self.judgement().is_some_and(|it| it.file == newest.file);
        Some(newest).filter(|_| is_pinned && !is_shown)
    }

    /// The judgement that speaks for the run goes on doing so, whatever newer ones come.
    fn pin(&mut self) {
        if self.called(self.pinned.as_deref()).is_none() {
            self.pinned = self.known().and_then(Rubric::shown).map(|it| it.file.clone());
        }
    }

    /// Whether means over the judgement that is looked at are shown: where it covers the checklist, or was asked for.
    pub fn has_means(&self) -> bool {
        let rubric = self.known();
        let covers = || rubric.zip(self.judgement()).is_some_and(|(rubric, it)| rubric.covers(it));
        self.flipped_to().is_some() || covers()
    }

    /// Whose judgements the curves are of: that of the one that is looked at where it covers the checklist, else that of
    /// the one that speaks for the run.
    pub fn judge_of_curves(&self) -> Option<&Judge> {
        let rubric = self.known()?;
        let whole = |it: &&Judgement| rubric.covers(it);
        let looked_at = self.judgement().filter(whole).or_else(|| self.speaking().filter(whole));
        looked_at.or_else(|| rubric.chosen()).map(|it| &it.judge)
    }

    /// Which of how many it is; both count from 1.
    pub fn judgement_number(&self) -> Option<(usize, usize)> {
        let (rubric, chosen) = (self.known()?, self.judgement()?);
        let at = rubric.judgements.iter().position(|it| it.file == chosen.file)?;
        Some((at + 1, rubric.judgements.len()))
    }

    /// The judgement that changes are told from: the one before with a score, else one after.
    pub fn other(&self) -> Option<&Judgement> {
        let (rubric, (number, _)) = (self.known()?, self.judgement_number()?);
        let (before, after) = rubric.judgements.split_at(number - 1);
        let has_score = |it: &&Judgement| rubric.coverage(it).scored > 0;
        before.iter().rfind(has_score).or_else(|| after.iter().skip(1).find(has_score))
    }

    /// Reads again what the run is judged by.
    pub fn renew(&mut self) {
        self.is_stale = true;
    }

    /// Keeps looking at this judgement, whatever newer ones come.
    pub fn stay(&mut self) {
        self.judgement = self.judgement().map(|it| it.file.clone());
    }

    /// The next way to pool the judgements of each state; after the last one each stands alone again. What is looked at then,
    /// or why nothing can be pooled, as a sentence.
    ///
    /// # Errors
    /// Where no state has several judgements.
    pub fn next_pool(&mut self) -> Result<String, String> {
        let rubric = self.shared().ok_or("nothing has judged this run yet")?.clone();
        let next = match self.pool {
            None => Pool::ALL.first().copied(),
            Some(pool) => Pool::ALL.into_iter().skip_while(|it| *it != pool).nth(1),
        };
        let turn = self.judgement().and_then(|it| it.turn);
        let mut rubric = Rubric::clone(&rubric);
        let said = match next {
            None => {
                rubric.unpool();
                self.judgement = None;
                "each judgement alone".to_owned()
            }
            Some(pool) => {
                rubric.pool(&Pooling { pool, judge: None })?;
                let all =
                    || rubric.judgements.iter().filter_map(|it| Some((it, it.pooled.as_ref()?)));
                let here = all().find(|(it, _)| it.turn == turn).or(all().next_back());
                self.judgement = here.map(|(it, _)| it.file.clone());
                here.map(|(_, pooled)| format!("pooled: {}", pooled.words())).unwrap_or_default()
            }
        };
        self.pool = next;
        self.read = Loading::Ready(Arc::new(rubric));
        Ok(said)
    }

    /// What was read anew is pooled as before, where it still can be.
    fn pool_again(&mut self) {
        let (Some(pool), Loading::Ready(rubric)) = (self.pool, &mut self.read) else { return };
        if Arc::make_mut(rubric).pool(&Pooling { pool, judge: None }).is_err() {
            self.pool = None;
        }
    }

    /// To another judgement, by count. What is looked at then, or why nothing changes, as a sentence.
    ///
    /// # Errors
    /// Where there is no other judgement.
    pub fn flip(&mut self, by: isize) -> Result<String, String> {
        let (number, count) = self.judgement_number().ok_or("nothing has judged this run yet")?;
        if count == 1 {
            return Err("this run has one judgement".into());
        }
        let (at, count) = (number as isize - 1, count as isize);
        let next = (at + by).rem_euclid(count) as usize;
        let judgements = self.known().map_or(&[][..], |rubric| &rubric.judgements);
        let file = judgements.get(next).map(|it| it.file.clone()).unwrap_or_default();
        let words = format!("judgement {} of {count}: {file}", next + 1);
        self.judgement = Some(file);
        Ok(words)
    }

    pub fn take(&mut self, request: Request, rubric: Result<Arc<Rubric>, String>) {
        if self.again.take_if(|asked| *asked == request).is_some() {
            if let Ok(rubric) = rubric {
                self.read = Loading::Ready(rubric);
            }
        } else {
            self.read.settle(request, rubric);
        }
        self.pin();
        self.pool_again();
    }

    /// Asks for what the run is judged by; again where it may have changed.
    pub fn ask(
        &mut self,
        numbers: &mut Numbers,
        run: &Arc<Run>,
        may_have_changed: bool,
    ) -> Option<Effect> {
        let question = Question::Rubric { run: run.clone() };
        match self.read {
            Loading::Nothing => Some(self.read.ask(numbers, question)),
            Loading::Ready(_) | Loading::Failed(_)
                if (may_have_changed || self.is_stale) && self.again.is_none() =>
            {
                self.is_stale = false;
                let request = numbers.fresh();
                self.again = Some(request);
                Some(question.under(request))
            }
            _ => None,
        }
    }

    /// The turn after which the code was judged, counts from 0; None where the run has no such moment.
    pub fn judged_turn(&self, run: &Run) -> Option<usize> {
        lifeline::judged_after(run, self.judgement()?)?.checked_sub(1)
    }

    /// None while it is not known.
    pub fn lifeline_of(&self, component: &str) -> Option<&Lifeline> {
        let known = self.lifelines.known()?.as_ref().ok()?;
        known.iter().find(|it| it.component == component)
    }

    /// Why there is no lifeline to be seen.
    pub fn why_no_lifeline(&self) -> String {
        match self.lifelines.known() {
            Some(Err(why)) => why.clone(),
            Some(Ok(_)) => "there is no lifeline of this component".into(),
            None => "the lifelines are still being worked out".into(),
        }
    }
}

/// Whether a turn (counts from 0) ended in the state that was judged.
pub fn is_judged_at(run: &Run, judgement: &Judgement, turn: usize) -> bool {
    lifeline::judged_after(run, judgement) == Some(turn + 1)
}

impl Session {
    /// Asks for what the run is judged by, once the run is read to its end.
    pub fn ask_rubric(&mut self, numbers: &mut Numbers, may_have_changed: bool) -> Option<Effect> {
        let is_first = matches!(self.rubric.reading(), Loading::Nothing);
        if is_first && !self.growth.is_whole {
            return None;
        }
        self.rubric.ask(numbers, &self.run, may_have_changed)
    }

    /// Asks for the lifelines of the components as the judgement that is looked at names them.
    pub fn ask_lifelines(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        self.timeline.ready()?;
        let asked = lifeline::asked(&self.run, self.rubric.known()?, self.rubric.judgement());
        self.rubric.lifelines.ask(numbers, &self.run, asked)
    }

    /// Asks how much is reused in the state that was judged.
    pub fn ask_reuse(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        self.timeline.ready()?;
        let done = self.judged_turn()? + 1;
        self.rubric.reuse.ask(numbers, &self.run, done)
    }

    /// The turn after which the code was judged, counts from 0; None where the run has no such moment.
    pub fn judged_turn(&self) -> Option<usize> {
        self.rubric.judged_turn(&self.run)
    }

    /// A file as it was judged.
    pub fn judged_file(&self, path: &str) -> Option<DiffKey> {
        let scope = Scope::At(Moment::after(self.judged_turn()? + 1));
        Some(DiffKey { scope, path: RepoPath::new(path)? })
    }
}

/// `2 Simplified`, in the rubric's words.
pub fn score_said(score: u8) -> String {
    let word = LEVELS.get(usize::from(score)).copied().unwrap_or_default();
    format!("{score} {word}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::rubric::Verdict;

    fn judgement(file: &str, score: Option<u8>) -> Judgement {
        let verdict = Verdict { component: "C1".into(), score, ..Verdict::default() };
        Judgement { file: file.into(), verdicts: vec![verdict], ..Judgement::default() }
    }

    fn judged(judgements: Vec<Judgement>) -> Judged {
        let (mut judged, mut numbers) = (Judged::default(), Numbers::default());
        let asked = judged.ask(&mut numbers, &Arc::default(), false).unwrap();
        let rubric = Rubric { judgements, ..Rubric::default() };
        judged.take(asked.request().unwrap(), Ok(Arc::new(rubric)));
        judged
    }

    #[test]
    fn the_judgement_that_was_flipped_to_is_looked_at_whatever_else_there_is() {
        let mut judged = judged(vec![judgement("a", Some(1)), judgement("b", Some(2))]);
        judged.look_at("a");

        let words = judged.flip(-1);

        assert_eq!(words.as_deref(), Ok("judgement 2 of 2: b"));
        assert_eq!(judged.judgement().unwrap().file, "b");
        assert_eq!(judged.judgement_number(), Some((2, 2)));
    }

    #[test]
    fn a_change_is_told_from_the_judgement_before_that_has_a_score() {
        let all = [("a", Some(1)), ("b", None), ("c", Some(2))];
        let mut judged = judged(all.map(|(file, score)| judgement(file, score)).to_vec());
        judged.look_at("c");

        assert_eq!(judged.other().unwrap().file, "a");
    }

    #[test]
    fn a_newer_judgement_is_announced_and_the_one_that_was_shown_stays() {
        let mut judged = judged(vec![judgement("a", Some(1))]);
        let mut numbers = Numbers::default();
        numbers.fresh();
        let again = judged.ask(&mut numbers, &Arc::default(), true).unwrap();
        let judgements = vec![judgement("a", Some(1)), judgement("b", Some(4))];
        let rubric = Rubric { judgements, ..Rubric::default() };

        judged.take(again.request().unwrap(), Ok(Arc::new(rubric)));

        assert_eq!(judged.judgement().unwrap().file, "a");
        assert_eq!(judged.newer().unwrap().file, "b");
        judged.flip(1).unwrap();
        assert_eq!((&*judged.judgement().unwrap().file, judged.newer()), ("b", None));
    }

    #[test]
    fn a_failure_to_read_again_leaves_what_was_read() {
        let mut judged = judged(vec![judgement("a", Some(1))]);
        let mut numbers = Numbers::default();
        numbers.fresh();
        let again = judged.ask(&mut numbers, &Arc::default(), true).unwrap();

        judged.take(again.request().unwrap(), Err("no such file".into()));

        assert_eq!(judged.judgement().unwrap().file, "a");
    }
}
