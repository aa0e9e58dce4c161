//! The words of a part of a run, each once, on their way into the index.

use trajview_run::lookup::words::each_word;

/// Stand before the words of names that are looked for by a filter; no word has them in it.
pub const TOOL: &str = "\u{a7}t";
pub const EDITED: &str = "\u{a7}e";
/// Stands where a step failed.
pub const FAILED: &str = "\u{a7}f";

/// Words so far, each once, with blanks between.
#[derive(Debug)]
pub struct Gathered {
    words: String,
    /// Where each word stands and how long it is, at the place of its hash or after it; a length of 0 is a free place.
    table: Vec<(u32, u32)>,
    count: usize,
}

const FEWEST: usize = 1 << 12;

impl Default for Gathered {
    fn default() -> Self {
        Self { words: String::new(), table: vec![(0, 0); FEWEST], count: 0 }
    }
}

impl Gathered {
    /// Adds the words of a text, each with `before` in front.
    pub fn add(&mut self, before: &str, text: &str) {
        if before.is_empty() {
            return each_word(text, &mut |word| self.add_word(word));
        }
        each_word(text, &mut |word| self.add_word(&format!("{before}{word}")));
    }

    pub fn add_word(&mut self, word: &str) {
        let mask = self.table.len() - 1;
        let mut at = hash(word.as_bytes()) as usize & mask;
        loop {
            let (start, len) = self.table[at];
            if len == 0 {
                break;
            }
            let held = self.words.as_bytes().get(start as usize..(start + len) as usize);
            if held == Some(word.as_bytes()) {
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
            self.grow();
        }
    }

    /// The words so far; begins anew.
    pub fn take(&mut self) -> String {
        self.table.fill((0, 0));
        self.count = 0;
        std::mem::take(&mut self.words)
    }

    fn grow(&mut self) {
        let mut table = vec![(0, 0); self.table.len() * 2];
        let mask = table.len() - 1;
        for &(start, len) in self.table.iter().filter(|(_, len)| *len > 0) {
            let word = &self.words.as_bytes()[start as usize..(start + len) as usize];
            let mut at = hash(word) as usize & mask;
            while table[at].1 > 0 {
                at = (at + 1) & mask;
            }
            table[at] = (start, len);
        }
        self.table = table;
    }
}

/// Eight bytes at a time, multiplied; as good as a table needs. What the last multiplication mixed best is on top.
fn hash(bytes: &[u8]) -> u64 {
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
        let mut gathered = Gathered::default();
        for _ in 0..2 {
            (0..20_000).for_each(|number| gathered.add("", &format!("word{number} Same")));
        }
        gathered.add(TOOL, "mcp__find");

        let words = gathered.take();
        let mut all: Vec<&str> = words.split_whitespace().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();

        assert_eq!((count, all.len()), (20_003, 20_003));
        assert!(all.contains(&"\u{a7}tfind") && all.contains(&"same"));
        gathered.add("", "same");
        assert_eq!(gathered.take(), "same ");
    }
}
