//! What can be copied, as text.
//!
//! A line or a hunk is copied to be pasted anywhere, so control characters that a terminal would obey are left out
//! and counted; a patch is copied to be applied and stays what it is.

pub use crate::shell::message::state::What;
use std::path::Path;

use crate::{
    session::{effect::Effect, files::compared::Compared, views::View},
    shell::{open_run::OpenRun, screens::Screens},
    views::{
        audit,
        compare::{self, Comparison},
        replay::{
            diff::Follows,
            steps::{RowKind, part_of},
        },
        scores::Shows,
        table::Collection,
    },
    widgets::layout::Panel,
};
use trajview_code::{
    diff::TextDiff,
    unified::{self, FileSides},
};
use trajview_run::{
    files::{BlobId, Change, FileDiff, TreeFile},
    rubric::Unit,
};

/// Terminals drop what is longer, some of them silently. In bytes.
pub const MOST: usize = 100_000;

struct Copied {
    text: String,
    /// What it is: `line 9`.
    name: String,
}

pub fn copy(screens: &mut Screens, what: What) -> Vec<Effect> {
    let copied = match (screens.comparison(), screens.table(), screens.open_run()) {
        (Some(compared), ..) => of_comparison(compared, what),
        (_, Some(table), _) => of_table(table, what),
        (.., Some(open)) => of_run(open, &screens.source, what),
        (None, None, None) => return vec![],
    };
    let copied = match copied {
        Ok(copied) => copied,
        Err(why) => {
            screens.say(why);
            return vec![];
        }
    };
    let (text, dropped) = match what {
        What::Line | What::Hunk | What::Verdict => harmless(&copied.text),
        What::Patch | What::Link => (copied.text, 0),
    };
    if text.len() > MOST {
        let size = text.len() / 1000;
        screens.say(format!("{}: {size} kB are more than terminals copy (100 kB)", copied.name));
        return vec![];
    }
    let left_out = match dropped {
        0 => String::new(),
        1 => ", a control character left out".into(),
        count => format!(", {count} control characters left out"),
    };
    let name = copied.name;
    screens.say(match what {
        What::Link => format!("copied: {text}"),
        What::Line | What::Hunk | What::Patch | What::Verdict => {
            format!("copied {name}{left_out}")
        }
    });
    vec![Effect::Copy(text)]
}

fn of_run(open: &OpenRun, source: &Path, what: What) -> Result<Copied, String> {
    match what {
        What::Line => line(open),
        What::Hunk => hunk(open),
        What::Patch => patch(open),
        What::Verdict => verdict(open),
        What::Link => Ok(link(open, source)),
    }
}

fn of_comparison(compared: &Comparison, what: What) -> Result<Copied, String> {
    let words = match what {
        What::Line => {
            compare::said::selected_line(compared).ok_or("there is no row here to copy")?
        }
        What::Hunk | What::Patch => {
            return Err("`trajview compare` writes what differs; yl, yv and yy copy here".into());
        }
        What::Verdict => compare::said::verdicts(compared).ok_or("no component is chosen")?,
        What::Link => {
            let runs = compared.paths.iter().map(|path| argument(&path.to_string_lossy()));
            let view = ["--view".to_owned(), View::Compare.word().to_owned()];
            let component = compared.table.selected().map(|row| quoted(&row.id));
            let component = component.map(|id| ["--component".to_owned(), id]);
            let words = ["trajview".to_owned()].into_iter().chain(runs).chain(view);
            let words = words.chain(component.into_iter().flatten());
            words.collect::<Vec<_>>().join(" ")
        }
    };
    let name = match what {
        What::Link => "the link",
        What::Verdict => "both verdicts",
        What::Line | What::Hunk | What::Patch => "the row",
    };
    Ok(Copied { text: words, name: name.into() })
}

fn of_table(table: &Collection, what: What) -> Result<Copied, String> {
    let words = match what {
        What::Line => table.selected_line().ok_or("the cursor is not on a run")?,
        What::Hunk | What::Patch => return Err("there is no diff in the table of runs".into()),
        What::Verdict => return Err("there is no verdict in the table of runs".into()),
        What::Link => table_link(table),
    };
    let name = if what == What::Link { "the link" } else { "the row" };
    Ok(Copied { text: words, name: name.into() })
}

/// `trajview runs --view collection --sort erosion --group task --filter 'turns>3'`
fn table_link(table: &Collection) -> String {
    let mut words = vec!["trajview".to_owned()];
    words.extend(table.sources.iter().map(|source| argument(&source.to_string_lossy())));
    words.extend(["--view".to_owned(), View::Collection.word().to_owned()]);
    if let Some(sort) = table.shape.sort {
        words.extend(["--sort".to_owned(), sort.to_string()]);
    }
    if let Some(group) = table.shape.group {
        words.extend(["--group".to_owned(), group.about().word.to_owned()]);
    }
    if !table.shape.filter.is_empty() {
        words.extend(["--filter".to_owned(), quoted(&table.shape.filter.text)]);
    }
    words.join(" ")
}

/// Without control characters but for tabs and line ends, and how many there were.
fn harmless(text: &str) -> (String, usize) {
    let is_obeyed = |c: &char| c.is_control() && !matches!(c, '\n' | '\t');
    let kept: String = text.chars().filter(|c| !is_obeyed(c)).collect();
    let count = text.chars().filter(is_obeyed).count();
    (kept, count)
}

fn line(open: &OpenRun) -> Result<Copied, String> {
    let copied = |text: String, name: &str| Ok(Copied { text, name: name.into() });
    if open.session.view == View::Scores && open.scores.shown(&open.session) == Some(Shows::Tree) {
        let text = open.scores.tree.line_as_text().ok_or("no node is chosen")?;
        return copied(text, "what the node requires");
    }
    if open.session.view == View::Audit {
        return copied(audit::copying::audit_line(&open.audit, &open.session)?, "the line");
    }
    if open.session.view == View::Scores && open.scores.shown(&open.session) == Some(Shows::Flags) {
        return copied(
            open.scores.flags.flag_as_text(&open.session).ok_or("no flag is chosen")?,
            "the flag",
        );
    }
    match open.replay.focus {
        Panel::Turns => {
            let turn =
                open.session.run.turns.get(open.session.turn).ok_or("this run has no turns")?;
            copied(turn.title.to_string(), "the turn's request")
        }
        Panel::Files => {
            let (_, change) = open.replay.change(&open.session).ok_or("no file is selected")?;
            copied(change.path.to_string(), "the path of the file")
        }
        Panel::Diff => {
            let compared = shown(open)?;
            let row =
                compared.rows.get(open.replay.diff.scroll.cursor).ok_or("no line is selected")?;
            match compared.line(*row) {
                Some(line) => {
                    let number = line.new.or(line.old).map(|number| format!(" {number}"));
                    copied(line.text.clone(), &format!("line{}", number.unwrap_or_default()))
                }
                None => hunk(open),
            }
        }
        Panel::Steps => step_line(open),
    }
}

fn verdict(open: &OpenRun) -> Result<Copied, String> {
    if open.session.view == View::Audit {
        let name = "the label and the verdict".into();
        return Ok(Copied {
            text: audit::copying::audit_as_text(&open.audit, &open.session)?,
            name,
        });
    }
    if open.session.view != View::Scores {
        return Err("verdicts are in the scores: 3w".into());
    }
    let text = match open.scores.shown(&open.session) {
        Some(Shows::Tree) => open.scores.tree.verdict_as_text()?,
        Some(Shows::Flags) => {
            open.scores.flags.flag_as_text(&open.session).ok_or("no flag is chosen")?
        }
        _ => open.scores.verdict_as_text(&open.session)?,
    };
    Ok(Copied { text, name: "the verdict".into() })
}

fn step_line(open: &OpenRun) -> Result<Copied, String> {
    let nothing = || "there is no line here".to_owned();
    let row = open.replay.steps.row(open.replay.steps.scroll.cursor).ok_or_else(nothing)?;
    let item = *open.replay.steps.items.get(row.item).ok_or_else(nothing)?;
    let text = match row.kind {
        RowKind::Text { field, range, .. } => {
            let text = open.replay.steps.text(item).and_then(|text| text.as_ref().ok());
            let words = text.and_then(|text| part_of(text, *field)).ok_or_else(nothing)?;
            let before = words.get(..range.start).unwrap_or_default();
            let start = before.rfind('\n').map_or(0, |at| at + 1);
            let rest = words.get(start..).unwrap_or_default();
            rest.split('\n').next().unwrap_or_default().to_owned()
        }
        _ => match item.step().and_then(|id| open.session.run.step(id)) {
            Some(step) => step.label.to_string(),
            None => open
                .session
                .run
                .turns
                .get(open.session.turn)
                .map(|it| it.title.to_string())
                .unwrap_or_default(),
        },
    };
    Ok(Copied { text, name: "the line of the step".into() })
}

/// The comparison on screen.
pub fn shown(open: &OpenRun) -> Result<&Compared, String> {
    match open.replay.compared(&open.session) {
        Some(Ok(compared)) => Ok(compared),
        Some(Err(why)) => Err(why.clone()),
        None if open.replay.change(&open.session).is_some() => {
            Err("the file is still being read".into())
        }
        None => Err("no file is shown here".into()),
    }
}

fn hunk(open: &OpenRun) -> Result<Copied, String> {
    let compared = shown(open)?;
    let row = compared.rows.get(open.replay.diff.scroll.cursor).ok_or("no hunk is shown here")?;
    let index = Compared::hunk_of(*row).ok_or("no hunk is shown here")?;
    let hunk = compared.text().and_then(|text| text.hunks.get(index));
    let mut text = String::new();
    hunk.ok_or("no hunk is shown here")?.write(&mut text);
    Ok(Copied { text, name: format!("hunk {}", index + 1) })
}

fn patch(open: &OpenRun) -> Result<Copied, String> {
    let compared = shown(open)?;
    let (_, change) = open.replay.change(&open.session).ok_or("no file is selected")?;
    if compared.is_whole_file() {
        return Err("this is the whole file; a shows the change".into());
    }
    let text = match &*compared.diff {
        FileDiff::Text { old, new, .. } => {
            let whole = whole_patch(change, old.as_deref(), new.as_deref());
            String::from_utf8_lossy(&whole).into_owned()
        }
        FileDiff::Hunks(diff) | FileDiff::Part(diff) => patch_of_hunks(change, diff)?,
        FileDiff::Binary { .. } | FileDiff::TooBig { .. } | FileDiff::NotRecorded(_) => {
            return Err(
                "there are no lines to copy; `trajview diff` writes what patch there is".into()
            );
        }
    };
    if text.is_empty() {
        return Err("not a line changed".into());
    }
    Ok(Copied { text, name: format!("the patch of {}", change.path) })
}

fn whole_patch(change: &Change, old: Option<&str>, new: Option<&str>) -> Vec<u8> {
    let mode = |file: Option<TreeFile>| file.map_or("100644", |file| file.mode.octal());
    let name = |text: Option<&str>| BlobId::of(text.unwrap_or_default().as_bytes()).to_string();
    let (old_blob, new_blob) = (name(old), name(new));
    let side = |text: Option<&'_ str>, file, blob: &'_ str| {
        text.map(|text| (mode(file), blob.to_owned(), text.as_bytes().to_vec()))
    };
    let old = side(old, change.before(), &old_blob);
    let new = side(new, change.after(), &new_blob);
    let sides = FileSides {
        path: change.path.as_str(),
        from: change.from.as_ref().map(|from| from.as_str()),
        old: old.as_ref().map(|(mode, blob, bytes)| unified::Side { mode, blob, bytes }),
        new: new.as_ref().map(|(mode, blob, bytes)| unified::Side { mode, blob, bytes }),
    };
    unified::patch(&[sides])
}

fn patch_of_hunks(change: &Change, diff: &TextDiff) -> Result<String, String> {
    if diff.hunks.iter().any(|hunk| (hunk.old_start, hunk.new_start) == (0, 0)) {
        return Err("the recording does not say where these lines stand: yh copies them".into());
    }
    let old = change.from.as_ref().unwrap_or(&change.path);
    let mut out = format!("--- a/{old}\n+++ b/{}\n", change.path);
    diff.hunks.iter().for_each(|hunk| hunk.write(&mut out));
    Ok(out)
}

/// `trajview runs/a --at 36 --file src/loss.py:32`
fn link(open: &OpenRun, source: &Path) -> Copied {
    let mut words = vec!["trajview".to_owned(), argument(&source.to_string_lossy())];
    // The step is the place then; a file would take the keyboard to the diff.
    let is_in_steps = open.replay.focus == Panel::Steps && open.replay.step_number() > 0;
    if !open.session.run.turns.is_empty() {
        let (turn, step) = (open.session.turn + 1, open.replay.step_number());
        let is_of_step = is_in_steps || open.replay.diff.follows == Follows::Step;
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
        words.extend(["--component".to_owned(), quoted(&component)]);
    } else if open.session.view != View::Replay {
        words.extend(["--view".to_owned(), open.session.view.word().to_owned()]);
    } else if let Some(key) = open.replay.diff_key(&open.session).filter(|_| !is_in_steps) {
        let line = line_number(open).map(|line| format!(":{line}")).unwrap_or_default();
        words.extend(["--file".to_owned(), quoted(&format!("{}{line}", key.path))]);
    }
    Copied { text: words.join(" "), name: "the link".into() }
}

/// `--view audit --component C07 --annotator ann --seed 7`
fn audit_link(open: &OpenRun) -> Vec<String> {
    let mut words = vec!["--view".to_owned(), View::Audit.word().to_owned()];
    let mut say = |name: &str, value: Option<String>| {
        words.extend(value.into_iter().flat_map(|value| [format!("--{name}"), quoted(&value)]));
    };
    let unit = open.session.audited.unit();
    say("unit", (unit != Unit::default()).then(|| unit.word().to_owned()));
    say("component", open.audit.audited_id().map(str::to_owned));
    say("annotator", open.session.labels.annotator().map(str::to_owned));
    say("seed", open.audit.seed.map(|seed| seed.to_string()));
    words
}

/// The line of the new text that the cursor of the diff is at, or the next one there is; counts from 1.
pub(crate) fn line_number(open: &OpenRun) -> Option<usize> {
    let compared = shown(open).ok()?;
    let rows = compared.rows.get(open.replay.diff.scroll.cursor..)?;
    rows.iter().find_map(|row| compared.line(*row)?.new)
}

/// A file's name for a shell, which no program takes for an option.
pub fn argument(name: &str) -> String {
    quoted(&if name.starts_with('-') { format!("./{name}") } else { name.to_owned() })
}

/// For a shell: as it is where nothing in it is special, else between quotes. What a terminal would obey is written
/// out, as bash, zsh and ksh read it.
fn quoted(word: &str) -> String {
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
        assert_eq!(quoted("src/loss.py:32"), "src/loss.py:32");
        assert_eq!(quoted("my runs/it's"), r"'my runs/it'\''s'");
        assert_eq!(quoted("$(rm -r x)"), "'$(rm -r x)'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("a\x1b[201~\n"), r"$'a\x1b[201~\x0a'");
        assert_eq!(argument("-rf"), "./-rf");
    }

    #[test]
    fn what_a_terminal_would_obey_is_left_out_and_counted() {
        assert_eq!(harmless("a\tb\x1b[31mc\u{9b}\n"), ("a\tb[31mc\n".into(), 2));
    }
}
