//! A few answers kept at hand, the least recently used given up first.

use std::{cell::Cell, collections::HashMap, hash::Hash};

#[derive(Debug)]
pub struct LruCache<K, V> {
    kept: HashMap<K, CacheEntry<V>>,
    limit: usize,
    uses: Cell<u64>,
}

#[derive(Debug)]
struct CacheEntry<V> {
    value: V,
    last_use: Cell<u64>,
}

impl<K: Eq + Hash + Clone, V> LruCache<K, V> {
    /// Keeps at most `limit` values. A caller that wants more than that at once would ask for ever.
    pub(crate) fn with_limit(limit: usize) -> Self {
        Self { kept: HashMap::new(), limit, uses: Cell::default() }
    }

    pub fn get(&self, key: &K) -> Option<&V> {
        let entry = self.kept.get(key)?;
        entry.last_use.set(self.next_use());
        Some(&entry.value)
    }

    pub fn contains_key(&self, key: &K) -> bool {
        self.kept.contains_key(key)
    }

    pub fn insert(&mut self, key: K, value: V) {
        let last_use = Cell::new(self.next_use());
        self.kept.insert(key, CacheEntry { value, last_use });
        while self.kept.len() > self.limit {
            let oldest = self.kept.iter().min_by_key(|(_, entry)| entry.last_use.get());
            let Some(key) = oldest.map(|(key, _)| key.clone()) else { return };
            self.kept.remove(&key);
        }
    }

    pub fn retain(&mut self, is_kept: impl Fn(&K) -> bool) {
        self.kept.retain(|key, _| is_kept(key));
    }

    fn next_use(&self) -> u64 {
        self.uses.set(self.uses.get() + 1);
        self.uses.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let mut cache = LruCache::with_limit(2);
        cache.insert("a", 1);
        cache.insert("b", 2);
        cache.get(&"a");
        cache.insert("c", 3);

        assert!(cache.contains_key(&"a") && cache.contains_key(&"c") && !cache.contains_key(&"b"));
    }
}
