//! The rubric tree of a run: the one its own file holds, or the one that lies beside a bundle.

use std::{path::Path, sync::Arc};

use trajview_formats as formats;
use trajview_formats::{Format, HEAD_BYTES, Head, PaperBench, Shape, Source, read_rubric_tree};
use trajview_metrics::rubric_tree::{Counting, Measures, differences};
use trajview_run::{Run, Warning, rubric_tree::RubricTree};

use super::{
    bytes::{self, Access, Allowance},
    entries::is_plain_file,
};

/// Files of a bundle's folder that may hold a tree, what says most first.
pub const FILES: [&str; 4] = ["grade.json", "pb_result.json", "grader_output.json", "rubric.json"];

/// Nodes whose scores do not fit are named one by one up to so many.
const MOST_NAMED: usize = 20;

/// Gives a bundle the first tree that lies beside it, and says of any run's tree what does not add up.
pub fn complete(run: &mut Run, folder: &Path) {
    if formats::shape_of(run.origin.format) == Some(Shape::Bundle) {
        let there = FILES.iter().filter(|name| is_plain_file(&folder.join(name)));
        let mut trees = there.filter_map(|name| read(folder, name, &mut run.warnings));
        let first = trees.next();
        run.rubric_tree = first.map(Arc::new);
    }
    if let Some(tree) = &run.rubric_tree {
        run.warnings.extend(misfits(tree));
    }
}

fn read(folder: &Path, name: &str, warnings: &mut Vec<Warning>) -> Option<RubricTree> {
    let mut warn = |what: String| warnings.push(Warning { place: name.into(), what });
    let bytes = match bytes::read(&folder.join(name), Access::Held, &mut Allowance::default()) {
        Ok((bytes, None)) => bytes,
        Ok((_, Some(problem))) => {
            warn(problem);
            return None;
        }
        Err(why) => {
            warn(format!("cannot be read: {}", bytes::reason(&why)));
            return None;
        }
    };
    let (whole, problem) = bytes.whole();
    if let Some(problem) = problem {
        warn(problem);
    }
    let head = &whole[..whole.len().min(HEAD_BYTES)];
    if !PaperBench.claims(&Head { name, bytes: head, is_whole: head.len() == whole.len() }) {
        warn("is not a file of PaperBench and is left alone".into());
        return None;
    }
    match read_rubric_tree(&Source { name, bytes: &whole }) {
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

/// Where a recorded score is not what its sub-tasks come to.
fn misfits(tree: &RubricTree) -> Vec<Warning> {
    let found = differences(tree, &Measures::of(tree, Counting::All));
    let warning = |what| Warning { place: tree.file.clone(), what };
    let named = found.iter().take(MOST_NAMED).map(|it| {
        let (path, recorded, computed) = (tree.path(it.node), it.recorded, it.computed);
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
        let said =
            |name: &str| run.warnings.iter().find(|it| it.place == name).unwrap().what.clone();
        assert_eq!(said("rubric.json"), "is not a file of PaperBench and is left alone");
        assert_eq!(
            said("grade.json"),
            "a result of PaperBench without a graded tree: its graded_task_tree is null"
        );
    }
}
