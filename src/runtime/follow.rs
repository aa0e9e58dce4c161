//! Reads on in a recording that is still being written, and says when somebody else judged it, each on a thread of its own.

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

use crossbeam_channel::{RecvTimeoutError, Sender, unbounded};

use super::{Opened, event::Event};
use trajview_store as store;
use trajview_store::judgements::Judgements;
use trajview_tui::{shell::Message, views::table};

/// What is followed, and what is watched.
#[derive(Debug)]
pub struct Following {
    followed: Newest,
    watched: Newest,
    /// Not followed, and told of once.
    looked_at: Newest,
    /// Many recordings, by the first path that they are below.
    all: Newest,
    /// Whether judgements are watched at all.
    pub watches: bool,
    /// When this program began.
    began: SystemTime,
}

impl Default for Following {
    fn default() -> Self {
        Self {
            followed: Newest::default(),
            watched: Newest::default(),
            looked_at: Newest::default(),
            all: Newest::default(),
            watches: false,
            began: SystemTime::now(),
        }
    }
}

/// What the newest thread is about; an older one stops.
#[derive(Debug, Default)]
struct Newest {
    path: Option<PathBuf>,
    number: Arc<AtomicU64>,
}

impl Newest {
    /// Whether a thread that begins now is still wanted; None where one is about this path already.
    fn begin(&mut self, path: Option<&Path>) -> Option<impl Fn() -> bool + use<>> {
        if self.path.as_deref() == path {
            return None;
        }
        self.path = path.map(Path::to_owned);
        let newest = self.number.clone();
        let number = newest.fetch_add(1, Ordering::Relaxed) + 1;
        Some(move || newest.load(Ordering::Relaxed) == number)
    }
}

impl Following {
    /// Tells from now on when a recording grows; one that was followed before is left alone.
    pub fn follow(&mut self, path: PathBuf, sender: &Sender<Event>) {
        let Some(is_wanted) = self.followed.begin(Some(&path)) else { return };
        let _ = self.looked_at.begin(None);
        let sender = sender.clone();
        let follow = move || {
            let grown = |opened| sender.send(Event::Grown(opened)).is_ok();
            tell(&path, &is_wanted, &grown);
        };
        // Without a thread nothing grows; everything else goes on.
        let _ = thread::Builder::new().name("follower".into()).spawn(follow);
    }

    /// Tells no more of a recording that grows.
    pub fn end(&mut self) {
        let _ = self.followed.begin(None);
        let _ = self.looked_at.begin(None);
    }

    /// Tells once when a recording is written to; of one that is followed it is told anyway.
    pub fn look_at(&mut self, path: PathBuf, sender: &Sender<Event>) {
        if self.followed.path.as_ref() == Some(&path) {
            return;
        }
        let Some(is_wanted) = self.looked_at.begin(Some(&path)) else { return };
        let sender = sender.clone();
        let look = move || {
            let before = store::cards::written_at(&path);
            while is_wanted() {
                if store::cards::written_at(&path) != before {
                    let _ = sender.send(Event::Asked(Message::Written)); // the loop may have gone home
                    return;
                }
                thread::sleep(LOOK_AT_ONE);
            }
        };
        let _ = thread::Builder::new().name("looker".into()).spawn(look);
    }

    /// Tells from now on which recordings below these paths change, and of other paths no more.
    /// What was written since this program began counts as changed: it may have been listed before that.
    pub fn look_at_all(&mut self, sources: Vec<PathBuf>, sender: &Sender<Event>) {
        let Some(is_wanted) = self.all.begin(sources.first().map(PathBuf::as_path)) else { return };
        let (sender, since) = (sender.clone(), self.began);
        let look = move || tell_all((&sources, since), &is_wanted, &sender);
        let _ = thread::Builder::new().name("sessions".into()).spawn(look);
    }

    /// Tells from now on when a judgement of this bundle appears or changes; of another one no more.
    pub fn watch(&mut self, bundle: Option<PathBuf>, sender: &Sender<Event>) {
        if !self.watches {
            return;
        }
        let Some(is_wanted) = self.watched.begin(bundle.as_deref()) else { return };
        let (Some(bundle), sender) = (bundle, sender.clone()) else { return };
        let watch = move || {
            let judged = || sender.send(Event::Asked(Message::Judged)).is_ok();
            tell_judgements(&Judgements::of(&bundle), &is_wanted, &judged);
        };
        let _ = thread::Builder::new().name("judgements".into()).spawn(watch);
    }
}

/// How often a recording is looked at that nobody follows, and how often many of them: that costs more.
const LOOK_AT_ONE: Duration = Duration::from_secs(1);
const LOOK_AT_ALL: Duration = Duration::from_secs(2);

/// How often it is told what time it is, while a recording was written of late: an agent that is at work has stopped once
/// nothing was written for long.
const CLOCK: Duration = Duration::from_secs(30);

/// Ends when it is no longer wanted, or nobody takes what it tells.
fn tell_all(
    (sources, since): (&[PathBuf], SystemTime),
    is_wanted: &dyn Fn() -> bool,
    sender: &Sender<Event>,
) {
    store::stand_back();
    let mut watch = store::SessionWatch::of(sources, since);
    let mut told = Instant::now();
    loop {
        thread::sleep(LOOK_AT_ALL);
        if !is_wanted() {
            return;
        }
        let changed = watch.changes();
        let is_late = told.elapsed() > CLOCK && watch.has_fresh();
        if changed.is_empty() && !is_late {
            continue;
        }
        told = Instant::now();
        let news = table::Message::Stands { changed, now: store::cards::now() };
        if sender.send(Event::Asked(Message::Collection(news))).is_err() {
            return;
        }
    }
}

/// How often the folder of judgements is looked at.
const LOOK_FOR_JUDGEMENTS: Duration = Duration::from_secs(1);

/// Ends as [`tell`] does.
fn tell_judgements(
    judgements: &Judgements,
    is_wanted: &dyn Fn() -> bool,
    judged: &dyn Fn() -> bool,
) {
    let mut known = judgements.changed_at();
    loop {
        thread::sleep(LOOK_FOR_JUDGEMENTS);
        if !is_wanted() {
            return;
        }
        let changed_at = judgements.changed_at();
        if changed_at != known && !judged() {
            return;
        }
        known = changed_at;
    }
}

/// A writer that is in the middle of a burst is given this long to finish it.
const BURST: Duration = Duration::from_millis(20);

/// How often we look ourselves: on some file systems of a cluster nobody tells.
const LOOK: Duration = Duration::from_millis(500);

/// Gives the recording to `grown` each time it may have changed, the first time at once: something may have been
/// written since it was opened. Ends when it is no longer wanted, or nobody takes what it gives.
pub fn tell(path: &Path, is_wanted: &dyn Fn() -> bool, grown: &dyn Fn(Opened) -> bool) {
    let (sender, changes) = unbounded();
    let Ok(mut follower) = store::follow(path, move || {
        let _ = sender.send(()); // nobody may be listening any more
    }) else {
        return; // it was opened a moment ago: what is on screen stays
    };
    let (mut size, mut has_changed) = (size_of(path), true);
    while is_wanted() {
        if has_changed {
            // Half a recording is none yet; the next change will tell.
            let opened = catch_unwind(AssertUnwindSafe(|| follower.open()));
            if let Ok(Ok(opened)) = opened
                && !grown(Opened { run: opened.run, recording: opened.archive })
            {
                return;
            }
        }
        has_changed = match changes.recv_timeout(LOOK) {
            Ok(()) => {
                thread::sleep(BURST);
                changes.try_iter().for_each(drop);
                true
            }
            Err(RecvTimeoutError::Timeout) => size_of(path) != size,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        size = size_of(path);
    }
}

fn size_of(path: &Path) -> Option<(u64, Option<SystemTime>)> {
    fs::metadata(path).ok().map(|meta| (meta.len(), meta.modified().ok()))
}
