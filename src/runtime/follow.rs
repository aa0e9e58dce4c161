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
    time::{Duration, SystemTime},
};

use crossbeam_channel::{RecvTimeoutError, Sender, unbounded};

use super::{Opened, event::Event};
use crate::{
    shell::Message,
    store::{self, judgements::Judgements},
};

/// What is followed, and what is watched.
#[derive(Debug, Default)]
pub struct Following {
    followed: Newest,
    watched: Newest,
    /// Whether judgements are watched at all.
    pub watches: bool,
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
