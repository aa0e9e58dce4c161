//! `trajview PATH`: the screen, in the terminal or as one frame without it.

use ratatui::layout::Size;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::runtime::{self, Options};
use trajview_judge::found::Environment;
use trajview_metrics::quality::Profile;
use trajview_run::{
    address::{Address, is_address},
    rubric::{Acts, Unit},
};
use trajview_store as store;
use trajview_tui::{
    session::{
        columns::{Column, SessionColumn},
        place::{At, Place},
        views::View,
    },
    shell::{config::Config, mouse::Capture},
    views::table::{
        Opening, Start,
        filter::Filter,
        kept::{Kept, KeptTables, Which},
        order::Sort,
    },
    widgets::{
        export,
        looks::{Alphabet, ThemeName},
    },
};

use super::{
    Exit, Failure, Outcome, at, cast, config,
    output::{Out, tell, tell_warnings},
    studies,
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// A log, a run bundle, or a folder that holds one of them; two of them are compared; more, or a folder with several
    /// below, open as a table, with --view audit as one queue; a study (study.toml) opens as its queue; an address (s3://,
    /// gs://, az://, https://) is one of these on remote storage; `-` is standard input; the sessions of this machine if left out
    #[arg(value_name = "PATH", value_parser = at::recording())]
    paths: Vec<PathBuf>,
    /// Open at a turn (counts from 1), a step of one (12.7), a checkpoint's id, `start` or `final`; PATH:12.7 is the same
    #[arg(long, value_name = "TURN")]
    at: Option<String>,
    /// Open at a file of that turn, and at a line of it
    #[arg(long, value_name = "PATH[:LINE]")]
    file: Option<String>,
    /// Open this view: replay, curves, scores, audit, compare or collection
    #[arg(long, value_name = "NAME", value_parser = view, default_value = "replay", hide_default_value = true)]
    view: View,
    /// Sort the table of runs by this column, such as erosion; -erosion with the largest first
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    sort: Option<Sort>,
    /// Group the table of runs by task, agent, condition or model
    #[arg(long, value_name = "COLUMN", value_parser = group)]
    group: Option<Column>,
    /// Show only these runs: words, column:word, !not, erosion>0.5, cost:-
    #[arg(long, value_name = "CONDITIONS", value_parser = Filter::parse)]
    filter: Option<Filter>,
    /// Open the scores, or with --view audit the audit, at this component of the checklist, such as C17
    #[arg(long, value_name = "ID")]
    component: Option<String>,
    /// Lay these decisions over the run in the process view, in the place of its own: a JSON file in Continuity's shape
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Who labels in the audit; labels of another rater are not shown
    #[arg(long, value_name = "NAME", value_parser = annotator)]
    annotator: Option<String>,
    /// What the audit is of: component, leaf (of a graded rubric tree), flag, signal, decision or process
    #[arg(long, value_name = "KIND", value_parser = unit)]
    unit: Option<Unit>,
    /// Propose labels first and commit them with enter, or give them at once; the setting `labels` if left out
    #[arg(long, value_name = "on|off")]
    two_acts: Option<Switch>,
    /// Draw the queue of the audit with this number; 1 if left out
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Whose formulas score the code: scb-paper, scb-check-0.1.3, scb-check-0.2.0 or trajview
    #[arg(long, value_name = "NAME")]
    profile: Option<Profile>,
    /// Rules in ast-grep's YAML, in the place of the built-in ones
    #[arg(long, value_name = "FILE_OR_DIR")]
    rules: Option<PathBuf>,
    /// Colours: terminal, dark, light, high-contrast or colour-blind
    #[arg(long, value_name = "NAME")]
    theme: Option<ThemeName>,
    /// Draw with ASCII characters only, or with all there are; as the locale says if left out
    #[arg(
        long,
        value_name = "on|off",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "on"
    )]
    ascii: Option<Switch>,
    /// Whether clicks and the wheel work; without them the terminal selects text as usual
    #[arg(long, value_name = "on|off", default_value = "on", hide_default_value = true)]
    mouse: Switch,
    /// Print the settled frame of this size, such as 120x40, and exit; needs no terminal
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    snapshot: Option<Size>,
    /// Press these keys first, such as `l l / loss <enter>`
    #[arg(
        long,
        requires = "snapshot",
        value_name = "KEYS",
        default_value = "",
        hide_default_value = true
    )]
    keys: String,
    /// Print the frame with colours
    #[arg(long, requires = "snapshot", conflicts_with = "svg")]
    ansi: bool,
    /// Print the frame as an SVG picture
    #[arg(long, requires = "snapshot")]
    svg: bool,
    /// Write a playback to this file as an asciicast (version 2) instead: a frame after each of the keys, or after each turn
    /// if there are none; nothing is taken out of it
    #[arg(long, requires = "snapshot", conflicts_with_all = ["ansi", "svg"], value_name = "FILE")]
    asciicast: Option<PathBuf>,
    /// Read the settings from this file instead of the usual place, or the one in TRAJVIEW_CONFIG
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print every setting and where it was said, and exit
    #[arg(long, conflicts_with = "snapshot")]
    print_config: bool,
    /// Stay at the end of a recording that is still being written
    #[arg(long, conflicts_with = "at")]
    follow: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Switch {
    On,
    Off,
}

impl Args {
    /// Whether nothing is named: then the sessions of this machine are listed.
    const fn is_start(&self) -> bool {
        let has_place = self.at.is_some() || self.file.is_some() || self.follow;
        let is_of_run = has_place || self.component.is_some() || self.store.is_some();
        self.paths.is_empty() && matches!(self.view, View::Replay) && !is_of_run
    }
}

/// The settings alone.
pub fn of_settings(settings: config::Loaded, named: Option<&Path>) -> Options {
    let file = settings.file().map(Path::to_owned);
    let again = config::file::File(named.map(Path::to_owned));
    Options {
        environment: Environment::here(),
        settings_file: Some(runtime::SettingsFile(Arc::new(again))),
        judges: settings.judges,
        drivers: settings.drivers,
        settings: file,
        config: settings.config,
        caches: true,
        ..Options::default()
    }
}

/// The settings, and what the command line says over them.
fn options(args: &Args, settings: config::Loaded) -> Options {
    let options = of_settings(settings, args.config.as_deref());
    let config = options.config;
    Options {
        config: Config {
            theme: args.theme.unwrap_or(config.theme),
            profile: args.profile.unwrap_or(config.profile),
            rules: args.rules.clone().or(config.rules),
            annotator: args.annotator.clone().or(config.annotator),
            labels: args.two_acts.map_or(config.labels, |two| match two {
                Switch::On => Acts::TwoActs,
                Switch::Off => Acts::AtOnce,
            }),
            ..config
        },
        alphabet: args.ascii.map(|ascii| match ascii {
            Switch::On => Alphabet::Ascii,
            Switch::Off => Alphabet::Unicode,
        }),
        mouse: match args.mouse {
            Switch::On => Capture::On,
            Switch::Off => Capture::Off,
        },
        store: args.store.clone(),
        table: Opening {
            sort: args.sort,
            group: match args.group {
                None if args.is_start() => Some(Column::Session(SessionColumn::Project)),
                group => group,
            },
            filter: args.filter.clone().unwrap_or_default(),
            start: args.is_start().then(|| Start { sample: store::places::sample() }),
            // A frame that is printed is the same for everybody.
            kept: if args.snapshot.is_some() { Kept::default() } else { kept(args.is_start()) },
        },
        ..options
    }
}

/// How the table was left the last time; what is damaged is taken away.
fn kept(is_start: bool) -> Kept {
    let Some((file, text)) = store::tables::kept() else { return Kept::default() };
    let which = if is_start { Which::Start } else { Which::Runs };
    match KeptTables::read(&text) {
        Ok(tables) => tables.of(which),
        Err(why) => {
            store::tables::forget(&file);
            let file = file.display();
            tell(&format!("{file}: {why}; the columns that were chosen before are forgotten"));
            Kept::default()
        }
    }
}

fn view(word: &str) -> Result<View, String> {
    let known = || View::ALL.iter().map(|view| view.word()).collect::<Vec<_>>().join(", ");
    View::by_word(word).ok_or_else(|| format!("known views: {}", known()))
}

/// What kind of thing is audited. The error names the kinds.
pub fn unit(word: &str) -> Result<Unit, String> {
    let known = || Unit::ALL.map(Unit::word).join(", ");
    Unit::by_word(word).ok_or_else(|| format!("known kinds: {}", known()))
}

fn annotator(name: &str) -> Result<String, String> {
    let name = name.trim();
    if name.is_empty() { Err("a name is not blank".into()) } else { Ok(name.to_owned()) }
}

fn group(word: &str) -> Result<Column, String> {
    let column = Column::by_word(word).filter(|column| Column::GROUPS.contains(column));
    let words = || Column::GROUPS.map(|column| column.about().word).join(", ");
    column.ok_or_else(|| format!("runs are grouped by {}", words()))
}

fn size(text: &str) -> Result<Size, String> {
    let sides = text
        .split_once('x')
        .and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    match sides {
        Some((width, height)) if (1..=1_000).contains(&width) && (1..=1_000).contains(&height) => {
            Ok(Size { width, height })
        }
        _ => Err("expected two numbers from 1 to 1000, such as 120x40".into()),
    }
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    let settings = config::load(args.config.as_deref())?;
    settings.problems.iter().for_each(|problem| tell(problem));
    if args.print_config {
        settings.print(out)?;
        return Ok(Exit::Fine);
    }
    let (paths, at) = with_moment(&args.paths, args.at.as_deref());
    let place = place(args, at)?;
    check_paths(&paths, &place)?;
    if let Some(path) = args.store.as_deref().filter(|path| !path.is_file()) {
        return Err(Failure::unread(format!("cannot read {}: no such file", path.display())));
    }
    let study = match paths.as_slice() {
        [path] => studies::on_screen(path, place.view == View::Audit, args.seed)?,
        _ => None,
    };
    if let Some(studied) = &study {
        tell_warnings(&studied.warnings);
    }
    let options = Options { study: study.map(Arc::new), ..options(args, settings) };
    match args.snapshot {
        None => {
            let paths = named_paths(paths);
            store::places::remember(&paths);
            let ending = runtime::run(&paths, place, options)?;
            Ok(match ending {
                runtime::Ending::Quit => Exit::Fine,
                runtime::Ending::Signal(signal) => Exit::Signal(signal),
            })
        }
        Some(size) => {
            let paths = named_paths(paths);
            if let Some(file) = &args.asciicast {
                let keys = &args.keys;
                cast::write(&paths, cast::Playback { size, keys, place, options }, file)?;
                return Ok(Exit::Fine);
            }
            let frame = runtime::headless(&paths, size, &args.keys, place, options)?;
            let print = match (args.svg, args.ansi) {
                (true, _) => export::svg(&frame),
                (false, true) => export::ansi(&frame),
                (false, false) => export::text(&frame),
            };
            out.frame(&print)?;
            Ok(Exit::Fine)
        }
    }
}

/// The paths as they are told; `.` by the name of its folder.
fn named_paths(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let named = |path: PathBuf| match path.file_name() {
        None => path.canonicalize().unwrap_or(path),
        Some(_) => path,
    };
    paths.into_iter().map(named).collect()
}

/// `runs/a:12.7` is `runs/a --at 12.7`, where there is no file of that name.
fn with_moment<'a>(paths: &'a [PathBuf], at: Option<&'a str>) -> (Vec<PathBuf>, Option<&'a str>) {
    let split = |path: &'a PathBuf| {
        let (before, moment) = path.to_str()?.rsplit_once(':')?;
        let is_moment = matches!(moment.parse(), Ok(At::Turn(_) | At::Step(..)));
        if is_moment && is_address(path) {
            // An address is not asked for to find out; no object is called so.
            let address = Address::parse(path.to_str()?)?.ok()?;
            // Behind the name of a server a number is its port.
            return address.key.contains(':').then(|| (PathBuf::from(before), moment));
        }
        let is_meant = is_moment && !path.exists() && Path::new(before).exists();
        is_meant.then(|| (PathBuf::from(before), moment))
    };
    match paths {
        [path] if at.is_none() => match split(path) {
            Some((path, moment)) => (vec![path], Some(moment)),
            None => (paths.to_vec(), None),
        },
        _ => (paths.to_vec(), at),
    }
}

/// It takes two to compare.
fn check_paths(paths: &[PathBuf], place: &Place) -> Result<(), Failure> {
    if place.view != View::Compare || paths.len() > 1 {
        return Ok(());
    }
    Err(Failure::wrong("comparing takes two runs: trajview A B"))
}

fn place(args: &Args, at: Option<&str>) -> Result<Place, Failure> {
    let turn = at.map(str::parse).transpose().map_err(|why: String| Failure::wrong(why))?;
    let (file, line) = match args.file.as_deref().map(|file| (file, file.rsplit_once(':'))) {
        None => (None, None),
        Some((file, split)) => {
            match split.and_then(|(path, line)| Some((path, line.parse().ok()?))) {
                Some((path, line)) => (Some(path.to_owned()), Some(line)),
                None => (Some(file.to_owned()), None),
            }
        }
    };
    // Who names a component wants to see its scores.
    let is_alone = args.component.is_some() && args.paths.len() < 2;
    let view = match args.view {
        View::Audit => View::Audit,
        _ if is_alone => View::Scores,
        view => view,
    };
    let component = args.component.clone();
    Ok(Place {
        turn,
        file,
        line,
        follows: args.follow,
        view,
        component,
        unit: args.unit,
        seed: args.seed,
    })
}

impl From<runtime::Failure> for Failure {
    fn from(why: runtime::Failure) -> Self {
        let exit = match why {
            runtime::Failure::Open(why) => return why.into(),
            runtime::Failure::Keys(_)
            | runtime::Failure::Place(_)
            | runtime::Failure::NoTerminal => Exit::WrongArguments,
            runtime::Failure::Terminal(_) => Exit::CannotRead,
        };
        Self { exit, sentence: why.to_string() }
    }
}
