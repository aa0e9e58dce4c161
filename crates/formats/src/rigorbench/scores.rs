//! RigorBench's score files: `sc_scores*.yaml` (share of a task's requirements that the result satisfies) and
//! `cbs_scores.yaml` (how the agent behaved where it should have asked). Both are `{task: {harness: {...}}}`.

use crate::json_object::JsonFields;
use serde::Serialize;

/// The score of one harness on one task in one file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RigorScore {
    pub task: String,
    pub harness: String,
    /// `sc` (specification coverage, 0 to 1) or `cbs` (clarification behaviour, as the file has it).
    pub measure: &'static str,
    pub value: Option<f64>,
    /// Requirements that are satisfied, of how many; None where the file does not count them.
    pub satisfied: Option<(u64, u64)>,
    /// The behaviour of the agent, in the file's word.
    pub behavior: Option<String>,
}

/// Reads the scores of a file, in its order; None where it is no score file.
pub fn read_scores(text: &str) -> Option<Vec<RigorScore>> {
    let document = super::parse_yaml(text).ok()?;
    let mut scores = vec![];
    for (task, harnesses) in document.as_object()? {
        for (harness, score_value) in harnesses.as_object()? {
            let fields = score_value.as_object()?;
            let (measure, value) = match (fields.get("sc"), fields.get("score")) {
                (Some(value), _) => ("sc", value),
                (None, Some(value)) => ("cbs", value),
                (None, None) => return None,
            };
            let count = |key: &str| fields.number(key);
            scores.push(RigorScore {
                task: task.clone(),
                harness: harness.clone(),
                measure,
                value: value.as_f64().filter(|value| value.is_finite()),
                satisfied: count("satisfied").zip(count("total")),
                behavior: fields.get("behavior").and_then(|it| it.as_str()).map(str::to_owned),
            });
        }
    }
    (!scores.is_empty()).then_some(scores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_are_read_with_anchors_and_gaps() {
        let sc = read_scores(
            "t1:\n  Baseline: &x {sc: 0.5, satisfied: 1, total: 2, results: null}\n  Rigor: *x\n",
        )
        .unwrap();
        assert_eq!(sc.len(), 2);
        assert_eq!((sc[1].measure, sc[1].value, sc[1].satisfied), ("sc", Some(0.5), Some((1, 2))));

        let cbs =
            read_scores("t1:\n  Baseline: {score: null, behavior: asked, evidence: x}\n").unwrap();
        assert_eq!((cbs[0].measure, cbs[0].value), ("cbs", None));
        assert_eq!(cbs[0].behavior.as_deref(), Some("asked"));
    }

    #[test]
    fn another_document_is_none() {
        for text in ["", "a: 1", "a: {b: {c: 1}}", "[1, 2]", "a: [", "\0"] {
            assert_eq!(read_scores(text), None, "{text:?}");
        }
    }
}
