//! Finds out in one pass which of many files are parts of which run.
//!
//! Thousands of logs may be side by side. To compare each with each takes minutes; so a file declares once what it
//! belongs to ([`Format::belongs_to`]) and a recording once by which names its parts call it
//! ([`Format::names_in_parts`]), and the two are brought together by name.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::{FileHead, Format};

/// The recording that a file belongs to, as the file itself declares it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum BelongsTo {
    /// The file is a recording of its own.
    #[default]
    Itself,
    /// The file is a part of a recording and names none: it belongs to any recording that is near.
    Any,
    /// The file is a part of the recordings with one of these names.
    Named(Vec<String>),
}

impl BelongsTo {
    /// Returns whether the file is a part of a recording that has one of these names.
    pub fn is_part_of(&self, names: &HashSet<String>) -> bool {
        match self {
            Self::Itself => false,
            Self::Any => true,
            Self::Named(wanted) => wanted.iter().any(|name| names.contains(name)),
        }
    }
}

/// The files of one place by the recording that they belong to, as one format reads them. A file is given by its position.
#[derive(Debug, Default)]
pub struct CompanionFiles {
    any: Vec<usize>,
    by_name: HashMap<String, Vec<usize>>,
}

impl CompanionFiles {
    pub fn add_file(&mut self, file: usize, belongs_to: BelongsTo) {
        match belongs_to {
            BelongsTo::Itself => {}
            BelongsTo::Any => self.any.push(file),
            BelongsTo::Named(names) => {
                names.into_iter().for_each(|name| self.by_name.entry(name).or_default().push(file));
            }
        }
    }

    /// Returns the parts of a recording with these names, in the order of their positions.
    pub fn parts_of(&self, names: &HashSet<String>) -> BTreeSet<usize> {
        let named = names.iter().filter_map(|name| self.by_name.get(name)).flatten();
        named.chain(&self.any).copied().collect()
    }
}

/// Returns the recordings among files that formats claim: those that are parts of no other of them.
pub fn main_files(
    files: &[(&'static dyn Format, BelongsTo)],
    names: impl Fn(usize) -> HashSet<String>,
) -> Vec<usize> {
    let formats: HashSet<&str> = files
        .iter()
        .filter(|(_, belongs_to)| matches!(belongs_to, BelongsTo::Named(_)))
        .map(|(format, _)| format.name())
        .collect();
    // How many files there are of a format, and how many that are called so.
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut named: HashMap<(&str, String), usize> = HashMap::new();
    let mut own: HashMap<usize, HashSet<String>> = HashMap::new();
    for (at, (format, _)) in files.iter().enumerate() {
        *counts.entry(format.name()).or_default() += 1;
        if formats.contains(format.name()) {
            let names = names(at);
            for name in &names {
                *named.entry((format.name(), name.clone())).or_default() += 1;
            }
            own.insert(at, names);
        }
    }
    let is_part = |at: usize| match &files[at] {
        (_, BelongsTo::Itself) => false,
        (format, BelongsTo::Any) => counts.get(format.name()).is_some_and(|count| *count > 1),
        (format, BelongsTo::Named(wanted)) => wanted.iter().any(|name| {
            let count = named.get(&(format.name(), name.clone())).copied().unwrap_or_default();
            let is_own = own.get(&at).is_some_and(|names| names.contains(name));
            count > usize::from(is_own)
        }),
    };
    (0..files.len()).filter(|at| !is_part(*at)).collect()
}

/// Finds the recordings as [`main_files`] does, among files whose heads are at hand. Returns their positions and formats.
pub fn main_files_among<'h>(
    claimed: &[(usize, &'static dyn Format)],
    head_of: impl Fn(usize) -> FileHead<'h>,
) -> Vec<(usize, &'static dyn Format)> {
    let belongs =
        |(at, format): &(usize, &'static dyn Format)| (*format, format.belongs_to(&head_of(*at)));
    let files: Vec<_> = claimed.iter().map(belongs).collect();
    let names = |at: usize| {
        let (file, format) = claimed[at];
        format.names_in_parts(&head_of(file))
    };
    main_files(&files, names).into_iter().map(|at| claimed[at]).collect()
}

/// Returns for each of these formats which recordings the files belong to.
pub fn companions_by_format<'h>(
    formats: impl IntoIterator<Item = &'static dyn Format>,
    files: &[usize],
    head_of: impl Fn(usize) -> FileHead<'h>,
) -> HashMap<&'static str, CompanionFiles> {
    let mut all: HashMap<&'static str, CompanionFiles> = HashMap::new();
    for format in formats {
        all.entry(format.name()).or_insert_with(|| {
            let mut companions = CompanionFiles::default();
            files.iter().for_each(|at| companions.add_file(*at, format.belongs_to(&head_of(*at))));
            companions
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::format_for_head;

    /// Returns a log of Claude Code or of Codex: what it calls itself, what it is a part of, and whether it is.
    fn any_log() -> impl Strategy<Value = String> {
        let ids = || prop::sample::select(vec!["A", "B", "agent-a1", ""]);
        (any::<bool>(), any::<bool>(), ids(), ids()).prop_map(|(is_codex, is_part, own, of)| {
            match is_codex {
                true => {
                    let source = if is_part { "{\"subagent\":\"review\"}" } else { "\"exec\"" };
                    format!(
                        "{{\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"type\":\"session_meta\",\"payload\":{{\"id\":\
                         \"{own}\",\"forked_from_id\":\"{of}\",\"cwd\":\"/w\",\"cli_version\":\"0.150.0\",\
                         \"originator\":\"codex\",\"source\":{source}}}}}\n"
                    )
                }
                false => format!(
                    "{{\"type\":\"user\",\"uuid\":\"u\",\"isSidechain\":{is_part},\"sessionId\":\"s{own}\",\"agentId\":\
                     \"a1\",\"message\":{{\"role\":\"user\",\"content\":\"do it\"}}}}\n"
                ),
            }
        })
    }

    proptest! {
        #[test]
        fn whatever_the_logs_those_that_are_parts_of_no_other_are_the_recordings(
            logs in proptest::collection::vec(any_log(), 0..8),
        ) {
            let head_of =
                |at: usize| FileHead { name: "a.jsonl", bytes: logs[at].as_bytes(), is_whole: true };
            let claimed: Vec<(usize, &'static dyn Format)> =
                (0..logs.len()).filter_map(|at| Some((at, format_for_head(&head_of(at))?))).collect();
            let is_part = |at: usize, format: &dyn Format| {
                claimed.iter().any(|(main, of)| {
                    *main != at
                        && of.name() == format.name()
                        && of.is_companion(&head_of(*main), &head_of(at))
                })
            };

            let mains: Vec<usize> =
                main_files_among(&claimed, head_of).into_iter().map(|(at, _)| at).collect();

            let pairwise = claimed.iter().filter(|(at, format)| !is_part(*at, *format));
            let pairwise: Vec<usize> = pairwise.map(|(at, _)| *at).collect();
            prop_assert_eq!(mains, pairwise);
        }
    }
}
