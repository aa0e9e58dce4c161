//! Layers: what a turn costs the structure of ProjectGuard, by how many files the project has.

mod measure;

use std::{collections::HashMap, sync::Arc};

use trajview::{
    code::tree::Grammar,
    layers::{
        self, Change, Context, Moment, NoHelper, Options, Project, TurnDone,
        project::{ChangeKind, Texts},
    },
    metrics::lifeline,
    run::RepoPath,
};

use measure::{Table, ms};

/// Files that a turn changes.
const CHANGED: usize = 10;

/// Texts by path.
struct Made(HashMap<RepoPath, String>);

impl Texts for Made {
    fn text(&self, path: &RepoPath) -> Option<String> {
        self.0.get(path).cloned()
    }
}

fn main() {
    let in_full = std::env::args().any(|word| word == "--bench");
    let rounds = if in_full { 7 } else { 1 };
    let sizes: &[(usize, u64)] =
        if in_full { &[(1_000, 50), (20_000, 1_000)] } else { &[(200, 50)] };
    let mut table = Table::new();
    for (files, most) in sizes {
        let project = project(*files);
        let spec = "projectguard:structural".parse().expect("the layer is written here");
        let mut layer = layers::of(&spec, &Options::default()).expect("the layer is there");
        let moment = Moment {
            turn: 1,
            request: "Make module 7 faster.",
            earlier: &[],
            project: &project,
            context: Context::default(),
        };
        layer.before(&moment, &mut NoHelper).expect("it needs no model");
        let change =
            |at: usize| Change { path: path(at * files / CHANGED), kind: ChangeKind::Changed };
        let changes: Vec<Change> = (0..CHANGED).map(change).collect();
        let done =
            TurnDone { turn: 1, request: "", steps: &[], project: &project, changes: &changes };
        let name = format!("{files} files: a turn that changed {CHANGED}");
        table.row(&name, ms(*most), rounds, || layer.after(&done, &mut NoHelper));
        let name = format!("{files} files: a brief");
        table.row(&name, ms(*most), rounds, || layer.before(&moment, &mut NoHelper));
    }
    table.end();
}

fn path(at: usize) -> RepoPath {
    RepoPath::new(&format!("p{}/module_{at}.py", at % 50)).expect("a path inside")
}

/// Modules of a few functions and a class, each of which uses two others.
fn project(files: usize) -> Project {
    let text = |at: usize| {
        let mut text = format!("\"\"\"Module {at}.\"\"\"\n");
        for other in [at / 2, (at + 1) * 7 % files] {
            text.push_str(&format!(
                "from p{}.module_{other} import run_{other}, main\n",
                other % 50
            ));
        }
        for number in 0..12 {
            text.push_str(&format!(
                "\ndef step_{number}(value, other={number}):\n    \"\"\"Does step {number}.\"\"\"\n    return run_{}(value) + other\n",
                at / 2
            ));
        }
        text.push_str(&format!(
            "\ndef run_{at}(value):\n    return value\n\nclass Model{at}:\n    def main(self):\n        return main()\n\ndef main():\n    return Model{at}()\n"
        ));
        text
    };
    let texts: HashMap<RepoPath, String> = (0..files).map(|at| (path(at), text(at))).collect();
    let mut project = Project::default();
    for (path, text) in &texts {
        let facts = lifeline::facts(Grammar::Python, text.as_bytes());
        project.set(path.clone(), Some(Arc::new(facts)));
    }
    project.read_from(Arc::new(Made(texts)));
    project
}
