//! Recognises the generation of SlopCodeBench that wrote a run.
//!
//! Nothing in a run states it. The marks are those of the files: `problem_catalog.json` came with the problems in
//! a repository of their own; before it, measurements of flagged lines replaced counts of clones.

/// A generation of SlopCodeBench, in historical order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SlopGeneration {
    /// January 2026.
    G0,
    /// The generation of version 1 of the paper.
    G1,
    /// Version 1.0 of the benchmark.
    G2,
}

/// Keys that only a generation, or it and those after it, write: into results, rows and quality files.
const GENERATION_MARKS: [(SlopGeneration, &[&str]); 3] = [
    (SlopGeneration::G2, &["expected_checkpoints", "test_collection_hash"]),
    (
        SlopGeneration::G1,
        &[
            "violation_pct",
            "verbosity_flagged_sloc_lines",
            "cloned_sloc_lines",
            "strict_pass_rate",
            "violation_lines",
        ],
    ),
    (
        SlopGeneration::G0,
        &["clone_instances", "source_file_count", "single_method_classes", "checkpoint_pass_rate"],
    ),
];

impl SlopGeneration {
    /// Returns the newest generation that these texts (JSON) carry a mark of; None where they carry none.
    pub fn from_texts<'a>(texts: impl Iterator<Item = &'a [u8]> + Clone) -> Option<Self> {
        let carries = |key: &str| {
            let key = format!("\"{key}\"");
            texts.clone().any(|text| memchr::memmem::find(text, key.as_bytes()).is_some())
        };
        GENERATION_MARKS
            .iter()
            .find(|(_, keys)| keys.iter().any(|key| carries(key)))
            .map(|(found, _)| *found)
    }

    const fn display_name(self) -> &'static str {
        match self {
            Self::G0 => "G0 (January 2026)",
            Self::G1 => "G1 (paper, version 1)",
            Self::G2 => "G2",
        }
    }
}

/// Returns the name of the harness: `SlopCodeBench G2 (v1.0)`. `version` is that of `problem_catalog.json`.
pub fn harness_name(generation: Option<SlopGeneration>, version: Option<&str>) -> String {
    match (generation, version) {
        (None, _) => "SlopCodeBench, generation not recorded".into(),
        (Some(SlopGeneration::G2), version) => {
            format!("SlopCodeBench G2 ({})", version.unwrap_or("v1.0"))
        }
        (Some(generation), _) => format!("SlopCodeBench {}", generation.display_name()),
    }
}
