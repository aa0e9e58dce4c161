//! Keys are data: one row a binding. Dispatch, the footer, the `?` overlay and `trajview keys` all read this list.
//!
//! To bind a key add a row to the table of its view, below `tables`. A row with a `hint` shows in the footer of its place; neighbours with the same hint
//! share it (`←→ turn`).

mod tables;

use crate::{
    session::views::View,
    views::{compare, curves::Part, replay::chooser},
    widgets::{key::Key, layout::Panel},
};

use super::{Message, replay};

/// Where a binding holds. In a panel its own rows and those of [`Context::Replay`] hold together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// In every view.
    Anywhere,
    /// In every view of a run.
    InRun,
    Replay,
    Turns,
    Files,
    Diff,
    Steps,
    Prompt,
    Overlay,
    /// Typing what to look for in such a box.
    OverlayFind,
    Palette,
    /// After `y`.
    Copy,
    /// After `M`.
    Mark,
    /// After `'`.
    GoToMark,
    /// The list of hits.
    Hits,
    /// The list of requests.
    Requests,
    Kinds,
    Stops,
    /// In every list to choose from but one that takes text.
    List,
    /// In both parts of the curves.
    Curves,
    Chart,
    /// The list of what moved a point.
    Moved,
    /// In every part of the scores.
    Scores,
    /// The rubric tree.
    Rubric,
    /// In every part of the audit.
    Audit,
    /// The pane in which a judge is asked.
    Judging,
    /// What is to be asked.
    JudgeForm,
    /// While it is asked, and after.
    JudgeWatch,
    /// Typing the path of a prompt for it.
    JudgePath,
    /// The list of what was begun.
    Jobs,
    /// A form, before something is begun.
    Form,
    /// Typing into one of its fields.
    FormText,
    /// In the audit, while a reason is asked for too.
    AuditReading,
    /// While it asks why a label and a verdict differ.
    AuditReason,
    /// While a note or a name is typed in it.
    AuditWords,
    /// In every part of the comparison.
    Compare,
    /// At its numbers, components and code.
    Pair,
    /// At its curves.
    Overlaid,
    /// Among the files both runs ended with.
    Ended,
    /// The table of runs.
    Table,
    /// Typing what narrows the table down.
    Filter,
    /// The live run, while the keyboard is not the agent's.
    Live,
    /// Typing a request, or what to look for in the agent's terminal.
    LivePrompt,
    /// The agent has the keyboard.
    Agent,
    /// While typing what to look for in it.
    RubricFind,
    /// In every part of the component scores.
    Judged,
    /// The table of flags.
    Flags,
    /// The table of components.
    Components,
    /// The verdict on one of them.
    Verdict,
    Lifeline,
    /// In every part of the view of all judgements.
    Judges,
    /// Components down, judgements across.
    Matrix,
    /// Where two of them differ.
    Differing,
    /// What both say of one component.
    BothVerdicts,
}

/// A number typed before a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count(pub Option<usize>);

pub struct Binding {
    pub context: Context,
    /// All mean the same; the first is the one in the footer.
    pub keys: &'static [Key],
    pub help: &'static str,
    /// One word for the footer; empty keeps the row out of it.
    pub hint: &'static str,
    pub message: fn(Count) -> Message,
}

impl Context {
    pub const ALL: [Self; 54] = [
        Self::Replay,
        Self::Anywhere,
        Self::InRun,
        Self::Turns,
        Self::Files,
        Self::Diff,
        Self::Steps,
        Self::Curves,
        Self::Chart,
        Self::Moved,
        Self::Scores,
        Self::Rubric,
        Self::Audit,
        Self::Judging,
        Self::JudgeForm,
        Self::JudgeWatch,
        Self::JudgePath,
        Self::Jobs,
        Self::Form,
        Self::FormText,
        Self::AuditReading,
        Self::AuditReason,
        Self::AuditWords,
        Self::Compare,
        Self::Pair,
        Self::Overlaid,
        Self::Ended,
        Self::Table,
        Self::Filter,
        Self::Live,
        Self::LivePrompt,
        Self::Agent,
        Self::RubricFind,
        Self::Flags,
        Self::Judged,
        Self::Components,
        Self::Verdict,
        Self::Lifeline,
        Self::Judges,
        Self::Matrix,
        Self::Differing,
        Self::BothVerdicts,
        Self::Prompt,
        Self::Overlay,
        Self::OverlayFind,
        Self::Palette,
        Self::Copy,
        Self::Mark,
        Self::GoToMark,
        Self::Hits,
        Self::Requests,
        Self::Kinds,
        Self::Stops,
        Self::List,
    ];

    pub const fn title(self) -> &'static str {
        match self {
            Self::Anywhere => "everywhere",
            Self::InRun => "in every view of a run",
            Self::Replay => "in the replay",
            Self::Turns => "in the list of turns",
            Self::Files => "in the list of files",
            Self::Diff => "in the diff",
            Self::Steps => "in the steps",
            Self::Curves => "in the curves",
            Self::Chart => "at the chart of the curves",
            Self::Moved => "in the list of what moved",
            Self::Scores => "in the scores",
            Self::Rubric => "in the rubric tree",
            Self::Audit => "in the audit",
            Self::Judging => "in the pane that asks a judge",
            Self::JudgeForm => "in the form that asks a judge",
            Self::JudgeWatch => "while a judge is asked, and after",
            Self::JudgePath => "while typing into the form that asks a judge",
            Self::Jobs => "in the list of jobs",
            Self::Form => "in a form, before something is begun",
            Self::FormText => "while typing into a form",
            Self::AuditReading => "in the audit, and while it asks for a reason",
            Self::AuditReason => "while the audit asks for a reason",
            Self::AuditWords => "while typing a note or a name in the audit",
            Self::Compare => "in the comparison",
            Self::Pair => "at the numbers, components and code of the comparison",
            Self::Overlaid => "at the curves of the comparison",
            Self::Ended => "among the files of the compared runs",
            Self::Table => "in the table of runs",
            Self::Filter => "while typing a filter",
            Self::Live => "in the live run",
            Self::LivePrompt => "while typing in the live run",
            Self::Agent => "while the agent has the keyboard",
            Self::RubricFind => "while typing what to look for in the rubric tree",
            Self::Flags => "in the flags",
            Self::Judged => "in the scores of components",
            Self::Components => "in the table of components",
            Self::Verdict => "in the verdict on a component",
            Self::Lifeline => "in the lifeline of a component",
            Self::Judges => "among all judgements",
            Self::Matrix => "in the table of all judgements",
            Self::Differing => "in the list of where two judgements differ",
            Self::BothVerdicts => "in the words of two judgements",
            Self::Prompt => "while typing a search",
            Self::Overlay => "in a box like this one",
            Self::OverlayFind => "while typing a search in such a box",
            Self::Palette => "in the list of commands",
            Self::Copy => "after y, to copy",
            Self::Mark => "after M, before a letter",
            Self::GoToMark => "after ', before a letter",
            Self::Hits => "in the list of hits",
            Self::Requests => "in the list of requests",
            Self::Kinds => "among the kinds of steps",
            Self::Stops => "among the reasons to stop",
            Self::List => "in a list to choose from",
        }
    }

    pub const fn of_panel(panel: Panel) -> Self {
        match panel {
            Panel::Turns => Self::Turns,
            Panel::Files => Self::Files,
            Panel::Diff => Self::Diff,
            Panel::Steps => Self::Steps,
        }
    }

    /// Where the keyboard is while nothing lies over the views.
    pub fn of_place(replay: &replay::Replay) -> Self {
        match (replay.view, replay.curves.part) {
            (View::Replay | View::Collection | View::Compare | View::Live, _) => {
                Self::of_panel(replay.focus)
            }
            (View::Curves, Part::Chart) => Self::Chart,
            (View::Curves, Part::Moved) => Self::Moved,
            (View::Scores, _) => replay.scores.context(&replay.session),
            (View::Audit, _) => replay.audit.context(),
        }
    }

    /// Of a part of the comparison.
    pub const fn of_part(part: compare::Part) -> Self {
        match part {
            compare::Part::Numbers | compare::Part::Components | compare::Part::Code => Self::Pair,
            compare::Part::Curves => Self::Overlaid,
            compare::Part::Files => Self::Ended,
        }
    }

    /// The view that its rows are of; None where they are of any.
    pub const fn view(self) -> Option<View> {
        match self {
            Self::Replay | Self::Turns | Self::Files | Self::Diff | Self::Steps => {
                Some(View::Replay)
            }
            Self::Curves | Self::Chart | Self::Moved => Some(View::Curves),
            Self::Compare | Self::Pair | Self::Overlaid | Self::Ended => Some(View::Compare),
            Self::Scores
            | Self::Rubric
            | Self::RubricFind
            | Self::Judged
            | Self::Components
            | Self::Verdict
            | Self::Lifeline
            | Self::Judges
            | Self::Matrix
            | Self::Differing
            | Self::BothVerdicts => Some(View::Scores),
            Self::Audit | Self::AuditReading | Self::AuditReason | Self::AuditWords => {
                Some(View::Audit)
            }
            Self::Table | Self::Filter => Some(View::Collection),
            Self::Live | Self::LivePrompt | Self::Agent => Some(View::Live),
            _ => None,
        }
    }

    /// The contexts whose rows hold here, the closest first.
    pub const fn layers(self) -> &'static [Self] {
        match self {
            Self::Anywhere => &[Self::Anywhere],
            Self::Judging => &[Self::Judging, Self::Anywhere],
            Self::JudgeForm => &[Self::JudgeForm, Self::Judging, Self::Anywhere],
            Self::JudgeWatch => &[Self::JudgeWatch, Self::Judging, Self::Anywhere],
            Self::JudgePath => &[Self::JudgePath],
            Self::Jobs => &[Self::Jobs],
            Self::Form => &[Self::Form],
            Self::FormText => &[Self::FormText],
            Self::Audit => &[Self::AuditReading, Self::Audit, Self::InRun, Self::Anywhere],
            Self::AuditReading => &[Self::AuditReading],
            Self::AuditReason => &[Self::AuditReason, Self::AuditReading, Self::Anywhere],
            Self::AuditWords => &[Self::AuditWords],
            Self::Compare => &[Self::Compare, Self::Anywhere],
            Self::Pair => &[Self::Pair, Self::Compare, Self::Anywhere],
            Self::Overlaid => &[Self::Overlaid, Self::Compare, Self::Anywhere],
            Self::Ended => &[Self::Ended, Self::Compare, Self::Anywhere],
            Self::InRun => &[Self::InRun, Self::Anywhere],
            Self::Replay => &[Self::Replay, Self::InRun, Self::Anywhere],
            Self::Curves => &[Self::Curves, Self::InRun, Self::Anywhere],
            Self::Chart => &[Self::Chart, Self::Curves, Self::InRun, Self::Anywhere],
            Self::Moved => &[Self::Moved, Self::Curves, Self::InRun, Self::Anywhere],
            Self::Turns => &[Self::Turns, Self::Replay, Self::InRun, Self::Anywhere],
            Self::Files => &[Self::Files, Self::Replay, Self::InRun, Self::Anywhere],
            Self::Diff => &[Self::Diff, Self::Replay, Self::InRun, Self::Anywhere],
            Self::Steps => &[Self::Steps, Self::Replay, Self::InRun, Self::Anywhere],
            Self::Table => &[Self::Table, Self::Anywhere],
            Self::Filter => &[Self::Filter],
            Self::Live => &[Self::Live, Self::Anywhere],
            Self::LivePrompt => &[Self::LivePrompt],
            Self::Agent => &[Self::Agent],
            Self::Scores => &[Self::Scores, Self::InRun, Self::Anywhere],
            Self::Rubric => &[Self::Rubric, Self::Scores, Self::InRun, Self::Anywhere],
            Self::RubricFind => &[Self::RubricFind],
            Self::Flags => &[Self::Flags, Self::Scores, Self::InRun, Self::Anywhere],
            Self::Judged => &[Self::Judged, Self::Scores, Self::InRun, Self::Anywhere],
            Self::Components => {
                &[Self::Components, Self::Judged, Self::Scores, Self::InRun, Self::Anywhere]
            }
            Self::Verdict => {
                &[Self::Verdict, Self::Judged, Self::Scores, Self::InRun, Self::Anywhere]
            }
            Self::Lifeline => {
                &[Self::Lifeline, Self::Judged, Self::Scores, Self::InRun, Self::Anywhere]
            }
            Self::Judges => &[Self::Judges, Self::Scores, Self::InRun, Self::Anywhere],
            Self::Matrix => {
                &[Self::Matrix, Self::Judges, Self::Scores, Self::InRun, Self::Anywhere]
            }
            Self::Differing => {
                &[Self::Differing, Self::Judges, Self::Scores, Self::InRun, Self::Anywhere]
            }
            Self::BothVerdicts => {
                &[Self::BothVerdicts, Self::Judges, Self::Scores, Self::InRun, Self::Anywhere]
            }
            Self::Prompt => &[Self::Prompt],
            Self::Overlay => &[Self::Overlay],
            Self::OverlayFind => &[Self::OverlayFind],
            Self::Palette => &[Self::Palette],
            Self::Copy => &[Self::Copy],
            Self::Mark => &[Self::Mark],
            Self::GoToMark => &[Self::GoToMark],
            Self::Hits => &[Self::Hits, Self::List],
            Self::Requests => &[Self::Requests],
            Self::Kinds => &[Self::Kinds, Self::List],
            Self::Stops => &[Self::Stops, Self::List],
            Self::List => &[Self::List],
        }
    }

    pub const fn of_chooser(kind: chooser::Kind) -> Self {
        match kind {
            chooser::Kind::Hits => Self::Hits,
            chooser::Kind::Requests => Self::Requests,
            chooser::Kind::Kinds => Self::Kinds,
            chooser::Kind::Stops => Self::Stops,
        }
    }

    /// Whether a key that means nothing here types itself.
    pub const fn takes_text(self) -> bool {
        self.types_words() || matches!(self, Self::Agent)
    }

    /// Whether what is typed or pasted are words of a prompt.
    pub const fn types_words(self) -> bool {
        matches!(
            self,
            Self::Prompt
                | Self::Requests
                | Self::Filter
                | Self::RubricFind
                | Self::AuditWords
                | Self::JudgePath
                | Self::FormText
                | Self::LivePrompt
                | Self::OverlayFind
                | Self::Palette
        )
    }

    /// Whether the digits of the rubric's levels are keys here and no counts.
    pub const fn has_digits(self) -> bool {
        matches!(self, Self::Audit | Self::AuditReason)
    }
}

impl Count {
    /// How often: once unless a number was typed.
    pub fn times(self) -> usize {
        self.0.unwrap_or(1).max(1)
    }
}

impl Binding {
    /// `h ←`, for help.
    pub fn keys_shown(&self) -> String {
        self.keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
    }
}

/// What a key means in a place; None where it means nothing.
pub fn find(context: Context, key: Key) -> Option<&'static Binding> {
    let layers = context.layers().iter();
    layers
        .flat_map(|layer| bindings().filter(move |binding| binding.context == *layer))
        .find(|binding| binding.keys.contains(&key))
}

/// What the footer of a place says, most useful first: keys and a word.
pub fn hints(context: Context) -> Vec<(String, &'static str)> {
    hints_with(context, |row| row.keys[0])
}

/// As [`hints`], with the keys that `key` gives for a row.
pub fn hints_with(
    context: Context,
    key: impl Fn(&'static Binding) -> Key,
) -> Vec<(String, &'static str)> {
    let mut hints: Vec<(String, &'static str)> = vec![];
    let layers = context.layers().iter();
    let rows = layers.flat_map(|layer| bindings().filter(move |row| row.context == *layer));
    for row in rows.filter(|row| !row.hint.is_empty()) {
        let key = key(row).to_string();
        match hints.last_mut() {
            Some((keys, hint)) if *hint == row.hint => keys.push_str(&key),
            _ => hints.push((key, row.hint)),
        }
    }
    hints
}

/// Every binding, one after the other.
pub fn bindings() -> impl Iterator<Item = &'static Binding> + Clone {
    tables::TABLES.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn no_key_means_two_things_in_one_place() {
        for context in Context::ALL {
            let mut seen: HashMap<Key, &str> = HashMap::new();
            let here = bindings().filter(|row| context.layers().contains(&row.context));
            for row in here {
                for key in row.keys {
                    let other = seen.insert(*key, row.help);
                    assert_eq!(other, None, "{key} in {context:?} also means: {}", row.help);
                }
            }
        }
    }

    #[test]
    fn every_row_has_a_key_and_help() {
        for row in bindings() {
            assert!(!row.keys.is_empty() && !row.help.is_empty(), "{}", row.keys_shown());
            assert!(!row.help.ends_with('.'), "{}", row.help);
        }
    }

    #[test]
    fn digits_are_counts_and_keys_only_where_a_level_is_given() {
        let is_digit = |key: &&Key| key.typed().is_some_and(|c| c.is_ascii_digit());
        for context in Context::ALL {
            let here = context.layers().iter();
            let rows = here.flat_map(|layer| bindings().filter(|row| row.context == *layer));
            let digits: String =
                rows.flat_map(|row| row.keys).filter(is_digit).map(Key::to_string).collect();
            let expected =
                if context.has_digits() || context == Context::AuditReading { "01234" } else { "" };
            assert_eq!(digits, expected, "{context:?}");
        }
    }

    #[test]
    fn neighbours_with_the_same_hint_share_it() {
        assert!(hints(Context::Turns).contains(&("←→".into(), "turn")));
    }
}
