//! Being told to stop, from another thread or a signal.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// A wish to stop; clones share it.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

/// How long it may take until the wish is noticed while waiting.
const BEAT: Duration = Duration::from_millis(20);

impl Stop {
    /// Shares a flag that somebody else sets, such as a signal's.
    pub const fn on(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }

    pub fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Waits so long; false where we were told to stop before.
    pub fn wait(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        while !self.is_set() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            thread::sleep(left.min(BEAT));
        }
        false
    }
}
