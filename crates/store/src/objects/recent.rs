//! The objects of packs that were unpacked last: the next one is likely to be a delta of one of them.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use super::Object;

/// Bytes of a generation. When the young one is full it becomes the old one, whose objects are let go of unless they
/// were wanted since.
const MOST_BYTES: usize = 16 << 20;

/// Bigger objects are not kept.
const MOST_OF_ONE: usize = 2 << 20;

/// Which pack, and where in it.
type Key = (usize, u64);

#[derive(Debug, Default)]
pub struct Recent(Mutex<Generations>);

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<Key, Object>,
    bytes: usize,
    old: HashMap<Key, Object>,
}

impl Recent {
    pub fn get(&self, key: Key) -> Option<Object> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(object) = all.young.get(&key) {
            return Some(object.clone());
        }
        let object = all.old.remove(&key)?;
        all.put(key, object.clone());
        Some(object)
    }

    pub fn put(&self, key: Key, object: &Object) {
        if object.bytes.len() <= MOST_OF_ONE {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.put(key, object.clone());
        }
    }
}

impl Generations {
    fn put(&mut self, key: Key, object: Object) {
        /// What a small object costs beside its bytes.
        const EACH: usize = 200;
        self.bytes += object.bytes.len() + EACH;
        if self.bytes > MOST_BYTES {
            self.bytes = object.bytes.len() + EACH;
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, object);
    }
}
