//! The views: what the whole screen shows of a run, and the table of runs beside it. Those of a run share the playhead.
//!
//! To add a view of a run add it to [`View`] and to the list in `shell::open_run`, and its keys to the keymap.

use trajview_run::values::{Named, worded};

worded! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum View {
        /// Turn by turn: what was asked, done and changed.
        #[default]
        Replay = "replay",
        /// The numbers of the code and of the run over its turns.
        Curves = "curves",
        /// What it is judged by: components or a rubric tree.
        Scores = "scores",
        /// Verdicts checked by a human who labels before looking.
        Audit = "audit",
        /// Two runs side by side, or more.
        Compare = "compare",
        /// The table of runs that this one was opened from.
        Collection = "collection",
        /// A run that is being made.
        Live = "live",
        /// How the run was worked on.
        Process = "process",
        /// What layers of project state told the agent.
        Layers = "layers",
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// The one after, and after the last the first.
    Next,
    /// Counts from 1; a number without a view is no wish.
    Number(usize),
}

impl Named for View {
    const ALL: &'static [Self] = &Self::ALL;

    fn word(self) -> &'static str {
        Self::word(self)
    }
}

impl View {
    /// The number it is known by, whatever other views there are.
    pub const fn number(self) -> usize {
        self as usize + 1
    }
}

impl Message {
    /// The view it leads to from `view`. The error says which numbers there are.
    pub fn from(&self, view: View) -> Result<View, String> {
        let all = View::ALL;
        match *self {
            Self::Next => {
                let at = all.iter().position(|other| *other == view).unwrap_or_default();
                Ok(all[(at + 1) % all.len()])
            }
            Self::Number(number) => {
                let found = all.iter().copied().find(|view| view.number() == number);
                found.ok_or_else(|| format!("no view {number}: {}", numbered()))
            }
        }
    }
}

/// `1 replay, 2 curves, 3 scores, 4 audit, 5 compare, 6 collection, 7 live`
fn numbered() -> String {
    let all = View::ALL.iter().map(|view| format!("{} {}", view.number(), view.word()));
    all.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_gone_through_in_order_or_by_number() {
        assert_eq!(Message::Next.from(View::Replay), Ok(View::Curves));
        assert_eq!(Message::Next.from(View::Scores), Ok(View::Audit));
        assert_eq!(Message::Next.from(View::Compare), Ok(View::Collection));
        assert_eq!(Message::Next.from(View::Collection), Ok(View::Live));
        assert_eq!(Message::Number(2).from(View::Replay), Ok(View::Curves));
        assert_eq!(Message::Number(5).from(View::Replay), Ok(View::Compare));
        assert_eq!(
            Message::Number(10).from(View::Replay),
            Err(
                "no view 10: 1 replay, 2 curves, 3 scores, 4 audit, 5 compare, 6 collection, 7 live, 8 process, 9 layers"
                    .into()
            )
        );
    }
}
