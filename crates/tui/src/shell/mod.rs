//! The state of the whole program, and how a message changes it.
//!
//! [`App::update`] is the only entry: an [`AppMessage`] changes the state and may ask for an [`Effect`]. Nothing here reads
//! a file, a clock or a terminal, so everything here is tested by calling it. [`screens`] has everything that is open and
//! which of it is on screen, [`open_run`] a run with its views, [`jobs`] started work and its forms, [`overlay`] the boxes
//! over all of them, [`keymap`] the message of each key, [`mod@draw`] draws the frame, [`state`] has everything that does
//! not depend on the open run: palette, keys, looks, mouse.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod commands;
pub mod config;
pub mod copy;
pub mod draw;
pub mod editor;
pub mod fuzzy_match;
pub mod glossary;
pub mod help;
pub mod jobs;
pub mod keymap;
pub mod keys;
mod line_input;
pub mod message;
pub mod mouse;
pub mod open_run;
pub mod overlay;
pub mod palette;
pub mod screens;
pub mod state;

use std::sync::Arc;

use crate::{
    session::{
        context::KeyContext,
        effect::Effect,
        question::{Answer, AnswerPart},
        request::RequestId,
    },
    views::{live::terminal::keyboard_modes::KeyboardFlags, replay},
    widgets::{
        key::Key,
        key_event::KeyEvent,
        layout::{ScreenLayout, TurnStatsVisibility, Zoom},
    },
};

use jobs::Jobs;
use keymap::KeyCount;
use open_run::RunMessage;
use overlay::{Overlay, OverlayKind};
use screens::{Screens, study};
use state::{PendingKey, Shell};

pub use message::AppMessage;

/// The whole state of the program.
#[derive(Debug, Default)]
pub struct App {
    pub screens: Screens,
    /// Work that was started from the screen, and its forms.
    pub jobs: Jobs,
    pub overlay: Option<Overlay>,
    pub shell: Shell,
    /// Digits typed so far.
    pub count: Option<usize>,
    pub is_quitting: bool,
    quit_confirmation: QuitConfirmation,
}

/// The confirmation of a quit that would stop work.
#[derive(Debug, Default)]
struct QuitConfirmation {
    /// The key before this one asked to quit and showed the confirmation.
    was_shown: bool,
    /// This key shows the confirmation.
    is_showing: bool,
}

/// The largest count that can be typed.
const MAX_COUNT: usize = 1_000_000;

impl App {
    /// Changes the state; the runtime has to run the returned effects.
    pub fn update(&mut self, message: AppMessage) -> Vec<Effect> {
        let before = self.screens.current_place();
        let is_beat =
            message == AppMessage::Run(RunMessage::Replay(replay::ReplayMessage::PlaybackTick));
        let mut effects = self.apply_message(message);
        effects.extend(self.screens.settle_all());
        effects.extend(self.jobs.settle_forms(&mut self.screens));
        self.screens.remember_jump(before.filter(|_| !is_beat));
        effects
    }

    pub(crate) fn apply_message(&mut self, message: AppMessage) -> Vec<Effect> {
        let layout = self.screens.layout();
        match message {
            AppMessage::Press(key) => return self.press_key(key.into()),
            AppMessage::Key(event) => return self.press_key(event),
            AppMessage::Paste(text) => return self.paste_text(&text),
            AppMessage::Resized(size) => self.screens.frame.size = size,
            AppMessage::Open(path, place) => return vec![self.screens.open_path(path, place)],
            AppMessage::Collect(sources, place) => {
                self.screens.opening.place = place;
                self.screens.show_collection(sources);
            }
            AppMessage::BeginStudy(studied, place) => {
                study::begin_study(&mut self.screens, studied, &place)
            }
            AppMessage::Opened(request, answer) => {
                return self.screens.take_opened(request, answer, &layout);
            }
            AppMessage::Answered(request, answer) => self.take_answer(request, answer),
            AppMessage::Partly(request, part) => self.take_answer_part(request, part),
            AppMessage::CompareRuns(paths, place) => self.screens.compare_runs(paths, place),
            AppMessage::Compare(message) => {
                return self.screens.update_comparison(message, &layout);
            }
            AppMessage::View(message) => self.screens.go_to_view(&message),
            AppMessage::Collection(message) => return self.screens.update_table(message),
            AppMessage::BeginLive => self.screens.begin_live(),
            AppMessage::Live(message) => return self.screens.update_live(message),
            AppMessage::Jobs(message) => return self.jobs.update(message, &mut self.screens),
            AppMessage::Run(message) => return self.screens.update_run(message, &layout),
            AppMessage::Judging(message) => self.screens.on_view(|it| {
                it.session.rubric.focus = it.view_focus();
                it.judging.update(&mut it.session, message, &layout);
            }),
            AppMessage::Overlay(message) => {
                return self.update_overlay(&message, &self.screens.whole_layout());
            }
            AppMessage::Zoom => {
                self.screens.frame.zoom =
                    if self.screens.frame.zoom == Zoom::On { Zoom::Off } else { Zoom::On }
            }
            AppMessage::Escape => self.screens.escape(&layout),
            AppMessage::Back => self.screens.go_back(),
            AppMessage::Suspend => return vec![Effect::Suspend],
            AppMessage::Quit => self.quit_or_confirm(),
            AppMessage::Now => {
                self.screens.frame.now = if layout.now.is_some() {
                    TurnStatsVisibility::No
                } else {
                    TurnStatsVisibility::Yes
                };
            }
            AppMessage::Timeline(message) => return self.screens.update_timeline(message),
            AppMessage::Grown(run) => {
                if let Some(player) = self.screens.player_mut() {
                    player.read_again(&run);
                }
                self.screens.on_open_run(|it| it.replay.replace_run(&mut it.session, run));
            }
            AppMessage::Written => self.screens.on_open_run(|it| it.session.follow.has_more = true),
            AppMessage::NextLoss => {
                self.screens.on_open_run(|it| it.session.go_to_next_loss());
            }
            AppMessage::Judged => self.screens.on_open_run(|it| it.session.rubric.mark_stale()),
            AppMessage::Follow => {
                self.screens.on_view(|it| {
                    it.replay.update_view(&mut it.session, replay::ReplayMessage::Follow, &layout)
                });
                return self.screens.watch_effects();
            }
            AppMessage::Shell(message) => return self.update_shell(message, &layout),
        }
        vec![]
    }

    /// Passes an answer to the part that asked for it.
    fn take_answer(&mut self, request: RequestId, answer: Answer) {
        match answer {
            Answer::Judging(outcome) => self.screens.take_outcome(request, outcome),
            Answer::Parties(..)
            | Answer::PartyScores(..)
            | Answer::PartyLifelines(..)
            | Answer::Trees(..)
            | Answer::Transcripts(..)
            | Answer::FileBetween(..)
            | Answer::FileText(..) => {
                self.screens.on_comparison(|it| it.take_answer(request, answer))
            }
            Answer::Colours(_)
                if self.screens.compared.as_ref().is_some_and(|it| it.awaits_colours(request)) =>
            {
                self.screens.on_comparison(|it| it.take_answer(request, answer));
            }
            Answer::RunPaths(..)
            | Answer::Cards(..)
            | Answer::RunScores(..)
            | Answer::Find(..)
            | Answer::Filtered(..)
            | Answer::PairTests(..) => {
                self.screens.on_collection(|it| it.take_answer(request, answer))
            }
            Answer::TerminalRecording(..) | Answer::TerminalPiece(..) => {
                if let Some(player) = self.screens.player_mut() {
                    player.take_answer(request, answer);
                }
            }
            Answer::JobPlan(plan) => self.jobs.on_dialog(|it| it.take_plan(request, plan)),
            Answer::Agents(found) => self.jobs.on_dialog(|it| it.take_agents(request, found)),
            Answer::CheckpointTests(outcome) | Answer::StateChecks(outcome) => {
                self.jobs.end_testing(request, outcome, &mut self.screens);
            }
            Answer::Export(outcome) => self.jobs.end_export(request, outcome, &mut self.screens),
            answer => self.screens.on_open_run(|it| it.take_answer(request, answer)),
        }
        self.show_images();
    }

    /// Opens a box with images that have arrived.
    fn show_images(&mut self) {
        let mut arrived = None;
        self.screens.on_open_run(|it| arrived = it.replay.steps.images.arrived.take());
        if let Some((images, first)) = arrived {
            self.overlay = Some(Overlay::with_images(images, first, self.key_context()));
        }
    }

    fn take_answer_part(&mut self, request: RequestId, part: AnswerPart) {
        match part {
            AnswerPart::Measured(done, total) => {
                self.screens.on_comparison(|it| it.take_progress(request, done, total));
                self.screens
                    .on_open_run(|it| it.session.scores.take_progress(request, done, total));
            }
            AnswerPart::Runs(found) => {
                self.screens.on_collection(|it| it.take_part(request, found))
            }
            AnswerPart::RunHits(found) => self.screens.on_collection(|it| {
                if let Some(finding) = &mut it.finding {
                    finding.take_hits(request, found);
                }
            }),
            AnswerPart::Tested(checkpoint, outcome) => {
                self.jobs.take_test(request, checkpoint, outcome, &mut self.screens);
            }
            AnswerPart::Agents(found) => self.jobs.on_dialog(|it| it.show_agents(request, &found)),
            AnswerPart::Judging(update) => self.screens.take_judging_update(request, update),
            AnswerPart::Hits(hits) => {
                self.screens.on_open_run(|it| it.replay.take_hits(&mut it.session, request, hits))
            }
            AnswerPart::Judges(judges) => {
                self.screens.on_open_run(|it| it.judging.take_judges(request, judges))
            }
        }
    }

    /// Quits, but only on the second request while work is under way: it costs money or time, and its results deserve a
    /// notice.
    fn quit_or_confirm(&mut self) {
        let is_testing = self.jobs.testing.as_ref().is_some_and(|it| it.over.is_none());
        let words = if self.screens.has_agent_at_work() {
            let resume = self.shell.keys.key_text(KeyContext::Live, "resume");
            format!(
                "an agent is running: quit again to stop it; the recording stays, and {resume} resumes it"
            )
        } else if self.screens.judgings_under_way().next().is_some() {
            "a judge is running: quit again to stop it; finished verdicts stay".to_owned()
        } else if is_testing {
            "tests are running: quit again to stop them; finished outcomes stay".to_owned()
        } else {
            String::new()
        };
        if words.is_empty() || self.quit_confirmation.was_shown {
            self.is_quitting = true;
            return;
        }
        self.quit_confirmation.is_showing = true;
        self.screens.show_notice(words);
    }

    /// Returns the present context of keys.
    pub(crate) fn key_context(&self) -> KeyContext {
        let over =
            self.shell.key_context().or_else(|| self.overlay.as_ref().map(Overlay::key_context));
        let live = self.screens.live.as_ref();
        let question = live.and_then(|live| live.input.question.map(|_| KeyContext::LiveQuestion));
        over.or(question)
            .or_else(|| self.jobs.key_context())
            .unwrap_or_else(|| self.screens.key_context())
    }

    /// Returns the keyboard flags for the outer terminal; none unless an agent has the keyboard and asked for more.
    pub fn outer_flags(&self) -> KeyboardFlags {
        let live = self.screens.shown_live().filter(|_| self.key_context() == KeyContext::Agent);
        live.map_or_else(KeyboardFlags::default, |live| live.terminal.outer_flags())
    }

    fn press_key(&mut self, event: KeyEvent) -> Vec<Effect> {
        let key = event.binding_key().filter(|_| event.is_down()).and_then(Key::without_shift);
        let is_ours = |key| self.shell.keys.find_binding(KeyContext::Agent, key).is_some();
        if self.key_context() == KeyContext::Agent && !key.is_some_and(is_ours) {
            return self.screens.press_agent(event);
        }
        let Some(key) = key else { return vec![] };
        let context = self.key_context();
        self.shell.is_line_full = false;
        self.quit_confirmation.was_shown = std::mem::take(&mut self.quit_confirmation.is_showing);
        self.screens.clear_notices();
        let pending = self.shell.pending.take();
        let types = pending.is_some() || context.takes_text();
        let is_second_g = self.shell.is_second_g(key, self.count)
            && !context.active_contexts().contains(&KeyContext::Anywhere);
        if !types && (self.takes_count_digit(key, context) || is_second_g) {
            return vec![];
        }
        let count = KeyCount(match pending {
            Some(PendingKey::GoTo(count)) => count,
            _ => self.count.take(),
        });
        match (self.shell.keys.find_binding(context, key), key.typed_char()) {
            (Some(binding), _) => self.apply_message((binding.message)(count)),
            (None, Some(c)) if context.types_words() => self.type_words(c.encode_utf8(&mut [0; 4])),
            (None, _) => self.press_unbound(context, key),
        }
    }

    /// Takes the key as one more digit of a count; returns whether it is one.
    fn takes_count_digit(&mut self, key: Key, context: KeyContext) -> bool {
        let digit = key.typed_char().and_then(|c| c.to_digit(10)).map(|digit| digit as usize);
        let is_key = |digit: usize| match self.count {
            None => digit == 0 || (context.has_digits() && self.screens.takes_digit(digit)),
            Some(_) => false,
        };
        let counts = digit.filter(|digit| !is_key(*digit));
        if let Some(digit) = counts {
            self.count = Some((self.count.unwrap_or_default() * 10 + digit).min(MAX_COUNT));
        }
        counts.is_some()
    }

    fn paste_text(&mut self, text: &str) -> Vec<Effect> {
        let is_for_agent = self.screens.shown_live().is_some() && !self.key_context().types_words();
        if is_for_agent { self.screens.paste_live(text) } else { self.type_words(text) }
    }

    fn update_overlay(
        &mut self,
        message: &overlay::OverlayMessage,
        layout: &ScreenLayout,
    ) -> Vec<Effect> {
        match message {
            overlay::OverlayMessage::Open(kind) => {
                self.overlay = Some(Overlay::new(*kind, self.key_context()))
            }
            overlay::OverlayMessage::Explain(word) => {
                let rows = glossary::explanation_rows(word);
                self.overlay =
                    Some(Overlay::with_rows(OverlayKind::Word, rows, self.key_context()));
            }
            overlay::OverlayMessage::Close => self.overlay = None,
            overlay::OverlayMessage::Find(find) => {
                self.overlay.iter_mut().for_each(|overlay| overlay.update_search(find));
            }
            overlay::OverlayMessage::Move(motion) => {
                let Some(mut overlay) = self.overlay.take() else { return vec![] };
                let rows = overlay
                    .visible_rows(self.screens.overlay_subject(), &self.shell.keys, layout)
                    .len();
                let height = usize::from(layout.overlay_area().height.saturating_sub(2));
                match overlay.kind {
                    overlay::OverlayKind::Images => {
                        overlay.move_window(*motion, overlay.images.len(), 1)
                    }
                    _ => overlay.move_window(*motion, rows, height * overlay.column_count(layout)),
                }
                self.overlay = Some(overlay);
            }
            overlay::OverlayMessage::OpenImage => {
                let seen = self.overlay.as_ref().and_then(|it| it.images.get(it.top));
                let seen = seen.map(|it| Effect::OpenImage(Arc::new(it.picture.clone())));
                return seen.into_iter().collect();
            }
        }
        vec![]
    }
}
