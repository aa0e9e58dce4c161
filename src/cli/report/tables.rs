//! The tables of a report as Markdown and as LaTeX, with the commands that print them.

use crate::cli::output::{OutputTable, escape_markdown, safe_line};

use super::report_data::{ReportMaterial, ReportSection, SectionPart, TableCells};

pub(crate) fn markdown_report(report: &ReportMaterial) -> String {
    let mut text = format!("# {}\n\n", safe_markdown_line(&report.title));
    for (name, value) in &report.made_of {
        text.push_str(&format!("- {name}: {}\n", safe_markdown_line(value)));
    }
    for (title, section) in titled_sections(report) {
        text.push_str(&format!(
            "\n## {}\n\nFrom {}",
            safe_markdown_line(&title),
            code_span(&command_or_empty(section))
        ));
        text.push_str(&format!(" ({}).\n", section.source));
        for part in &section.parts {
            match part {
                SectionPart::Figure(_) => {}
                SectionPart::Line(line) if line.trim().is_empty() => {}
                SectionPart::Line(line) => {
                    text.push_str(&format!("\n{}\n", safe_markdown_line(line)))
                }
                SectionPart::Table(cells) => {
                    text.push_str(&format!("\n{}", table_text(cells, "md")))
                }
            }
        }
        for note in &section.notes {
            text.push_str(&format!("\n{}\n", safe_markdown_line(note)));
        }
    }
    text
}

pub(crate) fn latex_report(report: &ReportMaterial) -> String {
    let mut text = format!("% {}\n", latex_comment(&report.title));
    for (name, value) in &report.made_of {
        text.push_str(&format!("% {name}: {}\n", latex_comment(value)));
    }
    for (title, section) in titled_sections(report) {
        text.push_str(&format!(
            "\n% {}\n% {}\n",
            latex_comment(&title),
            latex_comment(&command_or_empty(section))
        ));
        for part in &section.parts {
            match part {
                SectionPart::Figure(_) => {}
                SectionPart::Line(line) if line.trim().is_empty() => {}
                SectionPart::Line(line) => text.push_str(&format!("% {}\n", latex_comment(line))),
                SectionPart::Table(cells) => {
                    text.push_str(&format!("\n{}", table_text(cells, "tex")))
                }
            }
        }
        for note in &section.notes {
            text.push_str(&format!("% {}\n", latex_comment(note)));
        }
    }
    text
}

/// Returns the sections of the report and of its runs with their titles, those of a run with its name.
fn titled_sections(report: &ReportMaterial) -> impl Iterator<Item = (String, &ReportSection)> {
    let of_all = report.sections.iter().map(|section| (section.title.clone(), section));
    let of_runs = report.runs.iter().flat_map(|run| {
        run.sections.iter().map(|section| (format!("{}: {}", run.id, section.title), section))
    });
    of_all.chain(of_runs)
}

/// Returns a command as code, whatever backticks a path in it has.
fn code_span(command: &str) -> String {
    let longest = command.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let gap = if longest > 0 { " " } else { "" };
    format!("{fence}{gap}{}{gap}{fence}", safe_line(command))
}

/// Returns the command that prints the section again; empty where there is none.
fn command_or_empty(section: &ReportSection) -> String {
    section.command.clone().unwrap_or_default()
}

/// Returns a table as the commands write it in this form.
fn table_text(cells: &TableCells, end: &str) -> String {
    let mut table = OutputTable::with_heads(cells.heads.clone());
    cells.rows.iter().for_each(|row| table.add_row(row.clone()));
    let texts = table.file_texts().into_iter();
    texts.filter(|(form, _)| *form == end).map(|(_, text)| text).collect()
}

/// Makes one safe line: recorded text never begins a line, and never becomes markup.
fn safe_markdown_line(words: &str) -> String {
    escape_markdown(&safe_line(words))
}

/// Returns a comment of LaTeX.
fn latex_comment(words: &str) -> String {
    safe_line(words).into_owned()
}
