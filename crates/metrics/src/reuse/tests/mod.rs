//! Tests on small projects, each with the complete expected list.

mod properties;
mod python;
#[cfg(feature = "rust")]
mod rust;
#[cfg(all(feature = "javascript", feature = "typescript"))]
mod script;

use super::*;

/// A project as `(path, text)`.
type ProjectFiles<'a> = &'a [(&'a str, &'a str)];

fn reuse_of(project: ProjectFiles<'_>) -> Reuse {
    reuse_of_files(project.iter().map(|(path, text)| (*path, text.as_bytes())))
}

/// Returns P as lines `path name: users`, with paths without their suffixes.
fn symbol_lines(project: ProjectFiles<'_>) -> Vec<String> {
    let stem = |path: &str| path.rsplit_once('.').map_or(path, |(stem, _)| stem).to_owned();
    let line = |symbol: &ReuseSymbol| {
        let users: Vec<String> = symbol.reused_by.iter().map(|path| stem(path)).collect();
        format!("{} {}: {}", stem(&symbol.path), symbol.name, users.join(" ")).trim_end().to_owned()
    };
    reuse_of(project).symbols.iter().map(line).collect()
}

/// Returns every file with its role.
fn file_roles(project: ProjectFiles<'_>) -> Vec<(String, FileRole)> {
    reuse_of(project).modules.into_iter().map(|module| (module.path, module.role)).collect()
}
