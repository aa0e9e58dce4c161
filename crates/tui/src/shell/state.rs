//! What is around the run, whatever run it is: the palette of commands, copying, the editor, the pointer, looks.
//!
//! Each has a file here; [`Shell`] holds their state and `App::update_shell` is their `update`. Other modules
//! see the results only: what draws reads [`Looks`] and [`Palette`], the runtime carries out [`Effect::Copy`] and [`Effect::Edit`].

pub use crate::shell::message::state::{Message, Pending};

use crate::{
    session::{context::Context, effect::Effect, jobs::Measure, views::View},
    shell::{
        keys::Keys,
        mouse::Capture,
        open_run::Defaults,
        palette::Palette,
        screens::marks::{self, Marks},
    },
    views::replay::{diff::Follows, stops::Stops},
    widgets::{
        key::{Code, Key},
        layout::{Layout, Panel},
        looks::{Alphabet, Looks, ThemeName},
    },
};
use trajview_run::values::Named;

use super::{App, config::Config, copy, editor};

#[derive(Debug, Default)]
pub struct Shell {
    pub looks: Looks,
    /// Whether clicks and the wheel come to us; without it the terminal selects text.
    pub mouse: Capture,
    pub palette: Option<Palette>,
    pub keys: Keys,
    /// What opens a file, where the settings say.
    pub editor: Option<String>,
    pub(crate) pending: Option<Pending>,
    /// Whether the last words for a line did not all fit.
    pub(crate) is_line_full: bool,
    last_key: Option<Key>,
}

impl Shell {
    /// The context of what lies over the panels or waits for a key; None where the panels have the keyboard.
    pub fn context(&self) -> Option<Context> {
        let pending = self.pending.map(|pending| match pending {
            Pending::Copy => Context::Copy,
            Pending::Mark => Context::Mark,
            Pending::GoToMark => Context::GoToMark,
        });
        pending.or_else(|| self.palette.as_ref().map(|_| Context::Palette))
    }

    /// Whether this is the second g of `gg`: the first has gone there already.
    pub(crate) fn is_second_g(&mut self, key: Key, count: Option<usize>) -> bool {
        let is_second =
            key == Key::char('g') && self.last_key == Some(Key::char('g')) && count.is_none();
        self.last_key = (!is_second).then_some(key);
        is_second
    }
}

impl App {
    /// Takes settings; gives sentences about what cannot be done. To be called before a run is opened.
    pub fn configure(&mut self, config: &Config) -> Vec<String> {
        self.shell.looks = Looks {
            theme: config.theme,
            alphabet: if config.ascii { Alphabet::Ascii } else { Alphabet::Unicode },
            tab_width: config.tab_width,
            ..self.shell.looks
        };
        self.shell.editor.clone_from(&config.editor);
        self.screens.defaults = Defaults {
            judges: std::mem::take(&mut self.screens.defaults.judges),
            context: Some(config.diff.context),
            speed: Some(config.play.speed),
            arrangement: config.diff.mode,
            stops: Stops::of(config.play.stop_at.iter().copied()),
            reference: config.reference.clone(),
            annotator: config.annotator.clone(),
            labels: config.labels,
        };
        let (profile, rules) = (config.profile, config.rules.clone());
        self.jobs.measure = Measure { profile, rules, is_default: true };
        let (keys, problems) = Keys::of(&config.keys);
        self.shell.keys = keys;
        problems
    }

    pub(crate) fn update_shell(&mut self, message: Message, layout: &Layout) -> Vec<Effect> {
        match message {
            Message::Palette(message) => return self.update_palette(message),
            Message::Mouse(mouse) => return self.point(mouse, layout),
            Message::Await(pending) => self.shell.pending = Some(pending),
            Message::Forget => self.shell.pending = None,
            Message::SetMark(letter) => self.screens.set_mark(letter),
            Message::GoToMark(letter) => self.screens.go_to_mark(letter),
            Message::LastJump => self.screens.travel(Marks::swap),
            Message::Back(count) => {
                (0..count.min(marks::MOST)).for_each(|_| self.screens.travel(Marks::back))
            }
            Message::Forward(count) => {
                (0..count.min(marks::MOST)).for_each(|_| self.screens.travel(Marks::forward));
            }
            Message::Copy(what) => return copy::copy(&mut self.screens, what),
            Message::Edit => return editor::edit(&mut self.screens, self.shell.editor.as_deref()),
            Message::Edited => {
                self.screens.on_open_run(|open| open.session.scores.worked.forget_decisions());
            }
            Message::NextTheme => self.next_theme(),
            Message::SwitchMouse => self.switch_mouse(),
            Message::ShowFile(path) => self.screens.on_open_run(|open| {
                open.replay.files.want(path);
                open.replay.keep_view(&mut open.session);
                open.replay.diff.follows = Follows::Turn;
                open.replay.focus = Panel::Diff;
                open.session.view = View::Replay;
            }),
            Message::Say(words) => self.screens.say(words),
        }
        vec![]
    }

    /// A key without a binding, where one was waited for or words are typed.
    pub(crate) fn press_unbound(&mut self, context: Context, key: Key) -> Vec<Effect> {
        let layout = self.screens.layout();
        let letter = key.typed().filter(|c| c.is_alphanumeric());
        match (context, letter, key.typed()) {
            (Context::Mark, Some(letter), _) => {
                return self.update_shell(Message::SetMark(letter), &layout);
            }
            (Context::GoToMark, Some(letter), _) => {
                return self.update_shell(Message::GoToMark(letter), &layout);
            }
            (Context::Mark | Context::GoToMark, None, _) => {
                self.screens.say("a mark is a letter or a digit".into());
            }
            (Context::AuditReason, ..) => {
                self.screens.say(
                    "why do they differ? a letter says, enter takes the first, esc asks later"
                        .into(),
                );
            }
            (Context::Copy, ..) => self.screens.say("y is followed by l, h, p, v or y".into()),
            _ => {}
        }
        vec![]
    }

    fn next_theme(&mut self) {
        let looks = &mut self.shell.looks;
        looks.theme = looks.theme.next();
        let name = looks.theme.word();
        let words = match looks.has_colours {
            true => format!("theme: {name}"),
            false => format!("theme: {name}, without its colours: NO_COLOR is set"),
        };
        self.screens.say(words);
    }

    fn switch_mouse(&mut self) {
        self.shell.mouse = self.shell.mouse.other();
        self.screens.say(match self.shell.mouse {
            Capture::On => "clicks and the wheel work here again".into(),
            Capture::Off => "the mouse is the terminal's: select and copy as in any window".into(),
        });
    }
}

/// The keys that end a list of things to choose from, for what opens one with the mouse.
pub(crate) const ENTER: Key = Key::plain(Code::Enter);

impl From<ThemeName> for Looks {
    fn from(theme: ThemeName) -> Self {
        Self { theme, ..Self::default() }
    }
}
