//! The runs of a study that were open last: a rater goes back and forth among a few.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use trajview_store::OpenError;

use super::recording::{Opened, Opener};

/// As many are kept.
const MOST: usize = 6;

/// Copies share the runs. The one that was used last stands last.
#[derive(Clone, Default)]
pub struct Held(Arc<Mutex<Vec<(PathBuf, Opened)>>>);

impl Held {
    /// The run at a path, opened where it is not at hand.
    pub fn open(&self, path: &Path, opener: &Opener) -> Result<Opened, OpenError> {
        let known = self.take(path);
        let opened = match known {
            Some(opened) => opened,
            None => opener.open(path)?,
        };
        self.put(path, opened.clone());
        Ok(opened)
    }

    fn take(&self, path: &Path) -> Option<Opened> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = held.iter().position(|(known, _)| known == path)?;
        Some(held.remove(at).1)
    }

    fn put(&self, path: &Path, opened: Opened) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|(known, _)| known != path);
        held.push((path.to_owned(), opened));
        if held.len() > MOST {
            held.remove(0);
        }
    }
}
