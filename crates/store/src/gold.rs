//! `gold.json` of a bundle, or of a run's folder in a study: outcomes of adjudication, added to and never changed.
//!
//! Written as labels are ([`super::labels`]): under a lock of the folder, the whole file in one step.

use std::path::{Path, PathBuf};

use trajview_formats::{SourceBytes, rubric::gold};
use trajview_run::rubric::GoldLabel;

use super::{atomic_file, write::WriteError};

/// The name of the file.
pub const GOLD_FILE: &str = "gold.json";

/// Reads the outcomes of adjudication in this folder. The error is a sentence.
pub fn read_gold(folder: &Path) -> Result<Vec<GoldLabel>, WriteError> {
    Ok(parse_gold(atomic_file::read_file(&path_in(folder))?.as_deref()))
}

/// Adds outcomes, all of them or, after a failure, none; the file is saved before this returns. An outcome is added
/// only where it differs from the last one of its item. Returns all outcomes of the file and how many were added.
pub fn add_gold(folder: &Path, new: &[GoldLabel]) -> Result<(Vec<GoldLabel>, usize), WriteError> {
    let path = path_in(folder);
    let lock = atomic_file::lock_folder(folder)?;
    let before = atomic_file::read_file(&path)?;
    let existing = parse_gold(before.as_deref());
    let says_else = |it: &&GoldLabel| {
        let last =
            existing.iter().rfind(|existing| existing.is_on(it.item_key(), it.commit.as_deref()));
        let same = |last: &GoldLabel| {
            (last.score, last.cannot_tell, &last.note) == (it.score, it.cannot_tell, &it.note)
        };
        !last.is_some_and(same)
    };
    let new: Vec<GoldLabel> = new.iter().filter(says_else).cloned().collect();
    if new.is_empty() {
        return Ok((existing, 0));
    }
    let content = gold::add_gold(before.as_deref(), &new)
        .map_err(|why| WriteError::Taken { path: path.clone(), why })?;
    atomic_file::replace_file(&path, &content)?;
    drop(lock);
    Ok((parse_gold(Some(&content)), new.len()))
}

fn path_in(folder: &Path) -> PathBuf {
    folder.join(GOLD_FILE)
}

fn parse_gold(content: Option<&[u8]>) -> Vec<GoldLabel> {
    let source = content.map(|bytes| SourceBytes { name: GOLD_FILE, bytes });
    source.map(|source| gold::read_gold(&source, &mut vec![])).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::rubric::{GoldSource, gold_label_for};

    fn gold_for(id: &str, score: f64) -> GoldLabel {
        let from =
            vec![GoldSource { annotator: "ana".into(), score: Some(3.0), ..Default::default() }];
        let commit = Some("c0ffee".into());
        GoldLabel { component: id.into(), commit, score: Some(score), from, ..GoldLabel::default() }
    }

    #[test]
    fn outcomes_are_added_and_the_last_of_an_item_counts() {
        let folder = tempfile::tempdir().unwrap();
        add_gold(folder.path(), &[gold_for("C1", 2.0)]).unwrap();
        let first = std::fs::read_to_string(folder.path().join(GOLD_FILE)).unwrap();
        let (all, added) =
            add_gold(folder.path(), &[gold_for("C1", 4.0), gold_for("C2", 1.0)]).unwrap();

        assert_eq!((all.len(), added), (3, 2));
        assert_eq!(gold_label_for(&all, "C1".into(), Some("c0ffee00")).unwrap().score, Some(4.0));
        let second = std::fs::read_to_string(folder.path().join(GOLD_FILE)).unwrap();
        let entry = first.lines().find(|line| line.contains("C1")).unwrap();
        assert!(second.contains(entry), "{second}");
        assert_eq!(read_gold(folder.path()).unwrap(), all);
    }

    #[test]
    fn the_same_outcome_again_is_not_added() {
        let folder = tempfile::tempdir().unwrap();
        add_gold(folder.path(), &[gold_for("C1", 2.0)]).unwrap();
        assert_eq!(add_gold(folder.path(), &[gold_for("C1", 2.0)]).unwrap().1, 0);
    }

    #[test]
    fn a_withdrawn_outcome_leaves_none() {
        let withdrawn = GoldLabel { score: None, ..gold_for("C1", 0.0) };
        let all = [gold_for("C1", 2.0), withdrawn];
        assert_eq!(gold_label_for(&all, "C1".into(), None), None);
    }

    #[test]
    fn a_file_that_is_none_of_ours_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(GOLD_FILE), "{\"schema\": \"other/1\"}").unwrap();

        let why = add_gold(folder.path(), &[gold_for("C1", 2.0)]).unwrap_err().to_string();

        assert!(why.contains("not overwritten"), "{why}");
        assert_eq!(
            std::fs::read_to_string(folder.path().join(GOLD_FILE)).unwrap(),
            "{\"schema\": \"other/1\"}"
        );
    }
}
