//! The views: what the whole screen shows of a run, and the table of runs beside it. Those of a run share the playhead.
//!
//! To add a view write its folder and one line of [`with_views`]; its keys are a table of the keymap.

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
            Collection = "collection";
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
    /// The one after, and after the last the first.
    Next,
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
    /// The number it is known by, whatever other views there are.
    pub const fn view_number(self) -> usize {
        self as usize + 1
    }
}

impl ViewMessage {
    /// Returns the view that it leads to from `view`. The error lists the numbers of the views.
    pub(crate) fn target_view(&self, view: View) -> Result<View, String> {
        let all = View::ALL;
        match *self {
            Self::Next => {
                let at = all.iter().position(|other| *other == view).unwrap_or_default();
                Ok(all[(at + 1) % all.len()])
            }
            Self::Number(number) => {
                let found = all.iter().copied().find(|view| view.view_number() == number);
                found.ok_or_else(|| format!("no view {number}: {}", numbered_views()))
            }
        }
    }
}

/// `1 replay, 2 curves, 3 scores, 4 audit, 5 compare, 6 collection, 7 live`
fn numbered_views() -> String {
    let all = View::ALL.iter().map(|view| format!("{} {}", view.view_number(), view.word()));
    all.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_gone_through_in_order_or_by_number() {
        assert_eq!(ViewMessage::Next.target_view(View::Replay), Ok(View::Curves));
        assert_eq!(ViewMessage::Next.target_view(View::Scores), Ok(View::Audit));
        assert_eq!(ViewMessage::Next.target_view(View::Compare), Ok(View::Collection));
        assert_eq!(ViewMessage::Next.target_view(View::Collection), Ok(View::Live));
        assert_eq!(ViewMessage::Number(2).target_view(View::Replay), Ok(View::Curves));
        assert_eq!(ViewMessage::Number(5).target_view(View::Replay), Ok(View::Compare));
        assert_eq!(
            ViewMessage::Number(10).target_view(View::Replay),
            Err(
                "no view 10: 1 replay, 2 curves, 3 scores, 4 audit, 5 compare, 6 collection, 7 live, 8 process, 9 layers"
                    .into()
            )
        );
    }
}
