//! Names of files that may be logs.

use std::path::Path;

const LOG_ENDINGS: [&str; 12] = [
    ".jsonl",
    ".jsonl.zst",
    ".jsonl.zstd",
    ".json",
    ".stdout",
    ".traj",
    ".chat.history.md",
    ".jsonl.gz",
    ".json.gz",
    ".yaml",
    ".yml",
    "run_instance.log",
];

/// Returns whether a file may be a log, by its name.
pub fn could_be_log(path: &Path) -> bool {
    let name = name_of(path);
    LOG_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || name.ends_with(".md") && is_specstory_history(path)
}

/// Returns whether a document lies where SpecStory puts its own: most documents are not logs.
fn is_specstory_history(path: &Path) -> bool {
    let mut folders = path.ancestors().skip(1).map(name_of);
    (folders.next(), folders.next()) == (Some("history"), Some(".specstory"))
}

/// Returns the name of a log without its endings.
pub fn log_stem(path: &Path) -> &str {
    let name = name_of(path).trim_end_matches(".zstd").trim_end_matches(".zst");
    name.trim_end_matches(".jsonl")
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}
