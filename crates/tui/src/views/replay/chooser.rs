//! A list over the panels to choose from: the hits of a search, the requests, the kinds of steps, what playback stops
//! at. What choosing leads to is in `replay::choosing`.

use ratatui::layout::Rect;
use std::{collections::HashMap, ops::Range};

use crate::{
    session::{context::Context, digest::Digest},
    widgets::{
        layout::{Layout, inside},
        scroll::{Motion, Scroll},
    },
};
use trajview_run::{
    Run, StepId, StepText,
    lanes::{Lane, Scope},
    search::Hit,
};

use super::{
    past,
    steps::{Item, part_of},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Hits,
    Requests,
    /// Everything that failed.
    Failures,
    /// Every change to one thing.
    History,
    /// The agents of the turn or of the run, beside each other in time.
    Agents,
    Kinds,
    Stops,
}

impl Kind {
    /// Where the keyboard is while the list is open.
    pub const fn context(self) -> Context {
        match self {
            Self::Hits => Context::Hits,
            Self::Requests => Context::Requests,
            Self::Failures => Context::List,
            Self::History => Context::Past,
            Self::Agents => Context::Agents,
            Self::Kinds => Context::Kinds,
            Self::Stops => Context::Stops,
        }
    }
}

#[derive(Debug, Clone)]
pub struct Chooser {
    pub kind: Kind,
    pub scroll: Scroll,
    /// What was typed to narrow the requests down.
    pub filter: String,
    /// The turns whose request holds every word typed, in any order, its badges and what they mean included; case does not matter. None until
    /// [`Self::list_requests`] has looked.
    found: Option<Vec<usize>>,
    /// The steps that failed, in playing order, with their numbers.
    pub failed: Vec<(StepId, usize)>,
    /// The agents beside each other, and what of the run they are of.
    pub lanes: (Scope, Vec<Lane>),
    /// The lines of hits that have been seen, by their number.
    excerpts: HashMap<usize, Excerpt>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Open(Kind),
    Close,
    Move(Motion),
    /// The wheel was turned over the list.
    Turn(Motion),
    /// A row of those on screen was pointed at, counted from the first one seen.
    PointAt(usize),
    Type(String),
    Erase,
    EraseAll,
    /// The selected row is wanted.
    Accept,
    /// In the list of every change to one thing.
    Past(past::Message),
    /// Among the agents: those of the turn, or of the whole run.
    SwitchScope,
}

/// The part of a line around a hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    pub words: String,
    /// Bytes of `words` that match.
    pub hit: Range<usize>,
}

/// Rows that the whole of the selected request takes below the list.
pub const PREVIEW: u16 = 5;

/// A list is no lower than this, so that it does not jump while few of its rows come and go.
const FEWEST: usize = 3;

/// Where the parts of the box stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Areas {
    /// All of it, borders included.
    pub frame: Rect,
    /// The rows to choose from.
    pub list: Rect,
    /// What is not chosen from.
    pub below: Rect,
}

impl Areas {
    /// Of a list of so many rows.
    pub fn of(kind: Kind, rows: usize, layout: &Layout) -> Self {
        if kind == Kind::History {
            return areas_beside(rows, layout);
        }
        if kind == Kind::Agents {
            return areas_below_axis(rows, layout);
        }
        let wanted = kind.rows_below();
        let frame = layout.box_of(rows.max(FEWEST) + usize::from(wanted));
        let inner = inside(frame);
        let list = Rect { height: inner.height.saturating_sub(wanted), ..inner };
        let below = Rect { y: list.bottom(), height: inner.height - list.height, ..inner };
        Self { frame, list, below }
    }
}

/// Columns from which on the lines stand beside the list.
const WIDE: u16 = 110;

/// Where the list and the lines of the selected change stand.
fn areas_beside(rows: usize, layout: &Layout) -> Areas {
    let frame = layout.whole;
    let inner = inside(frame);
    if frame.width >= WIDE {
        let list = Rect { width: inner.width * 9 / 20, ..inner };
        let below = Rect { x: list.right() + 1, width: inner.width - list.width - 1, ..inner };
        return Areas { frame, list, below };
    }
    let rows = u16::try_from(rows.max(3)).unwrap_or(u16::MAX);
    let list = Rect { height: rows.min(inner.height * 2 / 5).min(inner.height), ..inner };
    let below = Rect { y: list.bottom(), height: inner.height - list.height, ..inner };
    Areas { frame, list, below }
}

/// Where lanes stand over the whole width: an axis above them, two rows about the selected one below.
fn areas_below_axis(rows: usize, layout: &Layout) -> Areas {
    let height = u16::try_from(rows.saturating_add(5)).unwrap_or(u16::MAX).min(layout.whole.height);
    let y = layout.whole.y + (layout.whole.height - height) / 2;
    let frame = Rect { y, height, ..layout.whole };
    let inner = inside(frame);
    let list =
        Rect { y: inner.y + 1.min(inner.height), height: inner.height.saturating_sub(3), ..inner };
    let below = Rect { y: list.bottom(), height: inner.bottom() - list.bottom(), ..inner };
    Areas { frame, list, below }
}

impl Kind {
    /// Rows below the list.
    const fn rows_below(self) -> u16 {
        match self {
            Self::Requests => PREVIEW + 1,
            Self::Stops => 3,
            Self::Agents => 2,
            Self::Hits | Self::Failures | Self::History | Self::Kinds => 0,
        }
    }
}

impl Chooser {
    pub fn of(kind: Kind, cursor: usize) -> Self {
        let scroll = Scroll { cursor, top: 0 };
        let filter = String::new();
        let (failed, lanes) = (vec![], (Scope::default(), vec![]));
        Self { kind, scroll, filter, found: None, failed, lanes, excerpts: HashMap::new() }
    }

    pub fn go(&mut self, motion: Motion, len: usize, height: usize) {
        self.scroll.cursor = motion.from(self.scroll.cursor, len, height);
    }

    /// Moves the window; where everything is seen there is only the cursor to move.
    pub fn turn(&mut self, motion: Motion, len: usize, height: usize) {
        match len > height {
            true => self.scroll.turn(motion, len, height),
            false => self.go(motion.of_one(), len, height),
        }
    }

    /// Selects the row that is so many below the first one seen, where there is one.
    pub fn point_at(&mut self, row: usize, len: usize) {
        let index = self.scroll.top + row;
        if index < len {
            self.scroll.cursor = index;
        }
    }

    /// Changes the filter; what it finds is listed from the top.
    pub fn edit(&mut self, change: impl FnOnce(&mut String)) {
        change(&mut self.filter);
        self.scroll = Scroll::default();
        self.found = None;
    }

    /// The run is another one than before.
    pub fn look_again(&mut self) {
        self.found = None;
    }

    /// The turns to choose from, in order.
    pub fn requests(&self) -> &[usize] {
        self.found.as_deref().unwrap_or_default()
    }

    /// Looks for the requests that fit, once: a run has thousands, and a frame shows few.
    pub fn list_requests(&mut self, run: &Run, digests: &[Digest]) {
        if self.kind == Kind::Requests && self.found.is_none() {
            self.found = Some(self.requests_of(run, digests));
        }
    }

    fn requests_of(&self, run: &Run, digests: &[Digest]) -> Vec<usize> {
        let filter = self.filter.to_lowercase();
        let words: Vec<_> = filter.split_whitespace().collect();
        let turns = run.turns.iter().enumerate();
        let found = turns.filter(|(index, turn)| {
            let checkpoint = turn.checkpoint.and_then(|index| run.checkpoints.get(index));
            let label = checkpoint.and_then(|it| it.label.as_deref()).unwrap_or_default();
            let badges = digests.get(*index).map(badges).unwrap_or_default();
            let all = format!("{} {} {label} {badges}", index + 1, turn.title).to_lowercase();
            words.iter().all(|word| all.contains(word))
        });
        found.map(|(index, _)| index).collect()
    }

    pub fn excerpt(&self, hit: usize) -> Option<&Excerpt> {
        self.excerpts.get(&hit)
    }

    /// Cuts the line of a hit out of its text, once.
    pub fn cut(&mut self, number: usize, hit: &Hit, text: &StepText) {
        self.excerpts.entry(number).or_insert_with(|| {
            let found = part_of(text, Item::of(hit).1).and_then(|words| excerpt(words, hit));
            found.unwrap_or_else(|| Excerpt { words: String::new(), hit: 0..0 })
        });
    }
}

/// The badges of a turn and what they mean, to be found by.
fn badges(digest: &Digest) -> String {
    let has = [
        (digest.errors > 0, "✗ failure"),
        (digest.compactions > 0, "⟲ compaction"),
        (digest.subagents > 0, "⑂ sub-agent"),
    ];
    let words: Vec<&str> =
        has.into_iter().filter_map(|(has, words)| has.then_some(words)).collect();
    words.join(" ")
}

/// Bytes kept before and after a hit; more is not seen on any screen.
const BEFORE: usize = 24;
const AFTER: usize = 400;

fn excerpt(words: &str, hit: &Hit) -> Option<Excerpt> {
    let line = words.lines().nth(hit.line)?;
    let found = line.get(hit.range.clone())?;
    let indent = line.len() - line.trim_start().len();
    let from = hit.range.start.saturating_sub(BEFORE).max(indent.min(hit.range.start));
    let from = (0..=from).rev().find(|at| line.is_char_boundary(*at))?;
    let kept = line.get(from..hit.range.start)?;
    let from = from + kept.len() - kept.trim_start().len();
    let to = line.len().min(hit.range.end.saturating_add(AFTER));
    let to = (to..=line.len()).find(|at| line.is_char_boundary(*at))?;
    let sign = if from > indent { "…" } else { "" };
    let start = sign.len() + hit.range.start - from;
    let words = format!("{sign}{}", &line[from..to]);
    Some(Excerpt { words, hit: start..start + found.len() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{Turn, search::HitPlace};

    #[test]
    fn requests_are_found_by_words_in_any_order() {
        let titles = ["add the noise schedule", "fix padding", "weight the noise"];
        let turns = titles.map(|title| Turn { title: title.into(), ..Turn::default() }).to_vec();
        let run = Run { turns, ..Run::default() };
        let mut chooser = Chooser::of(Kind::Requests, 0);

        chooser.edit(|filter| filter.push_str("Noise the"));

        assert_eq!(chooser.requests_of(&run, &[]), [0, 2]);

        let failed = Digest { errors: 2, ..Digest::default() };
        let digests = [Digest::default(), failed, Digest::default()];
        chooser.edit(|filter| "failure".clone_into(filter));
        assert_eq!(chooser.requests_of(&run, &digests), [1]);
    }

    #[test]
    fn the_line_of_a_hit_is_cut_so_that_the_hit_is_seen() {
        let at = |range| Hit { turn: 0, place: HitPlace::Request, line: 1, range };
        let words = format!("one\n    {} loss falls", "漢".repeat(40));

        let found = excerpt(&words, &at(125..129)).unwrap();

        assert!(found.words.starts_with('…'), "{found:?}");
        assert_eq!(&found.words[found.hit], "loss");
        assert_eq!(excerpt("one\n  two", &at(2..5)).map(|it| it.words), Some("two".into()));
        assert_eq!(excerpt("one", &at(0..3)), None);
    }
}
