//! Whether the agent begins a new session: where what is left of its context is unlikely to carry the request and what the
//! forecast touches. Each decision is recorded with its inputs, in `restart.tsv`.

use crate::{LayerState, RequestMoment};

/// The file in the state.
const STATE_FILE: &str = "restart.tsv";

/// Tokens for the agent's own work on a request, beside what it reads.
const MARGIN: u64 = 16_000;

/// Bytes that a token is taken to have.
const BYTES: u64 = 4;

/// A decision and what it was made from; all but the turn in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestartDecision {
    pub turn: usize,
    pub used: u64,
    pub window: u64,
    pub request: u64,
    /// The tokens of the forecast files, as they are before the request.
    pub files: u64,
}

impl RestartDecision {
    /// Decides for a request; None where the recording does not tell how full the context is.
    pub fn for_request(moment: &RequestMoment<'_>, forecast: &[String]) -> Option<Self> {
        let (used, window) = (moment.context.used?, moment.context.window?);
        let bytes = |file: &String| {
            let path = trajview_run::RepoPath::new(file)?;
            Some(moment.project.file_text(&path)?.len() as u64)
        };
        let files = forecast.iter().filter_map(bytes).sum::<u64>() / BYTES;
        let request = moment.request.len() as u64 / BYTES;
        Some(Self { turn: moment.turn, used, window, request, files })
    }

    pub(crate) const fn needed_tokens(&self) -> u64 {
        self.request.saturating_add(self.files).saturating_add(MARGIN)
    }

    pub(crate) const fn needs_restart(&self) -> bool {
        self.used.saturating_add(self.needed_tokens()) > self.window
    }

    /// Returns the reason, with the numbers.
    pub fn reason_text(&self) -> String {
        format!(
            "{} of {} tokens of context are used; the request ({}), the files it is expected to touch ({}) and {MARGIN} for the \
             work on it need {}",
            self.used,
            self.window,
            self.request,
            self.files,
            self.needed_tokens()
        )
    }
}

/// Adds the file of the decisions to restart to the state; adds nothing where there are none.
pub(crate) fn write_decisions(all: &[RestartDecision], state: &mut LayerState) {
    if all.is_empty() {
        return;
    }
    let mut text = String::from("turn\tused\twindow\trequest\tfiles\tmargin\trestarts\n");
    for it in all {
        let restarts = if it.needs_restart() { "yes" } else { "no" };
        let numbers = [it.used, it.window, it.request, it.files, MARGIN];
        let numbers = numbers.map(|number| number.to_string()).join("\t");
        text.push_str(&format!("{}\t{numbers}\t{restarts}\n", it.turn));
    }
    state.insert(STATE_FILE.into(), text);
}

/// Reads the decisions from a state; rows that cannot be read are left out.
pub fn read_decisions(state: &LayerState) -> Vec<RestartDecision> {
    let row = |line: &str| {
        let mut fields = line.split('\t');
        let turn = fields.next()?.parse().ok()?;
        let numbers: Vec<u64> = fields.take(4).filter_map(|it| it.parse().ok()).collect();
        let [used, window, request, files] = numbers[..] else { return None };
        Some(RestartDecision { turn, used, window, request, files })
    };
    state.get(STATE_FILE).iter().flat_map(|text| text.lines()).filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_begins_anew_where_the_rest_of_the_context_does_not_carry_the_request() {
        let of =
            |used| RestartDecision { turn: 3, used, window: 100_000, request: 100, files: 3_900 };

        assert!(!of(80_000).needs_restart() && of(80_001).needs_restart());
        let mut state = LayerState::new();
        write_decisions(&[of(1), of(99_000)], &mut state);
        assert_eq!(read_decisions(&state), [of(1), of(99_000)]);
        assert!(of(99_000).reason_text().starts_with("99000 of 100000 tokens"));
    }
}
