//! The file of a figure: its format, width and place.

use std::{
    fs,
    path::{Path, PathBuf},
};

use trajview_figures::{Figure, FigureFormat, PageColumns};

use crate::cli::{
    CommandFailure, CommandResult, Exit,
    output::{Out, print_note},
    run_args,
};

#[derive(Debug, clap::Args)]
pub struct FigureFileArgs {
    /// The format. Default: by the end of the file's name, else svg
    #[arg(long, value_parser = run_args::word_parser(FigureFormat::ALL.map(FigureFormat::word), FigureFormat::by_word))]
    format: Option<FigureFormat>,
    /// The output file; default: standard output
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The width in columns of a page with two: 84 mm or 174 mm
    #[arg(long, value_name = "1|2", default_value = "1", value_parser = parse_columns)]
    columns: PageColumns,
}

fn parse_columns(word: &str) -> Result<PageColumns, String> {
    match word {
        "1" => Ok(PageColumns::One),
        "2" => Ok(PageColumns::Two),
        _ => Err("expected 1 or 2".into()),
    }
}

impl FigureFileArgs {
    pub(crate) const fn page_columns(&self) -> PageColumns {
        self.columns
    }

    /// Returns the format, from the end of the file's name where none is named.
    fn format(&self) -> FigureFormat {
        let by_name = |path: &Path| match path.extension()?.to_str()? {
            "tex" | "tikz" => Some(FigureFormat::Pgf),
            end => FigureFormat::by_word(end),
        };
        self.format.or_else(|| by_name(self.out.as_deref()?)).unwrap_or(FigureFormat::Svg)
    }

    /// Writes the figure, and prints its caption beside it: to standard error if the figure goes to standard output.
    pub(crate) fn write_figure(&self, figure: &Figure, out: &mut Out) -> CommandResult {
        let bytes = figure.render(self.format());
        match &self.out {
            Some(path) => {
                fs::write(path, bytes).map_err(|why| CommandFailure::unwritable(path, &why))?;
                out.print_sentence(&format!("{}: {}", path.display(), figure.title))?;
                out.print_sentence(&figure.caption)?;
            }
            None => {
                out.print_bytes(&bytes)?;
                print_note(&figure.caption);
            }
        }
        Ok(Exit::Fine)
    }
}
