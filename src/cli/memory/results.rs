//! Results of PaperGuru and SurveyBench as tables against baselines, with what does not add up.
//!
//! [`json_results`] reads the files, [`result_grid`] is a table of them with its means and its checks. The first system is the one that is
//! looked at; the others are baselines.

mod json_results;
mod markdown_results;
mod result_grid;

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use crate::cli::{
    CommandFailure,
    output::{Json, Out, record},
};
use trajview_formats::not_finite;

use super::MemoryArgs;
use result_grid::{ResultGrid, RoundedNumber, mean_of};

/// The tables of result files, and the values of the files that differ from those computed from their own parts.
pub struct MemoryResults {
    grids: Vec<ResultGrid>,
    does_not_add_up: Vec<String>,
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
    Ok(Some(MemoryResults { grids, does_not_add_up: trouble }))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Names tables with the files that they come from, so that no two have one name: those on other scales are called by
/// their scale, others by their file, and by a number where that is the same too.
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

/// Makes a table in JSON; `row` is the kind of its rows. `systems` have the count of each system, its mean, and the mean over
/// the rows that every system has; null if a mean is meaningless.
fn grid_record(grid: &ResultGrid) -> Json {
    let mean = |figures: &[RoundedNumber]| mean_of(figures).filter(|_| grid.has_means);
    record! {
        name: grid.name,
        row: grid.row,
        rows: Json::list(&grid.rows, |(name, values)| {
            let values = values.iter().map(|value| value.map(|it| it.value));
            record! {
                name: name,
                values: grid.systems.iter().zip(values).collect::<BTreeMap<_, _>>(),
            }
        }),
        systems: Json::list(grid.systems.iter().enumerate(), |(at, name)| {
            let (all, shared) = (grid.values_of(at), grid.shared_values_of(at));
            let stated = grid.stated.iter().find(|it| it.system == at);
            record! {
                mean: mean(&all),
                mean_shared: mean(&shared),
                n: all.len(),
                n_shared: shared.len(),
                stated_mean: stated.map(|it| it.figure.value),
                system: name,
            }
        }),
    }
}

impl MemoryResults {
    pub(crate) fn print_results(&self, args: &MemoryArgs, out: &mut Out) -> io::Result<()> {
        if args.json {
            return out.print_json(&record! {
                schema: "trajview.memory-results/1",
                tables: Json::list(&self.grids, grid_record),
                does_not_add_up: self.does_not_add_up,
            });
        }
        if args.csv {
            let rows = self.grids.iter().flat_map(|grid| {
                grid.cells().map(move |(row, system, figure)| {
                    record! { table: grid.name, row: row, system: system, value: figure.value }
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
