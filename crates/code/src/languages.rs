//! The language of a file, by its name or by its first line.
//!
//! One row a language. The names are those of two-face's syntax set, so that [`highlight`](super::highlight) finds the
//! syntax by them. A language that has no row here still has colours where that set knows its extension; give it a
//! row when something else needs to know it, or when the set guesses wrong.

/// The marks by which a language is recognised.
#[derive(Debug, PartialEq, Eq)]
pub struct FileLanguage {
    /// The name of its syntax in two-face.
    pub name: &'static str,
    /// Extensions of its files, after the last dot, in lower case.
    pub extensions: &'static [&'static str],
    /// Whole file names.
    pub files: &'static [&'static str],
    /// Programs named in a `#!` line, without their version.
    pub interpreters: &'static [&'static str],
}

/// Every language that has a row, by name.
#[rustfmt::skip]
pub(crate) static LANGUAGES: &[FileLanguage] = &[
    language_row("Bourne Again Shell (bash)", &["sh", "bash", "zsh"], &[".bashrc", ".profile", ".zshrc"], &["sh", "bash", "zsh", "dash", "ksh"]),
    language_row("C", &["c"], &[], &[]),
    language_row("C#", &["cs"], &[], &[]),
    language_row("C++", &["cpp", "cc", "cxx", "c++", "h", "hpp", "hh", "hxx", "cu", "cuh"], &[], &[]),
    language_row("CMake", &["cmake"], &["CMakeLists.txt"], &[]),
    language_row("CSS", &["css"], &[], &[]),
    language_row("Dart", &["dart"], &[], &[]),
    language_row("Diff", &["diff", "patch"], &[], &[]),
    language_row("Dockerfile", &["dockerfile"], &["Dockerfile", "Containerfile"], &[]),
    language_row("Elixir", &["ex", "exs"], &[], &["elixir"]),
    language_row("Git Ignore", &[], &[".gitignore", ".dockerignore", ".ignore"], &[]),
    language_row("Go", &["go"], &[], &[]),
    language_row("HTML", &["html", "htm"], &[], &[]),
    language_row("Haskell", &["hs"], &[], &["runhaskell"]),
    language_row("INI", &["ini", "cfg"], &[".editorconfig", ".flake8"], &[]),
    language_row("JSON", &["json", "jsonl", "ndjson", "ipynb", "webmanifest"], &["composer.lock", ".prettierrc"], &[]),
    language_row("Java", &["java"], &[], &[]),
    language_row("JavaScript (Babel)", &["js", "mjs", "cjs", "jsx"], &[], &["node", "bun"]),
    language_row("Julia", &["jl"], &[], &["julia"]),
    language_row("Kotlin", &["kt", "kts"], &[], &[]),
    language_row("LaTeX", &["tex"], &[], &[]),
    language_row("Lua", &["lua"], &[], &["lua"]),
    language_row("Makefile", &["mk"], &["Makefile", "makefile", "GNUmakefile"], &["make"]),
    language_row("Markdown", &["md", "markdown"], &[], &[]),
    language_row("OCaml", &["ml", "mli"], &[], &["ocaml"]),
    language_row("PHP", &["php"], &[], &["php"]),
    language_row("Perl", &["pl", "pm"], &[], &["perl"]),
    language_row("Protocol Buffer", &["proto"], &[], &[]),
    language_row("Python", &["py", "pyi", "pyw"], &["SConstruct"], &["python", "pypy", "uv"]),
    language_row("R", &["r"], &[".Rprofile"], &["Rscript"]),
    language_row("Requirements.txt", &[], &["requirements.txt", "requirements-dev.txt"], &[]),
    language_row("Ruby", &["rb"], &["Gemfile", "Rakefile"], &["ruby"]),
    language_row("Rust", &["rs"], &[], &[]),
    language_row("SCSS", &["scss"], &[], &[]),
    language_row("SQL", &["sql"], &[], &[]),
    language_row("Scala", &["scala", "sbt"], &[], &["scala"]),
    language_row("Svelte", &["svelte"], &[], &[]),
    language_row("Swift", &["swift"], &[], &["swift"]),
    language_row("TOML", &["toml"], &["Cargo.lock", "poetry.lock", "uv.lock", "Pipfile"], &[]),
    language_row("Terraform", &["tf", "tfvars", "hcl"], &[], &[]),
    language_row("TypeScript", &["ts", "mts", "cts"], &[], &["deno", "tsx", "ts-node"]),
    language_row("TypeScriptReact", &["tsx"], &[], &[]),
    language_row("Vue Component", &["vue"], &[], &[]),
    language_row("XML", &["xml", "svg", "xsd"], &[], &[]),
    language_row("YAML", &["yaml", "yml"], &[".clang-format"], &[]),
    language_row("Zig", &["zig"], &[], &[]),
];

const fn language_row(
    name: &'static str,
    extensions: &'static [&'static str],
    files: &'static [&'static str],
    interpreters: &'static [&'static str],
) -> FileLanguage {
    FileLanguage { name, extensions, files, interpreters }
}

/// Returns the language of a file; the `#!` of `first_line` decides where the name does not. None where no row fits.
pub(crate) fn language_of_file(path: &str, first_line: &str) -> Option<&'static FileLanguage> {
    by_name(path).or_else(|| by_interpreter(first_line))
}

fn by_name(path: &str) -> Option<&'static FileLanguage> {
    let name = file_name(path);
    let whole = LANGUAGES.iter().find(|language| language.files.contains(&name));
    whole.or_else(|| {
        let extension = file_extension(path)?.to_ascii_lowercase();
        LANGUAGES.iter().find(|language| language.extensions.contains(&extension.as_str()))
    })
}

fn by_interpreter(first_line: &str) -> Option<&'static FileLanguage> {
    let command = first_line.strip_prefix("#!")?;
    let mut words = command.split_whitespace().map(file_name);
    let is_argument = |word: &&str| *word == "env" || word.starts_with('-') || word.contains('=');
    let program = words.find(|word| !is_argument(word))?;
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    LANGUAGES.iter().find(|language| language.interpreters.contains(&program))
}

/// Returns the last part of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the part after the last dot of the name; None for `Makefile` and `.gitignore`.
pub(super) fn file_extension(path: &str) -> Option<&str> {
    let (stem, extension) = file_name(path).rsplit_once('.')?;
    (!stem.is_empty()).then_some(extension)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn language_name(path: &str, first_line: &str) -> Option<&'static str> {
        language_of_file(path, first_line).map(|language| language.name)
    }

    #[test]
    fn no_extension_file_or_interpreter_stands_in_two_rows() {
        for words in [
            |language: &FileLanguage| language.extensions,
            |language: &FileLanguage| language.files,
            |language: &FileLanguage| language.interpreters,
        ] {
            let all: Vec<_> = LANGUAGES.iter().flat_map(words).collect();
            assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
        }
        assert!(LANGUAGES.is_sorted_by_key(|language| language.name));
    }

    #[test]
    fn a_file_is_known_by_its_extension_or_its_whole_name() {
        assert_eq!(language_name("src/a.test.TS", ""), Some("TypeScript"));
        assert_eq!(language_name("deep/Dockerfile", ""), Some("Dockerfile"));
        assert_eq!(language_name("Cargo.lock", ""), Some("TOML"));
        assert_eq!(language_name("LICENSE", ""), None);
        assert_eq!(language_name(".py", ""), None);
    }

    #[test]
    fn a_file_without_a_telling_name_is_known_by_its_interpreter() {
        assert_eq!(language_name("bin/run", "#!/usr/bin/env python3.12"), Some("Python"));
        assert_eq!(language_name("bin/run", "#! /bin/bash -e"), Some("Bourne Again Shell (bash)"));
        assert_eq!(
            language_name("run", "#!/usr/bin/env -S A=1 node --flag"),
            Some("JavaScript (Babel)")
        );
        assert_eq!(language_name("run", "#!"), None);
    }
}
