//! Changes of files, as the tools record them.
//!
//! An edit's body stands in the structured result of the call, or, where a version does not write one, in the
//! call's own arguments; [`trajview_run::Edit::place`] names the record that holds it. Its part counts the changes of
//! a structured result, or names the content block of a call.
//!
//! The strings are preferred to `structuredPatch`, which some versions write with tabs turned to spaces; only where
//! a person changed the edit before accepting it (`userModified`) are the strings not what happened.

use super::{
    json::{Quoted, Raw, elements, object},
    record::{
        Hunk, Input, Message, Record, ShellDiff, ShellFile, Structured, Swap, blocks, string,
    },
    text::{readable, swaps},
};
use crate::tape::{Tape, Value};
use trajview_code::patch::{LineKind, PatchHunk, PatchLine};
use trajview_run::{
    Edit, EditKind,
    files::{RecordedChange, RecordedEdit, Replacement},
};

/// An edit before it is known where the workspace is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sketch {
    /// None where the result does not say, only the call.
    pub path: Option<Box<str>>,
    pub from: Option<Box<str>>,
    pub kind: EditKind,
    pub added: Option<u32>,
    pub removed: Option<u32>,
    pub part: u32,
}

/// The edits that a structured result records.
pub fn recorded(result: &Structured<'_>) -> Vec<Sketch> {
    if result.bash_edit_diff.is_some() {
        let diff = object(result.bash_edit_diff);
        let changes = shell_changes(&diff);
        return (0..).zip(&changes).map(|(part, change)| change.sketch(part)).collect();
    }
    let Some(form) = Form::of(result) else { return vec![] };
    let path = Quoted::of(result.file_path).or_else(|| Quoted::of(result.notebook_path));
    let (added, removed) = form.lines(result);
    vec![Sketch {
        path: path.map(|path| path.text().into()),
        from: None,
        kind: form.kind(result),
        added,
        removed,
        part: 0,
    }]
}

/// What a structured result is the result of, told by its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Write,
    Edit,
    MultiEdit,
    Notebook,
}

impl Form {
    fn of(result: &Structured<'_>) -> Option<Self> {
        let has_path = Quoted::of(result.file_path).is_some();
        let writes = matches!(result.kind.as_str(), "create" | "update");
        let failed = Quoted::of(result.error).is_some_and(|error| !error.is_empty());
        if has_path && writes && Quoted::of(result.content).is_some() {
            Some(Self::Write)
        } else if has_path && result.edits.is_some() {
            Some(Self::MultiEdit)
        } else if has_path && Quoted::of(result.new_string).is_some() {
            Some(Self::Edit)
        } else if result.new_source.is_some() && !failed {
            Some(Self::Notebook)
        } else {
            None
        }
    }

    fn kind(self, result: &Structured<'_>) -> EditKind {
        let is_new = match self {
            Self::Write => result.kind.as_str() == "create",
            Self::Edit => {
                Quoted::of(result.old_string).is_none_or(Quoted::is_empty)
                    && Quoted::of(result.original_file).is_none_or(Quoted::is_empty)
            }
            Self::MultiEdit | Self::Notebook => false,
        };
        if is_new { EditKind::Create } else { EditKind::Modify }
    }

    /// Lines added and removed.
    fn lines(self, result: &Structured<'_>) -> (Option<u32>, Option<u32>) {
        let content = Quoted::of(result.content).map(Quoted::lines);
        match self {
            Self::Notebook => (None, None),
            Self::Write if result.kind.as_str() == "create" => (content, Some(0)),
            _ if result.structured_patch.is_some() => counts_of(result.structured_patch),
            Self::Write => (None, None),
            Self::Edit => sum(&[Swap {
                old_string: result.old_string,
                new_string: result.new_string,
                replace_all: result.replace_all,
            }]),
            Self::MultiEdit => sum(&swaps_of(result.edits)),
        }
    }

    fn body(self, result: &Structured<'_>) -> RecordedEdit {
        let before = result.original_file.or(result.original_file_contents);
        let before = Quoted::of(before).map(Quoted::text);
        let is_new = self.kind(result) == EditKind::Create;
        let hunks = || hunks(result.structured_patch);
        if result.user_modified.0 && !hunks().is_empty() {
            return RecordedEdit { before, change: RecordedChange::Patch(hunks()) };
        }
        let change = match self {
            Self::Write => RecordedChange::Write(string(result.content)),
            Self::Edit if is_new => RecordedChange::Write(string(result.new_string)),
            Self::Edit => RecordedChange::Replace(replacements(
                &[Swap {
                    old_string: result.old_string,
                    new_string: result.new_string,
                    replace_all: result.replace_all,
                }],
                before.as_deref(),
            )),
            Self::MultiEdit => {
                RecordedChange::Replace(replacements(&swaps_of(result.edits), before.as_deref()))
            }
            Self::Notebook => {
                let before = Quoted::of(result.original_notebook).map(Quoted::text);
                let after = Quoted::of(result.updated_notebook).map(Quoted::text);
                let change = after.map_or(RecordedChange::NotRecorded, RecordedChange::Write);
                return RecordedEdit { before, change };
            }
        };
        RecordedEdit { before: before.filter(|_| !is_new), change }
    }
}

fn swaps_of(edits: Raw<'_>) -> Vec<Swap<'_>> {
    swaps(&Input { edits, ..Input::default() })
}

/// The edit that a call asks for; it took place if the call did not fail.
pub fn asked(tool: &str, input: &Input<'_>, part: u32) -> Option<Sketch> {
    let path = Quoted::of(input.file_path).or_else(|| Quoted::of(input.notebook_path));
    let path = path.map(|path| path.text().into());
    path.as_ref()?;
    let (kind, (added, removed)) = match tool {
        "Write" => {
            let lines = Quoted::of(input.content).map(Quoted::lines);
            // Whether the file was there before, only the result can tell.
            (EditKind::Modify, (lines, None))
        }
        "Edit" | "MultiEdit" => {
            let swaps = swaps(input);
            let creates = swaps
                .first()
                .is_some_and(|swap| Quoted::of(swap.old_string).is_some_and(Quoted::is_empty));
            (if creates { EditKind::Create } else { EditKind::Modify }, sum(&swaps))
        }
        "NotebookEdit" => (EditKind::Modify, (None, None)),
        _ => return None,
    };
    Some(Sketch { path, from: None, kind, added, removed, part })
}

fn sum(swaps: &[Swap<'_>]) -> (Option<u32>, Option<u32>) {
    let (mut added, mut removed) = (0u32, 0u32);
    for swap in swaps {
        let (old, new) = (string(swap.old_string), string(swap.new_string));
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| {
            pairs.take_while(|(old, new)| old == new).count()
        };
        let start = same(&mut old.iter().zip(&new));
        let end = same(&mut old[start..].iter().rev().zip(new[start..].iter().rev()));
        added = added.saturating_add((new.len() - start - end) as u32);
        removed = removed.saturating_add((old.len() - start - end) as u32);
    }
    (Some(added), Some(removed))
}

/// As the tool applies them: where nothing takes the place of whole lines, their line end goes too.
fn replacements(swaps: &[Swap<'_>], before: Option<&str>) -> Vec<Replacement> {
    let one = |swap: &Swap<'_>| {
        let (mut old, new) = (string(swap.old_string), string(swap.new_string));
        let with_end = format!("{old}\n");
        let takes_end = new.is_empty() && !old.is_empty() && !old.ends_with('\n');
        if takes_end && before.is_some_and(|before| before.contains(&with_end)) {
            old = with_end;
        }
        Replacement { old, new, all: swap.replace_all.0 }
    };
    swaps.iter().map(one).collect()
}

/// A line of a patch: its sign and what follows, still as in the file.
fn patch_lines<'a>(hunk: &Hunk<'a>) -> Vec<Value<'a>> {
    elements(hunk.lines).collect()
}

/// The sign of a line as it stands in the file; a backslash begins "No newline at end of file".
fn sign(line: Value<'_>) -> u8 {
    line.get().as_bytes().get(1).copied().unwrap_or(b'"')
}

fn hunks_of<'a>(raw: Raw<'a>) -> Vec<Hunk<'a>> {
    elements(raw).map(|hunk| object(Some(hunk))).collect()
}

fn counts_of(patch: Raw<'_>) -> (Option<u32>, Option<u32>) {
    let hunks = hunks_of(patch);
    let lines: Vec<_> = hunks.iter().flat_map(patch_lines).collect();
    let count = |wanted| lines.iter().filter(|line| sign(**line) == wanted).count() as u32;
    (Some(count(b'+')), Some(count(b'-')))
}

fn hunks(patch: Raw<'_>) -> Vec<PatchHunk> {
    let number = |count: super::json::Count| count.0.and_then(|count| usize::try_from(count).ok());
    let one = |hunk: &Hunk<'_>| PatchHunk {
        old_start: number(hunk.old_start),
        new_start: number(hunk.new_start),
        anchor: None,
        lines: lines_of(hunk),
        at_end: false,
    };
    hunks_of(patch).iter().map(one).collect()
}

fn lines_of(hunk: &Hunk<'_>) -> Vec<PatchLine> {
    let mut lines: Vec<PatchLine> = vec![];
    for raw in patch_lines(hunk) {
        let kind = match sign(raw) {
            b'+' => LineKind::Added,
            b'-' => LineKind::Removed,
            b'\\' => {
                if let Some(last) = lines.last_mut() {
                    last.newline = false;
                }
                continue;
            }
            _ => LineKind::Context,
        };
        let text: String = string(Some(raw)).chars().skip(1).collect();
        lines.push(PatchLine { kind, text, newline: true });
    }
    lines
}

/// One change that a shell command made, as the tool saw it afterwards.
enum ShellChange<'a> {
    File(ShellFile<'a>),
    /// A deleted and a created file with the same lines.
    Move {
        from: ShellFile<'a>,
        to: ShellFile<'a>,
    },
    /// Named among the changed files, and nothing more.
    Named(Value<'a>),
}

fn shell_changes<'a>(diff: &ShellDiff<'a>) -> Vec<ShellChange<'a>> {
    let mut files: Vec<Option<ShellFile<'a>>> =
        elements(diff.files).map(|file| Some(object(Some(file)))).collect();
    let told: Vec<&str> =
        files.iter().flatten().filter_map(|file| Some(file.file_path?.get())).collect();
    let mut changes = vec![];
    for at in 0..files.len() {
        let twin = files.get(at).and_then(Option::as_ref).and_then(|file| twin_of(file, &files));
        let Some(file) = files[at].take() else { continue };
        changes.push(match twin.and_then(|twin| files[twin].take()) {
            Some(twin) if file.deleted.0 => ShellChange::Move { from: file, to: twin },
            Some(twin) => ShellChange::Move { from: twin, to: file },
            None => ShellChange::File(file),
        });
    }
    let untold = elements(diff.changed_files).filter(|path| !told.contains(&path.get()));
    changes.extend(untold.map(ShellChange::Named));
    changes
}

/// The created file that has the lines of this deleted one, or the other way round.
fn twin_of(file: &ShellFile<'_>, files: &[Option<ShellFile<'_>>]) -> Option<usize> {
    let lines = whole_file(file)?;
    files.iter().position(|other| {
        other.as_ref().is_some_and(|other| {
            (file.deleted.0, file.created.0) == (other.created.0, other.deleted.0)
                && whole_file(other).is_some_and(|others| {
                    lines.len() == others.len()
                        && lines
                            .iter()
                            .zip(&others)
                            .all(|(a, b)| a.get().get(2..) == b.get().get(2..))
                })
        })
    })
}

/// The lines of a created or deleted file, where its one hunk can only be the whole of it.
fn whole_file<'a>(file: &ShellFile<'a>) -> Option<Vec<Value<'a>>> {
    let only = if file.created.0 { b'+' } else { b'-' };
    let [hunk] = hunks_of(file.hunks).try_into().ok()?;
    let starts = if file.created.0 { hunk.new_start.0 } else { hunk.old_start.0 };
    let lines = patch_lines(&hunk);
    let is_whole = (file.created.0 != file.deleted.0)
        && starts == Some(1)
        && lines.iter().all(|line| [only, b'\\'].contains(&sign(*line)));
    is_whole.then_some(lines)
}

fn joined(lines: Vec<PatchLine>) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(&line.text);
        if line.newline {
            text.push('\n');
        }
    }
    text
}

impl ShellChange<'_> {
    fn sketch(&self, part: u32) -> Sketch {
        let path = |raw| Quoted::of(raw).map(|path| path.text().into());
        match self {
            Self::File(file) => {
                let (added, removed) = counts_of(file.hunks);
                let kind = if file.created.0 {
                    EditKind::Create
                } else if file.deleted.0 {
                    EditKind::Delete
                } else {
                    EditKind::Modify
                };
                Sketch { path: path(file.file_path), from: None, kind, added, removed, part }
            }
            Self::Move { from, to } => Sketch {
                path: path(to.file_path),
                from: path(from.file_path),
                kind: EditKind::Rename,
                added: Some(0),
                removed: Some(0),
                part,
            },
            Self::Named(name) => Sketch {
                path: path(Some(*name)),
                from: None,
                kind: EditKind::Modify,
                added: None,
                removed: None,
                part,
            },
        }
    }

    fn body(&self) -> RecordedEdit {
        let whole = |file: &ShellFile<'_>| {
            whole_file(file)?;
            let hunk = hunks_of(file.hunks).into_iter().next()?;
            Some(joined(lines_of(&hunk)))
        };
        match self {
            Self::File(file) if file.deleted.0 => {
                RecordedEdit { before: whole(file), change: RecordedChange::Delete }
            }
            Self::File(file) => {
                let patch = hunks(file.hunks);
                let change = match (file.created.0, whole(file)) {
                    (true, Some(content)) => RecordedChange::Write(content),
                    (true, None) if patch.is_empty() => RecordedChange::Write(String::new()),
                    _ if patch.is_empty() => RecordedChange::NotRecorded,
                    _ => RecordedChange::Patch(patch),
                };
                RecordedEdit { before: None, change }
            }
            Self::Move { from, .. } => {
                RecordedEdit { before: whole(from), change: RecordedChange::Patch(vec![]) }
            }
            Self::Named(_) => RecordedEdit { before: None, change: RecordedChange::NotRecorded },
        }
    }
}

/// The body of an edit, from the record that holds it.
pub fn body(record: &[u8], edit: &Edit) -> Option<RecordedEdit> {
    let line = readable(record);
    let tape = Tape::read(line.trim());
    let record = Record::of(&line, tape.as_ref()).ok()?;
    let part = edit.place.part as usize;
    match record.kind.as_str() {
        "user" => {
            let result: Structured<'_> = object(record.structured());
            if result.bash_edit_diff.is_some() {
                return shell_changes(&object(result.bash_edit_diff))
                    .get(part)
                    .map(ShellChange::body);
            }
            Form::of(&result).map(|form| form.body(&result))
        }
        "assistant" => {
            let message: Message<'_> = object(record.message);
            let blocks = blocks(message.content)?;
            let block = blocks.get(part)?;
            asked_body(block.name.as_str(), &object(block.input))
        }
        _ => None,
    }
}

fn asked_body(tool: &str, input: &Input<'_>) -> Option<RecordedEdit> {
    let change = match tool {
        "Write" => RecordedChange::Write(Quoted::of(input.content)?.text()),
        "Edit" | "MultiEdit" => RecordedChange::Replace(replacements(&swaps(input), None)),
        "NotebookEdit" => RecordedChange::NotRecorded,
        _ => return None,
    };
    Some(RecordedEdit { before: None, change })
}
