//! Keys are data: one row a binding. Dispatch, the footer, the `?` overlay and `trajview keys` all read this list.
//!
//! To bind a key add a row. A row with a `hint` shows in the footer of its place; neighbours with the same hint
//! share it (`←→ turn`).

use crate::run::search::Syntax;

use super::{
    Message, base, chooser, collection, compare,
    curves::{self, Part},
    diff, files,
    key::{Code, Key},
    layout::Panel,
    overlay, playback, replay,
    scores::{self, components, tree},
    scroll::Motion,
    search,
    shell::{self, Pending, copy::What, palette},
    steps,
    stops::Stop,
    turns,
    views::{self, View},
};

/// Where a binding holds. In a panel its own rows and those of [`Context::Replay`] hold together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// In every view.
    Anywhere,
    /// In every view of a run.
    InRun,
    Replay,
    Turns,
    Files,
    Diff,
    Steps,
    Prompt,
    Overlay,
    Palette,
    /// After `y`.
    Copy,
    /// After `M`.
    Mark,
    /// After `'`.
    GoToMark,
    /// The list of hits.
    Hits,
    /// The list of requests.
    Requests,
    Kinds,
    Stops,
    /// In every list to choose from but one that takes text.
    List,
    /// In both parts of the curves.
    Curves,
    Chart,
    /// The list of what moved a point.
    Moved,
    /// In every part of the scores.
    Scores,
    /// The rubric tree.
    Rubric,
    /// In every part of the comparison.
    Compare,
    /// At its numbers, components and code.
    Pair,
    /// At its curves.
    Overlaid,
    /// Among the files both runs ended with.
    Ended,
    /// The table of runs.
    Table,
    /// Typing what narrows the table down.
    Filter,
    /// While typing what to look for in it.
    RubricFind,
    /// In every part of the component scores.
    Judged,
    /// The table of components.
    Components,
    /// The verdict on one of them.
    Verdict,
    Lifeline,
}

/// A number typed before a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count(pub Option<usize>);

pub struct Binding {
    pub context: Context,
    /// All mean the same; the first is the one in the footer.
    pub keys: &'static [Key],
    pub help: &'static str,
    /// One word for the footer; empty keeps the row out of it.
    pub hint: &'static str,
    pub message: fn(Count) -> Message,
}

impl Context {
    pub const ALL: [Self; 34] = [
        Self::Replay,
        Self::Anywhere,
        Self::InRun,
        Self::Turns,
        Self::Files,
        Self::Diff,
        Self::Steps,
        Self::Curves,
        Self::Chart,
        Self::Moved,
        Self::Scores,
        Self::Rubric,
        Self::Compare,
        Self::Pair,
        Self::Overlaid,
        Self::Ended,
        Self::Table,
        Self::Filter,
        Self::RubricFind,
        Self::Judged,
        Self::Components,
        Self::Verdict,
        Self::Lifeline,
        Self::Prompt,
        Self::Overlay,
        Self::Palette,
        Self::Copy,
        Self::Mark,
        Self::GoToMark,
        Self::Hits,
        Self::Requests,
        Self::Kinds,
        Self::Stops,
        Self::List,
    ];

    pub const fn title(self) -> &'static str {
        match self {
            Self::Anywhere => "everywhere",
            Self::InRun => "in every view of a run",
            Self::Replay => "in the replay",
            Self::Turns => "in the list of turns",
            Self::Files => "in the list of files",
            Self::Diff => "in the diff",
            Self::Steps => "in the steps",
            Self::Curves => "in the curves",
            Self::Chart => "at the chart of the curves",
            Self::Moved => "in the list of what moved",
            Self::Scores => "in the scores",
            Self::Rubric => "in the rubric tree",
            Self::Compare => "in the comparison",
            Self::Pair => "at its numbers, components and code",
            Self::Overlaid => "at its curves",
            Self::Ended => "among the files of its runs",
            Self::Table => "in the table of runs",
            Self::Filter => "while typing a filter",
            Self::RubricFind => "while typing what to look for in the rubric tree",
            Self::Judged => "in the scores of components",
            Self::Components => "in the table of components",
            Self::Verdict => "in the verdict on a component",
            Self::Lifeline => "in the lifeline of a component",
            Self::Prompt => "while typing a search",
            Self::Overlay => "in a box like this one",
            Self::Palette => "in the list of commands",
            Self::Copy => "after y, to copy",
            Self::Mark => "after M, before a letter",
            Self::GoToMark => "after ', before a letter",
            Self::Hits => "in the list of hits",
            Self::Requests => "in the list of requests",
            Self::Kinds => "among the kinds of steps",
            Self::Stops => "among the reasons to stop",
            Self::List => "in each of these lists",
        }
    }

    pub const fn of_panel(panel: Panel) -> Self {
        match panel {
            Panel::Turns => Self::Turns,
            Panel::Files => Self::Files,
            Panel::Diff => Self::Diff,
            Panel::Steps => Self::Steps,
        }
    }

    /// Where the keyboard is while nothing lies over the views.
    pub fn of_place(replay: &replay::Replay) -> Self {
        match (replay.view, replay.curves.part) {
            (View::Replay | View::Collection | View::Compare, _) => Self::of_panel(replay.focus),
            (View::Curves, Part::Chart) => Self::Chart,
            (View::Curves, Part::Moved) => Self::Moved,
            (View::Scores, _) => replay.scores.context(&replay.run),
        }
    }

    /// Of a part of the comparison.
    pub const fn of_part(part: compare::Part) -> Self {
        match part {
            compare::Part::Numbers | compare::Part::Components | compare::Part::Code => Self::Pair,
            compare::Part::Curves => Self::Overlaid,
            compare::Part::Files => Self::Ended,
        }
    }

    /// The view that its rows are of; None where they are of any.
    pub const fn view(self) -> Option<View> {
        match self {
            Self::Replay | Self::Turns | Self::Files | Self::Diff | Self::Steps => {
                Some(View::Replay)
            }
            Self::Curves | Self::Chart | Self::Moved => Some(View::Curves),
            Self::Compare | Self::Pair | Self::Overlaid | Self::Ended => Some(View::Compare),
            Self::Scores
            | Self::Rubric
            | Self::RubricFind
            | Self::Judged
            | Self::Components
            | Self::Verdict
            | Self::Lifeline => Some(View::Scores),
            Self::Table | Self::Filter => Some(View::Collection),
            _ => None,
        }
    }

    /// The contexts whose rows hold here, the closest first.
    pub const fn layers(self) -> &'static [Self] {
        match self {
            Self::Anywhere => &[Self::Anywhere],
            Self::Compare => &[Self::Compare, Self::Anywhere],
            Self::Pair => &[Self::Pair, Self::Compare, Self::Anywhere],
            Self::Overlaid => &[Self::Overlaid, Self::Compare, Self::Anywhere],
            Self::Ended => &[Self::Ended, Self::Compare, Self::Anywhere],
            Self::InRun => &[Self::InRun, Self::Anywhere],
            Self::Replay => &[Self::Replay, Self::InRun, Self::Anywhere],
            Self::Curves => &[Self::Curves, Self::InRun, Self::Anywhere],
            Self::Chart => &[Self::Chart, Self::Curves, Self::InRun, Self::Anywhere],
            Self::Moved => &[Self::Moved, Self::Curves, Self::InRun, Self::Anywhere],
            Self::Turns => &[Self::Turns, Self::Replay, Self::InRun, Self::Anywhere],
            Self::Files => &[Self::Files, Self::Replay, Self::InRun, Self::Anywhere],
            Self::Diff => &[Self::Diff, Self::Replay, Self::InRun, Self::Anywhere],
            Self::Steps => &[Self::Steps, Self::Replay, Self::InRun, Self::Anywhere],
            Self::Table => &[Self::Table, Self::Anywhere],
            Self::Filter => &[Self::Filter],
            Self::Scores => &[Self::Scores, Self::InRun, Self::Anywhere],
            Self::Rubric => &[Self::Rubric, Self::Scores, Self::InRun, Self::Anywhere],
            Self::RubricFind => &[Self::RubricFind],
            Self::Judged => &[Self::Judged, Self::Scores, Self::InRun, Self::Anywhere],
            Self::Components => {
                &[Self::Components, Self::Judged, Self::Scores, Self::InRun, Self::Anywhere]
            }
            Self::Verdict => {
                &[Self::Verdict, Self::Judged, Self::Scores, Self::InRun, Self::Anywhere]
            }
            Self::Lifeline => {
                &[Self::Lifeline, Self::Judged, Self::Scores, Self::InRun, Self::Anywhere]
            }
            Self::Prompt => &[Self::Prompt],
            Self::Overlay => &[Self::Overlay],
            Self::Palette => &[Self::Palette],
            Self::Copy => &[Self::Copy],
            Self::Mark => &[Self::Mark],
            Self::GoToMark => &[Self::GoToMark],
            Self::Hits => &[Self::Hits, Self::List],
            Self::Requests => &[Self::Requests],
            Self::Kinds => &[Self::Kinds, Self::List],
            Self::Stops => &[Self::Stops, Self::List],
            Self::List => &[Self::List],
        }
    }

    pub const fn of_chooser(kind: chooser::Kind) -> Self {
        match kind {
            chooser::Kind::Hits => Self::Hits,
            chooser::Kind::Requests => Self::Requests,
            chooser::Kind::Kinds => Self::Kinds,
            chooser::Kind::Stops => Self::Stops,
        }
    }

    /// Whether a key that means nothing here types itself.
    pub const fn takes_text(self) -> bool {
        self.types_words() || matches!(self, Self::Palette)
    }

    /// Whether what is typed or pasted are words of a prompt.
    pub const fn types_words(self) -> bool {
        matches!(self, Self::Prompt | Self::Requests | Self::Filter | Self::RubricFind)
    }
}

impl Count {
    /// How often: once unless a number was typed.
    pub fn times(self) -> usize {
        self.0.unwrap_or(1).max(1)
    }
}

impl Binding {
    /// `h ←`, for help.
    pub fn keys_shown(&self) -> String {
        self.keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
    }
}

/// What a key means in a place; None where it means nothing.
pub fn find(context: Context, key: Key) -> Option<&'static Binding> {
    let layers = context.layers().iter();
    layers
        .flat_map(|layer| BINDINGS.iter().filter(move |binding| binding.context == *layer))
        .find(|binding| binding.keys.contains(&key))
}

/// What the footer of a place says, most useful first: keys and a word.
pub fn hints(context: Context) -> Vec<(String, &'static str)> {
    hints_with(context, |row| row.keys[0])
}

/// As [`hints`], with the keys that `key` gives for a row.
pub fn hints_with(
    context: Context,
    key: impl Fn(&'static Binding) -> Key,
) -> Vec<(String, &'static str)> {
    let mut hints: Vec<(String, &'static str)> = vec![];
    let layers = context.layers().iter();
    let rows = layers.flat_map(|layer| BINDINGS.iter().filter(move |row| row.context == *layer));
    for row in rows.filter(|row| !row.hint.is_empty()) {
        let key = key(row).to_string();
        match hints.last_mut() {
            Some((keys, hint)) if *hint == row.hint => keys.push_str(&key),
            _ => hints.push((key, row.hint)),
        }
    }
    hints
}

const fn row(
    context: Context,
    keys: &'static [Key],
    help: &'static str,
    hint: &'static str,
    message: fn(Count) -> Message,
) -> Binding {
    Binding { context, keys, help, hint, message }
}

const fn c(c: char) -> Key {
    Key::char(c)
}

const fn k(code: Code) -> Key {
    Key::plain(code)
}

const fn replay(message: replay::Message) -> Message {
    Message::Replay(message)
}

const fn go(motion: Motion) -> Message {
    replay(replay::Message::Move(motion))
}

const fn scroll(motion: Motion) -> Message {
    Message::Overlay(overlay::Message::Move(motion))
}

const fn turn(message: turns::Message) -> Message {
    replay(replay::Message::Turns(message))
}

const fn since(message: base::Message) -> Message {
    replay(replay::Message::Base(message))
}

const fn step(message: steps::Message) -> Message {
    replay(replay::Message::Steps(message))
}

const fn file(message: files::Message) -> Message {
    replay(replay::Message::Files(message))
}

const fn diff(message: diff::Message) -> Message {
    replay(replay::Message::Diff(message))
}

const fn play(message: playback::Message) -> Message {
    replay(replay::Message::Playback(message))
}

const fn find_words(message: search::Message) -> Message {
    replay(replay::Message::Search(message))
}

const fn choose(message: chooser::Message) -> Message {
    replay(replay::Message::Choose(message))
}

const fn list(kinds: steps::Kinds) -> Message {
    replay(replay::Message::List(kinds))
}

const fn open(kind: overlay::Kind) -> Message {
    Message::Overlay(overlay::Message::Open(kind))
}

const fn shell(message: shell::Message) -> Message {
    Message::Shell(message)
}

const fn commands(message: palette::Message) -> Message {
    shell(shell::Message::Palette(message))
}

const fn view(message: views::Message) -> Message {
    replay(replay::Message::View(message))
}

const fn curve(message: curves::Message) -> Message {
    replay(replay::Message::Curves(message))
}

const fn table(message: collection::Message) -> Message {
    Message::Collection(message)
}

const fn narrow(message: collection::prompt::Message) -> Message {
    table(collection::Message::Prompt(message))
}

const fn scored(message: scores::Message) -> Message {
    replay(replay::Message::Scores(message))
}

const fn judged(message: components::Message) -> Message {
    scored(scores::Message::Components(message))
}

const fn rubric(message: tree::Message) -> Message {
    scored(scores::Message::Tree(message))
}

const fn pair(message: compare::Message) -> Message {
    Message::Compare(message)
}

const fn copy(what: What) -> Message {
    shell(shell::Message::Copy(what))
}

const fn focus(panel: Panel) -> Message {
    replay(replay::Message::Focus(panel))
}

/// Columns that the diff moves sideways by.
const SIDEWAYS: usize = 8;

#[rustfmt::skip] // a table: one row a binding
pub static BINDINGS: &[Binding] = {
    use Context::{
        Anywhere, Chart, Compare, Components, Copy, Curves, Diff, Ended, Files, Filter, GoToMark, Hits, InRun, Judged,
        Kinds, Lifeline, List, Mark, Moved, Overlaid, Overlay, Pair, Palette, Prompt, Replay, Requests, Rubric,
        RubricFind, Scores, Steps, Stops, Table, Turns, Verdict,
    };
    &[
        row(Replay, &[k(Code::Left), c('h')], "previous turn; 5h goes back five", "turn", |n| turn(turns::Message::Previous(n.times()))),
        row(Replay, &[k(Code::Right), c('l')], "next turn; 5l goes on five", "turn", |n| turn(turns::Message::Next(n.times()))),
        row(Replay, &[k(Code::Up), c('k')], "up in this panel", "", |n| go(Motion::Up(n.times()))),
        row(Replay, &[k(Code::Down), c('j')], "down in this panel", "", |n| go(Motion::Down(n.times()))),
        row(Replay, &[c('S')], "previous step", "", |n| step(steps::Message::Previous(n.times()))),
        row(Replay, &[c('s')], "next step", "step", |n| step(steps::Message::Next(n.times()))),
        row(Replay, &[c('F')], "previous file", "", |n| file(files::Message::Previous(n.times()))),
        row(Replay, &[c('f')], "next file", "file", |n| file(files::Message::Next(n.times()))),
        row(Replay, &[c('{')], "first turn of this checkpoint, then of the one before", "", |n| turn(turns::Message::PreviousCheckpoint(n.times()))),
        row(Replay, &[c('}')], "first turn of the next checkpoint", "", |n| turn(turns::Message::NextCheckpoint(n.times()))),
        row(Replay, &[c('[')], "previous hunk of the diff; in blame the lines of another turn above", "", |n| diff(diff::Message::PreviousHunk(n.times()))),
        row(Replay, &[c(']')], "next hunk of the diff; in blame the next lines of another turn", "", |n| diff(diff::Message::NextHunk(n.times()))),
        row(Replay, &[k(Code::Tab)], "next panel", "panel", |_| replay(replay::Message::FocusNext)),
        row(Replay, &[k(Code::BackTab)], "previous panel", "", |_| replay(replay::Message::FocusPrevious)),
        row(Replay, &[c('m')], "give this panel all the room, or share it again", "", |_| Message::Zoom),
        row(Replay, &[c(' ')], "play or pause", "play", |_| play(playback::Message::PlayOrPause)),
        row(InRun, &[c('+'), c('=')], "play faster", "", |_| play(playback::Message::Faster)),
        row(InRun, &[c('-')], "play slower", "", |_| play(playback::Message::Slower)),
        row(Replay, &[c('u')], "play by turn, by checkpoint or by step", "", |_| play(playback::Message::NextUnit)),
        row(Replay, &[c('/')], "search the whole run for words, folded text included", "search", |_| find_words(search::Message::Start(Syntax::Literal))),
        row(Replay, &[c('\\')], "search for a regular expression", "", |_| find_words(search::Message::Start(Syntax::Regex))),
        row(Replay, &[c('n')], "next hit", "", |n| find_words(search::Message::Next(n.times()))),
        row(Replay, &[c('N')], "previous hit", "", |n| find_words(search::Message::Previous(n.times()))),
        row(Replay, &[c('v')], "diff of the whole turn, or of the selected step alone", "step diff", |_| diff(diff::Message::Switch)),
        row(Replay, &[c('d')], "diff with both sides below or beside each other", "side by side", |_| diff(diff::Message::Arrange)),
        row(Replay, &[c('b')], "diff since the turn before, since the checkpoint or the run began, since the marked turn", "base", |_| since(base::Message::Next)),
        row(Replay, &[c('B')], "mark this turn and diff since its end", "", |_| since(base::Message::MarkHere)),
        row(Replay, &[c('.')], "next step that edits a file, whatever its turn", "edit", |n| replay(replay::Message::Edits(replay::Edits::Next(n.times())))),
        row(Replay, &[c(',')], "previous step that edits a file", "", |n| replay(replay::Message::Edits(replay::Edits::Previous(n.times())))),
        row(Replay, &[k(Code::PageUp)], "a page up", "", |_| go(Motion::PageUp)),
        row(Replay, &[k(Code::PageDown)], "a page down", "", |_| go(Motion::PageDown)),
        row(Replay, &[Key::ctrl('u')], "half a page up", "", |_| go(Motion::HalfUp)),
        row(Replay, &[Key::ctrl('d')], "half a page down", "", |_| go(Motion::HalfDown)),
        row(Replay, &[c('g'), k(Code::Home)], "to the start of this panel, gg too; 12gg to turn, file, step or line 12", "", |n| go(n.0.map_or(Motion::Start, Motion::To))),
        row(Replay, &[c('G'), k(Code::End)], "to the end of this panel; 12G to turn, file, step or line 12", "", |n| go(n.0.map_or(Motion::End, Motion::To))),
        row(Replay, &[c('z')], "fold every step", "", |_| step(steps::Message::FoldAll)),
        row(Replay, &[c('Z')], "unfold every step of the turn", "", |_| step(steps::Message::UnfoldAll)),
        row(Anywhere, &[c('w')], "next view; 1w the replay, 2w the curves, 3w the scores, 5w the comparison, 6w the table of runs", "view", |n| view(n.0.map_or(views::Message::Next, views::Message::Number))),
        row(Anywhere, &[k(Code::F(1))], "the replay", "", |_| view(views::Message::Number(1))),
        row(Anywhere, &[k(Code::F(2))], "the curves", "", |_| view(views::Message::Number(2))),
        row(Anywhere, &[k(Code::F(3))], "the scores", "", |_| view(views::Message::Number(3))),
        row(Anywhere, &[k(Code::F(5))], "the comparison", "", |_| view(views::Message::Number(5))),
        row(Anywhere, &[k(Code::F(6))], "the table of runs", "", |_| view(views::Message::Number(6))),
        row(Replay, &[c('W')], "why the line at the cursor of the diff is marked", "", |_| open(overlay::Kind::Why)),
        row(Replay, &[c('X')], "marks beside the lines of the diff, or none: ▲ complexity, § rules, ≡ clones, ◆ evidence of verdicts", "", |_| curve(curves::Message::SwitchMarks)),
        row(InRun, &[c('i')], "facts about this run", "", |_| open(overlay::Kind::Info)),
        row(InRun, &[c('e')], "what could not be read in the recording", "", |_| open(overlay::Kind::Warnings)),
        row(Anywhere, &[c('?')], "these keys", "help", |_| open(overlay::Kind::Help)),
        row(Replay, &[k(Code::Esc)], "forget the search; share the room again", "", |_| Message::Escape),
        row(Anywhere, &[Key::ctrl('z')], "leave for the shell; fg comes back", "", |_| Message::Suspend),
        row(Anywhere, &[c('q'), Key::ctrl('c')], "quit", "quit", |_| Message::Quit),
        row(Turns, &[k(Code::Enter)], "look at the steps of the turn", "steps", |_| focus(Panel::Steps)),
        row(Files, &[k(Code::Enter)], "look at the diff of the file; in the tree open the folder or the file", "open", |_| file(files::Message::Open)),
        row(Files, &[c('t')], "files that changed, or all files at this turn", "tree", |_| file(files::Message::SwitchTree)),
        row(Diff, &[c('<')], "to the left in long lines", "sideways", |n| diff(diff::Message::Left(SIDEWAYS * n.times()))),
        row(Diff, &[c('>')], "to the right in long lines", "sideways", |n| diff(diff::Message::Right(SIDEWAYS * n.times()))),
        row(Diff, &[k(Code::Enter)], "open a fold; in a blamed file go to the turn and step that wrote the line; else the steps", "go", |_| diff(diff::Message::Enter)),
        row(Diff, &[c('a')], "blame: the whole file with who wrote each line; again the change", "blame", |_| diff(diff::Message::SwitchView)),
        row(Diff, &[k(Code::Backspace)], "back to the line a jump came from; without one to the table of runs", "", |_| diff(diff::Message::Back)),
        row(Diff, &[c('o')], "open the folded text at the cursor, or fold it", "fold", |_| diff(diff::Message::Fold)),
        row(Diff, &[c('O')], "open all folded text, or fold all", "", |_| diff(diff::Message::FoldAll)),
        row(Steps, &[k(Code::Enter)], "fold or unfold the step; enter the sub-agent it starts", "open", |_| step(steps::Message::Fold)),
        row(Prompt, &[k(Code::Enter)], "search; with nothing typed list the hits, or search again", "search", |_| find_words(search::Message::Accept)),
        row(Prompt, &[Key::ctrl('r')], "as typed, or as a regular expression", "regex", |_| find_words(search::Message::SwitchSyntax)),
        row(Prompt, &[k(Code::Esc), Key::ctrl('c')], "do not search", "cancel", |_| find_words(search::Message::Cancel)),
        row(Prompt, &[k(Code::Backspace)], "erase a character", "", |_| find_words(search::Message::Erase)),
        row(Prompt, &[Key::ctrl('u')], "erase everything", "", |_| find_words(search::Message::EraseAll)),
        row(Overlay, &[k(Code::Up), c('k')], "up", "scroll", |n| scroll(Motion::Up(n.times()))),
        row(Overlay, &[k(Code::Down), c('j')], "down", "scroll", |n| scroll(Motion::Down(n.times()))),
        row(Overlay, &[k(Code::PageUp), Key::ctrl('u')], "a page up", "", |_| scroll(Motion::PageUp)),
        row(Overlay, &[k(Code::PageDown), Key::ctrl('d'), c(' ')], "a page down", "", |_| scroll(Motion::PageDown)),
        row(Overlay, &[c('g'), k(Code::Home)], "to the start", "", |_| scroll(Motion::Start)),
        row(Overlay, &[c('G'), k(Code::End)], "to the end", "", |_| scroll(Motion::End)),
        row(Overlay, &[k(Code::Esc), c('q'), k(Code::Enter), c('?')], "close", "close", |_| Message::Overlay(overlay::Message::Close)),
        row(Overlay, &[Key::ctrl('c')], "quit", "", |_| Message::Quit),
        row(Anywhere, &[c(':'), Key::ctrl('p')], "find a command by some of its letters; :36 is turn 36, a path a file of the turn", "", |_| commands(palette::Message::Open)),
        row(Anywhere, &[c('y')], "copy: then l the line, h the hunk, p the patch of the file, y the command that opens this place", "", |_| shell(shell::Message::Await(Pending::Copy))),
        row(Replay, &[c('E')], "open the file as it stands after the turn in $VISUAL or $EDITOR", "", |_| shell(shell::Message::Edit)),
        row(InRun, &[c('M')], "mark this place with the letter that follows; it keeps the view of the diff", "", |_| shell(shell::Message::Await(Pending::Mark))),
        row(InRun, &[c('\'')], "go to the mark with the letter that follows; '' to where the last jump began", "", |_| shell(shell::Message::Await(Pending::GoToMark))),
        row(InRun, &[Key::ctrl('o')], "back to where the last jump began, and the one before", "", |n| shell(shell::Message::Back(n.times()))),
        row(InRun, &[Key::ctrl('n')], "forward again", "", |n| shell(shell::Message::Forward(n.times()))),
        row(Anywhere, &[c('T')], "next theme: terminal, dark, light, high-contrast, colour-blind", "", |_| shell(shell::Message::NextTheme)),
        row(Anywhere, &[Key::ctrl('g')], "leave the mouse to the terminal, to select text with it, or take it back", "", |_| shell(shell::Message::SwitchMouse)),
        row(Palette, &[k(Code::Enter)], "run the command", "run", |_| commands(palette::Message::Accept)),
        row(Palette, &[k(Code::Up), Key::ctrl('p')], "up", "choose", |_| commands(palette::Message::Move(Motion::Up(1)))),
        row(Palette, &[k(Code::Down), Key::ctrl('n')], "down", "choose", |_| commands(palette::Message::Move(Motion::Down(1)))),
        row(Palette, &[k(Code::PageUp)], "a page up", "", |_| commands(palette::Message::Move(Motion::PageUp))),
        row(Palette, &[k(Code::PageDown)], "a page down", "", |_| commands(palette::Message::Move(Motion::PageDown))),
        row(Palette, &[k(Code::Backspace)], "erase a letter; the list closes after the last", "", |_| commands(palette::Message::Erase)),
        row(Palette, &[Key::ctrl('u')], "erase everything", "", |_| commands(palette::Message::EraseAll)),
        row(Palette, &[k(Code::Esc), Key::ctrl('c')], "close", "close", |_| commands(palette::Message::Close)),
        row(Copy, &[c('l')], "copy the line of this panel", "line", |_| copy(What::Line)),
        row(Copy, &[c('h')], "copy the hunk", "hunk", |_| copy(What::Hunk)),
        row(Copy, &[c('p')], "copy the patch of the file", "patch", |_| copy(What::Patch)),
        row(Copy, &[c('v')], "copy the verdict on the component", "verdict", |_| copy(What::Verdict)),
        row(Copy, &[c('y')], "copy the command that opens this place", "command that opens this place", |_| copy(What::Link)),
        row(Copy, &[k(Code::Esc), Key::ctrl('c')], "copy nothing", "cancel", |_| shell(shell::Message::Forget)),
        row(Mark, &[k(Code::Esc), Key::ctrl('c')], "mark nothing", "cancel; a letter marks this place", |_| shell(shell::Message::Forget)),
        row(GoToMark, &[c('\'')], "to where the last jump began", "last jump", |_| shell(shell::Message::LastJump)),
        row(GoToMark, &[k(Code::Esc), Key::ctrl('c')], "stay here", "cancel; a letter goes to its mark", |_| shell(shell::Message::Forget)),
        row(Replay, &[c('L')], "list every hit of the search", "", |_| choose(chooser::Message::Open(chooser::Kind::Hits))),
        row(InRun, &[c('R')], "list every request; typing narrows it down", "", |_| choose(chooser::Message::Open(chooser::Kind::Requests))),
        row(Replay, &[c('K')], "choose which kinds of steps are listed", "", |_| choose(chooser::Message::Open(chooser::Kind::Kinds))),
        row(Replay, &[c('P')], "choose what playback stops at", "", |_| choose(chooser::Message::Open(chooser::Kind::Stops))),
        row(InRun, &[c('&')], "follow a recording that is still being written, or no longer", "", |_| Message::Follow),
        row(Replay, &[c('#')], "show the run up to this turn in numbers, or hide them", "", |_| Message::Now),
        row(Curves, &[k(Code::Left), c('h')], "previous point; 5h goes back five", "point", |n| curve(curves::Message::Go(Motion::Up(n.times())))),
        row(Curves, &[k(Code::Right), c('l')], "next point; 5l goes on five", "point", |n| curve(curves::Message::Go(Motion::Down(n.times())))),
        row(Curves, &[c('m')], "to the steepest rise of the curve, from there to the next steepest; 3m goes three on", "steepest", |n| curve(curves::Message::Steepest(n.times()))),
        row(Curves, &[c('u')], "points at turns or at checkpoints", "by turn or checkpoint", |_| curve(curves::Message::SwitchAxis)),
        row(Curves, &[c('['), c('{')], "first turn of this checkpoint, then of the one before", "", |n| curve(curves::Message::PreviousCheckpoint(n.times()))),
        row(Curves, &[c(']'), c('}')], "first turn of the next checkpoint", "", |n| curve(curves::Message::NextCheckpoint(n.times()))),
        row(Curves, &[c(' ')], "play or pause", "play", |_| play(playback::Message::PlayOrPause)),
        row(Curves, &[c('x')], "stop measuring, or go on", "", |_| curve(curves::Message::StopOrGoOn)),
        row(Curves, &[k(Code::Tab), k(Code::BackTab)], "from the chart to the list of what moved, and back", "", |_| curve(curves::Message::SwitchPart)),
        row(Chart, &[k(Code::Up), c('k')], "previous curve", "curve", |n| curve(curves::Message::Choose(Motion::Up(n.times())))),
        row(Chart, &[k(Code::Down), c('j')], "next curve", "curve", |n| curve(curves::Message::Choose(Motion::Down(n.times())))),
        row(Chart, &[k(Code::Enter)], "what moved this point since the one before", "what moved", |_| curve(curves::Message::Open)),
        row(Chart, &[k(Code::PageUp), Key::ctrl('u')], "ten points back", "", |_| curve(curves::Message::Go(Motion::PageUp))),
        row(Chart, &[k(Code::PageDown), Key::ctrl('d')], "ten points on", "", |_| curve(curves::Message::Go(Motion::PageDown))),
        row(Chart, &[c('g'), k(Code::Home)], "to the first point, gg too; 12gg to turn 12", "", |n| curve(curves::Message::Go(n.0.map_or(Motion::Start, Motion::To)))),
        row(Chart, &[c('G'), k(Code::End)], "to the last point; 12G to turn 12", "", |n| curve(curves::Message::Go(n.0.map_or(Motion::End, Motion::To)))),
        row(Moved, &[k(Code::Enter)], "to the lines that moved the point, in the change of their turn or in the whole file", "go to the lines", |_| curve(curves::Message::Follow)),
        row(Moved, &[k(Code::Esc), k(Code::Backspace)], "back to the chart", "chart", |_| curve(curves::Message::Close)),
        row(Moved, &[k(Code::Up), c('k')], "up in the list", "row", |n| curve(curves::Message::Move(Motion::Up(n.times())))),
        row(Moved, &[k(Code::Down), c('j')], "down in the list", "row", |n| curve(curves::Message::Move(Motion::Down(n.times())))),
        row(Moved, &[k(Code::PageUp), Key::ctrl('u')], "a page up", "", |_| curve(curves::Message::Move(Motion::PageUp))),
        row(Moved, &[k(Code::PageDown), Key::ctrl('d')], "a page down", "", |_| curve(curves::Message::Move(Motion::PageDown))),
        row(Moved, &[c('g'), k(Code::Home)], "to the start of the list", "", |_| curve(curves::Message::Move(Motion::Start))),
        row(Moved, &[c('G'), k(Code::End)], "to the end of the list", "", |n| curve(curves::Message::Move(n.0.map_or(Motion::End, Motion::To)))),
        row(Scores, &[c('t')], "the component table or the rubric tree, where the run has both", "other scores", |_| scored(scores::Message::Switch)),
        row(Pair, &[k(Code::Left), c('h')], "the first of the two runs", "run", |_| pair(compare::Message::Side(0))),
        row(Pair, &[k(Code::Right), c('l')], "the second of the two runs", "run", |_| pair(compare::Message::Side(1))),
        row(Pair, &[k(Code::Enter)], "open the run at the lines the judge named, or where it was committed to", "open the run", |_| pair(compare::Message::Enter)),
        row(Pair, &[c('[')], "previous place that the judge named", "", |n| pair(compare::Message::Step(Motion::Up(n.times())))),
        row(Pair, &[c(']')], "next place that the judge named", "evidence", |n| pair(compare::Message::Step(Motion::Down(n.times())))),
        row(Overlaid, &[k(Code::Left), c('h')], "previous point; 5h goes back five", "point", |n| pair(compare::Message::Point(Motion::Up(n.times())))),
        row(Overlaid, &[k(Code::Right), c('l')], "next point; 5l goes on five", "point", |n| pair(compare::Message::Point(Motion::Down(n.times())))),
        row(Overlaid, &[k(Code::Enter)], "open the run at the turn of this point", "open the run", |_| pair(compare::Message::Enter)),
        row(Ended, &[k(Code::Enter)], "compare the file line by line; from there open the run at the line", "open", |_| pair(compare::Message::Enter)),
        row(Ended, &[c('[')], "previous hunk", "", |n| pair(compare::Message::Step(Motion::Up(n.times())))),
        row(Ended, &[c(']')], "next hunk", "hunk", |n| pair(compare::Message::Step(Motion::Down(n.times())))),
        row(Compare, &[k(Code::Up), c('k')], "up; at the curves another number", "", |n| pair(compare::Message::Move(Motion::Up(n.times())))),
        row(Compare, &[k(Code::Down), c('j')], "down; at the curves another number", "", |n| pair(compare::Message::Move(Motion::Down(n.times())))),
        row(Compare, &[k(Code::Tab)], "next part", "part", |_| pair(compare::Message::Next)),
        row(Compare, &[k(Code::BackTab)], "previous part", "", |_| pair(compare::Message::Previous)),
        row(Compare, &[c('v')], "code, curves or files beside the components", "code, curves, files", |_| pair(compare::Message::Beside)),
        row(Compare, &[c('s')], "the other of the two runs", "", |_| pair(compare::Message::SwitchSide)),
        row(Compare, &[c('o')], "sort otherwise: components by loss, as listed, by a score; files by what differs, by lines, by path", "sort", |_| pair(compare::Message::Sort)),
        row(Compare, &[c('u')], "curves by phase, by checkpoint or by turn", "by phase, checkpoint, turn", |_| pair(compare::Message::Axis)),
        row(Compare, &[c('f')], "curves of the next number", "", |n| pair(compare::Message::Fact(Motion::Down(n.times())))),
        row(Compare, &[c('F')], "curves of the number before", "", |n| pair(compare::Message::Fact(Motion::Up(n.times())))),
        row(Compare, &[c('p')], "the next two of more than two runs", "", |_| pair(compare::Message::NextPair)),
        row(Compare, &[c('m')], "give this part all the room, or share it again", "", |_| Message::Zoom),
        row(Compare, &[c('i')], "facts about these runs", "", |_| open(overlay::Kind::Info)),
        row(Compare, &[c('e')], "what weakens the comparison, and what could not be read", "", |_| open(overlay::Kind::Warnings)),
        row(Compare, &[c('x')], "stop measuring, or go on", "", |_| pair(compare::Message::StopOrGoOn)),
        row(Compare, &[c('<')], "to the left in long lines", "", |n| pair(compare::Message::Sideways(Motion::Up(SIDEWAYS * n.times())))),
        row(Compare, &[c('>')], "to the right in long lines", "", |n| pair(compare::Message::Sideways(Motion::Down(SIDEWAYS * n.times())))),
        row(Compare, &[k(Code::PageUp)], "a page up", "", |_| pair(compare::Message::Move(Motion::PageUp))),
        row(Compare, &[k(Code::PageDown)], "a page down", "", |_| pair(compare::Message::Move(Motion::PageDown))),
        row(Compare, &[Key::ctrl('u')], "half a page up", "", |_| pair(compare::Message::Move(Motion::HalfUp))),
        row(Compare, &[Key::ctrl('d')], "half a page down", "", |_| pair(compare::Message::Move(Motion::HalfDown))),
        row(Compare, &[c('g'), k(Code::Home)], "to the start, gg too; 12gg to row 12", "", |n| pair(compare::Message::Move(n.0.map_or(Motion::Start, Motion::To)))),
        row(Compare, &[c('G'), k(Code::End)], "to the end; 12G to row or line 12", "", |n| pair(compare::Message::Move(n.0.map_or(Motion::End, Motion::To)))),
        row(Compare, &[k(Code::Esc), k(Code::Backspace)], "from the file to the list of files, from there to the components; from those to the table of runs", "", |_| pair(compare::Message::Back)),
        row(Rubric, &[k(Code::Up), c('k')], "up in the tree, or in the words beside it", "row", |n| rubric(tree::Message::Go(Motion::Up(n.times())))),
        row(Rubric, &[k(Code::Down), c('j')], "down in the tree, or in the words beside it", "row", |n| rubric(tree::Message::Go(Motion::Down(n.times())))),
        row(Rubric, &[k(Code::Left), c('h')], "fold the node, or go to the one it belongs to", "fold", |_| rubric(tree::Message::Fold)),
        row(Rubric, &[k(Code::Right), c('l')], "unfold the node, or go to its first sub-task, or to its words", "fold", |_| rubric(tree::Message::Unfold)),
        row(Rubric, &[k(Code::Enter), c('o'), c(' ')], "unfold or fold the node; of a leaf its words; from the largest losses to the node in the tree", "open", |_| rubric(tree::Message::Enter)),
        row(Rubric, &[c('f')], "next leaf that was judged and lacks something", "failing", |n| rubric(tree::Message::Failing(tree::Way::On(n.times())))),
        row(Rubric, &[c('F')], "previous leaf that was judged and lacks something", "", |n| rubric(tree::Message::Failing(tree::Way::Back(n.times())))),
        row(Rubric, &[c('v')], "next leaf whose judging failed", "invalid", |n| rubric(tree::Message::Invalid(tree::Way::On(n.times())))),
        row(Rubric, &[c('V')], "previous leaf whose judging failed", "", |n| rubric(tree::Message::Invalid(tree::Way::Back(n.times())))),
        row(Rubric, &[c('s')], "leaves by what they take from the root's score, the largest loss first, or the tree again", "largest loss", |_| rubric(tree::Message::SwitchOrder)),
        row(Rubric, &[c('c')], "only the leaves of Code Development, or all again", "code only", |_| rubric(tree::Message::SwitchCounting)),
        row(Rubric, &[c('/')], "list only what says these words, and what it belongs to; 0/3/1 is a node", "find", |_| rubric(tree::Message::Find(tree::find::Message::Start))),
        row(Rubric, &[c('n')], "next node that says what is looked for", "", |n| rubric(tree::Message::Match(tree::Way::On(n.times())))),
        row(Rubric, &[c('N')], "previous node that says what is looked for", "", |n| rubric(tree::Message::Match(tree::Way::Back(n.times())))),
        row(Rubric, &[c('O')], "unfold everything below the node, or fold it", "", |_| rubric(tree::Message::UnfoldBelow)),
        row(Rubric, &[c('Z')], "unfold the whole tree", "", |_| rubric(tree::Message::UnfoldAll)),
        row(Rubric, &[c('z')], "fold the whole tree", "", |_| rubric(tree::Message::FoldAll)),
        row(Rubric, &[k(Code::Tab), k(Code::BackTab)], "from the tree to the words of the node, and back", "words", |_| rubric(tree::Message::SwitchPart)),
        row(Rubric, &[k(Code::PageUp)], "a page up in the tree", "", |_| rubric(tree::Message::Go(Motion::PageUp))),
        row(Rubric, &[k(Code::PageDown)], "a page down in the tree", "", |_| rubric(tree::Message::Go(Motion::PageDown))),
        row(Rubric, &[Key::ctrl('u')], "half a page up in the tree", "", |_| rubric(tree::Message::Go(Motion::HalfUp))),
        row(Rubric, &[Key::ctrl('d')], "half a page down in the tree", "", |_| rubric(tree::Message::Go(Motion::HalfDown))),
        row(Rubric, &[c('g'), k(Code::Home)], "to the root, gg too; 12gg to row 12", "", |n| rubric(tree::Message::Go(n.0.map_or(Motion::Start, Motion::To)))),
        row(Rubric, &[c('G'), k(Code::End)], "to the last row of the tree; 12G to row 12", "", |n| rubric(tree::Message::Go(n.0.map_or(Motion::End, Motion::To)))),
        row(Rubric, &[k(Code::Esc), k(Code::Backspace)], "back to the tree; list all of it again", "", |_| rubric(tree::Message::Leave)),
        row(RubricFind, &[k(Code::Enter)], "keep the list as it is", "keep", |_| rubric(tree::Message::Find(tree::find::Message::Accept))),
        row(RubricFind, &[k(Code::Esc), Key::ctrl('c')], "list the whole tree again", "cancel", |_| rubric(tree::Message::Find(tree::find::Message::Cancel))),
        row(RubricFind, &[k(Code::Backspace)], "erase a letter of what is looked for", "", |_| rubric(tree::Message::Find(tree::find::Message::Erase))),
        row(RubricFind, &[Key::ctrl('u')], "erase all of what is looked for", "", |_| rubric(tree::Message::Find(tree::find::Message::EraseAll))),
        row(RubricFind, &[k(Code::Up)], "up among what is found", "", |_| rubric(tree::Message::Go(Motion::Up(1)))),
        row(RubricFind, &[k(Code::Down)], "down among what is found", "", |_| rubric(tree::Message::Go(Motion::Down(1)))),
        row(Components, &[k(Code::Up), c('k')], "previous component", "component", |n| judged(components::Message::Move(Motion::Up(n.times())))),
        row(Components, &[k(Code::Down), c('j')], "next component", "component", |n| judged(components::Message::Move(Motion::Down(n.times())))),
        row(Components, &[k(Code::Enter)], "into the verdict on the component", "verdict", |_| judged(components::Message::Open)),
        row(Verdict, &[k(Code::Up), c('k')], "up in the verdict", "line", |n| judged(components::Message::Move(Motion::Up(n.times())))),
        row(Verdict, &[k(Code::Down), c('j')], "down in the verdict", "line", |n| judged(components::Message::Move(Motion::Down(n.times())))),
        row(Verdict, &[k(Code::Enter)], "open the file of the evidence at the line, as it was judged", "open the evidence", |_| judged(components::Message::Open)),
        row(Lifeline, &[k(Code::Enter)], "to the lines that made this event, in the change of its turn", "go to the lines", |_| judged(components::Message::Open)),
        row(Lifeline, &[k(Code::Up), c('k')], "previous component", "component", |n| judged(components::Message::Move(Motion::Up(n.times())))),
        row(Lifeline, &[k(Code::Down), c('j')], "next component", "component", |n| judged(components::Message::Move(Motion::Down(n.times())))),
        row(Judged, &[c('x')], "to the turn where the component was lost", "where lost", |_| judged(components::Message::Lost)),
        row(Judged, &[c('N')], "previous turn that did something to the component", "event", |n| judged(components::Message::PreviousEvent(n.times()))),
        row(Judged, &[c('n')], "next turn that did something to the component; 3n the third from here", "event", |n| judged(components::Message::NextEvent(n.times()))),
        row(Judged, &[k(Code::Left), c('h')], "previous turn; 5h goes back five", "turn", |n| judged(components::Message::Turn(Motion::Up(n.times())))),
        row(Judged, &[k(Code::Right), c('l')], "next turn; 5l goes on five", "turn", |n| judged(components::Message::Turn(Motion::Down(n.times())))),
        row(Judged, &[k(Code::Tab)], "next part: the table, the verdict, the lifeline", "part", |_| judged(components::Message::NextPart)),
        row(Judged, &[k(Code::BackTab)], "previous part", "", |_| judged(components::Message::PreviousPart)),
        row(Judged, &[c('f')], "another judgement: of another judge, or of another turn", "judgement", |_| judged(components::Message::NextJudgement)),
        row(Judged, &[c('F')], "the judgement before", "", |_| judged(components::Message::PreviousJudgement)),
        row(Judged, &[c('s')], "sort by id, by score or by loss", "sort", |_| judged(components::Message::Sort)),
        row(Judged, &[c('['), c('{')], "first turn of this checkpoint, then of the one before", "", |n| judged(components::Message::PreviousCheckpoint(n.times()))),
        row(Judged, &[c(']'), c('}')], "first turn of the next checkpoint", "", |n| judged(components::Message::NextCheckpoint(n.times()))),
        row(Judged, &[k(Code::PageUp), Key::ctrl('u')], "a page up", "", |_| judged(components::Message::Move(Motion::PageUp))),
        row(Judged, &[k(Code::PageDown), Key::ctrl('d')], "a page down", "", |_| judged(components::Message::Move(Motion::PageDown))),
        row(Judged, &[c('g'), k(Code::Home)], "to the first row, gg too; 12gg to row 12", "", |n| judged(components::Message::Move(n.0.map_or(Motion::Start, Motion::To)))),
        row(Judged, &[c('G'), k(Code::End)], "to the last row; 12G to row 12", "", |n| judged(components::Message::Move(n.0.map_or(Motion::End, Motion::To)))),
        row(Judged, &[k(Code::Esc), k(Code::Backspace)], "back to the table", "", |_| judged(components::Message::Close)),
        row(Steps, &[c('o')], "unfold or fold the step in place, a sub-agent's steps too", "", |_| step(steps::Message::FoldInPlace)),
        row(Steps, &[k(Code::Backspace)], "back to the agent that started this one; from the outermost to where the run was opened from", "", |_| step(steps::Message::Leave)),
        row(Hits, &[c('n')], "next hit", "", |n| choose(chooser::Message::Move(Motion::Down(n.times())))),
        row(Hits, &[c('N')], "previous hit", "", |n| choose(chooser::Message::Move(Motion::Up(n.times())))),
        row(Requests, &[k(Code::Up), Key::ctrl('p')], "up", "move", |_| choose(chooser::Message::Move(Motion::Up(1)))),
        row(Requests, &[k(Code::Down), Key::ctrl('n')], "down", "move", |_| choose(chooser::Message::Move(Motion::Down(1)))),
        row(Requests, &[k(Code::PageUp)], "a page up", "", |_| choose(chooser::Message::Move(Motion::PageUp))),
        row(Requests, &[k(Code::PageDown)], "a page down", "", |_| choose(chooser::Message::Move(Motion::PageDown))),
        row(Requests, &[k(Code::Home)], "to the start", "", |_| choose(chooser::Message::Move(Motion::Start))),
        row(Requests, &[k(Code::End)], "to the end", "", |_| choose(chooser::Message::Move(Motion::End))),
        row(Requests, &[k(Code::Backspace)], "erase a character", "", |_| choose(chooser::Message::Erase)),
        row(Requests, &[Key::ctrl('u')], "erase everything", "", |_| choose(chooser::Message::EraseAll)),
        row(Requests, &[k(Code::Enter)], "go to the turn", "go", |_| choose(chooser::Message::Accept)),
        row(Requests, &[k(Code::Esc), Key::ctrl('c')], "close", "close", |_| choose(chooser::Message::Close)),
        row(Kinds, &[c('a')], "every step", "", |_| list(steps::Kinds::All)),
        row(Kinds, &[c('m')], "messages only", "", |_| list(steps::Kinds::Messages)),
        row(Kinds, &[c('t')], "thinking only", "", |_| list(steps::Kinds::Thinking)),
        row(Kinds, &[c('o')], "tool calls only", "", |_| list(steps::Kinds::Tools)),
        row(Kinds, &[c('e')], "edits only", "", |_| list(steps::Kinds::Edits)),
        row(Kinds, &[c('x')], "errors only", "", |_| list(steps::Kinds::Errors)),
        row(Kinds, &[c('s')], "sub-agents only", "", |_| list(steps::Kinds::SubAgents)),
        row(Stops, &[c('e')], "stop at an error, or no longer", "", |_| play(playback::Message::Toggle(Stop::Error))),
        row(Stops, &[c('t')], "stop at a failing test, or no longer", "", |_| play(playback::Message::Toggle(Stop::Test))),
        row(Stops, &[c('c')], "stop at a compaction, or no longer", "", |_| play(playback::Message::Toggle(Stop::Compaction))),
        row(Stops, &[c('+'), c('=')], "play faster", "speed", |_| play(playback::Message::Faster)),
        row(Stops, &[c('-')], "play slower", "speed", |_| play(playback::Message::Slower)),
        row(Stops, &[c('u')], "play by turn, by checkpoint or by step", "unit", |_| play(playback::Message::NextUnit)),
        row(List, &[k(Code::Up), c('k')], "up", "move", |n| choose(chooser::Message::Move(Motion::Up(n.times())))),
        row(List, &[k(Code::Down), c('j')], "down", "move", |n| choose(chooser::Message::Move(Motion::Down(n.times())))),
        row(List, &[k(Code::PageUp)], "a page up", "", |_| choose(chooser::Message::Move(Motion::PageUp))),
        row(List, &[k(Code::PageDown)], "a page down", "", |_| choose(chooser::Message::Move(Motion::PageDown))),
        row(List, &[c('g'), k(Code::Home)], "to the start", "", |_| choose(chooser::Message::Move(Motion::Start))),
        row(List, &[c('G'), k(Code::End)], "to the end; 12G to row 12", "", |n| choose(chooser::Message::Move(n.0.map_or(Motion::End, Motion::To)))),
        row(List, &[k(Code::Enter), c(' ')], "choose", "choose", |_| choose(chooser::Message::Accept)),
        row(List, &[k(Code::Esc), c('q')], "close", "close", |_| choose(chooser::Message::Close)),
        row(List, &[Key::ctrl('c')], "quit", "", |_| Message::Quit),
        row(InRun, &[c('C')], "back to where the run was opened from: the table of runs or the comparison", "", |_| table(collection::Message::Show)),
        row(Turns, &[k(Code::Backspace)], "back to where the run was opened from: the table of runs or the comparison", "", |_| table(collection::Message::Show)),
        row(Files, &[k(Code::Backspace)], "back to where the run was opened from: the table of runs or the comparison", "", |_| table(collection::Message::Show)),
        row(Chart, &[k(Code::Backspace)], "back to where the run was opened from: the table of runs or the comparison", "", |_| table(collection::Message::Show)),
        row(Table, &[k(Code::Enter)], "open the run; fold or unfold the group", "open", |_| table(collection::Message::Open)),
        row(Table, &[k(Code::Up), c('k')], "previous run", "", |n| table(collection::Message::Move(Motion::Up(n.times())))),
        row(Table, &[k(Code::Down), c('j')], "next run; 5j goes on five", "", |n| table(collection::Message::Move(Motion::Down(n.times())))),
        row(Table, &[k(Code::Left), c('h')], "previous column", "column", |n| table(collection::Message::Choose(Motion::Up(n.times())))),
        row(Table, &[k(Code::Right), c('l')], "next column", "column", |n| table(collection::Message::Choose(Motion::Down(n.times())))),
        row(Table, &[c('s')], "sort by this column; again the other way round", "sort", |_| table(collection::Message::Sort)),
        row(Table, &[c('S')], "turn the order round", "", |_| table(collection::Message::Reverse)),
        row(Table, &[c('/')], "filter: words, column:words, !not, erosion>0.5, tokens<=2M, cost:- where none is recorded", "filter", |_| narrow(collection::prompt::Message::Start)),
        row(Table, &[c('b')], "group by task, by agent, by condition, by model, or not", "group", |_| table(collection::Message::Group)),
        row(Table, &[c('c')], "mark this run to compare it; on another run compare the two", "compare", |_| table(collection::Message::Compare)),
        row(Table, &[c('i')], "everything known of this run", "facts", |_| open(overlay::Kind::Info)),
        row(Table, &[c('e')], "what could not be read in this recording", "", |_| open(overlay::Kind::Warnings)),
        row(Table, &[c('o')], "fold or unfold the group around the cursor", "", |_| table(collection::Message::Fold)),
        row(Table, &[c('O')], "fold all groups, or unfold all", "", |_| table(collection::Message::FoldAll)),
        row(Table, &[c('a')], "all columns, also those of which no run has a value", "", |_| table(collection::Message::SwitchEmpty)),
        row(Table, &[c('x')], "stop reading and measuring, or go on", "", |_| table(collection::Message::StopOrGoOn)),
        row(Table, &[c('p')], "paired tests of two conditions below the table, of two agents, or none", "pairs", |_| table(collection::Message::Pairs)),
        row(Table, &[c('P')], "the next two conditions or agents to compare", "", |_| table(collection::Message::NextPair)),
        row(Table, &[k(Code::PageUp)], "a page up", "", |_| table(collection::Message::Move(Motion::PageUp))),
        row(Table, &[k(Code::PageDown)], "a page down", "", |_| table(collection::Message::Move(Motion::PageDown))),
        row(Table, &[Key::ctrl('u')], "half a page up", "", |_| table(collection::Message::Move(Motion::HalfUp))),
        row(Table, &[Key::ctrl('d')], "half a page down", "", |_| table(collection::Message::Move(Motion::HalfDown))),
        row(Table, &[c('g'), k(Code::Home)], "to the first run, gg too; 12gg to line 12", "", |n| table(collection::Message::Move(n.0.map_or(Motion::Start, Motion::To)))),
        row(Table, &[c('G'), k(Code::End)], "to the last run; 12G to line 12", "", |n| table(collection::Message::Move(n.0.map_or(Motion::End, Motion::To)))),
        row(Table, &[k(Code::Esc)], "without the filter, then without groups, then in the order of the folders", "", |_| table(collection::Message::Escape)),
        row(Filter, &[k(Code::Enter)], "keep the filter", "keep", |_| narrow(collection::prompt::Message::Accept)),
        row(Filter, &[k(Code::Esc), Key::ctrl('c')], "as it was before", "cancel", |_| narrow(collection::prompt::Message::Cancel)),
        row(Filter, &[k(Code::Backspace)], "erase a character", "", |_| narrow(collection::prompt::Message::Erase)),
        row(Filter, &[Key::ctrl('u')], "erase everything", "", |_| narrow(collection::prompt::Message::EraseAll)),
    ]
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn no_key_means_two_things_in_one_place() {
        for context in Context::ALL {
            let mut seen: HashMap<Key, &str> = HashMap::new();
            let here = BINDINGS.iter().filter(|row| context.layers().contains(&row.context));
            for row in here {
                for key in row.keys {
                    let other = seen.insert(*key, row.help);
                    assert_eq!(other, None, "{key} in {context:?} also means: {}", row.help);
                }
            }
        }
    }

    #[test]
    fn every_row_has_a_key_and_help() {
        for row in BINDINGS {
            assert!(!row.keys.is_empty() && !row.help.is_empty(), "{}", row.keys_shown());
            assert!(!row.help.ends_with('.'), "{}", row.help);
        }
    }

    #[test]
    fn digits_are_counts_and_never_keys() {
        let is_digit = |key: &Key| key.typed().is_some_and(|c| c.is_ascii_digit());
        assert!(!BINDINGS.iter().flat_map(|row| row.keys).any(is_digit));
    }

    #[test]
    fn neighbours_with_the_same_hint_share_it() {
        assert!(hints(Context::Turns).contains(&("←→".into(), "turn")));
    }
}
