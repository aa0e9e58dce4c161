//! How a command draws the resamples of its intervals.

use crate::study::Plan;

#[derive(Debug, clap::Args)]
pub struct Resampling {
    /// Start of the draws of the bootstrap
    #[arg(long, default_value_t = Plan::default().seed)]
    seed: u64,
    /// How often it draws; 0 for no intervals
    #[arg(long, default_value_t = Plan::default().resamples, value_parser = at_most_a_million)]
    resamples: usize,
}

impl Resampling {
    pub fn plan(&self) -> Plan {
        Plan { seed: self.seed, resamples: self.resamples, ..Plan::default() }
    }
}

fn at_most_a_million(words: &str) -> Result<usize, String> {
    match words.parse() {
        Ok(count) if count <= 1_000_000 => Ok(count),
        _ => Err("expected a number from 0 to 1000000".into()),
    }
}
