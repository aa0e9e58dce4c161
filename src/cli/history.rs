//! `trajview history`: every change to a file, or to a function in it, over a run.

use trajview_analysis as analysis;
use trajview_code::patch::LineCounts;
use trajview_run::{
    RepoPath, Run,
    files::{
        ChangeOrigin, FileDiff,
        history::{ChangeHistory, HistoryEntry, HistoryQuery, HistorySubject},
    },
    format_number::count_with_noun,
};
use trajview_store as store;

use super::{
    CommandFailure, CommandResult, Exit, RunArg,
    output::{Json, Out, OutputTable, TableColumn, cell_or_dash, record},
    run_args,
};

/// List every change to a file, or to a function through renames
#[derive(Debug, clap::Args)]
#[command(
    after_help = "WHAT is src/loss.py, or src/loss.py:40 for the function, class or value around line 40 (else the file), or src/loss.py::joint_loss for one of that name.\nA change of no step is one that no recorded edit explains: it \
    was seen in the files of a later edit, or at the end of the turn."
)]
pub struct HistoryArgs {
    #[command(flatten)]
    run: RunArg,
    /// A path inside the workspace, with :LINE or ::NAME for one line or definition
    #[arg(value_name = "WHAT")]
    what: String,
    /// The moment of the path and the line: a turn (counts from 1), a step (12.7), a checkpoint's id, `start` or
    /// `final`; default: the last moment with such a file
    #[arg(long, value_name = "MOMENT")]
    at: Option<String>,
    /// Also print the changed lines
    #[arg(long)]
    diff: bool,
    /// Print JSON (schema trajview.history/1); with --diff each change has its lines
    #[arg(long)]
    json: bool,
}

pub fn run(args: &HistoryArgs, out: &mut Out) -> CommandResult {
    let opened = store::open(&args.run.path)?;
    let (run, archive) = (&*opened.run, &*opened.archive);
    let cannot = |why: String| CommandFailure::cannot_read(format!("{}: {why}", args.what));
    let at = args.at.as_deref().map(|at| run_args::parse_moment(run, at)).transpose()?;
    let (path, thing) = parse_what(&args.what);
    let path = RepoPath::new(path).ok_or_else(|| {
        CommandFailure::wrong_arguments(format!("{}: not a path inside the workspace", args.what))
    })?;
    let wanted = HistoryQuery { path, subject: thing, at };
    let history = analysis::file_history(archive, run, &wanted).map_err(cannot)?;
    if args.json {
        out.print_json(&record! {
            schema: "trajview.history/1",
            run: run.id,
            // The path at the requested moment, and the dotted name of the function, class or value; null for the whole file.
            path: history.place.path.as_str(),
            symbol: history.place.symbol,
            changes: Json::list(&history.entries, |entry| history_row(run, entry, args.diff)),
        })?;
    } else {
        print_history(run, &history, &wanted, args.diff, out)?;
    }
    Ok(Exit::Fine)
}

/// Parses `src/loss.py:40`, `src/loss.py::joint_loss`.
fn parse_what(what: &str) -> (&str, HistorySubject) {
    if let Some((path, name)) = what.split_once("::") {
        return (path, HistorySubject::Symbol(name.to_owned()));
    }
    let line = what.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?)));
    match line {
        Some((path, line)) => (path, HistorySubject::AtLine(line)),
        None => (what, HistorySubject::File),
    }
}

fn line_counts(entry: &HistoryEntry) -> Option<LineCounts> {
    entry.diff.line_counts()
}

fn request_title<'r>(run: &'r Run, entry: &HistoryEntry) -> Option<&'r str> {
    let title = run.turns.get(entry.event.turn).map(|turn| &*turn.title);
    title.filter(|title| !title.is_empty())
}

fn history_row(run: &Run, entry: &HistoryEntry, with_diff: bool) -> Json {
    let agent = entry.event.step.and_then(|step| run.subagents.get(step.subagent?));
    let diff = with_diff.then(|| {
        // Hunks of a unified diff; null if the recording does not have them.
        record! { diff: entry.diff.text_diff().map(|_| hunks_text(entry)) }
    });
    record! {
        // Counts from 1.
        turn: entry.event.turn + 1,
        // Its number in the turn, sub-agents' steps included, from 1. Null if no step is recorded to have done it.
        step: entry.number,
        // Id of the sub-agent whose step it is; null for the main agent.
        subagent: agent.map(|agent| &agent.id),
        // created, changed, renamed, moved, taken in, deleted or back
        what: entry.change.word(),
        // The path after the change; for a deletion the path before it.
        path: entry.place.path.as_str(),
        symbol: entry.place.symbol,
        // The path and symbol before the change, if they were different.
        from: entry.from.as_ref().map(|from| from.display_text()),
        // Lines of it. Null if the recording does not have them.
        added: line_counts(entry).map(|lines| lines.added),
        removed: line_counts(entry).map(|lines| lines.removed),
        // recorded, partly, or outside (no recorded edit explains it)
        origin: entry.origin.word(),
        // First line of the turn's request.
        request: request_title(run, entry),
        ..diff,
    }
}

fn hunks_text(entry: &HistoryEntry) -> String {
    let mut text = String::new();
    entry
        .diff
        .text_diff()
        .iter()
        .flat_map(|diff| &diff.hunks)
        .for_each(|hunk| hunk.write(&mut text));
    text
}

/// Returns `src/loss.py::joint_loss: 7 changes`.
fn head_line(history: &ChangeHistory, wanted: &HistoryQuery) -> String {
    let count = count_with_noun(history.entries.len(), "change");
    let name = history.place.display_text();
    match (&wanted.subject, &history.place.symbol) {
        (HistorySubject::AtLine(line), None) => {
            format!("{name}: {count}; no function, class or value at line {line}")
        }
        _ => format!("{name}: {count}"),
    }
}

const fn outside_note(origin: ChangeOrigin) -> &'static str {
    match origin {
        ChangeOrigin::Recorded => "",
        ChangeOrigin::Partly => "partly outside recorded edits",
        ChangeOrigin::Outside => "outside recorded edits",
    }
}

fn print_history(
    run: &Run,
    history: &ChangeHistory,
    wanted: &HistoryQuery,
    with_diff: bool,
    out: &mut Out,
) -> std::io::Result<()> {
    out.print_sentence(&head_line(history, wanted))?;
    let columns: [TableColumn<'_, HistoryEntry>; 5] = [
        (">step", &HistoryEntry::moment_text),
        ("what", &|it| match it.origin {
            ChangeOrigin::Recorded => it.change_text(),
            ChangeOrigin::Partly | ChangeOrigin::Outside => {
                format!("{}, {}", it.change_text(), outside_note(it.origin))
            }
        }),
        (">+", &|it| cell_or_dash(line_counts(it).map(|lines| lines.added))),
        (">−", &|it| cell_or_dash(line_counts(it).map(|lines| lines.removed))),
        ("request", &|it| {
            let request = trajview_run::first_line_label(
                request_title(run, it).unwrap_or("(no request recorded)"),
            );
            trajview_tui::widgets::text::truncate(&request, 72, "…").to_string()
        }),
    ];
    if !with_diff {
        return OutputTable::from_rows(&columns, &history.entries).print_columns(out);
    }
    for entry in &history.entries {
        let cells = columns.map(|(_, cell)| cell(entry));
        out.print_line("")?;
        let [step, what, added, removed, request] = cells;
        out.print_line(&format!("{step}  {what}  +{added} −{removed}  {request}"))?;
        if let FileDiff::NotRecorded(why) = &entry.diff {
            out.print_line(why)?;
        }
        out.print_bytes(hunks_text(entry).as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_is_a_path_alone_with_a_line_or_with_a_name() {
        assert_eq!(parse_what("a/b.py"), ("a/b.py", HistorySubject::File));
        assert_eq!(parse_what("a/b.py:12"), ("a/b.py", HistorySubject::AtLine(12)));
        assert_eq!(parse_what("a/b.py::C.f"), ("a/b.py", HistorySubject::Symbol("C.f".into())));
        assert_eq!(parse_what("a:b.py"), ("a:b.py", HistorySubject::File));
    }
}
