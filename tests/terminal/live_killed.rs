//! A live run whose trajview is killed with `kill -9`, again and again, in every phase of every turn: what was recorded before
//! stays, every turn is in the bundle once, the files are those of a run that nobody killed, and no process is left.
//!
//! The moments are seen from outside: a line of the journal, a file that appears, or a gate at which a program of the run
//! waits. A gate is passed when the file that holds it is taken away.

use std::{
    collections::BTreeSet,
    fs,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    batch::left_running,
    common::{cli_json, run_cli},
    live::{Desk, start_live},
};

/// When it is killed.
#[derive(Debug, Clone)]
enum Moment {
    /// A line of the journal, written since this process began: what happened, and the turn that it is about.
    Line(&'static str, usize),
    /// A program of the run waits at this gate.
    Gate(String),
    /// The objects of the turn's commit are on their way to the disk.
    Packing(usize),
    /// The branch has the commit, and the journal does not say so yet.
    Committed(usize),
    /// `run.json` says that the run is over, and the journal does not.
    Ending,
}

impl Moment {
    /// The gate that comes with it or next; None where none does.
    fn next_gate(&self) -> Option<String> {
        match self {
            Self::Gate(name) => Some(name.clone()),
            Self::Line("began" | "files-taken", _) => Some("setup".into()),
            Self::Line("set-up", _) => Some("layer-before-1".into()),
            Self::Line("layers-took-in", turn) => Some(format!("test-{turn}")),
            Self::Line("tested", turn) if *turn < TURNS => {
                Some(format!("layer-before-{}", turn + 1))
            }
            Self::Line("tested", _) | Self::Ending => None,
            Self::Line("compared" | "turn-ended", turn)
            | Self::Packing(turn)
            | Self::Committed(turn) => Some(format!("layer-after-{turn}")),
            Self::Line(_, turn) => Some(format!("call-{turn}")),
        }
    }
}

/// Turns of the run, each the end of a checkpoint.
const TURNS: usize = 3;

/// A run with everything that a run may have: files to begin with, a setup command, a layer, tests.
struct Place {
    desk: Desk,
    /// How long the journal was when each process began.
    begun: Vec<usize>,
}

impl Place {
    fn new() -> Self {
        let requests: Vec<String> = (1..=TURNS).map(Self::request_text).collect();
        let names: Vec<String> = (1..=TURNS).map(|turn| format!("c{turn}")).collect();
        let rows: Vec<(&str, Option<&str>)> =
            requests.iter().zip(&names).map(|(text, id)| (text.as_str(), Some(&**id))).collect();
        let desk = Desk::new(&rows);
        for folder in ["gates", "files"] {
            fs::create_dir(desk.path(folder)).unwrap();
        }
        fs::write(desk.path("files/first"), "first\n").unwrap();
        let gate = "cd \"$(dirname \"$0\")/gates\" || exit 1\necho $$ >>pids\ntouch \"at-$1\"\n\
                    while test -e \"hold-$1\"; do sleep 0.02; done\nrm -f \"at-$1\"\n";
        fs::write(desk.path("gate.sh"), gate).unwrap();
        let layer = "here=$(dirname \"$0\")\ntold=$(cat)\n\
            event=$(printf %s \"$told\" | sed 's/.*\"event\":\"\\([a-z]*\\)\",\"turn\":\\([0-9]*\\).*/\\1-\\2/')\n\
            sh \"$here/gate.sh\" \"layer-$event\"\n\
            printf '{\"text\": \"Mind %s.\", \"state\": {\"last\": \"%s\"}}' \"$event\" \"$event\"\n";
        fs::write(desk.path("layer.sh"), layer).unwrap();
        let place = Self { desk, begun: vec![] };
        let script = fs::read_to_string(place.desk.path("script.json")).unwrap();
        fs::write(place.desk.path("script.json"), script.replace("GATE", &place.gate())).unwrap();
        place
    }

    /// Writes a line to a file that all turns write to, files of its own, and half of something before the gate.
    fn request_text(turn: usize) -> String {
        format!(
            "Number {turn}.\ndo: echo {turn} >>count; echo half >half; sh GATE call-{turn}; rm half\n\
             do: mkdir part{turn}; for n in 1 2 3 4 5 6 7 8; do seq ${{n}}{turn}00 ${{n}}{turn}99 >part{turn}/$n; done\n\
             do: echo {turn} >turn-{turn}"
        )
    }

    fn gate(&self) -> String {
        self.desk.text("gate.sh")
    }

    fn words(&self) -> Vec<String> {
        let words = self.desk.words(&[]);
        let at = words.iter().position(|word| word == "--work-dir").unwrap();
        let mut words: Vec<String> = words[..at].iter().chain(&words[at + 2..]).cloned().collect();
        let gate = self.gate();
        let test =
            format!("sh {gate} test-$(ls turn-* | wc -l); test -s count && echo 'ok 1 - counted'");
        words.extend(["--from".into(), self.desk.text("files"), "--test".into(), test]);
        words.extend(["--setup".into(), format!("sh {gate} setup; echo made >made")]);
        words.extend(["--layer".into(), format!("command:sh {}", self.desk.text("layer.sh"))]);
        words
    }

    fn bundle(&self) -> PathBuf {
        self.desk.path("run")
    }

    fn journal(&self) -> Vec<u8> {
        fs::read(self.desk.path("run/live.jsonl")).unwrap_or_default()
    }

    /// Whole lines that were written since the process began that is under way.
    fn lines(&self) -> Vec<Value> {
        let journal = self.journal();
        let from = self.begun.last().copied().unwrap_or(0).min(journal.len());
        let text = String::from_utf8_lossy(&journal[from..]).into_owned();
        let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        whole.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The same in short: what happened, and reasons.
    fn run_output(&self) -> String {
        let lines = self.lines();
        let short =
            |line: &Value| format!("{} {} {}", line["what"], line["why"], line["row"]["why"]);
        lines.iter().map(short).collect::<Vec<_>>().join("\n")
    }

    fn has_line(&self, what: &str, turn: usize) -> bool {
        let lines = self.lines();
        let is = |line: &Value, what: &str| line["what"] == what;
        match what {
            // They say no turn: it is that of the beginning before them.
            "sealed" | "process" => {
                let began = lines.iter().position(|it| is(it, "turn-began") && it["turn"] == turn);
                began.is_some_and(|at| lines[at..].iter().any(|line| is(line, what)))
            }
            "turn-ended" => lines.iter().any(|it| is(it, what) && it["row"]["turn"] == turn),
            "tested" => {
                lines.iter().any(|it| is(it, what) && it["checkpoint"] == format!("c{turn}"))
            }
            "resumed" => lines.iter().any(|line| is(line, what)),
            _ if turn == 0 => lines.iter().any(|line| is(line, what)),
            _ => lines.iter().any(|line| is(line, what) && line["turn"] == turn),
        }
    }

    fn is_reached(&self, moment: &Moment, branch: Option<&[u8]>) -> bool {
        match moment {
            Moment::Line(what, turn) => self.has_line(what, *turn),
            Moment::Gate(name) => self.desk.path(&format!("gates/at-{name}")).exists(),
            Moment::Packing(_) => {
                let packs = fs::read_dir(self.desk.path("run/workspace.git/objects/pack"));
                let mut names = packs.into_iter().flatten().flatten().map(|it| it.file_name());
                names.any(|name| name.to_string_lossy().contains(".part-"))
            }
            Moment::Committed(_) => self.branch().as_deref() != branch,
            Moment::Ending => {
                let run = fs::read_to_string(self.desk.path("run/run.json")).unwrap_or_default();
                run.contains("\"state\": \"finished\"")
            }
        }
    }

    fn branch(&self) -> Option<Vec<u8>> {
        fs::read(self.desk.path("run/workspace.git/refs/heads/main")).ok()
    }

    /// Begins the run or goes on with it.
    fn go_on(&mut self) -> Child {
        let has_begun = printed_id(&self.journal()).is_some();
        let resume = ["live", "--resume", "--headless", "--out", &self.desk.text("run")];
        let words = match has_begun {
            true => resume.map(str::to_owned).to_vec(),
            false => self.words(),
        };
        let journal = self.journal();
        let whole = journal.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        self.begun.push(whole);
        start_live(&words)
    }

    fn is_finished(&self) -> bool {
        String::from_utf8_lossy(&self.journal()).contains("\"what\":\"finished\"")
    }

    /// Goes on with the run and kills trajview at that moment, or where it waits next if that was missed: we may be slow. What
    /// keeps a gate shut is taken away only when the next trajview is there, so that what the agent left is at work until then.
    fn kill_at(&mut self, moment: &Moment, held: &mut Option<String>) {
        let branch = self.branch();
        let next = moment.next_gate();
        if let Some(name) = &next {
            fs::write(self.desk.path(&format!("gates/hold-{name}")), "").unwrap();
        }
        let mut child = self.go_on();
        let end = Instant::now() + Duration::from_secs(60);
        let mut shut = held.take().filter(|shut| Some(shut) != next.as_ref());
        let waits = |name: &String| self.desk.path(&format!("gates/at-{name}")).exists();
        while !self.is_reached(moment, branch.as_deref()) && !next.as_ref().is_some_and(waits) {
            if shut.is_some() && self.has_line("resumed", 0) {
                self.open(shut.take());
            }
            let ended = child.try_wait().unwrap();
            if ended.is_some() && self.is_finished() {
                break;
            }
            assert!(ended.is_none(), "{moment:?} never came: {ended:?}, {}", self.run_output());
            assert!(Instant::now() < end, "{moment:?} never came: {}", self.run_output());
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        self.open(shut);
        if let Some(name) = &next {
            // Who waits there may have been ended with us, and nobody else takes it away.
            let _ = fs::remove_file(self.desk.path(&format!("gates/at-{name}")));
        }
        *held = next;
    }

    fn open(&self, gate: Option<String>) {
        if let Some(name) = gate {
            fs::remove_file(self.desk.path(&format!("gates/hold-{name}"))).unwrap();
        }
    }

    /// Nothing that was recorded is missing, and the bundle opens.
    fn assert_kept(&self, before: &[u8], moment: &Moment) {
        let whole = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        assert!(self.journal().starts_with(&before[..whole]), "{moment:?}");
        if self.bundle().join("run.json").exists() {
            let checked = run_cli(&["check", &self.desk.text("run")]);
            assert_eq!(checked.code, Some(0), "{moment:?}: {}{}", checked.out, checked.err);
        }
    }
}

/// The id of the run in a journal, once it says how it began.
fn printed_id(journal: &[u8]) -> Option<String> {
    let end = journal.iter().position(|byte| *byte == b'\n')?;
    let first: Value = serde_json::from_slice(&journal[..end]).ok()?;
    first["id"].as_str().map(str::to_owned)
}

/// What two runs of the same script have in common, whenever and wherever they were made.
#[derive(Debug, PartialEq)]
struct Outcome {
    trees: Vec<String>,
    turns: Vec<Value>,
    layers: Vec<Value>,
    tests: String,
    patch: String,
    remarks: Value,
    /// Of the agent's own log.
    asked: Vec<String>,
}

fn kill_outcome(place: &Place) -> Outcome {
    let run = place.desk.text("run");
    let git = Command::new("git")
        .args(["--git-dir", &format!("{run}/workspace.git"), "log", "--reverse", "--format=%T"])
        .arg("refs/heads/main")
        .output()
        .unwrap();
    assert!(git.status.success());
    let shown = cli_json(&["show", &run, "--json"]);
    let row = |turn: &Value| {
        json!([turn["turn"], turn["checkpoint"], turn["request"], turn["steps"], turn["edits"]])
    };
    let rows = place.desk.run_json()["turns"].as_array().unwrap().clone();
    let layer = |row: &Value| json!([row["layer"]["name"], row["layer"]["added"]]);
    let session = rows[0]["session"].as_str().unwrap().to_owned();
    let log = fs::read_to_string(format!("{run}/session/{session}"))
        .or_else(|_| fs::read_to_string(format!("{run}/{session}")))
        .unwrap();
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let asked = lines.filter_map(|line| {
        let of_person = line["type"] == "user";
        of_person.then(|| line["message"]["content"].as_str().unwrap().to_owned())
    });
    let read = |name: &str| fs::read_to_string(place.desk.path(&format!("run/{name}"))).unwrap();
    // Where the desk is differs from one run to the other.
    let here = place.desk.folder().to_str().unwrap().to_owned();
    let neutral = |text: String| text.replace(&here, "DESK");
    let neutral_row =
        |value: Value| -> Value { serde_json::from_str(&neutral(value.to_string())).unwrap() };
    Outcome {
        trees: String::from_utf8(git.stdout).unwrap().lines().map(str::to_owned).collect(),
        turns: shown["turns"].as_array().unwrap().iter().map(row).map(&neutral_row).collect(),
        layers: rows.iter().map(layer).map(&neutral_row).collect(),
        tests: read("tests.jsonl"),
        patch: read("changes.patch"),
        remarks: place.desk.run_json()["remarks"].clone(),
        asked: asked.map(neutral).collect(),
    }
}

/// Every turn that counts stands in the journal once.
fn kill_once(place: &Place) {
    let journal = String::from_utf8(place.journal()).unwrap();
    let lines = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let ended = lines.filter(|line| line["what"] == "turn-ended" && line["row"]["state"] == "done");
    let turns: Vec<u64> = ended.map(|line| line["row"]["turn"].as_u64().unwrap()).collect();
    assert_eq!(turns, [1, 2, 3]);
}

fn nothing_is_left(place: &Place) {
    assert_eq!(left_running(&[place.bundle()]), Vec::<String>::new());
    let pids = fs::read_to_string(place.desk.path("gates/pids")).unwrap();
    let at_a_gate = |pid: &&str| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words).contains(&place.gate())
    };
    let left: Vec<&str> = pids.lines().filter(at_a_gate).collect();
    assert_eq!(left, Vec::<&str>::new());
}

/// Kills it at each of these moments, lets it end, and looks at what there is.
fn killed_at(moments: &[Moment]) {
    let mut place = Place::new();
    let mut held = None;
    for moment in moments {
        let before = place.journal();
        place.kill_at(moment, &mut held);
        place.assert_kept(&before, moment);
        if place.is_finished() {
            break; // the last moments are short
        }
    }
    if !place.is_finished() {
        let mut last = place.go_on();
        let end = Instant::now() + Duration::from_secs(60);
        while held.is_some() && !place.has_line("resumed", 0) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        place.open(held);
        assert_eq!(last.wait().unwrap().code(), Some(0), "{}", place.run_output());
    }

    place.desk.check();
    kill_once(&place);
    nothing_is_left(&place);
    let undisturbed = Place::new();
    let ended = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(undisturbed.words())
        .env("TRAJVIEW_CONFIG", "")
        .stderr(Stdio::null())
        .status();
    assert!(ended.unwrap().success());
    assert_eq!(kill_outcome(&place), kill_outcome(&undisturbed));
    let run = place.desk.run_json();
    assert_eq!(run["state"], "finished");
    let commits: BTreeSet<&str> =
        run["turns"].as_array().unwrap().iter().map(|it| it["commit"].as_str().unwrap()).collect();
    assert_eq!(commits.len(), TURNS);
}

fn gate_path(name: &str, turn: usize) -> Moment {
    Moment::Gate(format!("{name}-{turn}"))
}

/// The phases of a turn, in their order.
fn turn_phases(turn: usize) -> Vec<Moment> {
    vec![
        gate_path("layer-before", turn),
        Moment::Line("turn-began", turn),
        Moment::Line("sealed", turn),
        Moment::Line("process", turn),
        gate_path("call", turn),
        Moment::Line("compared", turn),
        Moment::Packing(turn),
        Moment::Committed(turn),
        Moment::Line("turn-ended", turn),
        gate_path("layer-after", turn),
        Moment::Line("layers-took-in", turn),
        gate_path("test", turn),
        Moment::Line("tested", turn),
    ]
}

#[test]
fn killed_while_it_begins_and_in_every_phase_of_the_first_turn_it_goes_on_as_if_nothing_was() {
    let mut moments = vec![
        Moment::Line("began", 0),
        Moment::Line("files-taken", 0),
        Moment::Gate("setup".into()),
        Moment::Line("set-up", 0),
    ];
    moments.extend(turn_phases(1));

    killed_at(&moments);
}

#[test]
fn killed_in_every_phase_of_a_turn_in_the_middle_it_goes_on_as_if_nothing_was() {
    let mut moments = turn_phases(2);
    // While it goes back to what was before, too.
    moments.insert(5, Moment::Line("resumed", 2));
    moments.insert(6, Moment::Line("again", 2));

    killed_at(&moments);
}

#[test]
fn killed_in_every_phase_of_the_last_turn_and_while_it_ends_it_goes_on_as_if_nothing_was() {
    let mut moments = turn_phases(3);
    moments.push(Moment::Ending);

    killed_at(&moments);
}

/// A run that was killed before its journal said how it began has recorded nothing, and is begun anew in the same folder.
#[test]
fn killed_before_it_began_it_is_begun_again_in_the_same_folder() {
    let desk = Desk::new(&[("One.\ndo: echo 1 >one", None)]);
    fs::create_dir_all(desk.path("run/session")).unwrap();
    fs::create_dir_all(desk.path("run/workspace.git/objects")).unwrap();
    fs::write(desk.path("run/live.jsonl"), "{\"at\": \"2026").unwrap();
    fs::write(desk.path("run/script.json.part-7"), "{").unwrap();

    let resumed = desk.resume(&[]);
    assert_eq!(resumed.code, Some(2));
    let why = "never started; start it without --resume";
    assert!(resumed.err.contains(why), "{}", resumed.err);
    let ran = desk.live(&[]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    desk.check();
    assert_eq!(desk.files("1"), ["one 1"]);
    assert!(!desk.path("run/script.json.part-7").exists());
}

#[test]
fn of_two_that_begin_or_go_on_in_one_folder_at_once_one_makes_the_run() {
    let request = |turn: usize| format!("Number {turn}.\ndo: echo {turn} >>count");
    let texts: Vec<String> = (1..=3).map(request).collect();
    let rows: Vec<(&str, Option<&str>)> = texts.iter().map(|text| (&**text, None)).collect();
    let desk = Desk::new(&rows);
    let words = |more: &[&str]| {
        let words = desk.words(more);
        let at = words.iter().position(|word| word == "--work-dir").unwrap();
        words[..at].iter().chain(&words[at + 2..]).cloned().collect::<Vec<_>>()
    };

    let begun = [
        start_live(&words(&["--budget-turns", "1"])),
        start_live(&words(&["--budget-turns", "1"])),
    ];
    let codes = begun.map(|mut child| child.wait().unwrap().code());
    assert!(codes.contains(&Some(1)) && codes.contains(&Some(2)), "{codes:?}");
    desk.check();
    assert_eq!(desk.turns(), ["1 \"done\" 1"]);

    let resume: Vec<String> =
        ["live", "--resume", "--headless", "--budget-turns", "9", "--out", &desk.text("run")]
            .map(str::to_owned)
            .to_vec();
    let resumed = [start_live(&resume), start_live(&resume)];
    let codes = resumed.map(|mut child| child.wait().unwrap().code());
    assert!(codes.contains(&Some(0)) && codes.contains(&Some(2)), "{codes:?}");
    desk.check();
    assert_eq!(desk.files("final"), ["count 1\n2\n3"]);
    assert_eq!(left_running(&[desk.path("run")]), Vec::<String>::new());
}

/// A process that gave up its session, its parents and its environment outlives a trajview that is killed. It is found by what
/// it cannot give up.
#[cfg(target_os = "linux")]
#[test]
fn a_process_that_hides_from_a_run_that_was_killed_is_ended_when_the_run_goes_on() {
    let hide = "env -i setsid sh -c '( echo $$ >PLACE/pid; exec sleep 600 ) &'; touch PLACE/at; while test -e PLACE/hold; do sleep 0.02; done; echo 1 >one";
    let desk = Desk::new(&[(&format!("Hide.\ndo: {hide}"), None)]);
    let script = fs::read_to_string(desk.path("script.json")).unwrap();
    let place = desk.folder().to_str().unwrap();
    fs::write(desk.path("script.json"), script.replace("PLACE", place)).unwrap();
    fs::write(desk.path("hold"), "").unwrap();
    let is_asleep = || {
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let here = |entry: &fs::DirEntry| {
            let folder = fs::read_link(entry.path().join("cwd")).unwrap_or_default();
            let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            folder.starts_with(place) && words == b"sleep\x00600\x00"
        };
        entries.filter(here).count() == 1
    };
    let mut child = start_live(&desk.words(&[]));
    crate::live::wait_for("one that hides", || desk.path("at").exists() && is_asleep());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_asleep(), "it outlives us, or there is nothing to be shown");
    fs::remove_file(desk.path("hold")).unwrap();

    let ran = desk.resume(&["--keep-work"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // The turn that was made again has left another one, which was ended too.
    assert!(!is_asleep());
    assert_eq!(desk.run_json()["turns"][0]["left_running"], 1);
}
