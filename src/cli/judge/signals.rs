//! Signals such as ctrl-c while a judge is asked: the first one stops after the request in progress, the second one
//! ends the program.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use trajview_judge::stop_flag::StopFlag;

/// The signal of ctrl-c.
pub(crate) const INTERRUPT: u8 = 2;

/// The number of the last signal.
#[derive(Debug, Clone, Default)]
pub struct LastSignal(Arc<AtomicUsize>);

impl LastSignal {
    /// Returns the last signal. None if there was none.
    pub fn last(&self) -> Option<u8> {
        u8::try_from(self.0.load(Ordering::SeqCst)).ok().filter(|signal| *signal > 0)
    }
}

/// Installs handlers: a signal sets the stop. Where that fails, a signal ends the program as usual; saved files stay.
#[cfg(unix)]
pub(crate) fn listen_for_signals() -> (StopFlag, LastSignal) {
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        flag,
    };
    let (set, signal) = (Arc::default(), LastSignal::default());
    for number in [SIGINT, SIGTERM, SIGHUP] {
        // In this order: the second signal finds the flag of the first.
        let listening = flag::register_conditional_shutdown(number, 128 + number, Arc::clone(&set))
            .and_then(|_| flag::register(number, Arc::clone(&set)))
            .and_then(|_| {
                let value = usize::try_from(number).unwrap_or_default();
                flag::register_usize(number, Arc::clone(&signal.0), value)
            });
        if let Err(why) = listening {
            eprintln!("trajview: the next signal stops the judge immediately: {why}");
        }
    }
    (StopFlag::with_flag(set), signal)
}

#[cfg(not(unix))]
pub(crate) fn listen_for_signals() -> (StopFlag, LastSignal) {
    (StopFlag::default(), LastSignal::default())
}
