//! Changes of files, as the tools record them.
//!
//! An edit's body is in the structured result of the call, or, where a version does not write one, in the
//! call's own arguments; [`trajview_run::Edit::place`] names the record that holds it. Its part counts the changes of
//! a structured result, or names the content block of a call.
//!
//! The strings are preferred to `structuredPatch`, which some versions write with tabs turned to spaces; only where
//! a person changed the edit before accepting it (`userModified`) are the strings not what happened.

use super::{
    json::{QuotedText, RawField, list_elements, read_object},
    record::{
        ClaudeMessage, ClaudeRecord, ResultHunk, ShellDiff, ShellFile, TextSwap, ToolInput,
        ToolResultFields, content_blocks, string_or_empty,
    },
    text::{lossy_text, requested_swaps},
};
use crate::tape::{JsonTape, TapeValue};
use trajview_code::patch::{LineKind, PatchHunk, PatchLine};
use trajview_run::{
    Edit, EditKind,
    files::{RecordedChange, RecordedEdit, Replacement},
};

/// An edit before it is known where the workspace is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditOutline {
    /// None where the result does not say, only the call.
    pub path: Option<Box<str>>,
    pub from: Option<Box<str>>,
    pub kind: EditKind,
    pub added: Option<u32>,
    pub removed: Option<u32>,
    pub part: u32,
}

/// Returns the edits that a structured result records.
pub fn edits_of_result(result: &ToolResultFields<'_>) -> Vec<EditOutline> {
    if result.bash_edit_diff.is_some() {
        let diff = read_object(result.bash_edit_diff);
        let changes = shell_changes(&diff);
        return (0..).zip(&changes).map(|(part, change)| change.edit_outline(part)).collect();
    }
    let Some(form) = ResultForm::from_result(result) else { return vec![] };
    let path = QuotedText::from_raw(result.file_path)
        .or_else(|| QuotedText::from_raw(result.notebook_path));
    let (added, removed) = form.line_counts(result);
    vec![EditOutline {
        path: path.map(|path| path.text().into()),
        from: None,
        kind: form.edit_kind(result),
        added,
        removed,
        part: 0,
    }]
}

/// The tool that a structured result is of, recognised by its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResultForm {
    Write,
    Edit,
    MultiEdit,
    Notebook,
}

impl ResultForm {
    fn from_result(result: &ToolResultFields<'_>) -> Option<Self> {
        let has_path = QuotedText::from_raw(result.file_path).is_some();
        let writes = matches!(result.kind.as_str(), "create" | "update");
        let failed = QuotedText::from_raw(result.error).is_some_and(|error| !error.is_empty());
        if has_path && writes && QuotedText::from_raw(result.content).is_some() {
            Some(Self::Write)
        } else if has_path && result.edits.is_some() {
            Some(Self::MultiEdit)
        } else if has_path && QuotedText::from_raw(result.new_string).is_some() {
            Some(Self::Edit)
        } else if result.new_source.is_some() && !failed {
            Some(Self::Notebook)
        } else {
            None
        }
    }

    fn edit_kind(self, result: &ToolResultFields<'_>) -> EditKind {
        let is_new = match self {
            Self::Write => result.kind.as_str() == "create",
            Self::Edit => {
                QuotedText::from_raw(result.old_string).is_none_or(QuotedText::is_empty)
                    && QuotedText::from_raw(result.original_file).is_none_or(QuotedText::is_empty)
            }
            Self::MultiEdit | Self::Notebook => false,
        };
        if is_new { EditKind::Create } else { EditKind::Modify }
    }

    /// Returns lines added and removed.
    fn line_counts(self, result: &ToolResultFields<'_>) -> (Option<u32>, Option<u32>) {
        let content = QuotedText::from_raw(result.content).map(QuotedText::line_count);
        match self {
            Self::Notebook => (None, None),
            Self::Write if result.kind.as_str() == "create" => (content, Some(0)),
            _ if result.structured_patch.is_some() => patch_line_counts(result.structured_patch),
            Self::Write => (None, None),
            Self::Edit => sum_line_counts(&[TextSwap {
                old_string: result.old_string,
                new_string: result.new_string,
                replace_all: result.replace_all,
            }]),
            Self::MultiEdit => sum_line_counts(&replacements_in(result.edits)),
        }
    }

    fn edit_body(self, result: &ToolResultFields<'_>) -> RecordedEdit {
        let before = result.original_file.or(result.original_file_contents);
        let before = QuotedText::from_raw(before).map(QuotedText::text);
        let is_new = self.edit_kind(result) == EditKind::Create;
        let hunks = || patch_hunks(result.structured_patch);
        if result.user_modified.0 && !hunks().is_empty() {
            return RecordedEdit { before, change: RecordedChange::Patch(hunks()) };
        }
        let change = match self {
            Self::Write => RecordedChange::Write(string_or_empty(result.content)),
            Self::Edit if is_new => RecordedChange::Write(string_or_empty(result.new_string)),
            Self::Edit => RecordedChange::Replace(applied_replacements(
                &[TextSwap {
                    old_string: result.old_string,
                    new_string: result.new_string,
                    replace_all: result.replace_all,
                }],
                before.as_deref(),
            )),
            Self::MultiEdit => RecordedChange::Replace(applied_replacements(
                &replacements_in(result.edits),
                before.as_deref(),
            )),
            Self::Notebook => {
                let before = QuotedText::from_raw(result.original_notebook).map(QuotedText::text);
                let after = QuotedText::from_raw(result.updated_notebook).map(QuotedText::text);
                let change = after.map_or(RecordedChange::NotRecorded, RecordedChange::Write);
                return RecordedEdit { before, change };
            }
        };
        RecordedEdit { before: before.filter(|_| !is_new), change }
    }
}

fn replacements_in(edits: RawField<'_>) -> Vec<TextSwap<'_>> {
    requested_swaps(&ToolInput { edits, ..ToolInput::default() })
}

/// Returns the edit that a call asks for; it took place if the call did not fail.
pub fn requested_edit(tool: &str, input: &ToolInput<'_>, part: u32) -> Option<EditOutline> {
    let path =
        QuotedText::from_raw(input.file_path).or_else(|| QuotedText::from_raw(input.notebook_path));
    let path = path.map(|path| path.text().into());
    path.as_ref()?;
    let (kind, (added, removed)) = match tool {
        "Write" => {
            let lines = QuotedText::from_raw(input.content).map(QuotedText::line_count);
            // Whether the file was there before, only the result can tell.
            (EditKind::Modify, (lines, None))
        }
        "Edit" | "MultiEdit" => {
            let swaps = requested_swaps(input);
            let creates = swaps.first().is_some_and(|swap| {
                QuotedText::from_raw(swap.old_string).is_some_and(QuotedText::is_empty)
            });
            (if creates { EditKind::Create } else { EditKind::Modify }, sum_line_counts(&swaps))
        }
        "NotebookEdit" => (EditKind::Modify, (None, None)),
        _ => return None,
    };
    Some(EditOutline { path, from: None, kind, added, removed, part })
}

fn sum_line_counts(swaps: &[TextSwap<'_>]) -> (Option<u32>, Option<u32>) {
    let (mut added, mut removed) = (0u32, 0u32);
    for swap in swaps {
        let (old, new) = (string_or_empty(swap.old_string), string_or_empty(swap.new_string));
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

/// Returns the replacements as the tool applies them: where whole lines are replaced by nothing, their line end is removed
/// too.
fn applied_replacements(swaps: &[TextSwap<'_>], before: Option<&str>) -> Vec<Replacement> {
    let one = |swap: &TextSwap<'_>| {
        let (mut old, new) = (string_or_empty(swap.old_string), string_or_empty(swap.new_string));
        let with_end = format!("{old}\n");
        let takes_end = new.is_empty() && !old.is_empty() && !old.ends_with('\n');
        if takes_end && before.is_some_and(|before| before.contains(&with_end)) {
            old = with_end;
        }
        Replacement { old, new, all: swap.replace_all.0 }
    };
    swaps.iter().map(one).collect()
}

/// Returns a line of a patch: its sign and what follows, still as in the file.
fn patch_lines<'a>(hunk: &ResultHunk<'a>) -> Vec<TapeValue<'a>> {
    list_elements(hunk.lines).collect()
}

/// Returns the sign of a patch line; a backslash begins "No newline at end of file".
fn line_sign(line: TapeValue<'_>) -> u8 {
    line.get().as_bytes().get(1).copied().unwrap_or(b'"')
}

fn hunks_of<'a>(raw: RawField<'a>) -> Vec<ResultHunk<'a>> {
    list_elements(raw).map(|hunk| read_object(Some(hunk))).collect()
}

fn patch_line_counts(patch: RawField<'_>) -> (Option<u32>, Option<u32>) {
    let hunks = hunks_of(patch);
    let lines: Vec<_> = hunks.iter().flat_map(patch_lines).collect();
    let count = |wanted| lines.iter().filter(|line| line_sign(**line) == wanted).count() as u32;
    (Some(count(b'+')), Some(count(b'-')))
}

fn patch_hunks(patch: RawField<'_>) -> Vec<PatchHunk> {
    let number =
        |count: super::json::CountField| count.0.and_then(|count| usize::try_from(count).ok());
    let one = |hunk: &ResultHunk<'_>| PatchHunk {
        old_start: number(hunk.old_start),
        new_start: number(hunk.new_start),
        anchor: None,
        lines: hunk_lines(hunk),
        at_end: false,
    };
    hunks_of(patch).iter().map(one).collect()
}

fn hunk_lines(hunk: &ResultHunk<'_>) -> Vec<PatchLine> {
    let mut lines: Vec<PatchLine> = vec![];
    for raw in patch_lines(hunk) {
        let kind = match line_sign(raw) {
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
        let text: String = string_or_empty(Some(raw)).chars().skip(1).collect();
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
    Named(TapeValue<'a>),
}

fn shell_changes<'a>(diff: &ShellDiff<'a>) -> Vec<ShellChange<'a>> {
    let mut files: Vec<Option<ShellFile<'a>>> =
        list_elements(diff.files).map(|file| Some(read_object(Some(file)))).collect();
    let named_paths: Vec<&str> =
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
    let untold =
        list_elements(diff.changed_files).filter(|path| !named_paths.contains(&path.get()));
    changes.extend(untold.map(ShellChange::Named));
    changes
}

/// Returns the position of the created file with the lines of this deleted one, or the reverse.
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

/// Returns the lines of a created or deleted file, where its one hunk can only be the whole of it.
fn whole_file<'a>(file: &ShellFile<'a>) -> Option<Vec<TapeValue<'a>>> {
    let only = if file.created.0 { b'+' } else { b'-' };
    let [hunk] = hunks_of(file.hunks).try_into().ok()?;
    let starts = if file.created.0 { hunk.new_start.0 } else { hunk.old_start.0 };
    let lines = patch_lines(&hunk);
    let is_whole = (file.created.0 != file.deleted.0)
        && starts == Some(1)
        && lines.iter().all(|line| [only, b'\\'].contains(&line_sign(*line)));
    is_whole.then_some(lines)
}

fn join_lines(lines: Vec<PatchLine>) -> String {
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
    fn edit_outline(&self, part: u32) -> EditOutline {
        let path = |raw| QuotedText::from_raw(raw).map(|path| path.text().into());
        match self {
            Self::File(file) => {
                let (added, removed) = patch_line_counts(file.hunks);
                let kind = if file.created.0 {
                    EditKind::Create
                } else if file.deleted.0 {
                    EditKind::Delete
                } else {
                    EditKind::Modify
                };
                EditOutline { path: path(file.file_path), from: None, kind, added, removed, part }
            }
            Self::Move { from, to } => EditOutline {
                path: path(to.file_path),
                from: path(from.file_path),
                kind: EditKind::Rename,
                added: Some(0),
                removed: Some(0),
                part,
            },
            Self::Named(name) => EditOutline {
                path: path(Some(*name)),
                from: None,
                kind: EditKind::Modify,
                added: None,
                removed: None,
                part,
            },
        }
    }

    fn edit_body(&self) -> RecordedEdit {
        let whole = |file: &ShellFile<'_>| {
            whole_file(file)?;
            let hunk = hunks_of(file.hunks).into_iter().next()?;
            Some(join_lines(hunk_lines(&hunk)))
        };
        match self {
            Self::File(file) if file.deleted.0 => {
                RecordedEdit { before: whole(file), change: RecordedChange::Delete }
            }
            Self::File(file) => {
                let patch = patch_hunks(file.hunks);
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

/// Reads the body of an edit from its record.
pub fn recorded_edit(record: &[u8], edit: &Edit) -> Option<RecordedEdit> {
    let line = lossy_text(record);
    let tape = JsonTape::parse(line.trim());
    let record = ClaudeRecord::from_tape(&line, tape.as_ref()).ok()?;
    let part = edit.place.part as usize;
    match record.kind.as_str() {
        "user" => {
            let result: ToolResultFields<'_> = read_object(record.structured_result());
            if result.bash_edit_diff.is_some() {
                return shell_changes(&read_object(result.bash_edit_diff))
                    .get(part)
                    .map(ShellChange::edit_body);
            }
            ResultForm::from_result(&result).map(|form| form.edit_body(&result))
        }
        "assistant" => {
            let message: ClaudeMessage<'_> = read_object(record.message);
            let blocks = content_blocks(message.content)?;
            let block = blocks.get(part)?;
            requested_edit_body(block.name.as_str(), &read_object(block.input))
        }
        _ => None,
    }
}

fn requested_edit_body(tool: &str, input: &ToolInput<'_>) -> Option<RecordedEdit> {
    let change = match tool {
        "Write" => RecordedChange::Write(QuotedText::from_raw(input.content)?.text()),
        "Edit" | "MultiEdit" => {
            RecordedChange::Replace(applied_replacements(&requested_swaps(input), None))
        }
        "NotebookEdit" => RecordedChange::NotRecorded,
        _ => return None,
    };
    Some(RecordedEdit { before: None, change })
}
