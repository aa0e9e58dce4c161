//! `gold.json` of a bundle, or of a run's folder in a study: outcomes of adjudication, added to and never changed.
//!
//! Written as labels are ([`super::labels`]): under a lock of the folder, the whole file in one step.

use std::path::{Path, PathBuf};

use trajview_formats::{Source, rubric::gold};
use trajview_run::rubric::Gold;

use super::{replaced, write::WriteError};

/// The name of the file.
pub const FILE: &str = "gold.json";

/// What adjudication settled in this folder so far. The error is a sentence.
pub fn read(folder: &Path) -> Result<Vec<Gold>, WriteError> {
    Ok(understood(replaced::read(&path_in(folder))?.as_deref()))
}

/// Adds outcomes, all of them or, after a failure, none; the file is saved before this returns. An outcome is added only
/// where it says something else than the last one of its item. Gives all that are in the file then, and how many were
/// added.
pub fn add(folder: &Path, new: &[Gold]) -> Result<(Vec<Gold>, usize), WriteError> {
    let path = path_in(folder);
    let lock = replaced::locked(folder)?;
    let before = replaced::read(&path)?;
    let known = understood(before.as_deref());
    let says_else = |it: &&Gold| {
        let last = known.iter().rfind(|known| known.is_on(it.item(), it.commit.as_deref()));
        let same = |last: &Gold| {
            (last.score, last.cannot_tell, &last.note) == (it.score, it.cannot_tell, &it.note)
        };
        !last.is_some_and(same)
    };
    let new: Vec<Gold> = new.iter().filter(says_else).cloned().collect();
    if new.is_empty() {
        return Ok((known, 0));
    }
    let content = gold::with(before.as_deref(), &new)
        .map_err(|why| WriteError::Taken { path: path.clone(), why })?;
    replaced::replace(&path, &content)?;
    drop(lock);
    Ok((understood(Some(&content)), new.len()))
}

fn path_in(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

fn understood(content: Option<&[u8]>) -> Vec<Gold> {
    let source = content.map(|bytes| Source { name: FILE, bytes });
    source.map(|source| gold::read(&source, &mut vec![])).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::rubric::{GoldSource, gold_of};

    fn gold(id: &str, score: f64) -> Gold {
        let from =
            vec![GoldSource { annotator: "ana".into(), score: Some(3.0), ..Default::default() }];
        let commit = Some("c0ffee".into());
        Gold { component: id.into(), commit, score: Some(score), from, ..Gold::default() }
    }

    #[test]
    fn outcomes_are_added_and_the_last_of_an_item_counts() {
        let folder = tempfile::tempdir().unwrap();
        add(folder.path(), &[gold("C1", 2.0)]).unwrap();
        let first = std::fs::read_to_string(folder.path().join(FILE)).unwrap();
        let (all, added) = add(folder.path(), &[gold("C1", 4.0), gold("C2", 1.0)]).unwrap();

        assert_eq!((all.len(), added), (3, 2));
        assert_eq!(gold_of(&all, "C1".into(), Some("c0ffee00")).unwrap().score, Some(4.0));
        let second = std::fs::read_to_string(folder.path().join(FILE)).unwrap();
        let entry = first.lines().find(|line| line.contains("C1")).unwrap();
        assert!(second.contains(entry), "{second}");
        assert_eq!(read(folder.path()).unwrap(), all);
    }

    #[test]
    fn the_same_outcome_again_is_not_added() {
        let folder = tempfile::tempdir().unwrap();
        add(folder.path(), &[gold("C1", 2.0)]).unwrap();
        assert_eq!(add(folder.path(), &[gold("C1", 2.0)]).unwrap().1, 0);
    }

    #[test]
    fn a_withdrawn_outcome_leaves_none() {
        let withdrawn = Gold { score: None, ..gold("C1", 0.0) };
        let all = [gold("C1", 2.0), withdrawn];
        assert_eq!(gold_of(&all, "C1".into(), None), None);
    }

    #[test]
    fn a_file_that_is_none_of_ours_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "{\"schema\": \"other/1\"}").unwrap();

        let why = add(folder.path(), &[gold("C1", 2.0)]).unwrap_err().to_string();

        assert!(why.contains("not written over"), "{why}");
        assert_eq!(
            std::fs::read_to_string(folder.path().join(FILE)).unwrap(),
            "{\"schema\": \"other/1\"}"
        );
    }
}
