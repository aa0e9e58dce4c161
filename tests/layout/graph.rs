//! The graph of imports: circles of files, and modules as text.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use crate::source::File;

/// Files that reach each other by imports, each set once and in order (Tarjan's algorithm).
pub fn circles(files: &[File]) -> Vec<Vec<usize>> {
    let mut search = Search { files, seen: vec![None; files.len()], ..Search::default() };
    for file in 0..files.len() {
        if search.seen[file].is_none() {
            search.visit(file);
        }
    }
    search.found
}

#[derive(Default)]
struct Search<'a> {
    files: &'a [File],
    /// When it was first seen.
    seen: Vec<Option<usize>>,
    count: usize,
    open: Vec<usize>,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    /// The earliest of the open files that can be reached from here.
    fn visit(&mut self, file: usize) -> usize {
        let begun = self.count;
        let mut earliest = begun;
        self.seen[file] = Some(begun);
        self.count += 1;
        self.open.push(file);
        for &other in &self.files[file].imports {
            match self.seen[other] {
                None => earliest = earliest.min(self.visit(other)),
                Some(seen) if self.open.contains(&other) => earliest = earliest.min(seen),
                Some(_) => {}
            }
        }
        if earliest == begun {
            let from = self.open.iter().position(|open| *open == file).unwrap();
            let mut circle = self.open.split_off(from);
            circle.sort_unstable();
            self.found.push(circle);
        }
        earliest
    }
}

/// A line for each file of a circle: how many others of it import it, and those it imports itself.
pub fn imports_within(files: &[File], circle: &[usize]) -> String {
    let mut text = format!("\ncircle of {}:\n", circle.len());
    for &file in circle {
        let importers = circle.iter().filter(|&&it| files[it].imports.contains(&file)).count();
        let imported = files[file].imports.iter().filter(|it| circle.contains(it));
        let paths: Vec<&str> = imported.map(|&it| files[it].path.as_str()).collect();
        let _ = writeln!(text, "{importers:>3} {} -> {}", files[file].path, paths.join(" "));
    }
    text
}

/// The folders that files have in common, or the modules they are spread over: `views`, `session + views`.
pub fn name_of<'a>(paths: impl Iterator<Item = &'a str>) -> String {
    let paths: Vec<Vec<&str>> = paths.map(|path| path.split('/').collect()).collect();
    let mut common = paths[0][..paths[0].len() - 1].to_vec();
    for path in &paths {
        let same = common.iter().zip(path).take_while(|(a, b)| a == b).count();
        common.truncate(same);
    }
    if common.is_empty() {
        let tops: BTreeSet<_> = paths.iter().map(|path| path[0].trim_end_matches(".rs")).collect();
        return Vec::from_iter(tops).join(" + ");
    }
    common.join("::")
}

/// A line for each module: those it imports, in the order of the layers.
pub fn of_modules(files: &[File], order: &[&str]) -> String {
    let mut imported: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in files {
        let known = imported.entry(file.layer()).or_default();
        let others = file.imports.iter().map(|&other| files[other].layer());
        known.extend(others.filter(|other| *other != file.layer()));
    }
    let mut text = String::new();
    for layer in order {
        let Some(others) = imported.get(layer) else { continue };
        let others: Vec<_> =
            order.iter().filter(|other| others.contains(*other)).copied().collect();
        let line = format!("{layer:<8} -> {}", others.join(" "));
        let _ = writeln!(text, "{}", line.trim_end_matches(" ").trim_end_matches(" ->").trim_end());
    }
    text
}
