//! When each step of the main agent ended in a recorded terminal.

use std::collections::HashMap;

use trajview_formats::asciicast::CastHeader;
use trajview_metrics::process::action;
use trajview_run::{
    Run, SourceId, Step, StepId, Time,
    terminal_recording::{TerminalAlignment, TerminalRecording},
};

use super::{
    archive::Archive,
    cast_scan::{CastScan, LEAST_RECORD_BYTES, ShownLine, record_hash},
};

/// The recording of trajview's own live runs, within their bundle.
pub(super) const OWN_RECORDING: &str = "session/terminal.cast";

/// The characters of a command that are looked for: a terminal may break the rest.
const COMMAND_CHARS: usize = 32;

/// The least bytes of a command that is looked for, and of the beginning of one at the end of a line: less is shown by
/// chance.
const LEAST_COMMAND_BYTES: usize = 4;
const LEAST_BEGINNING_BYTES: usize = 10;

/// The least commands by which a recording is aligned.
const LEAST_COMMANDS: usize = 3;

/// The most lines among which one command is looked for.
const MOST_MATCHES: usize = 64;

/// The most comparisons of a command with a place of a line: a recording that needs more is searched no further.
const MOST_COMPARISONS: usize = 10_000_000;

/// The steps and turns of a run, and one of its recordings.
pub(super) struct StepClock<'a> {
    pub(super) archive: &'a Archive,
    pub(super) run: &'a Run,
    pub(super) source: SourceId,
    pub(super) header: CastHeader,
}

impl StepClock<'_> {
    /// Returns where the steps that were read from this recording end in it.
    pub(super) fn own_ends(&self) -> Vec<(u64, StepId)> {
        let own = main_steps(self.run).filter(|(_, step)| step.place.source == self.source);
        let mut ends: Vec<(u64, StepId)> =
            own.map(|(id, step)| (step.place.start + step.place.len, id)).collect();
        ends.sort_unstable();
        ends
    }

    /// Returns whether the recording is that of a live run of trajview.
    pub(super) fn is_own_recording(&self) -> bool {
        let source = self.run.origin.sources.get(self.source.0 as usize);
        source.is_some_and(|it| it.name == OWN_RECORDING)
    }

    /// Completes a recording with the ends of steps and turns.
    pub(super) fn align(&self, scan: &CastScan, recording: TerminalRecording) -> TerminalRecording {
        let last = recording.seconds;
        let mut turn_ends = vec![None; self.run.turns.len()];
        let turns = 1..=self.run.turns.len();
        let markers: Vec<(f64, usize)> = match self.is_own_recording() {
            true => scan.markers.iter().copied().filter(|(_, turn)| turns.contains(turn)).collect(),
            false => vec![],
        };
        for ((_, turn), next) in markers.iter().zip(1..) {
            turn_ends[turn - 1] = Some(markers.get(next).map_or(last, |(seconds, _)| *seconds));
        }
        let own_ends = self.own_ends();
        let (alignment, ends) = if !own_ends.is_empty() {
            let ends =
                own_ends.iter().map(|(at, id)| (*id, *scan.times_before.get(at).unwrap_or(&last)));
            (TerminalAlignment::OwnSteps, ends.collect())
        } else if !markers.is_empty() {
            (TerminalAlignment::TurnMarkers, self.ends_after_markers(&markers, &turn_ends))
        } else if let Some(ends) = self.recorded_times(last) {
            (TerminalAlignment::Times, ends)
        } else if let Some(ends) = self.printed_records(scan) {
            (TerminalAlignment::PrintedRecords, ends)
        } else if let Some((found, total, ends)) = self.shown_commands(scan) {
            (TerminalAlignment::Commands { found, total }, ends)
        } else {
            (TerminalAlignment::Unknown, HashMap::new())
        };
        let mut step_ends: Vec<(StepId, f64)> = ends.into_iter().collect();
        step_ends.sort_by_key(|(id, _)| *id);
        let mut latest = 0.0_f64;
        for (_, end) in &mut step_ends {
            latest = latest.max(end.min(last));
            *end = latest;
        }
        for (id, end) in &step_ends {
            turn_ends[id.turn] = turn_ends[id.turn].filter(|_| !markers.is_empty()).or(Some(*end));
        }
        TerminalRecording { alignment, step_ends, turn_ends, ..recording }
    }

    /// Returns the ends of steps whose times are recorded in the clock of the recording, if any lies within it.
    fn recorded_times(&self, last: f64) -> Option<HashMap<StepId, f64>> {
        let began = self.header.began?;
        let ends = main_steps(self.run).filter_map(|(id, step)| {
            // The beginning is recorded to the second.
            Some((id, seconds_between(began, end_time(step)?)))
        });
        let ends: HashMap<StepId, f64> = ends.collect();
        ends.values().any(|end| (0.0..=last + 1.0).contains(end)).then_some(ends)
    }

    /// Returns the ends of steps whose times are recorded, by the beginning of their turn; none is after its end.
    fn ends_after_markers(
        &self,
        markers: &[(f64, usize)],
        turn_ends: &[Option<f64>],
    ) -> HashMap<StepId, f64> {
        let starts: HashMap<usize, f64> =
            markers.iter().map(|(at, turn)| (*turn - 1, *at)).collect();
        main_steps(self.run)
            .filter_map(|(id, step)| {
                let began = self.run.turns[id.turn].started_at?;
                let passed = seconds_between(began, end_time(step)?).max(0.0);
                Some((id, (starts.get(&id.turn)? + passed).min(turn_ends[id.turn]?)))
            })
            .collect()
    }

    /// Returns the times at which the records of the steps were printed, if those of at least half of them were.
    fn printed_records(&self, scan: &CastScan) -> Option<HashMap<StepId, f64>> {
        let records = &scan.text.as_ref()?.records;
        let (mut ends, mut steps) = (HashMap::new(), 0);
        for (id, step) in main_steps(self.run) {
            steps += 1;
            let result = step.tool.as_ref().and_then(|tool| tool.result.as_ref());
            let places = [Some(step.place), result.map(|result| result.place)];
            let long = places.into_iter().flatten().filter(|it| it.len >= LEAST_RECORD_BYTES);
            let times = long.filter_map(|place| {
                records.get(&record_hash(&self.archive.record_bytes(place))).copied()
            });
            ends.extend(times.reduce(f64::max).map(|end| (id, end)));
        }
        (steps > 0 && ends.len() * 2 >= steps).then_some(ends)
    }

    /// Returns the number of commands that are shown in the order of the steps, the number of all, and the ends of those
    /// steps; None unless two thirds of them are shown.
    fn shown_commands(&self, scan: &CastScan) -> Option<(usize, usize, HashMap<StepId, f64>)> {
        let is_long = |(_, command): &(StepId, &str)| command.len() >= LEAST_COMMAND_BYTES;
        let steps = main_steps(self.run).filter(|(_, step)| action::runs_command(step));
        let commands: Vec<(StepId, &str)> =
            steps.map(|(id, step)| (id, step.label.trim())).filter(is_long).collect();
        let texts: Vec<&str> = commands.iter().map(|(_, command)| *command).collect();
        let lines = &scan.text.as_ref()?.lines;
        let shown = lines_of_commands(&texts, lines, MOST_COMPARISONS);
        let (found, total) = (shown.len(), commands.len());
        if found < LEAST_COMMANDS || found * 3 < total * 2 {
            return None;
        }
        // A step ends with the last output before the next command.
        let next = shown.iter().skip(1).map(|(_, line)| lines[*line].before);
        let ends = shown.iter().zip(next.chain([scan.seconds()]));
        Some((found, total, ends.map(|((at, _), end)| (commands[*at].0, end)).collect()))
    }
}

/// Returns the longest sequence of commands that are shown in their order: the positions of each command and of its line.
/// After `most` comparisons nothing more is searched.
fn lines_of_commands(commands: &[&str], lines: &[ShownLine], most: usize) -> Vec<(usize, usize)> {
    // By the least bytes, and then by all bytes that a command has wherever it is shown: up to as many as the beginning of
    // one has at the end of a line.
    let mut by_beginning: HashMap<&[u8], HashMap<&[u8], Vec<usize>>> = HashMap::new();
    for (at, command) in commands.iter().enumerate() {
        let bytes = command.as_bytes();
        let alike = by_beginning.entry(&bytes[..LEAST_COMMAND_BYTES]).or_default();
        alike.entry(&bytes[..bytes.len().min(LEAST_BEGINNING_BYTES)]).or_default().push(at);
    }
    let mut matches: Vec<Vec<usize>> = vec![vec![]; commands.len()];
    let mut left = most;
    for (number, line) in lines.iter().enumerate() {
        for start in word_starts(&line.text) {
            let rest = &line.text[start..];
            let Some(beginning) = rest.as_bytes().get(..LEAST_COMMAND_BYTES) else { continue };
            let Some(alike) = by_beginning.get_mut(beginning) else { continue };
            for length in LEAST_COMMAND_BYTES..=LEAST_BEGINNING_BYTES.min(rest.len()) {
                let Some(group) = alike.get_mut(&rest.as_bytes()[..length]) else { continue };
                left = left.saturating_sub(group.len());
                // A command that is shown often enough is looked for no more.
                group.retain(|at| {
                    let found = &mut matches[*at];
                    if found.last() != Some(&number) && is_shown(commands[*at], rest) {
                        found.push(number);
                    }
                    found.len() < MOST_MATCHES
                });
            }
            if left == 0 {
                return longest_ascent(&matches);
            }
        }
    }
    longest_ascent(&matches)
}

/// Returns where the words of a line begin, a command after a prompt (`$ls`) too.
fn word_starts(line: &str) -> impl Iterator<Item = usize> {
    let mut before = ' ';
    line.char_indices().filter_map(move |(at, letter)| {
        let is_start = before.is_whitespace() || "$#>%❯".contains(before);
        before = letter;
        (is_start && !letter.is_whitespace()).then_some(at)
    })
}

/// Returns whether a command stands at the beginning of a text: all of it or its first characters, or as much of it as the line
/// has room for.
fn is_shown(command: &str, text: &str) -> bool {
    let end = command.char_indices().nth(COMMAND_CHARS).map_or(command.len(), |(at, _)| at);
    match text.strip_prefix(&command[..end]) {
        // The harness may have its own command after it.
        Some(rest) => {
            end < command.len()
                || rest.trim_start().chars().next().is_none_or(|it| ";&|#".contains(it))
        }
        None => {
            let text = text.trim_end();
            text.len() >= LEAST_BEGINNING_BYTES && command.starts_with(text)
        }
    }
}

/// Returns the longest sequence in which both the position and the chosen number ascend. The numbers at each position are in
/// order.
fn longest_ascent(numbers: &[Vec<usize>]) -> Vec<(usize, usize)> {
    // The ends of the best sequences by length, and for each pair the one before it.
    let mut ends: Vec<usize> = vec![];
    let mut pairs: Vec<(usize, usize, Option<usize>)> = vec![];
    for (at, numbers) in numbers.iter().enumerate() {
        // From the last to the first: a position occurs once.
        for number in numbers.iter().rev() {
            let length = ends.partition_point(|pair: &usize| pairs[*pair].1 < *number);
            let before = length.checked_sub(1).map(|it| ends[it]);
            match ends.get_mut(length) {
                // Of commands that are shown in one line the first one is there.
                Some(end) if pairs[*end].1 == *number => continue,
                Some(end) => *end = pairs.len(),
                None => ends.push(pairs.len()),
            }
            pairs.push((at, *number, before));
        }
    }
    let mut sequence = vec![];
    let mut next = ends.last().copied();
    while let Some(pair) = next {
        let (at, number, before) = pairs[pair];
        sequence.push((at, number));
        next = before;
    }
    sequence.reverse();
    sequence
}

fn main_steps(run: &Run) -> impl Iterator<Item = (StepId, &Step)> {
    run.turns.iter().enumerate().flat_map(|(turn, it)| {
        it.steps
            .iter()
            .enumerate()
            .map(move |(step, it)| (StepId { turn, subagent: None, step }, it))
    })
}

fn end_time(step: &Step) -> Option<Time> {
    step.ended_at.or(step.started_at)
}

fn seconds_between(from: Time, to: Time) -> f64 {
    (to.0 - from.0) as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_sequence_ascends_in_both() {
        let numbers = [vec![5], vec![1, 6], vec![], vec![2, 7], vec![2], vec![3, 8]];

        assert_eq!(longest_ascent(&numbers), [(0, 5), (1, 6), (3, 7), (5, 8)]);
        assert_eq!(longest_ascent(&numbers[1..5]), [(0, 1), (2, 2)], "the first lines of several");
        assert_eq!(longest_ascent(&[vec![], vec![]]), []);
    }

    fn lines_of(texts: &[String]) -> Vec<ShownLine> {
        let line = |text: &String| ShownLine { before: 0.0, text: text.as_str().into() };
        texts.iter().map(line).collect()
    }

    #[test]
    fn many_commands_that_begin_alike_are_found_in_their_order() {
        let commands: Vec<String> = (0..300).map(|at| format!("cd /app && run {at}")).collect();
        let texts: Vec<String> = commands.iter().map(|command| format!("$ {command}")).collect();
        let commands: Vec<&str> = commands.iter().map(String::as_str).collect();

        let found = lines_of_commands(&commands, &lines_of(&texts), MOST_COMPARISONS);

        assert_eq!(found, (0..300).map(|at| (at, at)).collect::<Vec<_>>());
    }

    #[test]
    fn the_search_ends_after_so_many_comparisons_and_a_frequent_command_costs_few_of_them() {
        let commands = ["cd /app && a", "cd /app && b", "make"];
        let lines = lines_of(&commands.map(|command| format!("$ {command}")));
        assert_eq!(lines_of_commands(&commands, &lines, 4), [(0, 0), (1, 1)]);
        assert_eq!(lines_of_commands(&commands, &lines, 5), [(0, 0), (1, 1), (2, 2)]);

        let mut texts = vec!["make".to_owned(); 1_000];
        texts.push("done".into());
        let found = lines_of_commands(&["make", "done"], &lines_of(&texts), MOST_MATCHES + 1);
        assert_eq!(found, [(0, 0), (1, 1_000)]);
    }

    #[test]
    fn a_command_is_shown_as_a_word_whole_or_as_far_as_the_line_goes() {
        let is_in = |command: &str, line: &str| {
            word_starts(line).any(|start| is_shown(command, &line[start..]))
        };

        assert!(is_in("make test", "root@host:/app# make test; tmux wait -S done"));
        assert!(is_in("make test", "$make test"));
        assert!(is_in("grep -rn needle --include='*.rs' src tests", "% grep -rn needle --inc"));
        for line in ["# make tests", "# make", "remake test", "a make test fails", ""] {
            assert!(!is_in("make test", line), "{line}");
        }
        assert!(is_in("écho ééééééééééééééééééééééééééééééééééééé", "> écho éééééééé"));
    }
}
