//! What a layer takes after a turn that changed five files, before a request, and for its state: projects of 1,000 and
//! 20,000 files. `cargo bench --bench layers -- NAME...` for layers by name; all of them without.

mod measure;

use std::{collections::BTreeMap, sync::Arc};

use measure::{Table, from_millis};
use trajview::{
    code::tree::Grammar,
    layers::{
        self, ContextUse, LAYERS, Layer, LayerProject, LayerSetup, NoHelper, ProjectChange,
        RequestMoment, TurnDone,
        project::{ChangeKind, ProjectTexts},
    },
    metrics::lifeline,
    run::RepoPath,
};

#[derive(Clone, Default)]
struct Files(BTreeMap<RepoPath, String>);

impl ProjectTexts for Files {
    fn read_text(&self, path: &RepoPath) -> Option<String> {
        self.0.get(path).cloned()
    }
}

const REQUEST: &str = "Make step_4_2 of m4.py faster.";

fn main() {
    let in_full = std::env::args().any(|word| word == "--bench");
    let asked: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    let mut table = Table::new();
    for name in LAYERS.iter().map(|it| it.name) {
        if !asked.is_empty() && !asked.iter().any(|it| it == name) {
            continue;
        }
        for (count, bar) in [(1_000, from_millis(50)), (20_000, from_millis(1_000))] {
            if in_full || count == 1_000 {
                measure_layer(&mut table, name, count, bar);
            }
        }
    }
    table.end();
}

fn measure_layer(table: &mut Table, name: &str, count: usize, bar: std::time::Duration) {
    let spec = name.parse().expect("a layer's name is a specification");
    let mut layer = layers::make_layer(&spec, &LayerSetup::default()).expect("the list names it");
    let (mut project, mut files) = made_project(count);
    let mut turn = 1;
    ask_layer(&mut *layer, &project, turn);
    table.row(&format!("{name}, {count} files: after a turn of five"), bar, 11, || {
        let words = if turn % 2 == 1 { ["step_", "stage_"] } else { ["stage_", "step_"] };
        let changes: Vec<ProjectChange> = (0..5)
            .map(|at| {
                let path = file_path(at * 31);
                let text = files.0[&path].replace(words[0], words[1]);
                set_file(&mut project, &mut files, &path, text);
                ProjectChange { path, kind: ChangeKind::Changed }
            })
            .collect();
        let done =
            TurnDone { turn, request: REQUEST, steps: &[], project: &project, changes: &changes };
        layer.after_turn(&done, &mut NoHelper).expect("it takes in every turn");
        turn += 1;
    });
    // A second is ours: no bar is set for these.
    let none = from_millis(1_000);
    table.row(&format!("{name}, {count} files: before a request"), none, 3, || {
        ask_layer(&mut *layer, &project, turn);
    });
    table.row(&format!("{name}, {count} files: its state"), none, 3, || layer.state());
}

fn ask_layer(layer: &mut dyn Layer, project: &LayerProject, turn: usize) {
    let context = ContextUse::default();
    let moment = RequestMoment { turn, request: REQUEST, earlier: &[], project, context };
    layer.before_request(&moment, &mut NoHelper).expect("it answers every request");
}

fn file_path(at: usize) -> RepoPath {
    RepoPath::new(&format!("pkg/m{at}.py")).expect("it is a path")
}

/// Files with a class, eight functions, and uses of two others.
fn made_project(count: usize) -> (LayerProject, Files) {
    let (mut project, mut files) = (LayerProject::default(), Files::default());
    for at in 0..count {
        let (near, far) = ((at + 1) % count, (at * 7 + 3) % count);
        let mut text =
            format!("from pkg.m{near} import run_{near}\nfrom pkg.m{far} import Box{far}\n\n");
        text +=
            &format!("class Box{at}:\n    def size_{at}(self):\n        return run_{near}(1)\n\n");
        for part in 0..6 {
            let body =
                format!("    box = Box{far}()\n    return box.size_{far}() + run_{near}(x)\n\n");
            text += &format!("def step_{at}_{part}(x):\n{body}");
        }
        text += &format!("def run_{at}(x):\n    return step_{at}_0(x)\n");
        set_file(&mut project, &mut files, &file_path(at), text);
    }
    project.read_from(Arc::new(files.clone()));
    (project, files)
}

fn set_file(project: &mut LayerProject, files: &mut Files, path: &RepoPath, text: String) {
    let facts = lifeline::read_facts(Grammar::Python, text.as_bytes());
    project.set_file(path.clone(), Some(Arc::new(facts)));
    files.0.insert(path.clone(), text);
}
