//! Everything that is open (a run, a comparison, the table of runs, a live run), which of it is on screen, and how one
//! leads to another.
//!
//! [`Screens`] knows nothing of keys, boxes and forms over the screens: the rest of the shell does.

pub mod compare;
pub mod judge;
pub mod live;
pub mod marks;
pub mod run;
pub mod study;
pub mod table;
pub mod timeline;

use ratatui::layout::Size;
use std::{path::PathBuf, time::Duration};

use crate::{
    session::{
        context::KeyContext,
        corrected_mcf::ShownMeans,
        effect::Effect,
        pending::Loading,
        replay_opening::ReplayOpening,
        request::{RequestId, RequestIds},
        start_place::StartPlace,
        views::{self, View},
    },
    shell::{
        message::AppMessage,
        open_run::{OpenRun, RunMessage, RunViewDefaults},
        overlay::OverlaySubject,
    },
    views::{
        compare::ComparisonView,
        live::{self as live_view, LiveFocus, LiveView},
        replay::{self, activity, draw::trial_result, search, turn_stats},
        table::{self as table_view, RunTableView},
    },
    widgets::layout::{self, PanelNeeds, ReplayPanel, ScreenLayout, TurnStatsVisibility, Zoom},
};

use trajview_run::RepoPath;

use judge::OtherJudgings;
use marks::JumpMarks;
use timeline::TimelineFrame;

/// The kinds of screens. Whatever is open and not on screen keeps its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScreenKind {
    /// The open run, in its own view.
    #[default]
    Run,
    /// Runs side by side.
    Compare,
    /// The table of runs.
    Table,
    /// The live run.
    Live,
}

/// Everything that is open, and which of it is on screen.
#[derive(Debug, Default)]
pub struct Screens {
    pub screen: ScreenKind,
    /// The view on screen that has nothing to show yet; None while the screen has something.
    pub(crate) empty: Option<EmptyView>,
    pub opened: Loading<Box<OpenRun>>,
    /// The open recording, as a link names it.
    pub source: PathBuf,
    /// Runs side by side, if several were opened.
    pub compared: Option<Box<ComparisonView>>,
    /// The table of runs, if several were opened.
    pub collection: Option<Box<RunTableView>>,
    /// A live run.
    pub live: Option<Box<LiveView>>,
    pub other_judgings: OtherJudgings,
    /// Which means of judged scores the views show.
    pub(crate) means: ShownMeans,
    /// The options of the table when it is opened.
    pub table_opening: table_view::TableOpening,
    /// The defaults for an opened run.
    pub defaults: RunViewDefaults,
    pub frame: TerminalFrame,
    pub(crate) opening: OpeningState,
    pub(crate) marks: JumpMarks,
    pub(crate) numbers: RequestIds,
}

/// A view without content: a sentence says what would fill it.
#[derive(Debug)]
pub(crate) struct EmptyView {
    pub view: View,
    /// Something to say once; gone at the next key.
    pub notice: Option<String>,
}

/// The terminal, and how it is divided.
#[derive(Debug)]
pub struct TerminalFrame {
    pub size: Size,
    pub zoom: Zoom,
    /// True if the numbers of the turn are shown.
    pub now: TurnStatsVisibility,
    /// The timeline below the views.
    pub timeline: TimelineFrame,
}

impl Default for TerminalFrame {
    fn default() -> Self {
        Self {
            size: Size { width: 80, height: 24 },
            zoom: Zoom::Off,
            now: TurnStatsVisibility::default(),
            timeline: TimelineFrame::default(),
        }
    }
}

/// The state of opening a run.
#[derive(Debug)]
pub struct OpeningState {
    /// The place to show.
    pub place: StartPlace,
    /// The request whose beginning is shown while the whole is read.
    pub begun: Option<RequestId>,
    /// The place that was asked for, and a notice for it.
    pub arrival: Option<(Option<ReplayOpening>, String)>,
    /// True if its judging is shown too.
    pub shows_judging: bool,
    /// The view that the open run was opened from.
    pub back: View,
}

impl Default for OpeningState {
    fn default() -> Self {
        Self {
            place: StartPlace::default(),
            begun: None,
            arrival: None,
            shows_judging: false,
            back: View::Collection,
        }
    }
}

impl Screens {
    pub fn open_run(&self) -> Option<&OpenRun> {
        self.opened.ready().map(|open| &**open)
    }

    /// Returns whether a digit is a level of the label in work, and no count.
    pub(crate) fn takes_digit(&self, digit: usize) -> bool {
        let open = self.open_run();
        open.zip(u8::try_from(digit).ok())
            .is_some_and(|(open, digit)| open.audit.takes_digit(&open.session, digit))
    }

    pub(crate) fn on_comparison(&mut self, change: impl FnOnce(&mut ComparisonView)) {
        if let Some(compared) = &mut self.compared {
            change(compared);
        }
    }

    pub(crate) fn on_collection(&mut self, change: impl FnOnce(&mut RunTableView)) {
        if let Some(collection) = &mut self.collection {
            change(collection);
        }
    }

    /// Returns the present layout.
    pub fn layout(&self) -> ScreenLayout {
        let beside = self.beside_live(|size, rows| self.layout_in(size, rows));
        beside.unwrap_or_else(|| self.whole_layout())
    }

    /// Returns the present layout, given [`Self::whole_layout`].
    pub(crate) fn layout_within(&self, whole: &ScreenLayout) -> ScreenLayout {
        self.beside_live(|size, rows| self.layout_in(size, rows)).unwrap_or(*whole)
    }

    /// Returns the layout of boxes over everything: the whole screen.
    pub(crate) fn whole_layout(&self) -> ScreenLayout {
        self.layout_in(self.frame.size, self.timeline_rows())
    }

    /// Returns the layout of a screen of a size, above a timeline of so many rows.
    fn layout_in(&self, size: Size, rows: u16) -> ScreenLayout {
        let focus = self.open_run().map_or(ReplayPanel::default(), |open| open.replay.focus);
        let standings = self.open_run().map_or(0, |open| open.session.components_at_turn().len());
        let has_pane = self.shown_run().is_some_and(|open| open.judging.is_open);
        let whole = size;
        let size = if has_pane { layout::views_size_with_pane(whole) } else { whole };
        let request = |width: usize, most: usize| {
            self.open_run().map_or(0, |it| it.replay.request_height(&it.session, width, most))
        };
        let result = |width: usize| {
            self.open_run().map_or(0, |it| trial_result::result_height(&it.session, width))
        };
        let needs = self.open_run().map_or_else(PanelNeeds::default, |it| PanelNeeds {
            request: &request,
            trial_result: activity::is_trial_without_log(&it.session.run)
                .then_some(&result as &dyn Fn(usize) -> usize),
            ..it.replay.panel_needs(&it.session)
        });
        let layout = ScreenLayout::with_timeline(size, focus, self.frame.zoom, &needs, rows);
        let layout = layout.with_turn_stats(
            self.frame.now,
            size,
            focus,
            turn_stats::TURN_STATS.len() + standings,
        );
        let layout = layout.with_step(&needs);
        let layout = self.open_run().map_or(layout, |open| open.replay.fit_layout(layout));
        if has_pane { layout.with_pane(whole) } else { layout }
    }

    /// Returns the context of keys while nothing lies over the screen.
    pub(crate) fn key_context(&self) -> KeyContext {
        match (self.shown_live(), self.shown_comparison(), self.shown_table(), self.open_run()) {
            _ if self.empty.is_some() => KeyContext::EmptyView,
            (Some(live), ..) => live.keyboard_context(),
            (_, Some(compared), ..) => compared.part.keyboard_context(),
            (.., Some(table), _) => table.keyboard_context(),
            (.., Some(open)) => open.context_in(|| self.layout()),
            (.., None) => KeyContext::Replay,
        }
    }

    /// Returns the subject of a box over the panels.
    pub(crate) fn overlay_subject(&self) -> OverlaySubject<'_> {
        if let Some(live) = self.shown_live() {
            return match self.run_with_player().filter(|_| live.has_no_run()) {
                Some(open) => OverlaySubject::Run(open),
                None => OverlaySubject::Live(live),
            };
        }
        if let Some(compared) = self.shown_comparison() {
            return OverlaySubject::Comparison(compared);
        }
        match (self.shown_table(), self.open_run()) {
            _ if self.empty.is_some() => OverlaySubject::Nothing,
            (Some(table), _) => OverlaySubject::Table(table),
            (None, Some(open)) => OverlaySubject::Run(open),
            (None, None) => OverlaySubject::Nothing,
        }
    }

    /// Returns how long the loop may sleep before something here moves by itself.
    pub fn next_deadline(&self) -> Option<Duration> {
        let beat = self.player_deadline().or_else(|| {
            self.open_run().and_then(|open| open.replay.playback.time_until_next_move())
        });
        let hold = self.live.as_ref().filter(|live| live.terminal.holds_frame());
        let hold = hold.map(|_| live_view::MAX_FRAME_TIME);
        beat.into_iter().chain(hold).min()
    }

    /// Returns the message for the end of [`Self::next_deadline`].
    pub fn after_deadline(&self) -> AppMessage {
        match self.live.as_ref().is_some_and(|live| live.terminal.holds_frame()) {
            true => AppMessage::Live(live_view::LiveMessage::Silent),
            false if self.player_deadline().is_some() => AppMessage::Live(
                live_view::LiveMessage::Player(live_view::player::PlayerMessage::Tick),
            ),
            false => AppMessage::Run(RunMessage::Replay(replay::ReplayMessage::PlaybackTick)),
        }
    }

    /// Passes a message to a view of the open run, and goes where that leads.
    pub(crate) fn on_view(&mut self, take: impl FnOnce(&mut OpenRun)) {
        self.on_open_run(|open| {
            take(open);
            open.follow_session();
        });
    }

    pub(crate) fn on_open_run(&mut self, change: impl FnOnce(&mut OpenRun)) {
        if let Loading::Ready(open) = &mut self.opened {
            change(open);
        }
    }

    pub(crate) fn show_notice(&mut self, words: String) {
        if let Some(empty) = &mut self.empty {
            empty.notice = Some(words);
            return;
        }
        if self.shown_live().is_some()
            && let Some(live) = &mut self.live
        {
            live.notice = Some(words);
            return;
        }
        if self.shown_comparison().is_some()
            && let Some(compared) = &mut self.compared
        {
            compared.notice = Some(words);
            return;
        }
        if self.shown_table().is_some() {
            if let Some(collection) = &mut self.collection {
                collection.notice = Some(words);
            }
            return;
        }
        self.on_open_run(|open| open.session.notice = Some(words));
    }

    /// Updates everything that is open, and asks for missing data.
    pub(crate) fn settle_all(&mut self) -> Vec<Effect> {
        self.share_means();
        // Where that leads decides which panes have room.
        self.on_open_run(OpenRun::follow_session);
        let layout = self.layout();
        let mut effects = vec![];
        self.on_open_run(|open| open.settle_views(&layout));
        // The views decide which scores wait for a label.
        self.settle_timelines(&layout);
        if let Loading::Ready(open) = &mut self.opened {
            effects.extend(open.ask_for_missing(&mut self.numbers, &layout));
        }
        effects.extend(study::ask_for_run(self));
        effects.extend(self.settle_comparison());
        effects.extend(self.settle_live());
        if let Some(collection) = &mut self.collection {
            collection.settle_cursor(layout.body);
            effects.extend(collection.ask_missing(&mut self.numbers));
        }
        effects
    }

    /// Shows the other means in all views, and says what there is of them in this one.
    pub(crate) fn switch_means(&mut self) {
        self.means = self.means.other_means();
        self.share_means();
        let words = match (self.shown_comparison(), self.shown_table(), self.shown_run()) {
            (Some(compared), ..) => compared.means_text(),
            (_, Some(table), _) => table.means_text(),
            (.., Some(open)) => match (self.means, open.session.rubric.corrected_mcf()) {
                (ShownMeans::Judged, _) => "MCF: mean of the judge".to_owned(),
                (ShownMeans::Corrected, Some(corrected)) => corrected.summary_text(),
                (ShownMeans::Corrected, None) => "no judgements of this run yet".to_owned(),
            },
            (None, None, None) => return,
        };
        self.show_notice(words);
    }

    /// Passes the choice of means to everything that is open.
    fn share_means(&mut self) {
        let means = self.means;
        self.on_open_run(|open| open.session.rubric.shown_means = means);
        if let Some(compared) = &mut self.compared {
            compared.show_means(means);
        }
        if let Some(table) = &mut self.collection {
            table.show_means(means);
        }
    }

    /// Clears the notice in the last line.
    pub(crate) fn clear_notices(&mut self) {
        self.on_open_run(|open| {
            open.session.notice = None;
            open.curves.hovered = None;
        });
        if let Some(live) = &mut self.live {
            live.notice = None;
        }
        self.on_comparison(|it| it.notice = None);
        self.on_collection(|it| it.notice = None);
        self.empty.iter_mut().for_each(|empty| empty.notice = None);
    }

    fn shows_screen(&self, screen: ScreenKind) -> bool {
        self.screen == screen && self.empty.is_none()
    }

    /// Returns the table if it is on screen.
    pub fn shown_table(&self) -> Option<&RunTableView> {
        self.collection.as_deref().filter(|_| self.shows_screen(ScreenKind::Table))
    }

    /// Returns the comparison if it is on screen.
    pub fn shown_comparison(&self) -> Option<&ComparisonView> {
        self.compared.as_deref().filter(|_| self.shows_screen(ScreenKind::Compare))
    }

    /// Returns the live run if it is on screen.
    pub fn shown_live(&self) -> Option<&LiveView> {
        self.live.as_deref().filter(|_| self.shows_screen(ScreenKind::Live))
    }

    /// Returns the open run if it is on screen.
    pub(crate) fn shown_run(&self) -> Option<&OpenRun> {
        self.open_run().filter(|_| self.shows_screen(ScreenKind::Run))
    }

    /// Shows a screen, and clears the notice of the one before.
    pub(crate) fn show_screen(&mut self, screen: ScreenKind) {
        match (self.screen, &mut self.collection, &mut self.compared, &mut self.live) {
            (before, ..) if before == screen => {}
            (ScreenKind::Table, Some(table), ..) => table.notice = None,
            (ScreenKind::Compare, _, Some(compared), _) => compared.notice = None,
            (ScreenKind::Live, .., Some(live)) => live.focus = LiveFocus::Requests,
            _ => {}
        }
        self.screen = screen;
        self.empty = None;
    }

    /// Shows a view; one that has nothing to show says what would fill it.
    pub(crate) fn bring_up_view(&mut self, view: View) {
        let chosen = self.selected_component();
        match view {
            View::Collection if self.collection.is_some() => self.pause_for(ScreenKind::Table),
            View::Compare if self.compared.is_some() => {
                let file = self.selected_file();
                self.pause_for(ScreenKind::Compare);
                self.on_comparison(|it| {
                    chosen.iter().for_each(|id| it.table.choose_component(id));
                    file.iter().for_each(|path| it.files.choose_file(path));
                });
            }
            View::Live => self.show_live(),
            view if view.is_of_run() && self.open_run().is_some() => {
                self.show_screen(ScreenKind::Run);
                let layout = self.layout();
                self.on_open_run(|open| {
                    open.judging.give_up_keyboard(&layout);
                    open.bring_up_view(view, chosen);
                });
            }
            view => self.empty = Some(EmptyView { view, notice: None }),
        }
    }

    /// Returns the component that is selected on screen.
    pub(super) fn selected_component(&self) -> Option<String> {
        let compared = self.shown_comparison();
        let compared = compared.and_then(|it| Some(it.table.selected_row()?.id.clone()));
        compared.or_else(|| self.shown_run().and_then(|it| it.component_of(it.session.view)))
    }

    /// Returns the file that was selected in the run on screen.
    pub(super) fn selected_file(&self) -> Option<RepoPath> {
        self.shown_run()?.replay.files.selected_path().cloned()
    }

    /// Leaves the run for another screen; its playback stops.
    pub(super) fn pause_for(&mut self, screen: ScreenKind) {
        self.on_open_run(|open| open.replay.playback.is_playing = false);
        self.show_screen(screen);
    }

    /// Clears the search and shares the room again, else goes back.
    pub(crate) fn escape(&mut self, layout: &ScreenLayout) {
        let is_zoomed = self.frame.zoom == Zoom::On
            && matches!(self.current_view(), Some(View::Replay | View::Compare));
        let is_searching = self.shown_run().is_some_and(|open| {
            open.session.view == View::Replay && open.replay.search.query().is_some()
        });
        if !is_zoomed && !is_searching {
            return self.go_back();
        }
        self.frame.zoom = Zoom::Off;
        let forget = replay::ReplayMessage::Search(search::SearchMessage::Forget);
        self.on_view(|it| it.replay.update_view(&mut it.session, forget, layout));
    }

    /// Closes the innermost open part of the view on screen, else shows the view before.
    pub(crate) fn go_back(&mut self) {
        let mut is_closed = false;
        if self.shown_comparison().is_some() {
            self.on_comparison(|it| is_closed = it.close_part());
        } else if self.shown_run().is_some() {
            self.on_open_run(|open| is_closed = open.close_part());
        }
        if !is_closed {
            self.go_to_previous_view();
        }
    }

    /// Returns the view that is on; None while nothing is open.
    pub(crate) fn current_view(&self) -> Option<View> {
        if let Some(empty) = &self.empty {
            return Some(empty.view);
        }
        match self.screen {
            ScreenKind::Run => match &self.opened {
                Loading::Nothing => None,
                Loading::Waiting(_) | Loading::Failed(_) => Some(self.opening.place.view),
                Loading::Ready(open) => Some(open.session.view),
            },
            ScreenKind::Compare => Some(View::Compare),
            ScreenKind::Table => Some(View::Collection),
            ScreenKind::Live => Some(View::Live),
        }
    }

    /// Goes to another view: the table and the comparison are among them if they exist.
    pub(crate) fn go_to_view(&mut self, message: &views::ViewMessage) {
        let Some(now) = self.current_view() else { return };
        match self.next_view(message, now) {
            Ok(View::Replay) if now == View::Audit => self.leave_audit_for_replay(),
            Ok(view) => self.bring_up_view(view),
            Err(why) => self.show_notice(why),
        }
    }

    /// Shows the replay at the place that the audit has on screen, if it has one.
    fn leave_audit_for_replay(&mut self) {
        let layout = self.layout();
        self.on_view(|it| it.audit.lead_to_replay(&mut it.session, &layout));
        if self.current_view() == Some(View::Audit) {
            self.bring_up_view(View::Replay);
        }
    }

    /// Returns the next view; views that do not exist are skipped.
    fn next_view(&self, message: &views::ViewMessage, now: View) -> Result<View, String> {
        let mut next = message.target_view(now)?;
        while *message == views::ViewMessage::Next && next != now && !self.has_view(next) {
            next = message.target_view(next)?;
        }
        Ok(next)
    }

    /// Returns whether a view has something to show; what is still being read counts as something.
    pub(crate) fn has_view(&self, view: View) -> bool {
        match view {
            View::Compare => self.compared.is_some(),
            View::Collection => self.collection.is_some(),
            View::Live => {
                let has_run = self.live.as_ref().is_some_and(|live| !live.has_no_run());
                has_run || self.open_run().is_some_and(OpenRun::has_recorded_terminal)
            }
            view => match &self.opened {
                Loading::Nothing | Loading::Failed(_) => false,
                Loading::Waiting(_) => true,
                Loading::Ready(open) => open.has_content(view),
            },
        }
    }
}
