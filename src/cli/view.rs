//! `trajview PATH`: the screen, in the terminal or as one frame without it.

use clap::builder::{PossibleValue, TypedValueParser};
use ratatui::layout::Size;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::runtime::{self, ScreenOptions};
use trajview_analysis as analysis;
use trajview_judge::discover::JudgeEnvironment;
use trajview_metrics::quality::QualityProfile;
use trajview_run::{
    address::{Address, is_address},
    rubric::{LabelMode, LabelUnit},
    worded_enum::NamedValue,
};
use trajview_store as store;
use trajview_tui::{
    session::{
        columns::{CardColumn, RunTableColumn},
        start_place::{NamedMoment, StartPlace},
        views::View,
    },
    shell::{config::Config, mouse::MouseCapture},
    views::table::{
        StartView, TableOpening,
        filter::RunRowFilter,
        order::ColumnSort,
        stored_choice::{StoredChoice, StoredTables, WhichTable},
    },
    widgets::{
        display_options::{Alphabet, ThemeName},
        export,
    },
};

use super::{
    CommandFailure, CommandResult, Exit, asciicast, config,
    output::{Out, print_note, print_warnings},
    run_args, studies, suggestions,
};

#[derive(Debug, clap::Args)]
pub struct ViewArgs {
    /// A log, a run bundle, or a folder that holds one of them; two of them are compared; more, or a folder with several
    /// below, open as a table, with --view audit as one queue; a study (study.toml) opens its queue; an address (s3://,
    /// gs://, az://, https://) is one of these on remote storage; `-` is standard input; default: the sessions of this machine
    #[arg(value_name = "PATH", value_parser = run_args::recording_parser())]
    paths: Vec<PathBuf>,
    /// Open at a turn (counts from 1), a step of one (12.7), a checkpoint's id, `start` or `final`; PATH:12.7 is the same
    #[arg(long, value_name = "TURN")]
    at: Option<String>,
    /// Open at a file of that turn, and at a line of it
    #[arg(long, value_name = "PATH[:LINE]")]
    file: Option<String>,
    /// Open this view
    #[arg(long, value_name = "NAME", value_parser = view_parser(), default_value = "replay")]
    view: View,
    /// Sort the table of runs by this column, such as erosion; -erosion with the largest first
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    sort: Option<ColumnSort>,
    /// Group the table of runs by this column
    #[arg(long, value_name = "COLUMN", value_parser = group_parser())]
    group: Option<RunTableColumn>,
    /// Show only these runs: words, column:word, !not, erosion>0.5, cost:-
    #[arg(long, value_name = "CONDITIONS", value_parser = RunRowFilter::parse_filter)]
    filter: Option<RunRowFilter>,
    /// Open the scores, or with --view audit the audit, at this component of the checklist, such as C17
    #[arg(long, value_name = "ID")]
    component: Option<String>,
    /// Use this decisions file in the process view, instead of its own: a JSON file in Continuity's shape
    #[arg(long, alias = "store", value_name = "FILE")]
    decisions: Option<PathBuf>,
    /// Name of the rater in the audit; labels of other raters are hidden
    #[arg(long, value_name = "NAME", value_parser = parse_annotator)]
    annotator: Option<String>,
    /// The judge whose scores count: name, or a judgement's file. Newer judgements do not replace its scores. Default: the
    /// setting `judge`
    #[arg(long, value_name = "NAME|FILE")]
    judge: Option<String>,
    #[command(flatten)]
    counting: run_args::CountingArgs,
    /// Folder for the labels of a graded rubric tree outside a bundle; default: NAME.labels beside its file
    #[arg(long, value_name = "FOLDER")]
    labels: Option<PathBuf>,
    /// Kind of item in the audit; `leaf` is a leaf of a graded rubric tree
    #[arg(long, value_name = "KIND", value_parser = unit_parser())]
    unit: Option<LabelUnit>,
    /// Confirm each label with enter (on), or label immediately (off); default: the setting `labels`
    #[arg(long, alias = "two-acts", value_name = "on|off", hide_possible_values = true)]
    confirm_labels: Option<OnOff>,
    /// Seed of the audit queue; default: 1
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Profile of the formulas
    #[arg(long, value_name = "NAME", value_parser = profile_parser())]
    profile: Option<QualityProfile>,
    /// Rules in ast-grep's YAML, instead of the built-in ones
    #[arg(long, value_name = "FILE_OR_DIR")]
    rules: Option<PathBuf>,
    /// The colours of the screen
    #[arg(long, value_name = "NAME", value_parser = theme_parser())]
    theme: Option<ThemeName>,
    /// Use only ASCII characters (on) or all characters (off); default: by the locale
    #[arg(long, value_name = "on|off", hide_possible_values = true)]
    ascii: Option<OnOff>,
    /// Mouse capture; off: the terminal selects text as usual
    #[arg(long, value_name = "on|off", default_value = "on", hide_possible_values = true)]
    mouse: OnOff,
    /// Print the settled frame of this size, such as 120x40, and exit; needs no terminal
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = parse_size)]
    snapshot: Option<Size>,
    /// Press these keys first, such as `l l :goto 46 <enter>`
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
    /// Instead write an asciicast (version 2) to this file: one frame per key, or per turn without keys; nothing is
    /// redacted
    #[arg(long, requires = "snapshot", conflicts_with_all = ["ansi", "svg"], value_name = "FILE")]
    asciicast: Option<PathBuf>,
    /// Read the settings from this file instead of the usual place, or the one in TRAJVIEW_CONFIG
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print every setting and its source, and exit
    #[arg(long, conflicts_with = "snapshot")]
    print_config: bool,
    /// Follow a recording that is still being written
    #[arg(long, conflicts_with = "at")]
    follow: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum OnOff {
    On,
    Off,
}

impl ViewArgs {
    /// Returns whether nothing is named: then the sessions of this machine are listed.
    const fn names_nothing(&self) -> bool {
        let has_place = self.at.is_some() || self.file.is_some() || self.follow;
        let is_of_run = has_place || self.component.is_some() || self.decisions.is_some();
        self.paths.is_empty() && matches!(self.view, View::Replay) && !is_of_run
    }
}

/// Returns the settings alone.
pub(crate) fn options_from_settings(
    settings: config::LoadedConfig,
    named_file: Option<&Path>,
) -> ScreenOptions {
    let file = settings.file().map(Path::to_owned);
    let again = config::settings_file::SettingsFile(named_file.map(Path::to_owned));
    ScreenOptions {
        environment: JudgeEnvironment::for_this_process(),
        settings_file: Some(runtime::JudgeSettingsFile(Arc::new(again))),
        judges: settings.judges,
        drivers: settings.drivers,
        settings: file,
        problem: settings.problems.into_iter().next(),
        config: settings.config,
        caches: true,
        ..ScreenOptions::default()
    }
}

/// Makes the options from the settings, with those of the command line over them.
fn options_from_args(args: &ViewArgs, settings: config::LoadedConfig) -> ScreenOptions {
    let options = options_from_settings(settings, args.config.as_deref());
    let config = options.config;
    ScreenOptions {
        config: Config {
            theme: args.theme.unwrap_or(config.theme),
            profile: args.profile.unwrap_or(config.profile),
            rules: args.rules.clone().or(config.rules),
            annotator: args.annotator.clone().or(config.annotator),
            labels: args.confirm_labels.map_or(config.labels, |confirms| match confirms {
                OnOff::On => LabelMode::TwoActs,
                OnOff::Off => LabelMode::AtOnce,
            }),
            ..config
        },
        alphabet: args.ascii.map(|ascii| match ascii {
            OnOff::On => Alphabet::Ascii,
            OnOff::Off => Alphabet::Unicode,
        }),
        mouse: match args.mouse {
            OnOff::On => MouseCapture::On,
            OnOff::Off => MouseCapture::Off,
        },
        store: args.decisions.clone(),
        table: TableOpening {
            sort: args.sort,
            group: match args.group {
                None if args.names_nothing() => Some(RunTableColumn::Card(CardColumn::Project)),
                group => group,
            },
            filter: args.filter.clone().unwrap_or_default(),
            start: args.names_nothing().then(|| StartView {
                sample: store::session_folders::sample_session(),
                ..StartView::default()
            }),
            // A frame that is printed is the same for everybody.
            stored_choice: if args.snapshot.is_some() {
                StoredChoice::default()
            } else {
                stored_table_choice(args.names_nothing())
            },
        },
        ..options
    }
}

/// Returns the state in which the table was left the last time; a damaged file is deleted.
fn stored_table_choice(is_start: bool) -> StoredChoice {
    let Some((file, text)) = store::table_state::read_saved() else {
        return StoredChoice::default();
    };
    let which = if is_start { WhichTable::Start } else { WhichTable::Runs };
    match StoredTables::parse_lines(&text) {
        Ok(tables) => tables.table_choice(which),
        Err(why) => {
            store::table_state::remove_saved(&file);
            let file = file.display();
            print_note(&format!(
                "{file}: {why}; the columns that were chosen before are forgotten"
            ));
            StoredChoice::default()
        }
    }
}

fn view_parser() -> impl TypedValueParser<Value = View> {
    let name = |view| match view {
        View::Collection => PossibleValue::new("runs").alias("collection"),
        view => PossibleValue::new(View::word(view)),
    };
    run_args::word_parser(View::ALL.map(name), |word| match word {
        "runs" | "collection" => Some(View::Collection),
        word => View::by_word(word),
    })
}

/// Returns the parser of the unit of an audit.
pub(crate) fn unit_parser() -> impl TypedValueParser<Value = LabelUnit> {
    run_args::word_parser(LabelUnit::ALL.map(LabelUnit::word), LabelUnit::by_word)
}

/// Returns the parser of the profile of formulas.
pub(crate) fn profile_parser() -> impl TypedValueParser<Value = QualityProfile> {
    run_args::word_parser(QualityProfile::ALL.map(QualityProfile::name), QualityProfile::by_word)
}

fn theme_parser() -> impl TypedValueParser<Value = ThemeName> {
    let name = |theme: &ThemeName| match theme.word() {
        "colour-blind" => PossibleValue::new("colour-blind").alias("color-blind"),
        word => PossibleValue::new(word),
    };
    run_args::word_parser(ThemeName::ALL.iter().map(name), |word| word.parse().ok())
}

fn group_parser() -> impl TypedValueParser<Value = RunTableColumn> {
    let words = RunTableColumn::GROUPS.map(|column| column.column_info().word);
    run_args::word_parser(words, RunTableColumn::by_word)
}

fn parse_annotator(name: &str) -> Result<String, String> {
    let name = name.trim();
    if name.is_empty() { Err("a name is not blank".into()) } else { Ok(name.to_owned()) }
}

fn parse_size(text: &str) -> Result<Size, String> {
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

pub fn run(args: &ViewArgs, out: &mut Out) -> CommandResult {
    args.counting.apply();
    let settings = config::load_settings(args.config.as_deref())?;
    settings.problems.iter().for_each(|problem| print_note(problem));
    if args.print_config {
        settings.print_settings(out)?;
        return Ok(Exit::Fine);
    }
    let (paths, at) = split_moment(&args.paths, args.at.as_deref());
    let place = place_from_args(args, at)?;
    suggestions::check_paths(&paths, opens_table(args, &paths, &place))?;
    check_compared_paths(&paths, &place)?;
    if let Some(path) = args.decisions.as_deref().filter(|path| !path.is_file()) {
        return Err(suggestions::missing_path(path));
    }
    for path in &paths {
        run_args::use_labels_folder(args.labels.as_deref(), path)?;
    }
    store::rubric::pin_judge(args.judge.clone().or_else(|| settings.config.judge.clone()));
    let study = match paths.as_slice() {
        [path] if args.judge.is_some() && analysis::study::is_study(path) => {
            let path = path.display();
            let why =
                format!("{path} is a study, which names the judge (`judge`); leave out --judge");
            return Err(CommandFailure::wrong_arguments(why));
        }
        [path] => studies::study_to_open(path, place.view == View::Audit, args.seed)?,
        _ => None,
    };
    if let Some(studied) = &study {
        print_warnings(&studied.warnings);
    }
    let options = ScreenOptions { study: study.map(Arc::new), ..options_from_args(args, settings) };
    match args.snapshot {
        None => {
            let paths = with_folder_names(paths);
            store::session_folders::remember_opened(&paths);
            let ending = runtime::run_screen(&paths, place, options)?;
            Ok(match ending {
                runtime::ScreenEnd::Quit => Exit::Fine,
                runtime::ScreenEnd::Signal(signal) => Exit::Signal(signal),
            })
        }
        Some(size) => {
            let paths = with_folder_names(paths);
            if let Some(file) = &args.asciicast {
                let keys = &args.keys;
                asciicast::write_cast(
                    &paths,
                    asciicast::CastPlayback { size, keys, place, options },
                    file,
                )?;
                return Ok(Exit::Fine);
            }
            let frame = runtime::headless_frame(&paths, size, &args.keys, place, options)?;
            let print = match (args.svg, args.ansi) {
                (true, _) => export::frame_svg(&frame),
                (false, true) => export::frame_ansi(&frame),
                (false, false) => export::frame_text(&frame),
            };
            out.print_frame(&print)?;
            Ok(Exit::Fine)
        }
    }
}

/// Returns the paths for display; `.` by the name of its folder.
fn with_folder_names(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let named = |path: PathBuf| match path.file_name() {
        None => path.canonicalize().unwrap_or(path),
        Some(_) => path,
    };
    paths.into_iter().map(named).collect()
}

/// Returns `runs/a:12.7` is `runs/a --at 12.7`, where there is no file of that name.
fn split_moment<'a>(paths: &'a [PathBuf], at: Option<&'a str>) -> (Vec<PathBuf>, Option<&'a str>) {
    let split = |path: &'a PathBuf| {
        let (before, moment) = path.to_str()?.rsplit_once(':')?;
        let is_moment = matches!(moment.parse(), Ok(NamedMoment::Turn(_) | NamedMoment::Step(..)));
        if is_moment && is_address(path) {
            // An address is not requested to find out; no object has such a name.
            let address = Address::parse(path.to_str()?)?.ok()?;
            // Behind the name of a server a number is its port.
            return address.key.contains(':').then(|| (PathBuf::from(before), moment));
        }
        // A run within a file, as `sessions.db/ses_1`, is no path of its own.
        let is_meant = is_moment && !path.exists() && !run_args::is_missing(Path::new(before));
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

/// Fails where the compare view has fewer than two paths.
/// Returns whether the paths open as a table of runs, as far as the arguments tell.
fn opens_table(args: &ViewArgs, paths: &[PathBuf], place: &StartPlace) -> bool {
    let wants_table = args.sort.is_some() || args.group.is_some() || args.filter.is_some();
    match place.view {
        View::Collection => true,
        View::Replay => paths.len() > 2 || wants_table,
        _ => false,
    }
}

fn check_compared_paths(paths: &[PathBuf], place: &StartPlace) -> Result<(), CommandFailure> {
    if place.view != View::Compare || paths.len() > 1 {
        return Ok(());
    }
    Err(CommandFailure::wrong_arguments("a comparison needs two runs: trajview A B"))
}

fn place_from_args(args: &ViewArgs, at: Option<&str>) -> Result<StartPlace, CommandFailure> {
    let turn = at
        .map(str::parse)
        .transpose()
        .map_err(|why: String| CommandFailure::wrong_arguments(why))?;
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
    Ok(StartPlace {
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

impl From<runtime::ScreenFailure> for CommandFailure {
    fn from(why: runtime::ScreenFailure) -> Self {
        let exit = match why {
            runtime::ScreenFailure::Open(why) => return why.into(),
            runtime::ScreenFailure::Keys(_)
            | runtime::ScreenFailure::Place(_)
            | runtime::ScreenFailure::NoTerminal => Exit::WrongArguments,
            runtime::ScreenFailure::Terminal(_) => Exit::CannotRead,
        };
        Self { exit, sentence: why.to_string() }
    }
}
