//! The list of every command, searched by some letters of its help.
//!
//! The list is the part of the keymap that holds in the view below it, so a new key is a new command. Bindings that label,
//! stop something or write data are left out: a search must never do any of these. A number leads to a turn, and the files
//! of the turn are found by their paths.

pub use crate::shell::message::palette::PaletteMessage;
use crate::{
    session::{context::KeyContext, effect::Effect, start_place::NamedMoment, turns, views::View},
    shell::{
        App, AppMessage,
        keymap::{CommandListing, KeyBinding, KeyCount, all_bindings},
        open_run::{OpenRun, RunMessage},
    },
    views::replay,
    widgets::key::{BaseKey, Key},
};
use trajview_run::{RepoPath, StepId};

use super::{fuzzy_match, keys::UserKeys};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandPalette {
    pub text: String,
    /// The index among the matching items.
    pub selected: usize,
}

/// An item of the list.
pub struct PaletteItem {
    pub choice: PaletteChoice,
    pub words: String,
    pub keys: String,
    pub place: &'static str,
    /// Characters of `words` that were typed.
    pub places: Vec<usize>,
    score: i32,
}

pub enum PaletteChoice {
    Command(&'static KeyBinding),
    /// Counts from 1.
    Turn(usize),
    Step(StepId),
    File(RepoPath),
}

/// A score above that of any match of letters.
const EXACT_SCORE: i32 = 10_000;

/// The number of rows of a page.
const PAGE_ROWS: usize = 10;

impl CommandPalette {
    /// Returns the matching items of a context, the best first; all items while nothing is typed.
    pub(crate) fn matching_items(
        &self,
        here: KeyContext,
        open: Option<&OpenRun>,
        keys: &UserKeys,
    ) -> Vec<PaletteItem> {
        let turn = open.and_then(|open| turn_item(&self.text, open));
        let commands = all_bindings().filter(|row| is_offered(row, here));
        let commands = commands.filter_map(|row| self.command_item(row, keys));
        let files = open.into_iter().flat_map(|open| self.file_items(open));
        let mut found: Vec<PaletteItem> = turn.into_iter().chain(commands).chain(files).collect();
        found.sort_by_key(|found| -found.score); // stable: equals stay in the order of the table
        found
    }

    fn command_item(&self, row: &'static KeyBinding, user_keys: &UserKeys) -> Option<PaletteItem> {
        let keys = match row.context {
            KeyContext::Copy => format!("y {}", user_keys.keys_text(row)),
            KeyContext::GoToMark => format!("' {}", user_keys.keys_text(row)),
            _ => user_keys.keys_text(row),
        };
        let typed = self.text.trim();
        // A number is a turn, even where a digit is a key.
        let is_number = !typed.is_empty() && typed.chars().all(|c| c.is_ascii_digit());
        let is_key =
            !is_number && user_keys.keys_of_row(row).iter().any(|key| key.to_string() == typed);
        let found = match fuzzy_match::match_sentence(&self.text, row.help) {
            Some(found) => found,
            None if is_key => fuzzy_match::FuzzyMatch::default(),
            None => return None,
        };
        let is_name = row.help.strip_prefix("the ").is_some_and(|name| name == typed);
        let score = found.score + if is_key || is_name { EXACT_SCORE } else { 0 };
        let (words, places, place) = (row.help.to_owned(), found.places, row.context.title());
        Some(PaletteItem { choice: PaletteChoice::Command(row), words, keys, place, places, score })
    }

    fn file_items(&self, open: &OpenRun) -> Vec<PaletteItem> {
        if self.text.trim().is_empty() {
            return vec![];
        }
        let paths =
            open.replay.listed_changes(&open.session).iter().map(|change| change.path.clone());
        let fitting = paths.filter_map(|path| {
            let found = fuzzy_match::match_sentence(&self.text, path.as_str())?;
            Some(PaletteItem {
                words: path.to_string(),
                choice: PaletteChoice::File(path),
                keys: String::new(),
                place: "a file of the turn",
                places: found.places,
                score: found.score,
            })
        });
        fitting.collect()
    }

    fn type_words(&mut self, change: impl FnOnce(&mut String)) {
        change(&mut self.text);
        self.selected = 0;
    }
}

/// Returns whether the list, opened in a context, offers a binding: it holds there, and neither labels nor stops nor
/// writes.
fn is_offered(row: &KeyBinding, here: KeyContext) -> bool {
    let calls_off = matches!(row.context, KeyContext::Copy | KeyContext::GoToMark)
        && row.keys.contains(&Key::without_modifiers(BaseKey::Esc));
    here.offers_bindings_of(row.context) && row.listing == CommandListing::Listed && !calls_off
}

fn turn_item(text: &str, open: &OpenRun) -> Option<PaletteItem> {
    if let Ok(at @ NamedMoment::Step(turn, number)) = text.trim().parse::<NamedMoment>() {
        let step = at.named_step(&open.session.run).ok()?;
        let label = open.session.run.step(step).map(|step| step.label.clone());
        let words = format!("step {turn}.{number}  {}", label.unwrap_or_default());
        let (keys, place) = (String::new(), "a step of this run");
        return Some(PaletteItem {
            choice: PaletteChoice::Step(step),
            words,
            keys,
            place,
            places: vec![],
            score: EXACT_SCORE,
        });
    }
    let number: usize = text.trim().parse().ok()?;
    let found = open.session.run.turns.get(number.checked_sub(1)?)?;
    let words = format!("turn {number}  {}", found.title);
    let (keys, place) = (format!("{number}G"), "a turn of this run");
    Some(PaletteItem {
        choice: PaletteChoice::Turn(number),
        words,
        keys,
        place,
        places: vec![],
        score: EXACT_SCORE,
    })
}

impl App {
    /// Returns the present items of the list of commands.
    pub(crate) fn matching_commands(&self, palette: &CommandPalette) -> Vec<PaletteItem> {
        let here = self.jobs.key_context().unwrap_or_else(|| self.screens.key_context());
        palette.matching_items(here, self.screens.shown_run(), &self.shell.keys)
    }

    pub(crate) fn update_palette(&mut self, message: PaletteMessage) -> Vec<Effect> {
        if message == PaletteMessage::Open {
            self.overlay = None;
            self.shell.palette = Some(CommandPalette::default());
        }
        let Some(mut palette) = self.shell.palette.take() else { return vec![] };
        match message {
            PaletteMessage::Open => {}
            PaletteMessage::Close => return vec![],
            PaletteMessage::Accept => {
                let chosen = self.matching_commands(&palette).into_iter().nth(palette.selected);
                let Some(chosen) = chosen else {
                    self.shell.palette = Some(palette);
                    return vec![];
                };
                let view = chosen.choice.target_view();
                view.into_iter().for_each(|view| self.screens.bring_up_view(view));
                return self.apply_message(chosen.choice.into_message());
            }
            PaletteMessage::Type(words) => palette.type_words(|text| text.push_str(&words)),
            PaletteMessage::Erase if palette.text.is_empty() => return vec![],
            PaletteMessage::Erase => palette.type_words(|text| {
                text.pop();
            }),
            PaletteMessage::EraseAll => palette.type_words(String::clear),
            PaletteMessage::Move(motion) => {
                let count = self.matching_commands(&palette).len();
                palette.selected = motion.target_row(palette.selected, count, PAGE_ROWS);
            }
        }
        self.shell.palette = Some(palette);
        vec![]
    }
}

impl PaletteChoice {
    /// Returns the view of the command; None when it belongs to none.
    fn target_view(&self) -> Option<View> {
        match self {
            Self::Command(row) => row.context.view(),
            Self::Turn(_) => None,
            Self::Step(_) | Self::File(_) => Some(View::Replay),
        }
    }

    fn into_message(self) -> AppMessage {
        match self {
            Self::Command(row) => (row.message)(KeyCount::default()),
            Self::Turn(number) => AppMessage::Run(RunMessage::Replay(
                replay::ReplayMessage::Turns(turns::TurnMessage::To(number)),
            )),
            Self::Step(step) => {
                AppMessage::Run(RunMessage::Replay(replay::ReplayMessage::Step(step)))
            }
            Self::File(path) => AppMessage::Shell(super::state::ShellMessage::ShowFile(path)),
        }
    }
}
