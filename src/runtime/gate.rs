//! Keeps the thread that reads the terminal from reading while somebody else has it.
//!
//! A read cannot be called off, but a change of size ends one: we tell ourselves that there was one.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

#[derive(Clone, Default)]
pub struct Gate(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    is_closed: bool,
    /// The reader stands before the gate.
    is_waiting: bool,
}

/// How long a reader may take to notice, and how often it is told.
const PATIENCE: Duration = Duration::from_millis(100);
const TRIES: usize = 10;

impl Gate {
    /// Waits while the gate is closed. For the reader, between two reads.
    pub fn pass(&self) {
        let mut state = self.state();
        while state.is_closed {
            state.is_waiting = true;
            self.0.1.notify_all();
            state = self.0.1.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.is_waiting = false;
    }

    /// Closes the gate and returns when the reader stands before it, or does not come.
    pub fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        for _ in 0..TRIES {
            if state.is_waiting {
                return;
            }
            drop(state);
            nudge();
            let waited = self.0.1.wait_timeout_while(self.state(), PATIENCE, |it| !it.is_waiting);
            state = waited.map_or_else(|poisoned| poisoned.into_inner().0, |(state, _)| state);
        }
    }

    pub fn open(&self) {
        self.state().is_closed = false;
        self.0.1.notify_all();
    }

    /// Nothing here leaves the state halfway.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the read that the reader is in.
#[cfg(unix)]
pub fn nudge() {
    let _ = signal_hook::low_level::raise(signal_hook::consts::SIGWINCH); // the caller tries again
}

#[cfg(not(unix))]
pub fn nudge() {}
