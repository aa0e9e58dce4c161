//! `notes`: a file of the person's, put before each request. It is read afresh each time, so it may be edited while the
//! run goes on.

use std::{fs::File, io::Read, path::PathBuf};

use crate::setup::NOTES;
use trajview_layers::{
    Brief, BriefSentence, HelperModel, Layer, LayerState, RequestMoment, TurnDone,
};

#[derive(Debug)]
pub struct NotesLayer {
    path: PathBuf,
    last: Option<String>,
}

/// Longer notes are cut here (bytes).
const MAX_NOTES_BYTES: u64 = 256 << 10;

impl NotesLayer {
    pub const fn new(path: PathBuf) -> Self {
        Self { path, last: None }
    }
}

impl Layer for NotesLayer {
    fn name(&self) -> &str {
        NOTES
    }

    fn before_request(
        &mut self,
        _moment: &RequestMoment<'_>,
        _helper: &mut dyn HelperModel,
    ) -> Result<Option<Brief>, String> {
        let shown = self.path.display();
        let mut bytes = vec![];
        File::open(&self.path)
            .and_then(|file| file.take(MAX_NOTES_BYTES).read_to_end(&mut bytes))
            .map_err(|why| {
                format!("cannot read {shown}: {}", trajview_store::error_reason(&why))
            })?;
        let text = String::from_utf8_lossy(&bytes).trim().to_owned();
        if text.is_empty() {
            return Ok(None);
        }
        let why = match &self.last {
            Some(last) if *last == text => "the notes, unchanged",
            Some(_) => "the notes, which have changed",
            None => "the notes",
        };
        let why = format!("{why} ({shown})");
        self.last = Some(text.clone());
        Ok(Some(Brief { sentences: vec![BriefSentence::heading(text)], why, ..Brief::default() }))
    }

    fn after_turn(
        &mut self,
        _done: &TurnDone<'_>,
        _helper: &mut dyn HelperModel,
    ) -> Result<(), String> {
        Ok(())
    }

    /// Notes have no state: they belong to the person and are in each brief.
    fn state(&self) -> LayerState {
        LayerState::new()
    }

    fn restore(&mut self, _state: &LayerState) {}
}

#[cfg(test)]
mod tests {
    use trajview_layers::{ContextUse, LayerProject, NoHelper};

    use super::*;

    #[test]
    fn notes_are_read_afresh_before_each_request() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("notes.md");
        std::fs::write(&path, "Mind the schedule.\n").unwrap();
        let mut notes = NotesLayer::new(path.clone());
        let project = LayerProject::default();
        let moment = RequestMoment {
            turn: 1,
            request: "do it",
            earlier: &[],
            project: &project,
            context: ContextUse::default(),
        };
        let mut next = || notes.before_request(&moment, &mut NoHelper);

        let first = next().unwrap().unwrap();
        std::fs::write(&path, "Other notes.").unwrap();
        let second = next().unwrap().unwrap();
        std::fs::write(&path, " \n").unwrap();
        let third = next().unwrap();
        std::fs::remove_file(&path).unwrap();
        let fourth = next();

        assert_eq!(first.text(), "Mind the schedule.");
        assert!(second.why.starts_with("the notes, which have changed"));
        assert_eq!(third, None);
        assert!(fourth.unwrap_err().starts_with("cannot read"));
    }
}
