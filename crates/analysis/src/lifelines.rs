//! Lifelines of a run's components: the facts of each content are read once and kept with the run.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use rayon::prelude::*;

use trajview_code::tree::Grammar;
use trajview_metrics::{
    lifeline::{
        self, CodeScope, FactsByContent, FileFacts, FollowedComponent, Lifeline, SymbolLife,
        VersionReader,
    },
    quality::ParsedFile,
};
use trajview_run::{
    RepoPath, Run,
    files::{BlobId, Timeline},
};
use trajview_store::Archive;

use super::{fact_cache::FactCache, scorer::ProgressCheck};

/// The facts of contents read so far.
#[derive(Debug, Default)]
struct CachedCodeFacts(Mutex<FactsByContent>);

/// The number of contents read between two looks at whether to go on.
const FILES_PER_CHECK: usize = 128;

/// The number of versions of one file that are read on one thread.
const VERSIONS_TOGETHER: usize = 32;

/// Returns the lifelines of these components, turn by turn. The error is a sentence.
pub fn component_lifelines(
    archive: &Archive,
    run: &Run,
    components: &[FollowedComponent],
    keep_going: &ProgressCheck<'_>,
) -> Result<Vec<Lifeline>, String> {
    let facts = code_facts(archive, run, keep_going)?;
    Ok(lifeline::follow_components(&*archive.timeline(run)?, &facts, components))
}

/// Returns the functions and classes that were in use once and that nothing uses at the end. The error is a
/// sentence.
pub fn lost_symbols(archive: &Archive, run: &Run) -> Result<Vec<SymbolLife>, String> {
    let facts = code_facts(archive, run, &|_, _| true)?;
    Ok(lifeline::lost_symbols(&*archive.timeline(run)?, &facts))
}

/// Returns the facts of every content of the run's code.
pub(crate) fn code_facts(
    archive: &Archive,
    run: &Run,
    keep_going: &ProgressCheck<'_>,
) -> Result<FactsByContent, String> {
    facts_of_timeline(archive, run, &*archive.timeline(run)?, CodeScope::WithoutTests, keep_going)
}

/// Keeps the facts of a content whose parsed form is at hand as long as the recording is open, so that [`code_facts`] need not
/// parse it again.
pub(crate) fn take_parsed(
    archive: &Archive,
    blob: BlobId,
    path: &RepoPath,
    parsed: ParsedFile<'_>,
) {
    let key = (blob, parsed.grammar);
    if lifeline::is_test(path) || Grammar::for_path(path.as_str()) != Some(parsed.grammar) {
        return; // nobody needs them
    }
    let in_memory = archive.derived_facts::<CachedCodeFacts>();
    let facts = Arc::new(lifeline::facts_of_parsed(parsed));
    in_memory.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, facts);
}

/// Works as [`code_facts`], for another timeline of the run's files.
pub(crate) fn facts_of_timeline(
    archive: &Archive,
    run: &Run,
    timeline: &Timeline,
    code: CodeScope,
    keep_going: &ProgressCheck<'_>,
) -> Result<FactsByContent, String> {
    let in_memory = archive.derived_facts::<CachedCodeFacts>();
    let mut facts = in_memory.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut missing = lifeline::contents_to_read(timeline, code);
    missing.retain(|(blob, grammar, _)| !facts.contains_key(&(*blob, *grammar)));
    let kept = archive
        .cache()
        .map(|it| FactCache::new(it, "facts for lifelines", lifeline::FACTS_VERSION));
    let mut fresh: Vec<(_, Arc<FileFacts>)> = vec![];
    if let Some(kept) = kept.filter(|_| !missing.is_empty()) {
        let named = missing.iter().map(|(blob, grammar, _)| (*blob, grammar.name()));
        let mut facts_by_position: HashMap<usize, FileFacts> = kept.get(named);
        let mut at = 0..;
        missing.retain(|(blob, grammar, _)| {
            let facts = at.next().and_then(|at| facts_by_position.remove(&at));
            let is_missing = facts.is_none();
            fresh.extend(facts.map(|facts| ((*blob, *grammar), Arc::new(facts))));
            is_missing
        });
    }
    // Stable: the versions of a file follow each other, in order.
    missing.sort_by(|a, b| (&a.2, a.1).cmp(&(&b.2, b.1)));
    let mut done = 0;
    for batch in missing.chunks(FILES_PER_CHECK) {
        if !keep_going(done, missing.len()) {
            return Err("stopped".into());
        }
        let read = archive.with_blobs(run, |blobs| {
            let facts = |file: &&[(BlobId, Grammar, RepoPath)]| {
                let mut versions = file.first().map(|(_, grammar, _)| VersionReader::new(*grammar));
                let facts = |(blob, grammar, _): &(_, _, _)| {
                    // A content that cannot be had counts as a file without code, as one that is not recorded does.
                    let bytes = blobs.read_blob(*blob).ok()?;
                    let facts = versions.as_mut()?.next_facts(&bytes);
                    Some(((*blob, *grammar), Arc::new(facts)))
                };
                file.iter().filter_map(facts).collect::<Vec<_>>()
            };
            let files = batch.chunk_by(|a, b| (&a.2, a.1) == (&b.2, b.1));
            let files: Vec<_> = files.flat_map(|file| file.chunks(VERSIONS_TOGETHER)).collect();
            files.par_iter().flat_map_iter(facts).collect::<Vec<_>>()
        })?;
        if let Some(kept) = kept {
            // A build without the grammar reads nothing.
            let lasting = read.iter().filter(|((_, grammar), _)| grammar.is_compiled_in());
            kept.put(lasting.map(|((blob, grammar), facts)| (*blob, grammar.name(), &**facts)));
        }
        fresh.extend(read);
        done += batch.len();
    }
    if !fresh.is_empty() {
        let mut kept = in_memory.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(fresh.iter().cloned());
    }
    facts.extend(fresh);
    Ok(facts)
}

#[cfg(test)]
mod tests {
    use std::{
        path::Path,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
    };

    use trajview_code::tree::{self, Grammar};
    use trajview_metrics::{
        lifeline::{self, components_to_follow},
        quality::{QualityProfile, Ruler},
        rules::RuleSet,
    };
    use trajview_run::files::RunMoment;
    use trajview_store as store;
    use trajview_store::{DiskCache, disk};

    use super::{CachedCodeFacts, code_facts, component_lifelines};
    use crate::{
        scorer::Scorer,
        scores::{ReuseRequest, ScoreRequest, Scores},
    };

    /// A file that is read piece by piece has the facts that it has as a whole. `TRAJVIEW_CODE` names a folder of more
    /// code.
    #[test]
    fn pieces_of_a_file_have_the_facts_of_the_whole() {
        let root = Path::new(trajview_testing::project());
        let more = std::env::var_os("TRAJVIEW_CODE").map(std::path::PathBuf::from);
        let here =
            ["crates/metrics/src", "tests/vectors", "sample-runs"].map(|folder| root.join(folder));
        let (mut folders, mut files): (Vec<_>, _) = (here.into_iter().chain(more).collect(), 0);
        while let Some(folder) = folders.pop() {
            for path in disk::list_folder(&folder) {
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path);
                    continue;
                }
                let grammar =
                    path.to_str().and_then(Grammar::for_path).filter(|it| it.is_compiled_in());
                let Some(grammar) = grammar else { continue };
                let text = std::fs::read(&path).unwrap();
                let tree = tree::parse_tree(grammar, &text).unwrap();
                if tree.root_node().has_error() {
                    continue;
                }
                let read = lifeline::read_facts(grammar, &text);
                assert_eq!(
                    read,
                    lifeline::facts_of_tree(grammar, &text, &tree),
                    "{}",
                    path.display()
                );
                files += 1;
            }
        }
        assert!(files > 50, "{files}");
    }

    fn lost_components(sample: &str) -> Vec<(String, usize)> {
        let path = Path::new(trajview_testing::project()).join("sample-runs").join(sample);
        let opened = store::open(&path).unwrap();
        let rubric = store::rubric::read_beside(&path);
        let components = components_to_follow(&opened.run, &rubric, None);

        let lifelines =
            component_lifelines(&opened.archive, &opened.run, &components, &|_, _| true).unwrap();

        assert_eq!(lifelines.len(), 24);
        lifelines.into_iter().filter_map(|it| Some((it.component, it.lost_at?))).collect()
    }

    /// Whatever precedes it, a version has the facts that it has alone.
    #[test]
    fn versions_that_are_read_one_after_the_other_have_the_facts_they_have_alone() {
        for sample in ["codex-p12", "codex-p12-single-shot", "claude-code"] {
            let path = Path::new(trajview_testing::project()).join("sample-runs").join(sample);
            let opened = store::open(&path).unwrap();
            let (archive, run) = (&opened.archive, &opened.run);

            let facts = code_facts(archive, run, &|_, _| true).unwrap();

            assert!(!facts.is_empty());
            for ((blob, grammar), facts) in &facts {
                let bytes =
                    archive.with_blobs(run, |blobs| blobs.read_blob(*blob)).unwrap().unwrap();
                assert_eq!(**facts, trajview_metrics::lifeline::read_facts(*grammar, &bytes));
            }
        }
    }

    #[test]
    fn the_facts_from_trees_that_were_parsed_for_the_scores_are_those_that_are_read_alone() {
        let scorer = Scorer::new(Ruler::new(QualityProfile::Trajview, RuleSet::none()), None);
        for sample in ["codex-p12", "codex-p12-single-shot", "claude-code"] {
            let path = Path::new(trajview_testing::project()).join("sample-runs").join(sample);
            let [alone, scored] = [(); 2].map(|()| store::open(&path).unwrap());
            let request = ScoreRequest {
                moments: &[RunMoment::after_turns(scored.run.end_in_turns())],
                with_detail: false,
                reuse: ReuseRequest::Nowhere,
                for_process: true,
            };
            scorer.forget_measures();

            Scores::for_run(&scored.archive, &scored.run, &request, &scorer, &|_, _, _| true)
                .unwrap();

            let taken = scored.archive.derived_facts::<CachedCodeFacts>();
            assert!(!taken.0.lock().unwrap().is_empty(), "{sample}");
            let [alone, scored] =
                [&alone, &scored].map(|it| code_facts(&it.archive, &it.run, &|_, _| true).unwrap());
            assert!(scored == alone, "{sample}");
        }
    }

    #[test]
    fn what_was_kept_of_every_content_is_what_was_read_of_it() {
        let folder = tempfile::tempdir().unwrap();
        for sample in ["codex-p12", "codex-p12-single-shot", "claude-code"] {
            let path = Path::new(trajview_testing::project()).join("sample-runs").join(sample);
            let known = |batches: &AtomicUsize| {
                let cache = DiskCache::open(&folder.path().join("measures.sqlite")).unwrap();
                let opened = store::open(&path).unwrap().with_cache(Some(Arc::new(cache)));
                let keep_going = |_: usize, _: usize| {
                    batches.fetch_add(1, Ordering::Relaxed);
                    true
                };
                code_facts(&opened.archive, &opened.run, &keep_going).unwrap()
            };
            let (before, after) = (AtomicUsize::new(0), AtomicUsize::new(0));

            let (first, second) = (known(&before), known(&after));

            assert!(!first.is_empty() && first == second);
            // `keep_going` is called before every batch of contents.
            assert!(before.into_inner() > 0 && after.into_inner() == 0);
        }
    }

    #[test]
    fn four_components_of_the_emergent_sample_are_lost_and_none_of_the_single_shot_one() {
        let named: Vec<_> = [("C10", 42), ("C17", 46), ("C18", 46), ("C20", 49)]
            .into_iter()
            .map(|(id, turn)| (id.to_owned(), turn))
            .collect();

        assert_eq!(lost_components("codex-p12"), named);
        assert_eq!(lost_components("codex-p12-single-shot"), []);
    }
}
