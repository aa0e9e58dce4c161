//! The state of one judging that is watched: of each component, and of the whole.

use trajview_run::{
    judging::{
        ItemName, JudgeAnswer, JudgeEvent, JudgingEnd, JudgingOutcome, JudgingRequest, OpenFile,
    },
    rubric::JudgeToolCall,
};

use crate::session::{judging::JudgingUpdate, request::RequestId};

/// A judging under way, or the last one.
#[derive(Debug, Clone, PartialEq)]
pub struct WatchedJudging {
    pub(crate) request: RequestId,
    pub judging_request: JudgingRequest,
    /// The name of the judge of this part.
    pub judge: String,
    /// The other judges that work at the same time, in the order in which they are shown.
    pub panel: Vec<WatchedJudging>,
    /// The items of the file that is being written, in the order of the checklist or the criteria.
    pub entries: Vec<WatchedItem>,
    pub file: Option<OpenFile>,
    /// Every call of all files: component and call.
    pub calls: Vec<(String, JudgeCall)>,
    /// Judged since this began; what was judged before does not count.
    judged_count: usize,
    /// None until a server reports them.
    pub tokens: Option<u64>,
    /// US dollars; None without prices.
    pub spent: Option<f64>,
    /// Since it began.
    pub seconds: f64,
    pub is_stopping: bool,
    /// None while it is under way.
    pub outcome: Option<JudgingOutcome>,
}

/// The state of one component or group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WatchedItem {
    pub id: String,
    pub name: String,
    pub state: ItemState,
    /// Looks and words so far, in order.
    pub trace: Vec<TraceEntry>,
    /// The answers in the files before this one; None where there was no answer.
    pub before: Vec<Option<JudgeAnswer>>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub enum ItemState {
    #[default]
    Waiting,
    Looking,
    /// The judge waits until this many seconds after the beginning.
    Retries {
        why: String,
        until: f64,
    },
    /// The judge has finished; without an answer `error` has the reason.
    Done {
        given: Option<JudgeAnswer>,
        error: String,
    },
}

/// One call of the judge's tools.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeCall {
    pub look: JudgeToolCall,
    pub is_refused: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TraceEntry {
    Call(JudgeCall),
    /// Words of the judge between its calls.
    Words(String),
    /// A fault that may pass.
    Fault(String),
}

/// Calls that are kept of the whole.
const MAX_CALLS: usize = 10_000;

impl WatchedItem {
    pub fn new(item: ItemName) -> Self {
        Self { id: item.id, name: item.name, ..Self::default() }
    }

    pub(crate) fn call_count(&self) -> usize {
        self.trace.iter().filter(|it| matches!(it, TraceEntry::Call(_))).count()
    }

    /// Returns the last call.
    pub(crate) fn last_call(&self) -> Option<&JudgeCall> {
        self.trace.iter().rev().find_map(|it| match it {
            TraceEntry::Call(call) => Some(call),
            _ => None,
        })
    }
}

impl WatchedJudging {
    pub fn new(request: RequestId, judging_request: JudgingRequest, items: Vec<ItemName>) -> Self {
        let one = |judge: &str| {
            Self::for_one_judge(request, judging_request.clone(), judge, items.clone())
        };
        let panel = judging_request.panel.iter().map(|it| one(&it.judge)).collect();
        Self { panel, ..one(&judging_request.judge) }
    }

    fn for_one_judge(
        request: RequestId,
        judging_request: JudgingRequest,
        judge: &str,
        items: Vec<ItemName>,
    ) -> Self {
        Self {
            request,
            judging_request,
            judge: judge.to_owned(),
            panel: vec![],
            entries: items.into_iter().map(WatchedItem::new).collect(),
            file: None,
            calls: vec![],
            judged_count: 0,
            tokens: None,
            spent: None,
            seconds: 0.0,
            is_stopping: false,
            outcome: None,
        }
    }

    pub const fn is_under_way(&self) -> bool {
        self.outcome.is_none()
    }

    /// Returns all judges, the shown one first.
    pub(crate) fn all_judges(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.panel)
    }

    /// Shows the next judge of the panel.
    pub(crate) fn show_next_judge(&mut self) {
        if self.panel.is_empty() {
            return;
        }
        let mut panel = std::mem::take(&mut self.panel);
        let next = panel.remove(0);
        panel.push(std::mem::replace(self, next));
        self.panel = panel;
    }

    /// Returns the number of judged items and of all items, over all files of all judges.
    pub fn progress(&self) -> (usize, usize) {
        let sum = |(done, total), (own, all)| (done + own, total + all);
        self.all_judges().map(Self::judge_progress).fold((0, 0), sum)
    }

    /// Returns the number of judged items and of all items, over all files of the shown judge.
    pub(crate) fn judge_progress(&self) -> (usize, usize) {
        let files = self.judging_request.moments.len().max(1) * self.judging_request.repeats;
        let Some(file) = &self.file else { return (0, self.entries.len() * files) };
        let moment = self.judging_request.moments.iter().position(|turn| *turn == file.turn);
        let before =
            moment.unwrap_or_default() * self.judging_request.repeats + file.repeat.max(1) - 1;
        (before * file.total + file.done, files * file.total)
    }

    /// Returns the judged items per minute; None before there is one.
    pub(crate) fn items_per_minute(&self) -> Option<f64> {
        let fresh: usize = self.all_judges().map(|it| it.judged_count).sum();
        (fresh > 0 && self.seconds >= 1.0).then(|| fresh as f64 * 60.0 / self.seconds)
    }

    /// Returns the tokens of all judges; None until a server reports them.
    pub fn total_tokens(&self) -> Option<u64> {
        self.all_judges().filter_map(|it| it.tokens).reduce(|sum, tokens| sum + tokens)
    }

    /// Returns the US dollars of all judges; None where none of them has prices.
    pub fn total_spent(&self) -> Option<f64> {
        self.all_judges().filter_map(|it| it.spent).reduce(|sum, spent| sum + spent)
    }

    /// Returns the seconds until the end at this rate.
    pub(crate) fn seconds_left(&self) -> Option<f64> {
        let (done, total) = self.progress();
        Some(total.saturating_sub(done) as f64 * 60.0 / self.items_per_minute()?)
    }

    /// Applies an update to the judge that it is about. Returns true where something was saved.
    pub fn update(&mut self, update: JudgingUpdate) -> bool {
        let JudgingUpdate { seconds, judge, event } = update;
        let watched = match judge {
            Some(judge) if judge != self.judge => {
                self.panel.iter_mut().find(|it| it.judge == judge)
            }
            _ => Some(self),
        };
        watched.is_some_and(|it| it.apply_event(seconds, event))
    }

    /// Updates the time and takes an event, if any. Returns whether a file was begun or an item was judged.
    fn apply_event(&mut self, seconds: f64, event: Option<JudgeEvent>) -> bool {
        self.seconds = self.seconds.max(seconds);
        let Some(event) = event else { return false };
        match event {
            JudgeEvent::Opened(file) => {
                self.entries.iter_mut().for_each(WatchedItem::reset_for_next_file);
                self.file = Some(file);
                return true;
            }
            JudgeEvent::Began { component } => {
                self.entry_mut(&component).state = ItemState::Looking
            }
            JudgeEvent::Replied { component, text, tokens, spent } => {
                if let Some(tokens) = tokens {
                    self.tokens = Some(self.tokens.unwrap_or_default() + tokens);
                }
                self.spent = spent.or(self.spent);
                let entry = self.entry_mut(&component);
                entry.state = ItemState::Looking;
                if !text.trim().is_empty() {
                    entry.trace.push(TraceEntry::Words(text));
                }
            }
            JudgeEvent::CalledTool { component, call: look, is_refused } => {
                let call = JudgeCall { look, is_refused };
                let entry = self.entry_mut(&component);
                entry.state = ItemState::Looking;
                entry.trace.push(TraceEntry::Call(call.clone()));
                self.calls.push((component, call));
                let excess = self.calls.len().saturating_sub(MAX_CALLS);
                self.calls.drain(..excess);
            }
            JudgeEvent::Waits { component, why, seconds } => {
                let until = self.seconds + seconds;
                let entry = self.entry_mut(&component);
                entry.trace.push(TraceEntry::Fault(why.clone()));
                entry.state = ItemState::Retries { why, until };
            }
            JudgeEvent::Ended { component, answer, error, done, .. } => {
                self.judged_count += 1;
                if let Some(file) = &mut self.file {
                    file.done = done;
                }
                let error = error.unwrap_or_default();
                self.entry_mut(&component).state = ItemState::Done { given: answer, error };
                return true;
            }
        }
        false
    }

    pub fn end_judging(&mut self, outcome: JudgingOutcome) {
        let is_alone = self.judging_request.panel.is_empty();
        self.spent = outcome.spent.filter(|_| is_alone).or(self.spent);
        self.panel.iter_mut().for_each(|it| it.end_judging(outcome.clone()));
        let is_over = |state: &ItemState| matches!(state, ItemState::Done { .. });
        for entry in self.entries.iter_mut().filter(|it| !is_over(&it.state)) {
            entry.state = ItemState::Waiting;
        }
        self.outcome = Some(outcome);
    }

    /// Returns whether there are items left to judge.
    pub(crate) fn may_resume(&self) -> bool {
        self.outcome.as_ref().is_some_and(|it| it.end != JudgingEnd::Finished)
    }

    fn entry_mut(&mut self, id: &str) -> &mut WatchedItem {
        let at = self.entries.iter().position(|it| it.id == id).unwrap_or_else(|| {
            self.entries
                .push(WatchedItem::new(ItemName { id: id.to_owned(), ..ItemName::default() }));
            self.entries.len() - 1
        });
        &mut self.entries[at]
    }
}

impl WatchedItem {
    /// Resets the state for the next file.
    fn reset_for_next_file(&mut self) {
        if let ItemState::Done { given, .. } = std::mem::take(&mut self.state) {
            self.before.push(given);
        }
        self.trace.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::judging::{JudgingScale, PanelJudge};

    fn sample_judging() -> WatchedJudging {
        let judging_request = JudgingRequest {
            judge: "stub".into(),
            model: "m-1".into(),
            scale: JudgingScale::Levels,
            criteria: None,
            components: None,
            moments: vec![2, 5],
            budget: 8,
            repeats: 2,
            prompt: None,
            codebook: None,
            panel: vec![],
            most: None,
        };
        WatchedJudging::new(
            RequestId::default(),
            judging_request,
            ["C01", "C02"].map(item_with_id).into(),
        )
    }

    fn item_with_id(id: &str) -> ItemName {
        ItemName { id: id.into(), ..ItemName::default() }
    }

    fn opened_file(turn: usize, repeat: usize) -> JudgeEvent {
        JudgeEvent::Opened(OpenFile { turn, repeat, total: 2, ..OpenFile::default() })
    }

    fn level_answer(level: u8) -> JudgeAnswer {
        JudgeAnswer::Level { level, name: "partial".into() }
    }

    fn ended_event(component: &str, score: u8, done: usize) -> JudgeEvent {
        let answer = Some(level_answer(score));
        JudgeEvent::Ended { component: component.into(), answer, error: None, done, total: 2 }
    }

    fn update_at(seconds: f64, event: JudgeEvent) -> JudgingUpdate {
        JudgingUpdate { seconds, judge: None, event: Some(event) }
    }

    #[test]
    fn each_judge_of_a_panel_has_its_own_progress_and_all_have_one_together() {
        let panelist = PanelJudge { judge: "other".into(), model: String::new(), budget: 8 };
        let judging_request = JudgingRequest {
            panel: vec![panelist],
            moments: vec![2],
            repeats: 1,
            ..sample_judging().judging_request
        };
        let mut watched = WatchedJudging::new(
            RequestId::default(),
            judging_request,
            ["C01", "C02"].map(item_with_id).into(),
        );
        let of = |judge: &str, update| JudgingUpdate { judge: Some(judge.into()), ..update };

        for judge in ["stub", "other"] {
            watched.update(of(judge, update_at(1.0, opened_file(2, 1))));
        }
        watched.update(of("other", update_at(2.0, ended_event("C01", 3, 1))));

        assert_eq!((watched.judge_progress(), watched.progress()), ((0, 2), (1, 4)));
        watched.show_next_judge();
        assert_eq!((watched.judge.as_str(), watched.judge_progress()), ("other", (1, 2)));
        watched.show_next_judge();
        assert_eq!(watched.judge, "stub");
    }

    #[test]
    fn progress_goes_over_all_moments_and_repeats() {
        let mut watched = sample_judging();
        assert_eq!((watched.progress(), watched.items_per_minute()), ((0, 8), None));

        watched.update(update_at(0.0, opened_file(2, 1)));
        watched.update(update_at(10.0, ended_event("C01", 3, 1)));
        watched.update(update_at(20.0, ended_event("C02", 1, 2)));
        watched.update(update_at(20.0, opened_file(2, 2)));

        assert_eq!(watched.progress(), (2, 8));
        assert_eq!((watched.items_per_minute(), watched.seconds_left()), (Some(6.0), Some(60.0)));
        assert_eq!(watched.entries[0].before, [Some(level_answer(3))]);
        assert_eq!(watched.entries[0].state, ItemState::Waiting);

        watched.update(update_at(30.0, opened_file(5, 2)));
        assert_eq!(watched.progress(), (6, 8));
    }

    #[test]
    fn a_component_is_known_by_its_last_news() {
        let mut watched = sample_judging();
        watched.update(update_at(0.0, JudgeEvent::Began { component: "C02".into() }));
        assert_eq!(watched.entries[1].state, ItemState::Looking);

        let why = "the server requests a pause".to_owned();
        let waits = JudgeEvent::Waits { component: "C02".into(), why: why.clone(), seconds: 4.0 };
        watched.update(update_at(1.0, waits));
        assert_eq!(watched.entries[1].state, ItemState::Retries { why, until: 5.0 });

        let tokens = Some(100);
        let replied = JudgeEvent::Replied {
            component: "C02".into(),
            text: " ".into(),
            tokens,
            spent: Some(0.5),
        };
        watched.update(update_at(5.0, replied.clone()));
        watched.update(update_at(5.0, replied));
        assert_eq!((watched.tokens, watched.spent), (Some(200), Some(0.5)));
        assert_eq!(watched.entries[1].state, ItemState::Looking);
        assert_eq!(watched.entries[1].call_count(), 0);
    }
}
