//! Sets of a grammar's kinds.

/// A set of kinds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KindSet {
    words: Vec<u64>,
}

impl KindSet {
    pub(crate) fn from_kinds(kinds: impl IntoIterator<Item = u16>) -> Self {
        let mut set = Self::default();
        kinds.into_iter().for_each(|kind| set.add_kind(kind));
        set
    }

    fn add_kind(&mut self, kind: u16) {
        let word = usize::from(kind) / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (kind % 64);
    }

    pub fn has_kind(&self, kind: u16) -> bool {
        self.words.get(usize::from(kind) / 64).is_some_and(|word| word & (1 << (kind % 64)) != 0)
    }

    pub(crate) fn union_with(mut self, other: &Self) -> Self {
        other.iter_kinds().for_each(|kind| self.add_kind(kind));
        self
    }

    pub(crate) fn intersection_with(&self, other: &Self) -> Self {
        Self::from_kinds(self.iter_kinds().filter(|kind| other.has_kind(*kind)))
    }

    /// Returns whether the two sets share a kind.
    pub(crate) fn overlaps_with(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(one, two)| one & two != 0)
    }

    /// Returns the kinds in ascending order.
    pub(crate) fn iter_kinds(&self) -> impl Iterator<Item = u16> + '_ {
        let last = u16::try_from(self.words.len() * 64).unwrap_or(u16::MAX);
        (0..last).filter(|kind| self.has_kind(*kind))
    }

    /// Returns the kind of a set with exactly one kind.
    pub(crate) fn only_kind(&self) -> Option<u16> {
        if self.words.iter().map(|word| word.count_ones()).sum::<u32>() != 1 {
            return None;
        }
        let (place, word) = (0_u16..).zip(&self.words).find(|(_, word)| **word != 0)?;
        Some(place * 64 + word.trailing_zeros() as u16)
    }
}
