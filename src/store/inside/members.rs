//! What a file that holds others says of them, whatever it is.

use std::{collections::HashMap, io, path::PathBuf};

/// What stands in one file.
pub trait Members: Send + Sync {
    /// Paths below the file, `/` between folders, in the order in which they are listed.
    fn names(&self) -> &Names;

    /// Whether each of them is a run; else they are files like those of a folder.
    fn are_runs(&self) -> bool;

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
}

impl Names {
    /// Of files.
    pub fn of_paths(all: Vec<String>) -> Self {
        let at = (0..).zip(&all).map(|(at, name)| (name.clone(), at)).collect();
        Self { all, at }
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
}
