//! Standard output, buffered, and the one way recorded words get there.

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

use trajview_run::{Warning, figures};
use trajview_tui::widgets::text;

use plain_zero::PlainZero;
use visible::Visible;

mod forms;
mod markdown;
mod plain_zero;
mod table;
mod visible;

pub use forms::{Form, Forms};
pub use markdown::inert;
pub use plain_zero::line as json_bytes;
pub use table::{Column, Table};

pub use trajview_formats::csv::row as csv_row;

/// Standard output, or what keeps the output of a command for another one.
pub struct Out {
    writer: BufWriter<Stdout>,
    is_terminal: bool,
    form: Form,
    saved: Option<forms::Saved>,
    /// What is kept instead of being printed; None where it is printed.
    kept: Option<Vec<Piece>>,
}

/// A part of what a command would print.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    Line(String),
    Table(Table),
    Json(Value),
    /// Lines of a CSV, bytes of a file.
    Bytes(Vec<u8>),
}

thread_local! {
    /// Sentences for standard error of a command whose output is kept; None where they are said.
    static TOLD: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

impl Out {
    pub fn stdout() -> Self {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        let writer = BufWriter::new(stdout);
        Self { writer, is_terminal, form: Form::Text, saved: None, kept: None }
    }

    /// One that prints nothing and keeps everything. What is said on standard error until [`Self::pieces`] is kept too.
    pub fn keeping() -> Self {
        TOLD.with_borrow_mut(|told| *told = Some(vec![]));
        Self { is_terminal: false, kept: Some(vec![]), ..Self::stdout() }
    }

    /// What was kept, and the sentences for standard error.
    pub fn pieces(self) -> (Vec<Piece>, Vec<String>) {
        let told = TOLD.with_borrow_mut(Option::take);
        (self.kept.unwrap_or_default(), told.unwrap_or_default())
    }

    /// Whether the piece is kept, and need not be printed.
    fn keeps(&mut self, piece: impl FnOnce() -> Piece) -> bool {
        self.kept.as_mut().map(|kept| kept.push(piece())).is_some()
    }

    /// Writes tables from here on as the options say.
    ///
    /// # Errors
    ///
    /// Where the folder that tables are saved to cannot be made.
    pub fn write_as(&mut self, forms: &Forms) -> io::Result<()> {
        self.form = forms.form();
        self.saved = forms.save_tables.as_deref().map(forms::Saved::to).transpose()?;
        Ok(())
    }

    /// Writes tables, and what is said beside them, as Markdown from here on.
    pub const fn write_markdown(&mut self) {
        self.form = Form::Markdown;
    }

    /// Columns of the terminal, or what `COLUMNS` says; None where the output goes elsewhere and may be as wide as it is.
    pub fn columns(&self) -> Option<usize> {
        if self.kept.is_some() {
            return None;
        }
        let told = std::env::var("COLUMNS").ok().and_then(|words| words.parse().ok());
        // Only a terminal is asked: for want of one two other programs would be started to ask.
        let of_terminal = || self.is_terminal.then(ratatui::crossterm::terminal::size)?.ok();
        let columns = told.or_else(|| of_terminal().map(|(columns, _)| usize::from(columns)));
        columns.filter(|columns| *columns > 0)
    }

    /// A line of ours with recorded words in it; control and invisible characters are written out. Beside tables in LaTeX
    /// it is a comment.
    pub fn line(&mut self, words: &str) -> io::Result<()> {
        let words = plain(words);
        if self.keeps(|| Piece::Line(words.to_string())) {
            return Ok(());
        }
        if let Some(saved) = self.saved.as_mut().filter(|_| !words.trim().is_empty()) {
            saved.title = words.trim().to_owned();
        }
        match self.form {
            Form::Tex if !words.is_empty() => writeln!(self.writer, "% {words}"),
            Form::Markdown => writeln!(self.writer, "{}", inert(&words)),
            Form::Text | Form::Tex => writeln!(self.writer, "{words}"),
        }
    }

    /// A line of a table, in its form already.
    fn plain_line(&mut self, line: &str) -> io::Result<()> {
        if self.keeps(|| Piece::Line(plain(line).into_owned())) {
            return Ok(());
        }
        writeln!(self.writer, "{}", plain(line))
    }

    /// A sentence of ours, folded where the terminal is narrower than it; its other lines are indented.
    pub fn sentence(&mut self, words: &str) -> io::Result<()> {
        const INDENT: &str = "  ";
        let columns = self.columns().filter(|_| self.form == Form::Text);
        let words = plain(words);
        let Some(columns) = columns.filter(|columns| text::width(&words) > *columns) else {
            return self.line(&words);
        };
        let rows = text::wrap(&words, columns.saturating_sub(INDENT.len()).max(1));
        rows.into_iter().enumerate().try_for_each(|(at, range)| {
            let row = words.get(range).unwrap_or_default();
            writeln!(self.writer, "{}{row}", if at == 0 { "" } else { INDENT })
        })?;
        if let Some(saved) = &mut self.saved {
            saved.title = words.trim().to_owned();
        }
        Ok(())
    }

    /// Recorded bytes as they are into a pipe or file, made harmless on a terminal.
    pub fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.keeps(|| Piece::Bytes(bytes.to_vec())) {
            return Ok(());
        }
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
        if self.keeps(|| Piece::Bytes(frame.as_bytes().to_vec())) {
            return Ok(());
        }
        self.writer.write_all(frame.as_bytes())
    }

    fn keep_json(&mut self, document: &impl Serialize) -> io::Result<()> {
        let value = serde_json::to_value(document).map_err(io::Error::from)?;
        self.keeps(|| Piece::Json(value));
        Ok(())
    }

    /// One JSON document, with no character in it that a terminal would obey or not show.
    pub fn json(&mut self, document: &impl Serialize) -> io::Result<()> {
        if self.kept.is_some() {
            return self.keep_json(document);
        }
        let form = PlainZero(PrettyFormatter::new());
        let mut serializer = Serializer::with_formatter(Visible(&mut self.writer), form);
        document.serialize(&mut serializer).map_err(io::Error::from)?;
        self.writer.write_all(b"\n")
    }

    /// One JSON document in one line.
    pub fn json_line(&mut self, document: &impl Serialize) -> io::Result<()> {
        if self.kept.is_some() {
            return self.keep_json(document);
        }
        let form = PlainZero(CompactFormatter);
        let mut serializer = Serializer::with_formatter(Visible(&mut self.writer), form);
        document.serialize(&mut serializer).map_err(io::Error::from)?;
        self.writer.write_all(b"\n")
    }

    /// A document that is one list under a name.
    pub fn json_list<R: Serialize>(
        &mut self,
        schema: &str,
        (name, rows): (&str, &[R]),
    ) -> io::Result<()> {
        if self.kept.is_some() {
            return self.keep_json(&serde_json::json!({ "schema": schema, name: rows }));
        }
        let form = PlainZero(PrettyFormatter::new());
        let mut serializer = Serializer::with_formatter(Visible(&mut self.writer), form);
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
    let is_kept = TOLD.with_borrow_mut(|told| {
        told.as_mut().map(|told| told.push(plain(sentence).into_owned())).is_some()
    });
    if is_kept {
        return;
    }
    eprintln!("trajview: {}", plain(sentence));
}

/// Says what could not be used, each with its place; `check` says it too.
pub fn tell_warnings(warnings: &[Warning]) {
    warnings.iter().for_each(|Warning { place, what }| tell(&format!("{place}: {what}")));
}

/// One line, safe for a terminal.
pub fn plain(words: &str) -> Cow<'_, str> {
    let mut lines = words.lines();
    match (lines.next(), lines.next()) {
        (None, _) => Cow::Borrowed(""),
        (Some(line), None) => text::safe(line),
        _ => Cow::Owned(words.lines().map(text::safe).collect::<Vec<_>>().join(" ")),
    }
}

/// A value in one cell; the parts of a list or an object are divided by `; `.
fn said(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(words) => words.clone(),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(number) => (number + 0.0).to_string(), // 1 and not 1.0, 0 and not -0
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
