//! Lines of a file, with their numbers.

use crate::snapshot::CodeSnapshot;

use super::{
    ToolArguments, cut_line,
    path::{self, SnapshotPlace},
};

/// Lines given where the judge does not say how many, and the most it can have at once.
const USUAL: usize = 250;
const MOST: usize = 500;

/// Returns lines of a file of the snapshot with their numbers. The error is a sentence for the judge.
pub fn read_lines(
    arguments: &ToolArguments<'_>,
    snapshot: &CodeSnapshot,
) -> Result<String, String> {
    let path = match path::resolve_path(Some(arguments.required_text("path")?), snapshot)? {
        SnapshotPlace::File(path) => path,
        SnapshotPlace::Folder(path) => return Err(format!("{path} is a folder; use list")),
        SnapshotPlace::Root => return Err("name a file".into()),
    };
    let text = snapshot.text_of(&path).map_err(|why| format!("{path}: {why}"))?;
    let count = text.lines().count();
    if count == 0 {
        return Ok(format!("{path} is empty"));
    }
    let start = arguments.line_argument("start")?.unwrap_or(1);
    let end = arguments.line_argument("end")?.unwrap_or_else(|| start.saturating_add(USUAL - 1));
    if start > count {
        return Err(format!("{path} has {count} lines only"));
    }
    if end < start {
        return Err("end is before start".into());
    }
    let end = end.min(count).min(start + MOST - 1);
    let shown = (start..).zip(text.lines().skip(start - 1).take(end + 1 - start));
    let lines: Vec<String> =
        shown.map(|(number, line)| format!("{number:>5}  {}", cut_line(line))).collect();
    Ok(format!("{path}, lines {start}-{end} of {count}\n{}", lines.join("\n")))
}
