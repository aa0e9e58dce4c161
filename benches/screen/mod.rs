//! The screen without a terminal: keys go in, questions are answered at once, frames come out.

use std::{io, path::Path, sync::Arc};

use ratatui::{
    Terminal, TerminalOptions, Viewport,
    backend::CrosstermBackend,
    layout::{Rect, Size},
};
use trajview::{
    app::{App, Effect, Message, Place, colours::Sides, key, replay::Answer, search::Progress},
    code::highlight::highlight,
    run::StepText,
    tui::{self, Opened},
    ui::{self, theme::Theme},
};

pub struct Screen {
    pub app: App,
    opened: Opened,
    terminal: Terminal<CrosstermBackend<io::Sink>>,
}

impl Screen {
    /// Opens a log and presses some keys.
    pub fn of(path: &Path, size: Size, keys: &str) -> Self {
        let opened = tui::from_disk().open(path).expect("it is a log");
        let area = Rect::new(0, 0, size.width, size.height);
        let options = TerminalOptions { viewport: Viewport::Fixed(area) };
        let terminal = Terminal::with_options(CrosstermBackend::new(io::sink()), options);
        let terminal = terminal.expect("a sink takes everything");
        let mut screen = Self { app: App::default(), opened, terminal };
        screen.send(Message::Resized(size));
        screen.send(Message::Open(path.into(), Place::default()));
        screen.press(keys);
        screen
    }

    /// Presses keys as `--keys` writes them, each when everything asked for has been answered.
    pub fn press(&mut self, keys: &str) {
        for key in key::parse(keys).expect("these are keys") {
            self.send(Message::Press(key));
        }
    }

    /// What a key asks for, not answered yet: that is done on other threads while the frame is drawn.
    pub fn tap(&mut self, key: &str) -> Vec<Effect> {
        let keys = key::parse(key).expect("this is a key").into_iter();
        keys.flat_map(|key| self.app.update(Message::Press(key))).collect()
    }

    /// Every cell of the screen as if nothing had been there, as bytes for a terminal.
    pub fn whole_frame(&mut self) {
        self.terminal.swap_buffers(); // forgets what is on screen
        self.frame();
    }

    /// What differs from the last frame.
    pub fn frame(&mut self) {
        let drawn = self.terminal.draw(|frame| ui::view(&self.app, Theme::ansi(), frame));
        drawn.expect("a sink takes everything");
    }

    fn send(&mut self, message: Message) {
        let effects = self.app.update(message);
        self.settle(effects);
    }

    /// Answers until nothing is asked any more.
    pub fn settle(&mut self, mut effects: Vec<Effect>) {
        while !effects.is_empty() {
            let answers: Vec<Message> =
                effects.drain(..).filter_map(|effect| self.answer(effect)).collect();
            effects = answers.into_iter().flat_map(|answer| self.app.update(answer)).collect();
        }
    }

    fn answer(&self, effect: Effect) -> Option<Message> {
        let asked = &self.opened.recording;
        let text = |text| Answer::Text(Ok(Arc::new(text)));
        let (request, answer) = match effect {
            Effect::Open(request, _) => {
                return Some(Message::Opened(request, Ok(self.opened.run.clone())));
            }
            Effect::LoadTimeline(request, run) => (request, Answer::Timeline(asked.timeline(&run))),
            Effect::CountLines(request, run) => {
                (request, Answer::Counted(asked.line_counts(&run).map(Arc::new)))
            }
            Effect::LoadText(request, run, step) => (request, text(asked.step_text(&run, step))),
            Effect::LoadRequest(request, run, turn) => {
                let words = asked.request(&run, turn);
                (request, text(StepText { text: words, ..StepText::default() }))
            }
            Effect::Diff(request, run, change, context) => {
                (request, Answer::Diff(Ok(asked.diff(&run, &change, context))))
            }
            Effect::ChangesBetween(request, run, before, after) => {
                (request, Answer::Changes(asked.changes_between(&run, before, after)))
            }
            Effect::Blame(request, run, path, done) => {
                (request, Answer::Blamed(asked.blame(&run, &path, done)))
            }
            Effect::Highlight(request, texts) => {
                let side = |text: &Option<Arc<str>>| highlight(&texts.path, text.as_deref()?);
                let colours = Sides { old: side(&texts.old), new: side(&texts.new) };
                (request, Answer::Highlighted(Ok(colours)))
            }
            Effect::Search(request, run, query) => {
                let mut hits = vec![];
                let searched = asked.search(&run, &query, &mut |hit| {
                    hits.push(hit);
                    true
                });
                let progress = searched.map_or_else(Progress::Failed, |()| Progress::Done);
                (request, Answer::Found(hits, progress))
            }
            _ => return None, // the rest is for a terminal
        };
        Some(Message::Answered(request, answer))
    }
}
