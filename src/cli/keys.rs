//! tmp
use super::{Exit, Outcome, output::Out};
/// List the keys
#[derive(Debug, clap::Args)]
pub struct Args {}
pub fn run(_a: &Args, _o: &mut Out) -> Outcome {
    Ok(Exit::Fine)
}
