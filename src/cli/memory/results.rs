//! Results of PaperGuru and SurveyBench as tables against baselines, with what does not add up.
//!
//! [`json_results`] reads the files, [`result_grid`] is a table of them with its means and its checks. The first system is the one that is
//! looked at; the others are baselines.

mod json_results;
mod markdown_results;
mod result_grid;

use std::{
    io,
    path::{Path, PathBuf},
};

use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::{CommandFailure, output::Out};
use trajview_formats::not_finite;

use super::MemoryArgs;
use result_grid::ResultGrid;

/// The contents of result files.
#[derive(Serialize)]
pub struct MemoryResults {
    schema: &'static str,
    tables: Vec<ResultTable>,
    /// Values of the files that differ from those computed from their own parts.
    does_not_add_up: Vec<String>,
    #[serde(skip)]
    grids: Vec<ResultGrid>,
}

/// A table in JSON.
#[derive(Serialize)]
struct ResultTable {
    name: String,
    /// The kind of the rows.
    row: String,
    rows: Vec<Value>,
    /// The count of each system, its mean, and the mean over the rows that every system has. Null if a mean is
    /// meaningless.
    systems: Vec<Value>,
}

/// Bytes of a result file that are read.
const MOST_BYTES: u64 = 16 << 20;

/// Entries of a folder that are looked at.
const MOST_FILES: usize = 2_000;

/// Reads result files. None if the first file is not a result. The others have to be results too.
pub fn read_results(paths: &[PathBuf]) -> Result<Option<MemoryResults>, CommandFailure> {
    let mut grids: Vec<(ResultGrid, String)> = vec![];
    let mut trouble = vec![];
    for (at, path) in paths.iter().enumerate() {
        let Some(read) = read_file(path) else {
            let what = "is not a known result of PaperGuru or SurveyBench";
            return match at {
                0 => Ok(None),
                _ => Err(CommandFailure::cannot_understand(format!("{}: {what}", path.display()))),
            };
        };
        trouble.extend(read.trouble);
        let file = file_name(path);
        for grid in read.grids {
            match grids.iter_mut().find(|other| other.0.can_join(&grid)) {
                Some((other, _)) => other.join_columns(grid, &file),
                None => grids.push((grid, file.clone())),
            }
        }
    }
    let grids = with_distinct_names(grids);
    trouble.extend(grids.iter().flat_map(ResultGrid::inconsistencies));
    let tables = grids.iter().map(ResultTable::new).collect();
    let schema = "trajview.memory-results/1";
    Ok(Some(MemoryResults { schema, tables, does_not_add_up: trouble, grids }))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Tables with the files that they come from, so that no two have one name: those on other scales are called by their scale,
/// others by their file, and by a number where that is the same too.
fn with_distinct_names(grids: Vec<(ResultGrid, String)>) -> Vec<ResultGrid> {
    let names: Vec<String> = grids.iter().map(|(grid, _)| grid.name.clone()).collect();
    let scales: Vec<Option<String>> = grids.iter().map(|(grid, _)| grid.scale_text()).collect();
    let mut used_names: Vec<String> = vec![];
    let mut apart = vec![];
    for (at, (mut grid, file)) in grids.into_iter().enumerate() {
        let mut others =
            (0..names.len()).filter(|other| *other != at && names[*other] == names[at]);
        if others.clone().next().is_some() {
            let by_scale = others.all(|other| scales[other] != scales[at]);
            let distinction = scales[at].clone().filter(|_| by_scale).unwrap_or(file);
            grid.name = format!("{} ({distinction})", grid.name);
        }
        let name = grid.name.clone();
        let mut number = 1;
        while used_names.contains(&grid.name) {
            number += 1;
            grid.name = format!("{name} ({number})");
        }
        used_names.push(grid.name.clone());
        apart.push(grid);
    }
    apart
}

/// Returns the result files right below a folder, in the order of their names.
fn result_files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.take(MOST_FILES).map(|entry| entry.path()).collect();
    paths.retain(|path| read_file(path).is_some());
    paths.sort();
    paths
}

/// Reads the result files directly in a folder. None if there are none.
pub fn read_folder(folder: &Path) -> Result<Option<MemoryResults>, CommandFailure> {
    let paths = if folder.is_dir() { result_files_in(folder) } else { vec![] };
    if paths.is_empty() { Ok(None) } else { read_results(&paths) }
}

fn read_file(path: &Path) -> Option<json_results::ReadGrids> {
    let meta = std::fs::metadata(path).ok().filter(|it| it.is_file() && it.len() <= MOST_BYTES)?;
    let end = path.extension()?.to_str()?;
    if meta.len() == 0 || !matches!(end, "json" | "md") {
        return None;
    }
    let text = String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned();
    let name = path.file_stem()?.to_string_lossy().into_owned();
    match end {
        "md" => markdown_results::grids_of_markdown(&text),
        _ => json_results::grids_of_document(
            &serde_json::from_str(&not_finite::readable_json(&text)).ok()?,
            &name,
        ),
    }
}

impl ResultTable {
    fn new(grid: &ResultGrid) -> Self {
        let row = |(name, values): &(String, Vec<Option<result_grid::RoundedNumber>>)| {
            let values = grid.systems.iter().zip(values);
            let values: serde_json::Map<String, Value> = values
                .map(|(system, value)| (system.clone(), json!(value.map(|it| it.value))))
                .collect();
            json!({"name": name, "values": values})
        };
        let system = |(at, name): (usize, &String)| {
            let mean = |of: Option<f64>| of.filter(|_| grid.has_means);
            json!({"system": name, "n": grid.values_of(at).len(), "mean": mean(result_grid::mean_of(&grid.values_of(at))),
                "n_shared": grid.shared_values_of(at).len(), "mean_shared": mean(result_grid::mean_of(&grid.shared_values_of(at))),
                "stated_mean": grid.stated.iter().find(|it| it.system == at).map(|it| it.figure.value)})
        };
        Self {
            name: grid.name.clone(),
            row: grid.row.clone(),
            rows: grid.rows.iter().map(row).collect(),
            systems: grid.systems.iter().enumerate().map(system).collect(),
        }
    }
}

impl MemoryResults {
    pub(crate) fn print_results(&self, args: &MemoryArgs, out: &mut Out) -> io::Result<()> {
        if args.json {
            return out.print_json(self);
        }
        if args.csv {
            let rows = self.grids.iter().flat_map(|grid| {
                grid.cells().map(move |(row, system, figure)| {
                    json!({"table": grid.name, "row": row, "system": system, "value": figure.value})
                })
            });
            return out.print_csv("table row system value", rows);
        }
        for grid in &self.grids {
            out.print_line(&grid.name)?;
            grid.to_table().write_table(args.md, out)?;
            out.print_line("")?;
        }
        if self.does_not_add_up.is_empty() {
            return out.print_line("no inconsistencies found");
        }
        self.does_not_add_up
            .iter()
            .try_for_each(|it| out.print_line(&format!("inconsistent: {it}")))
    }
}
