//! SLUMP's numbers of two runs with their intervals.
//!
//! What is drawn is what a number is a mean of. Components are drawn with the scores of both runs together, so that they
//! stay paired; exported symbols are of one run each and are drawn in each run by itself. IF50 is drawn from both. The
//! interval is BCa of these samples, as `scipy.stats.bootstrap` has it for several. The draws of a resample come from one
//! generator: components, then symbols of the first run, then those of the second.

use std::collections::{BTreeMap, BTreeSet};

use super::{ComparedRun, Subtraction};
use crate::{
    BootstrapPlan, Estimate, NumberOrReason, Undefined,
    bootstrap::{Resamples, bca_estimate_of_samples},
};
use trajview_metrics::{Number, faithfulness::if50};
use trajview_run::rubric::Verdict;

/// The method of the intervals, as text.
pub const INTERVAL_METHOD: &str = "95 % BCa; components resampled with both scores, exported symbols resampled in each run separately";

/// A number of two runs and what there is between them, each with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EstimatedNumber {
    pub number: Number,
    pub a: Estimate,
    pub b: Estimate,
    /// The difference in the direction of the subtraction.
    pub difference: Estimate,
}

/// The parts from which the numbers of two runs are computed; equal parts give equal intervals.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IntervalParts {
    /// Scores of each component that either run is judged on.
    components: Vec<[Option<f64>; 2]>,
    /// The symbols of each run, at its end and at the judged state.
    at_end: [Option<SymbolCounts>; 2],
    as_judged: [Option<SymbolCounts>; 2],
}

/// Exported symbols of a state of the code, one at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SymbolCounts {
    exported: usize,
    reused: usize,
}

/// The kind of thing that a number is a mean of.
#[derive(Debug, Clone, Copy)]
enum DrawnPart {
    Components,
    Symbols,
    /// IF50.
    Both,
}

impl IntervalParts {
    pub fn for_pair(pair: [&ComparedRun; 2]) -> Self {
        let scores = pair.map(component_scores);
        let ids: BTreeSet<&String> = scores.iter().flat_map(BTreeMap::keys).collect();
        let score_pair = |id: &&String| [0, 1].map(|side: usize| scores[side].get(*id).copied());
        let judged = |party: &ComparedRun| {
            let judgement = party.judgement()?;
            symbol_counts(party, super::turns_done_at_judgement(&party.run, judgement))
        };
        Self {
            components: ids.iter().map(score_pair).collect(),
            at_end: pair.map(|party| symbol_counts(party, party.run.turns.len())),
            as_judged: pair.map(judged),
        }
    }

    /// Returns the estimates of MCF, DIR and IF50, in this order.
    pub fn number_intervals(&self, by: Subtraction, plan: &BootstrapPlan) -> [EstimatedNumber; 3] {
        let (mcf, dir, if50) = (DrawnPart::Components, DrawnPart::Symbols, DrawnPart::Both);
        let (components, none) = (&self.components, &vec![]);
        [
            estimate_number(Number::Mcf, mcf, &DrawSamples::new(components, [None; 2]), by, plan),
            estimate_number(Number::Dir, dir, &DrawSamples::new(none, self.at_end), by, plan),
            estimate_number(
                Number::If50,
                if50,
                &DrawSamples::new(components, self.as_judged),
                by,
                plan,
            ),
        ]
    }
}

/// Returns the scores of the components of the checklist by the judgement that speaks.
fn component_scores(party: &ComparedRun) -> BTreeMap<String, f64> {
    let checklist = party.rubric.checklist.as_ref();
    let is_listed = |verdict: &&Verdict| {
        checklist.is_none_or(|it| it.components.iter().any(|one| one.id == verdict.component))
    };
    let verdicts = party.judgement().into_iter().flat_map(|it| &it.verdicts).filter(is_listed);
    verdicts.filter_map(|it| Some((it.component.clone(), it.counted_value()?))).collect()
}

/// Returns the counts of symbols; None where there is no DIR.
fn symbol_counts(party: &ComparedRun, done: usize) -> Option<SymbolCounts> {
    let found = party.reuse.get(&done).copied().flatten()?;
    found.dir?;
    Some(SymbolCounts { exported: found.exported?, reused: found.reused? })
}

fn estimate_number(
    number: Number,
    drawn: DrawnPart,
    samples: &DrawSamples,
    by: Subtraction,
    plan: &BootstrapPlan,
) -> EstimatedNumber {
    let side = |side: usize| {
        let value = |sums: &DrawnSums| sums.side_value(side, drawn);
        samples.for_side(side).estimate_statistic(value, plan)
    };
    let sign = if by.from < by.subtracted { 1.0 } else { -1.0 };
    let difference =
        |sums: &DrawnSums| Ok(sign * (sums.side_value(0, drawn)? - sums.side_value(1, drawn)?));
    EstimatedNumber {
        number,
        a: side(0),
        b: side(1),
        difference: samples.estimate_statistic(difference, plan),
    }
}

/// The samples to draw from.
struct DrawSamples {
    components: Vec<[Option<f64>; 2]>,
    symbols: [Option<SymbolCounts>; 2],
}

/// Sums over what was drawn, one a run.
#[derive(Debug, Clone, Copy, Default)]
struct DrawnSums {
    scores: [f64; 2],
    scored: [usize; 2],
    exported: [usize; 2],
    reused: [usize; 2],
}

impl DrawSamples {
    fn new(components: &[[Option<f64>; 2]], symbols: [Option<SymbolCounts>; 2]) -> Self {
        Self { components: components.to_vec(), symbols }
    }

    /// Returns the samples of one run alone.
    fn for_side(&self, side: usize) -> Self {
        let is_scored = |it: &&[Option<f64>; 2]| it[side].is_some();
        let mut symbols = [None; 2];
        symbols[side] = self.symbols[side];
        Self { components: self.components.iter().filter(is_scored).copied().collect(), symbols }
    }

    fn estimate_statistic(
        &self,
        value: impl Fn(&DrawnSums) -> NumberOrReason,
        plan: &BootstrapPlan,
    ) -> Estimate {
        let observed = value(&self.total_sums());
        let sizes = [self.components.len()].into_iter();
        let mut sizes =
            sizes.chain(self.symbols.iter().flatten().map(|it| it.exported)).filter(|it| *it > 0);
        if observed.is_err() || sizes.any(|size| size < 2) {
            let interval = Err(observed.err().unwrap_or(Undefined::FewerThanTwoPairs));
            return Estimate { value: observed, interval, undefined_resamples: 0 };
        }
        let mut random = Resamples::new(plan.seed, 0);
        let drawn = (0..plan.resamples).map(|_| value(&self.draw_sums(&mut random)));
        let without = self.leave_one_out();
        let without = without.iter().map(|sample| sample.iter().map(&value).collect());
        let (drawn, without): (Vec<NumberOrReason>, Vec<Vec<NumberOrReason>>) =
            (drawn.collect(), without.collect());
        bca_estimate_of_samples(observed, &drawn, &without, plan.confidence)
    }

    fn total_sums(&self) -> DrawnSums {
        let mut sums = DrawnSums::default();
        self.components.iter().for_each(|it| sums.add_component(it));
        for (side, symbols) in self.symbols.iter().enumerate() {
            sums.exported[side] = symbols.map_or(0, |it| it.exported);
            sums.reused[side] = symbols.map_or(0, |it| it.reused);
        }
        sums
    }

    fn draw_sums(&self, random: &mut Resamples) -> DrawnSums {
        let mut sums = DrawnSums::default();
        for _ in &self.components {
            sums.add_component(&self.components[random.draw_below(self.components.len())]);
        }
        for (side, symbols) in self.symbols.iter().enumerate() {
            let Some(SymbolCounts { exported, reused }) = *symbols else { continue };
            let is_reused = |_: &usize| random.draw_below(exported) < reused;
            sums.reused[side] = (0..exported).filter(is_reused).count();
            sums.exported[side] = exported;
        }
        sums
    }

    /// Returns the sums without each component in turn; then without each symbol of the first run, then of the
    /// second.
    fn leave_one_out(&self) -> Vec<Vec<DrawnSums>> {
        let total = self.total_sums();
        let components = self.components.iter().map(|it| total.without_component(it)).collect();
        let of_side = |side: usize| {
            let SymbolCounts { exported, reused } = self.symbols[side]?;
            let without = |is_reused: bool| {
                let mut sums = total;
                sums.exported[side] -= 1;
                sums.reused[side] -= usize::from(is_reused);
                sums
            };
            Some((0..exported).map(|at| without(at < reused)).collect())
        };
        let samples = [Some(components), of_side(0), of_side(1)].into_iter().flatten();
        samples.filter(|sample: &Vec<DrawnSums>| !sample.is_empty()).collect()
    }
}

impl DrawnSums {
    fn add_component(&mut self, component: &[Option<f64>; 2]) {
        for (side, score) in component.iter().enumerate() {
            self.scores[side] += score.unwrap_or_default();
            self.scored[side] += usize::from(score.is_some());
        }
    }

    fn without_component(mut self, component: &[Option<f64>; 2]) -> Self {
        for (side, score) in component.iter().enumerate() {
            self.scores[side] -= score.unwrap_or_default();
            self.scored[side] -= usize::from(score.is_some());
        }
        self
    }

    fn side_value(&self, side: usize, drawn: DrawnPart) -> NumberOrReason {
        let share = |sum: f64, count: usize| {
            if count == 0 { Err(Undefined::NoPairs) } else { Ok(sum / count as f64) }
        };
        let mcf = || share(self.scores[side], self.scored[side]);
        let dir = || share(self.reused[side] as f64, self.exported[side]);
        match drawn {
            DrawnPart::Components => mcf(),
            DrawnPart::Symbols => dir(),
            DrawnPart::Both => Ok(if50(mcf()?, dir()?)),
        }
    }
}
