//! Signals as events, so that the terminal is put back by the one thread that has it.

use crossbeam_channel::Sender;

use super::world::Event;

#[cfg(unix)]
pub fn listen(sender: Sender<Event>) -> std::io::Result<()> {
    use signal_hook::{
        consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH},
        iterator::Signals,
    };
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT, SIGWINCH])?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
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
