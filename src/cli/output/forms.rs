//! The options that say how the tables of a command are written, and the folder that they are saved to.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::table::Table;

/// How tables are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// In columns, folded where the terminal is narrower.
    #[default]
    Text,
    Markdown,
    Tex,
}

/// The options of a command that prints tables.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Forms {
    /// Print the tables as Markdown
    #[arg(long)]
    pub md: bool,
    /// Print the tables as LaTeX (booktabs); what is said beside them is a comment
    #[arg(long, conflicts_with = "md")]
    pub tex: bool,
    /// Save every table that is printed in a folder too, as CSV, Markdown and LaTeX
    #[arg(long, value_name = "DIR")]
    pub save_tables: Option<PathBuf>,
}

impl Forms {
    pub const fn form(&self) -> Form {
        match (self.md, self.tex) {
            (true, _) => Form::Markdown,
            (false, true) => Form::Tex,
            (false, false) => Form::Text,
        }
    }
}

/// Where tables are saved: `01-components.csv`, `.md` and `.tex`, in the order in which they are printed.
pub struct Saved {
    folder: PathBuf,
    count: usize,
    /// The last words that were printed: what the next table is called by.
    pub title: String,
}

impl Saved {
    pub fn to(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder).map_err(|why| said(folder, &why))?;
        Ok(Self { folder: folder.to_owned(), count: 0, title: String::new() })
    }

    pub fn save(&mut self, table: &Table) -> io::Result<()> {
        self.count += 1;
        let name = format!("{:02}-{}", self.count, named(&std::mem::take(&mut self.title)));
        for (end, text) in table.texts() {
            let path = self.folder.join(format!("{name}.{end}"));
            fs::write(&path, text).map_err(|why| said(&path, &why))?;
        }
        Ok(())
    }
}

fn said(path: &Path, why: &io::Error) -> io::Error {
    io::Error::new(why.kind(), format!("cannot write {}: {why}", path.display()))
}

/// The first words of a title as a file is called.
fn named(title: &str) -> String {
    const MOST_WORDS: usize = 6;
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.take(MOST_WORDS).collect::<Vec<_>>().join("-").to_lowercase();
    if name.is_empty() { "table".into() } else { name.chars().take(60).collect() }
}
