//! The words of a part of a run, each once, on their way into the index.

use trajview_run::lookup::words::each_word;

/// Marks before the words of names that a filter looks for; no word contains them.
pub(crate) const TOOL_MARK: &str = "\u{a7}t";
pub(crate) const EDITED_MARK: &str = "\u{a7}e";
/// The mark of a failed step.
pub(crate) const FAILED_MARK: &str = "\u{a7}f";

/// The words so far, each once, with blanks between.
#[derive(Debug)]
pub struct GatheredWords {
    words: String,
    /// The start and length of each word, at the place of its hash or after it; a length of 0 marks a free place.
    table: Vec<(u32, u32)>,
    count: usize,
}

const FIRST_CAPACITY: usize = 1 << 12;

impl Default for GatheredWords {
    fn default() -> Self {
        Self { words: String::new(), table: vec![(0, 0); FIRST_CAPACITY], count: 0 }
    }
}

impl GatheredWords {
    /// Adds the words of a text, each with `before` in front.
    pub fn add_text(&mut self, before: &str, text: &str) {
        if before.is_empty() {
            return each_word(text, &mut |word| self.add_word(word));
        }
        each_word(text, &mut |word| self.add_word(&format!("{before}{word}")));
    }

    pub fn add_word(&mut self, word: &str) {
        let mask = self.table.len() - 1;
        let mut at = hash_word(word.as_bytes()) as usize & mask;
        loop {
            let (start, len) = self.table[at];
            if len == 0 {
                break;
            }
            let word_there = self.words.as_bytes().get(start as usize..(start + len) as usize);
            if word_there == Some(word.as_bytes()) {
                return;
            }
            at = (at + 1) & mask;
        }
        // A part has some hundred kilobytes of text: nothing near what 32 bits count.
        self.table[at] = (self.words.len() as u32, word.len() as u32);
        self.words.push_str(word);
        self.words.push(' ');
        self.count += 1;
        if self.count * 2 > self.table.len() {
            self.grow_table();
        }
    }

    /// Returns the collected words, each once and followed by a blank, and clears the collection.
    pub(crate) fn take_words(&mut self) -> String {
        self.table.fill((0, 0));
        self.count = 0;
        std::mem::take(&mut self.words)
    }

    fn grow_table(&mut self) {
        let mut table = vec![(0, 0); self.table.len() * 2];
        let mask = table.len() - 1;
        for &(start, len) in self.table.iter().filter(|(_, len)| *len > 0) {
            let word = &self.words.as_bytes()[start as usize..(start + len) as usize];
            let mut at = hash_word(word) as usize & mask;
            while table[at].1 > 0 {
                at = (at + 1) & mask;
            }
            table[at] = (start, len);
        }
        self.table = table;
    }
}

/// Hashes eight bytes at a time by multiplication, which is good enough for a table. The bits that the last
/// multiplication mixed best are on top.
fn hash_word(bytes: &[u8]) -> u64 {
    let step =
        |hash: u64, next: u64| (hash.rotate_left(5) ^ next).wrapping_mul(0x517c_c1b7_2722_0a95);
    let (chunks, rest) = bytes.as_chunks::<8>();
    let hash = chunks
        .iter()
        .fold(bytes.len() as u64, |hash, chunk| step(hash, u64::from_le_bytes(*chunk)));
    rest.iter().fold(hash, |hash, byte| step(hash, u64::from(*byte))) >> 20
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_kept_once_however_many_there_are() {
        let mut gathered = GatheredWords::default();
        for _ in 0..2 {
            (0..20_000).for_each(|number| gathered.add_text("", &format!("word{number} Same")));
        }
        gathered.add_text(TOOL_MARK, "mcp__find");

        let words = gathered.take_words();
        let mut all: Vec<&str> = words.split_whitespace().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();

        assert_eq!((count, all.len()), (20_003, 20_003));
        assert!(all.contains(&"\u{a7}tfind") && all.contains(&"same"));
        gathered.add_text("", "same");
        assert_eq!(gathered.take_words(), "same ");
    }
}
