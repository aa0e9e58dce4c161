//! A list over the panels to choose from: the hits of a search, the requests, the kinds of steps, what playback stops
//! at. What choosing leads to is in `replay::chooser_actions`.

use ratatui::layout::Rect;
use std::{collections::HashMap, ops::Range};

use crate::{
    session::{context::KeyContext, turn_counts::TurnEditCounts},
    widgets::{
        layout::{ScreenLayout, inside_border},
        pane::{ListPane, PaneRoom},
        scroll::Motion,
    },
};
use trajview_run::{
    Run, StepId, StepText,
    agent_timeline::{AgentLane, LaneScope},
    search::SearchHit,
};

use super::{file_history, search::hit_field, steps::step_field_text};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChooserKind {
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

impl ChooserKind {
    /// Returns the context of the key bindings while the list is open.
    pub(crate) const fn keyboard_context(self) -> KeyContext {
        match self {
            Self::Hits => KeyContext::Hits,
            Self::Requests => KeyContext::Requests,
            Self::Failures => KeyContext::List,
            Self::History => KeyContext::Past,
            Self::Agents => KeyContext::Agents,
            Self::Kinds => KeyContext::Kinds,
            Self::Stops => KeyContext::Stops,
        }
    }
}

#[derive(Debug, Clone)]
pub struct ReplayChooser {
    pub kind: ChooserKind,
    pub list: ListPane,
    /// The typed words that narrow the requests down.
    pub filter: String,
    /// The turns whose request contains every typed word, in any order, including its badges and their meaning; case
    /// does not matter. None until [`Self::list_requests`] has run.
    matching_turns: Option<Vec<usize>>,
    /// The steps that failed, in playing order, with their numbers.
    pub failed: Vec<(StepId, usize)>,
    /// The agents beside each other, and what of the run they are of.
    pub lanes: (LaneScope, Vec<AgentLane>),
    /// The lines of hits that have been seen, by their number.
    excerpts: HashMap<usize, HitExcerpt>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ChooserMessage {
    Open(ChooserKind),
    Close,
    Move(Motion),
    /// The wheel was turned over the list.
    Turn(Motion),
    Type(String),
    Erase,
    EraseAll,
    /// Accepts the selected row.
    Accept,
    /// A message to the list of every change to one file or function.
    History(file_history::HistoryMessage),
    /// Switches between the agents of the turn and of the whole run.
    SwitchScope,
}

/// The part of a line around a hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HitExcerpt {
    pub words: String,
    /// Bytes of `words` that match.
    pub hit: Range<usize>,
}

/// Rows that the whole of the selected request takes below the list.
pub(crate) const PREVIEW_ROWS: u16 = 5;

/// A list is no lower than this, so that it does not jump while few of its rows come and go.
const MIN_LIST_ROWS: usize = 3;

/// The areas of the box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChooserAreas {
    /// All of it, borders included.
    pub frame: Rect,
    /// The rows to choose from.
    pub list: Rect,
    /// The area below or beside the list.
    pub below: Rect,
}

impl ChooserAreas {
    /// Returns the room of the list; the position is drawn on the border below it.
    pub(super) fn list_room(self) -> PaneRoom {
        PaneRoom::framed(Some(self.frame)).with_rows(self.list)
    }

    /// Computes the areas for a list of `rows` rows.
    pub fn new(kind: ChooserKind, rows: usize, layout: &ScreenLayout) -> Self {
        if kind == ChooserKind::History {
            return areas_side_by_side(rows, layout);
        }
        if kind == ChooserKind::Agents {
            return areas_below_axis(rows, layout);
        }
        let wanted = kind.rows_below();
        let frame = layout.box_area(rows.max(MIN_LIST_ROWS) + usize::from(wanted));
        let inner = inside_border(frame);
        let list = Rect { height: inner.height.saturating_sub(wanted), ..inner };
        let below = Rect { y: list.bottom(), height: inner.height - list.height, ..inner };
        Self { frame, list, below }
    }
}

/// From this width on the lines are beside the list.
const SIDE_BY_SIDE_FROM: u16 = 110;

/// Computes the areas of the list and of the lines of the selected change.
fn areas_side_by_side(rows: usize, layout: &ScreenLayout) -> ChooserAreas {
    let frame = layout.whole;
    let inner = inside_border(frame);
    if frame.width >= SIDE_BY_SIDE_FROM {
        let list = Rect { width: inner.width * 9 / 20, ..inner };
        let below = Rect { x: list.right() + 1, width: inner.width - list.width - 1, ..inner };
        return ChooserAreas { frame, list, below };
    }
    let rows = u16::try_from(rows.max(3)).unwrap_or(u16::MAX);
    let list = Rect { height: rows.min(inner.height * 2 / 5).min(inner.height), ..inner };
    let below = Rect { y: list.bottom(), height: inner.height - list.height, ..inner };
    ChooserAreas { frame, list, below }
}

/// Computes the areas of lanes over the whole width: an axis above them, two rows about the selected lane below.
fn areas_below_axis(rows: usize, layout: &ScreenLayout) -> ChooserAreas {
    let height = u16::try_from(rows.saturating_add(5)).unwrap_or(u16::MAX).min(layout.whole.height);
    let y = layout.whole.y + (layout.whole.height - height) / 2;
    let frame = Rect { y, height, ..layout.whole };
    let inner = inside_border(frame);
    let list =
        Rect { y: inner.y + 1.min(inner.height), height: inner.height.saturating_sub(3), ..inner };
    let below = Rect { y: list.bottom(), height: inner.bottom() - list.bottom(), ..inner };
    ChooserAreas { frame, list, below }
}

impl ChooserKind {
    /// Returns rows below the list.
    const fn rows_below(self) -> u16 {
        match self {
            Self::Requests => PREVIEW_ROWS + 1,
            Self::Stops => 3,
            Self::Agents => 2,
            Self::Hits | Self::Failures | Self::History | Self::Kinds => 0,
        }
    }
}

impl ReplayChooser {
    pub fn new(kind: ChooserKind, cursor: usize) -> Self {
        let mut list = ListPane::default();
        list.choose(cursor);
        let filter = String::new();
        let (failed, lanes) = (vec![], (LaneScope::default(), vec![]));
        Self { kind, list, filter, matching_turns: None, failed, lanes, excerpts: HashMap::new() }
    }

    /// Scrolls the window; where all rows are visible it moves the cursor.
    pub(crate) fn scroll_window(&mut self, motion: Motion) {
        match self.list.hides_rows() {
            true => self.list.scroll_by(motion),
            false => self.list.move_cursor(motion.by_one_row()),
        }
    }

    /// Changes the filter; its matches are listed from the top.
    pub(crate) fn edit_filter(&mut self, change: impl FnOnce(&mut String)) {
        change(&mut self.filter);
        self.list.restart();
        self.matching_turns = None;
    }

    /// Forgets the matches, since the run changed.
    pub(crate) fn forget_matches(&mut self) {
        self.matching_turns = None;
    }

    /// Returns the turns to choose from, in order.
    pub(crate) fn matching_requests(&self) -> &[usize] {
        self.matching_turns.as_deref().unwrap_or_default()
    }

    /// Looks for the requests that fit, once: a run has thousands, and a frame shows few.
    pub(crate) fn list_requests(&mut self, run: &Run, digests: &[TurnEditCounts]) {
        if self.kind == ChooserKind::Requests && self.matching_turns.is_none() {
            self.matching_turns = Some(self.requests_matching_filter(run, digests));
        }
    }

    fn requests_matching_filter(&self, run: &Run, digests: &[TurnEditCounts]) -> Vec<usize> {
        let filter = self.filter.to_lowercase();
        let words: Vec<_> = filter.split_whitespace().collect();
        let turns = run.turns.iter().enumerate();
        let found = turns.filter(|(index, turn)| {
            let checkpoint = turn.checkpoint.and_then(|index| run.checkpoints.get(index));
            let label = checkpoint.and_then(|it| it.label.as_deref()).unwrap_or_default();
            let badges = digests.get(*index).map(badge_text).unwrap_or_default();
            let all = format!("{} {} {label} {badges}", index + 1, turn.title).to_lowercase();
            words.iter().all(|word| all.contains(word))
        });
        found.map(|(index, _)| index).collect()
    }

    pub(crate) fn hit_excerpt(&self, hit: usize) -> Option<&HitExcerpt> {
        self.excerpts.get(&hit)
    }

    /// Stores the part of a line around a hit under its number in the list, if there is none yet; an empty one where the text
    /// lacks the hit.
    pub(crate) fn store_excerpt(&mut self, number: usize, hit: &SearchHit, text: &StepText) {
        self.excerpts.entry(number).or_insert_with(|| {
            let found =
                step_field_text(text, hit_field(hit)).and_then(|words| excerpt_around(words, hit));
            found.unwrap_or_else(|| HitExcerpt { words: String::new(), hit: 0..0 })
        });
    }
}

/// Returns the badges of a turn and their meaning, which the filter searches too.
fn badge_text(digest: &TurnEditCounts) -> String {
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
const EXCERPT_BYTES_BEFORE: usize = 24;
const EXCERPT_BYTES_AFTER: usize = 400;

fn excerpt_around(words: &str, hit: &SearchHit) -> Option<HitExcerpt> {
    let line = words.lines().nth(hit.line)?;
    let found = line.get(hit.range.clone())?;
    let indent = line.len() - line.trim_start().len();
    let from =
        hit.range.start.saturating_sub(EXCERPT_BYTES_BEFORE).max(indent.min(hit.range.start));
    let from = (0..=from).rev().find(|at| line.is_char_boundary(*at))?;
    let before = line.get(from..hit.range.start)?;
    let from = from + before.len() - before.trim_start().len();
    let to = line.len().min(hit.range.end.saturating_add(EXCERPT_BYTES_AFTER));
    let to = (to..=line.len()).find(|at| line.is_char_boundary(*at))?;
    let sign = if from > indent { "…" } else { "" };
    let start = sign.len() + hit.range.start - from;
    let words = format!("{sign}{}", &line[from..to]);
    Some(HitExcerpt { words, hit: start..start + found.len() })
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
        let mut chooser = ReplayChooser::new(ChooserKind::Requests, 0);

        chooser.edit_filter(|filter| filter.push_str("Noise the"));

        assert_eq!(chooser.requests_matching_filter(&run, &[]), [0, 2]);

        let failed = TurnEditCounts { errors: 2, ..TurnEditCounts::default() };
        let digests = [TurnEditCounts::default(), failed, TurnEditCounts::default()];
        chooser.edit_filter(|filter| "failure".clone_into(filter));
        assert_eq!(chooser.requests_matching_filter(&run, &digests), [1]);
    }

    #[test]
    fn the_line_of_a_hit_is_cut_so_that_the_hit_is_seen() {
        let at = |range| SearchHit { turn: 0, place: HitPlace::Request, line: 1, range };
        let words = format!("one\n    {} loss falls", "漢".repeat(40));

        let found = excerpt_around(&words, &at(125..129)).unwrap();

        assert!(found.words.starts_with('…'), "{found:?}");
        assert_eq!(&found.words[found.hit], "loss");
        assert_eq!(excerpt_around("one\n  two", &at(2..5)).map(|it| it.words), Some("two".into()));
        assert_eq!(excerpt_around("one", &at(0..3)), None);
    }
}
