//! Calls of code that may panic on foreign bytes.
//!
//! The readers of columns trust what a file states about itself in more places than could be checked before. Their
//! panic is an error of the file, not of the program: it is not printed, and the terminal stays as it is.

use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe, catch_unwind},
    sync::Once,
};

thread_local! {
    static IS_GUARDING: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this thread does such work: then its panic is not to be reported.
pub fn is_guarding() -> bool {
    IS_GUARDING.get()
}

/// Returns the result of `work`; an error where it panics. Values that it changed must not be used after a panic.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))] // Parquet is read with it
pub(crate) fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !is_guarding() {
                previous(info);
            }
        }));
    });
    let was_on = IS_GUARDING.replace(true);
    let made = catch_unwind(AssertUnwindSafe(work));
    IS_GUARDING.set(was_on);
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
        assert_eq!(catch_panic(|| 1), Ok(1));
        assert!(catch_panic(is_guarding).unwrap() && !is_guarding());

        let numbers: Vec<u8> = vec![];
        assert_eq!(catch_panic(|| numbers[1]), Err(Panicked));
        assert!(!is_guarding());
    }
}
