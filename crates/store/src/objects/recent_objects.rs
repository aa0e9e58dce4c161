//! The objects of packs that were unpacked last: the next one is likely to be a delta of one of them.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use super::GitObject;

/// The most bytes of a generation. When the young one is full it becomes the old one, whose objects are dropped unless
/// they were used since.
const MOST_BYTES: usize = 16 << 20;

/// The most bytes of one object; bigger objects are not kept.
const MOST_OF_ONE: usize = 2 << 20;

/// The number of the pack, and the offset in it.
type PackOffset = (usize, u64);

#[derive(Debug, Default)]
pub struct RecentObjects(Mutex<Generations>);

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<PackOffset, GitObject>,
    bytes: usize,
    old: HashMap<PackOffset, GitObject>,
}

impl RecentObjects {
    pub fn get(&self, key: PackOffset) -> Option<GitObject> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(object) = all.young.get(&key) {
            return Some(object.clone());
        }
        let object = all.old.remove(&key)?;
        all.put(key, object.clone());
        Some(object)
    }

    pub fn put(&self, key: PackOffset, object: &GitObject) {
        if object.bytes.len() <= MOST_OF_ONE {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.put(key, object.clone());
        }
    }
}

impl Generations {
    fn put(&mut self, key: PackOffset, object: GitObject) {
        /// The memory of a small object beside its bytes.
        const EACH: usize = 200;
        self.bytes += object.bytes.len() + EACH;
        if self.bytes > MOST_BYTES {
            self.bytes = object.bytes.len() + EACH;
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, object);
    }
}
