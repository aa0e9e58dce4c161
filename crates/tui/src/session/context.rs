//! Where the keyboard is, in the words of the keymap.
//!
//! A place is one row of the table below; the help lists the places in its order.

use crate::session::views::View;

/// Defines [`KeyContext`] from its rows: the place, its name in the help, the view that its rows are of, the places
/// whose rows hold there with the closest first, and whether typed text goes into a prompt there.
macro_rules! key_contexts {
    ($(
        $(#[$note:meta])*
        $name:ident = $title:literal $(of $view:ident)?, [$($layer:ident),*] $($typing:ident)?;
    )*) => {
        /// The place where a binding is active. In a panel its own rows and those of [`KeyContext::Replay`] are both
        /// active.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum KeyContext { $($(#[$note])* $name),* }

        impl KeyContext {
            pub const ALL: [Self; [$(stringify!($name)),*].len()] = [$(Self::$name),*];

            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title),* }
            }

            /// Returns the view that its rows are of; None where they are of any.
            pub const fn view(self) -> Option<View> {
                let views: &[View] = match self { $(Self::$name => &[$(View::$view)?]),* };
                views.first().copied()
            }

            /// Returns the contexts whose rows hold here, the closest first.
            pub(crate) const fn active_contexts(self) -> &'static [Self] {
                match self { $(Self::$name => &[$(Self::$layer),*]),* }
            }

            /// Returns whether typed or pasted text goes into a prompt.
            pub(crate) const fn types_words(self) -> bool {
                let typing: &[&str] = match self { $(Self::$name => &[$(stringify!($typing))?]),* };
                !typing.is_empty()
            }
        }
    };
}

#[rustfmt::skip] // a table: one row a place
key_contexts! {
    Replay = "in the replay" of Replay, [Replay, InRun, Anywhere];
    /// In every view.
    Anywhere = "everywhere", [Anywhere];
    /// In every view of a run.
    InRun = "in every view of a run", [InRun, Anywhere];
    Turns = "in the list of turns" of Replay, [Turns, Replay, InRun, Anywhere];
    Files = "in the list of files" of Replay, [Files, Replay, InRun, Anywhere];
    Request = "in the request" of Replay, [Request, Replay, InRun, Anywhere];
    Diff = "in the diff" of Replay, [Diff, Replay, InRun, Anywhere];
    Steps = "in the steps" of Replay, [Steps, Replay, InRun, Anywhere];
    /// In both parts of the curves.
    Curves = "in the curves" of Curves, [Curves, InRun, Anywhere];
    Chart = "at the chart of the curves" of Curves, [Chart, Curves, InRun, Anywhere];
    /// The list of what moved a point.
    Moved = "in the list of changes" of Curves, [Moved, Curves, InRun, Anywhere];
    /// In every part of the process view.
    Process = "in the process view" of Process, [Process, InRun, Anywhere];
    /// Its pillars.
    Pillars = "among the pillars of process" of Process, [Pillars, Process, InRun, Anywhere];
    /// Its lists of what was counted and found.
    ProcessLists = "in the lists of the process view" of Process, [ProcessLists, Process, InRun, Anywhere];
    /// In every part of the view of layers.
    Layers = "in the view of layers" of Layers, [Layers, InRun, Anywhere];
    /// In every part of the scores.
    Scores = "in the scores" of Scores, [Scores, InRun, Anywhere];
    /// The rubric tree.
    Rubric = "in the rubric tree" of Scores, [Rubric, Scores, InRun, Anywhere];
    /// In every part of the audit.
    Audit = "in the audit" of Audit, [AuditReading, Audit, InRun, Anywhere];
    /// The pane that asks a judge.
    Judging = "in the pane that asks a judge", [Judging, Anywhere];
    /// The form of a judging.
    JudgeForm = "in the form that asks a judge", [JudgeForm, Judging, Anywhere];
    /// A judging while it runs, and after.
    JudgeWatch = "while a judge is asked, and after", [JudgeWatch, Judging, Anywhere];
    /// Typing the path of a prompt for it.
    JudgePath = "while typing into the form that asks a judge", [JudgePath] typing;
    /// The list of what was begun.
    Jobs = "in the list of jobs", [Jobs];
    /// A form, before something is begun.
    Form = "in a form, before the start", [Form];
    /// Typing into one of its fields.
    FormText = "while typing into a form", [FormText] typing;
    /// The audit, including the prompt for a reason.
    AuditReading = "in the audit, and while it asks for a reason" of Audit, [AuditReading];
    /// While it asks why a label and a verdict differ.
    AuditReason = "while the audit asks for a reason" of Audit, [AuditReason, AuditReading, Anywhere];
    /// While a note or a name is typed in it.
    AuditWords = "while typing a note or a name in the audit" of Audit, [AuditWords] typing;
    /// In every part of the comparison.
    Compare = "in the comparison" of Compare, [Compare, Anywhere];
    /// At its numbers, components and code.
    Pair = "at the numbers, components and code of the comparison" of Compare, [Pair, Compare, Anywhere];
    /// At its curves.
    Overlaid = "at the curves of the comparison" of Compare, [Overlaid, Compare, Anywhere];
    /// Among the files both runs ended with.
    Ended = "among the files of the compared runs" of Compare, [Ended, Compare, Anywhere];
    /// Their transcripts side by side.
    Transcripts = "in the transcripts of the compared runs" of Compare, [Transcripts, Compare, Anywhere];
    /// The table of runs.
    Table = "in the runs" of Collection, [Table, Anywhere];
    /// Typing what narrows the table down.
    Filter = "while typing a filter" of Collection, [Filter] typing;
    /// Typing a condition in SQL.
    Where = "while typing a condition" of Collection, [Where] typing;
    /// The list of this machine's sessions, where a letter without a key begins a filter.
    Start = "among the sessions of this machine" of Collection, [Start, Anywhere] typing;
    /// Typing such a filter.
    StartFilter = "while typing a filter of this machine's sessions" of Collection, [StartFilter] typing;
    /// A view that has nothing to show.
    EmptyView = "in a view without content", [EmptyView, Anywhere];
    /// The hits in all runs of the table.
    FoundInRuns = "in the search results of all runs" of Collection, [FoundInRuns, Anywhere];
    /// Typing what to look for in them.
    FindWords = "while typing a search in all runs" of Collection, [FindWords] typing;
    /// The live run, while the keyboard is not the agent's.
    Live = "in the live run" of Live, [Live, LiveTerminal, Anywhere];
    /// The terminal of the agent or of a recording, while the keyboard is not the agent's.
    LiveTerminal = "at every terminal of the live view" of Live, [LiveTerminal, Anywhere];
    /// A recorded terminal.
    RecordedTerminal = "in a recorded terminal" of Live, [RecordedTerminal, LiveTerminal, Anywhere];
    /// Typing a request, or what to look for in the agent's terminal.
    LivePrompt = "while typing in the live run" of Live, [LivePrompt] typing;
    /// A question before the agent is stopped or started again.
    LiveQuestion = "while a question about the live run is open" of Live, [LiveQuestion];
    /// The agent has the keyboard.
    Agent = "while the agent has the keyboard" of Live, [Agent];
    /// While typing what to look for in it.
    RubricFind = "while typing a search in the rubric tree" of Scores, [RubricFind] typing;
    /// The table of flags.
    Flags = "in the flags", [Flags, Scores, InRun, Anywhere];
    /// The table of lost components and tests.
    Losses = "in the table of losses" of Scores, [Losses, Scores, InRun, Anywhere];
    /// The card of a crash test.
    CrashTest = "in the card of a crash test" of Scores, [CrashTest, Scores, InRun, Anywhere];
    /// In every part of the component scores.
    Judged = "in the scores of components" of Scores, [Judged, Scores, InRun, Anywhere];
    /// The table of components.
    Components = "in the table of components" of Scores, [Components, Judged, Scores, InRun, Anywhere];
    /// The verdict on one of them.
    Verdict = "in the verdict on a component" of Scores, [Verdict, Judged, Scores, InRun, Anywhere];
    Lifeline = "in the lifeline of a component" of Scores, [Lifeline, Judged, Scores, InRun, Anywhere];
    /// In every part of the view of all judgements.
    Judges = "among all judgements" of Scores, [Judges, Scores, InRun, Anywhere];
    /// Components down, judgements across.
    Matrix = "in the table of all judgements" of Scores, [Matrix, Judges, Scores, InRun, Anywhere];
    /// The components on which two judgements differ.
    Differing = "in the list of where two judgements differ" of Scores, [Differing, Judges, Scores, InRun, Anywhere];
    /// The verdicts of both on one component.
    BothVerdicts = "in the texts of two judgements" of Scores, [BothVerdicts, Judges, Scores, InRun, Anywhere];
    Prompt = "while typing a search", [Prompt] typing;
    Overlay = "in a box like this one", [Overlay];
    /// Typing what to look for in such a box.
    OverlayFind = "while typing a search in such a box", [OverlayFind] typing;
    /// In a box with an image.
    Images = "in a box with an image", [Images];
    Palette = "in the command line", [Palette] typing;
    /// After `g`.
    GoTo = "after g, to go to a view or a row", [GoTo];
    /// After `y`.
    Copy = "after y, to copy", [Copy];
    /// After `M`.
    Mark = "after M, before a letter", [Mark];
    /// After `'`.
    GoToMark = "after ', before a letter", [GoToMark];
    /// The list of hits.
    Hits = "in the list of matches", [Hits, List];
    /// The list of requests.
    Requests = "in the list of requests", [Requests] typing;
    Kinds = "among the kinds of steps", [Kinds, List];
    Stops = "among the reasons to stop", [Stops, List];
    /// In every list to choose from but one that takes text.
    List = "in a list to choose from", [List];
    /// The list of every change to one thing.
    Past = "in the history of a file or function", [Past, List];
    /// The agents beside each other in time.
    Agents = "among the agents of a turn or run", [Agents, List];
}

impl KeyContext {
    /// Returns the parts of a view that are on screen together with this one, itself included.
    pub(crate) const fn visible_parts(self) -> &'static [Self] {
        match self {
            Self::Turns | Self::Request | Self::Diff | Self::Steps | Self::Files => {
                &[Self::Turns, Self::Request, Self::Diff, Self::Steps, Self::Files]
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

    /// Returns whether the digits of the rubric's levels are keys here and not counts.
    pub const fn has_digits(self) -> bool {
        matches!(self, Self::Audit | Self::AuditReason)
    }
}
