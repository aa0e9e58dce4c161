//! A flag by which another thread or a signal stops a judging.

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
pub struct StopFlag(Arc<AtomicBool>);

/// Time between two checks of the flag while waiting.
const BEAT: Duration = Duration::from_millis(20);

impl StopFlag {
    /// Shares an existing flag, such as a signal's.
    pub const fn with_flag(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }

    pub fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Waits so long; false where the flag was set before.
    pub fn wait_for(&self, time: Duration) -> bool {
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
