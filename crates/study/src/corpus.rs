//! Many runs at once: what each has, what two conditions do to each task, and what goes together.

#[cfg(test)]
mod tests;

use trajview_metrics::{Better, Number, numbers::CORPUS};

use super::{
    bootstrap::{Estimate, Plan},
    correlation::{Correlations, correlations},
    paired::{Holm, Paired, Tested, tested},
    pairing::{Alone, Conditions, Group, Key, PairRow, groups, pairing, rows},
    stability::mean_of,
};

/// A run with its numbers; those it has not are not there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measured {
    pub key: Key,
    /// Finite.
    pub values: Vec<(Number, f64)>,
}

impl Measured {
    pub fn value(&self, number: Number) -> Option<f64> {
        self.values.iter().find(|(other, _)| *other == number).map(|(_, value)| *value)
    }
}

/// What many runs say together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Corpus {
    /// By agent, those of all agents pooled last, then in the order of [`CORPUS`]; numbers that no pair has are left
    /// out.
    pub paired: Vec<PairedNumber>,
    /// By agent, then task.
    pub per_task: Vec<PairRow<Number>>,
    /// Runs in no pair, by number, with why.
    pub alone: Vec<(usize, Alone)>,
}

/// One number of one agent under both conditions, over tasks.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedNumber {
    /// None where the agents are pooled, as they are beside their own rows where there are several.
    pub agent: Option<String>,
    pub number: Number,
    /// Mean of each side over the same tasks, drawn as the gaps are.
    pub a: Estimate,
    pub b: Estimate,
    pub paired: Paired,
    /// Among the numbers of the same agent; None without a p-value, and where no side can be the better.
    pub holm: Option<Holm>,
}

impl PairedNumber {
    /// Tasks in which the first condition is better; higher, where neither way is.
    pub fn wins(&self) -> usize {
        if self.number.better() == Better::Lower { self.paired.lower } else { self.paired.higher }
    }

    /// Tasks in which the second one is.
    pub fn losses(&self) -> usize {
        if self.number.better() == Better::Lower { self.paired.higher } else { self.paired.lower }
    }
}

/// Compares two conditions over all tasks, agent by agent.
pub fn corpus(runs: &[Measured], conditions: &Conditions, plan: &Plan) -> Corpus {
    let keys: Vec<Key> = runs.iter().map(|run| run.key.clone()).collect();
    let pairing = pairing(&keys, conditions);
    let value = |at: usize, number| runs.get(at)?.value(number);
    let per_task = rows(&pairing, &CORPUS, value);
    let groups = groups(&per_task, &CORPUS);
    let paired = groups.iter().flat_map(|group| of_group(group, plan)).collect();
    Corpus { paired, per_task, alone: pairing.alone }
}

fn of_group(group: &Group<Number>, plan: &Plan) -> Vec<PairedNumber> {
    let side = |metric: Number, of: fn(&(f64, f64)) -> f64| {
        let sides = group.sides.iter().find(|(number, _)| *number == metric);
        mean_of(sides.map(|(_, pairs)| pairs.as_slice()).unwrap_or_default(), of, plan)
    };
    let row = |Tested { metric, paired, holm }: Tested<Number>| PairedNumber {
        agent: group.agent.clone(),
        number: metric,
        a: side(metric, |pair| pair.0),
        b: side(metric, |pair| pair.1),
        paired,
        holm,
    };
    tested(&group.sides, Number::better, plan).into_iter().map(row).collect()
}

/// Whether two numbers go together, over the runs that have both.
pub fn together<'a>(
    runs: impl IntoIterator<Item = &'a Measured>,
    x: Number,
    y: Number,
) -> Correlations {
    let both = |run: &Measured| run.value(x).zip(run.value(y));
    correlations(&runs.into_iter().filter_map(both).collect::<Vec<_>>())
}
