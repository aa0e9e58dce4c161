//! Turns signals into events, so that the one thread that has the terminal restores it.

use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(unix)]
use std::time::Duration;

use crossbeam_channel::Sender;

#[cfg(unix)]
use super::blocked_terminal;
use super::event::RuntimeEvent;

/// True if another program has the terminal at the moment. Signals of the keyboard to the whole group are meant for that
/// program then.
pub(crate) static IS_LENT: AtomicBool = AtomicBool::new(false);

/// After this time a terminal that takes no output gets its modes back, and after the next time the program ends.
#[cfg(unix)]
const STUCK_AFTER: Duration = Duration::from_secs(1);
#[cfg(unix)]
const GIVE_UP_AFTER: Duration = Duration::from_secs(4);

#[cfg(unix)]
pub(crate) fn spawn_listener(sender: Sender<RuntimeEvent>) -> std::io::Result<()> {
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
                        let _ = stop_process(); // the other program has stopped, and the shell waits for us
                        continue;
                    }
                    SIGINT | SIGCONT => continue,
                    _ => {}
                }
            }
            if matches!(signal, SIGTERM | SIGHUP) {
                end_after_timeout(signal);
            }
            if sender.send(RuntimeEvent::Signal(signal)).is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Ends the program some time after a terminating signal. The thread that has the terminal usually does so; it cannot while
/// it waits for a terminal that reads nothing.
#[cfg(unix)]
fn end_after_timeout(signal: i32) {
    std::thread::spawn(move || {
        std::thread::sleep(STUCK_AFTER);
        let Some(write) = blocked_terminal::write_under_way() else { return };
        blocked_terminal::end_raw_mode();
        std::thread::sleep(GIVE_UP_AFTER);
        if blocked_terminal::write_under_way() == Some(write) {
            blocked_terminal::give_back_by_force();
            signal_hook::low_level::exit(128 + signal);
        }
    });
}

/// Stops this process as ctrl-z does; returns when it is continued.
#[cfg(unix)]
pub(crate) fn stop_process() -> std::io::Result<()> {
    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)
}

#[cfg(not(unix))]
pub fn listen(_sender: Sender<RuntimeEvent>) -> std::io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
pub fn stop() -> std::io::Result<()> {
    Ok(())
}
