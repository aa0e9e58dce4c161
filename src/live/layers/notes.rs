//! `notes`: a file of the person's, put before each request. It is read afresh each time, so it may be edited while the
//! run goes on.

use std::{fs::File, io::Read, path::PathBuf};

use super::{Layer, Moment, Touch};

#[derive(Debug)]
pub struct Notes {
    path: PathBuf,
    last: Option<String>,
}

/// Longer notes are cut here (bytes).
const MOST: u64 = 256 << 10;

impl Notes {
    pub const fn new(path: PathBuf) -> Self {
        Self { path, last: None }
    }
}

impl Layer for Notes {
    fn name(&self) -> &'static str {
        "notes"
    }

    fn before(&mut self, _moment: &Moment<'_>) -> Result<Option<Touch>, String> {
        let shown = self.path.display();
        let mut bytes = vec![];
        File::open(&self.path)
            .and_then(|file| file.take(MOST).read_to_end(&mut bytes))
            .map_err(|why| format!("cannot read {shown}: {why}"))?;
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
        Ok(Some(Touch { added: text, restarts: false, why }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Dressed, dress};
    use super::*;

    #[test]
    fn notes_are_read_afresh_before_each_request() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("notes.md");
        std::fs::write(&path, "Mind the schedule.\n").unwrap();
        let mut layers: Vec<Box<dyn Layer>> = vec![Box::new(Notes::new(path.clone()))];
        let moment = Moment { turn: 1, request: "do it", workspace: place.path(), before: &[] };
        let mut next = || -> Dressed { dress(&mut layers, &moment) };

        let first = next();
        std::fs::write(&path, "Other notes.").unwrap();
        let second = next();
        std::fs::write(&path, " \n").unwrap();
        let third = next();
        std::fs::remove_file(&path).unwrap();
        let fourth = next();

        assert_eq!(first.text, "Mind the schedule.\n\ndo it");
        assert_eq!(first.rows[0].added, "Mind the schedule.");
        assert!(second.rows[0].why.starts_with("the notes, which have changed"));
        assert_eq!((third.text.as_str(), third.rows.len()), ("do it", 0));
        assert!(fourth.problems[0].starts_with("layer notes did nothing: cannot read"));
    }
}
