//! State that does not depend on the open run: the palette of commands, copying, the editor, the mouse, looks.
//!
//! Each has a file here; [`Shell`] has their state and `App::update_shell` is their `update`. Other modules see the results
//! only: drawing reads [`DisplayOptions`] and [`CommandPalette`], the runtime runs [`Effect::Copy`] and [`Effect::Edit`].

pub use crate::shell::message::state::{PendingKey, ShellMessage};

use crate::{
    session::{
        context::KeyContext, effect::Effect, jobs::MeasureSettings, key_texts::KeyTexts,
        views::View,
    },
    shell::{
        keys::UserKeys,
        mouse::MouseCapture,
        open_run::RunViewDefaults,
        palette::CommandPalette,
        screens::marks::{self, JumpDirection},
    },
    views::replay::{
        breakpoints::Breakpoints,
        diff::{DiffContent, DiffFollows},
    },
    widgets::{
        display_options::{Alphabet, DisplayOptions, ThemeName},
        key::{BaseKey, Key},
        layout::{ReplayPanel, ScreenLayout},
    },
};
use trajview_run::worded_enum::NamedValue;

use super::{
    App,
    config::Config,
    copy, editor,
    keymap::{self, KeyCount},
};

#[derive(Debug, Default)]
pub struct Shell {
    pub looks: DisplayOptions,
    /// True if clicks and the wheel come to us; otherwise the terminal selects text.
    pub mouse: MouseCapture,
    pub palette: Option<CommandPalette>,
    pub keys: UserKeys,
    /// The command that opens a file, if the settings name one.
    pub editor: Option<String>,
    pub(crate) pending: Option<PendingKey>,
    /// True if the last text for a line did not all fit.
    pub(crate) is_line_full: bool,
    last_key: Option<Key>,
}

impl Shell {
    /// Returns the context of a palette or an awaited key; None when the panels have the keyboard.
    pub(crate) fn key_context(&self) -> Option<KeyContext> {
        let pending = self.pending.map(|pending| match pending {
            PendingKey::GoTo(_) => KeyContext::GoTo,
            PendingKey::Copy => KeyContext::Copy,
            PendingKey::Mark => KeyContext::Mark,
            PendingKey::GoToMark => KeyContext::GoToMark,
        });
        pending.or_else(|| self.palette.as_ref().map(|_| KeyContext::Palette))
    }

    /// Returns whether this is the second g of `gg`, and remembers the key: the first has gone there already.
    pub(crate) fn is_second_g(&mut self, key: Key, count: Option<usize>) -> bool {
        let is_second = key == Key::from_char('g')
            && self.last_key == Some(Key::from_char('g'))
            && count.is_none();
        self.last_key = (!is_second).then_some(key);
        is_second
    }
}

impl App {
    /// Applies the settings. Must be called before a run is opened. What is wrong with the keys was reported where the settings
    /// were read.
    pub fn configure(&mut self, config: &Config) {
        self.shell.looks = DisplayOptions {
            theme: config.theme,
            alphabet: if config.ascii { Alphabet::Ascii } else { Alphabet::Unicode },
            tab_width: config.tab_width,
            ..self.shell.looks
        };
        self.shell.editor.clone_from(&config.editor);
        self.screens.defaults = RunViewDefaults {
            judges: std::mem::take(&mut self.screens.defaults.judges),
            context: Some(config.diff.context),
            speed: Some(config.play.speed),
            arrangement: config.diff.mode,
            stops: Breakpoints::from_reasons(config.play.stop_at.iter().copied()),
            reference: config.reference.clone(),
            annotator: config.annotator.clone(),
            labels: config.labels,
            keys: KeyTexts::default(),
        };
        self.screens.frame.timeline.config.clone_from(&config.timeline);
        let (profile, rules) = (config.profile, config.rules.clone());
        self.jobs.measure = MeasureSettings { profile, rules, is_default: true };
        self.shell.keys = UserKeys::from_config(&config.keys).0;
        self.screens.defaults.keys = KeyTexts::from(&self.shell.keys);
    }

    pub(crate) fn update_shell(
        &mut self,
        message: ShellMessage,
        layout: &ScreenLayout,
    ) -> Vec<Effect> {
        match message {
            ShellMessage::Palette(message) => return self.update_palette(message),
            ShellMessage::Mouse(mouse) => return self.on_mouse(mouse, layout),
            ShellMessage::Await(pending) => self.shell.pending = Some(pending),
            ShellMessage::Forget => self.shell.pending = None,
            ShellMessage::SetMark(letter) => self.screens.set_mark(letter),
            ShellMessage::GoToMark(letter) => self.screens.go_to_mark(letter),
            ShellMessage::LastJump => self.screens.travel_jumps(JumpDirection::Last),
            ShellMessage::Back(count) => (0..count.min(marks::MAX_JUMPS))
                .for_each(|_| self.screens.travel_jumps(JumpDirection::Back)),
            ShellMessage::Forward(count) => {
                (0..count.min(marks::MAX_JUMPS))
                    .for_each(|_| self.screens.travel_jumps(JumpDirection::Forward));
            }
            ShellMessage::GoToStart(count) => return self.run_list_key(BaseKey::Home, count),
            ShellMessage::GoToEnd => return self.run_list_key(BaseKey::End, None),
            ShellMessage::Copy(what) => return copy::copy_selection(&mut self.screens, what),
            ShellMessage::Edit => {
                return editor::open_editor(&mut self.screens, self.shell.editor.as_deref());
            }
            ShellMessage::Edited => {
                self.screens.on_open_run(|open| open.session.scores.process.forget_decisions());
            }
            ShellMessage::SwitchMeans => self.screens.switch_means(),
            ShellMessage::NextTheme => self.set_theme(self.shell.looks.theme.next()),
            ShellMessage::SetTheme(theme) => self.set_theme(theme),
            ShellMessage::ChooseComponent(id) => {
                self.screens.on_open_run(|open| open.carry_component(Some(id)));
            }
            ShellMessage::OpenPath(path) => return self.screens.open_from_view(path),
            ShellMessage::SwitchMouse => self.switch_mouse(),
            ShellMessage::ShowDiff(path) => self.screens.on_open_run(|open| {
                if let Some(path) = path {
                    open.replay.files.select_path(path);
                    open.replay.follow_selected_file(&open.session);
                }
                open.replay.diff.view = DiffContent::Change;
                open.replay.diff.follows = DiffFollows::Turn;
                open.replay.focus = ReplayPanel::Diff;
                open.session.view = View::Replay;
            }),
            ShellMessage::Say(words) => self.screens.show_notice(words),
        }
        vec![]
    }

    /// Does what the key for the start or the end of a list does here.
    fn run_list_key(&mut self, key: BaseKey, count: Option<usize>) -> Vec<Effect> {
        let binding = keymap::find_binding(self.key_context(), Key::without_modifiers(key));
        binding.map_or_else(Vec::new, |it| self.apply_message((it.message)(KeyCount(count))))
    }

    /// Handles a key without a binding, when one is awaited or text is typed.
    pub(crate) fn press_unbound(&mut self, context: KeyContext, key: Key) -> Vec<Effect> {
        let layout = self.screens.layout();
        let letter = key.typed_char().filter(|c| c.is_alphanumeric());
        let typed = key.typed_char();
        let key = |id| self.shell.keys.key_text(context, id);
        match (context, letter, typed) {
            (KeyContext::Mark, Some(letter), _) => {
                return self.update_shell(ShellMessage::SetMark(letter), &layout);
            }
            (KeyContext::GoToMark, Some(letter), _) => {
                return self.update_shell(ShellMessage::GoToMark(letter), &layout);
            }
            (KeyContext::Mark | KeyContext::GoToMark, None, _) => {
                self.screens.show_notice("a mark is a letter or a digit".into());
            }
            (KeyContext::AuditReason, ..) => {
                self.screens.show_notice(format!(
                    "why do they differ? press a letter · {}: suggested · {}: skip",
                    key("accept"),
                    key("cancel")
                ));
            }
            (KeyContext::GoTo, ..) => {
                let goto = self.shell.keys.key_text(KeyContext::Anywhere, "goto");
                self.screens.show_notice(format!(
                    "{goto} is followed by the letter of a view, by {} for the start or by {} for the end",
                    key("goto-start"),
                    key("goto-end")
                ));
            }
            (KeyContext::Copy, ..) => {
                let copy = self.shell.keys.key_text(KeyContext::Anywhere, "copy");
                self.screens.show_notice(format!(
                    "{copy} is followed by {}, {}, {}, {}, {} or {}",
                    key("copy-line"),
                    key("copy-hunk"),
                    key("copy-patch"),
                    key("copy-verdict"),
                    key("copy-sentence"),
                    key("copy-command")
                ))
            }
            _ => {}
        }
        vec![]
    }

    fn set_theme(&mut self, theme: ThemeName) {
        let looks = &mut self.shell.looks;
        looks.theme = theme;
        let name = looks.theme.word();
        let words = match looks.has_colours {
            true => format!("theme: {name}"),
            false => format!("theme: {name}, without its colours: NO_COLOR is set"),
        };
        self.screens.show_notice(words);
    }

    fn switch_mouse(&mut self) {
        self.shell.mouse = self.shell.mouse.switched();
        self.screens.show_notice(match self.shell.mouse {
            MouseCapture::On => "mouse capture is on".into(),
            MouseCapture::Off => "mouse capture is off: the terminal selects text".into(),
        });
    }
}

/// The keys that end a list of things to choose from, for what opens one with the mouse.
pub(crate) const ENTER_KEY: Key = Key::without_modifiers(BaseKey::Enter);

impl From<ThemeName> for DisplayOptions {
    fn from(theme: ThemeName) -> Self {
        Self { theme, ..Self::default() }
    }
}
