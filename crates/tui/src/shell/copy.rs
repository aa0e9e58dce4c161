//! The texts that can be copied.
//!
//! A line or a hunk is copied to be pasted anywhere, so control characters that a terminal would obey are left out
//! and counted; a patch is copied to be applied and stays what it is.

pub use crate::shell::message::state::CopyTarget;
use std::path::Path;

use crate::{
    session::{
        context::KeyContext, effect::Effect, files::compared_file::ComparedFile, views::View,
    },
    shell::{open_run::OpenRun, screens::Screens},
    views::{
        audit,
        compare::{self, ComparisonView},
        replay::{
            diff::DiffFollows,
            steps::{StepRowKind, step_field_text},
        },
        scores::ScoresPage,
        table::RunTableView,
    },
    widgets::layout::ReplayPanel,
};
use trajview_code::{
    diff::TextDiff,
    git_patch::{self, FileSides},
};
use trajview_run::{
    files::{BlobId, FileChange, FileDiff, TreeFile},
    rubric::LabelUnit,
};

/// The longest text that is copied: terminals drop longer ones, some of them silently. In bytes.
pub(crate) const MAX_COPY_BYTES: usize = 100_000;

struct CopiedText {
    text: String,
    /// Its name in the message: `line 9`.
    name: String,
}

pub(crate) fn copy_selection(screens: &mut Screens, what: CopyTarget) -> Vec<Effect> {
    let copied = match (screens.shown_comparison(), screens.shown_table(), screens.open_run()) {
        (Some(compared), ..) => copy_from_comparison(compared, what),
        (_, Some(table), _) => copy_from_table(table, what),
        (.., Some(open)) => copy_from_run(open, &screens.source, what),
        (None, None, None) => return vec![],
    };
    let copied = match copied {
        Ok(copied) => copied,
        Err(why) => {
            screens.show_notice(why);
            return vec![];
        }
    };
    let (text, dropped) = match what {
        CopyTarget::Line | CopyTarget::Hunk | CopyTarget::Verdict | CopyTarget::Sentence => {
            without_control_characters(&copied.text)
        }
        CopyTarget::Patch | CopyTarget::Link => (copied.text, 0),
    };
    if text.len() > MAX_COPY_BYTES {
        let size = text.len() / 1000;
        screens.show_notice(format!(
            "{}: {size} kB are more than terminals copy (100 kB)",
            copied.name
        ));
        return vec![];
    }
    let left_out = match dropped {
        0 => String::new(),
        1 => ", a control character left out".into(),
        count => format!(", {count} control characters left out"),
    };
    let name = copied.name;
    screens.show_notice(match what {
        CopyTarget::Link => format!("copied: {text}"),
        CopyTarget::Line
        | CopyTarget::Hunk
        | CopyTarget::Patch
        | CopyTarget::Verdict
        | CopyTarget::Sentence => {
            format!("copied {name}{left_out}")
        }
    });
    vec![Effect::Copy(text)]
}

fn copy_from_run(open: &OpenRun, source: &Path, what: CopyTarget) -> Result<CopiedText, String> {
    match what {
        CopyTarget::Line => copied_line(open),
        CopyTarget::Hunk => copied_hunk(open),
        CopyTarget::Patch => copied_patch(open),
        CopyTarget::Verdict => copied_verdict(open),
        CopyTarget::Sentence => copied_sentence(open),
        CopyTarget::Link => Ok(run_link(open, source)),
    }
}

/// Returns the sentence with the corrected mean of what is audited, else of the shown judgement; the error says why
/// there is none.
fn copied_sentence(open: &OpenRun) -> Result<CopiedText, String> {
    let session = &open.session;
    let text = match session.view {
        View::Audit => session.audit_sentence()?,
        View::Scores => session.scores_sentence()?,
        _ => return Err(NO_SENTENCE.into()),
    };
    Ok(CopiedText { text, name: "the sentence for a paper".into() })
}

fn copy_from_comparison(compared: &ComparisonView, what: CopyTarget) -> Result<CopiedText, String> {
    let words = match what {
        CopyTarget::Line => {
            compare::clipboard_text::selected_line(compared).ok_or("no row to copy here")?
        }
        CopyTarget::Hunk | CopyTarget::Patch => {
            let copy = compared.keys.key_text(KeyContext::Compare, "copy");
            let letters = ["copy-line", "copy-verdict", "copy-command"]
                .map(|id| compared.keys.key_text(KeyContext::Copy, id));
            let [line, verdict, command] = letters.map(|letter| format!("{copy} {letter}"));
            return Err(format!(
                "`trajview compare` writes what differs; {line}, {verdict} and {command} copy here"
            ));
        }
        CopyTarget::Sentence => return Err(NO_SENTENCE.into()),
        CopyTarget::Verdict => {
            compare::clipboard_text::verdicts_text(compared).ok_or("no component selected")?
        }
        CopyTarget::Link => {
            let runs = compared.paths.iter().map(|path| shell_argument(&path.to_string_lossy()));
            let view = ["--view".to_owned(), View::Compare.word().to_owned()];
            let component = compared.table.selected_row().map(|row| shell_quoted(&row.id));
            let component = component.map(|id| ["--component".to_owned(), id]);
            let words = ["trajview".to_owned()].into_iter().chain(runs).chain(view);
            let words = words.chain(component.into_iter().flatten());
            words.collect::<Vec<_>>().join(" ")
        }
    };
    let name = match what {
        CopyTarget::Link => "the link",
        CopyTarget::Verdict => "both verdicts",
        CopyTarget::Line | CopyTarget::Hunk | CopyTarget::Patch | CopyTarget::Sentence => "the row",
    };
    Ok(CopiedText { text: words, name: name.into() })
}

/// Why a view of several runs has no sentence to copy.
const NO_SENTENCE: &str = "the scores and the audit of a run have a corrected mean to copy";

/// Returns what is to be copied of the table of runs; the error says why there is nothing.
fn copy_from_table(table: &RunTableView, what: CopyTarget) -> Result<CopiedText, String> {
    let words = match what {
        CopyTarget::Line => table.selected_line().ok_or("the cursor is not on a run")?,
        CopyTarget::Hunk | CopyTarget::Patch => {
            return Err("the runs table has no diff".into());
        }
        CopyTarget::Verdict => return Err("the runs table has no verdicts".into()),
        CopyTarget::Sentence => return Err(NO_SENTENCE.into()),
        CopyTarget::Link => table_link(table),
    };
    let name = if what == CopyTarget::Link { "the link" } else { "the row" };
    Ok(CopiedText { text: words, name: name.into() })
}

/// Returns the command that shows this table, such as `trajview runs --view collection --sort erosion --group task --filter
/// 'turns>3'`.
fn table_link(table: &RunTableView) -> String {
    let mut words = vec!["trajview".to_owned()];
    words.extend(table.sources.iter().map(|source| shell_argument(&source.to_string_lossy())));
    words.extend(["--view".to_owned(), View::Collection.word().to_owned()]);
    if let Some(sort) = table.shape.sort {
        words.extend(["--sort".to_owned(), sort.to_string()]);
    }
    if let Some(group) = table.shape.group {
        words.extend(["--group".to_owned(), group.column_info().word.to_owned()]);
    }
    if !table.shape.filter.is_empty() {
        words.extend(["--filter".to_owned(), shell_quoted(&table.shape.filter.text)]);
    }
    words.join(" ")
}

/// Removes control characters except tabs and line ends; returns how many there were.
fn without_control_characters(text: &str) -> (String, usize) {
    let is_obeyed = |c: &char| c.is_control() && !matches!(c, '\n' | '\t');
    let kept: String = text.chars().filter(|c| !is_obeyed(c)).collect();
    let count = text.chars().filter(is_obeyed).count();
    (kept, count)
}

fn copied_line(open: &OpenRun) -> Result<CopiedText, String> {
    let copied = |text: String, name: &str| Ok(CopiedText { text, name: name.into() });
    if open.session.view == View::Scores
        && open.scores.shown_page(&open.session) == Some(ScoresPage::Tree)
    {
        let text = open.scores.tree.line_as_text().ok_or("no node selected")?;
        return copied(text, "what the node requires");
    }
    if open.session.view == View::Audit {
        return copied(audit::clipboard_text::audit_line(&open.audit, &open.session)?, "the line");
    }
    if open.session.view == View::Scores
        && open.scores.shown_page(&open.session) == Some(ScoresPage::Flags)
    {
        return copied(
            open.scores.flags.flag_as_text(&open.session).ok_or("no flag selected")?,
            "the flag",
        );
    }
    if open.session.view == View::Scores
        && open.scores.shown_page(&open.session) == Some(ScoresPage::Losses)
    {
        let text = open.scores.losses.loss_as_text(&open.session).ok_or("no loss is chosen")?;
        return copied(text, "the loss");
    }
    match open.replay.focus {
        ReplayPanel::Turns => {
            let turn =
                open.session.run.turns.get(open.session.turn).ok_or("this run has no turns")?;
            copied(turn.title.to_string(), "the turn's request")
        }
        ReplayPanel::Request => {
            let line = open.replay.request.line_at_cursor(&open.session);
            copied(line.ok_or("this turn has no request")?.to_owned(), "the line of the request")
        }
        ReplayPanel::Files => {
            let (_, change) =
                open.replay.selected_change(&open.session).ok_or("no file is selected")?;
            copied(change.path.to_string(), "the path of the file")
        }
        ReplayPanel::Diff => {
            let compared = shown_comparison(open)?;
            let row =
                compared.rows.get(open.replay.diff.list.cursor()).ok_or("no line is selected")?;
            match compared.line_at(*row) {
                Some(line) => {
                    let number = line.new.or(line.old).map(|number| format!(" {number}"));
                    copied(line.text.clone(), &format!("line{}", number.unwrap_or_default()))
                }
                None => copied_hunk(open),
            }
        }
        ReplayPanel::Steps => step_line(open),
    }
}

fn copied_verdict(open: &OpenRun) -> Result<CopiedText, String> {
    if open.session.view == View::Audit {
        let name = "the label and the verdict".into();
        return Ok(CopiedText {
            text: audit::clipboard_text::audit_as_text(&open.audit, &open.session)?,
            name,
        });
    }
    if open.session.view != View::Scores {
        return Err("verdicts are in the scores: g s".into());
    }
    let text = match open.scores.shown_page(&open.session) {
        Some(ScoresPage::Tree) => open.scores.tree.verdict_as_text()?,
        Some(ScoresPage::Flags) => {
            open.scores.flags.flag_as_text(&open.session).ok_or("no flag selected")?
        }
        _ => open.scores.verdict_as_text(&open.session)?,
    };
    Ok(CopiedText { text, name: "the verdict".into() })
}

fn step_line(open: &OpenRun) -> Result<CopiedText, String> {
    let nothing = || "no line here".to_owned();
    let row = open.replay.steps.row_at(open.replay.steps.list.cursor()).ok_or_else(nothing)?;
    let item = *open.replay.steps.items.get(row.item).ok_or_else(nothing)?;
    let text = match row.kind {
        StepRowKind::Text { field, range, .. } => {
            let text = open.replay.steps.item_text(item).and_then(|text| text.as_ref().ok());
            let words = text.and_then(|text| step_field_text(text, *field)).ok_or_else(nothing)?;
            let before = words.get(..range.start).unwrap_or_default();
            let start = before.rfind('\n').map_or(0, |at| at + 1);
            let rest = words.get(start..).unwrap_or_default();
            rest.split('\n').next().unwrap_or_default().to_owned()
        }
        _ => open.session.run.step(item).map(|step| step.label.to_string()).unwrap_or_default(),
    };
    Ok(CopiedText { text, name: "the line of the step".into() })
}

/// Returns the file comparison on screen. The error is a sentence.
pub fn shown_comparison(open: &OpenRun) -> Result<&ComparedFile, String> {
    match open.replay.shown_comparison(&open.session) {
        Some(Ok(compared)) => Ok(compared),
        Some(Err(why)) => Err(why.clone()),
        None if open.replay.selected_change(&open.session).is_some() => {
            Err("the file is still being read".into())
        }
        None => Err("no file is shown here".into()),
    }
}

fn copied_hunk(open: &OpenRun) -> Result<CopiedText, String> {
    let compared = shown_comparison(open)?;
    let row = compared.rows.get(open.replay.diff.list.cursor()).ok_or("no hunk is shown here")?;
    let index = ComparedFile::hunk_of(*row).ok_or("no hunk is shown here")?;
    let hunk = compared.text_diff().and_then(|text| text.hunks.get(index));
    let mut text = String::new();
    hunk.ok_or("no hunk is shown here")?.write(&mut text);
    Ok(CopiedText { text, name: format!("hunk {}", index + 1) })
}

fn copied_patch(open: &OpenRun) -> Result<CopiedText, String> {
    let compared = shown_comparison(open)?;
    let (_, change) = open.replay.selected_change(&open.session).ok_or("no file is selected")?;
    if compared.is_whole_file() {
        let blame = open.session.keys.key_text(KeyContext::Diff, "blame");
        return Err(format!("this is the whole file; {blame} shows the change"));
    }
    let text = match &*compared.diff {
        FileDiff::Text { old, new, .. } => {
            let whole = whole_patch(change, old.as_deref(), new.as_deref());
            String::from_utf8_lossy(&whole).into_owned()
        }
        FileDiff::Hunks(diff) | FileDiff::Part(diff) => patch_of_hunks(change, diff)?,
        FileDiff::Binary { .. } | FileDiff::TooBig { .. } | FileDiff::NotRecorded(_) => {
            return Err("no lines to copy; `trajview diff` prints the patch".into());
        }
    };
    if text.is_empty() {
        return Err("not a line changed".into());
    }
    Ok(CopiedText { text, name: format!("the patch of {}", change.path) })
}

fn whole_patch(change: &FileChange, old: Option<&str>, new: Option<&str>) -> Vec<u8> {
    let mode = |file: Option<TreeFile>| file.map_or("100644", |file| file.mode.octal());
    let name =
        |text: Option<&str>| BlobId::for_bytes(text.unwrap_or_default().as_bytes()).to_string();
    let (old_blob, new_blob) = (name(old), name(new));
    let side = |text: Option<&'_ str>, file, blob: &'_ str| {
        text.map(|text| (mode(file), blob.to_owned(), text.as_bytes().to_vec()))
    };
    let old = side(old, change.file_before(), &old_blob);
    let new = side(new, change.file_after(), &new_blob);
    let sides = FileSides {
        path: change.path.as_str(),
        from: change.from.as_ref().map(|from| from.as_str()),
        old: old.as_ref().map(|(mode, blob, bytes)| git_patch::SideContent { mode, blob, bytes }),
        new: new.as_ref().map(|(mode, blob, bytes)| git_patch::SideContent { mode, blob, bytes }),
    };
    git_patch::write_patch(&[sides])
}

fn patch_of_hunks(change: &FileChange, diff: &TextDiff) -> Result<String, String> {
    if diff.hunks.iter().any(|hunk| (hunk.old_start, hunk.new_start) == (0, 0)) {
        return Err("the position of these lines is not recorded: yh copies them".into());
    }
    let old = change.from.as_ref().unwrap_or(&change.path);
    let mut out = format!("--- a/{old}\n+++ b/{}\n", change.path);
    diff.hunks.iter().for_each(|hunk| hunk.write(&mut out));
    Ok(out)
}

/// Returns the command that shows this place, such as `trajview runs/a --at 36 --file src/loss.py:32`.
fn run_link(open: &OpenRun, source: &Path) -> CopiedText {
    let mut words = vec!["trajview".to_owned(), shell_argument(&source.to_string_lossy())];
    // The step is the place then; a file would take the keyboard to the diff.
    let is_in_steps = open.replay.focus == ReplayPanel::Steps && open.replay.step_number() > 0;
    if !open.session.run.turns.is_empty() {
        let (turn, step) = (open.session.turn + 1, open.replay.step_number());
        let is_of_step = is_in_steps || open.replay.diff.follows == DiffFollows::Step;
        let moment = match is_of_step && step > 0 && open.session.view == View::Replay {
            true => format!("{turn}.{step}"),
            false => turn.to_string(),
        };
        words.extend(["--at".to_owned(), moment]);
    }
    let component =
        open.scores.linked_component(&open.session).filter(|_| open.session.view == View::Scores);
    if open.session.view == View::Audit {
        words.extend(audit_link(open));
    } else if let Some(component) = component {
        words.extend(["--component".to_owned(), shell_quoted(&component)]);
    } else if open.session.view != View::Replay {
        words.extend(["--view".to_owned(), open.session.view.word().to_owned()]);
    } else if let Some(key) = open.replay.diff_key(&open.session).filter(|_| !is_in_steps) {
        let line = line_number(open).map(|line| format!(":{line}")).unwrap_or_default();
        words.extend(["--file".to_owned(), shell_quoted(&format!("{}{line}", key.path))]);
    }
    CopiedText { text: words.join(" "), name: "the link".into() }
}

/// Returns the options that show this place of the audit, such as `--view audit --component C07 --annotator ann --seed 7`.
fn audit_link(open: &OpenRun) -> Vec<String> {
    let mut words = vec!["--view".to_owned(), View::Audit.word().to_owned()];
    let mut say = |name: &str, value: Option<String>| {
        words.extend(
            value.into_iter().flat_map(|value| [format!("--{name}"), shell_quoted(&value)]),
        );
    };
    let unit = open.session.audit.unit();
    say("unit", (unit != LabelUnit::default()).then(|| unit.word().to_owned()));
    say("component", open.audit.audited_id().map(str::to_owned));
    say("annotator", open.session.labels.annotator().map(str::to_owned));
    say("seed", open.audit.seed.map(|seed| seed.to_string()));
    words
}

/// Returns the line of the new text at the cursor of the diff, or the next one there is; counts from 1.
pub(crate) fn line_number(open: &OpenRun) -> Option<usize> {
    let compared = shown_comparison(open).ok()?;
    let rows = compared.rows.get(open.replay.diff.list.cursor()..)?;
    rows.iter().find_map(|row| compared.line_at(*row)?.new)
}

/// Returns a file name as a shell argument that no program takes for an option.
pub fn shell_argument(name: &str) -> String {
    shell_quoted(&if name.starts_with('-') { format!("./{name}") } else { name.to_owned() })
}

/// Quotes a word for a shell if it has special characters. Control characters are escaped, as bash, zsh and ksh read them.
pub(crate) fn shell_quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_./:=@%+,-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    if !word.chars().any(char::is_control) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    let written = word.chars().map(|c| match c {
        '\'' | '\\' => format!("\\{c}"),
        c if c.is_control() => {
            let mut bytes = [0; 4];
            let bytes = c.encode_utf8(&mut bytes).bytes();
            bytes.map(|byte| format!("\\x{byte:02x}")).collect()
        }
        c => c.to_string(),
    });
    format!("$'{}'", written.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_a_quoted_word_as_the_word() {
        assert_eq!(shell_quoted("src/loss.py:32"), "src/loss.py:32");
        assert_eq!(shell_quoted("my runs/it's"), r"'my runs/it'\''s'");
        assert_eq!(shell_quoted("$(rm -r x)"), "'$(rm -r x)'");
        assert_eq!(shell_quoted(""), "''");
        assert_eq!(shell_quoted("a\x1b[201~\n"), r"$'a\x1b[201~\x0a'");
        assert_eq!(shell_argument("-rf"), "./-rf");
    }

    #[test]
    fn what_a_terminal_would_obey_is_left_out_and_counted() {
        assert_eq!(without_control_characters("a\tb\x1b[31mc\u{9b}\n"), ("a\tb[31mc\n".into(), 2));
    }
}
