//! Recorded terminals among the files of a run: what a player needs of one, and its events piece by piece.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use trajview_formats::asciicast::{
    CastEventKind, CastHeader, CastReader, event_lines, read_header,
};
use trajview_run::{
    RecordPlace, Run, SourceId,
    terminal_recording::{
        PieceStart, TerminalChange, TerminalEvent, TerminalPiece, TerminalRecording,
    },
};

use super::{
    archive::Archive,
    cast_scan::ScanRequest,
    entries::is_plain_file,
    file_bytes::{FileBytes, ReadAllowance},
    folder_names::SearchedFolder,
    recording_files::FoundFile,
    terminal_alignment::StepClock,
    trial_sidecars,
};

/// The bytes of a piece; the line at its end is whole, unless it is longer than [`MOST_LINE_BYTES`].
const PIECE_BYTES: u64 = 1 << 20;

/// The longest line that is read.
const MOST_LINE_BYTES: u64 = 16 << 20;

/// The largest recording of version 1.
const MOST_DOCUMENT_BYTES: u64 = 64 << 20;

/// The records whose folder is that of a trial.
const TRIAL_RECORDS: [&str; 2] = ["result.json", "results.json"];

/// The folder of the terminal recordings of a trial whose log is in another one.
const SESSIONS_FOLDER: &str = "sessions";

/// The most terminal recordings of a run that are added to its files.
const MOST_RECORDINGS: usize = 16;

/// Returns the terminal recordings beside a log, in its folder and in those above, up to the folder of its trial, and in
/// the folder of sessions of the trial.
pub(super) fn recordings_beside(log: &Path) -> Vec<PathBuf> {
    let is_recording =
        |path: &PathBuf| path.extension().is_some_and(|it| it == "cast") && is_plain_file(path);
    let mut searched: Vec<SearchedFolder> = vec![];
    for folder in log.ancestors().skip(1).take(trial_sidecars::MOST_UP) {
        let folder = SearchedFolder::new(folder);
        let is_trial = TRIAL_RECORDS.iter().any(|name| folder.has_file(name));
        let sessions = (is_trial && folder.may_have(SESSIONS_FOLDER))
            .then(|| SearchedFolder::new(&folder.path().join(SESSIONS_FOLDER)));
        searched.push(folder);
        searched.extend(sessions);
        if is_trial {
            let found = searched.iter().flat_map(SearchedFolder::entries).filter(is_recording);
            let mut recordings: Vec<PathBuf> = vec![];
            found.for_each(|path| {
                if !recordings.contains(&path) {
                    recordings.push(path);
                }
            });
            recordings.truncate(MOST_RECORDINGS);
            return recordings;
        }
    }
    vec![]
}

/// Turns a recording of version 1, which is one document, into lines. A larger one than may be in memory stays as it is.
pub(super) fn prepare_recording(file: &mut FoundFile, allowance: &mut ReadAllowance) {
    if !file.name.ends_with(".cast") {
        return;
    }
    let has_lines = |head: &[u8]| {
        let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
        read_header(first).is_ok()
    };
    if file.bytes.file_size() > MOST_DOCUMENT_BYTES || has_lines(&file.bytes) {
        return;
    }
    let (document, _) = file.bytes.read_all();
    let lines = allowance.take_unpacked(|most| {
        let lines = event_lines(&document, most.min(MOST_DOCUMENT_BYTES * 2));
        lines.map(|lines| (lines, None)).ok_or_else(|| std::io::ErrorKind::InvalidData.into())
    });
    if let Ok((lines, _)) = lines {
        file.bytes = FileBytes::InMemory(lines);
    }
}

impl Archive {
    /// Returns what a player needs of a recorded terminal of the run.
    ///
    /// # Errors
    /// A sentence where the file is no terminal recording.
    pub fn terminal_recording(
        &self,
        run: &Run,
        source: SourceId,
    ) -> Result<TerminalRecording, String> {
        let (header, first) = self.cast_header(source)?;
        let clock = StepClock { archive: self, run, source, header };
        let positions: Vec<u64> = clock.own_ends().iter().map(|(end, _)| *end).collect();
        let with_text = positions.is_empty() && !clock.is_own_recording();
        let scan = self.scan_cast(source, &ScanRequest { header, first, positions, with_text });
        let mut problems = vec![];
        match scan.damaged {
            (0, _) => {}
            (1, line) => problems.push(format!("line {line} is no event and is left out")),
            (count, line) => problems
                .push(format!("line {line} and {} more are no events and are left out", count - 1)),
        }
        if header.size.is_none() {
            problems.push("the size of the terminal is not recorded; 80×24 is shown".into());
        }
        let recording = TerminalRecording {
            size: header.size,
            seconds: scan.seconds(),
            idle_limit: header.idle_limit,
            pieces: scan.pieces.clone(),
            problems,
            ..TerminalRecording::default()
        };
        Ok(clock.align(&scan, recording))
    }

    /// Returns the events of a piece of a recorded terminal.
    ///
    /// # Errors
    /// A sentence where the file is no terminal recording any more.
    pub fn terminal_piece(
        &self,
        source: SourceId,
        piece: PieceStart,
    ) -> Result<TerminalPiece, String> {
        let (header, _) = self.cast_header(source)?;
        let mut reader = CastReader::at_time(&header, piece.seconds);
        let bytes = self.piece_bytes(source, piece.start).unwrap_or_default();
        let events = bytes.split(|byte| *byte == b'\n').filter_map(|line| {
            let event = reader.read_line(line).ok().flatten()?;
            let seconds = event.seconds;
            let change = match (event.new_size(), event.kind) {
                (Some((columns, rows)), _) => TerminalChange::Resize(columns, rows),
                (None, CastEventKind::Output) => TerminalChange::Output(event.text),
                _ => return None,
            };
            Some(TerminalEvent { seconds, change })
        });
        Ok(TerminalPiece { events: events.collect() })
    }

    /// Returns the header of a recording, and where its events begin.
    fn cast_header(&self, source: SourceId) -> Result<(CastHeader, u64), String> {
        let bytes = self.piece_bytes(source, 0).unwrap_or_default();
        let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let header = read_header(first)?;
        Ok((header, (first.len() as u64 + 1).min(self.source_size(source))))
    }

    pub(super) fn source_size(&self, source: SourceId) -> u64 {
        self.files.get(source.0 as usize).map_or(0, |file| file.file_size())
    }

    /// Returns the piece that begins at `start`, in whole lines; None at the end of the file.
    fn piece_bytes(&self, source: SourceId, start: u64) -> Option<Cow<'_, [u8]>> {
        self.piece_rest(source, start, start)
    }

    /// Returns the part from `from` on, where a line begins, of the piece that begins at `start`; None where it has no more
    /// lines.
    pub(super) fn piece_rest(
        &self,
        source: SourceId,
        start: u64,
        from: u64,
    ) -> Option<Cow<'_, [u8]>> {
        let left = self.source_size(source).saturating_sub(from);
        let read = |len: u64| {
            self.record_bytes(RecordPlace { source, start: from, len, ..RecordPlace::default() })
        };
        let mut len = (start + PIECE_BYTES).saturating_sub(from).min(left);
        loop {
            let bytes = read(len);
            if bytes.is_empty() {
                return None;
            }
            let end = memchr::memrchr(b'\n', &bytes).map(|end| end + 1);
            let end = end
                .filter(|_| len < left)
                .or((len == left || len >= MOST_LINE_BYTES).then_some(bytes.len()));
            match end {
                Some(end) if end == bytes.len() => return Some(bytes),
                Some(end) => {
                    return Some(match bytes {
                        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..end]),
                        Cow::Owned(mut bytes) => {
                            bytes.truncate(end);
                            Cow::Owned(bytes)
                        }
                    });
                }
                None if from > start => return None, // the next line begins another piece
                None => len = (len * 4).min(left),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use proptest::prelude::*;
    use trajview_run::{
        RunOrigin, SourceRecord, Step, StepKind, Time, ToolCall, Turn,
        terminal_recording::TerminalAlignment,
    };

    use super::*;
    use crate::{file_bytes::FileAccess, open, path_bytes, terminal_alignment::OWN_RECORDING};

    fn archive_of(files: &[&[u8]]) -> Archive {
        let files = files.iter().map(|bytes| FileBytes::InMemory(bytes.to_vec())).collect();
        Archive::new(files, None, None, None)
    }

    fn run_of(names: &[&str], turns: Vec<Vec<Step>>) -> Run {
        let source = |name: &&str| SourceRecord { name: (*name).into(), format: "" };
        let sources = names.iter().map(source).collect();
        let turn = |steps: Vec<Step>| Turn {
            started_at: steps.first().and_then(|step| step.started_at),
            steps,
            ..Turn::default()
        };
        Run {
            origin: RunOrigin { sources, ..RunOrigin::default() },
            turns: turns.into_iter().map(turn).collect(),
            ..Run::default()
        }
    }

    fn step_at(seconds: i64) -> Step {
        Step { started_at: Some(Time(seconds * 1000)), ..Step::default() }
    }

    fn times_of(recording: &TerminalRecording) -> Vec<f64> {
        recording.step_ends.iter().map(|(_, end)| *end).collect()
    }

    /// Returns all events of a recording, piece by piece.
    fn all_events(archive: &Archive, recording: &TerminalRecording) -> Vec<TerminalEvent> {
        let piece =
            |start: &PieceStart| archive.terminal_piece(SourceId(0), *start).unwrap().events;
        recording.pieces.iter().flat_map(piece).collect()
    }

    #[test]
    fn the_recordings_of_a_trial_are_found_from_a_deep_log_and_beside_the_folder_of_a_log() {
        let trial = tempfile::tempdir().unwrap();
        let names_beside = |log: &str| {
            let recordings = recordings_beside(&trial.path().join(log));
            recordings
                .iter()
                .map(|path| crate::entries::name_of(path).to_owned())
                .collect::<Vec<_>>()
        };
        for folder in ["agent/sessions/2026/01/31", "agent-logs", "sessions"] {
            std::fs::create_dir_all(trial.path().join(folder)).unwrap();
        }
        for file in ["agent/recording.cast", "sessions/agent.cast", "sessions/tests.cast"] {
            std::fs::write(trial.path().join(file), "").unwrap();
        }
        assert!(names_beside("agent-logs/log.jsonl").is_empty(), "no trial");

        std::fs::write(trial.path().join("results.json"), "{}").unwrap();
        assert_eq!(names_beside("agent-logs/log.jsonl"), ["agent.cast", "tests.cast"]);
        assert_eq!(names_beside("sessions/log.jsonl"), ["agent.cast", "tests.cast"], "each once");
        let deep = names_beside("agent/sessions/2026/01/31/rollout.jsonl");
        assert_eq!(deep, ["recording.cast", "agent.cast", "tests.cast"]);
    }

    #[test]
    fn a_long_recording_is_read_in_pieces_of_whole_lines_with_their_times() {
        let mut cast = "{\"version\": 3, \"term\": {\"cols\": 80, \"rows\": 24}}\n".to_owned();
        let text = "x".repeat(10_000);
        for at in 0..350 {
            cast += &format!("[1.5, \"o\", \"{at} {text}\"]\n");
        }
        let archive = archive_of(&[cast.as_bytes()]);
        let run = run_of(&["agent.cast"], vec![]);

        let recording = archive.terminal_recording(&run, SourceId(0)).unwrap();

        assert_eq!(
            (recording.pieces.len(), recording.seconds, recording.size),
            (4, 525.0, Some((80, 24)))
        );
        let events = all_events(&archive, &recording);
        assert_eq!(events.len(), 350);
        let is_right = |(at, event): (usize, &TerminalEvent)| {
            event.seconds == 1.5 * (at + 1) as f64
                && matches!(&event.change, TerminalChange::Output(text) if text.starts_with(&format!("{at} ")))
        };
        assert!(events.iter().enumerate().all(is_right));
    }

    #[test]
    fn damaged_lines_and_a_missing_size_are_sentences() {
        let cast = b"{\"version\": 2}\n[1, \"o\", \"a\"]\nbroken\n[2, \"o\"]\n[3, \"o\", \"b\"]\n[4, \"o\", \"to";
        let archive = archive_of(&[cast]);

        let recording =
            archive.terminal_recording(&run_of(&["a.cast"], vec![]), SourceId(0)).unwrap();

        assert_eq!(recording.seconds, 3.0);
        let expected = [
            "line 3 and 2 more are no events and are left out",
            "the size of the terminal is not recorded; 80×24 is shown",
        ];
        assert_eq!(recording.problems, expected);
        assert_eq!(all_events(&archive, &recording).len(), 2);
        for no_cast in [&b""[..], b"{}", b"\n\n", b"{\"version\": 7}\n"] {
            let archive = archive_of(&[no_cast]);
            assert!(archive.terminal_recording(&Run::default(), SourceId(0)).is_err());
            assert!(archive.terminal_piece(SourceId(0), PieceStart::default()).is_err());
        }
    }

    #[test]
    fn steps_are_aligned_by_times_of_one_clock_or_not_at_all() {
        let cast = b"{\"version\": 2, \"width\": 9, \"height\": 3, \"timestamp\": 100}\n[1, \"o\", \"a\"]\n[9, \"o\", \"b\"]\n";
        let archive = archive_of(&[cast]);
        let aligned = |turns| {
            let run = run_of(&["a.cast", "log"], turns);
            let elsewhere = |mut run: Run| {
                for step in run.turns.iter_mut().flat_map(|turn| &mut turn.steps) {
                    step.place.source = SourceId(1);
                }
                run
            };
            archive.terminal_recording(&elsewhere(run), SourceId(0)).unwrap()
        };

        let recording = aligned(vec![vec![step_at(102), step_at(101)], vec![step_at(500)]]);
        assert_eq!(recording.alignment, TerminalAlignment::Times);
        assert_eq!(times_of(&recording), [2.0, 2.0, 9.0], "none goes back, none is after the end");
        assert_eq!(recording.turn_ends, [Some(2.0), Some(9.0)]);

        for turns in [vec![vec![Step::default()]], vec![vec![step_at(500)]], vec![vec![]]] {
            let recording = aligned(turns);
            assert_eq!(recording.alignment, TerminalAlignment::Unknown);
            assert_eq!((times_of(&recording), &recording.turn_ends), (vec![], &vec![None]));
        }
    }

    #[test]
    fn a_recording_of_a_live_run_is_aligned_by_its_markers() {
        let cast = b"{\"version\": 2, \"width\": 9, \"height\": 3, \"timestamp\": 7}\n[1, \"m\", \"turn 1\"]\n\
                     [4, \"m\", \"turn 2\"]\n[6, \"m\", \"turn 2\"]\n[7, \"m\", \"note\"]\n[9, \"o\", \"b\"]\n";
        let archive = archive_of(&[cast]);
        let mut run = run_of(
            &[OWN_RECORDING],
            vec![vec![step_at(500), step_at(502), step_at(599)], vec![step_at(900)], vec![]],
        );
        for step in run.turns.iter_mut().flat_map(|turn| &mut turn.steps) {
            step.place.source = SourceId(1);
        }

        let recording = archive.terminal_recording(&run, SourceId(0)).unwrap();

        assert_eq!(recording.alignment, TerminalAlignment::TurnMarkers);
        assert_eq!(recording.turn_ends, [Some(4.0), Some(9.0), None]);
        assert_eq!(
            times_of(&recording),
            [1.0, 3.0, 4.0, 6.0],
            "within the turn by the times of the log"
        );
    }

    #[test]
    fn steps_without_times_are_aligned_by_their_printed_records() {
        let records = [1, 2, 3].map(|at| {
            format!(
                "{{\"type\":\"assistant\",\"message\":{{\"id\":\"m{at}\",\"content\":\"words\"}}}}"
            )
        });
        let log = records.join("\n");
        let printed = |seconds: u32, record: &str| {
            // A line is printed in two parts.
            let (left, right) = record.split_at(20);
            [left.to_owned(), format!("{right}\r\n")]
                .map(|part| serde_json::json!([seconds, "o", part]).to_string() + "\n")
                .concat()
        };
        let cast = "{\"version\": 2, \"width\": 9, \"height\": 3}\n".to_owned()
            + &printed(2, &records[0])
            + &printed(5, &records[1]);
        let archive = archive_of(&[cast.as_bytes(), log.as_bytes()]);
        let mut start = 0;
        let step = |record: &String| {
            let place = RecordPlace {
                source: SourceId(1),
                start,
                len: record.len() as u64,
                ..RecordPlace::default()
            };
            start += record.len() as u64 + 1;
            Step { place, ..Step::default() }
        };
        let run = run_of(&["agent.cast", "log"], vec![records.iter().map(step).collect()]);

        let recording = archive.terminal_recording(&run, SourceId(0)).unwrap();

        assert_eq!(recording.alignment, TerminalAlignment::PrintedRecords);
        assert_eq!((times_of(&recording), recording.turn_ends), (vec![2.0, 5.0], vec![Some(5.0)]));
    }

    /// Returns the archive of a file that is left on the disk.
    fn archive_on_disk(path: &Path) -> Archive {
        let read = path_bytes::read_path(path, FileAccess::OnDisk, &mut ReadAllowance::default());
        Archive::new(vec![read.unwrap().0], None, None, None)
    }

    /// A byte between those that are compared is another one when the recording has grown: what was read first counts.
    #[test]
    fn of_a_recording_that_grows_only_the_addition_is_read_until_it_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("terminal.cast");
        let header = "{\"version\": 2, \"width\": 9, \"height\": 3}\n";
        let output = "[2, \"o\", \"some words of output\"]\n".repeat(20);
        let early = "[0.5, \"o\", \"some words of output\"]\n".repeat(200);
        let begin = |turn: usize| format!("{header}{early}[1, \"m\", \"turn {turn}\"]\n{output}");
        let run = run_of(&[OWN_RECORDING], vec![vec![], vec![], vec![]]);
        let read = || archive_on_disk(&path).terminal_recording(&run, SourceId(0)).unwrap();
        fs::write(&path, begin(1) + "[3, \"m\", \"tu").unwrap();
        let first = read();
        assert_eq!((first.turn_ends, first.problems.len()), (vec![Some(2.0), None, None], 1));

        let mut file = fs::File::options().write(true).open(&path).unwrap();
        file.write_all((begin(2) + "[3, \"m\", \"turn 3\"]\n[4, \"o\", \"end\"]").as_bytes())
            .unwrap();
        let grown = read();
        assert_eq!(grown.turn_ends, [Some(3.0), None, Some(4.0)]);
        assert_eq!((grown.seconds, grown.problems.len(), grown.pieces), (4.0, 0, first.pieces));

        fs::write(&path, begin(3)).unwrap();
        assert_eq!(read().turn_ends, [None, None, Some(2.0)]);
        fs::write(&path, begin(1)).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
        assert_eq!(read().turn_ends, [Some(2.0), None, None], "as long as before");
        fs::remove_file(&path).unwrap();
        fs::write(&path, (begin(2) + &output).replace("words", "lines")).unwrap();
        assert_eq!(read().turn_ends, [None, Some(2.0), None]);
    }

    #[test]
    fn pieces_of_a_recording_that_grew_are_those_of_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("terminal.cast");
        let run = run_of(&["agent.cast"], vec![vec![]]);
        let line = |at: usize| format!("[{at}, \"o\", \"{}\"]\n", "x".repeat(at * 7919 % 5_000));
        let mut cast = "{\"version\": 2, \"width\": 9, \"height\": 3}\n".to_owned();
        for part in 0..12 {
            (0..90).for_each(|at| cast += &line(part * 90 + at));
            let end = cast.len() - part * 37;
            fs::write(&path, &cast[..end]).unwrap();

            let grown = archive_on_disk(&path).terminal_recording(&run, SourceId(0)).unwrap();

            let whole = archive_of(&[&cast.as_bytes()[..end]]);
            assert_eq!(grown, whole.terminal_recording(&run, SourceId(0)).unwrap(), "{part}");
        }
    }

    fn command_step(command: &str) -> Step {
        let tool = ToolCall { name: "Bash".into(), ..ToolCall::default() };
        let (kind, label) = (StepKind::Tool, command.into());
        Step { kind, label, tool: Some(Box::new(tool)), ..Step::default() }
    }

    #[test]
    fn steps_without_times_are_aligned_by_the_order_of_their_commands() {
        let cast = concat!(
            "{\"version\": 2, \"width\": 40, \"height\": 9}\n",
            "[1, \"o\", \"$ \"]\n[2, \"i\", \"make\"]\n[2.1, \"i\", \" build\\r\"]\n",
            "[2.2, \"o\", \"make build\\r\\n\"]\n[5, \"o\", \"done, no pytest -q yet\\r\\n\"]\n",
            "[5.5, \"o\", \"$ \"]\n[6, \"o\", \"\\u001b[32mpytest -q\\u001b[0m\\r\\n\"]\n",
            "[9, \"o\", \"2 passed\\r\\n$ \"]\n",
            "[10, \"o\", \"git commit -m 'a long message that the \\rterminal breaks'\\r\\n\"]\n",
            "[12, \"o\", \"ok\\r\\n\"]\n",
        );
        let archive = archive_of(&[cast.as_bytes()]);
        let align = |commands: &[&str]| {
            let mut run = run_of(
                &["agent.cast", "log"],
                vec![commands.iter().map(|it| command_step(it)).collect()],
            );
            for step in &mut run.turns[0].steps {
                step.place.source = SourceId(1);
            }
            archive.terminal_recording(&run, SourceId(0)).unwrap()
        };
        let commit = "git commit -m 'a long message that the terminal breaks'";

        let recording = align(&["make build", "ls", "make clean", "pytest -q", commit]);
        assert_eq!(recording.alignment, TerminalAlignment::Commands { found: 3, total: 4 });
        assert_eq!(
            (times_of(&recording), recording.turn_ends),
            (vec![5.0, 9.0, 12.0], vec![Some(12.0)])
        );

        for commands in [vec![commit, "pytest -q", "make build"], vec!["make build", "pytest -q"]] {
            let recording = align(&commands);
            assert_eq!(recording.alignment, TerminalAlignment::Unknown, "{commands:?}");
            assert_eq!(recording.turn_ends, [None]);
        }
    }

    /// The log is made of the commands that the harness typed.
    #[test]
    #[ignore = "needs TRAJVIEW_REAL_DATA"]
    fn the_commands_of_real_trials_are_shown_in_their_order() {
        let job = Path::new(&trajview_testing::real_data()).join("terminal-bench-1/job");
        let mut trials = 0;
        for trial in
            crate::disk::list_folder(&job).iter().flat_map(|task| crate::disk::list_folder(task))
        {
            let Ok(commands) = fs::read_to_string(trial.join("commands.txt")) else { continue };
            // Each recorder is a command too: that of the agent's terminal, and then that of the tests.
            let is_recorder = |line: &&str| line.contains("asciinema rec");
            let of_agent = commands.lines().skip(1).take_while(|line| !is_recorder(line));
            let typed = of_agent.filter_map(|line| line.get(2..)?.rsplit_once(", 'Enter'"));
            let typed = typed.map(|(text, _)| text.split("\\n").next().unwrap_or_default());
            let steps: Vec<Step> =
                typed.map(|it| command_step(it.trim_end_matches(['\'', '"']))).collect();
            let cast = fs::read(trial.join("sessions/agent.cast")).unwrap();
            let mut run = run_of(&["agent.cast", "log"], vec![steps]);
            run.turns[0].steps.iter_mut().for_each(|step| step.place.source = SourceId(1));

            let recording = archive_of(&[&cast]).terminal_recording(&run, SourceId(0)).unwrap();

            let is_by_commands = matches!(recording.alignment, TerminalAlignment::Commands { .. });
            assert!(is_by_commands, "{}: {:?}", trial.display(), recording.alignment);
            trials += 1;
        }
        assert!(trials > 0);
    }

    #[test]
    fn the_steps_of_a_recording_end_where_they_end_in_it() {
        let sample = Path::new(trajview_testing::project())
            .join("sample-runs/jobs/terminal-bench/hello-shell/hello-shell.1-of-1.sample");
        let opened = open(&sample).unwrap();
        let recordings = opened.run.terminal_recordings();
        let names: Vec<&str> = recordings.iter().map(|(_, name)| *name).collect();
        assert_eq!(names, ["sessions/agent.cast", "sessions/tests.cast"]);

        let recording = opened.archive.terminal_recording(&opened.run, recordings[0].0).unwrap();

        assert_eq!(recording.alignment, TerminalAlignment::OwnSteps);
        assert_eq!(recording.seconds, times_of(&recording).last().copied().unwrap());
    }

    #[test]
    fn the_recording_of_a_trial_with_a_log_is_found_in_any_version() {
        let samples = Path::new(trajview_testing::project()).join("sample-runs/jobs/harbor");
        let folder = tempfile::tempdir().unwrap();
        let trial = folder.path().join("sum-column__Kd2bWpA");
        std::fs::create_dir_all(trial.join("agent")).unwrap();
        for name in ["result.json", "agent/trajectory.json"] {
            std::fs::copy(samples.join("sum-column__Kd2bWpA").join(name), trial.join(name))
                .unwrap();
        }
        let document = "{\"version\": 1, \"width\": 80, \"height\": 24,\n\"stdout\": [[1, \"a\"], [2, \"b\"]]}";
        std::fs::write(trial.join("agent/recording.cast"), document).unwrap();

        let opened = open(&trial).unwrap();
        let recordings = opened.run.terminal_recordings();
        let recording = opened.archive.terminal_recording(&opened.run, recordings[0].0).unwrap();

        assert_eq!((recordings[0].1, recording.seconds), ("recording.cast", 3.0));
        assert_eq!(recording.alignment, TerminalAlignment::Unknown, "version 1 has no time of day");
        std::fs::remove_file(trial.join("agent/recording.cast")).unwrap();
        assert_eq!(open(&trial).unwrap().run.terminal_recordings(), []);
    }

    proptest! {
        #[test]
        fn whatever_the_bytes_a_recording_and_its_pieces_are_read(
            head in prop_oneof![
                Just("{\"version\": 2}\n"), Just("{\"version\": 3}\n"), Just("{\"version\": 1}\n"), Just("")
            ],
            lines in prop::collection::vec(
                prop_oneof![
                    prop::collection::vec(any::<u8>(), 0..40),
                    (0.0..1e9_f64, "[oirmx]", "[0-9x]{0,9}|.{0,9}")
                        .prop_map(|event| serde_json::json!(event).to_string().into_bytes()),
                ],
                0..12,
            ),
            starts in prop::collection::vec(0..500_u64, 0..4),
        ) {
            let mut bytes = head.as_bytes().to_vec();
            bytes.extend(lines.join(&b'\n'));
            let archive = archive_of(&[&bytes]);
            let run = run_of(&["agent.cast"], vec![vec![step_at(3), step_at(1)], vec![]]);
            if let Ok(recording) = archive.terminal_recording(&run, SourceId(0)) {
                let events = all_events(&archive, &recording);
                prop_assert!(events.is_sorted_by(|a, b| a.seconds <= b.seconds));
                prop_assert!(events.last().is_none_or(|event| event.seconds <= recording.seconds));
            }
            for start in starts {
                let _ = archive.terminal_piece(SourceId(0), PieceStart { start, seconds: 1.0 });
            }
        }
    }
}
