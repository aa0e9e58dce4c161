//! Which language a file is written in, by its name or by its first line.
//!
//! One row a language. The names are those of two-face's syntax set, so that [`highlight`](super::highlight) finds the
//! syntax by them. A language that has no row here still has colours where that set knows its extension; give it a
//! row when something else needs to know it, or when the set guesses wrong.

/// How a language is recognised.
#[derive(Debug, PartialEq, Eq)]
pub struct Language {
    /// As two-face names its syntax.
    pub name: &'static str,
    /// What follows the last dot of a file name, in lower case.
    pub extensions: &'static [&'static str],
    /// Whole file names.
    pub files: &'static [&'static str],
    /// Programs named in a `#!` line, without their version.
    pub interpreters: &'static [&'static str],
}

/// Every language that has a row, by name.
#[rustfmt::skip]
pub static LANGUAGES: &[Language] = &[
    row("Bourne Again Shell (bash)", &["sh", "bash", "zsh"], &[".bashrc", ".profile", ".zshrc"], &["sh", "bash", "zsh", "dash", "ksh"]),
    row("C", &["c"], &[], &[]),
    row("C#", &["cs"], &[], &[]),
    row("C++", &["cpp", "cc", "cxx", "c++", "h", "hpp", "hh", "hxx", "cu", "cuh"], &[], &[]),
    row("CMake", &["cmake"], &["CMakeLists.txt"], &[]),
    row("CSS", &["css"], &[], &[]),
    row("Dart", &["dart"], &[], &[]),
    row("Diff", &["diff", "patch"], &[], &[]),
    row("Dockerfile", &["dockerfile"], &["Dockerfile", "Containerfile"], &[]),
    row("Elixir", &["ex", "exs"], &[], &["elixir"]),
    row("Git Ignore", &[], &[".gitignore", ".dockerignore", ".ignore"], &[]),
    row("Go", &["go"], &[], &[]),
    row("HTML", &["html", "htm"], &[], &[]),
    row("Haskell", &["hs"], &[], &["runhaskell"]),
    row("INI", &["ini", "cfg"], &[".editorconfig", ".flake8"], &[]),
    row("JSON", &["json", "jsonl", "ndjson", "ipynb", "webmanifest"], &["composer.lock", ".prettierrc"], &[]),
    row("Java", &["java"], &[], &[]),
    row("JavaScript (Babel)", &["js", "mjs", "cjs", "jsx"], &[], &["node", "bun"]),
    row("Julia", &["jl"], &[], &["julia"]),
    row("Kotlin", &["kt", "kts"], &[], &[]),
    row("LaTeX", &["tex"], &[], &[]),
    row("Lua", &["lua"], &[], &["lua"]),
    row("Makefile", &["mk"], &["Makefile", "makefile", "GNUmakefile"], &["make"]),
    row("Markdown", &["md", "markdown"], &[], &[]),
    row("OCaml", &["ml", "mli"], &[], &["ocaml"]),
    row("PHP", &["php"], &[], &["php"]),
    row("Perl", &["pl", "pm"], &[], &["perl"]),
    row("Protocol Buffer", &["proto"], &[], &[]),
    row("Python", &["py", "pyi", "pyw"], &["SConstruct"], &["python", "pypy", "uv"]),
    row("R", &["r"], &[".Rprofile"], &["Rscript"]),
    row("Requirements.txt", &[], &["requirements.txt", "requirements-dev.txt"], &[]),
    row("Ruby", &["rb"], &["Gemfile", "Rakefile"], &["ruby"]),
    row("Rust", &["rs"], &[], &[]),
    row("SCSS", &["scss"], &[], &[]),
    row("SQL", &["sql"], &[], &[]),
    row("Scala", &["scala", "sbt"], &[], &["scala"]),
    row("Svelte", &["svelte"], &[], &[]),
    row("Swift", &["swift"], &[], &["swift"]),
    row("TOML", &["toml"], &["Cargo.lock", "poetry.lock", "uv.lock", "Pipfile"], &[]),
    row("Terraform", &["tf", "tfvars", "hcl"], &[], &[]),
    row("TypeScript", &["ts", "mts", "cts"], &[], &["deno", "tsx", "ts-node"]),
    row("TypeScriptReact", &["tsx"], &[], &[]),
    row("Vue Component", &["vue"], &[], &[]),
    row("XML", &["xml", "svg", "xsd"], &[], &[]),
    row("YAML", &["yaml", "yml"], &[".clang-format"], &[]),
    row("Zig", &["zig"], &[], &[]),
];

const fn row(
    name: &'static str,
    extensions: &'static [&'static str],
    files: &'static [&'static str],
    interpreters: &'static [&'static str],
) -> Language {
    Language { name, extensions, files, interpreters }
}

/// The language of a file; `first_line` is asked for its `#!` where the name says nothing. None where no row fits.
pub fn language(path: &str, first_line: &str) -> Option<&'static Language> {
    by_name(path).or_else(|| by_interpreter(first_line))
}

fn by_name(path: &str) -> Option<&'static Language> {
    let name = file_name(path);
    let whole = LANGUAGES.iter().find(|language| language.files.contains(&name));
    whole.or_else(|| {
        let extension = extension(path)?.to_ascii_lowercase();
        LANGUAGES.iter().find(|language| language.extensions.contains(&extension.as_str()))
    })
}

fn by_interpreter(first_line: &str) -> Option<&'static Language> {
    let command = first_line.strip_prefix("#!")?;
    let mut words = command.split_whitespace().map(file_name);
    let is_argument = |word: &&str| *word == "env" || word.starts_with('-') || word.contains('=');
    let program = words.find(|word| !is_argument(word))?;
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    LANGUAGES.iter().find(|language| language.interpreters.contains(&program))
}

/// The last part of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// What follows the last dot of the name; None for `Makefile` and `.gitignore`.
pub(super) fn extension(path: &str) -> Option<&str> {
    let (stem, extension) = file_name(path).rsplit_once('.')?;
    (!stem.is_empty()).then_some(extension)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn name(path: &str, first_line: &str) -> Option<&'static str> {
        language(path, first_line).map(|language| language.name)
    }

    #[test]
    fn no_extension_file_or_interpreter_stands_in_two_rows() {
        for words in [
            |language: &Language| language.extensions,
            |language: &Language| language.files,
            |language: &Language| language.interpreters,
        ] {
            let all: Vec<_> = LANGUAGES.iter().flat_map(words).collect();
            assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
        }
        assert!(LANGUAGES.is_sorted_by_key(|language| language.name));
    }

    #[test]
    fn a_file_is_known_by_its_extension_or_its_whole_name() {
        assert_eq!(name("src/a.test.TS", ""), Some("TypeScript"));
        assert_eq!(name("deep/Dockerfile", ""), Some("Dockerfile"));
        assert_eq!(name("Cargo.lock", ""), Some("TOML"));
        assert_eq!(name("LICENSE", ""), None);
        assert_eq!(name(".py", ""), None);
    }

    #[test]
    fn a_file_without_a_telling_name_is_known_by_its_interpreter() {
        assert_eq!(name("bin/run", "#!/usr/bin/env python3.12"), Some("Python"));
        assert_eq!(name("bin/run", "#! /bin/bash -e"), Some("Bourne Again Shell (bash)"));
        assert_eq!(name("run", "#!/usr/bin/env -S A=1 node --flag"), Some("JavaScript (Babel)"));
        assert_eq!(name("run", "#!"), None);
    }
}
