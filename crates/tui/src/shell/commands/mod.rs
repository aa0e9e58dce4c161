//! The commands of the command line, `:`, and how a typed line becomes messages.
//!
//! A command is a row of [`COMMANDS`], with a name, other names and an argument, or a row of the keymap, which is called by
//! its id and takes a count. Nothing here labels, stops, deletes or writes: rows that do are unlisted in the keymap, and
//! [`ANSWERS`] says where such a thing is done. What writes in the end, such as asking a judge, opens its form.
//!
//! To add a command add a row to [`COMMANDS`].

pub(crate) mod values;

use crate::{
    session::{
        context::KeyContext,
        start_place::NamedMoment,
        timeline::TimelineMessage,
        turns::TurnMessage,
        views::{View, ViewMessage},
    },
    shell::{
        App, AppMessage, fuzzy_match, glossary,
        jobs::{FormPurpose, JobsMessage},
        keymap::{CommandListing, KeyBinding, KeyCount, all_bindings, bindings_of},
        open_run::{OpenRun, RunMessage},
        overlay::{OverlayKind, OverlayMessage},
        state::ShellMessage,
    },
    views::{
        audit, compare, curves, live,
        replay::{self, playback, search},
        scores::{self, losses},
        table::{self, prompt, run_finding},
    },
    widgets::{display_options::ThemeName, key::BaseKey, key::Key},
};
use trajview_run::{search::QuerySyntax, worded_enum::NamedValue};
use trajview_study::corrected::plan::parse_plan_width;

/// A command with a name of its own.
pub(crate) struct Command {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub argument: Argument,
    /// One line for the list.
    pub help: &'static str,
    /// The id of the row of the keymap that does the same, for its key; empty if none does.
    pub key_id: &'static str,
    run: fn(&str, &App) -> Result<Vec<AppMessage>, String>,
}

/// The argument of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Argument {
    None,
    Optional(ValueKind),
    Required(ValueKind),
}

/// What an argument names: decides its completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Component,
    Curve,
    /// Ids of numbers, with blanks between them.
    Numbers,
    Moment,
    RunPath,
    File,
    Theme,
    HelpWord,
    Count,
    /// Half the width of an interval.
    Width,
    /// Any text.
    Words,
}

/// What a typed line leads to.
#[derive(Debug, PartialEq)]
pub(crate) enum LineOutcome {
    Run(Vec<AppMessage>),
    /// The command needs an argument: the line with room for it.
    NeedsArgument(String),
    /// A sentence.
    Refused(String),
}

#[rustfmt::skip] // a table: one row a command
pub(crate) const COMMANDS: &[Command] = &[
    command("replay", &["turns"], Argument::Optional(ValueKind::Moment), "the turns with their diffs", "replay", |at, app| view_at_moment(View::Replay, at, app)),
    command("curves", &["curve", "chart"], Argument::Optional(ValueKind::Curve), "erosion, verbosity and other numbers over the run", "curves", show_curve),
    command("scores", &["components", "verdicts"], Argument::Optional(ValueKind::Component), "the scores of the components", "scores", |id, app| view_at_component(View::Scores, id, app)),
    command("audit", &[], Argument::Optional(ValueKind::Component), "check verdicts with labels of your own", "audit", |id, app| view_at_component(View::Audit, id, app)),
    command("plan", &[], Argument::Optional(ValueKind::Width), "plan labels in the audit until the corrected mean is known to ±0.15, or so; without a width no plan", "", plan_labels),
    command("compare", &["comparison"], Argument::Optional(ValueKind::RunPath), "compare this run with another", "compare", compare_runs),
    command("runs", &["table", "collection", "list"], Argument::None, "the table of runs", "runs", |_, _| view(View::Collection)),
    command("live", &["agent"], Argument::None, "the live run", "live", |_, _| view(View::Live)),
    command("terminal", &["cast", "asciinema", "recording"], Argument::None, "the terminal of the run, live or recorded", "live", |_, _| view(View::Live)),
    command("process", &["pillars"], Argument::None, "process discipline: pillars, signals, plans, decisions", "process", |_, _| view(View::Process)),
    command("layers", &[], Argument::None, "what the layers of project state gave the agent", "layers", |_, _| view(View::Layers)),
    command("goto", &["turn", "go", "at", "checkpoint", "jump"], Argument::Required(ValueKind::Moment), "go to a turn, a step (46.3) or a checkpoint; :46 does too", "", go_to_moment),
    command("next", &[], Argument::Optional(ValueKind::Count), "next turn, point, item or row of this view", "", |count, app| run_first_row(&["next-item", "next-turn", "next-point", "down"], count, app)),
    command("previous", &["prev", "back-one"], Argument::Optional(ValueKind::Count), "previous turn, point, item or row of this view", "", |count, app| run_first_row(&["previous-item", "previous-turn", "previous-point", "up"], count, app)),
    command("play", &["pause"], Argument::None, "play the run turn by turn, or pause", "play", play),
    command("diff", &["changes"], Argument::Optional(ValueKind::File), "the diff of this turn, or of a file of it", "", show_diff),
    command("file", &["files"], Argument::Required(ValueKind::File), "the diff of a file of this turn", "", show_file),
    command("find", &["search", "grep"], Argument::Optional(ValueKind::Words), "search the run; in the table of runs, all runs", "search", find_words),
    command("filter", &["where"], Argument::Optional(ValueKind::Words), "show only some runs of the table", "filter", filter_runs),
    command("losses", &["loss", "lost"], Argument::None, "the table of lost components and tests: turn, lines, request, scores", "losses", show_losses),
    command("crash-test", &["crash", "planted"], Argument::None, "the card of the judge's crash test: planted edits, and the levels before and after", "crash-test", show_crash_test),
    command("next-loss", &["nextloss"], Argument::None, "the next turn where a component or a test is lost, and its lines", "", |_, _| Ok(vec![AppMessage::NextLoss])),
    command("lanes", &["lane"], Argument::Optional(ValueKind::Numbers), "the numbers of the timeline, such as erosion mcf; without a number the usual ones", "", set_lanes),
    command("open", &["edit", "load"], Argument::Required(ValueKind::RunPath), "open another run, or a folder of runs", "", open_path),
    command("export", &["save", "write", "csv"], Argument::None, "write this run, or these runs, as tables, a report or a video, in a form", "", |_, _| Ok(vec![AppMessage::Jobs(JobsMessage::Open(FormPurpose::Export))])),
    command("figure", &["plot", "pdf"], Argument::None, "draw this run, or these runs, as a figure for a paper: SVG, PDF, pgfplots, in a form", "", |_, _| Ok(vec![AppMessage::Jobs(JobsMessage::Open(FormPurpose::Figure))])),
    command("theme", &["colours", "colors", "colorscheme"], Argument::Required(ValueKind::Theme), "choose the colours", "next-theme", set_theme),
    command("help", &["keys", "explain", "what", "man"], Argument::Optional(ValueKind::HelpWord), "the keys; with a word what it means", "help", show_help),
];

/// Other names of rows of the keymap.
const ROW_ALIASES: &[(&str, &str)] = &[
    ("q", "quit"),
    ("q!", "quit"),
    ("exit", "quit"),
    ("facts", "run-details"),
    ("info", "run-details"),
    ("details", "run-details"),
    ("measure", "rescore"),
    ("score", "rescore"),
    ("profile", "rescore"),
    ("ask", "judge"),
    ("run", "start-live-run"),
    ("start", "start-live-run"),
    ("tests", "run-tests"),
    ("test", "run-tests"),
    ("mouse", "toggle-mouse"),
    ("yank", "copy"),
    ("mark", "set-mark"),
    ("errors", "failures"),
    ("signals", "next-signal"),
    ("shell", "suspend"),
];

/// Words of things that the command line does not do, and where they are done.
const ANSWERS: &[(&[&str], &str)] = &[
    (
        &["label", "labels"],
        "labels are given in the audit (:audit), by their digits; the command line changes no label",
    ),
    (
        &["undo", "u"],
        "in the audit the key of undo takes the last label back; the command line changes no label",
    ),
    (
        &["stop", "kill", "cancel", "abort"],
        "the command line stops nothing: a key of the view does (? names it), and :jobs lists all jobs",
    ),
    (&["delete", "remove", "rm"], "nothing can be deleted from here"),
    (
        &["w", "wq"],
        "nothing has to be saved: a label is saved when it is given; :export opens the form that writes tables",
    ),
    (
        &["adjudicate", "settle", "adjudication"],
        "adjudication is done in the audit of a study, by its keys; the command line changes no label",
    ),
    (
        &["note", "reason", "confidence"],
        "notes, reasons and confidence are given in the audit, by their keys; the command line changes no label",
    ),
    (
        &["config", "settings", "set"],
        "settings are a file: `trajview --print-config` prints each with its origin",
    ),
    (
        &["report", "latex", "tex"],
        ":export opens the form that writes reports; in a shell: `trajview report RUN`",
    ),
    (
        &["agree", "agreement"],
        "the audit shows the agreement with the judge; `trajview agree` prints it",
    ),
];

const fn command(
    name: &'static str,
    aliases: &'static [&'static str],
    argument: Argument,
    help: &'static str,
    key_id: &'static str,
    run: fn(&str, &App) -> Result<Vec<AppMessage>, String>,
) -> Command {
    Command { name, aliases, argument, help, key_id, run }
}

impl Argument {
    /// Returns the argument as the list shows it: `[COMPONENT]`.
    pub(crate) fn text(self) -> String {
        match self {
            Self::None => String::new(),
            Self::Optional(kind) => format!("[{}]", kind.word()),
            Self::Required(kind) => kind.word().to_owned(),
        }
    }

    pub(crate) const fn kind(self) -> Option<ValueKind> {
        match self {
            Self::None => None,
            Self::Optional(kind) | Self::Required(kind) => Some(kind),
        }
    }
}

impl ValueKind {
    const fn word(self) -> &'static str {
        match self {
            Self::Component => "COMPONENT",
            Self::Numbers => "NUMBER…",
            Self::Curve => "NUMBER",
            Self::Moment => "TURN",
            Self::RunPath => "PATH",
            Self::File => "FILE",
            Self::Theme => "THEME",
            Self::HelpWord => "WORD",
            Self::Count => "COUNT",
            Self::Width => "WIDTH",
            Self::Words => "WORDS",
        }
    }
}

/// Returns the command of a name or another name, in any case.
pub(crate) fn find_command(name: &str) -> Option<&'static Command> {
    let name = name.to_lowercase();
    COMMANDS.iter().find(|it| it.name == name || it.aliases.contains(&&*name))
}

/// Returns the rows of the keymap that the command line offers in a place: those of the panel with the keyboard first.
/// An id stands for the closest of its rows. Ids of [`COMMANDS`] are not listed.
pub(crate) fn offered_rows(here: KeyContext) -> Vec<&'static KeyBinding> {
    let elsewhere = all_bindings().filter(|row| here.offers_bindings_of(row.context));
    let mut rows: Vec<&KeyBinding> = vec![];
    for row in bindings_of(here).chain(elsewhere) {
        let is_new = rows.iter().all(|other| other.id != row.id);
        if is_new && is_offered(row) && !COMMANDS.iter().any(|it| it.name == row.id) {
            rows.push(row);
        }
    }
    rows
}

/// Returns the row of an id in a place; None if it has none there, and for an empty id.
pub(crate) fn row_of_id(here: KeyContext, id: &str) -> Option<&'static KeyBinding> {
    bindings_of(here).find(|row| row.id == id)
}

/// Returns words in the form of an id: `next checkpoint` as `next-checkpoint`.
pub(crate) fn hyphenated(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join("-").to_lowercase()
}

/// Returns whether a row neither labels nor stops nor writes. The key that ends waiting for a second key is no command.
fn is_offered(row: &KeyBinding) -> bool {
    let is_way_out = matches!(row.context, KeyContext::Copy | KeyContext::GoToMark)
        && row.keys.contains(&Key::without_modifiers(BaseKey::Esc));
    row.listing == CommandListing::Listed && !is_way_out
}

impl App {
    /// Returns what a line of the command line leads to.
    pub(crate) fn outcome_of_line(&self, line: &str) -> LineOutcome {
        let line = line.trim().trim_start_matches(':');
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            return go_to_moment(line, self).into();
        }
        self.row_outcome(&hyphenated(line))
            .or_else(|| answer_to(name).map(LineOutcome::Refused))
            .or_else(|| self.named_outcome(name, rest))
            .or_else(|| self.outcome_of_path(line))
            .or_else(|| self.named_outcome(&self.only_name_beginning_with(name)?, rest))
            .unwrap_or_else(|| LineOutcome::Refused(self.unknown_command(name)))
    }

    /// Returns the outcome of a row whose id is several words, typed with blanks: `next checkpoint`.
    fn row_outcome(&self, id: &str) -> Option<LineOutcome> {
        let rows = offered_rows(self.command_context());
        let row = rows.into_iter().find(|row| row.id == id)?;
        Some(run_row(row, "").into())
    }

    /// Returns the outcome of a command or a row of exactly this name; None if there is none.
    fn named_outcome(&self, name: &str, rest: &str) -> Option<LineOutcome> {
        if let Some(command) = find_command(name) {
            return Some(match (command.argument, rest) {
                (Argument::Required(_), "") => {
                    LineOutcome::NeedsArgument(format!("{} ", command.name))
                }
                (Argument::None, rest) if !rest.is_empty() => {
                    LineOutcome::Refused(format!("{} takes no argument", command.name))
                }
                _ => (command.run)(rest, self).into(),
            });
        }
        let lower = name.to_lowercase();
        let alias = ROW_ALIASES.iter().find(|(alias, _)| *alias == lower);
        let id = alias.map_or(&*lower, |(_, id)| id);
        let here = self.command_context();
        if let Some(row) = offered_rows(here).into_iter().find(|row| row.id == id) {
            return Some(run_row(row, rest).into());
        }
        let elsewhere = all_bindings().find(|row| row.id == id)?;
        Some(LineOutcome::Refused(match elsewhere.listing {
            CommandListing::Listed => format!("{id} works {}, not here", elsewhere.context.title()),
            CommandListing::Unlisted => format!(
                "{id} is a key only ({}, {}): the command line labels, stops and writes nothing",
                elsewhere.keys[0],
                elsewhere.context.title()
            ),
        }))
    }

    /// Returns the outcome of a line that is the path or the end of the path of a file of the turn.
    fn outcome_of_path(&self, line: &str) -> Option<LineOutcome> {
        let open = self.screens.shown_run()?;
        let files = values::files_of_turn(open);
        let found = values::find_file(&files, line)?.clone();
        let show = ShellMessage::ShowDiff(Some(found));
        Some(LineOutcome::Run(vec![AppMessage::Shell(show)]))
    }

    /// Returns the only name that begins so.
    fn only_name_beginning_with(&self, beginning: &str) -> Option<String> {
        let names = self.command_names();
        let beginning = beginning.to_lowercase();
        let mut found = names.iter().filter(|name| name.starts_with(&beginning));
        let first = found.next()?;
        let is_only = !beginning.is_empty() && found.next().is_none();
        is_only.then(|| (*first).to_owned())
    }

    fn unknown_command(&self, name: &str) -> String {
        let near = fuzzy_match::nearest_words(name, &self.command_names());
        match near.as_slice() {
            [] => format!("no command {name}; tab lists them"),
            near => format!("no command {name}; nearest: {}", near.join(", ")),
        }
    }

    /// Returns every name that works here, those of commands first.
    fn command_names(&self) -> Vec<&'static str> {
        let rows = offered_rows(self.command_context());
        COMMANDS.iter().map(|it| it.name).chain(rows.iter().map(|row| row.id)).collect()
    }

    /// Returns the place that the command line was opened in.
    pub(crate) fn command_context(&self) -> KeyContext {
        self.jobs.key_context().unwrap_or_else(|| self.screens.key_context())
    }

    fn shown_run(&self) -> Result<&OpenRun, String> {
        self.screens
            .shown_run()
            .ok_or_else(|| "no run is on screen; :replay shows the open one".to_owned())
    }
}

impl From<Result<Vec<AppMessage>, String>> for LineOutcome {
    fn from(messages: Result<Vec<AppMessage>, String>) -> Self {
        messages.map_or_else(Self::Refused, Self::Run)
    }
}

fn answer_to(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    let answer = ANSWERS.iter().find(|(names, _)| names.contains(&&*name));
    answer.map(|(_, words)| (*words).to_owned())
}

/// Returns the message of a row of the keymap. The error is a sentence about the count.
fn run_row(row: &KeyBinding, count: &str) -> Result<Vec<AppMessage>, String> {
    let count = match count {
        "" => None,
        count => Some(count.parse().map_err(|_| {
            format!("{} takes a number or nothing, and {count} is not a number", row.id)
        })?),
    };
    Ok(vec![(row.message)(KeyCount(count))])
}

fn run_first_row(ids: &[&str], count: &str, app: &App) -> Result<Vec<AppMessage>, String> {
    let rows: Vec<&KeyBinding> =
        bindings_of(app.command_context()).filter(|row| is_offered(row)).collect();
    let row = ids.iter().find_map(|id| rows.iter().find(|row| row.id == *id));
    run_row(row.ok_or("there is no next or previous item here")?, count)
}

fn view(view: View) -> Result<Vec<AppMessage>, String> {
    Ok(vec![AppMessage::View(ViewMessage::To(view))])
}

fn view_at_moment(shown: View, moment: &str, app: &App) -> Result<Vec<AppMessage>, String> {
    let mut messages = view(shown)?;
    if !moment.is_empty() {
        let open = app.screens.open_run().ok_or("no run is open")?;
        messages.push(moment_message(moment, open)?);
    }
    Ok(messages)
}

fn go_to_moment(moment: &str, app: &App) -> Result<Vec<AppMessage>, String> {
    let open = app.shown_run()?;
    let message = moment_message(moment, open)?;
    let is_step =
        matches!(message, AppMessage::Run(RunMessage::Replay(replay::ReplayMessage::Step(_))));
    let mut messages = if is_step { view(View::Replay)? } else { vec![] };
    messages.push(message);
    Ok(messages)
}

/// Returns the message that goes to a turn, a step or the end of a checkpoint of a run. The error is a sentence.
fn moment_message(moment: &str, open: &OpenRun) -> Result<AppMessage, String> {
    let run = &open.session.run;
    let named: NamedMoment = moment.parse()?;
    let message = match named.step_number(run) {
        Some(_) => replay::ReplayMessage::Step(named.named_step(run)?),
        None => replay::ReplayMessage::Turns(TurnMessage::To(named.turn_index(run)? + 1)),
    };
    Ok(AppMessage::Run(RunMessage::Replay(message)))
}

fn view_at_component(shown: View, id: &str, app: &App) -> Result<Vec<AppMessage>, String> {
    if id.is_empty() {
        return view(shown);
    }
    let open = app.screens.open_run().ok_or("no run is open")?;
    let choose = |id: &str| {
        let choose = AppMessage::Shell(ShellMessage::ChooseComponent(id.to_owned()));
        Ok([view(shown)?, vec![choose]].concat())
    };
    if open.session.rubric.known_rubric().is_none() {
        return choose(id);
    }
    let components = values::components(open);
    let wanted = id.to_lowercase();
    let found = components
        .iter()
        .find(|(id, _)| id.to_lowercase() == wanted)
        .or_else(|| components.iter().find(|(_, name)| name.to_lowercase() == wanted))
        .or_else(|| components.iter().find(|(_, name)| name.to_lowercase().contains(&wanted)));
    let (id, _) = found.ok_or_else(|| match components.as_slice() {
        [] => "this run has no components".to_owned(),
        [(first, _), ..] => {
            let ids: Vec<&str> = components.iter().map(|(id, _)| &**id).collect();
            let near = fuzzy_match::nearest_words(id, &ids).first().map_or(&**first, |near| *near);
            format!("no component {id}; a component is named by its id, such as {near}")
        }
    })?;
    choose(id)
}

fn show_curve(id: &str, app: &App) -> Result<Vec<AppMessage>, String> {
    if id.is_empty() {
        return view(View::Curves);
    }
    let open = app.screens.open_run().ok_or("no run is open")?;
    let listed = values::curves(open);
    let wanted = id.to_lowercase();
    let number = listed.iter().find(|number| {
        number.id() == wanted
            || number.label().to_lowercase() == wanted
            || number.short().to_lowercase() == wanted
    });
    let number = number.ok_or_else(|| {
        let ids: Vec<&str> = listed.iter().map(|number| number.id()).collect();
        format!("no curve {id}; this run has {}", ids.join(", "))
    })?;
    let choose = curves::CurvesMessage::ChooseNumber(*number);
    Ok([view(View::Curves)?, vec![AppMessage::Run(RunMessage::Curves(choose))]].concat())
}

fn plan_labels(width: &str, app: &App) -> Result<Vec<AppMessage>, String> {
    app.screens.open_run().ok_or("no run is open")?;
    let wanted = (!width.is_empty()).then(|| parse_plan_width(width)).transpose()?;
    let plan = AppMessage::Run(RunMessage::Audit(audit::AuditMessage::Plan(wanted)));
    Ok([view(View::Audit)?, vec![plan]].concat())
}

fn compare_runs(paths: &str, app: &App) -> Result<Vec<AppMessage>, String> {
    if paths.is_empty() {
        return view(View::Compare);
    }
    let base = values::run_at_hand(&app.screens).ok_or("no run is open to compare with")?;
    let mut runs = vec![base];
    runs.extend(paths.split_whitespace().map(|path| values::run_path(path, app)));
    Ok(vec![AppMessage::CompareRuns(runs, Default::default())])
}

fn open_path(path: &str, app: &App) -> Result<Vec<AppMessage>, String> {
    Ok(vec![AppMessage::Shell(ShellMessage::OpenPath(values::run_path(path, app)))])
}

fn play(_: &str, app: &App) -> Result<Vec<AppMessage>, String> {
    app.shown_run()?;
    let message = replay::ReplayMessage::Playback(playback::PlaybackMessage::PlayOrPause);
    Ok(vec![AppMessage::Run(RunMessage::Replay(message))])
}

fn show_diff(path: &str, app: &App) -> Result<Vec<AppMessage>, String> {
    if !path.is_empty() {
        return show_file(path, app);
    }
    let show = AppMessage::Shell(ShellMessage::ShowDiff(None));
    Ok([view(View::Replay)?, vec![show]].concat())
}

fn show_file(path: &str, app: &App) -> Result<Vec<AppMessage>, String> {
    let files = values::files_of_turn(app.shown_run()?);
    let Some(found) = values::find_file(&files, path) else {
        let names: Vec<&str> = files.iter().map(|file| file.as_str()).collect();
        let near = fuzzy_match::nearest_words(path, &names);
        let near = near.first().or(names.first());
        return Err(match near {
            None => "this turn changes no file".to_owned(),
            Some(near) => format!("no file {path} in this turn, such as {near}"),
        });
    };
    Ok(vec![AppMessage::Shell(ShellMessage::ShowDiff(Some(found.clone())))])
}

fn find_words(words: &str, app: &App) -> Result<Vec<AppMessage>, String> {
    let has_words = !words.is_empty();
    let with_words = |start, typed, accept| match has_words {
        true => vec![start, typed, accept],
        false => vec![start],
    };
    if app.screens.shown_table().is_some() {
        let find = |message| AppMessage::Collection(table::TableMessage::Find(message));
        let mut messages = with_words(
            find(run_finding::FindingMessage::Start),
            find(run_finding::FindingMessage::Type(words.to_owned())),
            find(run_finding::FindingMessage::Accept),
        );
        messages.insert(1, find(run_finding::FindingMessage::EraseAll));
        return Ok(messages);
    }
    if app.screens.shown_live().is_some() {
        return Ok(with_words(
            AppMessage::Live(live::LiveMessage::Find),
            AppMessage::Live(live::LiveMessage::Type(words.to_owned())),
            AppMessage::Live(live::LiveMessage::Accept),
        ));
    }
    app.shown_run().map_err(|_| "search works in a run and in the table of runs".to_owned())?;
    let search =
        |message| AppMessage::Run(RunMessage::Replay(replay::ReplayMessage::Search(message)));
    let messages = with_words(
        search(search::SearchMessage::Start(QuerySyntax::Literal)),
        search(search::SearchMessage::Type(words.to_owned())),
        search(search::SearchMessage::Accept),
    );
    Ok([view(View::Replay)?, messages].concat())
}

fn filter_runs(words: &str, app: &App) -> Result<Vec<AppMessage>, String> {
    app.screens.shown_table().ok_or("filter works in the table of runs; :runs shows it")?;
    let filter = |message| AppMessage::Collection(table::TableMessage::Prompt(message));
    let start = filter(prompt::FilterPromptMessage::Start);
    Ok(match words {
        "" => vec![start],
        words => vec![
            start,
            filter(prompt::FilterPromptMessage::EraseAll),
            filter(prompt::FilterPromptMessage::Type(words.to_owned())),
            filter(prompt::FilterPromptMessage::Accept),
        ],
    })
}

fn show_losses(_: &str, app: &App) -> Result<Vec<AppMessage>, String> {
    if app.screens.shown_comparison().is_some() {
        return Ok(vec![AppMessage::Compare(compare::CompareMessage::To(
            compare::ComparePart::Losses,
        ))]);
    }
    let open = app.screens.open_run().ok_or("no run is open")?;
    let is_read = open.session.rubric.known_rubric().is_some();
    if is_read && !open.session.can_have_losses() {
        return Err(losses::NOTHING_TO_LOSE.to_owned());
    }
    let mut messages = view(View::Scores)?;
    if open.scores.shown_page(&open.session) != Some(scores::ScoresPage::Losses) {
        let table = scores::ScoresMessage::Losses(losses::LossesMessage::Show);
        messages.push(AppMessage::Run(RunMessage::Scores(table)));
    }
    Ok(messages)
}

fn show_crash_test(_: &str, app: &App) -> Result<Vec<AppMessage>, String> {
    let open = app.screens.open_run().ok_or("no run is open")?;
    let mut messages = view(View::Scores)?;
    if open.scores.shown_page(&open.session) != Some(scores::ScoresPage::Crash) {
        let card = scores::ScoresMessage::Crash(scores::crash::CrashMessage::Show);
        messages.push(AppMessage::Run(RunMessage::Scores(card)));
    }
    Ok(messages)
}

fn set_lanes(ids: &str, _: &App) -> Result<Vec<AppMessage>, String> {
    let ids = ids.split_whitespace().map(str::to_owned).collect();
    Ok(vec![AppMessage::Timeline(TimelineMessage::SetLanes(ids))])
}

/// Returns the message that sets a theme; the error names the themes that there are.
fn set_theme(name: &str, _: &App) -> Result<Vec<AppMessage>, String> {
    let theme = ThemeName::ALL.iter().find(|theme| theme.word() == name.to_lowercase());
    let theme = theme.ok_or_else(|| {
        let names: Vec<&str> = ThemeName::ALL.iter().map(|theme| theme.word()).collect();
        format!("no theme {name}; themes: {}", names.join(", "))
    })?;
    Ok(vec![AppMessage::Shell(ShellMessage::SetTheme(*theme))])
}

fn show_help(word: &str, _: &App) -> Result<Vec<AppMessage>, String> {
    if word.is_empty() {
        return Ok(vec![AppMessage::Overlay(OverlayMessage::Open(OverlayKind::Help))]);
    }
    if glossary::explanations(word).is_empty() {
        let near = fuzzy_match::nearest_words(word, &glossary::words());
        return Err(match near.as_slice() {
            [] => format!("no explanation of {word}; :help lists the keys"),
            near => format!("no explanation of {word}; nearest: {}", near.join(", ")),
        });
    }
    Ok(vec![AppMessage::Overlay(OverlayMessage::Explain(word.to_owned()))])
}

#[cfg(test)]
mod tests;
