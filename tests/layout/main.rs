//! What the sources keep to and no manifest says, by their syntax trees, not by their text.
//!
//! That a crate names only those it depends on is the compiler's to see. Here it is held which crates may depend on which
//! at all, in which order the modules of `crates/tui` and `src` stand, and who may touch what is outside the program.
//! `TRAJVIEW_WRITE=1 cargo test --test layout` writes the graph of imports into `docs/architecture.md`.

mod graph;
mod source;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use source::Program;

/// What a module may have to do with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Pure: runs anywhere.
    Plain,
    /// Files, clocks, threads, processes, sockets. Must not know the screen.
    InputOutput,
    /// Knows what is shown. Must not touch what is outside the program.
    Screen,
    /// Brings the others together.
    Program,
}

/// The modules in their order: one may import those before it.
const LAYERS: [(&str, Kind); 17] = [
    ("figures", Kind::Plain),
    ("code", Kind::Plain),
    ("run", Kind::Plain),
    ("formats", Kind::Plain),
    ("metrics", Kind::Plain),
    ("study", Kind::Plain),
    ("layers", Kind::Plain),
    ("store", Kind::InputOutput),
    ("analysis", Kind::InputOutput),
    ("judge", Kind::InputOutput),
    ("live", Kind::InputOutput),
    ("widgets", Kind::Screen),
    ("session", Kind::Screen),
    ("views", Kind::Screen),
    ("shell", Kind::Screen),
    ("runtime", Kind::Program),
    ("cli", Kind::Program),
];

/// What only input and output and the program itself may name.
const OUTSIDE: [&str; 22] = [
    "crossbeam_channel",
    "crossterm",
    "git2",
    "jiff::Timestamp::now",
    "jiff::Zoned::now",
    "mimalloc",
    "notify",
    "object_store",
    "portable_pty",
    "ratatui::crossterm",
    "rusqlite",
    "rustix",
    "signal_hook",
    "std::env",
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "std::time::Instant::now",
    "std::time::SystemTime::now",
    "tokio",
    "ureq",
];

/// Those that are named in these files alone.
const AT_HOME: [(&str, &[&str]); 5] = [
    ("git2", &["store/"]),
    ("rusqlite", &["store/"]),
    ("object_store", &["store/remote/"]),
    ("tokio", &["store/remote/", "cli/mcp/"]),
    ("ureq", &["judge/", "store/remote/"]),
];

static PROGRAM: LazyLock<Program> = LazyLock::new(|| Program::read(&project("")));

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn place(layer: &str) -> Option<usize> {
    LAYERS.iter().position(|(name, _)| *name == layer)
}

fn kind(layer: &str) -> Option<Kind> {
    place(layer).map(|place| LAYERS[place].1)
}

fn may_import(layer: &str, other: &str) -> bool {
    let (Some(here), Some(there)) = (place(layer), place(other)) else {
        return false;
    };
    match (LAYERS[here].1, LAYERS[there].1) {
        _ if layer == other => true,
        // What is known does not know how it is drawn.
        _ if (layer, other) == ("session", "widgets") => false,
        (Kind::Screen, Kind::InputOutput) | (Kind::InputOutput, Kind::Screen) => false,
        _ => there < here,
    }
}

/// `std::fs` is named by `std::fs::read`, and not by `std::fsync`.
fn is_of(path: &str, name: &str) -> bool {
    path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn none(broken: Vec<String>) {
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn a_module_imports_only_what_stands_before_it() {
    none(wrong_imports(&PROGRAM));
}

/// Imports of a file by another that are not allowed.
fn wrong_imports(program: &Program) -> Vec<String> {
    let mut found = vec![];
    for file in program.files.iter().filter(|file| place(file.layer()).is_some()) {
        for other in file.imports.iter().map(|&other| &program.files[other]) {
            if !may_import(file.layer(), other.layer()) {
                found.push(format!("{} -> {}", file.path, other.path));
            }
        }
    }
    found
}

#[test]
fn views_do_not_import_each_other() {
    let mut broken = vec![];
    for file in &PROGRAM.files {
        let Some(view) = file.view() else { continue };
        let others = file.imports.iter().filter_map(|&other| PROGRAM.files[other].view());
        let others: BTreeSet<_> = others.filter(|other| *other != view).collect();
        broken.extend(others.iter().map(|other| format!("{} -> views/{other}", file.path)));
    }
    none(broken);
}

#[test]
fn files_clocks_threads_processes_and_the_terminal_are_named_in_few_modules() {
    let mut broken = vec![];
    for file in &PROGRAM.files {
        if !matches!(kind(file.layer()), Some(Kind::Plain | Kind::Screen)) {
            continue;
        }
        for path in &file.outside {
            if OUTSIDE.iter().any(|name| is_of(path, name)) {
                broken.push(format!("{} names {path}", file.path));
            }
        }
    }
    none(broken);
}

#[test]
fn git_the_cache_and_connections_are_named_where_they_belong() {
    let mut broken = vec![];
    for file in &PROGRAM.files {
        let is_away = |homes: &[&str]| !homes.iter().any(|home| file.path.starts_with(home));
        for (name, homes) in AT_HOME.iter().filter(|(_, homes)| is_away(homes)) {
            if file.outside.iter().any(|path| is_of(path, name)) {
                let homes = homes.join(" and ");
                broken.push(format!("{} names {name}, which belongs to {homes}", file.path));
            }
        }
    }
    none(broken);
}

#[test]
fn pure_modules_deny_the_same_to_clippy() {
    let denial = "deny(clippy::disallowed_methods,clippy::disallowed_types)";
    let mut broken = vec![];
    for (layer, kind) in LAYERS {
        let top = [format!("{layer}/mod.rs"), format!("{layer}.rs")];
        let top = PROGRAM.files.iter().find(|file| top.contains(&file.path));
        let Some(top) = top.filter(|_| matches!(kind, Kind::Plain | Kind::Screen)) else {
            continue;
        };
        if !top.attributes.iter().any(|attribute| attribute == denial) {
            broken.push(format!("{} lacks #![{denial}]", top.path));
        }
    }
    none(broken);
}

#[test]
fn every_module_is_in_the_list() {
    let known = |layer: &str| place(layer).is_some() || layer.ends_with(".rs");
    let unknown = PROGRAM.files.iter().map(|file| file.layer()).filter(|layer| !known(layer));
    let unknown: BTreeSet<_> = unknown.collect();
    none(unknown.iter().map(|layer| format!("{layer} is not in the list of layers")).collect());
}

/// Decimals are chosen where numbers are written, not where they are shown: one formatter for every number on screen.
#[test]
fn numbers_on_screen_are_written_by_the_formatter() {
    let shown = ["views", "shell", "session", "widgets", "runtime"];
    // A picture's coordinates are no numbers of a run.
    let is_shown = |path: &str| {
        shown.iter().any(|part| path.starts_with(&format!("{part}/")))
            && path != "widgets/export.rs"
    };
    let mut broken = vec![];
    for (path, text) in source::sources(&project("")).into_iter().filter(|(path, _)| is_shown(path))
    {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (line, number) in code.lines().zip(1..) {
            let is_comment = line.trim_start().starts_with("//");
            if !is_comment && chooses_decimals(line) {
                broken.push(format!("{path}:{number}: {}", line.trim()));
            }
        }
    }
    none(broken);
}

/// `{value:.3}`, `{:.1}`, `{it:>8.2}`.
fn chooses_decimals(line: &str) -> bool {
    line.split('{').skip(1).filter_map(|rest| rest.split('}').next()).any(|hole| {
        let spec = hole.split_once(':').map_or("", |(_, spec)| spec);
        spec.split_once('.').is_some_and(|(width, after)| {
            !width.contains(' ') && after.starts_with(|c: char| c.is_ascii_digit())
        })
    })
}

#[test]
fn a_chosen_number_of_decimals_is_seen() {
    assert!(["{value:.3}", "x {:.1} y", "{it:>8.2}"].into_iter().all(chooses_decimals));
    assert!(
        !["{value}", "{words:>12}", "a: {b}. 3", "{0:?}", "P { speed: 1.0 }"]
            .into_iter()
            .any(chooses_decimals)
    );
}

#[test]
fn the_graph_of_imports_in_the_docs_is_that_of_the_sources() {
    let page = project("docs/architecture.md");
    let (begin, end) = ("<!-- imports:begin -->\n", "<!-- imports:end -->");
    let text = fs::read_to_string(&page).expect("docs/architecture.md");
    let (before, rest) = text.split_once(begin).expect("the graph has a beginning in the page");
    let (_, after) = rest.split_once(end).expect("the graph has an end in the page");
    let order = LAYERS.map(|(name, _)| name);
    let graph = graph::of_modules(&PROGRAM.files, &order);
    let wanted = format!("{before}{begin}```text\n{graph}```\n{end}{after}");
    let may_write = std::env::var_os("TRAJVIEW_WRITE").is_some_and(|word| word == "1");
    if may_write && text != wanted {
        fs::write(&page, &wanted).unwrap();
        return;
    }
    assert!(text == wanted, "TRAJVIEW_WRITE=1 cargo test --test layout writes this:\n{graph}");
}

mod the_reader {
    use super::*;

    fn program(sources: &[(&str, &str)]) -> Program {
        Program::of(sources.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())))
    }

    fn imports<'a>(program: &'a Program, path: &str) -> Vec<&'a str> {
        let file = program.files.iter().find(|file| file.path == path).unwrap();
        file.imports.iter().map(|&other| &*program.files[other].path).collect()
    }

    #[test]
    fn sees_through_nested_lists_paths_in_code_and_climbing() {
        let program = program(&[
            (
                "views/deep/er.rs",
                "use trajview_run::{self as run, files::{A, B as C}}; use crate::shell::D; fn f() { super::super::g(); run::h() }",
            ),
            ("views/mod.rs", "pub fn g() {}"),
            ("run/files.rs", "pub struct A; pub struct B;"),
            ("run/mod.rs", "pub fn h() { crate::files::i() }"),
            ("shell/mod.rs", "pub struct D;"),
        ]);
        let all = ["views/mod.rs", "run/files.rs", "run/mod.rs", "shell/mod.rs"];
        assert_eq!(imports(&program, "views/deep/er.rs"), all);
        assert_eq!(imports(&program, "run/mod.rs"), ["run/files.rs"]);
        assert_eq!(wrong_imports(&program), ["views/deep/er.rs -> shell/mod.rs"]);
    }

    #[test]
    fn follows_a_re_export_to_the_file_that_defines_it() {
        let program = program(&[
            (
                "a.rs",
                "use crate::b::Deep; fn f() { crate::b::all(); vec![crate::b::Other::new()] }",
            ),
            ("b/c.rs", "pub struct Deep; pub fn all() {}"),
            ("b/d.rs", "pub struct Other;"),
            ("b/mod.rs", "mod c; pub mod d; pub use c::*; pub use self::d::Other;"),
        ]);
        assert_eq!(imports(&program, "a.rs"), ["b/c.rs", "b/d.rs"]);
        assert!(imports(&program, "b/mod.rs").is_empty(), "neither `mod` nor `pub use` imports");
    }

    #[test]
    fn leaves_out_what_is_for_tests_and_knows_paths_by_their_short_names() {
        let program = program(&[
            (
                "a.rs",
                "use std::{fs, time::Instant}; fn f() { fs::read(\"\"); Instant::now(); }\n#[cfg(test)] mod tests { use crate::b::B; }",
            ),
            ("b.rs", "pub struct B;"),
        ]);
        assert!(imports(&program, "a.rs").is_empty());
        let outside = &program.files[0].outside;
        assert!(outside.contains("std::fs::read") && outside.contains("std::time::Instant::now"));
    }
}
