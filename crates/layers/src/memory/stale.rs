//! How much of what was given was no longer true: a snippet that does not stand in its artifact.

use super::card::Card;
use crate::project::Project;
use trajview_metrics::memory::{
    Span,
    stands::{self, Stands},
};
use trajview_run::RepoPath;

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

/// Whether the lines of a snippet stand in a text one after the other, wherever; one without words stands nowhere.
pub fn stands(snippet: &str, text: &str) -> bool {
    line_of(snippet, text).is_some()
}

/// The first line of a snippet in a text, counting from 1.
pub fn line_of(snippet: &str, text: &str) -> Option<u32> {
    let span = Span { snippet: snippet.to_owned(), ..Span::default() };
    match stands::stands(&span, text)? {
        Stands::Cited(line) | Stands::Elsewhere(line) => u32::try_from(line).ok(),
        Stands::Nowhere => None,
    }
}
