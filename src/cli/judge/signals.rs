//! Ctrl-c and its like while a judge is asked: the first one stops after what is under way, the second one ends.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use trajview_judge::stop::Stop;

/// The signal of ctrl-c.
pub const INTERRUPT: u8 = 2;

/// Which signal came last.
#[derive(Debug, Clone, Default)]
pub struct Signal(Arc<AtomicUsize>);

impl Signal {
    /// None where none came.
    pub fn last(&self) -> Option<u8> {
        u8::try_from(self.0.load(Ordering::SeqCst)).ok().filter(|signal| *signal > 0)
    }
}

/// From now on a signal sets the stop. Where that cannot be had, it ends the program as usual; what is saved stays.
#[cfg(unix)]
pub fn listen() -> (Stop, Signal) {
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        flag,
    };
    let (set, signal) = (Arc::default(), Signal::default());
    for number in [SIGINT, SIGTERM, SIGHUP] {
        // In this order: the second signal finds the flag of the first.
        let listening = flag::register_conditional_shutdown(number, 128 + number, Arc::clone(&set))
            .and_then(|_| flag::register(number, Arc::clone(&set)))
            .and_then(|_| {
                let value = usize::try_from(number).unwrap_or_default();
                flag::register_usize(number, Arc::clone(&signal.0), value)
            });
        if let Err(why) = listening {
            eprintln!("trajview: a signal ends the judging at once: {why}");
        }
    }
    (Stop::on(set), signal)
}

#[cfg(not(unix))]
pub fn listen() -> (Stop, Signal) {
    (Stop::default(), Signal::default())
}
