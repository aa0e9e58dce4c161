//! The screen without a terminal: keys go in, questions are answered at once, frames come out.

use std::{io, path::Path};

use ratatui::{
    Terminal, TerminalOptions, Viewport,
    backend::CrosstermBackend,
    layout::{Rect, Size},
};
use trajview::{
    runtime,
    session::{
        effect::{Effect, OpenAnswer},
        question::Question,
        start_place::StartPlace,
    },
    shell::{App, AppMessage, draw},
    store::{self, OpenedRecording},
    widgets::{key, theme::Theme},
};

pub struct Screen {
    pub app: App,
    opened: OpenedRecording,
    terminal: Terminal<CrosstermBackend<io::Sink>>,
}

impl Screen {
    /// Opens a log and presses some keys.
    pub fn open_path(path: &Path, size: Size, keys: &str) -> Self {
        let opened = store::open(path).expect("it is a log");
        let area = Rect::new(0, 0, size.width, size.height);
        let options = TerminalOptions { viewport: Viewport::Fixed(area) };
        let terminal = Terminal::with_options(CrosstermBackend::new(io::sink()), options);
        let terminal = terminal.expect("a sink takes everything");
        let mut screen = Self { app: App::default(), opened, terminal };
        screen.send(AppMessage::Resized(size));
        screen.send(AppMessage::Open(path.into(), StartPlace::default()));
        screen.press(keys);
        screen
    }

    /// Presses keys as `--keys` writes them, each when everything asked for has been answered.
    pub fn press(&mut self, keys: &str) {
        for key in key::parse_keys(keys).expect("these are keys") {
            self.send(AppMessage::Press(key));
        }
    }

    /// What a key asks for, not answered yet: that is done on other threads while the frame is drawn.
    pub fn tap(&mut self, key: &str) -> Vec<Effect> {
        let keys = key::parse_keys(key).expect("this is a key").into_iter();
        keys.flat_map(|key| self.app.update(AppMessage::Press(key))).collect()
    }

    /// Every cell of the screen as if nothing had been there, as bytes for a terminal.
    pub fn whole_frame(&mut self) {
        self.terminal.swap_buffers(); // forgets what is on screen
        self.frame();
    }

    /// What differs from the last frame.
    pub fn frame(&mut self) {
        let drawn = self
            .terminal
            .draw(|frame| draw::draw_frame(&self.app, Theme::with_terminal_colours(), frame));
        drawn.expect("a sink takes everything");
    }

    fn send(&mut self, message: AppMessage) {
        let effects = self.app.update(message);
        self.settle(effects);
    }

    /// Answers until nothing is asked any more.
    pub fn settle(&mut self, mut effects: Vec<Effect>) {
        while !effects.is_empty() {
            let answers: Vec<AppMessage> =
                effects.drain(..).filter_map(|effect| self.answer(effect)).collect();
            effects = answers.into_iter().flat_map(|answer| self.app.update(answer)).collect();
        }
    }

    fn answer(&self, effect: Effect) -> Option<AppMessage> {
        match effect {
            Effect::Open(request, ..) => {
                Some(AppMessage::Opened(request, OpenAnswer::Whole(Ok(self.opened.run.clone()))))
            }
            Effect::Ask(request, question) => {
                let is_for_replay = matches!(
                    *question,
                    Question::Timeline { .. }
                        | Question::LineCounts { .. }
                        | Question::StepText { .. }
                        | Question::RequestText { .. }
                        | Question::Diff { .. }
                        | Question::ChangesBetween { .. }
                        | Question::Blame { .. }
                        | Question::Colours { .. }
                        | Question::Search { .. }
                );
                let answer = |question| runtime::answer_question(&self.opened.archive, question);
                is_for_replay.then(|| AppMessage::Answered(request, answer(*question)))
            }
            _ => None, // the rest is for a terminal
        }
    }
}
