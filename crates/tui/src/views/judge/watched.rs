//! One judging, as it is watched: what is known of each component, and of the whole.

use crate::session::{
    judging::{File, Given, How, Item, JudgingRequest, News, Outcome},
    request::Request,
};
use trajview_run::rubric::Look;

/// A judging under way, or the last one.
#[derive(Debug, Clone, PartialEq)]
pub struct Watched {
    pub(crate) request: Request,
    pub wish: JudgingRequest,
    /// Who judges what is told here.
    pub judge: String,
    /// The same of the other judges that are asked at the same time, in the order in which they are looked at.
    pub panel: Vec<Watched>,
    /// In the order of the checklist or the criteria; of the file that is being filled.
    pub entries: Vec<Entry>,
    pub file: Option<File>,
    /// Every call of all files: component and call.
    pub calls: Vec<(String, Call)>,
    /// Judged since this began; what was judged before does not count.
    fresh: usize,
    /// None until a server tells.
    pub tokens: Option<u64>,
    /// US dollars; None without prices.
    pub spent: Option<f64>,
    /// Since it began.
    pub seconds: f64,
    pub is_stopping: bool,
    /// None while it is under way.
    pub outcome: Option<Outcome>,
}

/// What is known of one component or group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Entry {
    pub id: String,
    pub name: String,
    pub state: State,
    /// Looks and words so far, in order.
    pub trace: Vec<Traced>,
    /// In the files before this one; None where nothing was given.
    pub before: Vec<Option<Given>>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub enum State {
    #[default]
    Waiting,
    Looking,
    /// Until so many seconds after the beginning.
    Retries {
        why: String,
        until: f64,
    },
    /// Without anything given the words say why.
    Done {
        given: Option<Given>,
        error: String,
    },
}

/// One call of the judge's tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub look: Look,
    pub is_refused: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Traced {
    Call(Call),
    /// Words of the judge between its calls.
    Words(String),
    /// A fault that may pass.
    Fault(String),
}

/// Calls that are kept of the whole.
const MOST_CALLS: usize = 10_000;

impl Entry {
    pub fn of(item: Item) -> Self {
        Self { id: item.id, name: item.name, ..Self::default() }
    }

    pub fn looks(&self) -> usize {
        self.trace.iter().filter(|it| matches!(it, Traced::Call(_))).count()
    }

    /// The last call.
    pub fn last_call(&self) -> Option<&Call> {
        self.trace.iter().rev().find_map(|it| match it {
            Traced::Call(call) => Some(call),
            _ => None,
        })
    }
}

impl Watched {
    pub fn of(request: Request, wish: JudgingRequest, items: Vec<Item>) -> Self {
        let one = |judge: &str| Self::alone(request, wish.clone(), judge, items.clone());
        let panel = wish.panel.iter().map(|it| one(&it.judge)).collect();
        Self { panel, ..one(&wish.judge) }
    }

    fn alone(request: Request, wish: JudgingRequest, judge: &str, items: Vec<Item>) -> Self {
        Self {
            request,
            wish,
            judge: judge.to_owned(),
            panel: vec![],
            entries: items.into_iter().map(Entry::of).collect(),
            file: None,
            calls: vec![],
            fresh: 0,
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

    pub fn entry(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|it| it.id == id)
    }

    /// Each judge that is asked, the one that is looked at first.
    pub fn all(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.panel)
    }

    /// The next judge of the panel is looked at.
    pub(crate) fn look_at_next(&mut self) {
        if self.panel.is_empty() {
            return;
        }
        let mut panel = std::mem::take(&mut self.panel);
        let next = panel.remove(0);
        panel.push(std::mem::replace(self, next));
        self.panel = panel;
    }

    /// How many are judged and how many are to be, over all files of all judges.
    pub fn progress(&self) -> (usize, usize) {
        let sum = |(done, total), (own, all)| (done + own, total + all);
        self.all().map(Self::own_progress).fold((0, 0), sum)
    }

    /// As [`Self::progress`], of the judge that is looked at alone.
    pub fn own_progress(&self) -> (usize, usize) {
        let files = self.wish.moments.len().max(1) * self.wish.repeats;
        let Some(file) = &self.file else { return (0, self.entries.len() * files) };
        let moment = self.wish.moments.iter().position(|turn| *turn == file.turn);
        let before = moment.unwrap_or_default() * self.wish.repeats + file.repeat.max(1) - 1;
        (before * file.total + file.done, files * file.total)
    }

    /// Components a minute; None before there is one.
    pub fn rate(&self) -> Option<f64> {
        let fresh: usize = self.all().map(|it| it.fresh).sum();
        (fresh > 0 && self.seconds >= 1.0).then(|| fresh as f64 * 60.0 / self.seconds)
    }

    /// Tokens of all judges; None until a server tells.
    pub fn all_tokens(&self) -> Option<u64> {
        self.all().filter_map(|it| it.tokens).reduce(|sum, tokens| sum + tokens)
    }

    /// US dollars of all judges; None where none of them has prices.
    pub fn all_spent(&self) -> Option<f64> {
        self.all().filter_map(|it| it.spent).reduce(|sum, spent| sum + spent)
    }

    /// Seconds until it is over, at this rate.
    pub fn left(&self) -> Option<f64> {
        let (done, total) = self.progress();
        Some(total.saturating_sub(done) as f64 * 60.0 / self.rate()?)
    }

    /// Takes what happened; true where something was saved.
    pub fn hear(&mut self, seconds: f64, news: News) -> bool {
        self.seconds = self.seconds.max(seconds);
        match news {
            News::Beat => {}
            News::Of(judge, news) if judge == self.judge => return self.hear(seconds, *news),
            News::Of(judge, news) => {
                let member = self.panel.iter_mut().find(|it| it.judge == judge);
                return member.is_some_and(|it| it.hear(seconds, *news));
            }
            News::File(file) => {
                self.entries.iter_mut().for_each(Entry::begin_again);
                self.file = Some(file);
                return true;
            }
            News::Began { component } => self.of_component(&component).state = State::Looking,
            News::Replied { component, words, tokens, spent } => {
                if let Some(tokens) = tokens {
                    self.tokens = Some(self.tokens.unwrap_or_default() + tokens);
                }
                self.spent = spent.or(self.spent);
                let entry = self.of_component(&component);
                entry.state = State::Looking;
                if !words.trim().is_empty() {
                    entry.trace.push(Traced::Words(words));
                }
            }
            News::Looked { component, look, is_refused } => {
                let call = Call { look, is_refused };
                let entry = self.of_component(&component);
                entry.state = State::Looking;
                entry.trace.push(Traced::Call(call.clone()));
                self.calls.push((component, call));
                let excess = self.calls.len().saturating_sub(MOST_CALLS);
                self.calls.drain(..excess);
            }
            News::Waits { component, why, seconds } => {
                let until = self.seconds + seconds;
                let entry = self.of_component(&component);
                entry.trace.push(Traced::Fault(why.clone()));
                entry.state = State::Retries { why, until };
            }
            News::Ended { component, given, error, done } => {
                self.fresh += 1;
                if let Some(file) = &mut self.file {
                    file.done = done;
                }
                let error = error.unwrap_or_default();
                self.of_component(&component).state = State::Done { given, error };
                return true;
            }
        }
        false
    }

    pub fn end(&mut self, outcome: Outcome) {
        let is_alone = self.wish.panel.is_empty();
        self.spent = outcome.spent.filter(|_| is_alone).or(self.spent);
        self.panel.iter_mut().for_each(|it| it.end(outcome.clone()));
        let is_over = |state: &State| matches!(state, State::Done { .. });
        for entry in self.entries.iter_mut().filter(|it| !is_over(&it.state)) {
            entry.state = State::Waiting;
        }
        self.outcome = Some(outcome);
    }

    /// Whether there is anything to go on with.
    pub fn may_resume(&self) -> bool {
        self.outcome.as_ref().is_some_and(|it| it.how != How::Finished)
    }

    fn of_component(&mut self, id: &str) -> &mut Entry {
        let at = self.entries.iter().position(|it| it.id == id).unwrap_or_else(|| {
            self.entries.push(Entry::of(Item { id: id.to_owned(), ..Item::default() }));
            self.entries.len() - 1
        });
        &mut self.entries[at]
    }
}

impl Entry {
    /// For the next file.
    fn begin_again(&mut self) {
        if let State::Done { given, .. } = std::mem::take(&mut self.state) {
            self.before.push(given);
        }
        self.trace.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::judging::{Panelist, Scale};

    fn watched() -> Watched {
        let wish = JudgingRequest {
            judge: "stub".into(),
            model: "m-1".into(),
            scale: Scale::Levels,
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
        Watched::of(Request::default(), wish, ["C01", "C02"].map(item).into())
    }

    fn item(id: &str) -> Item {
        Item { id: id.into(), ..Item::default() }
    }

    fn file(turn: usize, repeat: usize) -> News {
        News::File(File { turn, repeat, total: 2, ..File::default() })
    }

    fn ended(component: &str, score: u8, done: usize) -> News {
        let given = Some(Given::Level(score));
        News::Ended { component: component.into(), given, error: None, done }
    }

    #[test]
    fn each_judge_of_a_panel_has_its_own_progress_and_all_have_one_together() {
        let panelist = Panelist { judge: "other".into(), model: String::new(), budget: 8 };
        let wish = JudgingRequest {
            panel: vec![panelist],
            moments: vec![2],
            repeats: 1,
            ..watched().wish
        };
        let mut watched = Watched::of(Request::default(), wish, ["C01", "C02"].map(item).into());
        let of = |judge: &str, news: News| News::Of(judge.into(), Box::new(news));

        for judge in ["stub", "other"] {
            watched.hear(1.0, of(judge, file(2, 1)));
        }
        watched.hear(2.0, of("other", ended("C01", 3, 1)));

        assert_eq!((watched.own_progress(), watched.progress()), ((0, 2), (1, 4)));
        watched.look_at_next();
        assert_eq!((watched.judge.as_str(), watched.own_progress()), ("other", (1, 2)));
        watched.look_at_next();
        assert_eq!(watched.judge, "stub");
    }

    #[test]
    fn progress_goes_over_all_moments_and_repeats() {
        let mut watched = watched();
        assert_eq!((watched.progress(), watched.rate()), ((0, 8), None));

        watched.hear(0.0, file(2, 1));
        watched.hear(10.0, ended("C01", 3, 1));
        watched.hear(20.0, ended("C02", 1, 2));
        watched.hear(20.0, file(2, 2));

        assert_eq!(watched.progress(), (2, 8));
        assert_eq!((watched.rate(), watched.left()), (Some(6.0), Some(60.0)));
        assert_eq!(watched.entries[0].before, [Some(Given::Level(3))]);
        assert_eq!(watched.entries[0].state, State::Waiting);

        watched.hear(30.0, file(5, 2));
        assert_eq!(watched.progress(), (6, 8));
    }

    #[test]
    fn a_component_is_known_by_its_last_news() {
        let mut watched = watched();
        watched.hear(0.0, News::Began { component: "C02".into() });
        assert_eq!(watched.entries[1].state, State::Looking);

        let why = "the server asks to wait".to_owned();
        watched.hear(1.0, News::Waits { component: "C02".into(), why: why.clone(), seconds: 4.0 });
        assert_eq!(watched.entries[1].state, State::Retries { why, until: 5.0 });

        let tokens = Some(100);
        let replied =
            News::Replied { component: "C02".into(), words: " ".into(), tokens, spent: Some(0.5) };
        watched.hear(5.0, replied.clone());
        watched.hear(5.0, replied);
        assert_eq!((watched.tokens, watched.spent), (Some(200), Some(0.5)));
        assert_eq!(watched.entries[1].state, State::Looking);
        assert_eq!(watched.entries[1].looks(), 0);
    }
}
