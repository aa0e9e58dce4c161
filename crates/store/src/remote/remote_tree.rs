//! Files and folders of a list of keys, by their paths below the listed folder. Without I/O.

use std::{collections::BTreeMap, ops::Bound, time::SystemTime};

/// The metadata of an object in its store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RemoteObject {
    pub size: u64,
    /// The version of the object: its ETag without quotation marks. None where the server has none.
    pub version: Option<String>,
    pub modified: Option<SystemTime>,
}

impl RemoteObject {
    /// Returns whether it is still what it was.
    pub(crate) fn is_same_as(&self, then: &Self) -> bool {
        self.size == then.size
            && match (&self.version, &then.version) {
                (Some(now), Some(then)) => now == then,
                // A list of the web may have less than an answer.
                _ => match (self.modified, then.modified) {
                    (Some(now), Some(then)) => now == then,
                    _ => true,
                },
            }
    }
}

/// The type of a path.
#[derive(Debug, PartialEq, Eq)]
pub enum RemoteNode<'a> {
    File(&'a RemoteObject),
    Folder,
}

/// The objects below a place.
#[derive(Debug, Default)]
pub struct RemoteTree {
    objects: BTreeMap<String, RemoteObject>,
}

impl RemoteTree {
    /// Adds an object by its path below the place; one without a name is the mark of the place itself.
    pub(crate) fn add_object(&mut self, below: &str, object: RemoteObject) {
        if !below.is_empty() {
            self.objects.insert(below.to_owned(), object);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Returns the node at a path; the place itself is a folder. A key may be file and folder at once: then it is the
    /// folder where the object is empty, which is how some tools mark folders, and else the file.
    pub fn node_at(&self, path: &str) -> Option<RemoteNode<'_>> {
        if path.is_empty() {
            return Some(RemoteNode::Folder);
        }
        match self.objects.get(path) {
            Some(object) if object.size > 0 || !self.has_below(path) => {
                Some(RemoteNode::File(object))
            }
            Some(_) => Some(RemoteNode::Folder),
            None => self.has_below(path).then_some(RemoteNode::Folder),
        }
    }

    fn has_below(&self, path: &str) -> bool {
        let start = format!("{path}/");
        self.objects.range(start.clone()..).next().is_some_and(|(key, _)| key.starts_with(&start))
    }

    /// Returns the names directly below a folder, in their order.
    pub(crate) fn entry_names(&self, folder: &str) -> Vec<String> {
        let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let mut names = vec![];
        let mut from = Bound::Included(start.clone());
        while let Some((key, _)) = self.objects.range((from, Bound::Unbounded)).next() {
            let Some(rest) = key.strip_prefix(&start) else { break };
            let name = rest.split('/').next().unwrap_or(rest);
            // Everything below the name comes before the character after the slash.
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

    /// Returns the objects below a folder, by their paths below it.
    pub(crate) fn objects_below(&self, folder: &str) -> Vec<(&str, &RemoteObject)> {
        let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let all = self.objects.range(start.clone()..);
        let all = all.map_while(|(key, object)| Some((key.strip_prefix(&start)?, object)));
        all.filter(|(below, _)| !below.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test_tree(keys: &[(&str, u64)]) -> RemoteTree {
        let mut tree = RemoteTree::default();
        for (key, size) in keys {
            tree.add_object(key, RemoteObject { size: *size, ..RemoteObject::default() });
        }
        tree
    }

    #[test]
    fn folders_are_what_keys_have_before_their_slashes() {
        let tree = test_tree(&[("a/b/c", 1), ("a/d", 2), ("a.jsonl", 3), ("a0", 4), ("", 0)]);

        assert_eq!(tree.entry_names(""), ["a", "a.jsonl", "a0"]);
        assert_eq!(tree.entry_names("a"), ["b", "d"]);
        assert_eq!(tree.entry_names("a/b"), ["c"]);
        assert_eq!(tree.entry_names("a/d"), [""; 0]);
        assert_eq!(tree.node_at("a/b"), Some(RemoteNode::Folder));
        assert_eq!(tree.node_at(""), Some(RemoteNode::Folder));
        assert!(matches!(
            tree.node_at("a/d"),
            Some(RemoteNode::File(RemoteObject { size: 2, .. }))
        ));
        assert_eq!((tree.node_at("b"), tree.node_at("a/b/"), tree.objects.len()), (None, None, 4));
        let below: Vec<&str> = tree.objects_below("a").into_iter().map(|(key, _)| key).collect();
        assert_eq!(below, ["b/c", "d"]);
    }

    #[test]
    fn a_key_that_is_file_and_folder_is_the_file_unless_it_is_empty() {
        let tree = test_tree(&[("mark", 0), ("mark/a", 1), ("log", 5), ("log/a", 1)]);

        assert_eq!(tree.node_at("mark"), Some(RemoteNode::Folder));
        assert!(matches!(tree.node_at("log"), Some(RemoteNode::File(_))));
        assert_eq!(tree.entry_names(""), ["log", "mark"]);
    }
}
