//! The share of given snippets that are stale: the artifact no longer contains them.

use super::evidence_card::MemoryCard;
use crate::project::LayerProject;
use trajview_metrics::memory::{
    CitedSpan,
    snippet_position::{self, SnippetPosition},
};
use trajview_run::RepoPath;

/// The cited places of files, and the number of stale ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StalePlaceCount {
    pub given: usize,
    pub stale: usize,
}

impl StalePlaceCount {
    /// Returns the share of stale places, 0 to 1, lower is better; None where no place of a file was given.
    pub fn stale_rate(self) -> Option<f64> {
        (self.given > 0).then(|| self.stale as f64 / self.given as f64)
    }

    #[must_use]
    pub fn combined_with(self, other: Self) -> Self {
        Self { given: self.given + other.given, stale: self.stale + other.stale }
    }
}

/// Counts the stale places among the files that cards cite, with the project before the request that they were given
/// with. Requests and decisions are not counted, since they have one version.
pub fn count_stale(cards: &[MemoryCard], project: &LayerProject) -> StalePlaceCount {
    let mut counted = StalePlaceCount::default();
    for span in cards.iter().flat_map(|card| &card.anchored_spans).filter(|it| it.span.is_some()) {
        let text = RepoPath::new(&span.artifact).and_then(|path| project.file_text(&path));
        counted.given += 1;
        counted.stale +=
            usize::from(!text.is_some_and(|text| contains_lines(&span.snippet, &text)));
    }
    counted
}

/// Returns whether a text contains the lines of a snippet one after the other, anywhere; false for a snippet without
/// words.
pub(crate) fn contains_lines(snippet: &str, text: &str) -> bool {
    snippet_line(snippet, text).is_some()
}

/// Returns the line of a text at which a snippet begins, counted from 1; None where it is not in it.
pub(crate) fn snippet_line(snippet: &str, text: &str) -> Option<u32> {
    let span = CitedSpan { snippet: snippet.to_owned(), ..CitedSpan::default() };
    match snippet_position::find_snippet(&span, text)? {
        SnippetPosition::Cited(line) | SnippetPosition::Elsewhere(line) => u32::try_from(line).ok(),
        SnippetPosition::Nowhere => None,
    }
}
