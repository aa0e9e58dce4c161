//! Results of PaperGuru and SurveyBench as tables against baselines, with what does not add up.
//!
//! [`forms`] reads the files, [`grid`] is a table of them with its means and its checks. The first system is the one that is
//! looked at; the others are baselines.

mod forms;
mod grid;
mod tables;

use std::{
    io,
    path::{Path, PathBuf},
};

use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::{Failure, output::Out};
use trajview_formats::not_finite;

use super::Args;
use grid::Grid;

/// What result files say.
#[derive(Serialize)]
pub struct Results {
    schema: &'static str,
    tables: Vec<Shown>,
    /// What the files give and what their own parts do not come to.
    does_not_add_up: Vec<String>,
    #[serde(skip)]
    grids: Vec<Grid>,
}

/// A table in JSON.
#[derive(Serialize)]
struct Shown {
    name: String,
    /// What a row is.
    row: String,
    rows: Vec<Value>,
    /// A system's count, its mean, and the mean of what every system has; null where a mean says nothing.
    systems: Vec<Value>,
}

/// Bytes of a result file that are read.
const MOST_BYTES: u64 = 16 << 20;

/// Entries of a folder that are looked at.
const MOST_FILES: usize = 2_000;

/// None where the first file is no result; the others must be some too.
pub fn read(paths: &[PathBuf]) -> Result<Option<Results>, Failure> {
    let mut grids: Vec<(Grid, String)> = vec![];
    let mut trouble = vec![];
    for (at, path) in paths.iter().enumerate() {
        let Some(read) = read_one(path) else {
            let what = "is no result of PaperGuru or SurveyBench that we know";
            return match at {
                0 => Ok(None),
                _ => Err(Failure::not_understood(format!("{}: {what}", path.display()))),
            };
        };
        trouble.extend(read.trouble);
        let file = file_name(path);
        for grid in read.grids {
            match grids.iter_mut().find(|known| known.0.fits(&grid)) {
                Some((known, _)) => known.join(grid, &file),
                None => grids.push((grid, file.clone())),
            }
        }
    }
    let grids = told_apart(grids);
    trouble.extend(grids.iter().flat_map(Grid::trouble));
    let tables = grids.iter().map(Shown::of).collect();
    let schema = "trajview.memory-results/1";
    Ok(Some(Results { schema, tables, does_not_add_up: trouble, grids }))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Tables with the files that they come from, so that no two have one name: those on other scales are called by their scale,
/// others by their file, and by a number where that is the same too.
fn told_apart(grids: Vec<(Grid, String)>) -> Vec<Grid> {
    let names: Vec<String> = grids.iter().map(|(grid, _)| grid.name.clone()).collect();
    let scales: Vec<Option<String>> = grids.iter().map(|(grid, _)| grid.scaled()).collect();
    let mut given: Vec<String> = vec![];
    let mut apart = vec![];
    for (at, (mut grid, file)) in grids.into_iter().enumerate() {
        let mut others =
            (0..names.len()).filter(|other| *other != at && names[*other] == names[at]);
        if others.clone().next().is_some() {
            let by_scale = others.all(|other| scales[other] != scales[at]);
            let told = scales[at].clone().filter(|_| by_scale).unwrap_or(file);
            grid.name = format!("{} ({told})", grid.name);
        }
        let name = grid.name.clone();
        let mut number = 1;
        while given.contains(&grid.name) {
            number += 1;
            grid.name = format!("{name} ({number})");
        }
        given.push(grid.name.clone());
        apart.push(grid);
    }
    apart
}

/// The result files right below a folder, in the order of their names.
fn results_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.take(MOST_FILES).map(|entry| entry.path()).collect();
    paths.retain(|path| read_one(path).is_some());
    paths.sort();
    paths
}

/// What the result files right below a folder say; None where there are none.
pub fn read_folder(folder: &Path) -> Result<Option<Results>, Failure> {
    let paths = if folder.is_dir() { results_in(folder) } else { vec![] };
    if paths.is_empty() { Ok(None) } else { read(&paths) }
}

fn read_one(path: &Path) -> Option<forms::Read> {
    let meta = std::fs::metadata(path).ok().filter(|it| it.is_file() && it.len() <= MOST_BYTES)?;
    let end = path.extension()?.to_str()?;
    if meta.len() == 0 || !matches!(end, "json" | "md") {
        return None;
    }
    let text = String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned();
    let name = path.file_stem()?.to_string_lossy().into_owned();
    match end {
        "md" => tables::of(&text),
        _ => forms::of(&serde_json::from_str(&not_finite::readable(&text)).ok()?, &name),
    }
}

impl Shown {
    fn of(grid: &Grid) -> Self {
        let row = |(name, values): &(String, Vec<Option<grid::Figure>>)| {
            let values = grid.systems.iter().zip(values);
            let values: serde_json::Map<String, Value> = values
                .map(|(system, value)| (system.clone(), json!(value.map(|it| it.value))))
                .collect();
            json!({"name": name, "values": values})
        };
        let system = |(at, name): (usize, &String)| {
            let mean = |of: Option<f64>| of.filter(|_| grid.has_means);
            json!({"system": name, "n": grid.own(at).len(), "mean": mean(grid::mean(&grid.own(at))),
                "n_shared": grid.shared(at).len(), "mean_shared": mean(grid::mean(&grid.shared(at))),
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

impl Results {
    pub fn print(&self, args: &Args, out: &mut Out) -> io::Result<()> {
        if args.json {
            return out.json(self);
        }
        if args.csv {
            let rows = self.grids.iter().flat_map(|grid| {
                grid.cells().map(move |(row, system, figure)| {
                    json!({"table": grid.name, "row": row, "system": system, "value": figure.value})
                })
            });
            return out.csv("table row system value", rows);
        }
        for grid in &self.grids {
            out.line(&grid.name)?;
            grid.table().write(args.md, out)?;
            out.line("")?;
        }
        if self.does_not_add_up.is_empty() {
            return out.line("all that can be checked adds up");
        }
        self.does_not_add_up.iter().try_for_each(|it| out.line(&format!("does not add up: {it}")))
    }
}
