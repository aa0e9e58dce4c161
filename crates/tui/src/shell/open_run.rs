//! The open run with its views.
//!
//! Each view has its own state; everything computed from the run is in the [`Session`]. After every message
//! [`OpenRun::settle_views`] updates the views to the selection and [`OpenRun::ask_for_missing`] asks for missing data.

use std::sync::Arc;

use crate::{
    session::{
        Session,
        arrangement::Arrangement,
        context::KeyContext,
        effect::Effect,
        key_texts::KeyTexts,
        pending::Loading,
        question::Answer,
        request::{RequestId, RequestIds},
        rubric::ViewFocus,
        start_place::StartPlace,
        views::{View, with_views},
    },
    views::{
        curves::reference::ReferenceBands,
        judge::{JudgeList, JudgePane},
        replay::{bookmark::Bookmark, breakpoints::Breakpoints, navigation::PanelSpace},
        scores::ScoresPage,
        view::RunView,
    },
    widgets::{layout::ScreenLayout, mouse::Mouse},
};
use trajview_metrics::lifeline::judged_after;
use trajview_run::{
    Run,
    rubric::{Judgement, LabelMode, LabelUnit},
};

/// Defines [`OpenRun`] from the views of a run in the list of views.
macro_rules! define_open_run {
    ($(
        $(#[$note:meta])*
        $view:ident = $word:literal $(=> $module:ident: $state:ident($message:ident))?;
    )*) => {
        #[derive(Debug)]
        pub struct OpenRun {
            /// The run and everything computed from it.
            pub session: Session,
            $($(pub $module: crate::views::$module::$state,)?)*
            pub judging: JudgePane,
            carried: CarriedComponent,
        }

        /// A message to a view of the run.
        #[derive(Debug, Clone, PartialEq)]
        pub enum RunMessage {
            $($($view(crate::views::$module::$message),)?)*
        }

        impl OpenRun {
            fn with(session: Session) -> Self {
                let carried = CarriedComponent::default();
                let judging = JudgePane::default();
                Self { session, $($($module: Default::default(),)?)* judging, carried }
            }

            /// Returns the view that is on. The comparison, the table and the live run lie over the replay.
            pub fn view(&self) -> &dyn RunView {
                match self.session.view {
                    $($(View::$view => &self.$module,)?)*
                    _ => &self.replay,
                }
            }

            fn view_mut(&mut self) -> (&mut dyn RunView, &mut Session) {
                match self.session.view {
                    $($(View::$view => (&mut self.$module, &mut self.session),)?)*
                    _ => (&mut self.replay, &mut self.session),
                }
            }

            /// Returns every view of the run, in the order in which they ask.
            fn views_mut(
                &mut self,
            ) -> ([&mut dyn RunView; [$($(stringify!($module),)?)*].len()], &mut Session) {
                ([$($(&mut self.$module,)?)*], &mut self.session)
            }

            pub fn update(&mut self, message: RunMessage, layout: &ScreenLayout) {
                match message {
                    $($(RunMessage::$view(message) => {
                        self.$module.update_view(&mut self.session, message, layout);
                    })?)*
                }
            }
        }
    };
}

with_views!(define_open_run);

/// The selected component, which is carried from one view to the next.
#[derive(Debug, Default)]
struct CarriedComponent {
    /// The view that was on after the last message.
    view: View,
    /// The component that was selected when that view came on. None when the view has none.
    component: Option<String>,
    /// The component that was chosen last, in whatever view.
    chosen: Option<String>,
}

/// Defaults for an opened run, from the settings.
#[derive(Debug, Default)]
pub struct RunViewDefaults {
    /// The judges that can be asked about a run.
    pub judges: JudgeList,
    /// Lines of context around a change.
    pub context: Option<usize>,
    /// Turns per second of playback.
    pub speed: Option<f64>,
    pub arrangement: Arrangement,
    pub stops: Breakpoints,
    pub reference: ReferenceBands,
    /// The rater whose labels are shown and added to.
    pub annotator: Option<String>,
    pub labels: LabelMode,
    /// The keys that notices and hints name.
    pub(crate) keys: KeyTexts,
}

impl OpenRun {
    /// Applies the settings. Must be called before anything is done in the run.
    pub(crate) fn take_defaults(&mut self, defaults: &RunViewDefaults) {
        self.session.keys = defaults.keys.clone();
        self.judging.set_judges(&defaults.judges);
        self.replay.diff.arrangement = defaults.arrangement;
        self.replay.playback.stops = defaults.stops;
        self.curves.reference = defaults.reference.clone();
        self.audit.proposes = defaults.labels == LabelMode::TwoActs;
        if let Some(annotator) = &defaults.annotator {
            // A run that was just opened has nothing to save.
            let _ = self.session.labels.set_annotator(annotator);
        }
        self.replay.context = defaults.context.unwrap_or(self.replay.context);
        if let Some(speed) = defaults.speed {
            self.replay.playback.set_speed(speed);
        }
    }

    /// Returns the context of keys: a typed line, a list over the panels, the judge's pane, or the view.
    ///
    /// `layout` is computed only while the judge's pane is open.
    pub(crate) fn context_in(&self, layout: impl FnOnce() -> ScreenLayout) -> KeyContext {
        match &self.replay.chooser {
            _ if self.replay.search.prompt.is_some() => KeyContext::Prompt,
            Some(chooser) => chooser.kind.keyboard_context(),
            None => {
                let layout = self.judging.is_open.then(layout);
                let in_pane = layout.and_then(|layout| self.judging.keyboard_context(&layout));
                in_pane.unwrap_or_else(|| self.view().keyboard_context(&self.session))
            }
        }
    }

    /// Passes a click or wheel movement to the view that is on. Returns whether it counts as enter.
    pub(crate) fn on_mouse(&mut self, mouse: Mouse, layout: &ScreenLayout) -> bool {
        let (view, session) = self.view_mut();
        view.point_at_view(session, mouse, layout)
    }

    pub fn for_run(run: Arc<Run>, place: &StartPlace, room: PanelSpace) -> Self {
        let mut open = Self::with(Session::new(run));
        open.scores.components.choose_component(place.component.clone());
        open.audit.choose_by_id(place.component.clone());
        open.audit.seed = place.seed;
        let only_leaves = open.session.run.is_rubric_tree_alone().then_some(LabelUnit::Leaf);
        open.session.audit_unit(place.unit.or(only_leaves).unwrap_or_default());
        open.session.view = place.view;
        open.carried.chosen = place.component.clone();
        open.replay.go_to_place(&mut open.session, place, room);
        open
    }

    /// Moves the views to the place that a message led to.
    pub(crate) fn follow_session(&mut self) {
        self.session.settle_next_loss();
        self.replay.follow_turn(&mut self.session);
        self.replay.follow_opening(&mut self.session);
    }

    /// Takes an answer; one to an older question is dropped.
    pub(crate) fn take_answer(&mut self, request: RequestId, answer: Answer) {
        let Some(answer) = self.session.take_answer(request, answer) else { return };
        match answer {
            Answer::SaveLabel(..)
            | Answer::SaveGold(..)
            | Answer::StudyLabels(..)
            | Answer::Places(..)
            | Answer::Agreement(..) => self.audit.take_answer(&mut self.session, request, answer),
            Answer::JudgePlan(..)
            | Answer::Judges(..)
            | Answer::Models(..)
            | Answer::KeepJudge(..) => self.judging.take_answer(&mut self.session, request, answer),
            Answer::Timeline(..)
            | Answer::LineCounts(..)
            | Answer::StepText(..)
            | Answer::Images(..)
            | Answer::History(..)
            | Answer::Search(..) => self.replay.take_answer(&mut self.session, request, answer),
            Answer::Scores(..)
            | Answer::Moved(..)
            | Answer::RequestText(..)
            | Answer::Rubric(..)
            | Answer::Reuse(..)
            | Answer::CrashTests(..)
            | Answer::Lifelines(..)
            | Answer::Process(..)
            | Answer::Decisions(..)
            | Answer::Cost(..)
            | Answer::Memory(..)
            | Answer::DrawDecisions(..)
            | Answer::Layers(..)
            | Answer::Labels(..)
            | Answer::Diff(..)
            | Answer::ChangesBetween(..)
            | Answer::Blame(..)
            | Answer::Colours(..) => {} // the session takes these
            Answer::Judging(..)
            | Answer::Parties(..)
            | Answer::PartyScores(..)
            | Answer::PartyLifelines(..)
            | Answer::Trees(..)
            | Answer::Transcripts(..)
            | Answer::FileBetween(..)
            | Answer::FileText(..)
            | Answer::RunPaths(..)
            | Answer::Cards(..)
            | Answer::RunScores(..)
            | Answer::Find(..)
            | Answer::Filtered(..)
            | Answer::PairTests(..)
            | Answer::JobPlan(..)
            | Answer::Agents(..)
            | Answer::CheckpointTests(..)
            | Answer::StateChecks(..)
            | Answer::Export(..)
            | Answer::TerminalRecording(..)
            | Answer::TerminalPiece(..) => {} // asked elsewhere
        }
    }

    /// Updates every view to the selection.
    pub(crate) fn settle_views(&mut self, layout: &ScreenLayout) {
        self.note_new_view();
        let (views, session) = self.views_mut();
        views.into_iter().for_each(|view| view.settle_view(session, layout));
        if self.carried.component.is_none() {
            self.carried.component = self.component_of(self.carried.view);
        }
        if self.judging.is_open {
            self.session.rubric.focus = self.view_focus();
        }
        self.judging.settle_pane(&mut self.session, layout);
    }

    /// Closes the innermost open part of the view that is on; returns false if none is open.
    pub(crate) fn close_part(&mut self) -> bool {
        let (view, session) = self.view_mut();
        view.close_part(session)
    }

    /// Returns whether a view has something to show; what is still being read counts as something.
    pub(crate) fn has_content(&self, view: View) -> bool {
        let Self { session, scores, .. } = self;
        let is_read = match session.rubric.loading_rubric() {
            Loading::Nothing | Loading::Waiting(_) => false,
            Loading::Ready(_) | Loading::Failed(_) => true,
        };
        match view {
            View::Scores => !is_read || scores.shown_page(session).is_some(),
            View::Audit => {
                !is_read
                    || session.study_queue().is_some()
                    || session.units_to_audit().iter().any(|unit| *unit != LabelUnit::Signal)
            }
            View::Layers => {
                session.run.turns.iter().any(|turn| turn.layer.is_some())
                    || !session.scores.process.layer_records().is_empty()
            }
            _ => !session.run.turns.is_empty() || !session.growth.is_whole,
        }
    }

    /// Returns whether a terminal recording is among the files of the run.
    pub(crate) fn has_recorded_terminal(&self) -> bool {
        !self.session.run.terminal_recordings().is_empty()
    }

    /// Shows a view, with the component that is chosen on the screen before.
    pub(crate) fn bring_up_view(&mut self, view: View, chosen: Option<String>) {
        if self.session.view == view {
            self.carry_component(chosen); // from another screen
        }
        self.session.view = view;
    }

    /// Shows a place that was left, with the component that was selected there.
    pub(crate) fn restore_place(&mut self, spot: &Bookmark, component: Option<&str>) {
        let Self { session, replay, .. } = self;
        spot.restore(replay, session);
        replay.bases.restore_after_view(session.view);
        let view = session.view;
        self.carried = CarriedComponent {
            view,
            component: component.map(str::to_owned),
            chosen: self.carried.chosen.take(),
        };
        if let Some(id) = component {
            self.choose_component(view, id);
        }
    }

    /// Selects a component in the view that is on, and in those that follow.
    pub(crate) fn carry_component(&mut self, id: Option<String>) {
        let Some(id) = id else { return };
        self.choose_component(self.session.view, &id);
        self.carried.chosen = Some(id);
    }

    /// Selects a component in a view, if it has it.
    fn choose_component(&mut self, view: View, id: &str) {
        let Self { session, scores, audit, .. } = self;
        match view {
            // Before the checklist is read nothing says that the component is not in it.
            View::Scores
                if session.rubric.known_rubric().is_none()
                    || scores.components.has_component(session, id) =>
            {
                scores.components.choose_component(Some(id.to_owned()));
                scores.judges.choose_component(Some(id.to_owned()));
            }
            View::Audit => audit.choose_queued(session, id),
            _ => {}
        }
    }

    /// Returns the selected component of a view of components.
    pub(crate) fn component_of(&self, view: View) -> Option<String> {
        let Self { session, scores, audit, .. } = self;
        match view {
            View::Scores => match scores.shown_page(session)? {
                ScoresPage::Components => {
                    scores.components.component_row(session).map(|row| row.id)
                }
                ScoresPage::Judges => scores.judges.judges_component().map(str::to_owned),
                ScoresPage::Losses => scores.losses.lost_component(session),
                ScoresPage::Crash => scores.crash.chosen_component(session),
                ScoresPage::Tree | ScoresPage::Flags => None,
            },
            View::Audit => audit.audited_component(session).map(|it| it.id.clone()),
            _ => None,
        }
    }

    /// Selects in a new view the component that the user chose in a view before. A component that the scores selected by
    /// default is not carried to the audit, which has an order of its own.
    fn note_new_view(&mut self) {
        let (before, now) = (self.carried.view, self.session.view);
        if before == now {
            return;
        }
        let left = self.component_of(before);
        let is_chosen = before == View::Audit || left != self.carried.component;
        let chosen = left.filter(|_| is_chosen).or(self.carried.chosen.take());
        self.carried = CarriedComponent { view: now, component: None, chosen };
        if let Some(id) = self.carried.chosen.clone() {
            self.choose_component(now, &id);
        }
    }

    /// Asks for the most important missing data, one question of each kind.
    pub(crate) fn ask_for_missing(
        &mut self,
        numbers: &mut RequestIds,
        layout: &ScreenLayout,
    ) -> Vec<Effect> {
        if self.session.study_queue().is_some_and(|study| !study.has_run()) {
            // Without an open run there is nothing to ask.
            return self.session.ask_for_study_labels(numbers).into_iter().collect();
        }
        let (views, session) = self.views_mut();
        let asked = views.into_iter().flat_map(|view| view.ask_missing(session, numbers, layout));
        let mut effects: Vec<Effect> = asked.collect();
        effects.extend(self.judging.ask_questions(&mut self.session, numbers));
        effects.extend(self.replay.ask_search(&mut self.session, numbers));
        effects
    }

    /// Returns the judgement and state that the view is about.
    pub(crate) fn view_focus(&self) -> ViewFocus {
        let (session, components) = (&self.session, &self.scores.components);
        let judged = |judgement: &Judgement| judged_after(&session.run, judgement);
        let done = match session.view {
            View::Scores => self.judged_turns(judged),
            View::Audit => session.audited_judgement().and_then(judged),
            _ => None,
        };
        ViewFocus { component: components.component_row(session).map(|row| row.id), done }
    }

    /// Returns the state whose scores are shown, in turns done.
    fn judged_turns(&self, judged: impl Fn(&Judgement) -> Option<usize>) -> Option<usize> {
        let Self { session, scores, .. } = self;
        match scores.shown_page(session)? {
            ScoresPage::Components | ScoresPage::Losses => {
                judged(session.rubric.shown_judgement()?)
            }
            ScoresPage::Judges => judged(
                scores.judges.column_judgement(session, &scores.judges.judge_column(session)?)?,
            ),
            ScoresPage::Flags => scores.flags.flag_state(session)?.0.turn,
            ScoresPage::Crash => Some(scores.crash.shown_test(session)?.turn),
            ScoresPage::Tree => None,
        }
    }
}
