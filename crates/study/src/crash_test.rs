//! The card of a judge's crash test: whether its levels move where an edit must not matter, and where it must.
//!
//! Every component of a sample is judged unedited, once more unedited (the judge's own noise), and with each planted
//! edit. The shift of a kind is the mean of (level with the edit − level unedited) over components; its interval is
//! Student's. The test of a shift exchanges signs (Fisher, The Design of Experiments, 1935, section 21), that of changed
//! levels compares them with the repeats of the same components (McNemar, Psychometrika 12, 1947, exact); Holm's
//! correction covers the kinds. The smallest effect is that of Bloom (Evaluation Review 19, 1995) at the level of this test.

use std::collections::BTreeMap;

use trajview_code::plants::PlantKind;

use crate::{
    bootstrap::Interval,
    maths::{fisher_quantile, mean},
    outcomes::wilson_interval,
    paired::holm_adjust,
};

const CONFIDENCE: f64 = 0.95;

/// Largest adjusted p-value that names a judge.
const SIGNIFICANT: f64 = 0.05;

/// Half a level: a shift within it counts as none, and a fall must be at least that large.
pub const MARGIN: f64 = 0.5;

/// The variance that is added to those of the shifts, as if half a component had moved by a level: shifts that are all
/// the same would have an interval without width.
const ADDED_SQUARES: f64 = 0.5;

/// The state of the tree in one trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CrashEdit {
    Unedited,
    /// Unedited once more.
    Repeat,
    Plant(PlantKind),
}

/// One component in one state of the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct CrashTrial {
    pub component: String,
    pub edit: CrashEdit,
    /// What was planted; None without an edit, and where none was possible.
    pub summary: Option<String>,
    /// The planted edit as a unified diff.
    pub diff: Option<String>,
    /// The reason why this kind cannot be planted in the component.
    pub not_applicable: Option<String>,
    /// None as long as the judge was not asked.
    pub answer: Option<CrashAnswer>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct CrashAnswer {
    /// 0..=4; None where the judge gave none.
    pub level: Option<u8>,
    pub rationale: String,
    pub error: Option<String>,
    /// True if the judge opened nothing; such a level does not count.
    pub is_unlooked: bool,
}

impl CrashTrial {
    /// Returns whether the judge is asked about it.
    pub(crate) const fn is_planted(&self) -> bool {
        self.not_applicable.is_none()
    }

    fn counted_level(&self) -> Option<f64> {
        let answer = self.answer.as_ref().filter(|it| !it.is_unlooked)?;
        answer.level.map(f64::from)
    }

    /// Returns whether the judge gave a usable answer, which may be that it cannot tell.
    fn is_answered(&self) -> bool {
        self.is_planted() && self.answer.as_ref().is_some_and(|it| it.error.is_none())
    }
}

/// What a kind of edit shows of a judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrashVerdict {
    /// The level moves though the edit must not matter.
    Moves,
    /// The level does not fall though the edit must matter.
    DoesNotMove,
    Passes,
    TooSmall,
    /// Nothing was planted.
    NotApplicable,
}

impl CrashVerdict {
    pub const fn words(self) -> &'static str {
        match self {
            Self::Moves => "moves where it must not",
            Self::DoesNotMove => "does not move where it must",
            Self::Passes => "passes",
            Self::TooSmall => "too small a sample to say",
            Self::NotApplicable => "not applicable",
        }
    }

    /// Returns whether it speaks against the judge.
    pub const fn is_named(self) -> bool {
        matches!(self, Self::Moves | Self::DoesNotMove)
    }
}

/// The numbers of one kind of edit, or of the repeats.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CrashShift {
    /// Components with a planted edit.
    pub planted: usize,
    /// Components with a level in both states, without those of [`Self::at_bottom`].
    pub counted: usize,
    /// Components at level 0 unedited: they cannot fall, so they do not count where the edit must matter.
    pub at_bottom: usize,
    /// Components whose level is another one.
    pub changed: usize,
    /// The mean shift in levels; None of nothing.
    pub shift: Option<f64>,
    /// None of fewer than two.
    pub shift_interval: Option<Interval>,
    /// Wilson's interval of the share of changed levels.
    pub changed_interval: Option<Interval>,
    /// The smallest mean shift that the test that decides would show in 80 % of cases. None without a test, and where no
    /// shift of so few components is significant.
    pub detectable: Option<f64>,
}

/// One kind of edit.
#[derive(Debug, Clone, PartialEq)]
pub struct CrashRow {
    pub kind: PlantKind,
    pub shift: CrashShift,
    /// Adjusted for all kinds that must not matter, or for all that must.
    pub p: Option<f64>,
    pub verdict: CrashVerdict,
    /// The most frequent reason why it was not planted, and the number of components without it.
    pub not_planted: Option<(String, usize)>,
}

impl CrashRow {
    /// Returns why there is no smallest effect; None where there is one, and where nothing counts.
    pub fn undetectable_text(&self) -> Option<String> {
        let counted = self.shift.counted;
        (counted > 0 && self.shift.detectable.is_none())
            .then(|| format!("no shift of {counted} components can be significant"))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct CrashCard {
    /// Components of the sample.
    pub components: usize,
    /// Trials to ask, and those with a usable answer.
    pub trials: usize,
    pub answered: usize,
    /// The judge against itself.
    pub noise: CrashShift,
    /// All kinds, those that must not matter first.
    pub rows: Vec<CrashRow>,
}

impl CrashCard {
    pub fn from_trials(trials: &[CrashTrial]) -> Self {
        let levels = levels_of(trials);
        let pairs = |edit: CrashEdit| -> Vec<LevelPair> {
            let of_edit = trials.iter().filter(|it| it.edit == edit && it.is_planted());
            let pair = |it: &CrashTrial| {
                let level = |edit: CrashEdit| levels.get(&(it.component.as_str(), edit)).copied();
                let before = level(CrashEdit::Unedited)?;
                let after = it.counted_level()?;
                let again = level(CrashEdit::Repeat);
                Some(LevelPair { before, after, again })
            };
            of_edit.filter_map(pair).collect()
        };
        let planted_count =
            |edit| trials.iter().filter(|it| it.edit == edit && it.is_planted()).count();
        let mut rows: Vec<CrashRow> = vec![];
        for must_matter in [false, true] {
            let kinds = PlantKind::ALL.into_iter().filter(|it| it.must_matter() == must_matter);
            let measured: Vec<_> = kinds
                .map(|kind| {
                    let mut pairs = pairs(CrashEdit::Plant(kind));
                    let all = pairs.len();
                    pairs.retain(|it| !must_matter || it.before > 0.0);
                    let at_bottom = all - pairs.len();
                    let p = raw_p(&pairs, must_matter);
                    (kind, pairs, at_bottom, p)
                })
                .collect();
            let raw: Vec<f64> = measured.iter().filter_map(|(.., p)| *p).collect();
            let mut adjusted = holm_adjust(&raw).into_iter();
            for (kind, pairs, at_bottom, p) in measured {
                let shift = CrashShift {
                    at_bottom,
                    detectable: detectable_shift(&pairs, must_matter, raw.len()),
                    ..CrashShift::from_pairs(&pairs, planted_count(CrashEdit::Plant(kind)))
                };
                let p = p.and_then(|_| adjusted.next()).map(|it| it.p);
                let verdict = verdict_of(&shift, p, must_matter);
                rows.push(CrashRow { kind, shift, p, verdict, not_planted: reason(trials, kind) });
            }
        }
        let mut components: Vec<&str> = trials.iter().map(|it| it.component.as_str()).collect();
        components.sort_unstable();
        components.dedup();
        Self {
            components: components.len(),
            trials: trials.iter().filter(|it| it.is_planted()).count(),
            answered: trials.iter().filter(|it| it.is_answered()).count(),
            noise: CrashShift::from_pairs(
                &pairs(CrashEdit::Repeat),
                planted_count(CrashEdit::Repeat),
            ),
            rows,
        }
    }

    /// Returns the kinds that speak against the judge.
    pub fn named_kinds(&self) -> impl Iterator<Item = &CrashRow> {
        self.rows.iter().filter(|row| row.verdict.is_named())
    }

    /// Returns the result in one sentence.
    pub fn summary_text(&self) -> String {
        let with = |verdict: CrashVerdict| -> Vec<&str> {
            let rows = self.rows.iter().filter(|row| row.verdict == verdict);
            rows.map(|row| row.kind.word()).collect()
        };
        let named = [CrashVerdict::Moves, CrashVerdict::DoesNotMove].map(|verdict| {
            let kinds = with(verdict);
            (!kinds.is_empty()).then(|| format!("{}: {}", verdict.words(), kinds.join(", ")))
        });
        let named: Vec<String> = named.into_iter().flatten().collect();
        match (named.is_empty(), with(CrashVerdict::Passes).len(), with(CrashVerdict::TooSmall)) {
            (false, ..) => named.join("; "),
            (true, passed, small) if small.is_empty() && passed > 0 => {
                format!("passes all {passed} kinds")
            }
            (true, passed, small) => {
                format!("passes {passed} kinds; too small a sample for {}", small.len())
            }
        }
    }
}

/// A crash test with its card, as commands print it and the screen shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct CrashReport {
    /// The name of its file; empty where nothing is saved yet.
    pub file: String,
    pub judge: String,
    pub model: Option<String>,
    pub run: String,
    pub commit: Option<String>,
    /// Turns done.
    pub turn: usize,
    pub created_at: String,
    pub is_finished: bool,
    pub seed: u64,
    /// Ids of the sample, in the order of the checklist.
    pub components: Vec<String>,
    pub trials: Vec<CrashTrial>,
    pub card: CrashCard,
    /// Cost and tokens so far; None where they are not known.
    pub spent_usd: Option<f64>,
    pub tokens: Option<u64>,
    /// Requests whose tokens the server did not name; with any of them the cost is not known.
    pub requests_without_usage: usize,
}

/// Returns the levels that count, by component and state of the tree.
fn levels_of(trials: &[CrashTrial]) -> BTreeMap<(&str, CrashEdit), f64> {
    let mut levels = BTreeMap::new();
    for trial in trials {
        if let Some(level) = trial.counted_level() {
            levels.insert((trial.component.as_str(), trial.edit), level);
        }
    }
    levels
}

/// Returns the most frequent reason why a kind was not planted, with the number of components without it.
fn reason(trials: &[CrashTrial], kind: PlantKind) -> Option<(String, usize)> {
    let of_kind = trials.iter().filter(|it| it.edit == CrashEdit::Plant(kind));
    let mut counts = BTreeMap::<&str, usize>::new();
    for reason in of_kind.filter_map(|it| it.not_applicable.as_deref()) {
        *counts.entry(reason).or_default() += 1;
    }
    let (most, _) = counts.iter().max_by_key(|(_, count)| **count)?;
    Some(((*most).to_owned(), counts.values().sum()))
}

/// The levels of one component.
#[derive(Debug, Clone, Copy)]
struct LevelPair {
    before: f64,
    after: f64,
    /// The level of the repeat.
    again: Option<f64>,
}

impl CrashShift {
    fn from_pairs(pairs: &[LevelPair], planted: usize) -> Self {
        let shifts = shifts_of(pairs);
        let counted = shifts.len();
        let changed = shifts.iter().filter(|shift| **shift != 0.0).count();
        let shift = (counted > 0).then(|| mean(&shifts));
        let shift_interval = shift.zip(standard_error(&shifts)).map(|(shift, (error, freedom))| {
            let half = student_quantile(CONFIDENCE, freedom) * error;
            Interval { low: shift - half, high: shift + half }
        });
        Self {
            planted,
            counted,
            at_bottom: 0,
            changed,
            shift,
            shift_interval,
            changed_interval: wilson_interval(changed, counted, CONFIDENCE).ok(),
            detectable: None,
        }
    }

    /// Returns the share of changed levels; None of nothing.
    pub fn changed_share(&self) -> Option<f64> {
        (self.counted > 0).then(|| self.changed as f64 / self.counted as f64)
    }
}

fn shifts_of(pairs: &[LevelPair]) -> Vec<f64> {
    pairs.iter().map(|it| it.after - it.before).collect()
}

/// Returns the standard error of the mean shift with its degrees of freedom; None of fewer than two.
fn standard_error(shifts: &[f64]) -> Option<(f64, f64)> {
    let counted = shifts.len();
    if counted < 2 {
        return None;
    }
    let shift = mean(shifts);
    let squares: f64 = shifts.iter().map(|it| (it - shift).powi(2)).sum();
    let freedom = (counted - 1) as f64;
    Some((((squares + ADDED_SQUARES) / freedom / counted as f64).sqrt(), freedom))
}

/// Returns Student's two-sided quantile.
fn student_quantile(confidence: f64, freedom: f64) -> f64 {
    fisher_quantile(confidence, 1.0, freedom).sqrt()
}

/// Returns the smallest mean shift that a test of so many kinds would show in 80 % of cases. None where the smallest p-value
/// of the exact test is too large, adjusted for the kinds.
fn detectable_shift(pairs: &[LevelPair], must_matter: bool, kinds: usize) -> Option<f64> {
    let level = SIGNIFICANT / kinds as f64;
    let moves = fewest_moves(pairs, must_matter, level)?;
    let (error, freedom) = standard_error(&shifts_of(pairs))?;
    // A fall is tested on one side; a move on both, and by two tests.
    let tails = if must_matter { 2.0 * level } else { level / 2.0 };
    // The two-sided quantile at 0.6 is the one-sided one at 0.8.
    let factor = student_quantile(1.0 - tails, freedom) + student_quantile(0.6, freedom);
    // The exact test needs that many components that move by a level.
    Some((factor * error).max(moves as f64 / pairs.len() as f64))
}

/// Returns how many components must at least move, all in one direction and none by itself, for a p-value of this level.
fn fewest_moves(pairs: &[LevelPair], must_matter: bool, level: f64) -> Option<usize> {
    let repeated = pairs.iter().filter(|it| it.again.is_some()).count();
    let smallest_p = |moves: usize| {
        let one_sided = 0.5_f64.powi(moves as i32);
        match must_matter {
            true => one_sided,
            // The comparison with the repeats is one-sided, the exchange of signs is not; both are doubled.
            false if moves <= repeated => 2.0 * one_sided,
            false => 4.0 * one_sided,
        }
    };
    (1..=pairs.len()).find(|moves| smallest_p(*moves) <= level)
}

/// Returns the p-value of a kind: that it matters, or that the level falls. None of nothing.
fn raw_p(pairs: &[LevelPair], must_matter: bool) -> Option<f64> {
    if pairs.is_empty() {
        return None;
    }
    let shifts: Vec<i32> = pairs.iter().map(|it| (it.after - it.before).round() as i32).collect();
    let (fall, moved) = sign_exchange_p(&shifts);
    if must_matter {
        return Some(fall);
    }
    let of_edit = |it: &LevelPair| it.after != it.before;
    let of_repeat = |it: &LevelPair| it.again.is_some_and(|again| again != it.before);
    let repeated = || pairs.iter().filter(|it| it.again.is_some());
    let by_edit = repeated().filter(|it| of_edit(it) && !of_repeat(it)).count();
    let by_repeat = repeated().filter(|it| of_repeat(it) && !of_edit(it)).count();
    // Each p-value alone finds another fault: a shift in one direction, and moves in both.
    Some((2.0 * moved.min(at_least_heads_p(by_edit, by_edit + by_repeat))).min(1.0))
}

/// Returns the exact p-values of a sum of differences over all exchanges of their signs: of a sum as low, and of one as far from 0.
fn sign_exchange_p(differences: &[i32]) -> (f64, f64) {
    let most: i32 = differences.iter().map(|it| it.abs()).sum();
    let observed: i32 = differences.iter().sum();
    let mut chances = vec![0.0; 2 * most as usize + 1];
    chances[most as usize] = 1.0;
    for difference in differences.iter().map(|it| it.unsigned_abs() as usize) {
        let mut next = vec![0.0; chances.len()];
        for (at, chance) in chances.iter().enumerate().filter(|(_, chance)| **chance > 0.0) {
            next[at - difference] += chance / 2.0;
            next[at + difference] += chance / 2.0;
        }
        chances = next;
    }
    let sums = || (-most..=most).zip(&chances);
    let low: f64 = sums().filter(|(sum, _)| *sum <= observed).map(|(_, chance)| chance).sum();
    let far: f64 =
        sums().filter(|(sum, _)| sum.abs() >= observed.abs()).map(|(_, chance)| chance).sum();
    (low.min(1.0), far.min(1.0))
}

/// Returns the chance of at least so many heads among throws of a fair coin.
fn at_least_heads_p(heads: usize, throws: usize) -> f64 {
    let mut chances = vec![1.0];
    for _ in 0..throws {
        let mut next = vec![0.0; chances.len() + 1];
        for (at, chance) in chances.iter().enumerate() {
            next[at] += chance / 2.0;
            next[at + 1] += chance / 2.0;
        }
        chances = next;
    }
    chances[heads.min(throws)..].iter().sum::<f64>().min(1.0)
}

fn verdict_of(shift: &CrashShift, p: Option<f64>, must_matter: bool) -> CrashVerdict {
    let is_significant = p.is_some_and(|p| p <= SIGNIFICANT);
    let Some(interval) = shift.shift_interval else {
        return match shift.planted {
            0 => CrashVerdict::NotApplicable,
            _ => CrashVerdict::TooSmall,
        };
    };
    match must_matter {
        true if is_significant => CrashVerdict::Passes,
        true if interval.low > -MARGIN => CrashVerdict::DoesNotMove,
        false if is_significant => CrashVerdict::Moves,
        false if interval.low > -MARGIN && interval.high < MARGIN => CrashVerdict::Passes,
        true | false => CrashVerdict::TooSmall,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A judge that gives a component at a state of the tree a level.
    fn trials_of(count: usize, level: impl FnMut(usize, CrashEdit) -> u8) -> Vec<CrashTrial> {
        let mut level = level;
        let edits = [CrashEdit::Unedited, CrashEdit::Repeat].into_iter();
        let edits: Vec<CrashEdit> =
            edits.chain(PlantKind::ALL.into_iter().map(CrashEdit::Plant)).collect();
        let mut trials = vec![];
        for number in 0..count {
            for edit in &edits {
                let is_impossible = *edit == CrashEdit::Plant(PlantKind::RecoveredError);
                trials.push(CrashTrial {
                    component: format!("C{number:02}"),
                    edit: *edit,
                    summary: None,
                    diff: None,
                    not_applicable: is_impossible.then(|| "no transcript".to_owned()),
                    answer: (!is_impossible).then(|| CrashAnswer {
                        level: Some(level(number, *edit)),
                        ..CrashAnswer::default()
                    }),
                });
            }
        }
        trials
    }

    fn sound_level(number: usize, edit: CrashEdit) -> u8 {
        match edit {
            CrashEdit::Plant(kind) if kind.must_matter() => 0,
            CrashEdit::Unedited | CrashEdit::Repeat | CrashEdit::Plant(_) => 1 + (number % 4) as u8,
        }
    }

    fn named_words(card: &CrashCard) -> Vec<&str> {
        card.named_kinds().map(|row| row.kind.word()).collect()
    }

    #[test]
    fn a_sound_judge_passes_and_biased_ones_are_named() {
        let sound = CrashCard::from_trials(&trials_of(12, sound_level));
        assert_eq!(sound.summary_text(), "passes all 11 kinds");
        assert_eq!((sound.components, sound.trials, sound.answered), (12, 156, 156));

        let believer = CrashCard::from_trials(&trials_of(12, |number, edit| match edit {
            CrashEdit::Plant(PlantKind::Claim) => (sound_level(number, edit) + 1).min(4),
            _ => sound_level(number, edit),
        }));
        assert_eq!(believer.summary_text(), "moves where it must not: claim");

        let blind = CrashCard::from_trials(&trials_of(12, |number, edit| match edit {
            CrashEdit::Plant(PlantKind::Delete) => sound_level(number, CrashEdit::Unedited),
            _ => sound_level(number, edit),
        }));
        assert_eq!(blind.summary_text(), "does not move where it must: delete");
    }

    #[test]
    fn two_components_are_too_few_to_say_anything() {
        let card = CrashCard::from_trials(&trials_of(2, sound_level));

        assert!(named_words(&card).is_empty());
        assert_eq!(card.summary_text(), "passes 0 kinds; too small a sample for 11");
        assert_eq!(card.rows[0].shift.detectable, None);
        let why = card.rows[0].undetectable_text();
        assert_eq!(why.as_deref(), Some("no shift of 2 components can be significant"));
        let unknown = card.rows.iter().find(|it| it.kind == PlantKind::RecoveredError).unwrap();
        assert_eq!(unknown.verdict, CrashVerdict::NotApplicable);
        assert_eq!(unknown.not_planted, Some(("no transcript".into(), 2)));
    }

    #[test]
    fn components_at_level_0_do_not_count_where_an_edit_must_matter() {
        let card = CrashCard::from_trials(&trials_of(12, |_, _| 0));

        assert_eq!(card.summary_text(), "passes 7 kinds; too small a sample for 4");
        let delete = card.rows.iter().find(|it| it.kind == PlantKind::Delete).unwrap();
        assert_eq!(
            (delete.shift.planted, delete.shift.counted, delete.shift.at_bottom),
            (12, 0, 12)
        );
        assert_eq!((card.rows[0].shift.counted, card.rows[0].shift.at_bottom), (12, 0));

        let half = CrashCard::from_trials(&trials_of(16, |number, edit| match number % 2 {
            0 => 0,
            _ => sound_level(number, edit),
        }));
        let delete = half.rows.iter().find(|it| it.kind == PlantKind::Delete).unwrap();
        assert_eq!((delete.shift.counted, delete.shift.at_bottom), (8, 8));
        assert_eq!(half.summary_text(), "passes all 11 kinds");
    }

    #[test]
    fn five_steady_components_pass_what_must_not_matter_and_seven_what_must() {
        let summary = |count| CrashCard::from_trials(&trials_of(count, sound_level)).summary_text();

        assert_eq!(summary(4), "passes 0 kinds; too small a sample for 11");
        assert_eq!(summary(5), "passes 7 kinds; too small a sample for 4");
        assert_eq!(summary(6), "passes 7 kinds; too small a sample for 4");
        assert_eq!(summary(7), "passes all 11 kinds");
    }

    #[test]
    fn the_smallest_effect_is_that_of_the_test_that_decides() {
        let shift_of = |count, kind| {
            let card = CrashCard::from_trials(&trials_of(count, sound_level));
            card.rows.into_iter().find(|it| it.kind == kind).unwrap().shift
        };

        // Seven kinds, two tests: 14 / 2^8 is more than 0.05, 14 / 2^9 is less.
        assert_eq!(shift_of(8, PlantKind::Rename).detectable, None);
        assert_eq!(shift_of(9, PlantKind::Rename).detectable, Some(1.0));
        assert_eq!(shift_of(12, PlantKind::Rename).detectable, Some(0.75));
        // Four kinds: 4 / 2^6 is more, 4 / 2^7 is less.
        assert_eq!(shift_of(6, PlantKind::Delete).detectable, None);
        assert!(shift_of(7, PlantKind::Delete).detectable.is_some_and(|it| it >= 1.0));
    }

    #[test]
    fn an_answer_with_an_error_is_no_verdict() {
        let mut trials = trials_of(3, sound_level);
        trials[1].answer =
            Some(CrashAnswer { error: Some("no JSON".into()), ..CrashAnswer::default() });
        trials[2].answer = None;

        let card = CrashCard::from_trials(&trials);

        assert_eq!((card.trials, card.answered), (39, 37));
    }

    #[test]
    fn moves_in_both_directions_are_named_too() {
        let card = CrashCard::from_trials(&trials_of(12, |number, edit| match edit {
            CrashEdit::Plant(PlantKind::Rename) if number % 2 == 0 => 3,
            CrashEdit::Plant(PlantKind::Rename) => 1,
            CrashEdit::Plant(kind) if kind.must_matter() => 0,
            _ => 2,
        }));

        assert_eq!(named_words(&card), ["rename"]);
        assert_eq!(card.rows[0].shift.shift, Some(0.0));
    }

    #[test]
    fn p_values_are_those_of_counting_all_exchanges() {
        // itertools.product([1, -1], repeat=6) of Python
        let (low, far) = sign_exchange_p(&[1, 1, 2, 0, -1, 1]);
        assert!((low - 31.0 / 32.0).abs() < 1e-12 && (far - 0.3125).abs() < 1e-12, "{low} {far}");
        // scipy.stats.binomtest(7, 8, alternative="greater").pvalue
        assert!((at_least_heads_p(7, 8) - 0.03515625).abs() < 1e-12);
    }

    /// A sound judge that is one level off in a fifth of all verdicts is named in few of 400 crash tests.
    #[test]
    fn a_noisy_sound_judge_is_seldom_named() {
        let mut state = 7_u64;
        let mut chance = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1_u32 << 31)
        };
        let mut named = 0;
        for _ in 0..400 {
            let card = CrashCard::from_trials(&trials_of(12, |number, edit| {
                let level = sound_level(number, edit);
                match chance() {
                    it if it < 0.1 => level.saturating_sub(1),
                    it if it > 0.9 => (level + 1).min(4),
                    _ => level,
                }
            }));
            named += usize::from(card.named_kinds().next().is_some());
        }

        assert!(named <= 20, "named {named} of 400");
    }
}
