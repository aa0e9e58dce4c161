//! Signals as events, so that the terminal is put back by the one thread that has it.

use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::Sender;

use super::event::Event;

/// Whether another program has the terminal at the moment. What the keyboard sends to everybody in front of it is
/// meant for that program then.
pub static IS_LENT: AtomicBool = AtomicBool::new(false);

#[cfg(unix)]
pub fn listen(sender: Sender<Event>) -> std::io::Result<()> {
    use signal_hook::{
        consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH},
        iterator::Signals,
    };
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT, SIGWINCH])?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if IS_LENT.load(Ordering::SeqCst) {
                match signal {
                    SIGTSTP => {
                        let _ = stop(); // the other program has stopped, and the shell waits for us
                        continue;
                    }
                    SIGINT | SIGCONT => continue,
                    _ => {}
                }
            }
            if sender.send(Event::Signal(signal)).is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Stops this process as ctrl-z would have; returns when it is continued.
#[cfg(unix)]
pub fn stop() -> std::io::Result<()> {
    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)
}

#[cfg(not(unix))]
pub fn listen(_sender: Sender<Event>) -> std::io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
pub fn stop() -> std::io::Result<()> {
    Ok(())
}
