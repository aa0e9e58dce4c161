//! Decision stores on the disk, and what a run shows of decisions.

use std::{collections::HashMap, path::Path};

use rayon::prelude::*;

use trajview_metrics::decisions::{
    Decision, Store, drawn, kept,
    lane::{self, Lane, Touch, plain, signs},
    rank::Index,
};
use trajview_run::{EditPath, Run, StepId};

use super::{Archive, disk, sha256, write};

/// Bytes of a store that are read.
const MOST_BYTES: u64 = 64 << 20;

/// The name of the file of code links that stands beside a store.
const LINKS: &str = "code-links.json";

/// The name of the store of a bundle.
pub const FILE: &str = "decisions.json";

/// Why decisions of a recording that is none cannot be kept; a sentence.
pub const NO_BUNDLE: &str = "this recording is no run bundle, so there is no place for decisions; `trajview decisions RUN --draw --out \
                             FILE` writes them elsewhere";

/// `3 decisions`
pub fn counted(count: usize) -> String {
    if count == 1 { "1 decision".into() } else { format!("{count} decisions") }
}

/// A store, with the code links beside it. The error is a sentence with the path.
pub fn read(path: &Path) -> Result<Store, String> {
    let shown = path.display();
    let text = text_of(path).map_err(|why| format!("cannot read {shown}: {why}"))?;
    let mut store = Store::read(&text).map_err(|why| format!("{shown}: {why}"))?;
    store.origin = Some(path.to_owned());
    let links = path.with_file_name(LINKS);
    if disk::is_file(&links) {
        let linked = text_of(&links).map_err(|why| why.to_string());
        if let Err(why) = linked.and_then(|text| store.link(&text)) {
            store.warnings.push(format!("{}: {why}", links.display()));
        }
    }
    Ok(store)
}

/// The store of a bundle, `decisions.json`; None where it has none. The error is a sentence with the path.
pub fn of_bundle(bundle: &Path) -> Option<Result<Store, String>> {
    let path = bundle.join(FILE);
    disk::is_file(&path).then(|| read(&path))
}

fn text_of(path: &Path) -> std::io::Result<String> {
    let meta = disk::metadata(path)?;
    if meta.len() > MOST_BYTES {
        let why = format!("it has more than {} MiB", MOST_BYTES >> 20);
        return Err(std::io::Error::other(why));
    }
    Ok(String::from_utf8_lossy(&disk::read(path)?).into_owned())
}

/// A store over a run.
pub fn lane(archive: &Archive, run: &Run, store: &Store) -> Lane {
    let seen = shown(archive, run, store);
    let ids = |chain: Vec<&Decision>| chain.iter().map(|it| it.id.clone()).collect();
    let first = |decision: &Decision| seen.get(&decision.id).copied();
    Lane {
        decisions: store.decisions.len(),
        chains: store.chains().into_iter().map(ids).collect(),
        rows: lane::rows(&Index::of(store), &touches(archive, run), &first),
        verdicts: kept::verdicts(run, &archive.rubric().decisions, store, &|text| {
            sha256(text.as_bytes())
        }),
        origin: store.origin.clone(),
        lines: store.lines.clone(),
        asked: store
            .decisions
            .iter()
            .map(|it| (it.id.clone(), (it.question.clone(), it.answer.clone())))
            .collect(),
    }
}

/// The store at a path, else that of the bundle; None where there is neither. The error is a sentence with the path.
pub fn of_run(archive: &Archive, named: Option<&Path>) -> Option<Result<Store, String>> {
    match named {
        Some(path) => Some(read(path)),
        None => of_bundle(archive.bundle()?),
    }
}

/// The decisions that a run's requests lay down.
pub fn drawn(archive: &Archive, run: &Run) -> Vec<Decision> {
    let requests: Vec<String> =
        (0..run.turns.len()).map(|turn| archive.request_alone(run, turn)).collect();
    drawn::of(&requests)
}

/// Writes the decisions of a run's requests into a new file. The error is a sentence with the path: where something is there
/// already, and where there is nothing to write.
pub fn write_drawn(archive: &Archive, run: &Run, path: &Path) -> Result<usize, String> {
    let drawn = drawn(archive, run);
    if drawn.is_empty() {
        return Err("no request lays anything down in words that say so; nothing is written".into());
    }
    let mut bytes = serde_json::to_vec_pretty(&drawn).map_err(|why| why.to_string())?;
    bytes.push(b'\n');
    write::new_file(path, &bytes).map_err(|why| why.to_string())?;
    Ok(drawn.len())
}

/// Every step that touches a file, in playing order.
pub(super) fn touches(archive: &Archive, run: &Run) -> Vec<Touch> {
    let root = run.origin.root.as_deref();
    let of = |(step, number): (StepId, usize)| {
        let found = run.step(step)?;
        let text = archive.step_text(run, step);
        let call = text.arguments.unwrap_or_default();
        let told = trajview_metrics::process::action::of(found, &call);
        let reads = told.reads.iter().map(|path| EditPath::sort(path, root));
        let mut paths: Vec<String> =
            found.edits.iter().map(|edit| edit.path.as_str().to_owned()).collect();
        paths.extend(reads.map(|path| path.as_str().to_owned()));
        paths.dedup();
        (!paths.is_empty()).then_some(Touch { step, number, paths, call })
    };
    run.numbered_steps().into_par_iter().filter_map(of).collect()
}

/// The first moment that shows each decision to the agent, by its id: a request shows it before its turn's first step.
fn shown(archive: &Archive, run: &Run, store: &Store) -> HashMap<String, StepId> {
    let signs: Vec<(&Decision, Vec<String>)> =
        store.decisions.iter().map(|decision| (decision, signs(decision))).collect();
    let mut first: HashMap<String, StepId> = HashMap::new();
    for turn in 0..run.turns.len() {
        let start = StepId { turn, subagent: None, step: 0 };
        let request = plain(&archive.request(run, turn));
        let layer = run.turns[turn].layer.as_deref().map(plain).unwrap_or_default();
        let steps = run.steps_of_turn(turn);
        let said: Vec<(StepId, String)> = steps
            .into_par_iter()
            .map(|step| {
                let text = archive.step_text(run, step);
                let read = text.result.unwrap_or_default();
                (step, plain(&read))
            })
            .collect();
        let texts = [(start, request), (start, layer)].into_iter().chain(said);
        for (step, text) in texts.filter(|(_, text)| !text.is_empty()) {
            for (decision, signs) in &signs {
                let is_new = !first.contains_key(&decision.id);
                if is_new && signs.iter().any(|sign| text.contains(sign.as_str())) {
                    first.insert(decision.id.clone(), step);
                }
            }
        }
    }
    first
}
