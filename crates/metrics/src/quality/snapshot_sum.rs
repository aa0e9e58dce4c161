//! Adds up the measures of a snapshot's files.
//!
//! Files are taken by path and callables by start and name, and sums of masses are compensated, so that the same
//! snapshot gives the same bits whatever order it came in.

use std::collections::{BTreeMap, HashMap};

use super::{
    HIGH_CC,
    file_measure::{FileCallable, LineSet, QualityHit, SourceSpan},
    profile::QualityProfile,
    snapshot::{
        CallableAt, CloneGroup, CodePlace, HitAt, QualityDetail, QualitySnapshot, QualityTotals,
        SkippedFile, SnapshotFile,
    },
    wrappers,
};

/// A snapshot's files in order, with the clone groups and wrappers that only all files together determine.
pub struct SnapshotSum<'a> {
    profile: QualityProfile,
    files: Vec<SnapshotPart<'a>>,
    skipped: Vec<SkippedFile>,
    groups: Vec<Vec<(usize, usize)>>,
}

/// A file that counts.
struct SnapshotPart<'a> {
    file: SnapshotFile<'a>,
    callables: Vec<&'a FileCallable>,
    clones: Vec<SourceSpan>,
    wrappers: Vec<SourceSpan>,
    hits: &'a [QualityHit],
}

impl<'a> SnapshotSum<'a> {
    pub fn new(files: &[SnapshotFile<'a>], profile: QualityProfile) -> Self {
        let paths = files.iter().map(|file| file.path).collect();
        let mut files = files.to_vec();
        files.sort_unstable_by_key(|file| file.path);
        let (files, skipped): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|file| file.measure.skipped.is_none());
        let skipped = skipped.iter().filter_map(skipped_entry).collect();
        let groups = clone_groups(&files, profile);
        let mut clones = vec![vec![]; files.len()];
        for &(file, piece) in groups.iter().flatten() {
            clones[file].push(files[file].measure.clones[piece].span);
        }
        let file_wrappers = wrappers::find_wrappers(&files, &paths, profile);
        let parts = files.iter().zip(clones).zip(file_wrappers);
        let parts = parts.map(|((file, clones), file_wrappers)| {
            let takes_hits = profile.runs_rules_over(file.path);
            let hits = if takes_hits { file.measure.hits.as_slice() } else { &[] };
            SnapshotPart { hits, ..SnapshotPart::new(*file, clones, file_wrappers) }
        });
        let parts = parts.collect();
        Self { profile, files: parts, skipped, groups }
    }

    /// Returns the numbers of the snapshot, and the detail behind them.
    pub fn into_numbers(self) -> (QualitySnapshot, QualityDetail) {
        (self.to_snapshot(), self.to_detail())
    }

    /// Returns the numbers of the snapshot.
    pub(crate) fn to_snapshot(&self) -> QualitySnapshot {
        let mut all = RunningTotals::default();
        let mut by_language: BTreeMap<String, RunningTotals> = BTreeMap::new();
        for part in &self.files {
            let language = part.file.measure.grammar.map_or("unknown", |grammar| grammar.name());
            let mut tally = part.count_totals();
            by_language.entry(language.into()).or_default().merge_from(&mut tally.clone());
            all.merge_from(&mut tally);
        }
        let gini = gini_coefficient(self.callable_masses());
        let totals = all.into_totals();
        let per = if self.profile.counts_physical_lines() { totals.lines } else { totals.sloc };
        QualitySnapshot {
            files: u32::try_from(self.files.len()).unwrap_or(u32::MAX),
            skipped: self.skipped.clone(),
            erosion: share_or_zero(totals.high_mass, totals.mass),
            verbosity: share_or_zero(totals.flagged_lines as f64, per as f64),
            gini,
            by_language: by_language
                .into_iter()
                .map(|(name, tally)| (name, tally.into_totals()))
                .collect(),
            totals,
        }
    }

    /// Returns the callables, clones and matches behind the numbers.
    pub(crate) fn to_detail(&self) -> QualityDetail {
        QualityDetail {
            callables: self.files.iter().flat_map(SnapshotPart::callables_at).collect(),
            clones: self.clone_groups(),
            hits: self.files.iter().flat_map(SnapshotPart::hits_at).collect(),
            wrappers: self.files.iter().flat_map(SnapshotPart::wrappers_at).collect(),
            left_out: self.skipped.iter().map(|file| file.path.clone()).collect(),
        }
    }

    fn callable_masses(&self) -> Vec<f64> {
        let callables = self.files.iter().flat_map(|part| &part.callables);
        callables.map(|callable| callable.mass()).collect()
    }

    fn clone_groups(&self) -> Vec<CloneGroup> {
        let mut groups: Vec<CloneGroup> =
            self.groups.iter().map(|group| self.clone_group(group)).collect();
        groups.sort_by(|a, b| a.places.cmp(&b.places).then(a.hash.cmp(&b.hash)));
        groups
    }

    fn clone_group(&self, pieces: &[(usize, usize)]) -> CloneGroup {
        let candidate =
            |&(file, piece): &(usize, usize)| &self.files[file].file.measure.clones[piece];
        let place = |at: &(usize, usize)| self.files[at.0].place_at(candidate(at).span);
        CloneGroup {
            hash: pieces.first().map_or(0, |first| candidate(first).hash),
            places: pieces.iter().map(place).collect(),
        }
    }
}

impl<'a> SnapshotPart<'a> {
    fn new(file: SnapshotFile<'a>, clones: Vec<SourceSpan>, found: wrappers::FileWrappers) -> Self {
        let mut callables: Vec<&FileCallable> = (file.measure.callables.iter().enumerate())
            .filter(|(at, _)| !found.replaced.contains(at))
            .map(|(_, callable)| callable)
            .collect();
        callables.sort_by(|a, b| (a.span.start, &a.name).cmp(&(b.span.start, &b.name)));
        Self { file, callables, clones, wrappers: found.wrappers, hits: &[] }
    }

    fn place_at(&self, span: SourceSpan) -> CodePlace {
        CodePlace { path: self.file.path.to_owned(), span }
    }

    /// Adds up the totals of the file.
    fn count_totals(&self) -> RunningTotals {
        let measure = self.file.measure;
        let hits = || self.hits.iter().map(|hit| hit.span);
        let covered = |spans: &mut dyn Iterator<Item = SourceSpan>| {
            line_count(&measure.sloc.covered_by(spans))
        };
        let mut tally = RunningTotals::default();
        tally.totals.lines = u64::from(measure.lines);
        tally.totals.loc = u64::from(measure.loc);
        tally.totals.sloc = line_count(&measure.sloc);
        tally.totals.clone_lines = covered(&mut self.clones.iter().copied());
        tally.totals.rule_lines = covered(&mut hits());
        tally.totals.wrapper_lines = covered(&mut self.wrappers.iter().copied());
        let flagged =
            self.clones.iter().copied().chain(hits()).chain(self.wrappers.iter().copied());
        tally.totals.flagged_lines = covered(&mut flagged.into_iter());
        self.callables.iter().for_each(|callable| tally.add_callable(callable));
        tally
    }

    fn callables_at(&self) -> impl Iterator<Item = CallableAt> + '_ {
        self.callables.iter().map(|callable| CallableAt {
            path: self.file.path.to_owned(),
            name: callable.name.clone(),
            span: callable.span,
            cc: callable.cc,
            sloc: callable.sloc,
            mass: callable.mass(),
        })
    }

    fn hits_at(&self) -> impl Iterator<Item = HitAt> + '_ {
        let path = self.file.path;
        let at = move |rule: &str, span| HitAt { rule: rule.into(), path: path.into(), span };
        self.hits.iter().map(move |hit| at(&hit.rule, hit.span))
    }

    fn wrappers_at(&self) -> impl Iterator<Item = CodePlace> + '_ {
        self.wrappers.iter().map(|&span| self.place_at(span))
    }
}

/// Totals under construction.
#[derive(Debug, Clone, Default)]
struct RunningTotals {
    totals: QualityTotals,
    cc: u64,
    masses: Vec<f64>,
    high_masses: Vec<f64>,
}

impl RunningTotals {
    fn add_callable(&mut self, callable: &FileCallable) {
        let mass = callable.mass();
        self.totals.callables += 1;
        self.totals.max_cc = self.totals.max_cc.max(callable.cc);
        self.cc += u64::from(callable.cc);
        self.masses.push(mass);
        if callable.cc > HIGH_CC {
            self.totals.high_cc += 1;
            self.high_masses.push(mass);
        }
    }

    fn merge_from(&mut self, other: &mut Self) {
        let (ours, theirs) = (&mut self.totals, &other.totals);
        ours.lines += theirs.lines;
        ours.loc += theirs.loc;
        ours.sloc += theirs.sloc;
        ours.callables += theirs.callables;
        ours.high_cc += theirs.high_cc;
        ours.max_cc = ours.max_cc.max(theirs.max_cc);
        ours.clone_lines += theirs.clone_lines;
        ours.rule_lines += theirs.rule_lines;
        ours.wrapper_lines += theirs.wrapper_lines;
        ours.flagged_lines += theirs.flagged_lines;
        self.cc += other.cc;
        self.masses.append(&mut other.masses);
        self.high_masses.append(&mut other.high_masses);
    }

    fn into_totals(self) -> QualityTotals {
        let mean_cc = share_or_zero(self.cc as f64, self.totals.callables as f64);
        let (mass, high_mass) = (exact_sum(&self.masses), exact_sum(&self.high_masses));
        QualityTotals { mean_cc, mass, high_mass, ..self.totals }
    }
}

fn line_count(set: &LineSet) -> u64 {
    u64::from(set.len())
}

/// Returns a share; 0 where the whole is 0.
fn share_or_zero(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Returns Neumaier's compensated sum, like Python's `sum` since 3.12.
fn exact_sum(values: &[f64]) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for &value in values {
        let next = sum + value;
        let small =
            if sum.abs() >= value.abs() { (sum - next) + value } else { (value - next) + sum };
        lost += small;
        sum = next;
    }
    sum + lost
}

/// Returns the Gini coefficient of values that are not negative; 0 where there are none, or all are 0.
fn gini_coefficient(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let sum = exact_sum(&values);
    let ranked: Vec<f64> =
        values.iter().zip(1..).map(|(value, rank)| f64::from(rank) * value).collect();
    let n = values.len() as f64;
    if sum > 0.0 { (2.0 * exact_sum(&ranked) / (n * sum) - (n + 1.0) / n).max(0.0) } else { 0.0 }
}

fn skipped_entry(file: &SnapshotFile<'_>) -> Option<SkippedFile> {
    Some(SkippedFile { path: file.path.to_owned(), why: file.measure.skipped? })
}

/// Returns every group of two or more equal pieces, as indices of file and candidate, in the order of files and
/// candidates.
fn clone_groups(files: &[SnapshotFile<'_>], profile: QualityProfile) -> Vec<Vec<(usize, usize)>> {
    let mut groups: HashMap<(u128, usize), Vec<(usize, usize)>> = HashMap::new();
    for (at, file) in files.iter().enumerate() {
        let home = if profile.finds_clones_across_files() { 0 } else { at };
        for (piece, candidate) in file.measure.clones.iter().enumerate() {
            groups.entry((candidate.hash, home)).or_default().push((at, piece));
        }
    }
    let mut groups: Vec<_> = groups.into_values().filter(|group| group.len() > 1).collect();
    groups.sort_unstable();
    groups
}
