//! The memory of an agent over a run: the events that a bundle has of it, and the state of its cards in the files over
//! time.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use trajview_metrics::memory::{
    CardState, CitedPlaceState, CitedSpan, MemoryEvent, MemoryFile, MemoryTimeline,
    memory_timeline::{GivenCard, StaleCount},
    snippet_position::{SnippetPosition, find_snippet},
};
use trajview_run::{
    EditPath, RepoPath, Run, Warning,
    files::{BlobId, FilesSource, SourceTree, Timeline, TreeFile, TurnFiles},
};
use trajview_store::{Archive, memory_events};

/// The most bytes of a cited file that are searched.
const MOST_FILE_BYTES: usize = 4 << 20;

/// The most cards that are followed through a run; of more only the events count.
const MOST_CARDS: usize = 10_000;

/// Returns the memory over a run, and the problems of its file; None where the run has no `memory.jsonl`. Beside the
/// state of the cards when they were given, it has their state at `done` turns.
pub fn memory_timeline(
    archive: &Archive,
    run: &Run,
    done: usize,
) -> Option<(MemoryTimeline, Vec<Warning>)> {
    let MemoryFile { events, warnings } =
        memory_events::recorded_events(archive.bundle()?, run.turns.len())?;
    let given = |(event, it): (usize, &MemoryEvent)| {
        let card = it.card()?;
        let cited = |span: &CitedSpan| match &span.version {
            Some(version) => version.turns_done(run),
            None => Some(it.turn),
        };
        let cited = card.spans.iter().map(cited).collect();
        let unknown = vec![CitedPlaceState::default(); card.spans.len()];
        Some(GivenCard { event, when_given: unknown.clone(), at_moment: unknown, cited })
    };
    let cards: Vec<GivenCard> =
        events.iter().enumerate().filter_map(given).take(MOST_CARDS).collect();
    let mut after = vec![StaleCount::default(); run.turns.len()];
    let cards = match archive.timeline(run) {
        Ok(timeline) if !cards.is_empty() => {
            let mut walk = CardWalk::new((archive, run, &timeline), &events, cards);
            walk.visit_moments(done, &mut after);
            walk.cards
        }
        Ok(_) | Err(_) => cards,
    };
    Some((MemoryTimeline::new(events, cards, &after), warnings))
}

/// The files at one moment.
struct CardMoment<'m> {
    done: usize,
    tree: &'m SourceTree,
    /// True if the recording does not have the files of the moment.
    is_unknown: bool,
}

/// A walk through the files of a run, from the first moment to the last, with the cards that were given on it.
struct CardWalk<'w> {
    archive: &'w Archive,
    run: &'w Run,
    timeline: &'w Timeline,
    events: &'w [MemoryEvent],
    cards: Vec<GivenCard>,
    /// The current path of each cited file of each card; None for a file outside of the workspace.
    paths: Vec<Vec<Option<RepoPath>>>,
    /// The result of looking for a cited place of a card in a content under its own name.
    positions: HashMap<(usize, usize, BlobId), Option<SnippetPosition>>,
    /// The files that are there at some moment.
    known_paths: BTreeSet<&'w RepoPath>,
}

impl<'w> CardWalk<'w> {
    fn new(
        (archive, run, timeline): (&'w Archive, &'w Run, &'w Timeline),
        events: &'w [MemoryEvent],
        cards: Vec<GivenCard>,
    ) -> Self {
        let root = run.origin.root.as_deref();
        let path =
            |span: &CitedSpan| EditPath::from_recorded(&span.artifact, root).repo_path().cloned();
        let paths = cards.iter().map(|card| card_spans(events, card).iter().map(path).collect());
        let paths = paths.collect();
        let changed = timeline.turns.iter().flat_map(|turn| &turn.changes);
        let changed = changed.flat_map(|it| [Some(&it.path), it.from.as_ref()]).flatten();
        let known_paths = timeline.base.files.keys().chain(changed).collect();
        Self {
            archive,
            run,
            timeline,
            events,
            cards,
            paths,
            positions: HashMap::new(),
            known_paths,
        }
    }

    /// Looks at every card at every moment: at `done` turns, when it was given, and after each turn.
    fn visit_moments(&mut self, done: usize, after: &mut [StaleCount]) {
        let timeline = self.timeline;
        let moments: Vec<usize> = (0..=self.run.turns.len()).collect();
        timeline.visit_turn_ends(&moments, |at, tree, is_unknown| {
            let moment = CardMoment { done: at, tree, is_unknown };
            if let Some(turn) = at.checked_sub(1).and_then(|turn| timeline.turns.get(turn)) {
                self.follow_renames(at, turn);
            }
            for card in 0..self.cards.len() {
                self.look_at_card(card, &moment, done, after);
            }
        });
    }

    fn look_at_card(
        &mut self,
        card: usize,
        moment: &CardMoment<'_>,
        moment_turn: usize,
        after: &mut [StaleCount],
    ) {
        let given_at = self.events[self.cards[card].event].turn;
        if given_at == moment.done {
            self.cards[card].when_given = self.when_given(card, moment);
        }
        if moment.done != moment_turn && moment.done <= given_at {
            return;
        }
        let found = self.find_spans(card, moment);
        if let Some(turn) = moment.done.checked_sub(1)
            && turn >= given_at
        {
            after[turn].count_card(CardState::of_card(&found));
        }
        if moment.done == moment_turn {
            self.cards[card].at_moment = found;
        }
    }

    /// Finds what the agent saw: the files before the turn, and, for a card that was given within the turn, the edits
    /// of the steps before.
    fn when_given(&mut self, card: usize, moment: &CardMoment<'_>) -> Vec<CitedPlaceState> {
        let event = &self.events[self.cards[card].event];
        let turn = self.timeline.turns.get(event.turn);
        let Some((step, turn)) = event.step.zip(turn) else { return self.find_spans(card, moment) };
        let numbers = self.run.step_numbers(event.turn);
        let is_before = |number: &usize| *number < step.number;
        let mut tree = moment.tree.clone();
        for (id, changes) in &turn.steps {
            if numbers.get(id).is_some_and(is_before) {
                tree.apply_changes(changes);
            }
        }
        self.find_spans(card, &CardMoment { tree: &tree, ..*moment })
    }

    fn find_spans(&mut self, card: usize, moment: &CardMoment<'_>) -> Vec<CitedPlaceState> {
        (0..self.paths[card].len()).map(|span| self.find_span(card, span, moment)).collect()
    }

    /// Returns the file under its own name, and where that holds the snippet no more, under the name that it was given.
    fn find_span(&mut self, card: usize, span: usize, moment: &CardMoment<'_>) -> CitedPlaceState {
        let cited = &card_spans(self.events, &self.cards[card])[span];
        let root = self.run.origin.root.as_deref();
        let own_path = EditPath::from_recorded(&cited.artifact, root);
        let Some(own_path) = own_path.repo_path().filter(|_| !moment.is_unknown) else {
            return CitedPlaceState::default();
        };
        let file = moment.tree.files.get(own_path).copied();
        let found = file.map(|file| {
            CitedPlaceState::in_file(own_path.as_str(), self.snippet_state(card, span, file))
        });
        let now = self.paths[card][span].clone().filter(|now| now != own_path);
        let renamed = now.and_then(|now| {
            let file = moment.tree.files.get(&now).copied()?;
            Some(CitedPlaceState::in_renamed(now.as_str(), self.snippet_state(card, span, file)))
        });
        let is_known =
            self.timeline.from == FilesSource::Commits || self.known_paths.contains(own_path);
        let gone =
            || if is_known { CitedPlaceState::gone_file() } else { CitedPlaceState::default() };
        match (found, renamed) {
            (Some(found), Some(renamed)) if found.state == CardState::Stale => renamed,
            (Some(found), _) | (None, Some(found)) => found,
            (None, None) => gone(),
        }
    }

    /// Returns where the snippet that a card cites is in a file, and remembers it; None for content that is not
    /// recorded or too large.
    fn snippet_state(
        &mut self,
        card: usize,
        span: usize,
        file: TreeFile,
    ) -> Option<SnippetPosition> {
        let blob = file.blob_id()?;
        if let Some(cached) = self.positions.get(&(card, span, blob)) {
            return *cached;
        }
        let content = self.archive.file_content(self.run, file).ok();
        let content = content.filter(|it| it.len() <= MOST_FILE_BYTES);
        let cited = &card_spans(self.events, &self.cards[card])[span];
        let stands = content.and_then(|it| find_snippet(cited, &String::from_utf8_lossy(&it)));
        self.positions.insert((card, span, blob), stands);
        stands
    }

    /// Follows the files that the turn gave another name; a place is followed from the state on that it cites.
    fn follow_renames(&mut self, done: usize, turn: &TurnFiles) {
        let renames: BTreeMap<&RepoPath, &RepoPath> =
            turn.changes.iter().filter_map(|it| Some((it.from.as_ref()?, &it.path))).collect();
        if renames.is_empty() {
            return;
        }
        for (card, paths) in self.cards.iter().zip(&mut self.paths) {
            for (path, cited) in paths.iter_mut().zip(&card.cited) {
                let is_later = cited.is_some_and(|cited| done > cited);
                let renamed = path.as_ref().filter(|_| is_later).and_then(|it| renames.get(it));
                if let Some(renamed) = renamed {
                    *path = Some((*renamed).clone());
                }
            }
        }
    }
}

fn card_spans<'e>(events: &'e [MemoryEvent], card: &GivenCard) -> &'e [CitedSpan] {
    events[card.event].card().map_or(&[], |card| card.spans.as_slice())
}
