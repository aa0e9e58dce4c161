//! Standard output, buffered, and the one way recorded words get there.

use serde::{Serialize, Serializer as _, ser::SerializeMap};
use serde_json::{Serializer, Value};
use std::{
    borrow::Cow,
    io::{self, BufWriter, IsTerminal, Stdout, Write},
};

use crate::{
    run::{Warning, figures},
    widgets::text,
};

use visible::Visible;

mod visible;

pub use crate::formats::csv::row as csv_row;

/// Standard output.
pub struct Out {
    writer: BufWriter<Stdout>,
    is_terminal: bool,
}

impl Out {
    pub fn stdout() -> Self {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        Self { writer: BufWriter::new(stdout), is_terminal }
    }

    /// Columns of the terminal, or what `COLUMNS` says; None where the output goes elsewhere and may be as wide as it is.
    pub fn columns(&self) -> Option<usize> {
        let told = std::env::var("COLUMNS").ok().and_then(|words| words.parse().ok());
        let of_terminal = || {
            let (columns, _) = ratatui::crossterm::terminal::size().ok()?;
            self.is_terminal.then_some(usize::from(columns))
        };
        told.or_else(of_terminal).filter(|columns| *columns > 0)
    }

    /// A line of ours with recorded words in it; control and invisible characters are written out.
    pub fn line(&mut self, words: &str) -> io::Result<()> {
        writeln!(self.writer, "{}", plain(words))
    }

    /// Recorded bytes as they are into a pipe or file, made harmless on a terminal.
    pub fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !self.is_terminal {
            return self.writer.write_all(bytes);
        }
        let text = String::from_utf8_lossy(bytes);
        text.split_inclusive('\n').try_for_each(|line| {
            let words = line.strip_suffix('\n');
            write!(self.writer, "{}", plain(words.unwrap_or(line)))?;
            self.writer.write_all(if words.is_some() { b"\n" } else { b"" })
        })
    }

    /// A frame of the screen, whose text `widgets::text` has made safe already.
    pub fn frame(&mut self, frame: &str) -> io::Result<()> {
        self.writer.write_all(frame.as_bytes())
    }

    /// One JSON document, with no character in it that a terminal would obey or not show.
    pub fn json(&mut self, document: &impl Serialize) -> io::Result<()> {
        let mut serializer = Serializer::pretty(Visible(&mut self.writer));
        document.serialize(&mut serializer).map_err(io::Error::from)?;
        self.writer.write_all(b"\n")
    }

    /// A document that is one list under a name.
    pub fn json_list<R: Serialize>(
        &mut self,
        schema: &str,
        (name, rows): (&str, &[R]),
    ) -> io::Result<()> {
        let mut serializer = Serializer::pretty(Visible(&mut self.writer));
        let mut document = serializer.serialize_map(Some(2))?;
        document.serialize_entry("schema", schema)?;
        document.serialize_entry(name, rows)?;
        document.end()?;
        self.writer.write_all(b"\n")
    }

    /// Rows as they serialise: a column for each word, which is a field's name or `head=field.of.it`. What is null, or
    /// stands in something that is, is an empty cell.
    pub fn csv<R: Serialize>(
        &mut self,
        columns: &str,
        rows: impl IntoIterator<Item = R>,
    ) -> io::Result<()> {
        let columns = columns.split_whitespace();
        let columns = columns.map(|it| it.split_once('=').unwrap_or((it, it)));
        let columns = columns.map(|(head, field)| (head, format!("/{}", field.replace('.', "/"))));
        let columns: Vec<(&str, String)> = columns.collect();
        self.raw(csv_row(columns.iter().map(|(head, _)| (*head).to_owned())).as_bytes())?;
        rows.into_iter().try_for_each(|row| {
            let row = serde_json::to_value(row).map_err(io::Error::from)?;
            let cells =
                columns.iter().map(|(_, field)| row.pointer(field).map_or_else(String::new, said));
            self.raw(csv_row(cells).as_bytes())
        })
    }

    pub fn finish(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Says a sentence on standard error, beside what is printed.
pub fn tell(sentence: &str) {
    eprintln!("trajview: {}", plain(sentence));
}

/// Says what could not be used, each with its place; `check` says it too.
pub fn tell_warnings(warnings: &[Warning]) {
    warnings.iter().for_each(|Warning { place, what }| tell(&format!("{place}: {what}")));
}

/// One line, safe for a terminal.
pub fn plain(words: &str) -> Cow<'_, str> {
    Cow::Owned(words.lines().map(|line| text::safe(line).to_string()).collect::<Vec<_>>().join(" "))
}

/// A value in one cell; the parts of a list or an object are divided by `; `.
fn said(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(words) => words.clone(),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(number) => number.to_string(), // 1 and not 1.0
            None => number.to_string(),
        },
        Value::Bool(flag) => flag.to_string(),
        Value::Array(parts) => parts.iter().map(said).collect::<Vec<_>>().join("; "),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| format!("{name}: {}", said(value)));
            fields.collect::<Vec<_>>().join("; ")
        }
    }
}

/// Between two columns of text.
const GAP: &str = "  ";

/// A column: its head, and what a row has there.
pub type Column<'a, R> = (&'a str, &'a dyn Fn(&R) -> String);

/// Columns of text, the last one as long as it is.
pub struct Table {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A head that starts with `>` makes a column of numbers.
    pub fn new(heads: &[&'static str]) -> Self {
        Self::headed(heads.iter().map(|head| (*head).to_owned()).collect())
    }

    /// The same with heads that are made up as the program goes.
    pub fn headed(heads: Vec<String>) -> Self {
        Self { heads, rows: vec![] }
    }

    /// A row for each thing, a cell for each column.
    pub fn of<'r, R: 'r>(columns: &[Column<'_, R>], rows: impl IntoIterator<Item = &'r R>) -> Self {
        let mut table = Self::headed(columns.iter().map(|(head, _)| (*head).to_owned()).collect());
        rows.into_iter().for_each(|row| table.row(columns.iter().map(|(_, of)| of(row)).collect()));
        table
    }

    /// Written as Markdown, or in columns.
    pub fn write(&self, is_markdown: bool, out: &mut Out) -> io::Result<()> {
        if is_markdown { self.markdown(out) } else { self.print(out) }
    }

    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells.iter().map(|cell| plain(cell).into_owned()).collect());
    }

    pub fn print(&self, out: &mut Out) -> io::Result<()> {
        let (heads, widths) = (self.plain_heads(), self.widths());
        let mut rows = std::iter::once(&heads).chain(&self.rows);
        rows.try_for_each(|row| out.line(self.format(row, &widths).trim_end()))
    }

    /// Columns that it takes as text.
    pub fn width(&self) -> usize {
        let widths = self.widths();
        widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1)
    }

    fn plain_heads(&self) -> Vec<String> {
        self.heads.iter().map(|head| head.trim_start_matches('>').to_owned()).collect()
    }

    fn widths(&self) -> Vec<usize> {
        let heads = self.plain_heads();
        let width = |column: usize| {
            let cells = std::iter::once(&heads).chain(&self.rows).filter_map(|row| row.get(column));
            cells.map(|cell| text::width(cell)).max().unwrap_or(0)
        };
        (0..heads.len()).map(width).collect()
    }

    fn format(&self, row: &[String], widths: &[usize]) -> String {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let gap = " "
                .repeat(widths.get(column).copied().unwrap_or(0).saturating_sub(text::width(cell)));
            let is_number = self.heads.get(column).is_some_and(|head| head.starts_with('>'));
            if is_number { format!("{gap}{cell}") } else { format!("{cell}{gap}") }
        });
        cells.collect::<Vec<_>>().join(GAP)
    }

    pub fn markdown(&self, out: &mut Out) -> io::Result<()> {
        let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        out.line(&row(self
            .heads
            .iter()
            .map(|head| head.trim_start_matches('>').to_owned())
            .collect()))?;
        let rule = |head: &String| {
            if head.starts_with('>') { "---:".to_owned() } else { "---".to_owned() }
        };
        out.line(&row(self.heads.iter().map(rule).collect()))?;
        let shown = |cells: &Vec<String>| cells.iter().map(|cell| markdown(cell)).collect();
        self.rows.iter().try_for_each(|cells| out.line(&row(shown(cells))))
    }
}

/// A cell that Markdown shows as it is written here: no letter of it begins a tag, an emphasis or another cell. What
/// stands between backticks is code.
fn markdown(cell: &str) -> String {
    let has_code = cell.matches('`').count().is_multiple_of(2);
    let mut shown = String::with_capacity(cell.len());
    let mut is_code = false;
    for letter in cell.chars() {
        is_code ^= has_code && letter == '`';
        if letter == '|' || (!is_code && matches!(letter, '<' | '*')) {
            shown.push('\\');
        }
        shown.push(letter);
    }
    shown
}

/// A cell for people: `-` where there is nothing.
pub fn dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".into(), |value| value.to_string())
}

/// A share in a table; a dash where there is none.
pub fn share(value: Option<f64>) -> String {
    dash(value.map(figures::share))
}

/// A cell of a CSV: empty where there is nothing.
pub fn cell(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
