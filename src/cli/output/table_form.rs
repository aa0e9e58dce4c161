//! The options for the form of a command's tables, and the folder that they are saved to.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use trajview_store::error_reason;

use super::table::{OutputTable, escape_tex};

/// The form of printed tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TableForm {
    /// Columns, folded where the terminal is narrower.
    #[default]
    Text,
    Markdown,
    Tex,
}

/// The options of a command that prints tables.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct TableFormArgs {
    /// Print the tables as Markdown
    #[arg(long)]
    pub md: bool,
    /// Print the tables as LaTeX (booktabs); notes become comments
    #[arg(long, conflicts_with = "md")]
    pub tex: bool,
    /// With --tex: put each table in a `table` with this caption; its notes are below it
    #[arg(long, value_name = "TEXT", requires = "tex")]
    pub caption: Option<String>,
    /// With --tex: the label of the table, `\ref{NAME}`; a second table has NAME-2, and so on
    #[arg(long = "label", value_name = "NAME", requires = "tex")]
    pub table_label: Option<String>,
    /// Also save every printed table in this folder, as CSV, Markdown and LaTeX
    #[arg(long, value_name = "DIR")]
    pub save_tables: Option<PathBuf>,
}

/// The `table` around each tabular of LaTeX, if a caption or a label is named.
#[derive(Debug, Clone, Default)]
pub struct TexFloat {
    caption: Option<String>,
    label: Option<String>,
    /// Sentences that are below every table.
    pub notes: Vec<String>,
    /// The last words that were printed, which are below the next table.
    pub title: String,
    count: usize,
}

impl TexFloat {
    /// Returns the LaTeX lines of a table with its title and notes, and counts the table; the title is used up.
    pub(crate) fn float_lines(&mut self, tabular: Vec<String>) -> Vec<String> {
        self.count += 1;
        let title = std::mem::take(&mut self.title);
        let mut lines = vec!["\\begin{table}".to_owned(), "\\centering".to_owned()];
        if let Some(caption) = &self.caption {
            lines.push(format!("\\caption{{{}}}", escape_tex(caption)));
        }
        if let Some(label) = &self.label {
            let number = if self.count > 1 { format!("-{}", self.count) } else { String::new() };
            lines.push(format!("\\label{{{label}{number}}}"));
        }
        lines.extend(tabular);
        let notes = std::iter::once(&title).chain(&self.notes).filter(|it| !it.is_empty());
        let notes: Vec<String> = notes.map(|note| escape_tex(note)).collect();
        if !notes.is_empty() {
            lines.push(format!("\\par\\smallskip{{\\footnotesize {}.\\par}}", notes.join("; ")));
        }
        lines.push("\\end{table}".to_owned());
        lines
    }
}

impl TableFormArgs {
    /// Returns the `table` that is around each tabular. None without a caption and a label.
    pub(crate) fn tex_float(&self) -> Option<TexFloat> {
        let is_wanted = self.caption.is_some() || self.table_label.is_some();
        is_wanted.then(|| TexFloat {
            caption: self.caption.clone(),
            label: self.table_label.clone(),
            ..TexFloat::default()
        })
    }

    pub const fn form(&self) -> TableForm {
        match (self.md, self.tex) {
            (true, _) => TableForm::Markdown,
            (false, true) => TableForm::Tex,
            (false, false) => TableForm::Text,
        }
    }
}

/// The folder of saved tables: `01-components.csv`, `.md` and `.tex`, numbered in the order of printing.
pub struct SavedTables {
    folder: PathBuf,
    count: usize,
    /// The last words that were printed: what the next table is called by.
    pub title: String,
}

impl SavedTables {
    pub fn in_folder(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder).map_err(|why| write_error(folder, &why))?;
        Ok(Self { folder: folder.to_owned(), count: 0, title: String::new() })
    }

    pub(crate) fn save_table(&mut self, table: &OutputTable) -> io::Result<()> {
        self.count += 1;
        let name =
            format!("{:02}-{}", self.count, file_name_of_title(&std::mem::take(&mut self.title)));
        for (end, text) in table.file_texts() {
            let path = self.folder.join(format!("{name}.{end}"));
            fs::write(&path, text).map_err(|why| write_error(&path, &why))?;
        }
        Ok(())
    }
}

fn write_error(path: &Path, why: &io::Error) -> io::Error {
    io::Error::new(why.kind(), format!("cannot write {}: {}", path.display(), error_reason(why)))
}

/// Returns the first words of a title as a file is called.
fn file_name_of_title(title: &str) -> String {
    const MOST_WORDS: usize = 6;
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.take(MOST_WORDS).collect::<Vec<_>>().join("-").to_lowercase();
    if name.is_empty() { "table".into() } else { name.chars().take(60).collect() }
}
