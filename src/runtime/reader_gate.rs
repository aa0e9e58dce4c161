//! Keeps the thread that reads the terminal from reading while another program has the terminal.
//!
//! A read cannot be cancelled, but a change of size ends one: we send ourselves that signal.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

#[derive(Clone, Default)]
pub struct ReaderGate(Arc<(Mutex<GateState>, Condvar)>);

#[derive(Default)]
struct GateState {
    is_closed: bool,
    /// True if the reader waits at the gate.
    is_waiting: bool,
}

/// The longest time that a reader may take to react, and how often it gets the signal.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(100);
const CLOSE_TRIES: usize = 10;

impl ReaderGate {
    /// Waits while the gate is closed. Called by the reader between two reads.
    pub(crate) fn wait_at_gate(&self) {
        let mut state = self.lock_state();
        while state.is_closed {
            state.is_waiting = true;
            self.0.1.notify_all();
            state = self.0.1.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.is_waiting = false;
    }

    /// Closes the gate and returns when the reader waits at it, or does not come.
    pub(crate) fn close_gate(&self) {
        let mut state = self.lock_state();
        state.is_closed = true;
        for _ in 0..CLOSE_TRIES {
            if state.is_waiting {
                return;
            }
            drop(state);
            wake_reader();
            let waited =
                self.0.1.wait_timeout_while(self.lock_state(), CLOSE_TIMEOUT, |it| !it.is_waiting);
            state = waited.map_or_else(|poisoned| poisoned.into_inner().0, |(state, _)| state);
        }
    }

    pub(crate) fn open_gate(&self) {
        self.lock_state().is_closed = false;
        self.0.1.notify_all();
    }

    /// Locks the state also after a panic: no code here can leave it inconsistent.
    fn lock_state(&self) -> MutexGuard<'_, GateState> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the read that the reader is in.
#[cfg(unix)]
pub(crate) fn wake_reader() {
    let _ = signal_hook::low_level::raise(signal_hook::consts::SIGWINCH); // the caller tries again
}

#[cfg(not(unix))]
pub(crate) fn nudge() {}
