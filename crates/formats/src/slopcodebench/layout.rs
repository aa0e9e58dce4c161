//! Assigns the files of a run directory to their checkpoints and kinds.

use super::super::SourceBytes;

/// The files of one problem, as indexes into the sources.
#[derive(Debug, Default)]
pub struct RunLayout<'a> {
    /// The problem's folder; empty where no source is below one.
    pub problem: &'a str,
    pub config: Option<usize>,
    /// A file of ours, not of the harness, with the provenance of the recording, where somebody wrote it down.
    pub provenance: Option<usize>,
    pub catalog: Option<usize>,
    pub result: Option<usize>,
    pub rows: Option<usize>,
    pub problem_facts: Option<usize>,
    pub info: Option<usize>,
    /// Files in which the generation shows.
    pub marked: Vec<usize>,
    /// The checkpoints in the order of their numbers.
    pub stages: Vec<CheckpointFiles>,
}

/// The files of one checkpoint.
#[derive(Debug, Default)]
pub struct CheckpointFiles {
    /// `checkpoint_3`
    pub name: String,
    pub number: u64,
    pub prompt: Option<usize>,
    pub inference: Option<usize>,
    pub diff: Option<usize>,
    pub evaluation: Option<usize>,
    pub report: Option<usize>,
    pub quality: Option<usize>,
    pub files: Option<usize>,
    pub symbols: Option<usize>,
    pub hits: Option<usize>,
    pub rubric: Option<usize>,
    /// Whatever the agent left that may be a log.
    pub logs: Vec<usize>,
    /// The workspace after it is kept; its files are no sources.
    pub has_snapshot: bool,
    /// The files of a second pass over it in `after_skill/`; its log may be among the logs above.
    pub after: Option<Box<Self>>,
}

/// The files of the run directory that describe its problems.
pub const RUN_FILES: [&str; 6] = [
    "provenance.txt",
    CONFIG,
    "problem_catalog.json",
    "result.json",
    "checkpoint_results.jsonl",
    "results.jsonl",
];

/// The files of a problem that describe its run.
pub const PROBLEM_FILES: [&str; 2] = ["problem.yaml", "run_info.yaml"];

/// The files of a checkpoint that are sources, beside the logs of the agent.
pub const CHECKPOINT_FILES: [&str; 10] = [
    "prompt.txt",
    "inference_result.json",
    "diff.json",
    "evaluation.json",
    "evaluation/report.json",
    "quality_analysis/overall_quality.json",
    "quality_analysis/files.jsonl",
    "quality_analysis/symbols.jsonl",
    "quality_analysis/ast_grep.jsonl",
    "rubric.jsonl",
];

/// The settings of a run.
pub const CONFIG: &str = "config.yaml";

/// Files that only a run directory has.
pub const RUN_MARKS: [&str; 2] = ["problem_catalog.json", "checkpoint_results.jsonl"];

/// The folder of a checkpoint with the files of a second pass over it.
pub const SECOND_PASS: &str = "after_skill";

/// Returns whether a [`CONFIG`] that begins like this is that of a run.
pub fn is_run_config(head: &[u8]) -> bool {
    String::from_utf8_lossy(head).lines().any(|line| line.starts_with("agent:"))
}

/// Names of files and folders in a checkpoint's folder; one of them identifies it.
const CHECKPOINT_MEMBERS: [&str; 11] = [
    SECOND_PASS,
    "checkpoint.yaml",
    "prompt.txt",
    "inference_result.json",
    "diff.json",
    "agent",
    "agent.tar.gz",
    "snapshot",
    "evaluation.json",
    "quality_analysis",
    "rubric.jsonl",
];

/// Returns the number of `checkpoint_7`; None for another name.
pub fn checkpoint_number(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("checkpoint_")?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { digits.parse().ok() } else { None }
}

/// Returns whether a folder with these names (files and folders, as a path below it) is a problem of a run.
pub fn is_problem<'a>(names: impl Iterator<Item = &'a str> + Clone) -> bool {
    let has = |wanted: &str| names.clone().any(|name| name == wanted);
    let is_member = |name: &str| {
        let (folder, member) = name.split_once('/').unwrap_or((name, ""));
        checkpoint_number(folder).is_some() && CHECKPOINT_MEMBERS.contains(&member)
    };
    names.clone().any(is_member) || (has("problem.yaml") && has("run_info.yaml"))
}

impl<'a> RunLayout<'a> {
    pub fn from_sources(sources: &[SourceBytes<'a>]) -> Self {
        let mut layout = Self::default();
        for (at, source) in sources.iter().enumerate() {
            match source.name.split_once('/') {
                None => layout.add_run_file(at, source.name),
                Some((problem, below)) => {
                    layout.problem = problem;
                    layout.add_problem_file(at, below);
                }
            }
        }
        layout.stages.sort_by(|a, b| (a.number, &a.name).cmp(&(b.number, &b.name)));
        layout
    }

    /// Returns the problem's folder as a prefix of names.
    pub fn folder_prefix(&self) -> String {
        if self.problem.is_empty() { String::new() } else { format!("{}/", self.problem) }
    }

    fn add_run_file(&mut self, at: usize, name: &str) {
        match name {
            CONFIG => self.config = Some(at),
            "provenance.txt" => self.provenance = Some(at),
            "problem_catalog.json" => self.catalog = Some(at),
            "result.json" => {
                self.result = Some(at);
                self.marked.push(at);
            }
            // G0 named it differently.
            "checkpoint_results.jsonl" | "results.jsonl" => {
                self.rows = Some(at);
                self.marked.push(at);
            }
            _ => {}
        }
    }

    fn add_problem_file(&mut self, at: usize, name: &str) {
        match name.split_once('/') {
            None if name == "problem.yaml" => self.problem_facts = Some(at),
            None if name == "run_info.yaml" => self.info = Some(at),
            None => {}
            Some((folder, below)) => {
                if let Some(number) = checkpoint_number(folder) {
                    self.add_checkpoint_file(at, folder, number, below);
                }
            }
        }
    }

    fn add_checkpoint_file(&mut self, at: usize, name: &str, number: u64, below: &str) {
        let known = self.stages.iter().position(|stage| stage.name == name);
        let index = known.unwrap_or(self.stages.len());
        if known.is_none() {
            self.stages.push(CheckpointFiles {
                name: name.into(),
                number,
                ..CheckpointFiles::default()
            });
        }
        let mut stage = &mut self.stages[index];
        let mut below = below;
        if let Some(rest) = below.strip_prefix(SECOND_PASS)
            && (rest.is_empty() || rest.starts_with('/'))
        {
            let name = format!("{name}/{SECOND_PASS}");
            let after = || Box::new(CheckpointFiles { name, number, ..CheckpointFiles::default() });
            stage = stage.after.get_or_insert_with(after);
            below = rest.trim_start_matches('/');
        }
        match below {
            "prompt.txt" => stage.prompt = Some(at),
            "inference_result.json" => stage.inference = Some(at),
            "diff.json" => stage.diff = Some(at),
            "rubric.jsonl" => stage.rubric = Some(at),
            "evaluation/report.json" => stage.report = Some(at),
            // Named by the store for a folder that it does not read as a source.
            "snapshot" => stage.has_snapshot = true,
            "evaluation.json" => {
                stage.evaluation = Some(at);
                self.marked.push(at);
            }
            "quality_analysis/overall_quality.json" => {
                stage.quality = Some(at);
                self.marked.push(at);
            }
            "quality_analysis/files.jsonl" => stage.files = Some(at),
            "quality_analysis/symbols.jsonl" => stage.symbols = Some(at),
            "quality_analysis/ast_grep.jsonl" => stage.hits = Some(at),
            _ if below.starts_with("agent/") || below.starts_with("agent.tar.gz/") => {
                stage.logs.push(at);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_stand_in_the_order_of_their_numbers() {
        let names = ["p/checkpoint_10/diff.json", "p/checkpoint_9/diff.json", "config.yaml"];
        let sources = names.map(|name| SourceBytes { name, bytes: b"" });

        let layout = RunLayout::from_sources(&sources);

        let stages: Vec<_> = layout.stages.iter().map(|stage| stage.name.as_str()).collect();
        assert_eq!((layout.problem, layout.config), ("p", Some(2)));
        assert_eq!(stages, ["checkpoint_9", "checkpoint_10"]);
    }

    #[test]
    fn a_folder_of_something_else_is_no_problem() {
        let is = |names: &[&str]| is_problem(names.iter().copied());
        assert!(is(&["checkpoint_1", "checkpoint_1/agent"]));
        assert!(is(&["problem.yaml", "run_info.yaml"]));
        assert!(!is(&["checkpoint_1", "checkpoint_1/model.safetensors"]));
        assert!(!is(&["checkpoint_x/agent", "problem.yaml"]));
    }
}
