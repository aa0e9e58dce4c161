//! A cache of the cards of runs: a card by the path, size and time of its recording and of the files of its trial, and by the
//! current prices.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use trajview_formats::format_by_name;
use trajview_run::{
    RunCard,
    activity::SessionWork,
    run_card::{CardCost, CardIdentity, CardTotals, RunTrouble},
    trial::TrialValues,
};

use super::{
    cache::{DiskCache, build_id},
    disk::{self, modified_nanos},
    entries::{companion_folder_of, name_of},
    file_head_cache::FileHeadCache,
    path_memo::with_path_memo,
    trial_sidecars,
};

/// A cache of cards by recording, in a file of the cache folder. Deleting it costs time and nothing else.
#[derive(Debug)]
pub struct CardCache {
    cache: DiskCache,
    /// The cached heads of their files, and of others.
    pub heads: FileHeadCache,
    /// The keys of recordings without a cached card, by path, until [`CardCache::take_key`] takes them: they need not be made
    /// again when the recording is read.
    missing_keys: Mutex<HashMap<PathBuf, Option<Vec<u8>>>>,
}

/// The parts of a card that a session and the trial of a log have. What judges say is not kept, nor what the record of a trial
/// alone has.
#[derive(Serialize, Deserialize)]
struct CachedCard {
    format: String,
    /// Id, title, request.
    words: (String, String, Option<String>),
    /// Agent, agent without version, model.
    agent: [Option<String>; 3],
    turns: usize,
    end: usize,
    lines: Option<(u64, u64)>,
    tokens: Option<u64>,
    /// The recorded cost and the computed one.
    cost_usd: [Option<f64>; 2],
    totals: CardTotals,
    failures: Option<usize>,
    moments: Vec<usize>,
    provenance: Option<String>,
    work: SessionWork,
    trial: TrialValues,
    /// Task, the task's key, condition, harness.
    trial_words: [Option<String>; 4],
}

impl CardCache {
    /// Returns None where there is no place for it, or it cannot be used.
    pub fn in_cache_folder() -> Option<Self> {
        Self::in_file(&DiskCache::default_path()?.with_file_name("sessions.sqlite"))
    }

    /// Works as [`CardCache::in_cache_folder`], in a file of this name.
    pub fn in_file(path: &Path) -> Option<Self> {
        Some(Self {
            cache: DiskCache::open(path).ok()?,
            heads: FileHeadCache::beside_file(path),
            missing_keys: Mutex::default(),
        })
    }

    /// Returns the cached cards of those recordings that have not changed, in the order of the paths; None for the
    /// others.
    pub fn get(&self, paths: &[&Path]) -> Vec<Option<RunCard>> {
        let keys: Vec<Option<Vec<u8>>> = paths.par_iter().map(|path| card_key(path)).collect();
        let wanted: Vec<Vec<u8>> = keys.iter().map(|key| key.clone().unwrap_or_default()).collect();
        let mut found = self.cache.get(&wanted);
        let read = |bytes: Vec<u8>| serde_json::from_slice::<CachedCard>(&bytes).ok()?.into_card();
        let cards: Vec<Option<RunCard>> =
            (0..paths.len()).map(|at| found.remove(&at).and_then(read)).collect();
        let mut missing = self.missing_keys.lock().unwrap_or_else(PoisonError::into_inner);
        if missing.len() > MOST_MISSING {
            missing.clear();
        }
        for ((path, key), card) in paths.iter().zip(keys).zip(&cards) {
            if card.is_none() {
                missing.insert(path.to_path_buf(), key);
            }
        }
        cards
    }

    /// Returns the [`card_key`] of a recording that is about to be read: the one with which its card was not found, or a new
    /// one. One that was made a while ago does no harm: of a file that changed since, the card is not found by it.
    pub fn take_key(&self, path: &Path) -> Option<Vec<u8>> {
        let mut missing = self.missing_keys.lock().unwrap_or_else(PoisonError::into_inner);
        let known = missing.remove(path);
        drop(missing);
        known.unwrap_or_else(|| card_key(path))
    }

    /// Keeps the cards of recordings, each by the key that was there before the recording was read.
    pub fn put(&self, cards: &[(&Path, Vec<u8>, RunCard)]) {
        let values = cards.iter().filter_map(|(path, key, card)| {
            Some((key.as_slice(), serde_json::to_vec(&CachedCard::from_card(path, card)?).ok()?))
        });
        let _ = self.cache.put(values); // read again the next time
    }
}

/// The most keys of recordings without a card that are remembered.
const MOST_MISSING: usize = 100_000;

/// Returns the identity of a recording for this build: its path, size and time, and those of the files in its own folder and of the files
/// near it that may be the record of its trial. None for a folder, and for a path that cannot be read.
fn card_key(path: &Path) -> Option<Vec<u8>> {
    with_path_memo(|| make_card_key(path))
}

fn make_card_key(path: &Path) -> Option<Vec<u8>> {
    let mut key = format!("card {}", build_id()).into_bytes();
    key.extend(super::prices::current_prices().digest.as_bytes());
    key.extend(path.as_os_str().as_encoded_bytes());
    key.extend(size_and_time(path).filter(|_| disk::is_file(path))?);
    let mut companions = vec![];
    collect_companions(&companion_folder_of(path), 0, &mut companions);
    // A harness may write the record of its trial, or another file of it, after the log was read.
    let trial = trial_sidecars::trial_files(path);
    let stamped = |path: PathBuf| size_and_time(&path).map(|stamp| (path, stamp));
    companions.extend(trial.paths.into_iter().filter_map(stamped));
    companions.sort();
    companions.dedup();
    key.extend(trial.attempt.unwrap_or_default().to_le_bytes());
    key.extend(
        companions
            .into_iter()
            .flat_map(|(path, stamp)| [path.as_os_str().as_encoded_bytes(), &stamp].concat()),
    );
    Some(super::sha256(&key).into_bytes())
}

/// The most folders inside each other that are searched.
const MOST_DEEP: usize = 3;

fn collect_companions(folder: &Path, depth: usize, found: &mut Vec<(PathBuf, [u8; 24])>) {
    for path in disk::list_folder(folder) {
        match disk::symlink_metadata(&path) {
            Ok(kind) if kind.is_dir() && depth < MOST_DEEP => {
                collect_companions(&path, depth + 1, found)
            }
            Ok(kind) if kind.is_file() => {
                found.extend(size_and_time(&path).map(|stamp| (path, stamp)))
            }
            Ok(_) | Err(_) => {}
        }
    }
}

/// Returns size and time of a file.
fn size_and_time(path: &Path) -> Option<[u8; 24]> {
    let meta = disk::metadata(path).ok()?;
    let mut stamp = [0; 24];
    stamp[..8].copy_from_slice(&meta.len().to_le_bytes());
    stamp[8..].copy_from_slice(&modified_nanos(&meta)?.to_le_bytes());
    Some(stamp)
}

impl CachedCard {
    /// Returns None for a card with more than the cache keeps, and for one that other files than those of its key have.
    fn from_card(path: &Path, card: &RunCard) -> Option<Self> {
        let who = &card.identity;
        let format = format_by_name(who.format)?;
        let says_more = card.checkpoints > 0
            || card.tests.is_some()
            || card.mcf.is_some()
            || card.trouble.warnings > 0
            || !card.recorded.is_empty()
            || !card.not_counted.is_empty()
            || format.trial_record_rank(name_of(path)).is_some();
        (!says_more).then(|| Self {
            format: who.format.to_owned(),
            words: (who.id.clone(), who.title.clone(), who.request.clone()),
            agent: [who.agent.clone(), who.agent_key.clone(), who.model.clone()],
            turns: card.turns,
            end: card.end,
            lines: card.lines,
            tokens: card.tokens,
            cost_usd: [card.cost.recorded_usd, card.cost.computed_usd],
            totals: card.totals.clone(),
            failures: card.trouble.failures,
            moments: card.moments.clone(),
            provenance: who.provenance.clone(),
            work: card.work.clone(),
            trial: card.trial.clone(),
            trial_words: [&who.task, &who.task_key, &who.condition, &who.harness].map(Clone::clone),
        })
    }

    /// Returns None where its format is not known any more.
    fn into_card(self) -> Option<RunCard> {
        let format = format_by_name(&self.format)?.name();
        let (id, title, request) = self.words;
        let [agent, agent_key, model] = self.agent;
        let [recorded_usd, computed_usd] = self.cost_usd;
        let provenance = self.provenance;
        let [task, task_key, condition, harness] = self.trial_words;
        Some(RunCard {
            identity: CardIdentity {
                id,
                title,
                request,
                agent,
                agent_key,
                model,
                format,
                provenance,
                task,
                task_key,
                condition,
                harness,
            },
            trial: self.trial,
            turns: self.turns,
            end: self.end,
            lines: self.lines,
            tokens: self.tokens,
            cost: CardCost { recorded_usd, computed_usd },
            totals: self.totals,
            trouble: RunTrouble { failures: self.failures, ..RunTrouble::default() },
            moments: self.moments,
            work: self.work,
            ..RunCard::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const LOG: &str = "{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u\",\"cwd\":\"/w/shop\",\"gitBranch\":\"main\",\
                       \"timestamp\":\"2026-01-01T00:00:03Z\",\"message\":{\"role\":\"user\",\"content\":\"mend it\"}}\n";

    #[test]
    fn a_card_comes_back_until_its_recording_or_its_own_folder_changes() {
        let folder = tempfile::tempdir().unwrap();
        let cards = CardCache::in_file(&folder.path().join("cache/sessions.sqlite")).unwrap();
        let path = folder.path().join("s.jsonl");
        fs::write(&path, LOG).unwrap();
        let card = RunCard::for_run(&crate::open(&path).unwrap().run);
        let get = || cards.get(&[&path]).remove(0);

        assert_eq!(get(), None);
        cards.put(&[(&path, card_key(&path).unwrap(), card.clone())]);
        assert_eq!(get(), Some(card.clone()));
        assert_eq!(card.work.project_name(), Some("shop"));
        assert_eq!(card.work.branch.as_deref(), Some("main"));

        fs::create_dir_all(folder.path().join("s/subagents")).unwrap();
        fs::write(folder.path().join("s/subagents/agent-a.jsonl"), LOG).unwrap();
        assert_eq!(get(), None);
    }

    #[test]
    fn a_card_is_read_again_once_a_harness_writes_the_record_of_the_trial() {
        let folder = tempfile::tempdir().unwrap();
        let cards = CardCache::in_file(&folder.path().join("cache/sessions.sqlite")).unwrap();
        let path = folder.path().join("job/t__1/agent/sessions/s.jsonl");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, LOG).unwrap();
        let read = || RunCard::for_run(&crate::open(&path).unwrap().run);
        cards.put(&[(&path, card_key(&path).unwrap(), read())]);
        assert_eq!(cards.get(&[&path]), [Some(read())]);

        let record = r#"{"task_name": "t", "trial_name": "t__1", "verifier_result": {"rewards": {"reward": 1}}}"#;
        fs::write(folder.path().join("job/t__1/result.json"), record).unwrap();

        assert_eq!(cards.get(&[&path]), [None]);
        assert_eq!(read().trial.reward, Some(1.0));
    }

    /// Returns the number of runs with a recorded outcome whose card the cache keeps, each as it is read.
    fn count_cached_trials(folder: &Path) -> usize {
        let place = tempfile::tempdir().unwrap();
        let cards = CardCache::in_file(&place.path().join("cache/sessions.sqlite")).unwrap();
        let cached = |path: &PathBuf| {
            let card = RunCard::for_run(&crate::open(path).ok()?.run);
            cards.put(&[(path, cards.take_key(path)?, card.clone())]);
            let cached = cards.get(&[path]).remove(0)?;
            assert_eq!(cached, card, "{}", path.display());
            card.trial.outcome
        };
        crate::runs_below(folder).iter().filter_map(cached).count()
    }

    #[test]
    fn a_cached_card_of_a_trial_is_the_one_that_is_read() {
        let samples = Path::new(trajview_testing::project()).join("sample-runs");
        assert!(count_cached_trials(&samples) > 1);
    }

    #[test]
    #[ignore = "needs TRAJVIEW_REAL_DATA"]
    fn a_cached_card_of_a_real_trial_is_the_one_that_is_read() {
        assert!(count_cached_trials(&trajview_testing::real_data()) > 5);
    }

    #[test]
    fn each_file_of_a_trial_is_part_of_the_key() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let record = |trial: &str, hour: u32| {
            format!(
                r#"{{"task_name": "t", "trial_name": "{trial}", "started_at": "2026-01-01T{hour:02}:00:00Z"}}"#
            )
        };
        write("job/t__1/agent/sessions/s.jsonl", LOG);
        write("job/t__1/result.json", &record("t__1", 10));
        let path = folder.path().join("job/t__1/agent/sessions/s.jsonl");
        let mut keys = vec![card_key(&path).unwrap()];
        for (name, text) in [
            ("job/t__1/verifier/reward.txt", "1".to_owned()),
            ("job/t__1/exception.txt", "AgentTimeoutError".to_owned()),
            ("job/t__2/result.json", record("t__2", 9)),
        ] {
            write(name, &text);
            keys.push(card_key(&path).unwrap());
        }
        let count = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }
}
