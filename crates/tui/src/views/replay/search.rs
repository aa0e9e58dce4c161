//! Looking for words in everything the recording says.

use regex::Regex;

use crate::session::request::Request;
use trajview_run::search::{Hit, Query, Syntax};

/// More hits than this are counted as `10000+`; nobody steps through them.
pub const MOST_HITS: usize = 10_000;

#[derive(Debug, Default)]
pub struct Search {
    /// The line being typed.
    pub prompt: Option<Prompt>,
    pub hits: Vec<Hit>,
    /// Index into `hits`.
    pub current: Option<usize>,
    pub is_done: bool,
    regex: Option<Regex>,
    asked: Option<Request>,
    last: Option<Query>,
    /// The hit that is shown already, where the search was begun elsewhere.
    shown: Option<Hit>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prompt {
    pub text: String,
    pub syntax: Syntax,
    /// What is wrong with the pattern.
    pub complaint: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Start(Syntax),
    Type(String),
    Erase,
    EraseAll,
    SwitchSyntax,
    Cancel,
    Accept,
    Next(usize),
    Previous(usize),
    Forget,
}

/// How far a search has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    More,
    Done,
    /// A sentence.
    Failed(String),
}

/// What a message to the search leads to.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Nothing,
    /// Look for this.
    Ask(Query),
    /// Show the current hit.
    Show,
    /// Show the current hit and say this.
    ShowAndSay(&'static str),
    /// Say this.
    Say(String),
    /// List the hits.
    List,
}

impl Search {
    pub fn update(&mut self, message: Message) -> Outcome {
        match message {
            Message::Start(syntax) => self.prompt = Some(Prompt { syntax, ..Prompt::default() }),
            Message::Type(words) => self.edit(|prompt| prompt.text.push_str(&words)),
            Message::Erase => self.edit(Prompt::erase),
            Message::EraseAll => self.edit(|prompt| prompt.text.clear()),
            Message::SwitchSyntax => self.edit(Prompt::switch_syntax),
            Message::Cancel => self.prompt = None,
            Message::Accept => return self.accept(),
            Message::Next(count) => return self.step(count, Direction::Forward),
            Message::Previous(count) => return self.step(count, Direction::Back),
            Message::Forget => *self = Self { last: self.last.take(), ..Self::default() },
        }
        Outcome::Nothing
    }

    /// Begins a search at a hit that is shown already; whether it is to be asked for.
    pub fn seek(&mut self, query: &Query, shown: Hit) -> bool {
        let Ok(regex) = query.compile() else { return false };
        let last = Some(query.clone());
        *self = Self { regex: Some(regex), last, shown: Some(shown), ..Self::default() };
        true
    }

    /// The question is out under this number.
    pub fn asked(&mut self, request: Request) {
        self.asked = Some(request);
    }

    /// Takes some hits; `turn` is where the user is, whose first hit from there on is shown.
    pub fn found(
        &mut self,
        request: Request,
        hits: Vec<Hit>,
        progress: Progress,
        turn: usize,
    ) -> Outcome {
        if self.asked != Some(request) {
            return Outcome::Nothing;
        }
        self.hits.extend(hits);
        self.is_done = progress != Progress::More;
        if let Progress::Failed(why) = progress {
            return Outcome::Say(why);
        }
        if self.current.is_some() {
            return Outcome::Nothing;
        }
        if let Some(shown) = &self.shown {
            let is_it = |hit: &Hit| {
                (hit.turn, hit.place, hit.line) == (shown.turn, shown.place, shown.line)
            };
            self.current = self.hits.iter().position(is_it);
            if self.current.is_none() && self.is_done {
                self.current = self.hits.iter().position(|hit| hit.turn >= shown.turn);
            }
            return Outcome::Nothing;
        }
        let ahead = self.hits.iter().position(|hit| hit.turn >= turn);
        match ahead {
            Some(index) => self.current = Some(index),
            None if !self.is_done => return Outcome::Nothing,
            None if self.hits.is_empty() => return Outcome::Say(self.nothing_found()),
            None => self.current = Some(0),
        }
        Outcome::Show
    }

    /// Forgets the hits of the search under way, if there is one: this is to be looked for again.
    pub fn start_over(&mut self) -> Option<Query> {
        let (regex, last) = (self.regex.take()?, self.last.take());
        *self = Self { prompt: self.prompt.take(), regex: Some(regex), last, ..Self::default() };
        self.last.clone()
    }

    pub fn current_hit(&self) -> Option<&Hit> {
        self.hits.get(self.current?)
    }

    /// What to mark on screen.
    pub const fn regex(&self) -> Option<&Regex> {
        self.regex.as_ref()
    }

    pub const fn query(&self) -> Option<&Query> {
        self.last.as_ref()
    }

    /// `hit 3 of 27`, for the title bar; None while nothing is looked for.
    pub fn position(&self) -> Option<String> {
        self.regex.as_ref()?;
        let more = match (self.is_done, self.hits.len() >= MOST_HITS) {
            (true, false) => "",
            (true, true) => "+",
            (false, _) => "…",
        };
        let count = self.hits.len();
        Some(match self.current {
            Some(index) => format!("hit {} of {count}{more}", index + 1),
            None if self.is_done => "no hits".into(),
            None => "searching…".into(),
        })
    }

    fn edit(&mut self, change: impl FnOnce(&mut Prompt)) {
        if let Some(prompt) = &mut self.prompt {
            prompt.complaint = None;
            change(prompt);
        }
    }

    /// Makes a hit the current one; counts from 0.
    pub fn go_to(&mut self, hit: usize) -> Outcome {
        if hit >= self.hits.len() {
            return Outcome::Nothing;
        }
        self.current = Some(hit);
        Outcome::Show
    }

    /// An empty pattern lists the hits of the search under way, else repeats the last search, as in vi.
    fn accept(&mut self) -> Outcome {
        let Some(prompt) = &mut self.prompt else { return Outcome::Nothing };
        if prompt.text.is_empty() && !self.hits.is_empty() {
            self.prompt = None;
            return Outcome::List;
        }
        let typed = Query { pattern: prompt.text.clone(), syntax: prompt.syntax };
        let query = if typed.pattern.is_empty() { self.last.clone() } else { Some(typed) };
        let Some(query) = query else {
            self.prompt = None;
            return Outcome::Nothing;
        };
        match query.compile() {
            Err(why) => {
                prompt.complaint = Some(why);
                Outcome::Nothing
            }
            Ok(regex) => {
                let last = Some(query.clone());
                *self = Self { regex: Some(regex), last, ..Self::default() };
                Outcome::Ask(query)
            }
        }
    }

    fn step(&mut self, count: usize, direction: Direction) -> Outcome {
        let (Some(current), len) = (self.current, self.hits.len()) else {
            return match (&self.regex, &self.last) {
                (None, Some(query)) => self.again(query.clone()),
                (None, None) => Outcome::Say("nothing searched yet: press / and type".into()),
                (Some(_), _) if self.is_done => Outcome::Say(self.nothing_found()),
                (Some(_), _) => Outcome::Nothing,
            };
        };
        let count = count % len.max(1);
        let (next, wrapped) = match direction {
            Direction::Forward => ((current + count) % len, current + count >= len),
            Direction::Back => ((current + len - count) % len, count > current),
        };
        self.current = Some(next);
        match wrapped {
            true => Outcome::ShowAndSay("the search starts over at the other end of the run"),
            false => Outcome::Show,
        }
    }

    fn again(&mut self, query: Query) -> Outcome {
        self.regex = query.compile().ok();
        Outcome::Ask(query)
    }

    fn nothing_found(&self) -> String {
        let pattern = self.last.as_ref().map_or("", |query| query.pattern.as_str());
        format!("`{pattern}` is nowhere in this run")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Back,
}

impl Prompt {
    fn erase(&mut self) {
        self.text.pop();
    }

    const fn switch_syntax(&mut self) {
        self.syntax = match self.syntax {
            Syntax::Literal => Syntax::Regex,
            Syntax::Regex => Syntax::Literal,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::request::Numbers;
    use trajview_run::search::HitPlace;

    fn searching(numbers: &mut Numbers) -> (Search, Request) {
        let mut search = Search::default();
        search.update(Message::Start(Syntax::Literal));
        search.update(Message::Type("loss".into()));
        assert!(matches!(search.update(Message::Accept), Outcome::Ask(_)));
        let request = numbers.fresh();
        search.asked(request);
        (search, request)
    }

    fn hit(turn: usize) -> Hit {
        Hit { turn, place: HitPlace::Request, line: 0, range: 0..4 }
    }

    #[test]
    fn the_first_hit_shown_is_the_next_one_from_here() {
        let (mut search, request) = searching(&mut Numbers::default());
        assert_eq!(search.found(request, vec![hit(1)], Progress::More, 4), Outcome::Nothing);
        assert_eq!(search.found(request, vec![hit(5)], Progress::Done, 4), Outcome::Show);
        assert_eq!(search.position().as_deref(), Some("hit 2 of 2"));
    }

    #[test]
    fn hits_of_an_older_search_are_dropped() {
        let mut numbers = Numbers::default();
        let (mut search, old) = searching(&mut numbers);
        search.asked(numbers.fresh());
        search.found(old, vec![hit(0)], Progress::Done, 0);
        assert_eq!(search.hits, []);
    }

    #[test]
    fn a_broken_pattern_stays_in_the_prompt_with_its_reason() {
        let mut search = Search::default();
        search.update(Message::Start(Syntax::Regex));
        search.update(Message::Type("(".into()));
        search.update(Message::Accept);
        assert_eq!(search.prompt.unwrap().complaint.as_deref(), Some("unclosed group"));
    }
}
