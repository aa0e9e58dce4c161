//! Where the keyboard is, in the words of the keymap.

use crate::session::views::View;

/// The place where a binding is active. In a panel its own rows and those of [`KeyContext::Replay`] are both active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyContext {
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
    /// In a box with an image.
    Images,
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
    /// In every part of the process view.
    Process,
    /// Its pillars.
    Pillars,
    /// Its lists of what was counted and found.
    ProcessLists,
    /// In every part of the view of layers.
    Layers,
    /// In every part of the scores.
    Scores,
    /// The rubric tree.
    Rubric,
    /// In every part of the audit.
    Audit,
    /// The pane that asks a judge.
    Judging,
    /// The form of a judging.
    JudgeForm,
    /// A judging while it runs, and after.
    JudgeWatch,
    /// Typing the path of a prompt for it.
    JudgePath,
    /// The list of what was begun.
    Jobs,
    /// A form, before something is begun.
    Form,
    /// Typing into one of its fields.
    FormText,
    /// The audit, including the prompt for a reason.
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
    /// Typing a condition in SQL.
    Where,
    /// The list of this machine's sessions, where typing comes first.
    Start,
    /// The hits in all runs of the table.
    FoundInRuns,
    /// Typing what to look for in them.
    FindWords,
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
    /// The components on which two judgements differ.
    Differing,
    /// The verdicts of both on one component.
    BothVerdicts,
    /// The list of every change to one thing.
    Past,
    /// The agents beside each other in time.
    Agents,
}

impl KeyContext {
    pub const ALL: [Self; 65] = [
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
        Self::Process,
        Self::Pillars,
        Self::ProcessLists,
        Self::Layers,
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
        Self::Where,
        Self::Start,
        Self::FoundInRuns,
        Self::FindWords,
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
        Self::Images,
        Self::Palette,
        Self::Copy,
        Self::Mark,
        Self::GoToMark,
        Self::Hits,
        Self::Requests,
        Self::Kinds,
        Self::Stops,
        Self::List,
        Self::Past,
        Self::Agents,
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
            Self::Process => "in the process view",
            Self::Pillars => "among the pillars of process",
            Self::ProcessLists => "in the lists of the process view",
            Self::Layers => "in the view of layers",
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
            Self::Where => "while typing a condition",
            Self::Start => "among the sessions of this machine, while typing",
            Self::FoundInRuns => "in what was found in all runs",
            Self::FindWords => "while typing what to find in all runs",
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
            Self::Images => "in a box with an image",
            Self::Palette => "in the list of commands",
            Self::Copy => "after y, to copy",
            Self::Mark => "after M, before a letter",
            Self::GoToMark => "after ', before a letter",
            Self::Hits => "in the list of hits",
            Self::Requests => "in the list of requests",
            Self::Kinds => "among the kinds of steps",
            Self::Stops => "among the reasons to stop",
            Self::List => "in a list to choose from",
            Self::Past => "in the history of a file or function",
            Self::Agents => "among the agents of a turn or run",
        }
    }

    /// The view that its rows are of; None where they are of any.
    pub const fn view(self) -> Option<View> {
        match self {
            Self::Replay | Self::Turns | Self::Files | Self::Diff | Self::Steps => {
                Some(View::Replay)
            }
            Self::Curves | Self::Chart | Self::Moved => Some(View::Curves),
            Self::Process | Self::Pillars | Self::ProcessLists => Some(View::Process),
            Self::Layers => Some(View::Layers),
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
            Self::Table
            | Self::Filter
            | Self::Where
            | Self::Start
            | Self::FoundInRuns
            | Self::FindWords => Some(View::Collection),
            Self::Live | Self::LivePrompt | Self::Agent => Some(View::Live),
            _ => None,
        }
    }

    /// The contexts whose rows hold here, the closest first.
    pub(crate) const fn active_contexts(self) -> &'static [Self] {
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
            Self::Process => &[Self::Process, Self::InRun, Self::Anywhere],
            Self::Pillars => &[Self::Pillars, Self::Process, Self::InRun, Self::Anywhere],
            Self::ProcessLists => &[Self::ProcessLists, Self::Process, Self::InRun, Self::Anywhere],
            Self::Layers => &[Self::Layers, Self::InRun, Self::Anywhere],
            Self::Turns => &[Self::Turns, Self::Replay, Self::InRun, Self::Anywhere],
            Self::Files => &[Self::Files, Self::Replay, Self::InRun, Self::Anywhere],
            Self::Diff => &[Self::Diff, Self::Replay, Self::InRun, Self::Anywhere],
            Self::Steps => &[Self::Steps, Self::Replay, Self::InRun, Self::Anywhere],
            Self::Table => &[Self::Table, Self::Anywhere],
            Self::Filter => &[Self::Filter],
            Self::Where => &[Self::Where],
            Self::Start => &[Self::Start],
            Self::FoundInRuns => &[Self::FoundInRuns, Self::Anywhere],
            Self::FindWords => &[Self::FindWords],
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
            Self::Images => &[Self::Images],
            Self::Palette => &[Self::Palette],
            Self::Copy => &[Self::Copy],
            Self::Mark => &[Self::Mark],
            Self::GoToMark => &[Self::GoToMark],
            Self::Hits => &[Self::Hits, Self::List],
            Self::Requests => &[Self::Requests],
            Self::Kinds => &[Self::Kinds, Self::List],
            Self::Stops => &[Self::Stops, Self::List],
            Self::List => &[Self::List],
            Self::Past => &[Self::Past, Self::List],
            Self::Agents => &[Self::Agents, Self::List],
        }
    }

    /// The parts of a view that are on screen together with this one, itself included.
    pub(crate) const fn visible_parts(self) -> &'static [Self] {
        match self {
            Self::Turns | Self::Files | Self::Diff | Self::Steps => {
                &[Self::Turns, Self::Files, Self::Diff, Self::Steps]
            }
            Self::Chart | Self::Moved => &[Self::Chart, Self::Moved],
            Self::Pillars | Self::ProcessLists => &[Self::Pillars, Self::ProcessLists],
            Self::Components | Self::Verdict | Self::Lifeline => {
                &[Self::Components, Self::Verdict, Self::Lifeline]
            }
            Self::Matrix | Self::Differing => &[Self::Matrix, Self::Differing],
            _ => &[],
        }
    }

    /// Returns whether the list of commands, opened here, may offer the bindings of another context.
    pub(crate) fn offers_bindings_of(self, other: Self) -> bool {
        let holds = |context| self.active_contexts().contains(&context);
        match other {
            Self::Copy => holds(Self::Anywhere),
            Self::GoToMark => holds(Self::InRun),
            _ => holds(other) || self.visible_parts().contains(&other),
        }
    }

    /// Returns whether a key without a binding types its character.
    pub(crate) const fn takes_text(self) -> bool {
        self.types_words() || matches!(self, Self::Agent)
    }

    /// Returns whether typed or pasted text goes into a prompt.
    pub(crate) const fn types_words(self) -> bool {
        matches!(
            self,
            Self::Prompt
                | Self::Requests
                | Self::Filter
                | Self::Where
                | Self::Start
                | Self::FindWords
                | Self::RubricFind
                | Self::AuditWords
                | Self::JudgePath
                | Self::FormText
                | Self::LivePrompt
                | Self::OverlayFind
                | Self::Palette
        )
    }

    /// Returns whether the digits of the rubric's levels are keys here and not counts.
    pub const fn has_digits(self) -> bool {
        matches!(self, Self::Audit | Self::AuditReason)
    }
}
