//! What goes wrong around a live run, one fault after the other: its agent is killed, its model server goes and comes back, the
//! disk is full, the workspace is huge, is taken away or holds broken repositories, processes are left behind, a screen is
//! flooded. Nothing recorded is lost, no turn is there twice, no process is left. `live_killed` has trajview itself killed.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    batch::left_running,
    common::{cli_json, project_path, run_cli},
    live::{Desk, start_live, wait_for},
    live_agents::{Server, npm_program, server_at},
    pty::Tui,
};

fn nothing_is_left(desk: &Desk) {
    assert_eq!(left_running(&[desk.path("run")]), Vec::<String>::new());
}

/// Warnings of the run, but for what the agent has at home.
fn run_remarks(desk: &Desk) -> Vec<String> {
    let run = desk.run_json();
    let all = run["remarks"].as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned());
    all.filter(|words| !words.contains("the agent wrote home/")).collect()
}

#[test]
fn an_agent_that_is_killed_in_the_middle_of_a_call_has_failed_and_the_turn_is_made_again() {
    let killed =
        "echo half >half; setsid sleep 600 & test -e ALLOW || kill -9 $$; rm half; echo 2 >two";
    let requests = ["echo 1 >one", killed, "echo 3 >three"].map(|it| format!("It.\ndo: {it}"));
    let rows: Vec<(&str, Option<&str>)> = requests.iter().map(|text| (&**text, None)).collect();
    let desk = Desk::new(&rows);
    let script = fs::read_to_string(desk.path("script.json")).unwrap();
    fs::write(desk.path("script.json"), script.replace("ALLOW", &desk.text("allow"))).unwrap();

    let failed = desk.live(&["--retries", "1"]);

    assert_eq!(failed.code, Some(1), "{}", failed.err);
    let why = "turn 2: the agent failed (ended by signal 9); 1 turn of 3 saved in ";
    assert!(failed.err.contains(why), "{}", failed.err);
    assert_eq!(desk.turns(), ["1 \"done\" 1", "2 \"cut\" 2"]);
    // What it left is to be seen in the turn that does not count.
    assert_eq!(desk.files("2"), ["half half", "one 1"]);
    assert!(desk.run_json()["turns"][1]["left_running"].as_u64() >= Some(1));
    nothing_is_left(&desk);
    desk.check();

    fs::write(desk.path("allow"), "").unwrap();
    let went_on = desk.resume(&[]);
    assert_eq!(went_on.code, Some(0), "{}", went_on.err);
    assert_eq!(desk.turns(), ["1 \"done\" 1", "2 \"done\" 3", "3 \"done\" 1"]);
    assert_eq!(desk.files("final"), ["one 1", "three 3", "two 2"]);
    nothing_is_left(&desk);
    desk.check();
}

/// A model server that answers each line with a word, as long as it is there.
struct Model {
    port: u16,
    is_up: Arc<AtomicBool>,
    asked: Arc<AtomicUsize>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Model {
    /// At a free port, or at the one that it had before.
    fn listen_at(port: u16, asked: Arc<AtomicUsize>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let port = listener.local_addr().unwrap().port();
        listener.set_nonblocking(true).unwrap();
        let is_up = Arc::new(AtomicBool::new(true));
        let (up, count) = (is_up.clone(), asked.clone());
        let serve = move || {
            let mut open: Vec<TcpStream> = vec![];
            while up.load(Ordering::SeqCst) {
                let Ok((stream, _)) = listener.accept() else {
                    std::thread::sleep(Duration::from_millis(2));
                    continue;
                };
                stream.set_nonblocking(false).unwrap();
                stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
                let mut line = String::new();
                let read = BufReader::new(&stream).read_line(&mut line);
                // Whoever only looks whether somebody is there asks nothing.
                if matches!(read, Ok(1..)) {
                    count.fetch_add(1, Ordering::SeqCst);
                    if line.contains("hold") {
                        open.push(stream); // no answer: it will be gone before
                        continue;
                    }
                    let _ = writeln!(&stream, "answer"); // it may have gone
                }
            }
        };
        let thread = Some(std::thread::spawn(serve));
        Self { port, is_up, asked, thread }
    }

    /// Ends it, with everything that it had under way.
    fn stop_server(mut self) -> (u16, Arc<AtomicUsize>) {
        self.is_up.store(false, Ordering::SeqCst);
        self.thread.take().unwrap().join().unwrap();
        (self.port, self.asked.clone())
    }
}

/// A desk whose agent asks that server in its second turn: `ask` gives what it answered, nothing where it is gone.
fn asking_desk(second: &str, port: u16) -> Desk {
    let rows = [
        ("One.\ndo: echo 1 >one", None),
        ("Two.\ndo: SECOND", None),
        ("Three.\ndo: echo 3 >three", None),
    ];
    let desk = Desk::new(&rows);
    let ask = format!(
        "ask() {{ exec 3<>/dev/tcp/127.0.0.1/{port} && echo \"$1\" >&3 && read -r said <&3 && exec 3>&-; }} 2>/dev/null; "
    );
    let script = fs::read_to_string(desk.path("script.json")).unwrap();
    let second = json!(ask + second).to_string();
    let script = script.replace("SECOND", &second[1..second.len() - 1]);
    fs::write(desk.path("script.json"), script).unwrap();
    // /dev/tcp is bash's.
    let config = fs::read_to_string(desk.path("config.toml")).unwrap();
    fs::write(desk.path("config.toml"), config.replace("[\"sh\", ", "[\"bash\", ")).unwrap();
    desk
}

#[test]
fn a_model_server_that_goes_in_the_middle_of_a_turn_and_comes_back_is_asked_on() {
    let model = Model::listen_at(0, Arc::default());
    // The first answer never comes; then it asks until somebody is there, as Codex does.
    let second =
        "ask hold; echo lost >lost; until ask again; do sleep 0.05; done; echo $said >said";
    let desk = asking_desk(second, model.port);
    let url = format!("http://127.0.0.1:{}", model.port);
    let mut child = start_live(&desk.words(&["--base-url", &url]));
    let asked = model.asked.clone();
    wait_for("its question", || asked.load(Ordering::SeqCst) == 1);

    let (port, asked) = model.stop_server();
    wait_for("the loss of its server", || desk.workspace().join("lost").exists());
    let model = Model::listen_at(port, asked);

    assert_eq!(child.wait().unwrap().code(), Some(0));
    model.stop_server();
    assert_eq!(desk.turns(), ["1 \"done\" 1", "2 \"done\" 1", "3 \"done\" 1"]);
    assert_eq!(desk.files("final"), ["lost lost", "one 1", "said answer", "three 3"]);
    nothing_is_left(&desk);
    desk.check();
}

#[test]
fn a_model_server_that_stays_away_is_told_of_and_the_run_goes_on_when_it_is_back() {
    let model = Model::listen_at(0, Arc::default());
    let second =
        "echo half >half; ask hold || { echo no model >&2; exit 1; }; echo $said >said; rm half";
    let desk = asking_desk(second, model.port);
    let url = format!("http://127.0.0.1:{}", model.port);
    let words = desk.words(&["--base-url", &url, "--retries", "1"]);
    let run =
        std::thread::spawn(move || run_cli(&words.iter().map(String::as_str).collect::<Vec<_>>()));
    let asked = model.asked.clone();
    wait_for("its question", || asked.load(Ordering::SeqCst) == 1);

    let (port, asked) = model.stop_server();
    let failed = run.join().unwrap();

    assert_eq!(failed.code, Some(1), "{}", failed.err);
    // The agent's own words, and then ours: it is not asked again where nobody listens.
    assert!(failed.err.contains("exit code 1): no model"), "{}", failed.err);
    let why = format!("turn 2: the model server at {url} does not answer: ");
    assert!(failed.err.contains(&why) && failed.err.contains("--resume"), "{}", failed.err);
    assert_eq!(desk.turns()[0], "1 \"done\" 1");
    nothing_is_left(&desk);
    desk.check();

    let script = fs::read_to_string(desk.path("run/script.json")).unwrap();
    fs::write(desk.path("run/script.json"), script.replace("ask hold", "ask please")).unwrap();
    let model = Model::listen_at(port, asked);
    let went_on = desk.resume(&[]);
    model.stop_server();
    assert_eq!(went_on.code, Some(0), "{}", went_on.err);
    assert_eq!(desk.files("final"), ["one 1", "said answer", "three 3"]);
    assert_eq!(desk.turns().len(), 3);
    desk.check();
}

/// Six turns that write 100 KB each, which cannot be packed any smaller, on a disk of so many KB that grows in between.
fn on_a_small_disk(size: usize, is_of_bundle: bool) {
    let turn = |at: usize| {
        format!(
            "Number {at}.\ndo: echo {at} >>count; head -c 100000 /dev/urandom >data{at} || exit 5"
        )
    };
    let texts: Vec<String> = (1..=6).map(turn).collect();
    let rows: Vec<(&str, Option<&str>)> = texts.iter().map(|text| (&**text, None)).collect();
    let desk = Desk::new(&rows);
    fs::create_dir(desk.path("small")).unwrap();
    let (out, work) = match is_of_bundle {
        true => ("small/run", "run.work"),
        false => ("run", "small/work"),
    };
    let words = desk.words(&[]);
    let place = |word: &String| match word {
        word if *word == desk.text("run") => desk.text(out),
        word if *word == desk.text("run.work") => desk.text(work),
        word => word.clone(),
    };
    let words = words.iter().map(place).map(|it| format!("'{it}'")).collect::<Vec<_>>().join(" ");
    let script = format!(
        "set -u; cd '{desk}'; mount -t tmpfs -o size={size}k tmpfs small || exit 9\n\
         '{program}' {words} 2>first >/dev/null; echo $? >codes\n\
         '{program}' check {out} >checked 2>&1; echo $? >>codes\n\
         mount -o remount,size=64m tmpfs small || exit 9\n\
         if '{program}' live --resume --headless --out {out} 2>second >/dev/null; then echo 0; else\n\
             grep -q 'without --resume' second && '{program}' {words} 2>second >/dev/null; echo $?; fi >>codes\n\
         '{program}' check {out} >>checked 2>&1; echo $? >>codes\n\
         test -e run || cp -a small/run run",
        desk = desk.folder().display(),
        program = env!("CARGO_BIN_EXE_trajview"),
    );
    let ended = Command::new("unshare")
        .args(["-Urm", "sh", "-c", &script])
        .env("TRAJVIEW_CONFIG", "")
        .output()
        .unwrap();

    let said = |name: &str| fs::read_to_string(desk.path(name)).unwrap_or_default();
    assert!(ended.status.success(), "this test needs user and mount namespaces: {ended:?}");
    let all = format!("{size} KB: {}{}{}", said("first"), said("second"), said("checked"));
    let codes = said("codes");
    let codes: Vec<&str> = codes.lines().collect();
    assert!(["1", "3"].contains(&codes[0]), "{codes:?} {all}");
    if is_of_bundle {
        assert!(
            said("first").contains("cannot write ")
                && said("first").to_lowercase().contains("no space left on device"),
            "{all}"
        );
    }
    let has_begun = said("first").contains(" of 6 saved in ");
    assert!(codes[1] == "0" || !has_begun, "{codes:?} {all}");
    assert_eq!(codes[2..], ["0", "0"], "{all}");
    let turns = desk.turns();
    assert_eq!(turns.len(), 6, "{turns:?} {all}");
    assert!(turns.iter().all(|turn| turn.contains("done")), "{turns:?} {all}");
    let count = run_cli(&["cat", &desk.text("run"), "count"]).out;
    assert_eq!(count, "1\n2\n3\n4\n5\n6\n", "{all}");
    nothing_is_left(&desk);
}

#[test]
fn a_disk_that_is_full_for_the_bundle_is_told_and_the_run_goes_on_once_there_is_room() {
    // Full while it begins, while the first commit is made, and in the middle of later ones.
    for size in [24, 60, 180, 310, 420] {
        on_a_small_disk(size, true);
    }
}

#[test]
fn a_disk_that_is_full_for_the_agent_fails_its_turn_and_the_run_goes_on_once_there_is_room() {
    on_a_small_disk(350, false);
}

#[test]
fn a_workspace_of_fifty_thousand_files_is_recorded_turn_by_turn() {
    let desk = Desk::new(&[
        (
            "Many.\ndo: for d in $(seq 50); do mkdir d$d; (cd d$d; seq $((d * 1000 + 1)) $((d * 1000 + 1000)) | split -l 1 -a 3 - f); done",
            None,
        ),
        ("One of them.\ndo: echo changed >d7/faaa; rm -r d9", None),
    ]);

    // In memory where there is a disk of that: the files are not what is looked at.
    let memory = Path::new("/dev/shm");
    let work = tempfile::tempdir_in(if memory.is_dir() { memory } else { desk.folder() }).unwrap();
    let mut words = desk.words(&[]);
    let at = words.iter().position(|word| word == "--work-dir").unwrap();
    words[at + 1] = work.path().join("work").to_str().unwrap().to_owned();

    let ran = run_cli(&words.iter().map(String::as_str).collect::<Vec<_>>());

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("recording the files: 50000 so far"), "{}", ran.err);
    let git = |words: &[&str]| -> String {
        let output = Command::new("git")
            .arg("--git-dir")
            .arg(desk.path("run/workspace.git"))
            .args(words)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let count = |at: &str| git(&["ls-tree", "-r", "--name-only", at]).lines().count();
    assert_eq!((count("main~1"), count("main")), (50_000, 49_000));
    // 50,000 files, 50 folders, a root and a commit; then a file, its folder, a root and a commit.
    let packed = git(&["count-objects", "-v"]);
    assert!(packed.contains("in-pack: 50056\n"), "{packed}");
    assert_eq!(desk.turns(), ["1 \"done\" 1", "2 \"done\" 1"]);
    nothing_is_left(&desk);
}

#[test]
fn whatever_becomes_of_the_agents_own_repository_its_commits_in_the_bundle_go_on() {
    let rows = [
        (
            "A repository of its own, and one within.\ndo: git init -q .; git config user.name a; git config user.email a@b; echo 1 >a; git add a; git commit -qm a; git init -q sub; echo 1 >sub/b",
            None,
        ),
        ("Gone.\ndo: rm -rf .git sub/.git; echo 2 >>a", None),
        (
            "A file that leads nowhere.\ndo: echo 'gitdir: /nowhere' >.git; echo 'gitdir: ../../..' >sub/.git; echo 3 >>a",
            None,
        ),
        (
            "A link to itself, and loops.\ndo: rm .git; ln -s .git .git; ln -s . loop; ln -s ../sub sub/loop; echo 4 >>a; test -e ../twice || { touch ../twice; exit 3; }",
            None,
        ),
        (
            "A pipe, and lists of what is ignored that are none.\ndo: rm .git; mkfifo .git; mkfifo .gitignore; ln -s /dev/zero sub/.gitignore; echo 5 >>a",
            None,
        ),
        (
            "Anew, with everything ignored but a.\ndo: rm -r .git .gitignore sub/.gitignore; git init -q .; printf '*\\n!a\\n' >.git/info/exclude; echo 6 >>a; test -e ../thrice || { touch ../thrice; exit 3; }",
            None,
        ),
        (
            "Somebody else's, damaged.\ndo: rm -rf .git/*; echo x >.git/HEAD; mkdir .git/objects; echo 7 >>a",
            None,
        ),
    ];
    let desk = Desk::new(&rows);

    let ran = desk.live(&["--retries", "1", "--timeout-turn", "60"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    desk.check();
    let states: Vec<String> = desk.turns().iter().map(|turn| turn[2..].to_owned()).collect();
    let wanted = [1, 1, 1, 2, 1, 2, 1].map(|attempt| format!("\"done\" {attempt}"));
    assert_eq!(states, wanted);
    for turn in 1..=7 {
        let lines = run_cli(&["cat", &desk.text("run"), "a", "--at", &turn.to_string()]).out;
        assert_eq!(lines.lines().count(), turn, "{lines}");
    }
    assert_eq!(desk.files("2"), ["a 1\n2", "sub/b 1"]);
    assert_eq!(desk.files("4"), ["a 1\n2\n3\n4", "loop .", "sub/b 1", "sub/loop ../sub"]);
    let left_out = desk.run_json()["turns"][4]["not_recorded"].to_string();
    assert!(left_out.contains(".gitignore: it is neither file, folder nor link"), "{left_out}");
    nothing_is_left(&desk);
}

#[test]
fn a_workspace_that_is_taken_away_or_leads_elsewhere_harms_nothing_and_the_run_goes_on() {
    let rows = [
        ("One.\ndo: echo 1 >one", None),
        ("Elsewhere.\ndo: rm -rf \"$PWD\"; ln -s PRECIOUS \"$PWD\"", None),
        (
            "Gone.\ndo: echo 3 >three; rm -rf \"$PWD\" ../tmp/x ../trajview-live; test -e PRECIOUS/again || exit 3",
            None,
        ),
        ("On.\ndo: echo 4 >four", None),
    ];
    let desk = Desk::new(&rows);
    fs::create_dir_all(desk.path("precious/a/b")).unwrap();
    fs::write(desk.path("precious/a/b/c"), "mine").unwrap();
    fs::write(desk.path("precious/mine"), "mine").unwrap();
    let script = fs::read_to_string(desk.path("script.json")).unwrap();
    fs::write(desk.path("script.json"), script.replace("PRECIOUS", &desk.text("precious")))
        .unwrap();

    let failed = desk.live(&[]);
    assert_eq!(failed.code, Some(1), "{}", failed.err);
    desk.check();
    fs::write(desk.path("precious/again"), "").unwrap();
    let ran = desk.resume(&[]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    desk.check();
    assert_eq!(desk.files("2"), Vec::<String>::new());
    assert_eq!(desk.files("3"), Vec::<String>::new());
    assert_eq!(desk.files("4"), ["four 4"]);
    assert_eq!(fs::read_to_string(desk.path("precious/a/b/c")).unwrap(), "mine");
    assert_eq!(fs::read_dir(desk.path("precious")).unwrap().count(), 3);
    let told = |turn: usize| {
        format!("turn {turn}: the agent deleted or replaced its folder workspace; it is now empty")
    };
    assert_eq!(run_remarks(&desk), [told(2), told(3)]);
    assert!(!desk.path("run.work").exists());
    nothing_is_left(&desk);
}

/// Says its number where the tests look for it, and stays.
const STAYS: &str = "echo $$ >>PIDS; exec sleep 600";

/// A desk whose agent leaves processes behind in each of the ways there are, in two turns of three.
fn leaving_desk() -> Desk {
    let ways = [
        format!("sh -c '{STAYS}' &"),
        format!("nohup sh -c '{STAYS}' >/dev/null 2>&1 &"),
        format!("setsid sh -c '{STAYS}' &"),
        format!("( ( sh -c '{STAYS}' & ) & );"),
        format!("( setsid sh -c '( {STAYS} ) &' & );"),
        format!("env -i setsid sh -c '{STAYS}' &"),
        "setsid sh RESPAWN &".to_owned(),
    ];
    let all = format!(
        "do: {} while test \"$(wc -l <PIDS)\" -lt COUNT; do sleep 0.02; done",
        ways.join(" ")
    );
    let looks =
        "do: for pid in $(cat PIDS); do test -d /proc/$pid && echo $pid >>alive; done; echo 2 >two";
    let texts = [
        format!("Leave.\n{}", all.replace("COUNT", "8")),
        format!("Look.\n{looks}"),
        format!("Leave again.\n{}", all.replace("COUNT", "16")),
    ];
    let rows: Vec<(&str, Option<&str>)> = texts.iter().map(|text| (&**text, None)).collect();
    let desk = Desk::new(&rows);
    // One that is another process each time one looks.
    fs::write(
        desk.path("respawn.sh"),
        format!("echo $$ >>{}\nsleep 0.03\nsetsid sh $0 &\n", desk.text("pids")),
    )
    .unwrap();
    fs::write(desk.path("pids"), "").unwrap();
    let script = fs::read_to_string(desk.path("script.json")).unwrap();
    let script =
        script.replace("PIDS", &desk.text("pids")).replace("RESPAWN", &desk.text("respawn.sh"));
    fs::write(desk.path("script.json"), script).unwrap();
    desk
}

/// Processes that were left behind and still run.
fn alive_processes(desk: &Desk) -> Vec<String> {
    let pids = fs::read_to_string(desk.path("pids")).unwrap();
    let words = |pid: &str| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words).replace('\0', " ")
    };
    let is_ours = |words: &String| words.contains("sleep 600") || words.contains("respawn.sh");
    pids.lines().map(words).filter(is_ours).collect()
}

#[test]
fn processes_that_an_agent_leaves_behind_are_ended_with_the_turn_however_they_were_started() {
    let desk = leaving_desk();

    let ran = desk.live(&[]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(desk.files("final"), ["two 2"], "none was alive in the next turn");
    let run = desk.run_json();
    for turn in [0, 2] {
        // Those of its own session are ended with it and not counted.
        assert!(run["turns"][turn]["left_running"].as_u64() >= Some(4), "{run}");
    }
    assert_eq!(alive_processes(&desk), Vec::<String>::new());
    nothing_is_left(&desk);
    desk.check();
}

/// An agent that stays in its terminal is not told apart from what it started: all of it ends with the run.
#[test]
fn processes_that_an_agent_in_a_terminal_leaves_behind_are_ended_with_the_run() {
    let desk = leaving_desk();
    // A line for each request: it is typed.
    let script = fs::read_to_string(desk.path("script.json")).unwrap();
    let script = script.replace("Leave.\\ndo", "do").replace("Look.\\ndo", "do");
    fs::write(desk.path("script.json"), script.replace("Leave again.\\ndo", "do")).unwrap();
    let agent = project_path("tests/agents/typed.sh");
    let config = format!(
        "[drivers.plain]\nstart = [\"sh\", \"{}\"]\nprompt = \"pty\"\nend_marker = \"ready> $\"\n",
        agent.display()
    );
    fs::write(desk.path("config.toml"), config).unwrap();

    let ran = desk.live(&["--patience", "0.5"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(desk.turns().len(), 3);
    assert_eq!(alive_processes(&desk), Vec::<String>::new());
    nothing_is_left(&desk);
}

/// What a program has of memory for itself, in MB; 0 where the system does not say.
fn own_memory(id: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let row = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes = row.and_then(|row| row.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) >> 10
}

/// The program that makes the run in a bundle.
fn program_of(bundle: &Path) -> Option<String> {
    let out = bundle.to_str().unwrap();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut ids = entries.filter_map(|entry| entry.file_name().into_string().ok());
    ids.find(|id| {
        let words = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words);
        words.contains("trajview") && words.split('\0').any(|word| word == out)
    })
}

/// An agent in its own screen prints so many MB, in colours, while somebody looks on and asks for help.
fn flooded_run(megabytes: u64) -> (Desk, u64) {
    let print = format!(
        "do: yes \"$(printf '\\033[3%dm%s\\033[0m' 2 'a line of a flood that fills the screen again and again')\" | head -c {megabytes}000000; \
         printf '\\r\\nthe flood is over\\r\\n'; echo 1 >one"
    );
    let desk = Desk::new(&[(&print, None), ("do: echo 2 >two", None)]);
    let agent = project_path("tests/agents/typed.sh");
    let config = format!(
        "[drivers.plain]\nstart = [\"sh\", \"{}\"]\nprompt = \"pty\"\nend_marker = \"ready> $\"\n",
        agent.display()
    );
    fs::write(desk.path("config.toml"), config).unwrap();
    let words = desk.words(&["--timeout-turn", "900"]);
    let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_trajview"));
    command.args(words.iter().filter(|word| *word != "--headless"));
    ["NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG"].iter().for_each(|name| command.env_remove(name));
    let mut tui = Tui::spawn_command(120, 40, command);

    tui.wait_for("a line of a flood");
    let id = program_of(&desk.path("run"));
    let memory = || id.as_deref().map_or(0, own_memory);
    let (mut most, mut looks) = (0, 0);
    let end = Instant::now() + Duration::from_secs(900);
    let over = || desk.path("run/run.json").exists() && desk.run_json()["state"] == "finished";
    while !over() {
        assert!(Instant::now() < end, "the flood never ended");
        most = most.max(memory());
        if looks < 3 {
            // Keys are heard meanwhile: the list of keys comes and goes.
            tui.press("?");
            tui.wait_for("esc");
            tui.press("\x1b");
            tui.wait_for("a line of a flood");
            looks += 1;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    most = most.max(memory());
    tui.wait_for("finished");
    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 0);
    (desk, most)
}

/// Bytes of the terminal's recording.
fn recorded_bytes(desk: &Desk) -> u64 {
    fs::metadata(desk.path("run/session/terminal.cast")).unwrap().len()
}

#[test]
fn a_screen_that_is_flooded_answers_keys_and_takes_no_memory() {
    let (desk, most) = flooded_run(30);

    assert!(most < 200, "{most} MB");
    assert_eq!(desk.files("final"), ["one 1", "two 2"]);
    assert!(recorded_bytes(&desk) > 30_000_000, "everything is kept");
    assert_eq!(run_remarks(&desk), Vec::<String>::new());
    nothing_is_left(&desk);
    desk.check();
}

#[test]
#[ignore = "takes minutes in a program that is not optimised"]
fn a_screen_that_prints_300_mb_is_kept_as_far_as_is_said() {
    let (desk, most) = flooded_run(300);

    println!("{most} MB of memory, {} bytes recorded", recorded_bytes(&desk));
    assert!(most < 200, "{most} MB");
    assert_eq!(desk.files("final"), ["one 1", "two 2"]);
    assert!(recorded_bytes(&desk) < (65 << 20), "{}", recorded_bytes(&desk));
    let told = "session/terminal.cast ends before the run: only 64 MB are recorded, or less if the disk is full";
    assert_eq!(run_remarks(&desk), [told]);
    nothing_is_left(&desk);
    desk.check();
}

/// What an agent without a screen prints is kept where it has no log, up to 64 MB of it.
#[test]
fn an_agent_that_floods_its_output_is_kept_as_far_as_is_said() {
    let desk = Desk::new(&[("Flood.", None)]);
    let ran = desk.shell("yes $(printf %0800d 0) | head -c 100000000; echo 1 >one");

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let kept = fs::metadata(desk.path("run/session/output-turn-001.txt")).unwrap().len();
    assert!(((64 << 20)..(65 << 20)).contains(&kept), "{kept}");
    let shown = cli_json(&["show", &desk.text("run"), "--json"]);
    assert_eq!(shown["turns"].as_array().unwrap().len(), 1);
    assert!(ran.err.len() < 10_000);
}

/// Three turns of a real agent; in the second one its command waits until a file is gone.
struct Waiting {
    desk: Desk,
    words: Vec<String>,
    server: Option<Server>,
    port: String,
}

impl Waiting {
    fn new(agent: &str, program: &Path, model: &str) -> Self {
        let texts = [1, 2, 3].map(|turn| format!("Write the line of part {turn}."));
        let rows: Vec<(&str, Option<&str>)> = texts.iter().map(|text| (&**text, None)).collect();
        let desk = Desk::new(&rows);
        let gate = format!(
            "touch {0}; while test -e {1}; do sleep 0.05; done; ",
            desk.text("waits"),
            desk.text("hold")
        );
        let turns: Vec<Value> = texts
            .iter()
            .zip(1..)
            .map(|(text, turn)| {
                let waits = if turn == 2 { gate.as_str() } else { "" };
                let command = format!("{waits}echo {turn} >>lines.txt");
                json!({"id": turn, "prompt": text, "steps": [
                    {"say": "I write it.", "ops": [{"op": "bash", "cmd": command, "desc": "Write"}]},
                    {"ops": [{"op": "bash", "cmd": "cat lines.txt", "desc": "Look"}]},
                    {"say": "It is written."},
                ]})
            })
            .collect();
        fs::write(desk.path("server.json"), json!({"name": "faults", "turns": turns}).to_string())
            .unwrap();
        fs::write(desk.path("hold"), "").unwrap();
        let (server, url) = server_at("0", &desk.path("server.json"), &desk.path("port"));
        let port = url.rsplit(':').next().unwrap().to_owned();
        let words = desk.words(&["--model", model, "--base-url", &url, "--permissions", "full"]);
        let mut words: Vec<String> = words
            .into_iter()
            .map(|word| if word == "plain" { agent.into() } else { word })
            .collect();
        words.extend(["--program".into(), program.to_str().unwrap().into()]);
        words.extend(["--timeout-turn".into(), "120".into()]);
        Self { desk, words, server: Some(server), port }
    }

    /// Begins the run, up to the middle of the second turn's call.
    fn begin(&self) -> std::process::Child {
        let child = start_live(&self.words);
        wait_for("the call", || self.desk.path("waits").exists());
        child
    }

    /// What its process is, as the journal says.
    fn agent(&self) -> String {
        let journal = fs::read_to_string(self.desk.path("run/live.jsonl")).unwrap();
        let mut lines = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.rfind(|line| line["what"] == "process").unwrap()["process"].to_string()
    }

    fn lets_go(&self) {
        fs::remove_file(self.desk.path("hold")).unwrap();
    }

    fn resume(&self) {
        let went_on = self.desk.resume(&[]);
        assert_eq!(went_on.code, Some(0), "{}", went_on.err);
    }

    /// Every turn once, in files and in the agent's own log, and nothing is left.
    fn is_whole(&self) {
        self.desk.check();
        assert_eq!(self.desk.turns().len(), 3);
        let run = self.desk.text("run");
        for turn in 1..=3 {
            let lines = run_cli(&["cat", &run, "lines.txt", "--at", &turn.to_string()]).out;
            assert_eq!(lines.lines().count(), turn, "{lines}");
        }
        let shown = cli_json(&["show", &run, "--json"]);
        let asked = shown["turns"].as_array().unwrap().iter().map(|turn| turn["request"].clone());
        let texts = [1, 2, 3].map(|turn| format!("Write the line of part {turn}."));
        assert_eq!(asked.collect::<Vec<_>>(), texts);
        nothing_is_left(&self.desk);
    }
}

/// Each fault in the middle of a call: trajview is killed, the agent is killed, the server goes and comes back.
fn bears_everything(agent: &str, program: &Path, model: &str) {
    assert!(program.is_file(), "{} is no program", program.display());
    let killed = Waiting::new(agent, program, model);
    let mut child = killed.begin();
    child.kill().unwrap();
    child.wait().unwrap();
    killed.desk.check();
    killed.lets_go();
    killed.resume();
    killed.is_whole();

    let of_agent = Waiting::new(agent, program, model);
    let mut child = of_agent.begin();
    assert!(Command::new("kill").args(["-9", &of_agent.agent()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let why = of_agent.desk.run_json()["turns"][1]["why"].to_string();
    assert!(why.contains("ended by signal 9"), "{why}");
    of_agent.desk.check();
    nothing_is_left(&of_agent.desk);
    of_agent.lets_go();
    of_agent.resume();
    of_agent.is_whole();

    let mut of_server = Waiting::new(agent, program, model);
    let mut child = of_server.begin();
    drop(of_server.server.take());
    of_server.lets_go();
    wait_for("the end of its call", || {
        let lines = fs::read_to_string(of_server.desk.workspace().join("lines.txt"));
        lines.is_ok_and(|lines| lines.lines().count() == 2)
    });
    let (script, place) = (of_server.desk.path("server.json"), of_server.desk.path("port"));
    let _server = server_at(&of_server.port, &script, &place);
    let code = child.wait().unwrap().code();
    println!("{agent}: its server was gone for a moment: exit code {code:?}");
    if code != Some(0) {
        of_server.resume();
    }
    of_server.is_whole();
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_CODEX and python3"]
fn codex_bears_every_fault_in_the_middle_of_a_call() {
    let codex = std::env::var_os("TRAJVIEW_CODEX").map(std::path::PathBuf::from);
    bears_everything("codex", &codex.expect("TRAJVIEW_CODEX names the program"), "gpt-5.5");
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA, TRAJVIEW_REAL_CLI and python3"]
fn claude_code_bears_every_fault_in_the_middle_of_a_call() {
    let claude = npm_program("@anthropic-ai/claude-code-linux-x64/claude");
    bears_everything("claude", &claude, "claude-sonnet-4-5");
}
