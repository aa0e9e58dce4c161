//! How much of what was given was no longer true: a snippet that does not stand in its artifact.

use super::card::Card;
use crate::{layers::Project, run::RepoPath};

/// Cited places of files, and how many of them no longer held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stale {
    pub given: usize,
    pub stale: usize,
}

impl Stale {
    /// The share that no longer held, 0 to 1, lower is better; None where nothing of a file was given.
    pub fn rate(self) -> Option<f64> {
        (self.given > 0).then(|| self.stale as f64 / self.given as f64)
    }

    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { given: self.given + other.given, stale: self.stale + other.stale }
    }
}

/// Of the files that cards cite, with the project as it was before the request that they were given with. What a person asked
/// and decided is not counted: it has one version.
pub fn of(cards: &[Card], project: &Project) -> Stale {
    let mut counted = Stale::default();
    for span in cards.iter().flat_map(|card| &card.anchored_spans).filter(|it| it.span.is_some()) {
        let text = RepoPath::new(&span.artifact).and_then(|path| project.text(&path));
        counted.given += 1;
        counted.stale += usize::from(!text.is_some_and(|text| stands(&span.snippet, &text)));
    }
    counted
}

/// Whether the lines of a snippet stand in a text one after the other, white space at line ends aside. One without words
/// stands nowhere.
pub fn stands(snippet: &str, text: &str) -> bool {
    line_of(snippet, text).is_some()
}

/// The first line of a snippet in a text, counting from 1.
pub fn line_of(snippet: &str, text: &str) -> Option<u32> {
    let lines =
        |text: &'_ str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    let (snippet, text) = (lines(snippet.trim_matches('\n')), lines(text));
    if snippet.iter().all(String::is_empty) {
        return None;
    }
    let at = text.windows(snippet.len()).position(|window| window == snippet)?;
    u32::try_from(at + 1).ok()
}
