//! From what an import says to a file of the project.

use std::collections::HashMap;

/// Files by their paths.
#[derive(Debug, Default)]
pub struct Paths<'a>(HashMap<&'a str, usize>);

/// In the order they are tried.
const ENDS: [&str; 9] = ["ts", "tsx", "js", "jsx", "mts", "mjs", "cts", "cjs", "d.ts"];

/// What TypeScript calls by the name of what it becomes.
const BECOMES: [(&str, &[&str]); 4] =
    [("js", &["ts", "tsx"]), ("jsx", &["tsx"]), ("mjs", &["mts"]), ("cjs", &["cts"])];

impl<'a> Paths<'a> {
    pub fn of(files: impl Iterator<Item = (&'a str, usize)>) -> Self {
        Self(files.collect())
    }

    /// The file that `./x` means in the file at `path`; None of what is no path, and of what is not there.
    pub fn find(&self, path: &str, from: &str) -> Option<usize> {
        let is_path = ["./", "../"].iter().any(|start| from.starts_with(start));
        if !is_path && from != "." && from != ".." {
            return None;
        }
        let from = from.split(['?', '#']).next().unwrap_or(from);
        let at = joined(path, from)?;
        let has = |path: &str| self.0.get(path).copied();
        let with_end = |start: &str| ENDS.iter().find_map(|end| has(&format!("{start}.{end}")));
        let index = if at.is_empty() { "index".to_owned() } else { format!("{at}/index") };
        let is_folder = from.ends_with('/') || from.ends_with('.') || at.is_empty();
        let file = if is_folder { None } else { has(&at).or_else(|| renamed(&at, &has)) };
        let ended = if is_folder { None } else { with_end(&at) };
        file.or(ended).or_else(|| with_end(&index))
    }
}

fn renamed(at: &str, has: &impl Fn(&str) -> Option<usize>) -> Option<usize> {
    let (start, end) = at.rsplit_once('.')?;
    let (_, ends) = BECOMES.iter().find(|(becomes, _)| *becomes == end)?;
    ends.iter().find_map(|end| has(&format!("{start}.{end}")))
}

/// A path beside another; None where it climbs out of the project.
fn joined(path: &str, from: &str) -> Option<String> {
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
        let paths = Paths::of(files.iter().copied().zip(0..));
        let found = |path: &str, from: &str| paths.find(path, from).map(|at| files[at]);

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
