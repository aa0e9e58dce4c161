//! The options for the form of a command's tables, and the folder that they are saved to.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use trajview_store::error_reason;

use super::table::OutputTable;

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
    /// Also save every printed table in this folder, as CSV, Markdown and LaTeX
    #[arg(long, value_name = "DIR")]
    pub save_tables: Option<PathBuf>,
}

impl TableFormArgs {
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
