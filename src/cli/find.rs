//! `trajview find`: words in every run below some paths.

use std::path::{Path, PathBuf};

use serde::Serialize;

use trajview_live::command_line::shell_words;
use trajview_run::{
    Time,
    format_number::count_with_noun,
    lookup::{Lookup, LookupHit, LookupTotals, RunHits},
    search::{HitPlace, StepField},
};
use trajview_store::{
    lookup::{self, BuildOutcome, LookupMessage, RunFinder},
    session_folders::agent_folders,
};
use trajview_tui::widgets::text;

use super::{
    CommandFailure, CommandResult, Exit,
    output::{Out, print_note, safe_line},
    run_args, suggestions,
};

/// The columns of a match that are always printed, however long its path is.
const LEAST_TEXT: usize = 30;

/// Search the requests, messages, calls and results of many runs
///
/// All terms must match in the same request or step: words, "phrases", /patterns/, and the filters file:NAME,
/// edited:NAME, tool:NAME, error:, error:WORD, agent:NAME, project:NAME and since:7d or since:2026-01-31. On the result of
/// the harness there are the filters of the table of runs: outcome:failed, task:NAME, attempt=2, reward>=0.5,
/// reward_name:NAME, and the opposite with `!` before. A word is a sequence of letters and digits, in any case: find_user,
/// find and user match find_user; find_us* matches its prefix. Matches are printed by run, the newest first, as
/// PATH:12.7: LINE for step 7 of turn 12; `trajview PATH:12.7` opens it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 match, 1 no match; others as in all commands. An index makes searches faster but is not required; it is updated while a table of runs is on screen, or with --index."
)]
pub struct FindArgs {
    /// The query, in one argument: 'retry "connection reset" tool:Bash'
    #[arg(required_unless_present_any = ["forget", "index"])]
    words: Option<String>,
    /// Recordings or folders of them, or addresses; default: the sessions of this machine
    #[arg(value_parser = run_args::place_parser())]
    paths: Vec<PathBuf>,
    /// WORDS is one pattern, in the syntax of Rust's regex
    #[arg(long)]
    regex: bool,
    /// Print one JSON object per line, for each match
    #[arg(long)]
    json: bool,
    /// Print at most N matches per run; others are only counted
    #[arg(long, short = 'm', alias = "most", value_name = "N", default_value_t = 20)]
    max_count: usize,
    /// Update the index first; without WORDS do only this
    #[arg(long)]
    index: bool,
    /// Read everything, do not use the index
    #[arg(long, conflicts_with = "index")]
    no_index: bool,
    /// Delete the index
    #[arg(long, conflicts_with_all = ["words", "index", "no_index"])]
    forget: bool,
}

pub fn run(args: &FindArgs, out: &mut Out) -> CommandResult {
    let index = lookup::default_path();
    if args.forget {
        return delete_index(index.as_deref(), out);
    }
    let paths = searched_paths(args)?;
    if args.index {
        let index = index.as_deref().ok_or_else(|| {
            CommandFailure::cannot_read("no home folder for the index; set XDG_CACHE_HOME")
        })?;
        update_index(index, &paths)?;
    }
    let Some(words) = &args.words else { return Ok(Exit::Fine) };
    let lookup = match args.regex {
        true => Lookup::from_pattern(words),
        false => Lookup::parse(words, Time(jiff::Timestamp::now().as_millisecond())),
    };
    let lookup = lookup.map_err(CommandFailure::wrong_arguments)?;
    let index = index.as_deref().filter(|_| !args.no_index);
    let finder = RunFinder { lookup: &lookup, index, keep_going: &|| true };
    let (mut printed, mut unread) = (Ok(()), vec![]);
    let looked = finder.find_in_runs(&paths, &mut |told| {
        match told {
            LookupMessage::Found(found) => printed = print_hits(&found, args, out),
            LookupMessage::Unread(why) => unread.push(why),
        }
        printed.is_ok()
    });
    printed?;
    unread.iter().for_each(|why| print_note(why));
    if !unread.is_empty() && unread.len() == looked.runs {
        return Err(CommandFailure::cannot_understand(""));
    }
    if !args.json {
        out.print_sentence(&summary_line(&looked))?;
    }
    Ok(if looked.hits > 0 { Exit::Fine } else { Exit::Failed })
}

fn delete_index(index: Option<&Path>, out: &mut Out) -> CommandResult {
    let Some(index) = index else { return Ok(Exit::Fine) };
    let words = match lookup::delete_index(index).map_err(CommandFailure::cannot_read)? {
        true => format!("deleted the index {}", index.display()),
        false => format!("no index {}", index.display()),
    };
    out.print_line(&words)?;
    Ok(Exit::Fine)
}

/// Returns the paths to search. A missing path is an error; where none is named, the usual session folders are
/// returned.
fn searched_paths(args: &FindArgs) -> Result<Vec<PathBuf>, CommandFailure> {
    if args.paths.is_empty() {
        let usual = agent_folders();
        return match usual.is_empty() {
            true => Err(CommandFailure::cannot_read(
                "no agent sessions in the known folders; name a recording or a folder",
            )),
            false => Ok(usual),
        };
    }
    match args.paths.iter().find(|path| run_args::is_missing(path)) {
        Some(path) => Err(suggestions::missing_path(path)),
        None => Ok(args.paths.clone()),
    }
}

fn update_index(index: &Path, paths: &[PathBuf]) -> Result<(), CommandFailure> {
    let built = lookup::build_index(index, paths, &|| true, &mut |_| {})
        .map_err(CommandFailure::cannot_read)?;
    match built {
        BuildOutcome::Done(done) | BuildOutcome::Stopped(done) => print_note(&format!(
            "{} of {} runs were read into the index {}, {} were in it",
            done.runs,
            done.of_runs,
            index.display(),
            done.passed_over
        )),
        BuildOutcome::Elsewhere => print_note("another program is updating the index"),
    }
    Ok(())
}

/// A hit, on a line of its own.
#[derive(Serialize)]
struct HitRow<'a> {
    schema: &'static str,
    path: String,
    run: &'a str,
    title: &'a str,
    /// Null if the recording names none.
    agent: Option<&'a str>,
    /// The folder the agent worked in. Null if it is not recorded.
    project: Option<&'a str>,
    started_at: Option<Time>,
    /// Counts from 1.
    turn: usize,
    /// Counts from 1; null for the request.
    step: Option<usize>,
    /// request, text, arguments or result
    field: &'static str,
    /// Line of that text; counts from 1.
    line: usize,
    /// The line, cut around the hit where it is long.
    text: &'a str,
    /// Bytes of `text`. Null if only filters were given.
    start: Option<usize>,
    end: Option<usize>,
}

/// Prints what a run has, and brings it out at once.
fn print_hits(found: &RunHits, args: &FindArgs, out: &mut Out) -> std::io::Result<()> {
    let hits = &found.hits[..found.hits.len().min(args.max_count)];
    if args.json {
        hits.iter().try_for_each(|hit| out.print_json_line(&hit_row(found, hit)))?;
        return out.finish();
    }
    let columns = out.terminal_columns().unwrap_or(usize::MAX);
    out.print_line(&text::truncate(&run_line(found), columns, "…"))?;
    hits.iter().try_for_each(|hit| out.print_line(&hit_line(&found.path, hit, columns)))?;
    if found.total > hits.len() {
        out.print_line(&format!("and {} more", found.total - hits.len()))?;
    }
    out.print_line("")?;
    out.finish()
}

/// Returns what a run is: `codex · shop · 2026-01-31 · mend the shop`.
fn run_line(found: &RunHits) -> String {
    let about = &found.about;
    let project = about.project_name().map(str::to_owned);
    let parts = [about.agent.clone(), project, about.start_day(), Some(about.title.clone())];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|it| !it.is_empty()).collect();
    parts.join(" · ")
}

/// Returns `PATH:12.7: the line`, with the line cut where it does not fit.
fn hit_line(path: &Path, hit: &LookupHit, columns: usize) -> String {
    let place = shell_path(path, &hit.moment.to_string());
    let left = columns.saturating_sub(text::width(&place) + 2).max(LEAST_TEXT);
    format!("{place}: {}", text::truncate(&safe_line(hit.excerpt.trim()), left, "…"))
}

/// Returns `PATH:12.7` as a shell reads it, the home folder as `~`.
fn shell_path(path: &Path, moment: &str) -> String {
    let word = |path: &Path| shell_words([format!("{}:{moment}", path.display())]);
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty());
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(below) => format!("~/{}", word(below)),
        None => word(path),
    }
}

const fn field_name(place: HitPlace) -> &'static str {
    match place {
        HitPlace::Request => "request",
        HitPlace::Step(_, StepField::Text) => "text",
        HitPlace::Step(_, StepField::Arguments) => "arguments",
        HitPlace::Step(_, StepField::Result) => "result",
    }
}

fn hit_row<'a>(found: &'a RunHits, hit: &'a LookupHit) -> HitRow<'a> {
    let about = &found.about;
    let range = Some(&hit.range).filter(|range| !range.is_empty());
    HitRow {
        schema: "trajview.find/1",
        path: found.path.display().to_string(),
        run: &about.id,
        title: &about.title,
        agent: about.agent.as_deref(),
        project: about.project.as_deref(),
        started_at: about.started_at,
        turn: hit.moment.turn + 1,
        step: hit.moment.step.map(|(_, step)| step),
        field: field_name(hit.place),
        line: hit.line + 1,
        text: &hit.excerpt,
        start: range.map(|range| range.start),
        end: range.map(|range| range.end),
    }
}

fn summary_line(looked: &LookupTotals) -> String {
    let indexed = match looked.indexed {
        0 => String::new(),
        indexed => format!(", {indexed} by the index"),
    };
    let (hits, runs) =
        (count_with_noun(looked.hits, "line"), count_with_noun(looked.with_hits, "run"));
    format!("{hits} in {runs}; {} searched{indexed}", count_with_noun(looked.runs, "run"))
}
