//! Searches all recorded text.

use regex::Regex;

use crate::session::request::RequestId;
use trajview_run::search::{HitPlace, QuerySyntax, SearchHit, SearchQuery, StepField};

/// More hits than this are counted as `10000+`; nobody steps through them.
pub const MAX_HITS: usize = 10_000;

#[derive(Debug, Default)]
pub struct ReplaySearch {
    /// The line being typed.
    pub prompt: Option<SearchPrompt>,
    pub hits: Vec<SearchHit>,
    /// Index into `hits`.
    pub current: Option<usize>,
    pub is_done: bool,
    regex: Option<Regex>,
    request: Option<RequestId>,
    last_query: Option<SearchQuery>,
    /// The hit that is shown already, where the search was begun elsewhere.
    shown_hit: Option<SearchHit>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchPrompt {
    pub text: String,
    pub syntax: QuerySyntax,
    /// The error in the pattern.
    pub complaint: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum SearchMessage {
    Start(QuerySyntax),
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

/// The progress of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchProgress {
    More,
    Done,
    /// A sentence.
    Failed(String),
}

/// The action that follows from a message to the search.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchOutcome {
    Nothing,
    /// Look for this.
    Ask(SearchQuery),
    /// Show the current hit.
    Show,
    /// Show the current hit and say this.
    ShowAndSay(&'static str),
    /// Say this.
    Say(String),
    /// List the hits.
    List,
}

/// Returns the part of a text that contains a hit; a request has one part.
pub(crate) const fn hit_field(hit: &SearchHit) -> StepField {
    match hit.place {
        HitPlace::Request => StepField::Text,
        HitPlace::Step(_, field) => field,
    }
}

impl ReplaySearch {
    pub fn update(&mut self, message: SearchMessage) -> SearchOutcome {
        match message {
            SearchMessage::Start(syntax) => {
                self.prompt = Some(SearchPrompt { syntax, ..SearchPrompt::default() })
            }
            SearchMessage::Type(words) => self.edit_prompt(|prompt| prompt.text.push_str(&words)),
            SearchMessage::Erase => self.edit_prompt(SearchPrompt::erase_last_char),
            SearchMessage::EraseAll => self.edit_prompt(|prompt| prompt.text.clear()),
            SearchMessage::SwitchSyntax => self.edit_prompt(SearchPrompt::switch_syntax),
            SearchMessage::Cancel => self.prompt = None,
            SearchMessage::Accept => return self.accept_prompt(),
            SearchMessage::Next(count) => return self.step_to_hit(count, SearchDirection::Forward),
            SearchMessage::Previous(count) => {
                return self.step_to_hit(count, SearchDirection::Back);
            }
            SearchMessage::Forget => {
                *self = Self { last_query: self.last_query.take(), ..Self::default() }
            }
        }
        SearchOutcome::Nothing
    }

    /// Begins a search at a hit that is shown already. Returns whether the search is to be requested.
    pub(crate) fn start_at_hit(&mut self, query: &SearchQuery, shown: SearchHit) -> bool {
        let Ok(regex) = query.compile_pattern() else { return false };
        let last = Some(query.clone());
        *self = Self {
            regex: Some(regex),
            last_query: last,
            shown_hit: Some(shown),
            ..Self::default()
        };
        true
    }

    /// Records the request that the search waits for.
    pub(crate) fn set_request(&mut self, request: RequestId) {
        self.request = Some(request);
    }

    /// Takes some hits; `turn` is where the user is, whose first hit from there on is shown.
    pub(crate) fn take_hits(
        &mut self,
        request: RequestId,
        hits: Vec<SearchHit>,
        progress: SearchProgress,
        turn: usize,
    ) -> SearchOutcome {
        if self.request != Some(request) {
            return SearchOutcome::Nothing;
        }
        self.hits.extend(hits);
        self.is_done = progress != SearchProgress::More;
        if let SearchProgress::Failed(why) = progress {
            return SearchOutcome::Say(why);
        }
        if self.current.is_some() {
            return SearchOutcome::Nothing;
        }
        if let Some(shown) = &self.shown_hit {
            let is_it = |hit: &SearchHit| {
                (hit.turn, hit.place, hit.line) == (shown.turn, shown.place, shown.line)
            };
            self.current = self.hits.iter().position(is_it);
            if self.current.is_none() && self.is_done {
                self.current = self.hits.iter().position(|hit| hit.turn >= shown.turn);
            }
            return SearchOutcome::Nothing;
        }
        let ahead = self.hits.iter().position(|hit| hit.turn >= turn);
        match ahead {
            Some(index) => self.current = Some(index),
            None if !self.is_done => return SearchOutcome::Nothing,
            None if self.hits.is_empty() => return SearchOutcome::Say(self.no_hits_text()),
            None => self.current = Some(0),
        }
        SearchOutcome::Show
    }

    /// Drops the hits of the current search and returns its query, so that it runs again; None where there is no
    /// search.
    pub(crate) fn start_over(&mut self) -> Option<SearchQuery> {
        let (regex, last) = (self.regex.take()?, self.last_query.take());
        *self = Self {
            prompt: self.prompt.take(),
            regex: Some(regex),
            last_query: last,
            ..Self::default()
        };
        self.last_query.clone()
    }

    pub(crate) fn current_hit(&self) -> Option<&SearchHit> {
        self.hits.get(self.current?)
    }

    /// Returns the pattern whose matches are marked on screen.
    pub const fn regex(&self) -> Option<&Regex> {
        self.regex.as_ref()
    }

    pub const fn query(&self) -> Option<&SearchQuery> {
        self.last_query.as_ref()
    }

    /// Returns `hit 3 of 27`, for the title bar; None without a search.
    pub(crate) fn position_text(&self) -> Option<String> {
        self.regex.as_ref()?;
        let more = match (self.is_done, self.hits.len() >= MAX_HITS) {
            (true, false) => "",
            (true, true) => "+",
            (false, _) => "…",
        };
        let count = self.hits.len();
        Some(match self.current {
            Some(index) => format!("hit {} of {count}{more}", index + 1),
            None if self.is_done => "no matches".into(),
            None => "searching…".into(),
        })
    }

    fn edit_prompt(&mut self, change: impl FnOnce(&mut SearchPrompt)) {
        if let Some(prompt) = &mut self.prompt {
            prompt.complaint = None;
            change(prompt);
        }
    }

    /// Makes a hit the current one; counts from 0.
    pub(crate) fn go_to(&mut self, hit: usize) -> SearchOutcome {
        if hit >= self.hits.len() {
            return SearchOutcome::Nothing;
        }
        self.current = Some(hit);
        SearchOutcome::Show
    }

    /// Accepts the prompt. An empty pattern lists the hits of the current search, else repeats the last search, as in
    /// vi.
    fn accept_prompt(&mut self) -> SearchOutcome {
        let Some(prompt) = &mut self.prompt else { return SearchOutcome::Nothing };
        if prompt.text.is_empty() && !self.hits.is_empty() {
            self.prompt = None;
            return SearchOutcome::List;
        }
        let typed = SearchQuery { pattern: prompt.text.clone(), syntax: prompt.syntax };
        let query = if typed.pattern.is_empty() { self.last_query.clone() } else { Some(typed) };
        let Some(query) = query else {
            self.prompt = None;
            return SearchOutcome::Nothing;
        };
        match query.compile_pattern() {
            Err(why) => {
                prompt.complaint = Some(why);
                SearchOutcome::Nothing
            }
            Ok(regex) => {
                let last = Some(query.clone());
                *self = Self { regex: Some(regex), last_query: last, ..Self::default() };
                SearchOutcome::Ask(query)
            }
        }
    }

    fn step_to_hit(&mut self, count: usize, direction: SearchDirection) -> SearchOutcome {
        let (Some(current), len) = (self.current, self.hits.len()) else {
            return match (&self.regex, &self.last_query) {
                (None, Some(query)) => self.repeat_query(query.clone()),
                (None, None) => SearchOutcome::Say("no search yet: press / and type".into()),
                (Some(_), _) if self.is_done => SearchOutcome::Say(self.no_hits_text()),
                (Some(_), _) => SearchOutcome::Nothing,
            };
        };
        let count = count % len.max(1);
        let (next, wrapped) = match direction {
            SearchDirection::Forward => ((current + count) % len, current + count >= len),
            SearchDirection::Back => ((current + len - count) % len, count > current),
        };
        self.current = Some(next);
        match wrapped {
            true => SearchOutcome::ShowAndSay("search wrapped around"),
            false => SearchOutcome::Show,
        }
    }

    /// Takes up a query again, and returns the request for its hits.
    fn repeat_query(&mut self, query: SearchQuery) -> SearchOutcome {
        self.regex = query.compile_pattern().ok();
        SearchOutcome::Ask(query)
    }

    fn no_hits_text(&self) -> String {
        let pattern = self.last_query.as_ref().map_or("", |query| query.pattern.as_str());
        format!("no match for `{pattern}` in this run")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchDirection {
    Forward,
    Back,
}

impl SearchPrompt {
    fn erase_last_char(&mut self) {
        self.text.pop();
    }

    const fn switch_syntax(&mut self) {
        self.syntax = match self.syntax {
            QuerySyntax::Literal => QuerySyntax::Regex,
            QuerySyntax::Regex => QuerySyntax::Literal,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::request::RequestIds;
    use trajview_run::search::HitPlace;

    fn started_search(numbers: &mut RequestIds) -> (ReplaySearch, RequestId) {
        let mut search = ReplaySearch::default();
        search.update(SearchMessage::Start(QuerySyntax::Literal));
        search.update(SearchMessage::Type("loss".into()));
        assert!(matches!(search.update(SearchMessage::Accept), SearchOutcome::Ask(_)));
        let request = numbers.next_request();
        search.set_request(request);
        (search, request)
    }

    fn request_hit(turn: usize) -> SearchHit {
        SearchHit { turn, place: HitPlace::Request, line: 0, range: 0..4 }
    }

    #[test]
    fn the_first_hit_shown_is_the_next_one_from_here() {
        let (mut search, request) = started_search(&mut RequestIds::default());
        assert_eq!(
            search.take_hits(request, vec![request_hit(1)], SearchProgress::More, 4),
            SearchOutcome::Nothing
        );
        assert_eq!(
            search.take_hits(request, vec![request_hit(5)], SearchProgress::Done, 4),
            SearchOutcome::Show
        );
        assert_eq!(search.position_text().as_deref(), Some("hit 2 of 2"));
    }

    #[test]
    fn hits_of_an_older_search_are_dropped() {
        let mut numbers = RequestIds::default();
        let (mut search, old) = started_search(&mut numbers);
        search.set_request(numbers.next_request());
        search.take_hits(old, vec![request_hit(0)], SearchProgress::Done, 0);
        assert_eq!(search.hits, []);
    }

    #[test]
    fn a_broken_pattern_stays_in_the_prompt_with_its_reason() {
        let mut search = ReplaySearch::default();
        search.update(SearchMessage::Start(QuerySyntax::Regex));
        search.update(SearchMessage::Type("(".into()));
        search.update(SearchMessage::Accept);
        assert_eq!(search.prompt.unwrap().complaint.as_deref(), Some("unclosed group"));
    }
}
