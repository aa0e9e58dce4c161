//! What a list of keys says: files and folders, by their paths below what was listed. Pure.

use std::{collections::BTreeMap, ops::Bound, time::SystemTime};

/// An object as its store says it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Object {
    pub size: u64,
    /// By which it is known that it is the same: its ETag without quotation marks. None where the server tells none.
    pub version: Option<String>,
    pub modified: Option<SystemTime>,
}

impl Object {
    /// Whether it is still what it was.
    pub fn is_same_as(&self, then: &Self) -> bool {
        self.size == then.size
            && match (&self.version, &then.version) {
                (Some(now), Some(then)) => now == then,
                // A list of the web may tell less than an answer does.
                _ => match (self.modified, then.modified) {
                    (Some(now), Some(then)) => now == then,
                    _ => true,
                },
            }
    }
}

/// What stands at a path.
#[derive(Debug, PartialEq, Eq)]
pub enum Node<'a> {
    File(&'a Object),
    Folder,
}

/// The objects below a place.
#[derive(Debug, Default)]
pub struct Tree {
    objects: BTreeMap<String, Object>,
}

impl Tree {
    /// Adds an object by its path below the place; one without a name is the mark of the place itself.
    pub fn add(&mut self, below: &str, object: Object) {
        if !below.is_empty() {
            self.objects.insert(below.to_owned(), object);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// What stands at a path; the place itself is a folder. A key may be file and folder at once: then it is the folder where
    /// the object is empty, which is how some tools mark folders, and else the file.
    pub fn at(&self, path: &str) -> Option<Node<'_>> {
        if path.is_empty() {
            return Some(Node::Folder);
        }
        match self.objects.get(path) {
            Some(object) if object.size > 0 || !self.has_below(path) => Some(Node::File(object)),
            Some(_) => Some(Node::Folder),
            None => self.has_below(path).then_some(Node::Folder),
        }
    }

    fn has_below(&self, path: &str) -> bool {
        let start = format!("{path}/");
        self.objects.range(start.clone()..).next().is_some_and(|(key, _)| key.starts_with(&start))
    }

    /// The names that stand directly below a folder, in their order.
    pub fn entries(&self, folder: &str) -> Vec<String> {
        let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let mut names = vec![];
        let mut from = Bound::Included(start.clone());
        while let Some((key, _)) = self.objects.range((from, Bound::Unbounded)).next() {
            let Some(rest) = key.strip_prefix(&start) else { break };
            let name = rest.split('/').next().unwrap_or(rest);
            // All that stands below the name comes before the character after the slash.
            from = match name.len() == rest.len() {
                true => Bound::Excluded(key.clone()),
                false => Bound::Included(format!("{start}{name}0")),
            };
            names.push(name.to_owned());
        }
        names.sort();
        names.dedup();
        names
    }

    /// The objects below a folder, by their paths below it.
    pub fn below(&self, folder: &str) -> Vec<(&str, &Object)> {
        let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let all = self.objects.range(start.clone()..);
        let all = all.map_while(|(key, object)| Some((key.strip_prefix(&start)?, object)));
        all.filter(|(below, _)| !below.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(keys: &[(&str, u64)]) -> Tree {
        let mut tree = Tree::default();
        for (key, size) in keys {
            tree.add(key, Object { size: *size, ..Object::default() });
        }
        tree
    }

    #[test]
    fn folders_are_what_keys_have_before_their_slashes() {
        let tree = tree(&[("a/b/c", 1), ("a/d", 2), ("a.jsonl", 3), ("a0", 4), ("", 0)]);

        assert_eq!(tree.entries(""), ["a", "a.jsonl", "a0"]);
        assert_eq!(tree.entries("a"), ["b", "d"]);
        assert_eq!(tree.entries("a/b"), ["c"]);
        assert_eq!(tree.entries("a/d"), [""; 0]);
        assert_eq!(tree.at("a/b"), Some(Node::Folder));
        assert_eq!(tree.at(""), Some(Node::Folder));
        assert!(matches!(tree.at("a/d"), Some(Node::File(Object { size: 2, .. }))));
        assert_eq!((tree.at("b"), tree.at("a/b/"), tree.objects.len()), (None, None, 4));
        let below: Vec<&str> = tree.below("a").into_iter().map(|(key, _)| key).collect();
        assert_eq!(below, ["b/c", "d"]);
    }

    #[test]
    fn a_key_that_is_file_and_folder_is_the_file_unless_it_is_empty() {
        let tree = tree(&[("mark", 0), ("mark/a", 1), ("log", 5), ("log/a", 1)]);

        assert_eq!(tree.at("mark"), Some(Node::Folder));
        assert!(matches!(tree.at("log"), Some(Node::File(_))));
        assert_eq!(tree.entries(""), ["log", "mark"]);
    }
}
