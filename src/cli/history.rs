//! `trajview history`: every change to a file, or to a function in it, over a run.

use serde::Serialize;

use trajview_code::patch::LineCounts;
use trajview_run::{
    RepoPath, Run,
    figures::counted,
    files::{
        FileDiff, Origin,
        history::{Entry, History, Thing, Wanted},
    },
};
use trajview_store as store;

use super::{
    Exit, Failure, Outcome, RunArg, at,
    output::{Column, Out, Table, dash},
};

/// List every change to a file, or to a function through renames and moves, over the run
#[derive(Debug, clap::Args)]
#[command(
    after_help = "WHAT is src/loss.py, or src/loss.py:40 for the function, class or value around line 40 (where there is none: \
    the file), or src/loss.py::joint_loss for one of that name.\nA change of no step is one that no recorded edit explains: it \
    was seen in the files of a later edit, or at the end of the turn."
)]
pub struct Args {
    #[command(flatten)]
    run: RunArg,
    /// A path inside the workspace, with :LINE or ::NAME for what stands there
    #[arg(value_name = "WHAT")]
    what: String,
    /// When the path and the line are meant: a turn (counts from 1), a step of one (12.7), a checkpoint's id, `start` or
    /// `final`; without it the last time there was such a file
    #[arg(long, value_name = "MOMENT")]
    at: Option<String>,
    /// Print the lines that changed below each
    #[arg(long)]
    diff: bool,
    /// Print JSON (schema trajview.history/1); with --diff each change has its lines
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    run: &'a str,
    /// Where the thing stands at the moment asked for.
    path: &'a str,
    /// Dotted name of the function, class or value; null for the whole file.
    symbol: Option<&'a str>,
    /// In playing order.
    changes: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    /// Counts from 1.
    turn: usize,
    /// Its number in the turn, sub-agents' steps included, from 1; null where no step is recorded to have done it.
    step: Option<usize>,
    /// Id of the sub-agent whose step it is; null for the main agent.
    subagent: Option<&'a str>,
    /// created, changed, renamed, moved, taken in, deleted or back
    what: &'static str,
    /// Where it stands after the change; of what is gone, where it stood.
    path: &'a str,
    symbol: Option<&'a str>,
    /// Where it stood before, if elsewhere or under another name.
    from: Option<String>,
    /// Lines of it; null where the recording does not have them.
    added: Option<usize>,
    removed: Option<usize>,
    /// recorded, partly, or outside (no recorded edit explains it)
    origin: &'static str,
    /// First line of the turn's request.
    request: Option<&'a str>,
    /// Hunks of a unified diff; absent without --diff, null where the recording does not have them.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<Option<String>>,
}

pub fn run(args: &Args, out: &mut Out) -> Outcome {
    let opened = store::open(&args.run.path)?;
    let (run, archive) = (&*opened.run, &*opened.archive);
    let cannot = |why: String| Failure::unread(format!("{}: {why}", args.what));
    let at = args.at.as_deref().map(|at| at::moment(run, at)).transpose()?;
    let (path, thing) = parsed(&args.what);
    let path = RepoPath::new(path)
        .ok_or_else(|| Failure::wrong(format!("{}: not a path inside the workspace", args.what)))?;
    let wanted = Wanted { path, thing, at };
    let history = store::history(archive, run, &wanted).map_err(cannot)?;
    if args.json {
        let changes = history.entries.iter().map(|entry| row(run, entry, args.diff)).collect();
        let (path, symbol) = (history.place.path.as_str(), history.place.symbol.as_deref());
        let schema = "trajview.history/1";
        out.json(&Document { schema, run: &run.id, path, symbol, changes })?;
    } else {
        print(run, &history, &wanted, args.diff, out)?;
    }
    Ok(Exit::Fine)
}

/// `src/loss.py:40`, `src/loss.py::joint_loss`
fn parsed(what: &str) -> (&str, Thing) {
    if let Some((path, name)) = what.split_once("::") {
        return (path, Thing::Symbol(name.to_owned()));
    }
    let line = what.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?)));
    match line {
        Some((path, line)) => (path, Thing::Around(line)),
        None => (what, Thing::File),
    }
}

fn lines(entry: &Entry) -> Option<LineCounts> {
    entry.diff.line_counts()
}

fn request<'r>(run: &'r Run, entry: &Entry) -> Option<&'r str> {
    let title = run.turns.get(entry.event.turn).map(|turn| &*turn.title);
    title.filter(|title| !title.is_empty())
}

fn row<'a>(run: &'a Run, entry: &'a Entry, with_diff: bool) -> Row<'a> {
    let agent = entry.event.step.and_then(|step| run.subagents.get(step.subagent?));
    Row {
        turn: entry.event.turn + 1,
        step: entry.number,
        subagent: agent.map(|agent| agent.id.as_str()),
        what: entry.what.word(),
        path: entry.place.path.as_str(),
        symbol: entry.place.symbol.as_deref(),
        from: entry.from.as_ref().map(|from| from.words()),
        added: lines(entry).map(|lines| lines.added),
        removed: lines(entry).map(|lines| lines.removed),
        origin: entry.origin.word(),
        request: request(run, entry),
        diff: with_diff.then(|| entry.diff.text().map(|_| hunks(entry))),
    }
}

fn hunks(entry: &Entry) -> String {
    let mut text = String::new();
    entry.diff.text().iter().flat_map(|diff| &diff.hunks).for_each(|hunk| hunk.write(&mut text));
    text
}

/// `src/loss.py::joint_loss: 7 changes`
fn head(history: &History, wanted: &Wanted) -> String {
    let count = counted(history.entries.len(), "change");
    let name = history.place.words();
    match (&wanted.thing, &history.place.symbol) {
        (Thing::Around(line), None) => {
            format!("{name}: {count}; no function, class or value is around line {line}")
        }
        _ => format!("{name}: {count}"),
    }
}

const fn outside(origin: Origin) -> &'static str {
    match origin {
        Origin::Recorded => "",
        Origin::Partly => "partly outside recorded edits",
        Origin::Outside => "outside recorded edits",
    }
}

fn print(
    run: &Run,
    history: &History,
    wanted: &Wanted,
    with_diff: bool,
    out: &mut Out,
) -> std::io::Result<()> {
    out.sentence(&head(history, wanted))?;
    let columns: [Column<'_, Entry>; 5] = [
        (">step", &Entry::moment),
        ("what", &|it| match it.origin {
            Origin::Recorded => it.words(),
            Origin::Partly | Origin::Outside => format!("{}, {}", it.words(), outside(it.origin)),
        }),
        (">+", &|it| dash(lines(it).map(|lines| lines.added))),
        (">−", &|it| dash(lines(it).map(|lines| lines.removed))),
        ("request", &|it| {
            let request = trajview_run::label(request(run, it).unwrap_or("(no request recorded)"));
            trajview_tui::widgets::text::truncate(&request, 72, "…").to_string()
        }),
    ];
    if !with_diff {
        return Table::of(&columns, &history.entries).print(out);
    }
    for entry in &history.entries {
        let cells = columns.map(|(_, cell)| cell(entry));
        out.line("")?;
        let [step, what, added, removed, request] = cells;
        out.line(&format!("{step}  {what}  +{added} −{removed}  {request}"))?;
        if let FileDiff::NotRecorded(why) = &entry.diff {
            out.line(why)?;
        }
        out.raw(hunks(entry).as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_is_a_path_alone_with_a_line_or_with_a_name() {
        assert_eq!(parsed("a/b.py"), ("a/b.py", Thing::File));
        assert_eq!(parsed("a/b.py:12"), ("a/b.py", Thing::Around(12)));
        assert_eq!(parsed("a/b.py::C.f"), ("a/b.py", Thing::Symbol("C.f".into())));
        assert_eq!(parsed("a:b.py"), ("a:b.py", Thing::File));
    }
}
