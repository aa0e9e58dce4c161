//! Estimates a judging without doing it: its first request, the largest number of requests, the highest cost.

use super::{
    component::most_requests,
    cost::{most_tokens, price_of},
    item::JudgeItem,
    judging::JudgingJob,
    settings::JudgeKind,
    tools::MOST_BYTES,
    wire::{self, plain},
};

/// The most a judging can take. A usual one takes far less.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgingEstimate {
    /// The target of the requests: an address, or a command line.
    pub place: String,
    /// Requests for everything and all repeats at most, retries after faults aside.
    pub requests: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// US dollars, the bound of the settings taken into account; None without prices.
    pub cost: Option<f64>,
    /// The system text, sent once.
    pub system: String,
    /// The first question.
    pub question: String,
}

/// Bytes of a reply that has as many tokens as it may.
const BYTES_A_TOKEN: u64 = 4;

impl JudgingEstimate {
    pub fn for_job(job: &JudgingJob) -> Self {
        Self::for_items(job, &job.items.iter().collect::<Vec<_>>())
    }

    /// Estimates a conversation about each of these items, which may be the same ones several times.
    pub(crate) fn for_items(job: &JudgingJob, items: &[&JudgeItem]) -> Self {
        let question = |item: &JudgeItem| job.prompt.question_text(item, job.budget);
        let system = job.prompt.system_text(job.budget);
        let hearings: Vec<(u64, u64)> = items
            .iter()
            .map(|item| conversation_tokens(job, system.len() + question(item).len()))
            .collect();
        let repeats = job.repeats as u64;
        let input_tokens = repeats * hearings.iter().map(|(input, _)| input).sum::<u64>();
        let output_tokens = repeats * hearings.iter().map(|(_, output)| output).sum::<u64>();
        let cost = price_of(job.settings.cost, input_tokens, output_tokens);
        let most = job.settings.cost.most.unwrap_or(f64::INFINITY);
        Self {
            place: request_place(job),
            requests: repeats
                * hearings.len() as u64
                * u64::from(most_requests(job.scale(), job.budget)),
            input_tokens,
            output_tokens,
            cost: cost.map(|cost| cost.min(most)),
            question: items.first().map(|item| question(item)).unwrap_or_default(),
            system,
        }
    }
}

fn request_place(job: &JudgingJob) -> String {
    match wire::wire_for(job.settings.kind) {
        Some(wire) => wire::request_address(wire, &job.settings.base_url),
        None => job.settings.command.join(" "),
    }
}

/// Returns the largest number of tokens in and out for one conversation: every request repeats everything before it.
fn conversation_tokens(job: &JudgingJob, first: usize) -> (u64, u64) {
    let output = u64::from(job.settings.reply.max_tokens);
    let rules = if job.settings.kind == JudgeKind::Command { plain::RULES.len() } else { 4_000 };
    let first = most_tokens(first + rules);
    let each = most_tokens(MOST_BYTES) + most_tokens((output * BYTES_A_TOKEN) as usize);
    let requests = u64::from(most_requests(job.scale(), job.budget));
    let input = (0..requests).map(|replies_before| first + replies_before * each).sum();
    (input, requests * output)
}
