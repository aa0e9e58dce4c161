//! What a file that holds others says of them, whatever it is.

use std::{collections::HashMap, io, path::PathBuf, sync::OnceLock};

/// What stands in one file.
pub trait Members: Send + Sync {
    /// Paths below the file, `/` between folders, in the order in which they are listed.
    fn names(&self) -> &Names;

    /// Whether each of them is a run; else they are files like those of a folder.
    fn are_runs(&self) -> bool;

    /// Whether it has a session with that id, as a run of its own or within one.
    fn has_session(&self, _id: &str) -> bool {
        false
    }

    /// To which commits one by its position belongs; None where the file is no repository.
    fn joined(&self, _at: usize) -> Option<Joined> {
        None
    }

    /// The content of one by its position, no more than `most` bytes of it, and a sentence where that is not all.
    fn read(&self, at: usize, most: u64) -> io::Result<(Vec<u8>, Option<String>)>;
}

/// The commits that hold what an agent did in a run.
pub struct Joined {
    /// The folder of the repository.
    pub repository: PathBuf,
    /// How many bytes of the log were written when each was made, in order; empty where the log names them itself.
    pub commits: Vec<(u64, String)>,
}

/// More members than this are not listed.
pub const MOST_MEMBERS: usize = 1_000_000;

/// Under which a row says what it is called, best first: what tells runs apart.
pub const ROW_IDS: [&str; 7] =
    ["trajectory_id", "transcript_id", "session_id", "instance_id", "run_id", "uuid", "id"];

/// The names of members: paths, or what rows call themselves; none twice.
#[derive(Default)]
pub struct Names {
    all: Vec<String>,
    at: HashMap<String, usize>,
    folders: OnceLock<HashMap<String, Vec<String>>>,
}

impl Names {
    /// Of files.
    pub fn of_paths(all: Vec<String>) -> Self {
        let at = (0..).zip(&all).map(|(at, name)| (name.clone(), at)).collect();
        Self { all, at, folders: OnceLock::new() }
    }

    /// One more row, by what it calls itself: a `/` in it leads nowhere.
    pub fn add(&mut self, id: Option<&str>) {
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

    pub fn all(&self) -> &[String] {
        &self.all
    }

    pub fn position(&self, name: &str) -> Option<usize> {
        self.at.get(name).copied()
    }

    /// What stands directly in a folder, in the order of the names, where the names are paths; empty is the file itself.
    /// None where no name leads through it. All folders are made at once: each is asked about by all that is in it.
    pub fn entries(&self, folder: &str) -> Option<&[String]> {
        self.folders.get_or_init(|| folders(&self.all)).get(folder).map(Vec::as_slice)
    }
}

/// More folders than this above a name are none of a recording: the names of what is deeper would fill the memory.
const MOST_DEEP: usize = 64;

fn folders(names: &[String]) -> HashMap<String, Vec<String>> {
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
        let names = Names::of_paths(paths.map(str::to_owned).to_vec());

        assert_eq!(names.entries("").unwrap(), ["a", "a.b", "d"]);
        assert_eq!(names.entries("a").unwrap(), ["b", "c"]);
        assert_eq!(names.entries("a/b").unwrap(), ["1", "2"]);
        assert_eq!((names.entries("d"), names.entries("e")), (None, None));
    }
}
