//! The views: what the whole screen shows of a run, and the table of runs beside it. Those of a run share the playhead.
//!
//! To add a view write its folder and one line of [`with_views`], its tab of at most 7 letters in [`View::tab_name`], in the keys
//! that are the same everywhere a row `<word>` with its F key and a row `goto-<word>` with a letter of the tab that is free after
//! `g`, a row of the commands, and, if the view can be empty, an arm of `OpenRun::has_content`. Its other keys are a table of the
//! keymap; a view without keys takes those of every view of a run.

use trajview_run::worded_enum::{NamedValue, worded};

/// Gives a macro the list of views in the order in which they are gone through and numbered: the view and its word;
/// for a view of a run also its module in [`crate::views`], its state and its message.
macro_rules! with_views {
    ($define:ident) => {
        $define! {
            /// The requests, steps and changes turn by turn.
            #[default]
            Replay = "replay" => replay: ReplayView(ReplayMessage);
            /// The numbers of the code and of the run over its turns.
            Curves = "curves" => curves: CurvesView(CurvesMessage);
            /// The scores of the run: components or a rubric tree.
            Scores = "scores" => scores: ScoresView(ScoresMessage);
            /// Verdicts checked by a human who labels before looking.
            Audit = "audit" => audit: AuditView(AuditMessage);
            /// Two runs side by side, or more.
            Compare = "compare";
            /// The table of runs that this one was opened from.
            Collection = "runs";
            /// A run that is being made.
            Live = "live";
            /// The process of the run.
            Process = "process" => process: ProcessView(ProcessMessage);
            /// The text of layers of project state for the agent.
            Layers = "layers" => layers: LayersView(LayersMessage);
        }
    };
}

pub(crate) use with_views;

macro_rules! define_view {
    ($(
        $(#[$note:meta])*
        $view:ident = $word:literal $(=> $module:ident: $state:ident($message:ident))?;
    )*) => {
        worded! {
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
            pub enum View { $($(#[$note])* $view = $word),* }
        }
    };
}

with_views!(define_view);

#[derive(Debug, Clone, PartialEq)]
pub enum ViewMessage {
    /// The next one that has something to show, and after the last the first.
    Next,
    To(View),
    /// The number of a view, counted from 1; a number without a view is an error.
    Number(usize),
}

impl NamedValue for View {
    const ALL: &'static [Self] = &Self::ALL;

    fn word(self) -> &'static str {
        Self::word(self)
    }
}

impl View {
    /// Returns the name on the tab.
    pub const fn tab_name(self) -> &'static str {
        match self {
            Self::Replay => "Replay",
            Self::Curves => "Curves",
            Self::Scores => "Scores",
            Self::Audit => "Audit",
            Self::Compare => "Compare",
            Self::Collection => "Runs",
            Self::Live => "Live",
            Self::Process => "Process",
            Self::Layers => "Layers",
        }
    }

    /// Returns whether the view shows the open run.
    pub const fn is_of_run(self) -> bool {
        !matches!(self, Self::Compare | Self::Collection | Self::Live)
    }
}

impl ViewMessage {
    /// Returns the view that it leads to from `view`. The error lists the numbers of the views.
    pub(crate) fn target_view(&self, view: View) -> Result<View, String> {
        let all = View::ALL;
        match *self {
            Self::Next => Ok(all[(view as usize + 1) % all.len()]),
            Self::To(view) => Ok(view),
            Self::Number(number) => {
                let found = number.checked_sub(1).and_then(|at| all.get(at));
                found.copied().ok_or_else(|| format!("no view {number}: {}", numbered_views()))
            }
        }
    }
}

/// Returns `1 replay, 2 curves, 3 scores` and so on.
fn numbered_views() -> String {
    let all = View::ALL.iter().zip(1..).map(|(view, number)| format!("{number} {}", view.word()));
    all.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_gone_through_in_order_or_by_number() {
        assert_eq!(ViewMessage::Next.target_view(View::Replay), Ok(View::Curves));
        assert_eq!(ViewMessage::Next.target_view(View::Compare), Ok(View::Collection));
        assert_eq!(ViewMessage::Next.target_view(View::Layers), Ok(View::Replay));
        assert_eq!(ViewMessage::Number(5).target_view(View::Replay), Ok(View::Compare));
        assert_eq!(
            ViewMessage::Number(10).target_view(View::Replay),
            Err("no view 10: 1 replay, 2 curves, 3 scores, 4 audit, 5 compare, 6 runs, 7 live, \
                 8 process, 9 layers"
                .into())
        );
    }
}
