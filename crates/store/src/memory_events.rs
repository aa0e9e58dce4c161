//! What a memory gave the agent of a run (`memory.jsonl` of a bundle), and how its cards fared with the files over time.
//!
//! Nothing to do with the memory of this process, which is `store::memory`.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
};

use trajview_metrics::memory::{
    self, Course, Event, Found, Recorded, Span, State,
    course::{Count, Given},
    stands::{Stands, stands},
};
use trajview_run::{
    EditPath, RepoPath, Run, Warning,
    files::{BlobId, FilesFrom, Timeline, Tree, TreeFile, TurnFiles},
};

use super::{Archive, bytes, disk, entries::is_plain_file, inside};

/// The file of a bundle.
pub const NAME: &str = "memory.jsonl";

/// Bytes of the file that are read.
const MOST_BYTES: u64 = 64 << 20;

/// Bytes of a cited file that are looked through.
const MOST_FILE_BYTES: usize = 4 << 20;

/// Cards that are followed through a run; of more only the events count.
const MOST_CARDS: usize = 10_000;

/// The events of a bundle whose run has so many turns; None where it has no `memory.jsonl`.
pub fn recorded(bundle: &Path, turns: usize) -> Option<Recorded> {
    let path = bundle.join(NAME);
    if !is_plain_file(&path) {
        return None;
    }
    let read = match disk::symlink_metadata(&path) {
        Ok(_) => disk::open(&path).map(|file| bytes::read_within(file, MOST_BYTES)),
        Err(why) => inside::below(&path).ok_or(why).and_then(|place| place.read(MOST_BYTES)),
    };
    let (bytes, problem) = read
        .unwrap_or_else(|why| (vec![], Some(format!("cannot be read: {}", bytes::reason(&why)))));
    let mut recorded = memory::read(&bytes, NAME, turns);
    recorded.warnings.extend(problem.map(|what| Warning { place: NAME.into(), what }));
    Some(recorded)
}

/// The memory over a run, and what of its file could not be read; None where the run has no `memory.jsonl`. The state of
/// the cards at `done` turns is told beside that when they were given.
pub fn course(archive: &Archive, run: &Run, done: usize) -> Option<(Course, Vec<Warning>)> {
    let Recorded { events, warnings } = recorded(archive.bundle()?, run.turns.len())?;
    let given = |(event, it): (usize, &Event)| {
        let card = it.card()?;
        let cited = |span: &Span| match &span.version {
            Some(version) => version.turns_done(run),
            None => Some(it.turn),
        };
        let cited = card.spans.iter().map(cited).collect();
        let unknown = vec![Found::default(); card.spans.len()];
        Some(Given { event, when_given: unknown.clone(), now: unknown, cited })
    };
    let cards: Vec<Given> = events.iter().enumerate().filter_map(given).take(MOST_CARDS).collect();
    let mut after = vec![Count::default(); run.turns.len()];
    let cards = match archive.timeline(run) {
        Ok(timeline) if !cards.is_empty() => {
            let mut walk = Walk::of((archive, run, &timeline), &events, cards);
            walk.through(done, &mut after);
            walk.cards
        }
        Ok(_) | Err(_) => cards,
    };
    Some((Course::of(events, cards, &after), warnings))
}

/// The files at one moment.
struct Moment<'m> {
    done: usize,
    tree: &'m Tree,
    /// Whether nothing in the recording says what the files were.
    is_untold: bool,
}

/// A way through the files of a run, from the first moment to the last, with the cards that were given on it.
struct Walk<'w> {
    archive: &'w Archive,
    run: &'w Run,
    timeline: &'w Timeline,
    events: &'w [Event],
    cards: Vec<Given>,
    /// Of each cited place of each card, the path that its file has now; None for one outside of the workspace.
    paths: Vec<Vec<Option<RepoPath>>>,
    /// What was found of a place of a card in a content under its own name.
    known: HashMap<(usize, usize, BlobId), Option<Stands>>,
    /// The files that are there at some moment.
    told: BTreeSet<&'w RepoPath>,
}

impl<'w> Walk<'w> {
    fn of(
        (archive, run, timeline): (&'w Archive, &'w Run, &'w Timeline),
        events: &'w [Event],
        cards: Vec<Given>,
    ) -> Self {
        let root = run.origin.root.as_deref();
        let path = |span: &Span| EditPath::sort(&span.artifact, root).inside().cloned();
        let paths = cards.iter().map(|card| spans(events, card).iter().map(path).collect());
        let paths = paths.collect();
        let changed = timeline.turns.iter().flat_map(|turn| &turn.changes);
        let changed = changed.flat_map(|it| [Some(&it.path), it.from.as_ref()]).flatten();
        let told = timeline.base.files.keys().chain(changed).collect();
        Self { archive, run, timeline, events, cards, paths, known: HashMap::new(), told }
    }

    /// Looks at every card at every moment: at `done` turns, when it was given, and after each turn.
    fn through(&mut self, done: usize, after: &mut [Count]) {
        let timeline = self.timeline;
        let moments: Vec<usize> = (0..=self.run.turns.len()).collect();
        timeline.visit(&moments, |at, tree, is_untold| {
            let moment = Moment { done: at, tree, is_untold };
            if let Some(turn) = at.checked_sub(1).and_then(|turn| timeline.turns.get(turn)) {
                self.rename(at, turn);
            }
            for card in 0..self.cards.len() {
                self.look(card, &moment, done, after);
            }
        });
    }

    fn look(&mut self, card: usize, moment: &Moment<'_>, asked: usize, after: &mut [Count]) {
        let given_at = self.events[self.cards[card].event].turn;
        if given_at == moment.done {
            self.cards[card].when_given = self.when_given(card, moment);
        }
        if moment.done != asked && moment.done <= given_at {
            return;
        }
        let found = self.found(card, moment);
        if let Some(turn) = moment.done.checked_sub(1)
            && turn >= given_at
        {
            after[turn].add(State::of_card(&found));
        }
        if moment.done == asked {
            self.cards[card].now = found;
        }
    }

    /// What the agent saw: the files before the turn, and of a card that was given within it what steps had edited by then.
    fn when_given(&mut self, card: usize, moment: &Moment<'_>) -> Vec<Found> {
        let event = &self.events[self.cards[card].event];
        let turn = self.timeline.turns.get(event.turn);
        let Some((step, turn)) = event.step.zip(turn) else { return self.found(card, moment) };
        let numbers = self.run.step_numbers(event.turn);
        let is_before = |number: &usize| *number < step.number;
        let mut tree = moment.tree.clone();
        for (id, changes) in &turn.steps {
            if numbers.get(id).is_some_and(is_before) {
                changes.iter().for_each(|change| tree.apply(change));
            }
        }
        self.found(card, &Moment { tree: &tree, ..*moment })
    }

    fn found(&mut self, card: usize, moment: &Moment<'_>) -> Vec<Found> {
        (0..self.paths[card].len()).map(|span| self.found_one(card, span, moment)).collect()
    }

    /// The file under its own name, and where that holds the snippet no more, under the name that it was given.
    fn found_one(&mut self, card: usize, span: usize, moment: &Moment<'_>) -> Found {
        let cited = &spans(self.events, &self.cards[card])[span];
        let root = self.run.origin.root.as_deref();
        let own = EditPath::sort(&cited.artifact, root);
        let Some(own) = own.inside().filter(|_| !moment.is_untold) else {
            return Found::default();
        };
        let file = moment.tree.files.get(own).copied();
        let found = file.map(|file| Found::in_file(own.as_str(), self.stands(card, span, file)));
        let now = self.paths[card][span].clone().filter(|now| now != own);
        let renamed = now.and_then(|now| {
            let file = moment.tree.files.get(&now).copied()?;
            Some(Found::in_renamed(now.as_str(), self.stands(card, span, file)))
        });
        let is_known = self.timeline.from == FilesFrom::Commits || self.told.contains(own);
        let gone = || if is_known { Found::gone() } else { Found::default() };
        match (found, renamed) {
            (Some(found), Some(renamed)) if found.state == State::Stale => renamed,
            (Some(found), _) | (None, Some(found)) => found,
            (None, None) => gone(),
        }
    }

    fn stands(&mut self, card: usize, span: usize, file: TreeFile) -> Option<Stands> {
        let blob = file.blob()?;
        if let Some(known) = self.known.get(&(card, span, blob)) {
            return *known;
        }
        let content = self.archive.content(self.run, file).ok();
        let content = content.filter(|it| it.len() <= MOST_FILE_BYTES);
        let cited = &spans(self.events, &self.cards[card])[span];
        let stands = content.and_then(|it| stands(cited, &String::from_utf8_lossy(&it)));
        self.known.insert((card, span, blob), stands);
        stands
    }

    /// Follows the files that the turn gave another name; a place is followed from the state on that it cites.
    fn rename(&mut self, done: usize, turn: &TurnFiles) {
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

fn spans<'e>(events: &'e [Event], card: &Given) -> &'e [Span] {
    events[card.event].card().map_or(&[], |card| card.spans.as_slice())
}
