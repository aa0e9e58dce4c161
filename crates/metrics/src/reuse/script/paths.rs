//! Resolves the path of an import to a file of the project.

use std::collections::HashMap;

/// The numbers of files, keyed by path.
#[derive(Debug, Default)]
pub struct ProjectPaths<'a>(HashMap<&'a str, usize>);

/// The suffixes, in the order in which they are tried.
const SUFFIXES: [&str; 9] = ["ts", "tsx", "js", "jsx", "mts", "mjs", "cts", "cjs", "d.ts"];

/// TypeScript files that are imported by the name of their output: the suffix in the import, and those of the source.
const BECOMES: [(&str, &[&str]); 4] =
    [("js", &["ts", "tsx"]), ("jsx", &["tsx"]), ("mjs", &["mts"]), ("cjs", &["cts"])];

impl<'a> ProjectPaths<'a> {
    /// Collects the paths and numbers of files.
    pub fn new(files: impl Iterator<Item = (&'a str, usize)>) -> Self {
        Self(files.collect())
    }

    /// Returns the file that `./x` means in the file at `path`; None for an import that is no path, and for a file
    /// that does not exist.
    pub(crate) fn find_import(&self, path: &str, from: &str) -> Option<usize> {
        let is_path = ["./", "../"].iter().any(|start| from.starts_with(start));
        if !is_path && from != "." && from != ".." {
            return None;
        }
        let from = from.split(['?', '#']).next().unwrap_or(from);
        let at = joined_path(path, from)?;
        let has = |path: &str| self.0.get(path).copied();
        let with_end = |start: &str| SUFFIXES.iter().find_map(|end| has(&format!("{start}.{end}")));
        let index = if at.is_empty() { "index".to_owned() } else { format!("{at}/index") };
        let is_folder = from.ends_with('/') || from.ends_with('.') || at.is_empty();
        let file = if is_folder { None } else { has(&at).or_else(|| find_source_of(&at, &has)) };
        let ended = if is_folder { None } else { with_end(&at) };
        file.or(ended).or_else(|| with_end(&index))
    }
}

fn find_source_of(at: &str, has: &impl Fn(&str) -> Option<usize>) -> Option<usize> {
    let (start, end) = at.rsplit_once('.')?;
    let (_, ends) = BECOMES.iter().find(|(becomes, _)| *becomes == end)?;
    ends.iter().find_map(|end| has(&format!("{start}.{end}")))
}

/// Resolves a path relative to another file; None where it leaves the project.
fn joined_path(path: &str, from: &str) -> Option<String> {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in from.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_finds_its_file_as_bundlers_and_node_do() {
        let files = ["a.ts", "lib/index.js", "lib/b.tsx", "lib/c.js", "lib/c/index.ts", "d.mts"];
        let paths = ProjectPaths::new(files.iter().copied().zip(0..));
        let found = |path: &str, from: &str| paths.find_import(path, from).map(|at| files[at]);

        for (path, from, file) in [
            ("main.js", "./a", Some("a.ts")),
            ("main.js", "./a.js", Some("a.ts")),
            ("main.js", "./d.mjs", Some("d.mts")),
            ("main.js", "./lib", Some("lib/index.js")),
            ("main.js", "./lib/", Some("lib/index.js")),
            ("lib/b.tsx", ".", Some("lib/index.js")),
            ("lib/b.tsx", "..", None),
            ("lib/b.tsx", "../a", Some("a.ts")),
            ("lib/b.tsx", "./c", Some("lib/c.js")),
            ("lib/b.tsx", "./c/", Some("lib/c/index.ts")),
            ("lib/b.tsx", "./b.js?raw", Some("lib/b.tsx")),
            ("lib/b.tsx", "../../a", None),
            ("main.js", "a", None),
            ("main.js", "./none", None),
        ] {
            assert_eq!(found(path, from), file, "{path} {from}");
        }
    }
}
