//! Carries out what a collection asks for: finding runs, reading what they say, measuring their files.
//!
//! Answers are sent in pieces. Rows that come in quick succession are sent together: each message costs the screen the
//! same, however much is in it.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::Sender;

use crate::{
    app::{
        Effect, Message, Request,
        collection::{
            self,
            asking::{Answer, Asked, Depth},
            columns::Column,
            pairs::Sides,
            row::Scores,
        },
        curves::Measured,
    },
    store::{self, ReuseReader, Siblings, cards},
    study::{Plan, paired::tested},
};

use super::{
    scoring::{Scoring, name_of},
    world::{Event, Opener, Reply},
};

/// What a worker for the collection needs.
#[derive(Clone)]
pub struct Collecting {
    pub sender: Sender<Event>,
    pub opener: Opener,
    pub scoring: Arc<Scoring>,
    /// The logs side by side, since the runs were last looked for.
    pub siblings: Arc<Siblings>,
    /// Raised when nobody wants what was asked for before.
    pub unwanted: Arc<AtomicU64>,
    /// What `unwanted` was when the work began.
    pub era: u64,
}

/// Things that come in quick succession wait for each other this long.
const TOGETHER: Duration = Duration::from_millis(25);

/// Whether an effect is one of ours.
pub const fn is_one(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::FindRuns(..) | Effect::ReadRuns(..) | Effect::ScoreRuns(..) | Effect::TestPairs(..)
    )
}

pub fn reply(request: Request, answer: Answer) -> Reply {
    Reply::Message(heard(request, answer))
}

fn heard(request: Request, answer: Answer) -> Message {
    Message::Collection(collection::Message::Heard(request, answer))
}

impl Collecting {
    /// Does the work; None where it is somebody else's.
    pub fn answer(&self, effect: &Effect) -> Option<Reply> {
        let (request, last) = match effect {
            Effect::FindRuns(request, sources) => (request, self.find(*request, sources)),
            Effect::ReadRuns(request, Depth::Beginning, asked) => {
                (request, self.begin(*request, asked))
            }
            Effect::ReadRuns(request, Depth::Whole, asked) => (request, self.read(*request, asked)),
            Effect::ScoreRuns(request, asked) => (request, self.score(*request, asked)),
            Effect::TestPairs(request, sides) => (request, test(sides)),
            _ => return None,
        };
        Some(reply(*request, last))
    }

    fn is_wanted(&self) -> bool {
        self.unwanted.load(Ordering::Relaxed) == self.era
    }

    /// False where nobody listens any more.
    fn tell(&self, request: Request, answer: Answer) -> bool {
        self.sender.send(Event::Partly(heard(request, answer))).is_ok()
    }

    fn find(&self, request: Request, sources: &[PathBuf]) -> Answer {
        self.siblings.forget();
        let batch = Batch::default();
        for source in sources {
            let goes_on = store::walk(source, &mut |run| {
                batch.add(run).is_none_or(|runs| self.tell(request, Answer::Found(runs)))
            });
            if !goes_on {
                break;
            }
        }
        self.tell(request, Answer::Found(batch.rest()));
        Answer::Done
    }

    fn begin(&self, request: Request, asked: &[Asked]) -> Answer {
        let begin = |asked: &Asked| {
            let card = cards::of_beginning(&asked.path).map(Box::new);
            self.is_wanted().then_some((asked.row, card))
        };
        in_batches(asked, begin, |cards| self.tell(request, Answer::Begun(cards)));
        Answer::Done
    }

    fn read(&self, request: Request, asked: &[Asked]) -> Answer {
        let read = |asked: &Asked| {
            let opened = self.opener.open_among(&asked.path, &self.siblings);
            let card = opened.map(|opened| {
                let counts = opened.recording.line_counts(&opened.run);
                let card = cards::of_opened(&asked.path, &opened.run);
                let counts = counts.as_deref().map_or(&[][..], |it| it);
                Box::new(cards::with_lines(card, &opened.run, counts))
            });
            self.is_wanted().then(|| (asked.row, card.map_err(|why| why.to_string())))
        };
        in_batches(asked, read, |cards| self.tell(request, Answer::Read(cards)));
        Answer::Done
    }

    fn score(&self, request: Request, asked: &[Asked]) -> Answer {
        let scorer = match self.scoring.scorer(&|_| {}) {
            Ok(scorer) => scorer,
            Err(why) => return Answer::Failed(why),
        };
        self.tell(request, Answer::Ruler(name_of(scorer.ruler())));
        let score = |asked: &Asked| {
            let scores = self.score_one(asked, scorer);
            // Half a measure is none; it is asked for again when it is wanted again.
            self.is_wanted().then_some((asked.row, scores))
        };
        scorer.gathering(|| {
            in_batches(asked, score, |scored| self.tell(request, Answer::Scored(scored)));
        });
        scorer.forget();
        Answer::Done
    }

    fn score_one(&self, asked: &Asked, scorer: &store::Scorer) -> Result<Scores, String> {
        let opened = self.opener.open_among(&asked.path, &self.siblings);
        let opened = opened.map_err(|why| why.to_string())?;
        if opened.run.turns.is_empty() && opened.run.rubric_tree.is_some() {
            return Ok(Scores::default()); // a rubric tree alone has no code
        }
        let goes_on = |_, _| self.is_wanted();
        let scored = opened.recording.score(&opened.run, &asked.moments, scorer, &goes_on)?;
        let measured: Vec<Measured> = scored.iter().map(Measured::of).collect();
        let done = opened.run.end();
        let dir = opened.recording.dir(&opened.run, &[done], &ReuseReader::default());
        let dir = dir.ok().and_then(|mut dirs| dirs.pop().flatten());
        Ok(Scores { dir, ..Scores::of(&measured) })
    }
}

fn test(sides: &Sides) -> Answer {
    store::stand_back();
    Answer::Tested(tested(sides, Column::better, &Plan::default()))
}

/// Does `work` for each item, several at a time, and sends what comes of it together with what follows within a moment:
/// nothing quick waits for something slow. Begins no more once `work` gives nothing or `send` returns false.
fn in_batches<T: Send>(
    items: &[Asked],
    work: impl Fn(&Asked) -> Option<T> + Sync + Send,
    send: impl Fn(Vec<T>) -> bool,
) {
    let (sender, done) = crossbeam_channel::unbounded();
    let goes_on = AtomicBool::new(true);
    let labour = || {
        let sender = sender; // gone when all is done
        cards::for_each(items, |item| {
            let is_sent = work(item).is_some_and(|it| sender.send(it).is_ok());
            is_sent && goes_on.load(Ordering::Relaxed)
        });
    };
    thread::scope(|scope| {
        scope.spawn(labour);
        while let Ok(first) = done.recv() {
            let mut batch = vec![first];
            let deadline = Instant::now() + TOGETHER;
            while let Ok(next) = done.recv_deadline(deadline) {
                batch.push(next);
            }
            if !send(batch) {
                goes_on.store(false, Ordering::Relaxed);
            }
        }
    });
}

/// Things to be sent together.
struct Batch<T> {
    held: Mutex<(Vec<T>, Option<Instant>)>,
}

impl<T> Default for Batch<T> {
    fn default() -> Self {
        Self { held: Mutex::new((vec![], None)) }
    }
}

impl<T> Batch<T> {
    fn held(&self) -> MutexGuard<'_, (Vec<T>, Option<Instant>)> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything so far, if it is time to send it.
    fn add(&self, one: T) -> Option<Vec<T>> {
        let mut held = self.held();
        let (things, since) = &mut *held;
        things.push(one);
        if since.get_or_insert_with(Instant::now).elapsed() < TOGETHER {
            return None;
        }
        *since = None;
        Some(std::mem::take(things))
    }

    fn rest(&self) -> Vec<T> {
        std::mem::take(&mut self.held().0)
    }
}
