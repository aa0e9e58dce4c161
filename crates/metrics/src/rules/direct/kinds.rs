//! Sets of a grammar's kinds.

/// A set of kinds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KindSet {
    words: Vec<u64>,
}

impl KindSet {
    pub fn of(kinds: impl IntoIterator<Item = u16>) -> Self {
        let mut set = Self::default();
        kinds.into_iter().for_each(|kind| set.add(kind));
        set
    }

    fn add(&mut self, kind: u16) {
        let word = usize::from(kind) / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (kind % 64);
    }

    pub fn has(&self, kind: u16) -> bool {
        self.words.get(usize::from(kind) / 64).is_some_and(|word| word & (1 << (kind % 64)) != 0)
    }

    pub fn or(mut self, other: &Self) -> Self {
        other.kinds().for_each(|kind| self.add(kind));
        self
    }

    pub fn and(&self, other: &Self) -> Self {
        Self::of(self.kinds().filter(|kind| other.has(*kind)))
    }

    /// Whether one kind is in both.
    pub fn meets(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(one, two)| one & two != 0)
    }

    /// In ascending order.
    pub fn kinds(&self) -> impl Iterator<Item = u16> + '_ {
        let last = u16::try_from(self.words.len() * 64).unwrap_or(u16::MAX);
        (0..last).filter(|kind| self.has(*kind))
    }

    /// The kind, where there is one alone.
    pub fn only(&self) -> Option<u16> {
        if self.words.iter().map(|word| word.count_ones()).sum::<u32>() != 1 {
            return None;
        }
        let (place, word) = (0_u16..).zip(&self.words).find(|(_, word)| **word != 0)?;
        Some(place * 64 + word.trailing_zeros() as u16)
    }
}
