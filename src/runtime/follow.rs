//! Follows a recording that is still being written, and watches for new judgements, each on a thread of its own.

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

use super::event::RuntimeEvent;
use trajview_store as store;
use trajview_store::OpenedRecording;
use trajview_store::judgements::JudgementFolder;
use trajview_tui::{shell::AppMessage, views::table};

/// The recordings that are followed and watched.
#[derive(Debug)]
pub struct FollowWorker {
    followed: NewestThread,
    watched: NewestThread,
    /// A recording that is watched for its first change.
    looked_at: NewestThread,
    /// Many recordings, by the first path that they are below.
    all: NewestThread,
    /// True if judgements are watched at all.
    pub watches: bool,
    /// The time when this program began.
    began: SystemTime,
}

impl Default for FollowWorker {
    fn default() -> Self {
        Self {
            followed: NewestThread::default(),
            watched: NewestThread::default(),
            looked_at: NewestThread::default(),
            all: NewestThread::default(),
            watches: false,
            began: SystemTime::now(),
        }
    }
}

/// The subject of the newest thread; an older one stops.
#[derive(Debug, Default)]
struct NewestThread {
    path: Option<PathBuf>,
    number: Arc<AtomicU64>,
}

impl NewestThread {
    /// Starts a thread's subject; returns a check whether that thread is still wanted, or None when one has this path
    /// already.
    fn start_newest(&mut self, path: Option<&Path>) -> Option<impl Fn() -> bool + use<>> {
        if self.path.as_deref() == path {
            return None;
        }
        self.path = path.map(Path::to_owned);
        let newest = self.number.clone();
        let number = newest.fetch_add(1, Ordering::Relaxed) + 1;
        Some(move || newest.load(Ordering::Relaxed) == number)
    }
}

impl FollowWorker {
    /// Follows a recording that grows; one that is followed already is left alone.
    pub fn follow_recording(&mut self, path: PathBuf, sender: &Sender<RuntimeEvent>) {
        let Some(is_wanted) = self.followed.start_newest(Some(&path)) else { return };
        let _ = self.looked_at.start_newest(None);
        let sender = sender.clone();
        let follow = move || {
            let grown = |opened| sender.send(RuntimeEvent::Grown(opened)).is_ok();
            report_growth(&path, &is_wanted, &grown);
        };
        // Without a thread nothing grows; everything else goes on.
        let _ = thread::Builder::new().name("follower".into()).spawn(follow);
    }

    /// Stops following.
    pub(crate) fn stop_following(&mut self) {
        let _ = self.followed.start_newest(None);
        let _ = self.looked_at.start_newest(None);
    }

    /// Reports the first write to a recording; a followed one is reported anyway.
    pub(crate) fn watch_once(&mut self, path: PathBuf, sender: &Sender<RuntimeEvent>) {
        if self.followed.path.as_ref() == Some(&path) {
            return;
        }
        let Some(is_wanted) = self.looked_at.start_newest(Some(&path)) else { return };
        let sender = sender.clone();
        let look = move || {
            let before = store::cards::written_at(&path);
            while is_wanted() {
                if store::cards::written_at(&path) != before {
                    let _ = sender.send(RuntimeEvent::Asked(AppMessage::Written)); // the loop may have ended
                    return;
                }
                thread::sleep(ONE_POLL_INTERVAL);
            }
        };
        let _ = thread::Builder::new().name("looker".into()).spawn(look);
    }

    /// Watches the recordings below these paths, and no others. Writes since the start of this program count as changes:
    /// the recording may have been listed before.
    pub(crate) fn watch_all(&mut self, sources: Vec<PathBuf>, sender: &Sender<RuntimeEvent>) {
        let Some(is_wanted) = self.all.start_newest(sources.first().map(PathBuf::as_path)) else {
            return;
        };
        let (sender, since) = (sender.clone(), self.began);
        let look = move || report_changes((&sources, since), &is_wanted, &sender);
        let _ = thread::Builder::new().name("sessions".into()).spawn(look);
    }

    /// Watches the judgements of this bundle, and of no other.
    pub(crate) fn watch_judgements(
        &mut self,
        bundle: Option<PathBuf>,
        sender: &Sender<RuntimeEvent>,
    ) {
        if !self.watches {
            return;
        }
        let Some(is_wanted) = self.watched.start_newest(bundle.as_deref()) else { return };
        let (Some(bundle), sender) = (bundle, sender.clone()) else { return };
        let watch = move || {
            let judged = || sender.send(RuntimeEvent::Asked(AppMessage::Judged)).is_ok();
            report_judgements(&JudgementFolder::in_bundle(&bundle), &is_wanted, &judged);
        };
        let _ = thread::Builder::new().name("judgements".into()).spawn(watch);
    }
}

/// The interval at which one recording is checked that is not followed, and how often many of them: that costs more.
const ONE_POLL_INTERVAL: Duration = Duration::from_secs(1);
const ALL_POLL_INTERVAL: Duration = Duration::from_secs(2);

/// The interval at which the time is reported while a recording was written recently: an agent counts as stopped once nothing was
/// written for long.
const CLOCK_INTERVAL: Duration = Duration::from_secs(30);

/// Reports changed recordings. Ends when it is no longer wanted, or nobody listens.
fn report_changes(
    (sources, since): (&[PathBuf], SystemTime),
    is_wanted: &dyn Fn() -> bool,
    sender: &Sender<RuntimeEvent>,
) {
    store::lower_priority();
    let mut watch = store::SessionWatch::new(sources, since);
    let mut last_report = Instant::now();
    loop {
        thread::sleep(ALL_POLL_INTERVAL);
        if !is_wanted() {
            return;
        }
        let changed = watch.take_changes();
        let is_late = last_report.elapsed() > CLOCK_INTERVAL && watch.has_fresh();
        if changed.is_empty() && !is_late {
            continue;
        }
        last_report = Instant::now();
        let news = table::TableMessage::Stands { changed, now: store::cards::now_millis() };
        if sender.send(RuntimeEvent::Asked(AppMessage::Collection(news))).is_err() {
            return;
        }
    }
}

/// The interval at which the folder of judgements is checked.
const JUDGEMENT_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Ends as [`report_growth`] does.
fn report_judgements(
    judgements: &JudgementFolder,
    is_wanted: &dyn Fn() -> bool,
    judged: &dyn Fn() -> bool,
) {
    let mut known = judgements.changed_at();
    loop {
        thread::sleep(JUDGEMENT_POLL_INTERVAL);
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

/// The time that a writer gets to finish a burst.
const BURST_PAUSE: Duration = Duration::from_millis(20);

/// The interval at which the file is checked: some file systems of clusters send no notifications.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Passes the recording to `grown` each time it may have changed, the first time at once: something may have been written
/// since it was opened. Ends when it is no longer wanted, or nobody listens.
pub(crate) fn report_growth(
    path: &Path,
    is_wanted: &dyn Fn() -> bool,
    grown: &dyn Fn(OpenedRecording) -> bool,
) {
    let (sender, changes) = unbounded();
    let Ok(mut follower) = store::follow_recording(path, move || {
        let _ = sender.send(()); // the receiver may be gone
    }) else {
        return; // it was opened a moment ago: what is on screen stays
    };
    let (mut size, mut has_changed) = (size_and_time(path), true);
    while is_wanted() {
        if has_changed {
            // Half a recording is none yet; the next change will tell.
            let opened = catch_unwind(AssertUnwindSafe(|| follower.open()));
            // Reading takes a while: another recording may be followed by now.
            if let Ok(Ok(opened)) = opened
                && !(is_wanted() && grown(opened))
            {
                return;
            }
        }
        has_changed = match changes.recv_timeout(POLL_INTERVAL) {
            Ok(()) => {
                thread::sleep(BURST_PAUSE);
                changes.try_iter().for_each(drop);
                true
            }
            Err(RecvTimeoutError::Timeout) => size_and_time(path) != size,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        size = size_and_time(path);
    }
}

fn size_and_time(path: &Path) -> Option<(u64, Option<SystemTime>)> {
    fs::metadata(path).ok().map(|meta| (meta.len(), meta.modified().ok()))
}
