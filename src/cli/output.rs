//! Standard output, buffered. All recorded text is printed through it.

use serde::{Serialize, Serializer as _, ser::SerializeMap};
use serde_json::{
    Serializer, Value,
    ser::{CompactFormatter, PrettyFormatter},
};
use std::{
    borrow::Cow,
    cell::RefCell,
    io::{self, BufWriter, IsTerminal, Stdout, Write},
};

use trajview_run::{Warning, format_number};
use trajview_tui::widgets::text;

use plain_zero::PlainZero;
use visible_json::VisibleJson;

mod markdown;
mod plain_zero;
mod record;
mod table;
mod table_form;
mod visible_json;

pub use markdown::escape_markdown;
pub use plain_zero::json_line as json_bytes;
pub use record::Json;
pub(crate) use record::{FieldName, record};
pub use table::{OutputTable, TableColumn};
pub use table_form::{TableForm, TableFormArgs};

pub use trajview_formats::csv::csv_line as csv_row;

/// Standard output, or what keeps the output of a command for another one.
pub struct Out {
    writer: BufWriter<Stdout>,
    is_terminal: bool,
    form: TableForm,
    saved: Option<table_form::SavedTables>,
    /// The `table` around each tabular of LaTeX.
    tex_float: Option<table_form::TexFloat>,
    /// The captured output. None if it is printed.
    captured: Option<Vec<OutputPiece>>,
}

/// A part of what a command would print.
#[derive(Debug, Clone, PartialEq)]
pub enum OutputPiece {
    Line(String),
    Table(OutputTable),
    Json(Value),
    /// Lines of a CSV, bytes of a file.
    Bytes(Vec<u8>),
}

thread_local! {
    /// Captured messages for standard error. None if they are printed.
    static CAPTURED_NOTES: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Returns the columns of the terminal, or the value of `COLUMNS`. None if the output goes elsewhere and has no limit.
pub(crate) fn terminal_columns() -> Option<usize> {
    let from_environment = std::env::var("COLUMNS").ok().and_then(|words| words.parse().ok());
    // The size is queried only on a terminal: without one, crossterm would start two other programs.
    let is_terminal = || io::stdout().is_terminal();
    let of_terminal = || is_terminal().then(ratatui::crossterm::terminal::size)?.ok();
    let columns =
        from_environment.or_else(|| of_terminal().map(|(columns, _)| usize::from(columns)));
    columns.filter(|columns| *columns > 0)
}

impl Out {
    pub fn stdout() -> Self {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        let writer = BufWriter::new(stdout);
        Self {
            writer,
            is_terminal,
            form: TableForm::Text,
            saved: None,
            tex_float: None,
            captured: None,
        }
    }

    /// Makes an output that prints nothing and captures everything, with the messages for standard error until
    /// [`Self::into_pieces`].
    pub(crate) fn capturing() -> Self {
        CAPTURED_NOTES.with_borrow_mut(|notes| *notes = Some(vec![]));
        Self { is_terminal: false, captured: Some(vec![]), ..Self::stdout() }
    }

    /// Returns the captured pieces, and the messages for standard error.
    pub(crate) fn into_pieces(self) -> (Vec<OutputPiece>, Vec<String>) {
        let notes = CAPTURED_NOTES.with_borrow_mut(Option::take);
        (self.captured.unwrap_or_default(), notes.unwrap_or_default())
    }

    /// Captures the piece and returns true if output is captured; otherwise the caller prints it.
    fn capture_piece(&mut self, piece: impl FnOnce() -> OutputPiece) -> bool {
        self.captured.as_mut().map(|pieces| pieces.push(piece())).is_some()
    }

    /// Sets the form of the tables that follow.
    ///
    /// # Errors
    ///
    /// If the folder for saved tables cannot be made.
    pub(crate) fn set_table_form(&mut self, forms: &TableFormArgs) -> io::Result<()> {
        self.form = forms.form();
        self.tex_float = forms.tex_float();
        self.saved =
            forms.save_tables.as_deref().map(table_form::SavedTables::in_folder).transpose()?;
        Ok(())
    }

    /// Adds a sentence below every `table` of LaTeX.
    pub(crate) fn add_table_note(&mut self, note: String) {
        if let Some(float) = &mut self.tex_float {
            float.notes.push(note);
        }
    }

    /// Writes the tables and lines that follow as Markdown.
    pub(crate) const fn set_markdown(&mut self) {
        self.form = TableForm::Markdown;
    }

    /// Returns [`terminal_columns`]; None if output is captured.
    pub(crate) fn terminal_columns(&self) -> Option<usize> {
        if self.captured.is_some() { None } else { terminal_columns() }
    }

    /// Prints a line of ours with recorded words in it; control and invisible characters are written out. Beside tables
    /// in LaTeX it is a comment.
    pub(crate) fn print_line(&mut self, words: &str) -> io::Result<()> {
        let words = safe_line(words);
        if self.capture_piece(|| OutputPiece::Line(words.to_string())) {
            return Ok(());
        }
        if let Some(saved) = self.saved.as_mut().filter(|_| !words.trim().is_empty()) {
            saved.title = words.trim().to_owned();
        }
        if let Some(float) = self.tex_float.as_mut().filter(|_| !words.trim().is_empty()) {
            float.title = words.trim().to_owned();
        }
        match self.form {
            TableForm::Tex if !words.is_empty() => writeln!(self.writer, "% {words}"),
            TableForm::Markdown => writeln!(self.writer, "{}", escape_markdown(&words)),
            TableForm::Text | TableForm::Tex => writeln!(self.writer, "{words}"),
        }
    }

    /// Prints a line of a table, in its form already.
    fn print_table_line(&mut self, line: &str) -> io::Result<()> {
        if self.capture_piece(|| OutputPiece::Line(safe_line(line).into_owned())) {
            return Ok(());
        }
        writeln!(self.writer, "{}", safe_line(line))
    }

    /// Prints a sentence of ours, folded where the terminal is narrower than it; its other lines are indented.
    pub(crate) fn print_sentence(&mut self, words: &str) -> io::Result<()> {
        const INDENT: &str = "  ";
        let columns = self.terminal_columns().filter(|_| self.form == TableForm::Text);
        let words = safe_line(words);
        let Some(columns) = columns.filter(|columns| text::width(&words) > *columns) else {
            return self.print_line(&words);
        };
        let rows = text::wrap_safe_text(&words, columns.saturating_sub(INDENT.len()).max(1));
        rows.into_iter().enumerate().try_for_each(|(at, range)| {
            let row = words.get(range).unwrap_or_default();
            writeln!(self.writer, "{}{row}", if at == 0 { "" } else { INDENT })
        })?;
        if let Some(saved) = &mut self.saved {
            saved.title = words.trim().to_owned();
        }
        Ok(())
    }

    /// Prints recorded bytes unchanged into a pipe or file, and made harmless on a terminal.
    pub(crate) fn print_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.capture_piece(|| OutputPiece::Bytes(bytes.to_vec())) {
            return Ok(());
        }
        if !self.is_terminal {
            return self.writer.write_all(bytes);
        }
        let text = String::from_utf8_lossy(bytes);
        text.split_inclusive('\n').try_for_each(|line| {
            let words = line.strip_suffix('\n');
            write!(self.writer, "{}", safe_line(words.unwrap_or(line)))?;
            self.writer.write_all(if words.is_some() { b"\n" } else { b"" })
        })
    }

    /// Prints a frame of the screen, whose text `widgets::text` has made safe already.
    pub(crate) fn print_frame(&mut self, frame: &str) -> io::Result<()> {
        if self.capture_piece(|| OutputPiece::Bytes(frame.as_bytes().to_vec())) {
            return Ok(());
        }
        self.writer.write_all(frame.as_bytes())
    }

    fn capture_json(&mut self, document: &impl Serialize) -> io::Result<()> {
        let value = serde_json::to_value(document).map_err(io::Error::from)?;
        self.capture_piece(|| OutputPiece::Json(value));
        Ok(())
    }

    /// Prints one JSON document without any character that a terminal would obey or not show.
    pub(crate) fn print_json(&mut self, document: &impl Serialize) -> io::Result<()> {
        if self.captured.is_some() {
            return self.capture_json(document);
        }
        let form = PlainZero(PrettyFormatter::new());
        let mut serializer = Serializer::with_formatter(VisibleJson(&mut self.writer), form);
        document.serialize(&mut serializer).map_err(io::Error::from)?;
        self.writer.write_all(b"\n")
    }

    /// Prints one JSON document in one line.
    pub(crate) fn print_json_line(&mut self, document: &impl Serialize) -> io::Result<()> {
        if self.captured.is_some() {
            return self.capture_json(document);
        }
        let form = PlainZero(CompactFormatter);
        let mut serializer = Serializer::with_formatter(VisibleJson(&mut self.writer), form);
        document.serialize(&mut serializer).map_err(io::Error::from)?;
        self.writer.write_all(b"\n")
    }

    /// Prints a document that is one list under a name.
    pub(crate) fn print_json_list<R: Serialize>(
        &mut self,
        schema: &str,
        (name, rows): (&str, &[R]),
    ) -> io::Result<()> {
        if self.captured.is_some() {
            return self.capture_json(&serde_json::json!({ "schema": schema, name: rows }));
        }
        let form = PlainZero(PrettyFormatter::new());
        let mut serializer = Serializer::with_formatter(VisibleJson(&mut self.writer), form);
        let mut document = serializer.serialize_map(Some(2))?;
        document.serialize_entry("schema", schema)?;
        document.serialize_entry(name, rows)?;
        document.end()?;
        self.writer.write_all(b"\n")
    }

    /// Prints rows as CSV: a column for each word, which is a field's name or `head=field.of.it`, as [`Json::field`] takes
    /// it. A null value, or one inside of a null value, is an empty cell.
    ///
    /// # Panics
    ///
    /// If a row has no field of a name without `?`.
    pub(crate) fn print_csv<R: Serialize>(
        &mut self,
        columns: &str,
        rows: impl IntoIterator<Item = R>,
    ) -> io::Result<()> {
        let columns = columns.split_whitespace();
        let columns =
            columns.map(|it| it.split_once('=').unwrap_or((it.trim_end_matches('?'), it)));
        let columns: Vec<(&str, &str)> = columns.collect();
        self.print_bytes(csv_row(columns.iter().map(|(head, _)| (*head).to_owned())).as_bytes())?;
        rows.into_iter().try_for_each(|row| {
            let row = Json::new(&row);
            let cells = columns.iter().map(|(_, field)| row.field(field).csv_cell());
            self.print_bytes(csv_row(cells).as_bytes())
        })
    }

    pub fn finish(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Prints a message on standard error.
pub(crate) fn print_note(sentence: &str) {
    let is_kept = CAPTURED_NOTES.with_borrow_mut(|notes| {
        notes.as_mut().map(|notes| notes.push(safe_line(sentence).into_owned())).is_some()
    });
    if is_kept {
        return;
    }
    eprintln!("trajview: {}", safe_line(sentence));
}

/// Prints unusable inputs, each with its place; `check` prints them too.
pub(crate) fn print_warnings(warnings: &[Warning]) {
    warnings.iter().for_each(|Warning { place, what }| print_note(&format!("{place}: {what}")));
}

/// Returns one line that is safe for a terminal.
pub fn safe_line(words: &str) -> Cow<'_, str> {
    let mut lines = words.lines();
    match (lines.next(), lines.next()) {
        (None, _) => Cow::Borrowed(""),
        (Some(line), None) => text::safe(line),
        _ => Cow::Owned(words.lines().map(text::safe).collect::<Vec<_>>().join(" ")),
    }
}

/// Returns a cell for people: `-` where there is nothing.
pub(crate) fn cell_or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".into(), |value| value.to_string())
}

/// Returns a share in a table; a dash if there is none.
pub(crate) fn share_cell(value: Option<f64>) -> String {
    cell_or_dash(value.map(format_number::three_decimals))
}

/// Returns a cell of a CSV: empty if there is nothing.
pub(crate) fn cell_or_empty(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
