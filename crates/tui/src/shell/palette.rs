//! The command line, `:`, with the list of its completions.
//!
//! The list has the commands of [`commands`], the rows of the keymap that hold in the view below, and the files of the turn;
//! after the name of a command the values of its argument. Names that are typed in full come first, then beginnings, then
//! single letters; of equals those of the view. Enter runs the line.

pub use crate::shell::message::palette::PaletteMessage;
use crate::{
    session::{context::KeyContext, effect::Effect},
    shell::{
        App,
        commands::{self, Argument, COMMANDS, Command, LineOutcome, values},
        keymap::KeyBinding,
    },
    widgets::{layout::ScreenLayout, line::safe_string, scroll::Motion, wrap::wrap_line},
};

use super::fuzzy_match::{self, NameMatch};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandPalette {
    /// The typed text.
    pub text: String,
    /// The chosen item, whose text is in the line.
    pub selected: Option<usize>,
    /// Why the line was not run.
    pub complaint: Option<String>,
}

/// An item of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaletteItem {
    /// The whole line with this item.
    pub line: String,
    /// The name or value.
    pub name: String,
    /// The indices of the typed characters of the name.
    pub places: Vec<usize>,
    /// `[COMPONENT]`; empty without an argument.
    pub argument: String,
    pub keys: String,
    /// One line.
    pub help: String,
    rank: i32,
}

/// The ranks between items that fit equally well.
const VIEW_RANK: i32 = 500;
const COMMAND_RANK: i32 = 300;
/// The rank of the keys of the footer while nothing is typed: after the commands.
const FOOTER_RANK: i32 = 200;

/// The number of rows of a page.
const PAGE_ROWS: usize = 10;

impl App {
    /// Returns the present items of the list.
    pub(crate) fn palette_items(&self, palette: &CommandPalette) -> Vec<PaletteItem> {
        let typed = palette.text.trim_start().trim_start_matches(':');
        let mut items = match typed.split_once(char::is_whitespace) {
            Some((name, rest)) => {
                let mut items = match commands::find_command(name) {
                    Some(command) => self.value_items(command, rest.trim_start()),
                    None => self.name_items(typed),
                };
                // `next checkpoint` is `next-checkpoint`.
                for item in self.name_items(&commands::hyphenated(typed)) {
                    let is_close =
                        item.rank >= fuzzy_match::BEGINNING * RANK_STEP && !rest.trim().is_empty();
                    if is_close && !items.iter().any(|it| it.name == item.name) {
                        items.push(item);
                    }
                }
                items
            }
            None => self.name_items(typed),
        };
        items.sort_by_key(|item| -item.rank); // stable: equals stay in their order
        items
    }

    /// Returns the text of the line: the typed one, or that of the chosen item.
    pub(crate) fn palette_line(&self, palette: &CommandPalette) -> String {
        let chosen =
            palette.selected.and_then(|at| self.palette_items(palette).into_iter().nth(at));
        chosen.map_or_else(|| palette.text.clone(), |item| item.line)
    }

    fn name_items(&self, typed: &str) -> Vec<PaletteItem> {
        let here = self.command_context();
        let rows = commands::offered_rows(here);
        let rows = rows.iter().filter_map(|row| self.row_item(row, here, typed));
        let commands = COMMANDS.iter().filter_map(|it| self.command_item(it, here, typed));
        let mut items: Vec<PaletteItem> = commands.chain(rows).collect();
        if typed.starts_with(|c: char| c.is_ascii_digit()) {
            let goto = COMMANDS.iter().filter(|it| it.name == "goto");
            items = goto.flat_map(|it| self.value_items(it, typed)).collect();
        } else if !typed.is_empty() {
            let files = self.screens.shown_run().map(values::files_of_turn).unwrap_or_default();
            items.extend(files.iter().filter_map(|path| {
                let found = fuzzy_match::match_name(typed, path.as_str())?;
                Some(PaletteItem {
                    line: path.to_string(),
                    help: "file of this turn".to_owned(),
                    ..PaletteItem::named(path.as_str(), found)
                })
            }));
        }
        items
    }

    fn command_item(
        &self,
        command: &'static Command,
        here: KeyContext,
        typed: &str,
    ) -> Option<PaletteItem> {
        let of_alias = command.aliases.iter().filter_map(|it| fuzzy_match::match_name(typed, it));
        let of_alias =
            of_alias.filter(|it| it.rank >= fuzzy_match::BEGINNING).max_by_key(|it| it.rank);
        let of_alias = of_alias.map(|it| NameMatch::of_rank(it.rank - 1, vec![]));
        let found = fuzzy_match::match_name(typed, command.name)
            .into_iter()
            .chain(of_alias)
            .chain(fuzzy_match::match_beginnings(typed, command.help))
            .max_by_key(|it| it.rank)?;
        let row = commands::row_of_id(here, command.key_id);
        let item = PaletteItem::named(command.name, found);
        let space = if matches!(command.argument, Argument::Required(_)) { " " } else { "" };
        Some(PaletteItem {
            // What is typed next is the argument.
            line: format!("{}{space}", command.name),
            argument: command.argument.text(),
            keys: row.map(|row| self.shell.keys.keys_text(row)).unwrap_or_default(),
            help: command.help.to_owned(),
            rank: item.rank + COMMAND_RANK,
            ..item
        })
    }

    fn row_item(
        &self,
        row: &'static KeyBinding,
        here: KeyContext,
        typed: &str,
    ) -> Option<PaletteItem> {
        let is_key = self.shell.keys.keys_of_row(row).iter().any(|key| key.to_string() == typed);
        let of_key = is_key.then(|| NameMatch::of_rank(fuzzy_match::BEGINNING, vec![]));
        let found = fuzzy_match::match_name(typed, row.id)
            .into_iter()
            .chain(of_key)
            .chain(fuzzy_match::match_beginnings(typed, row.help))
            .max_by_key(|it| it.rank)?;
        let keys = match row.context {
            KeyContext::Copy => format!("y {}", self.shell.keys.keys_text(row)),
            KeyContext::GoToMark => format!("' {}", self.shell.keys.keys_text(row)),
            _ => self.shell.keys.keys_text(row),
        };
        let item = PaletteItem::named(row.id, found);
        let is_of_view = row.context.view().is_some() && row.context.view() == here.view();
        let rank = match is_of_view {
            true if !typed.is_empty() => VIEW_RANK,
            true if !row.hint.is_empty() => FOOTER_RANK,
            _ => 0,
        };
        let rank = item.rank + rank;
        Some(PaletteItem { keys, help: row.help.to_owned(), rank, ..item })
    }

    fn value_items(&self, command: &Command, typed: &str) -> Vec<PaletteItem> {
        let Some(kind) = command.argument.kind() else { return vec![] };
        let values = values::argument_values(kind, self).into_iter();
        let items = values.filter_map(|it| {
            let found = fuzzy_match::match_name(typed, &it.value)
                .into_iter()
                .chain(fuzzy_match::match_beginnings(typed, &it.about))
                .max_by_key(|it| it.rank)?;
            Some(PaletteItem {
                line: format!("{} {}", command.name, it.value),
                help: it.about,
                ..PaletteItem::named(&it.value, found)
            })
        });
        items.collect()
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
            PaletteMessage::Accept => return self.run_line(palette),
            PaletteMessage::Type(words) => self.change_line(&mut palette, |it| it.push_str(&words)),
            PaletteMessage::Erase if self.palette_line(&palette).is_empty() => return vec![],
            PaletteMessage::Erase => self.change_line(&mut palette, |text| {
                text.pop();
            }),
            PaletteMessage::EraseAll => self.change_line(&mut palette, String::clear),
            PaletteMessage::Complete => self.complete_line(&mut palette),
            PaletteMessage::Move(motion) => self.choose_item(&mut palette, motion),
        }
        self.shell.palette = Some(palette);
        vec![]
    }

    fn run_line(&mut self, mut palette: CommandPalette) -> Vec<Effect> {
        let line = self.palette_line(&palette);
        if line.trim().is_empty() {
            return vec![];
        }
        match self.outcome_of_line(&line) {
            LineOutcome::Run(messages) => {
                messages.into_iter().flat_map(|it| self.apply_message(it)).collect()
            }
            LineOutcome::NeedsArgument(text) => {
                self.shell.palette = Some(CommandPalette { text, ..CommandPalette::default() });
                vec![]
            }
            LineOutcome::Refused(why) => {
                palette = CommandPalette { text: line, complaint: Some(why), selected: None };
                self.shell.palette = Some(palette);
                vec![]
            }
        }
    }

    fn change_line(&self, palette: &mut CommandPalette, change: impl FnOnce(&mut String)) {
        let mut text = self.palette_line(palette);
        change(&mut text);
        *palette = CommandPalette { text, ..CommandPalette::default() };
    }

    /// Completes the line: by the only item, with room for its argument, else by the next one.
    fn complete_line(&self, palette: &mut CommandPalette) {
        let items = self.palette_items(palette);
        match (items.as_slice(), palette.selected) {
            ([], _) => {}
            ([only], _) => {
                let text = only.line.clone();
                *palette = CommandPalette { text, ..CommandPalette::default() };
            }
            (items, Some(at)) => palette.selected = Some((at + 1) % items.len()),
            (_, None) => palette.selected = Some(0),
        }
    }

    /// Moves among the items; up from the first leads back to the typed text.
    fn choose_item(&self, palette: &mut CommandPalette, motion: Motion) {
        let count = self.palette_items(palette).len();
        palette.complaint = None;
        palette.selected = match (palette.selected, motion) {
            _ if count == 0 => None,
            (None, Motion::Up(_) | Motion::PageUp) => None,
            (None, motion) => Some(
                motion
                    .target_row(0, count, PAGE_ROWS)
                    .saturating_sub(usize::from(matches!(motion, Motion::Down(_)))),
            ),
            (Some(0), Motion::Up(_)) => None,
            (Some(at), motion) => Some(motion.target_row(at, count, PAGE_ROWS)),
        };
    }
}

impl CommandPalette {
    /// Returns the rows that say why the line was not run.
    pub(crate) fn complaint_rows(&self, layout: &ScreenLayout) -> Vec<String> {
        let Some(complaint) = self.complaint.as_deref().map(safe_string) else { return vec![] };
        let width = usize::from(layout.overlay_area().width).saturating_sub(4);
        let rows = wrap_line(&complaint, width).into_iter();
        rows.map(|range| complaint[range].trim_end().to_owned()).collect()
    }
}

impl PaletteItem {
    fn named(name: &str, found: NameMatch) -> Self {
        Self {
            line: name.to_owned(),
            name: name.to_owned(),
            places: found.places,
            argument: String::new(),
            keys: String::new(),
            help: String::new(),
            rank: found.rank * RANK_STEP + found.score.clamp(0, MAX_SCORE),
        }
    }
}

/// The weight of how well a name fits, against where it belongs.
const RANK_STEP: i32 = 1_000;

/// The most that the fit of single letters adds, so that commands and names of the view stay first.
const MAX_SCORE: i32 = 99;
