//! Small projects, each with the whole list that is expected of it.

mod python;
#[cfg(feature = "rust")]
mod rust;
#[cfg(all(feature = "javascript", feature = "typescript"))]
mod script;
mod whatever;

use super::*;

/// A project as `(path, text)`.
type Project<'a> = &'a [(&'a str, &'a str)];

fn reuse(project: Project<'_>) -> Reuse {
    of(project.iter().map(|(path, text)| (*path, text.as_bytes())))
}

/// P as `path name: users`, users without their ends.
fn symbols(project: Project<'_>) -> Vec<String> {
    let stem = |path: &str| path.rsplit_once('.').map_or(path, |(stem, _)| stem).to_owned();
    let line = |symbol: &Symbol| {
        let users: Vec<String> = symbol.reused_by.iter().map(|path| stem(path)).collect();
        format!("{} {}: {}", stem(&symbol.path), symbol.name, users.join(" ")).trim_end().to_owned()
    };
    reuse(project).symbols.iter().map(line).collect()
}

/// Every file with its role.
fn roles(project: Project<'_>) -> Vec<(String, Role)> {
    reuse(project).modules.into_iter().map(|module| (module.path, module.role)).collect()
}
