//! Work that may panic on bytes that somebody else wrote.
//!
//! The readers of columns trust what a file says of itself in more places than could be checked before. A panic of theirs is
//! an error of the file, not of the program: nobody is shown it, and the terminal is left alone.

use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe, catch_unwind},
    sync::Once,
};

thread_local! {
    static IS_ON: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread does such work: then its panic is not to be reported.
pub fn is_on() -> bool {
    IS_ON.get()
}

/// What `work` gives; an error where it panics. What it has changed so far must not be used any more then.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !is_on() {
                previous(info);
            }
        }));
    });
    let was_on = IS_ON.replace(true);
    let made = catch_unwind(AssertUnwindSafe(work));
    IS_ON.set(was_on);
    made.map_err(|_| Panicked)
}

/// The reader of columns gave up in the middle of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the file is damaged: its columns do not fit together")]
pub struct Panicked;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_and_what_comes_after_is_not_guarded() {
        assert_eq!(guarded(|| 1), Ok(1));
        assert!(guarded(is_on).unwrap() && !is_on());

        let numbers: Vec<u8> = vec![];
        assert_eq!(guarded(|| numbers[1]), Err(Panicked));
        assert!(!is_on());
    }
}
