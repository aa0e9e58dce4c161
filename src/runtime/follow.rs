//! Reads on in a recording that is still being written, on a thread of its own.

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    thread,
    time::{Duration, SystemTime},
};

use crossbeam_channel::{RecvTimeoutError, unbounded};

use super::Opened;
use crate::store;

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
