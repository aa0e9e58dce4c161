//! The rubric tree of a run: the one in its own file, or the one beside a bundle.

use std::{path::Path, sync::Arc};

use trajview_formats as formats;
use trajview_formats::{
    FileHead, Format, HEAD_BYTES, PaperBench, RecordingShape, SourceBytes, read_rubric_tree,
};
use trajview_metrics::rubric_tree::{LeafCounting, TreeMeasures, score_differences};
use trajview_run::{Run, Warning, rubric_tree::RubricTree};

use super::{
    entries::is_plain_file,
    file_bytes::{self, FileAccess, ReadAllowance},
};

/// Files of a bundle's folder that may hold a tree, the most detailed first.
pub(crate) const TREE_FILES: [&str; 4] =
    ["grade.json", "pb_result.json", "grader_output.json", "rubric.json"];

/// The most nodes whose scores do not fit that are named one by one.
const MOST_NAMED: usize = 20;

/// Gives a bundle the first tree beside it, and adds warnings about scores of any run's tree that do not add up.
pub(crate) fn add_rubric_tree(run: &mut Run, folder: &Path) {
    if formats::shape_by_name(run.origin.format) == Some(RecordingShape::Bundle) {
        let there = TREE_FILES.iter().filter(|name| is_plain_file(&folder.join(name)));
        let mut trees = there.filter_map(|name| read_tree(folder, name, &mut run.warnings));
        let first = trees.next();
        run.rubric_tree = first.map(Arc::new);
        if run.trial.is_none() {
            let trial = run.rubric_tree.as_deref().and_then(formats::trial_of_rubric_tree);
            run.trial = trial.map(Box::new);
        }
    }
    if let Some(tree) = &run.rubric_tree {
        run.warnings.extend(score_misfits(tree));
    }
}

fn read_tree(folder: &Path, name: &str, warnings: &mut Vec<Warning>) -> Option<RubricTree> {
    let mut warn = |what: String| warnings.push(Warning { place: name.into(), what });
    let bytes = match file_bytes::read_file(
        &folder.join(name),
        FileAccess::InMemory,
        &mut ReadAllowance::default(),
    ) {
        Ok((bytes, None)) => bytes,
        Ok((_, Some(problem))) => {
            warn(problem);
            return None;
        }
        Err(why) => {
            warn(format!("cannot be read: {}", file_bytes::error_reason(&why)));
            return None;
        }
    };
    let (whole, problem) = bytes.read_all();
    if let Some(problem) = problem {
        warn(problem);
    }
    let head = &whole[..whole.len().min(HEAD_BYTES)];
    if !PaperBench.claims_file(&FileHead { name, bytes: head, is_whole: head.len() == whole.len() })
    {
        warn("is not a file of PaperBench and is left alone".into());
        return None;
    }
    match read_rubric_tree(&SourceBytes { name, bytes: &whole }) {
        Ok((tree, found)) => {
            warnings.extend(found);
            Some(tree)
        }
        Err(why) => {
            warn(why.to_string());
            None
        }
    }
}

/// Returns warnings about recorded scores that differ from those of their sub-tasks.
fn score_misfits(tree: &RubricTree) -> Vec<Warning> {
    let found = score_differences(tree, &TreeMeasures::new(tree, LeafCounting::All));
    let warning = |what| Warning { place: tree.file.clone(), what };
    let named = found.iter().take(MOST_NAMED).map(|it| {
        let (path, recorded, computed) = (tree.node_path(it.node), it.recorded, it.computed);
        format!(
            "node {path}: its score is recorded as {recorded}, its sub-tasks come to {computed}"
        )
    });
    let more = found.len().saturating_sub(MOST_NAMED);
    let rest = (more > 0).then(|| {
        format!("{more} more nodes have a recorded score that their sub-tasks do not come to")
    });
    named.chain(rest).map(warning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const TREE: &str = r#"{"id": "r", "requirements": "all", "weight": 1, "score": 0.5, "valid_score": true, "sub_tasks": [
        {"id": "l", "requirements": "one", "weight": 1, "score": 1, "valid_score": true,
         "task_category": "Code Development", "sub_tasks": []}]}"#;

    fn bundle_with(files: &[(&str, &str)]) -> Run {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("run.json"), r#"{"schema": "trajview.run/1", "id": "b"}"#)
            .unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        crate::open(folder.path()).unwrap().run.as_ref().clone()
    }

    #[test]
    fn a_tree_beside_a_bundle_belongs_to_its_run_and_says_what_does_not_add_up() {
        let run =
            bundle_with(&[("rubric.json", "{\"sub_tasks\": []}"), ("grader_output.json", TREE)]);

        assert_eq!(run.rubric_tree.unwrap().file, "grader_output.json");
        let what = "node 0: its score is recorded as 0.5, its sub-tasks come to 1";
        let expected = Warning { place: "grader_output.json".into(), what: what.into() };
        assert!(run.warnings.contains(&expected), "{:?}", run.warnings);
    }

    #[test]
    fn a_file_of_that_name_that_holds_no_tree_is_a_warning() {
        let run = bundle_with(&[
            ("rubric.json", "{\"items\": []}"),
            ("grade.json", "{\"graded_task_tree\": null}"),
        ]);

        assert_eq!(run.rubric_tree, None);
        let messages =
            |name: &str| run.warnings.iter().find(|it| it.place == name).unwrap().what.clone();
        assert_eq!(messages("rubric.json"), "is not a file of PaperBench and is left alone");
        assert_eq!(
            messages("grade.json"),
            "a result of PaperBench without a graded tree: its graded_task_tree is null"
        );
    }
}
