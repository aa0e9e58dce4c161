//! The interface that is common to all files that contain other files.

use std::{collections::HashMap, io, path::PathBuf, sync::OnceLock};

/// The members of one file.
pub trait Members: Send + Sync {
    /// Returns the paths below the file, `/` between folders, in the order in which they are listed.
    fn names(&self) -> &MemberNames;

    /// Returns whether each of them is a run; else they are files like those of a folder.
    fn are_runs(&self) -> bool;

    /// Returns whether it has a session with that id, as a run of its own or within one.
    fn has_session(&self, _id: &str) -> bool {
        false
    }

    /// Returns the commits of a member by its position; None where the file is no repository.
    fn joined_commits(&self, _at: usize) -> Option<JoinedCommits> {
        None
    }

    /// Returns the content of one by its position, no more than `most` bytes of it, and a sentence where that is not
    /// all.
    fn read(&self, at: usize, most: u64) -> io::Result<(Vec<u8>, Option<String>)>;
}

/// The commits that hold what an agent did in a run.
pub struct JoinedCommits {
    /// The folder of the repository.
    pub repository: PathBuf,
    /// The size of the log in bytes when each commit was made, in order; empty where the log names the commits itself.
    pub commits: Vec<(u64, String)>,
}

/// The most members that are listed.
pub const MOST_MEMBERS: usize = 1_000_000;

/// The names of members: paths, or what rows call themselves; none twice.
#[derive(Default)]
pub struct MemberNames {
    all: Vec<String>,
    at: HashMap<String, usize>,
    folders: OnceLock<HashMap<String, Vec<String>>>,
}

impl MemberNames {
    /// Makes the names of files from their paths.
    pub fn from_paths(all: Vec<String>) -> Self {
        let at = (0..).zip(&all).map(|(at, name)| (name.clone(), at)).collect();
        Self { all, at, folders: OnceLock::new() }
    }

    /// Adds a row by its own name, in which a `/` is replaced.
    pub fn add_row(&mut self, id: Option<&str>) {
        let row = self.all.len();
        let plain = |id: &str| {
            let letter = |letter: char| match letter {
                '/' => '_',
                letter if letter.is_control() => '_',
                letter => letter,
            };
            let short: String = id.chars().take(120).map(letter).collect();
            short.trim_matches(['.', ' ']).to_owned()
        };
        let name = id.map(plain).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| format!("row-{}", row + 1));
        let name = match self.at.contains_key(&name) {
            true => format!("{name}@{}", row + 1),
            false => name,
        };
        self.at.insert(name.clone(), row);
        self.all.push(name);
    }

    pub fn all_names(&self) -> &[String] {
        &self.all
    }

    pub fn position(&self, name: &str) -> Option<usize> {
        self.at.get(name).copied()
    }

    /// Returns the names directly in a folder, in their order, where the names are paths; an empty `folder` is the file
    /// itself. None where no name leads through it. All folders are indexed at once, since each is requested for all
    /// that is in it.
    pub(crate) fn folder_entries(&self, folder: &str) -> Option<&[String]> {
        self.folders.get_or_init(|| folder_index(&self.all)).get(folder).map(Vec::as_slice)
    }
}

/// The most folders above a name; deeper files are none of a recording, and their names would fill the memory.
const MOST_DEEP: usize = 64;

fn folder_index(names: &[String]) -> HashMap<String, Vec<String>> {
    let mut folders: HashMap<String, Vec<String>> = HashMap::new();
    for name in names.iter().filter(|name| name.split('/').count() <= MOST_DEEP) {
        let mut path = name.as_str();
        loop {
            let (folder, entry) = path.rsplit_once('/').unwrap_or(("", path));
            let is_new = !folders.contains_key(folder);
            if !entry.is_empty() {
                folders.entry(folder.to_owned()).or_default().push(entry.to_owned());
            }
            // Else what is above has it already.
            if folder.is_empty() || !is_new {
                break;
            }
            path = folder;
        }
    }
    for entries in folders.values_mut() {
        entries.sort();
        entries.dedup();
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_what_stands_directly_in_it_once() {
        let paths = ["a/b/1", "a/b/2", "a/c", "d", "a.b", "a/b"];
        let names = MemberNames::from_paths(paths.map(str::to_owned).to_vec());

        assert_eq!(names.folder_entries("").unwrap(), ["a", "a.b", "d"]);
        assert_eq!(names.folder_entries("a").unwrap(), ["b", "c"]);
        assert_eq!(names.folder_entries("a/b").unwrap(), ["1", "2"]);
        assert_eq!((names.folder_entries("d"), names.folder_entries("e")), (None, None));
    }
}
