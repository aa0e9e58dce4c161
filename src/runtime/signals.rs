//! Signals as events, so that the terminal is put back by the one thread that has it.

use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(unix)]
use std::time::Duration;

use crossbeam_channel::Sender;

use super::event::Event;
#[cfg(unix)]
use super::stuck;

/// Whether another program has the terminal at the moment. What the keyboard sends to everybody in front of it is
/// meant for that program then.
pub static IS_LENT: AtomicBool = AtomicBool::new(false);

/// After so long a terminal that still takes nothing gets its modes back, and after so long again the program ends.
#[cfg(unix)]
const STUCK_AFTER: Duration = Duration::from_secs(1);
#[cfg(unix)]
const GIVEN_UP_AFTER: Duration = Duration::from_secs(4);

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
            if matches!(signal, SIGTERM | SIGHUP) {
                end_in_the_end(signal);
            }
            if sender.send(Event::Signal(signal)).is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Ends the program some time after a signal that is to end it. The thread that has the terminal does so as a rule; it cannot
/// while it waits for a terminal that reads nothing.
#[cfg(unix)]
fn end_in_the_end(signal: i32) {
    std::thread::spawn(move || {
        std::thread::sleep(STUCK_AFTER);
        let Some(write) = stuck::write_under_way() else { return };
        stuck::end_raw_mode();
        std::thread::sleep(GIVEN_UP_AFTER);
        if stuck::write_under_way() == Some(write) {
            stuck::give_back_by_force();
            signal_hook::low_level::exit(128 + signal);
        }
    });
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
