//! The live run beside the replay of its recording so far: which of them is on screen, and which gets the keys.

use std::path::Path;

use std::time::Duration;

use ratatui::layout::{Rect, Size};

use crate::{
    session::{
        effect::Effect,
        pending::Loading,
        start_place::{NamedMoment, StartPlace},
        views::View,
    },
    shell::open_run::OpenRun,
    shell::screens::{ScreenKind, Screens},
    views::{
        live::{
            LiveFocus, LiveMessage, LiveTurn, LiveView,
            areas::LiveAreas,
            player::{PlayedPlace, PlayerMessage, TerminalPlayer},
        },
        replay::playback::PlaybackMessage,
    },
    widgets::{
        key_event::KeyEvent,
        layout::ScreenLayout,
        mouse::{Mouse, MouseKind},
        scroll::Motion,
    },
};
use trajview_run::{Run, live::LiveEvent};

/// The time between two frames of a recorded terminal that plays.
const PLAYER_TICK: Duration = Duration::from_millis(100);

/// The time between two parts of the work on a screen, in which keys are read.
const FEED_PAUSE: Duration = Duration::from_millis(1);

impl Screens {
    /// Returns whether quitting would stop an agent.
    pub(crate) fn has_agent_at_work(&self) -> bool {
        self.live.as_ref().is_some_and(|live| !live.is_over())
    }

    /// Prepares the view of a live run that is going to start.
    pub fn begin_live(&mut self) {
        let inside = self.live_areas().terminal_inside();
        let live = LiveView::new(Size { width: inside.width, height: inside.height });
        self.live = Some(Box::new(LiveView { keys: self.defaults.keys.clone(), ..live }));
        self.show_screen(ScreenKind::Live);
    }

    /// Returns the present areas of the live view.
    pub fn live_areas(&self) -> LiveAreas {
        let Size { width, height } = self.frame.size;
        // Without the tabs, the timeline and the footer.
        let timeline = self.run_with_player().map_or(0, |_| self.timeline_rows());
        let screen = Rect::new(0, 1.min(height), width, height.saturating_sub(timeline + 2));
        if self.live.as_ref().is_some_and(|live| live.player.is_some()) {
            let turns = self.live.as_ref().map_or(0, |live| live.turns.len());
            return LiveAreas::for_recording(screen, turns, self.frame.zoom);
        }
        if self.live.as_ref().is_some_and(|live| live.has_no_run()) {
            return LiveAreas::without_run(screen, self.open_run().is_some());
        }
        LiveAreas::new(screen, self.live.as_ref().map_or(0, |live| live.turns.len()))
    }

    /// Returns the layout of the replay within the live view.
    pub(crate) fn beside_live(
        &self,
        layout: impl Fn(Size, u16) -> ScreenLayout,
    ) -> Option<ScreenLayout> {
        self.shown_live()?;
        let rows = self.timeline_rows();
        let area = self.live_areas().replay;
        let footer =
            Rect::new(0, self.frame.size.height.saturating_sub(1), self.frame.size.width, 1);
        if area.is_empty() {
            // There is no replay to be seen; boxes over everything still want their room.
            return None;
        }
        // One more row, for the footer below everything.
        let size = Size { width: area.width, height: area.height + 1 };
        let mut beside = layout(size, 0).moved_by(area.x, area.y, footer);
        let timeline = Rect::new(0, footer.y.saturating_sub(rows), footer.width, rows);
        beside.timeline = (rows > 0).then_some(timeline);
        Some(beside)
    }

    /// Returns the player of the recorded terminal.
    pub(crate) fn player_mut(&mut self) -> Option<&mut TerminalPlayer> {
        self.live.as_mut()?.player.as_deref_mut()
    }

    /// Returns the open run while its recorded terminal is on screen.
    pub(super) fn run_with_player(&self) -> Option<&OpenRun> {
        let has_player = self.shown_live().is_some_and(|live| live.player.is_some());
        self.open_run().filter(|_| has_player)
    }

    /// Returns the time until the recorded terminal on screen plays on or feeds its screen further; None while there is
    /// nothing to play.
    pub(super) fn player_deadline(&self) -> Option<Duration> {
        let open = self.run_with_player()?;
        let player = self.live.as_ref()?.player.as_ref()?;
        if player.failure().is_some() {
            return None;
        }
        if player.has_more_work() {
            return Some(FEED_PAUSE);
        }
        open.replay.playback.is_playing.then_some(PLAYER_TICK)
    }

    /// Moves in the recorded terminal; the selected turn and step follow.
    fn update_player(&mut self, message: PlayerMessage) {
        let width = self.live_areas().terminal_inside().width;
        let playback = self.open_run().map(|open| open.replay.playback);
        let Some(player) = self.player_mut() else { return };
        let mut is_playing = playback.is_some_and(|it| it.is_playing);
        let mut notice = None;
        match message {
            PlayerMessage::PlayOrPause if player.failure().is_some() => {
                is_playing = false;
                notice = player.failure().map(|why| format!("cannot be played: {why}"));
            }
            PlayerMessage::PlayOrPause => {
                is_playing = !is_playing;
                if is_playing && player.is_at_end() {
                    player.seek(0.0);
                }
            }
            PlayerMessage::Tick if player.has_more_work() => player.feed_screen(),
            PlayerMessage::Tick if is_playing && !player.is_behind() => {
                let speed = playback.map_or(1.0, |it| it.speed_factor());
                player.play_on(PLAYER_TICK.as_secs_f64() * speed);
                if player.is_at_end() {
                    is_playing = false;
                    notice = Some("the end of the recorded terminal".into());
                }
            }
            PlayerMessage::Tick => {}
            PlayerMessage::Step(by) => player.move_by_steps(by),
            PlayerMessage::Turn(by) => return self.select_played_turn(by),
            PlayerMessage::Start => player.seek_share(0.0),
            PlayerMessage::End => player.seek_share(1.0),
            PlayerMessage::Share(share) => player.seek_share(share),
            PlayerMessage::NextRecording if player.recordings_count() == 1 => {
                notice = Some("this run has one recorded terminal".into());
            }
            PlayerMessage::NextRecording => player.next_recording(),
            PlayerMessage::Sideways(by) => player.move_sideways(by, width),
        }
        let place = player.current_place();
        self.on_view(|open| {
            if is_playing != open.replay.playback.is_playing {
                open.replay.update_playback(&mut open.session, &PlaybackMessage::PlayOrPause);
            }
            let Some((turn, step)) = place else { return };
            if open.session.turn != turn {
                open.replay.select_turn(&mut open.session, turn);
            }
            if let Some(step) = step.filter(|step| open.replay.steps.chosen_step() != Some(*step)) {
                open.replay.steps.go_to_item(step);
            }
        });
        let selected = self.open_run().map(played_place);
        if let (Some(player), Some(_)) = (self.player_mut(), place) {
            player.followed = selected;
        }
        if let (Some(live), Some(words)) = (&mut self.live, notice) {
            live.notice = Some(words);
        }
    }

    /// Goes forward or back by turns; the recorded terminal follows.
    fn select_played_turn(&mut self, by: isize) {
        self.on_view(|open| {
            let last = open.session.run.turns.len().saturating_sub(1);
            let turn = open.session.turn.saturating_add_signed(by).min(last);
            open.replay.select_turn(&mut open.session, turn);
        });
    }

    /// Gives the live view the recorded terminal of the open run, while no agent is at work, and brings it to the
    /// selected turn and step.
    fn settle_player(&mut self) -> Option<Effect> {
        let is_shown = self.screen == ScreenKind::Live;
        let source = &self.source;
        let Loading::Ready(open) = &self.opened else { return None };
        let live = self.live.as_mut().filter(|_| is_shown)?;
        let is_of_run = live.has_no_run() || live.from.looked_in.as_ref() == Some(source);
        let is_whole = open.session.growth.is_whole;
        if live.player.is_none() && live.is_over() && is_of_run && is_whole {
            live.player = TerminalPlayer::for_run(&open.session.run).map(Box::new);
        }
        let player = live.player.as_mut()?;
        player.follow_selection(played_place(open));
        let effect = player.ask_missing(&mut self.numbers, &open.session.run);
        live.rows.choose(open.session.turn);
        effect
    }

    pub(crate) fn update_live(&mut self, message: LiveMessage) -> Vec<Effect> {
        match message {
            LiveMessage::Show => {
                self.show_live();
                return vec![];
            }
            LiveMessage::Beside if self.open_run().is_some() => {
                self.on_open_run(|open| open.session.view = next_beside_view(open.session.view));
                return vec![];
            }
            LiveMessage::Player(message) => {
                self.update_player(message);
                return vec![];
            }
            LiveMessage::OtherRun => return self.show_other_run(),
            LiveMessage::Compare => {
                self.compare_live();
                return vec![];
            }
            _ => {}
        }
        let began = match &message {
            LiveMessage::LiveEvent(LiveEvent::TurnBegan { turn, .. }) => Some(*turn),
            _ => None,
        };
        let Some(live) = &mut self.live else { return vec![] };
        let effects = live.update(message);
        if let Some(turn) = began {
            self.lead_origin_to(turn);
        }
        effects
    }

    /// Moves the run that the live one was started from to the checkpoint of this turn, unless the user has moved elsewhere
    /// in it.
    fn lead_origin_to(&mut self, turn: usize) {
        let is_beside =
            |live: &LiveView| live.from.origin.as_ref().is_some_and(|it| it.path == self.source);
        let Some(open) = self.open_run().filter(|_| self.shown_live().is_some_and(is_beside))
        else {
            return;
        };
        let Some(live) = &self.live else { return };
        let is_as_left = live.from.last_shown_turn.is_none_or(|at| at == open.session.turn);
        let Some(at) = live.matching_turn(turn, &open.session.run).filter(|_| is_as_left) else {
            return;
        };
        self.on_open_run(|open| open.replay.select_turn(&mut open.session, at));
        if let Some(live) = &mut self.live {
            live.from.last_shown_turn = Some(at);
        }
    }

    /// Shows the recording so far in the place of the run that this one was started from, or that run again.
    fn show_other_run(&mut self) -> Vec<Effect> {
        let Some(live) = &mut self.live else { return vec![] };
        let (Some(origin), Some(bundle)) = (&live.from.origin, &live.from.bundle) else {
            live.notice = Some("this run was not started from another".into());
            return vec![];
        };
        let (path, place) = if self.source == *bundle {
            let turn = live.from.last_shown_turn.map(|at| NamedMoment::Turn(at + 1));
            (origin.path.clone(), StartPlace { turn, ..StartPlace::default() })
        } else if live.finished_count() > 0 {
            let follows = !live.is_over();
            (
                bundle.clone(),
                StartPlace { turn: Some(NamedMoment::Final), follows, ..StartPlace::default() },
            )
        } else {
            live.notice = Some("no turn is recorded yet".into());
            return vec![];
        };
        let view = self.open_run().map_or(View::Replay, |open| open.session.view);
        vec![self.open_path(path, StartPlace { view, ..place })]
    }

    /// Compares the run with the one that it was started from.
    fn compare_live(&mut self) {
        let Some(live) = &mut self.live else { return };
        let pair = live.from.origin.as_ref().zip(live.from.bundle.as_ref());
        match pair.map(|(origin, bundle)| vec![origin.path.clone(), bundle.clone()]) {
            None => {
                let message = LiveMessage::Compare;
                live.update(message);
            }
            Some(_) if !live.is_over() => {
                live.notice = Some("the run is active: compare it when it is finished".into());
            }
            Some(_) if live.finished_count() == 0 => {
                live.notice = Some("no turn is recorded".into())
            }
            Some(paths) => {
                self.compare_runs(paths, StartPlace::default());
            }
        }
    }

    /// Shows the live run, the recorded terminal of the open run, or why there is none.
    pub fn show_live(&mut self) {
        let inside = self.live_areas().terminal_inside();
        let size = Size { width: inside.width, height: inside.height };
        let source = &self.source;
        let is_of_other = |live: &mut Box<LiveView>| {
            live.is_over() && live.from.looked_in.as_ref().is_some_and(|it| it != source)
        };
        self.live.take_if(is_of_other);
        let keys = &self.defaults.keys;
        let live = self.live.get_or_insert_with(|| {
            Box::new(LiveView { keys: keys.clone(), ..LiveView::without_run(size) })
        });
        live.is_seen = live.is_over();
        self.show_screen(ScreenKind::Live);
    }

    pub(crate) fn settle_live(&mut self) -> Vec<Effect> {
        let areas = self.live_areas();
        let run = self.open_run().map(|open| open.session.run.clone());
        let is_shown = self.screen == ScreenKind::Live;
        let Some(live) = &mut self.live else { return vec![] };
        live.is_seen |= live.is_over() && is_shown;
        let mut effects = vec![];
        if let (true, true, Some(run)) = (live.has_no_run(), is_shown, run) {
            let is_new = live.from.looked_in.as_ref() != Some(&self.source);
            if is_new || live.turns.len() != run.turns.len() {
                live.list_requests(&run);
            }
            if is_new {
                live.player = None; // it is of another run
                live.from.looked_in = Some(self.source.clone());
                effects.push(Effect::ReadLive(self.source.clone()));
            }
        }
        effects.extend(live.resize_terminal(&areas));
        effects.extend(self.settle_player());
        effects
    }

    /// Prepares the view of the live run that made the open recording, unless the user has left the view meanwhile.
    /// Returns whether it is shown.
    pub fn begin_recorded_live(&mut self, bundle: &Path) -> bool {
        let is_awaited = self.shown_live().is_some_and(LiveView::has_no_run);
        if !is_awaited || self.source != bundle {
            return false;
        }
        self.show_recorded_live();
        true
    }

    /// Prepares the view of the live run that made the open recording.
    pub fn show_recorded_live(&mut self) {
        self.begin_live();
        if let Some(live) = &mut self.live {
            live.from.looked_in = Some(self.source.clone());
        }
    }

    /// Sends a key to the agent.
    pub(crate) fn press_agent(&mut self, event: KeyEvent) -> Vec<Effect> {
        self.live.as_mut().map_or_else(Vec::new, |live| live.press_agent_key(event))
    }

    pub(crate) fn paste_live(&mut self, text: &str) -> Vec<Effect> {
        self.live.as_mut().map_or_else(Vec::new, |live| live.paste_text(text))
    }

    /// Handles the mouse in the live view; None when it was meant for another part.
    pub(crate) fn point_at_live(&mut self, mouse: Mouse) -> Option<Vec<Effect>> {
        let areas = self.live_areas();
        let at = (mouse.column, mouse.row).into();
        let is_shown = self.shown_live().is_some();
        let live = self.live.as_mut().filter(|_| is_shown)?;
        if live.player.is_some() && areas.terminal.contains(at) {
            let inside = areas.terminal_inside();
            let is_on_bar = mouse.row + 1 == areas.terminal.bottom();
            let share = f64::from(mouse.column.saturating_sub(inside.x))
                / f64::from(inside.width.saturating_sub(1).max(1));
            let message = match mouse.kind {
                MouseKind::Click if is_on_bar => PlayerMessage::Share(share.min(1.0)),
                MouseKind::WheelUp => return Some(live.update(LiveMessage::Scroll(Motion::Up(3)))),
                MouseKind::WheelDown => {
                    return Some(live.update(LiveMessage::Scroll(Motion::Down(3))));
                }
                _ => return Some(vec![]),
            };
            self.update_player(message);
            return Some(vec![]);
        }
        if areas.terminal.contains(at) {
            return Some(match (mouse.kind, live.focus) {
                (MouseKind::Click, LiveFocus::Requests) => live.update(LiveMessage::Enter),
                _ => live.handle_mouse(mouse, &areas),
            });
        }
        if mouse.kind == MouseKind::Click && live.focus == LiveFocus::Terminal {
            return Some(live.update(LiveMessage::Leave));
        }
        if live.rows.has_mouse(mouse) {
            if let Some(motion) = live.rows.mouse_motion(mouse) {
                live.update(LiveMessage::Move(motion));
            }
            return Some(vec![]);
        }
        if areas.replay.contains(at) { None } else { Some(vec![]) }
    }
}

fn played_place(open: &OpenRun) -> PlayedPlace {
    (open.session.turn, open.replay.steps.chosen_step())
}

impl LiveView {
    /// Returns the index of another run's turn at the checkpoint that a turn of this one works on. None when the two have
    /// no checkpoint in common there.
    fn matching_turn(&self, turn: usize, run: &Run) -> Option<usize> {
        let asked = |at: &LiveTurn| at.request.turn == turn;
        let at = self.turns.iter().position(asked)?;
        let last = run.turns.len().checked_sub(1)?;
        if self.turns.len() == 1 {
            return Some(last); // all of it is asked at once
        }
        if self.turns.len() == run.turns.len() {
            return Some(at);
        }
        let id = self.turns[at..].iter().find_map(|it| it.request.checkpoint.as_deref())?;
        Some(run.checkpoints.iter().find(|it| it.id == id)?.last_turn.min(last))
    }
}

/// Returns the next view beside the terminal.
const fn next_beside_view(view: View) -> View {
    match view {
        View::Replay => View::Curves,
        View::Curves => View::Scores,
        _ => View::Replay,
    }
}
