//! Every command in one list, found by some letters of what it does.
//!
//! The list is the part of the keymap that holds in the view below it, so a new key is a new command. Bindings that label,
//! stop something or write data are left out: a search must never do any of these. A number leads to a turn, and the files of the turn are
//! found by their paths.

pub use crate::shell::message::palette::Message;
use crate::{
    session::{context::Context, effect::Effect, place::At, turns, views::View},
    shell::{
        App, Message as Wish,
        keymap::{Binding, Count, Listing, bindings},
        open_run::{OpenRun, RunMessage},
    },
    views::replay,
    widgets::key::{Code, Key},
};
use trajview_run::{RepoPath, StepId};

use super::{fuzzy, keys::Keys};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Palette {
    pub text: String,
    /// Among what is found.
    pub selected: usize,
}

/// Something that can be chosen.
pub struct Found {
    pub choice: Choice,
    pub words: String,
    pub keys: String,
    pub place: &'static str,
    /// Characters of `words` that were typed.
    pub places: Vec<usize>,
    score: i32,
}

pub enum Choice {
    Command(&'static Binding),
    /// Counts from 1.
    Turn(usize),
    Step(StepId),
    File(RepoPath),
}

/// More than any sentence in letters can win.
const EXACT: i32 = 10_000;

/// Rows that a page moves by.
const PAGE: usize = 10;

impl Palette {
    /// What fits of what holds in a context, the best first; everything while nothing is typed.
    pub fn found(&self, here: Context, open: Option<&OpenRun>, keys: &Keys) -> Vec<Found> {
        let turn = open.and_then(|open| turn(&self.text, open));
        let commands = bindings().filter(|row| is_offered(row, here));
        let commands = commands.filter_map(|row| self.command(row, keys));
        let files = open.into_iter().flat_map(|open| self.files(open));
        let mut found: Vec<Found> = turn.into_iter().chain(commands).chain(files).collect();
        found.sort_by_key(|found| -found.score); // stable: equals stay in the order of the table
        found
    }

    fn command(&self, row: &'static Binding, own: &Keys) -> Option<Found> {
        let keys = match row.context {
            Context::Copy => format!("y {}", own.shown(row)),
            Context::GoToMark => format!("' {}", own.shown(row)),
            _ => own.shown(row),
        };
        let typed = self.text.trim();
        // A number is a turn, even where a digit is a key.
        let is_number = !typed.is_empty() && typed.chars().all(|c| c.is_ascii_digit());
        let is_key = !is_number && own.of_row(row).iter().any(|key| key.to_string() == typed);
        let found = match fuzzy::find(&self.text, row.help) {
            Some(found) => found,
            None if is_key => fuzzy::Match::default(),
            None => return None,
        };
        let is_name = row.help.strip_prefix("the ").is_some_and(|name| name == typed);
        let score = found.score + if is_key || is_name { EXACT } else { 0 };
        let (words, places, place) = (row.help.to_owned(), found.places, row.context.title());
        Some(Found { choice: Choice::Command(row), words, keys, place, places, score })
    }

    fn files(&self, open: &OpenRun) -> Vec<Found> {
        if self.text.trim().is_empty() {
            return vec![];
        }
        let paths = open.replay.changes(&open.session).iter().map(|change| change.path.clone());
        let fitting = paths.filter_map(|path| {
            let found = fuzzy::find(&self.text, path.as_str())?;
            Some(Found {
                words: path.to_string(),
                choice: Choice::File(path),
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

/// Whether the list, opened in a context, offers a binding: it holds there, and neither labels nor stops nor writes.
fn is_offered(row: &Binding, here: Context) -> bool {
    let calls_off = matches!(row.context, Context::Copy | Context::GoToMark)
        && row.keys.contains(&Key::plain(Code::Esc));
    here.offers(row.context) && row.listing == Listing::Listed && !calls_off
}

fn turn(text: &str, open: &OpenRun) -> Option<Found> {
    if let Ok(at @ At::Step(turn, number)) = text.trim().parse::<At>() {
        let step = at.step(&open.session.run).ok()?;
        let label = open.session.run.step(step).map(|step| step.label.clone());
        let words = format!("step {turn}.{number}  {}", label.unwrap_or_default());
        let (keys, place) = (String::new(), "a step of this run");
        return Some(Found {
            choice: Choice::Step(step),
            words,
            keys,
            place,
            places: vec![],
            score: EXACT,
        });
    }
    let number: usize = text.trim().parse().ok()?;
    let found = open.session.run.turns.get(number.checked_sub(1)?)?;
    let words = format!("turn {number}  {}", found.title);
    let (keys, place) = (format!("{number}G"), "a turn of this run");
    Some(Found { choice: Choice::Turn(number), words, keys, place, places: vec![], score: EXACT })
}

impl App {
    /// What the list of commands has at the moment.
    pub(crate) fn commands_found(&self, palette: &Palette) -> Vec<Found> {
        let here = self.jobs.context().unwrap_or_else(|| self.screens.context());
        palette.found(here, self.screens.shown_run(), &self.shell.keys)
    }

    pub(crate) fn update_palette(&mut self, message: Message) -> Vec<Effect> {
        if message == Message::Open {
            self.overlay = None;
            self.shell.palette = Some(Palette::default());
        }
        let Some(mut palette) = self.shell.palette.take() else { return vec![] };
        match message {
            Message::Open => {}
            Message::Close => return vec![],
            Message::Accept => {
                let chosen = self.commands_found(&palette).into_iter().nth(palette.selected);
                let Some(chosen) = chosen else {
                    self.shell.palette = Some(palette);
                    return vec![];
                };
                let view = chosen.choice.view();
                view.into_iter().for_each(|view| self.screens.bring_up(view));
                return self.take(chosen.choice.message());
            }
            Message::Type(words) => palette.type_words(|text| text.push_str(&words)),
            Message::Erase if palette.text.is_empty() => return vec![],
            Message::Erase => palette.type_words(|text| {
                text.pop();
            }),
            Message::EraseAll => palette.type_words(String::clear),
            Message::Move(motion) => {
                let count = self.commands_found(&palette).len();
                palette.selected = motion.from(palette.selected, count, PAGE);
            }
        }
        self.shell.palette = Some(palette);
        vec![]
    }
}

impl Choice {
    /// The view that the command is of; None where it is of any.
    fn view(&self) -> Option<View> {
        match self {
            Self::Command(row) => row.context.view(),
            Self::Turn(_) => None,
            Self::Step(_) | Self::File(_) => Some(View::Replay),
        }
    }

    fn message(self) -> Wish {
        match self {
            Self::Command(row) => (row.message)(Count::default()),
            Self::Turn(number) => {
                Wish::Run(RunMessage::Replay(replay::Message::Turns(turns::Message::To(number))))
            }
            Self::Step(step) => Wish::Run(RunMessage::Replay(replay::Message::Step(step))),
            Self::File(path) => Wish::Shell(super::state::Message::ShowFile(path)),
        }
    }
}
