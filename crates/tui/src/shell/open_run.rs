//! The run that is open, with its views.
//!
//! Each view has its own state; what is known of the run is in the [`Session`]. After every message
//! [`OpenRun::settle`] brings the views in step with the selection and [`OpenRun::ask`] asks for what is missing.

use std::sync::Arc;

use crate::{
    session::{
        Session,
        arrangement::Arrangement,
        context::Context,
        effect::Effect,
        place::Place,
        question::Answer,
        request::{Numbers, Request},
        rubric::LookedAt,
        views::View,
    },
    views::{
        audit,
        curves::{self, reference::Reference},
        judge::{Judging, Known},
        layers, process,
        replay::{self, opening::Room, stops::Stops},
        scores::{self, Shows},
        view::RunView,
    },
    widgets::{layout::Layout, mouse::Mouse},
};
use trajview_metrics::lifeline::judged_after;
use trajview_run::{
    Run,
    rubric::{Acts, Judgement},
};

/// Makes the run that is open from the list of its views: the view, its field, its module and its type.
macro_rules! run_views {
    ($($view:ident, $field:ident: $module:ident::$type:ident;)*) => {
        #[derive(Debug)]
        pub struct OpenRun {
            /// What is known of the run.
            pub session: Session,
            $(pub $field: $module::$type,)*
            pub judging: Judging,
            carried: Carried,
        }

        /// Something happened in a view of the run.
        #[derive(Debug, Clone, PartialEq)]
        pub enum RunMessage {
            $($view($module::Message),)*
        }

        impl OpenRun {
            fn with(session: Session) -> Self {
                let carried = Carried::default();
                Self { session, $($field: Default::default(),)* judging: Judging::default(), carried }
            }

            /// The view that is on. The comparison, the table and the live run lie over the replay.
            pub fn view(&self) -> &dyn RunView {
                match self.session.view {
                    $(View::$view => &self.$field,)*
                    View::Collection | View::Compare | View::Live => &self.replay,
                }
            }

            fn view_mut(&mut self) -> (&mut dyn RunView, &mut Session) {
                match self.session.view {
                    $(View::$view => (&mut self.$field, &mut self.session),)*
                    View::Collection | View::Compare | View::Live => {
                        (&mut self.replay, &mut self.session)
                    }
                }
            }

            /// Every view of the run, in the order in which they ask.
            fn views_mut(
                &mut self,
            ) -> ([&mut dyn RunView; [$(stringify!($view)),*].len()], &mut Session) {
                ([$(&mut self.$field),*], &mut self.session)
            }

            pub fn update(&mut self, message: RunMessage, layout: &Layout) {
                match message {
                    $(RunMessage::$view(message) => {
                        self.$field.update(&mut self.session, message, layout);
                    })*
                }
            }
        }
    };
}

run_views! {
    Replay, replay: replay::Replay;
    Curves, curves: curves::Curves;
    Scores, scores: scores::Scores;
    Audit, audit: audit::Audit;
    Process, process: process::Process;
    Layers, layers: layers::Layers;
}

/// The component that goes along from one view to the next.
#[derive(Debug, Default)]
struct Carried {
    /// The view that was on after the last message.
    view: View,
    /// The component that was selected when that view came on. None where the view has none.
    component: Option<String>,
}

/// How a run that is opened is shown, where the settings say.
#[derive(Debug, Default)]
pub struct Defaults {
    /// Who can be asked about a run.
    pub judges: Known,
    /// Lines of context around a change.
    pub context: Option<usize>,
    /// Turns per second of playback.
    pub speed: Option<f64>,
    pub arrangement: Arrangement,
    pub stops: Stops,
    pub reference: Reference,
    /// Whose labels are shown and added to.
    pub annotator: Option<String>,
    pub labels: Acts,
}

impl OpenRun {
    /// Shows it as the settings say. To be called before anything is done in it.
    pub(crate) fn take_defaults(&mut self, defaults: &Defaults) {
        self.judging.know(&defaults.judges);
        self.replay.diff.arrangement = defaults.arrangement;
        self.replay.playback.stops = defaults.stops;
        self.curves.reference = defaults.reference.clone();
        self.audit.proposes = defaults.labels == Acts::TwoActs;
        if let Some(annotator) = &defaults.annotator {
            // Of a run that was just opened nothing waits to be saved.
            let _ = self.session.labels.be(annotator);
        }
        self.replay.context = defaults.context.unwrap_or(self.replay.context);
        if let Some(speed) = defaults.speed {
            self.replay.playback.set_speed(speed);
        }
    }

    /// Where the keyboard is: in a line that is typed, in a list over the panels, in the judge's pane, or in the view.
    pub fn context_in(&self, layout: &Layout) -> Context {
        match &self.replay.chooser {
            _ if self.replay.search.prompt.is_some() => Context::Prompt,
            Some(chooser) => chooser.kind.context(),
            None => {
                let in_pane = self.judging.context(layout);
                in_pane.unwrap_or_else(|| self.view().context(&self.session))
            }
        }
    }

    /// What a click in the view that is on selects and the wheel moves. Whether it is meant as enter.
    pub(crate) fn point(&mut self, mouse: Mouse, layout: &Layout) -> bool {
        let (view, session) = self.view_mut();
        view.point(session, mouse, layout)
    }

    pub fn of(run: Arc<Run>, place: &Place, room: Room) -> Self {
        let mut open = Self::with(Session::of(run));
        open.scores.components.choose(place.component.clone());
        open.audit.choose(place.component.clone());
        open.audit.seed = place.seed;
        open.session.audit_unit(place.unit.unwrap_or_default());
        open.session.view = place.view;
        open.replay.go_to(&mut open.session, place, room);
        open
    }

    /// Goes where a message led.
    pub(crate) fn follow_session(&mut self) {
        self.replay.follow_turn(&mut self.session);
        self.replay.follow_opening(&mut self.session);
    }

    /// Takes an answer; one to an older question is dropped.
    pub fn take(&mut self, request: Request, answer: Answer) {
        let Some(answer) = self.session.take(request, answer) else { return };
        match answer {
            Answer::SaveLabel(..)
            | Answer::SaveGold(..)
            | Answer::StudyLabels(..)
            | Answer::Places(..)
            | Answer::Agreement(..) => self.audit.take(&mut self.session, request, answer),
            Answer::JudgePlan(..)
            | Answer::Judges(..)
            | Answer::Models(..)
            | Answer::KeepJudge(..) => self.judging.take(&mut self.session, request, answer),
            Answer::Timeline(..)
            | Answer::LineCounts(..)
            | Answer::StepText(..)
            | Answer::RequestText(..)
            | Answer::Images(..)
            | Answer::History(..)
            | Answer::Search(..) => self.replay.take(&mut self.session, request, answer),
            Answer::Scores(..)
            | Answer::Moved(..)
            | Answer::Rubric(..)
            | Answer::Reuse(..)
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
            | Answer::Trees(..)
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
            | Answer::StateChecks(..) => {} // asked elsewhere
        }
    }

    /// Brings every view in step with the selection.
    pub fn settle(&mut self, layout: &Layout) {
        self.follow_session();
        self.carry_component();
        let (views, session) = self.views_mut();
        views.into_iter().for_each(|view| view.settle(session, layout));
        if self.carried.component.is_none() {
            self.carried.component = self.component_of(self.carried.view);
        }
        if self.judging.is_open {
            self.session.rubric.looked_at = self.looked_at();
        }
        self.judging.settle(&mut self.session, layout);
    }

    /// Selects a component in every view that has it.
    pub(crate) fn choose_component(&mut self, id: &str) {
        let Self { session, scores, audit, .. } = self;
        if scores.components.has(session, id) {
            scores.components.choose(Some(id.to_owned()));
            scores.judges.choose(Some(id.to_owned()));
        }
        audit.choose_queued(session, id);
    }

    /// The component that is selected in a view of components.
    pub(crate) fn component_of(&self, view: View) -> Option<String> {
        let Self { session, scores, audit, .. } = self;
        match view {
            View::Scores => match scores.shown(session)? {
                Shows::Components => scores.components.component_row(session).map(|row| row.id),
                Shows::Judges => scores.judges.judges_component().map(str::to_owned),
                Shows::Tree | Shows::Flags => None,
            },
            View::Audit => audit.audited_component(session).map(|it| it.id.clone()),
            _ => None,
        }
    }

    /// When another view comes on, it selects the component that the user chose in the view before. A component at which
    /// the scores only began is not carried to the audit, which has an order of its own.
    fn carry_component(&mut self) {
        let (before, now) = (self.carried.view, self.session.view);
        if before == now {
            return;
        }
        let left = self.component_of(before);
        let is_chosen = before == View::Audit || left != self.carried.component;
        self.carried = Carried { view: now, component: None };
        if let Some(id) = left.filter(|_| is_chosen) {
            self.choose_component(&id);
        }
    }

    /// What is missing most, one question of each kind.
    pub fn ask(&mut self, numbers: &mut Numbers, layout: &Layout) -> Vec<Effect> {
        if self.session.study().is_some_and(|study| !study.has_run()) {
            // No run is open that could be asked about.
            return self.session.ask_for_study_labels(numbers).into_iter().collect();
        }
        let (views, session) = self.views_mut();
        let asked = views.into_iter().flat_map(|view| view.ask(session, numbers, layout));
        let mut effects: Vec<Effect> = asked.collect();
        effects.extend(self.judging.ask(&mut self.session, numbers));
        effects.extend(self.replay.ask_search(&mut self.session, numbers));
        effects
    }

    /// What the view that is on looks at of what the run is judged by.
    pub fn looked_at(&self) -> LookedAt {
        let (session, components) = (&self.session, &self.scores.components);
        let judged = |judgement: &Judgement| judged_after(&session.run, judgement);
        let done = match session.view {
            View::Scores => self.scores_of(judged),
            View::Audit => session.audited().and_then(judged),
            _ => None,
        };
        LookedAt { component: components.component_row(session).map(|row| row.id), done }
    }

    /// The state whose scores are looked at, in turns done.
    fn scores_of(&self, judged: impl Fn(&Judgement) -> Option<usize>) -> Option<usize> {
        let Self { session, scores, .. } = self;
        match scores.shown(session)? {
            Shows::Components => judged(session.rubric.judgement()?),
            Shows::Judges => {
                judged(scores.judges.judgement_of(session, &scores.judges.judge_column(session)?)?)
            }
            Shows::Flags => scores.flags.flag_state(session)?.0.turn,
            Shows::Tree => None,
        }
    }
}
