//! SLUMP's numbers of two runs with their intervals.
//!
//! What is drawn is what a number is a mean of. Components are drawn with the scores of both runs together, so that they
//! stay paired; exported symbols are of one run each and are drawn in each run by itself. IF50 is drawn from both. The
//! interval is BCa of these samples, as `scipy.stats.bootstrap` has it for several. The draws of a resample come from one
//! generator: components, then symbols of the first run, then those of the second.

use std::collections::{BTreeMap, BTreeSet};

use super::{Party, Subtraction};
use crate::{
    Estimate, Plan, Undefined, Value,
    bootstrap::{Resamples, estimate_of_samples},
};
use trajview_metrics::{Number, faithfulness::if50};
use trajview_run::rubric::Verdict;

/// How the intervals are made, in words.
pub const DRAWN: &str =
    "95 % BCa; components drawn with both scores, exported symbols drawn in each run by itself";

/// A number of two runs and what there is between them, each with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimated {
    pub number: Number,
    pub a: Estimate,
    pub b: Estimate,
    /// In the sense of the subtraction.
    pub difference: Estimate,
}

/// What the numbers of two runs are made of: with the same parts come the same intervals.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parts {
    /// Scores of each component that either run is judged on.
    components: Vec<[Option<f64>; 2]>,
    /// Of each run at its end, and of the state that was judged.
    at_end: [Option<Symbols>; 2],
    as_judged: [Option<Symbols>; 2],
}

/// Exported symbols of a state of the code, one at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Symbols {
    exported: usize,
    reused: usize,
}

/// What a number is a mean of.
#[derive(Debug, Clone, Copy)]
enum Drawn {
    Components,
    Symbols,
    /// IF50.
    Both,
}

impl Parts {
    pub fn of(pair: [&Party; 2]) -> Self {
        let scores = pair.map(scores);
        let ids: BTreeSet<&String> = scores.iter().flat_map(BTreeMap::keys).collect();
        let of = |id: &&String| [0, 1].map(|side: usize| scores[side].get(*id).copied());
        let judged = |party: &Party| {
            let judgement = party.judgement()?;
            symbols(party, super::done_at(&party.run, judgement))
        };
        Self {
            components: ids.iter().map(of).collect(),
            at_end: pair.map(|party| symbols(party, party.run.turns.len())),
            as_judged: pair.map(judged),
        }
    }

    /// MCF, DIR and IF50, in this order.
    pub fn intervals(&self, by: Subtraction, plan: &Plan) -> [Estimated; 3] {
        let (mcf, dir, if50) = (Drawn::Components, Drawn::Symbols, Drawn::Both);
        let (components, none) = (&self.components, &vec![]);
        [
            estimated(Number::Mcf, mcf, &Samples::of(components, [None; 2]), by, plan),
            estimated(Number::Dir, dir, &Samples::of(none, self.at_end), by, plan),
            estimated(Number::If50, if50, &Samples::of(components, self.as_judged), by, plan),
        ]
    }
}

/// The scores of the components of the checklist by the judgement that speaks.
fn scores(party: &Party) -> BTreeMap<String, f64> {
    let checklist = party.rubric.checklist.as_ref();
    let is_listed = |verdict: &&Verdict| {
        checklist.is_none_or(|it| it.components.iter().any(|one| one.id == verdict.component))
    };
    let verdicts = party.judgement().into_iter().flat_map(|it| &it.verdicts).filter(is_listed);
    verdicts.filter_map(|it| Some((it.component.clone(), it.value()?))).collect()
}

/// None where there is no DIR.
fn symbols(party: &Party, done: usize) -> Option<Symbols> {
    let found = party.reuse.get(&done).copied().flatten()?;
    found.dir?;
    Some(Symbols { exported: found.exported?, reused: found.reused? })
}

fn estimated(
    number: Number,
    drawn: Drawn,
    samples: &Samples,
    by: Subtraction,
    plan: &Plan,
) -> Estimated {
    let side = |side: usize| {
        let value = |sums: &Sums| sums.value(side, drawn);
        samples.of_side(side).estimate(value, plan)
    };
    let sign = if by.from < by.taken { 1.0 } else { -1.0 };
    let difference = |sums: &Sums| Ok(sign * (sums.value(0, drawn)? - sums.value(1, drawn)?));
    Estimated { number, a: side(0), b: side(1), difference: samples.estimate(difference, plan) }
}

/// What is drawn from.
struct Samples {
    components: Vec<[Option<f64>; 2]>,
    symbols: [Option<Symbols>; 2],
}

/// Sums over what was drawn, one a run.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    scores: [f64; 2],
    scored: [usize; 2],
    exported: [usize; 2],
    reused: [usize; 2],
}

impl Samples {
    fn of(components: &[[Option<f64>; 2]], symbols: [Option<Symbols>; 2]) -> Self {
        Self { components: components.to_vec(), symbols }
    }

    /// What is drawn where one run is looked at alone.
    fn of_side(&self, side: usize) -> Self {
        let is_scored = |it: &&[Option<f64>; 2]| it[side].is_some();
        let mut symbols = [None; 2];
        symbols[side] = self.symbols[side];
        Self { components: self.components.iter().filter(is_scored).copied().collect(), symbols }
    }

    fn estimate(&self, value: impl Fn(&Sums) -> Value, plan: &Plan) -> Estimate {
        let whole = value(&self.whole());
        let sizes = [self.components.len()].into_iter();
        let mut sizes =
            sizes.chain(self.symbols.iter().flatten().map(|it| it.exported)).filter(|it| *it > 0);
        if whole.is_err() || sizes.any(|size| size < 2) {
            let interval = Err(whole.err().unwrap_or(Undefined::FewerThanTwoPairs));
            return Estimate { value: whole, interval, undefined_resamples: 0 };
        }
        let mut random = Resamples::new(plan.seed, 0);
        let drawn = (0..plan.resamples).map(|_| value(&self.drawn(&mut random)));
        let without = self.without_one();
        let without = without.iter().map(|sample| sample.iter().map(&value).collect());
        let (drawn, without): (Vec<Value>, Vec<Vec<Value>>) = (drawn.collect(), without.collect());
        estimate_of_samples(whole, &drawn, &without, plan.confidence)
    }

    fn whole(&self) -> Sums {
        let mut sums = Sums::default();
        self.components.iter().for_each(|it| sums.add(it));
        for (side, symbols) in self.symbols.iter().enumerate() {
            sums.exported[side] = symbols.map_or(0, |it| it.exported);
            sums.reused[side] = symbols.map_or(0, |it| it.reused);
        }
        sums
    }

    fn drawn(&self, random: &mut Resamples) -> Sums {
        let mut sums = Sums::default();
        for _ in &self.components {
            sums.add(&self.components[random.draw_below(self.components.len())]);
        }
        for (side, symbols) in self.symbols.iter().enumerate() {
            let Some(Symbols { exported, reused }) = *symbols else { continue };
            let is_reused = |_: &usize| random.draw_below(exported) < reused;
            sums.reused[side] = (0..exported).filter(is_reused).count();
            sums.exported[side] = exported;
        }
        sums
    }

    /// Without each component in turn; without each symbol of the first run, of the second.
    fn without_one(&self) -> Vec<Vec<Sums>> {
        let whole = self.whole();
        let components = self.components.iter().map(|it| whole.without(it)).collect();
        let of_side = |side: usize| {
            let Symbols { exported, reused } = self.symbols[side]?;
            let without = |is_reused: bool| {
                let mut sums = whole;
                sums.exported[side] -= 1;
                sums.reused[side] -= usize::from(is_reused);
                sums
            };
            Some((0..exported).map(|at| without(at < reused)).collect())
        };
        let samples = [Some(components), of_side(0), of_side(1)].into_iter().flatten();
        samples.filter(|sample: &Vec<Sums>| !sample.is_empty()).collect()
    }
}

impl Sums {
    fn add(&mut self, component: &[Option<f64>; 2]) {
        for (side, score) in component.iter().enumerate() {
            self.scores[side] += score.unwrap_or_default();
            self.scored[side] += usize::from(score.is_some());
        }
    }

    fn without(mut self, component: &[Option<f64>; 2]) -> Self {
        for (side, score) in component.iter().enumerate() {
            self.scores[side] -= score.unwrap_or_default();
            self.scored[side] -= usize::from(score.is_some());
        }
        self
    }

    fn value(&self, side: usize, drawn: Drawn) -> Value {
        let share = |sum: f64, count: usize| {
            if count == 0 { Err(Undefined::NoPairs) } else { Ok(sum / count as f64) }
        };
        let mcf = || share(self.scores[side], self.scored[side]);
        let dir = || share(self.reused[side] as f64, self.exported[side]);
        match drawn {
            Drawn::Components => mcf(),
            Drawn::Symbols => dir(),
            Drawn::Both => Ok(if50(mcf()?, dir()?)),
        }
    }
}
