//! The tables of a report as Markdown and as LaTeX, with the commands that print them.

use crate::cli::output::{Table, inert, plain};

use super::material::{Cells, Part, Report, Section};

pub fn markdown(report: &Report) -> String {
    let mut text = format!("# {}\n\n", one_line(&report.title));
    for (name, value) in &report.made_of {
        text.push_str(&format!("- {name}: {}\n", one_line(value)));
    }
    for (title, section) in sections(report) {
        text.push_str(&format!("\n## {}\n\nFrom {}", one_line(&title), code(&command(section))));
        text.push_str(&format!(" ({}).\n", section.source));
        for part in &section.parts {
            match part {
                Part::Line(line) if line.trim().is_empty() => {}
                Part::Line(line) => text.push_str(&format!("\n{}\n", one_line(line))),
                Part::Table(cells) => text.push_str(&format!("\n{}", form(cells, "md"))),
            }
        }
        for note in &section.notes {
            text.push_str(&format!("\n{}\n", one_line(note)));
        }
    }
    text
}

pub fn latex(report: &Report) -> String {
    let mut text = format!("% {}\n", comment(&report.title));
    for (name, value) in &report.made_of {
        text.push_str(&format!("% {name}: {}\n", comment(value)));
    }
    for (title, section) in sections(report) {
        text.push_str(&format!("\n% {}\n% {}\n", comment(&title), comment(&command(section))));
        for part in &section.parts {
            match part {
                Part::Line(line) if line.trim().is_empty() => {}
                Part::Line(line) => text.push_str(&format!("% {}\n", comment(line))),
                Part::Table(cells) => text.push_str(&format!("\n{}", form(cells, "tex"))),
            }
        }
        for note in &section.notes {
            text.push_str(&format!("% {}\n", comment(note)));
        }
    }
    text
}

/// All of them, those of a run with its name.
fn sections(report: &Report) -> impl Iterator<Item = (String, &Section)> {
    let of_all = report.sections.iter().map(|section| (section.title.clone(), section));
    let of_runs = report.runs.iter().flat_map(|run| {
        run.sections.iter().map(|section| (format!("{}: {}", run.id, section.title), section))
    });
    of_all.chain(of_runs)
}

/// A command as code, whatever backticks a path in it has.
fn code(command: &str) -> String {
    let longest = command.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let gap = if longest > 0 { " " } else { "" };
    format!("{fence}{gap}{}{gap}{fence}", plain(command))
}

fn command(section: &Section) -> String {
    section.command.clone().unwrap_or_default()
}

/// A table as the commands write it in this form.
fn form(cells: &Cells, end: &str) -> String {
    let mut table = Table::headed(cells.heads.clone());
    cells.rows.iter().for_each(|row| table.row(row.clone()));
    let texts = table.texts().into_iter();
    texts.filter(|(form, _)| *form == end).map(|(_, text)| text).collect()
}

/// What was recorded begins no line of its own, and nothing of it is alive.
fn one_line(words: &str) -> String {
    inert(&plain(words))
}

/// A comment of LaTeX.
fn comment(words: &str) -> String {
    plain(words).into_owned()
}
