//! What a live run begins with: a repository, a revision or a folder, and commands that prepare it; the short line that asks
//! one request of a copy and leaves a patch; and the chat, in which a person types every request.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::{
    common::{Ran, cli_json, project_path, run_cli},
    live::Desk,
};

fn run_git(folder: &Path, words: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=a person", "-c", "user.email=person@example.invalid"])
        .args(words)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A repository with two commits, a change that is not committed, and a folder that git ignores.
fn make_repository(desk: &Desk) -> PathBuf {
    let repo = desk.path("project");
    fs::create_dir_all(repo.join("src")).unwrap();
    let write = |name: &str, content: &str| fs::write(repo.join(name), content).unwrap();
    write(".gitignore", "built/\n");
    write("src/lib.py", "def one():\n    return 1\n");
    run_git(&repo, &["init", "-q", "-b", "main", "."]);
    run_git(&repo, &["add", "."]);
    run_git(&repo, &["commit", "-qm", "first"]);
    write("README", "read me\n");
    run_git(&repo, &["add", "."]);
    run_git(&repo, &["commit", "-qm", "second"]);
    write("README", "read me, please\n");
    fs::create_dir(repo.join("built")).unwrap();
    write("built/out", "made\n");
    repo
}

fn shown_run(desk: &Desk) -> Value {
    cli_json(&["show", &desk.text("run"), "--json"])
}

fn commit_messages(desk: &Desk) -> Vec<String> {
    let all =
        run_git(&desk.path("run/workspace.git"), &["log", "--reverse", "--format=%s", "main"]);
    all.lines().map(str::to_owned).collect()
}

#[test]
fn a_run_begins_with_a_repository_as_it_lies_there_and_counts_only_what_the_agent_wrote() {
    let desk = Desk::new(&[("Change it.\ndo: echo two >>src/lib.py; echo new >new.txt", None)]);
    let repo = make_repository(&desk);
    let head = run_git(&repo, &["rev-parse", "HEAD"]);

    let ran = desk.live(&["--from", repo.to_str().unwrap()]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.err.contains(&format!("it started from {} at {head}", repo.display())),
        "{}",
        ran.err
    );
    let start = &desk.run_json()["start"];
    assert_eq!(start["source"]["revision"], head.as_str());
    assert_eq!(start["source"]["changed"], 1);
    assert_eq!(start["source"]["files"], 3);
    assert_eq!(start["source"]["ignored"]["names"], serde_json::json!(["built/"]));
    desk.check();
    assert_eq!(
        desk.files("start"),
        [".gitignore built/", "README read me, please", "src/lib.py def one():\n    return 1"]
    );
    let edits = &shown_run(&desk)["turns"][0]["edits"];
    let paths: Vec<&str> =
        edits.as_array().unwrap().iter().map(|edit| edit["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["new.txt", "src/lib.py"]);
    let words = run_cli(&["show", &desk.text("run")]).out;
    assert!(words.contains("1 file changed since, 3 files"), "{words}");
    assert!(words.contains("start: 1 ignored and not copied: built/"), "{words}");
    let blamed = cli_json(&["blame", &desk.text("run"), "src/lib.py", "--json"]);
    let origins: Vec<&str> = blamed["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["origin"].as_str().unwrap())
        .collect();
    assert_eq!(origins, ["before-run", "before-run", "outside"]);
    // The repository itself is as it was.
    assert_eq!(run_git(&repo, &["status", "--short"]), "M README");
}

#[test]
fn a_run_begins_with_a_revision_and_its_history() {
    let desk = Desk::new(&[(
        "Look.\ndo: git log --format=%s >log.txt; git status --short >>log.txt",
        None,
    )]);
    let repo = make_repository(&desk);

    let from = format!("{}@HEAD~1", repo.display());
    let ran = desk.live(&["--from", &from, "--with-history"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let files = desk.files("1");
    assert!(files.contains(&"log.txt first\n?? log.txt".to_owned()), "{files:?}");
    assert!(!files.iter().any(|file| file.starts_with("README")), "{files:?}");
    let source = &desk.run_json()["start"]["source"];
    assert_eq!((&source["asked"], &source["changed"]), (&"HEAD~1".into(), &Value::Null));
    assert_eq!(source["has_history"], true);
}

#[test]
fn commands_prepare_the_workspace_and_are_commits_of_their_own_but_no_turns() {
    let desk = Desk::new(&[("Use it.\ndo: cat made >used", None)]);

    let ran = desk.live(&[
        "--setup",
        "echo made >made; echo told",
        "--setup",
        "mkdir -p sub && mv made sub/ && cp sub/made made",
    ]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("exit code 0"), "{}", ran.err);
    let run = desk.run_json();
    let setup = run["start"]["setup"].as_array().unwrap();
    assert_eq!(setup.len(), 2);
    assert_eq!(
        (setup[0]["output"].as_str(), setup[0]["exit"].as_str()),
        (Some("told\n"), Some("exit code 0"))
    );
    assert_eq!(setup[0]["changed"], serde_json::json!(["made"]));
    assert_eq!(run["turns"].as_array().unwrap().len(), 1);
    let titles = commit_messages(&desk);
    assert_eq!(titles.len(), 4, "{titles:?}");
    assert!(
        titles[1].starts_with("setup: echo made") && titles[3].starts_with("turn 1: "),
        "{titles:?}"
    );
    assert_eq!(desk.files("start"), ["made made", "sub/made made"]);
    let edits = shown_run(&desk)["turns"][0]["edits"].clone();
    assert_eq!(edits.as_array().unwrap().len(), 1, "{edits}");
    desk.check();
}

#[test]
fn a_setup_that_fails_stops_the_run_and_is_tried_again() {
    let desk = Desk::new(&[("Use it.\ndo: cat made >used", None)]);
    let flag = desk.path("flag");
    let second = format!("echo half >half; test -e {} && echo made >made", flag.display());

    let ran = desk.live(&["--setup", "echo first >>first", "--setup", &second]);

    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("no request was sent"), "{}", ran.err);
    let run = desk.run_json();
    assert_eq!(run["turns"], serde_json::json!([]));
    assert_eq!(run["start"]["setup"][1]["is_fine"], false);

    fs::write(&flag, "").unwrap();
    let ran = desk.resume(&[]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let run = desk.run_json();
    assert_eq!(run["start"]["setup"].as_array().unwrap().len(), 2);
    assert_eq!(desk.files("start"), ["first first", "half half", "made made"]);
    assert_eq!(desk.files("1"), ["first first", "half half", "made made", "used made"]);
}

#[test]
fn a_key_in_what_a_setup_printed_is_covered() {
    let desk = Desk::new(&[("Go.", None)]);
    let words =
        desk.words(&["--pass", "SOME_KEY", "--setup", "echo $SOME_KEY; echo $SOME_KEY >kept"]);

    let output = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(&words)
        .env("TRAJVIEW_CONFIG", "")
        .env("SOME_KEY", "open-sesame-42")
        .output()
        .unwrap();

    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for name in ["run.json", "live.jsonl"] {
        let text = fs::read_to_string(desk.path("run").join(name)).unwrap();
        assert!(!text.contains("open-sesame-42"), "{name}");
    }
    assert_eq!(desk.files("start"), ["kept **************"]);
}

#[test]
fn a_turn_that_is_done_again_starts_from_the_files_that_the_run_began_with() {
    let desk = Desk::new(&[(
        "Count.\ndo: ls >seen; rm -f a; test -e ../../flag || { touch ../../flag; exit 3; }",
        None,
    )]);
    fs::create_dir(desk.path("folder")).unwrap();
    fs::write(desk.path("folder/a"), "a\n").unwrap();

    let ran = desk.live(&["--retries", "1", "--from", &desk.text("folder")]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(desk.turns(), ["1 \"done\" 2"]);
    assert_eq!(desk.files("1"), ["seen a\nseen"]);
    assert_eq!(desk.run_json()["start"]["source"]["folder"], desk.text("folder").as_str());
}

#[test]
fn what_cannot_be_begun_with_is_said_before_anything_is_made() {
    let desk = Desk::new(&[("Go.", None)]);
    for (from, why) in [
        (desk.text("gone"), "no such file or folder"),
        (desk.text("script.json"), "is neither a repository nor a folder"),
        ("https://example.com/r.git".to_owned(), "fetches nothing over the network"),
    ] {
        let ran = desk.live(&["--from", &from]);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains(why), "{}", ran.err);
        assert!(!desk.path("run").exists());
    }
}

/// The short line, called in a repository.
fn run_short(desk: &Desk, folder: &Path, more: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(["live", "--agent", "plain", "--headless", "--config", &desk.text("config.toml")])
        .args(more)
        .current_dir(folder)
        .env("TRAJVIEW_CONFIG", "")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

#[test]
fn the_short_line_works_in_a_copy_and_leaves_a_patch_that_applies() {
    let desk = Desk::new(&[("unused", None)]);
    let repo = make_repository(&desk);
    let prompt =
        "Fix it.\ndo: echo fixed >>src/lib.py; echo more >>README; printf '\\000\\001' >bin";

    let ran = run_short(&desk, &repo.join("src"), &["--", prompt]);

    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(run_git(&repo, &["status", "--short"]), "M README");
    let bundle = desk.path("project-plain-single-shot");
    let patch = bundle.join("changes.patch");
    assert!(ran.out.contains(&format!("patch: {} (3 files)", patch.display())), "{}", ran.out);
    let line = ran.out.lines().find_map(|line| line.strip_prefix("apply it: ")).unwrap();
    let applied = Command::new("sh").args(["-c", line]).status().unwrap();
    assert!(applied.success(), "{line}");
    assert_eq!(run_git(&repo, &["status", "--short"]), "M README\n M src/lib.py\n?? bin");
    assert_eq!(fs::read_to_string(repo.join("README")).unwrap(), "read me, please\nmore\n");
    assert_eq!(fs::read(repo.join("bin")).unwrap(), [0, 1]);

    let again = run_short(&desk, &repo, &["--prompt", "do: true", "--json"]);

    assert_eq!(again.code, Some(0), "{}", again.err);
    let said: Value = serde_json::from_str(&again.out).unwrap();
    let second = desk.path("project-plain-single-shot-2");
    assert_eq!(said["bundle"], second.to_str().unwrap());
    assert_eq!(fs::read(second.join("changes.patch")).unwrap(), b"");
}

#[test]
fn words_for_the_agent_stay_words_for_the_agent() {
    let plan = |more: &[&str]| {
        let mut words = vec!["live", "--agent", "codex", "--base-url", "http://127.0.0.1:1"];
        words.extend(["--print-plan", "--json"]);
        words.extend(more);
        let ran = run_cli(&words);
        let plan: Value = serde_json::from_str(&ran.out).expect(&ran.err);
        let words = plan["first"]["command"].as_array().unwrap();
        words.iter().map(|word| word.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let script = project_path("sample-runs/codex-p12/script.json");
    let script = script.to_str().unwrap();

    assert!(plan(&["--script", script, "--", "words", "of", "its"]).contains(&"words".to_owned()));
    assert!(plan(&["--", "-c", "a=b"]).contains(&"a=b".to_owned()));
    assert!(!plan(&["--", "fix", "the", "test"]).contains(&"fix".to_owned()));
    assert!(plan(&["--prompt", "fix it", "--", "-c", "a=b"]).contains(&"a=b".to_owned()));
}

#[test]
fn a_chat_needs_a_screen_and_a_script_a_folder() {
    let desk = Desk::new(&[("unused", None)]);
    let ran = run_short(&desk, desk.folder(), &[]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("a chat needs the agent's own screen"), "{}", ran.err);
    let ran = run_short(&desk, desk.folder(), &["--script", &desk.text("script.json")]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("--out DIR is missing"), "{}", ran.err);
}

/// A program that stands in for Docker: it writes down what it was asked, and runs the entry point here.
const STAND_IN: &str = r#"#!/bin/sh
[ "$1" = image ] && { [ "$3" = agents:1 ] && exit 0; echo "no such image: $3" >&2; exit 1; }
printf '%s\n' "$*" >>ASKED
shift
while [ $# -gt 0 ]; do
    case $1 in
    --network | --cap-drop | --security-opt | --user | --volume | --pull) shift ;;
    --env) case $2 in *=*) export "$2" ;; esac; shift ;;
    --workdir) cd "$2"; shift ;;
    --entrypoint) program=$2; shift ;;
    --*) ;;
    *) shift; break ;;
    esac
    shift
done
exec "$program" "$@"
"#;

#[test]
fn a_container_is_asked_for_with_the_folder_of_the_agent_and_names_of_variables_alone() {
    let desk = Desk::new(&[("Write.\ndo: echo one >one", None)]);
    let bin = desk.path("bin");
    fs::create_dir(&bin).unwrap();
    let asked = bin.join("asked");
    fs::write(bin.join("docker"), STAND_IN.replace("ASKED", asked.to_str().unwrap())).unwrap();
    fs::set_permissions(bin.join("docker"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let run = |more: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_trajview"))
            .args(desk.words(more))
            .env("TRAJVIEW_CONFIG", "")
            .env("PATH", &path)
            .env("SOME_KEY", "open-sesame-42")
            .output()
            .unwrap()
    };

    let missing = run(&["--sandbox", "docker", "--image", "other"]);
    assert!(!missing.status.success());
    let why = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(why.contains("--sandbox docker does not work here: no such image: other"), "{why}");
    assert!(!desk.path("run").exists());
    let ran = run(&[
        "--sandbox",
        "docker",
        "--image",
        "agents:1",
        "--network",
        "off",
        "--pass",
        "SOME_KEY",
    ]);

    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(desk.files("1"), ["one one"]);
    let asked = fs::read_to_string(bin.join("asked")).unwrap();
    let work = desk.folder().canonicalize().unwrap().join("run.work");
    let asked = asked.lines().last().unwrap();
    assert!(asked.contains("--network none --cap-drop ALL"), "{asked}");
    assert!(
        asked.contains(&format!("--volume {0}:{0} --workdir {0}/workspace", work.display())),
        "{asked}"
    );
    assert!(asked.contains("--env SOME_KEY") && !asked.contains("sesame"), "{asked}");
    let provenance = desk.run_json()["provenance"].as_str().unwrap().to_owned();
    let said = "the agent worked in a container (docker, image agents:1) without a network";
    assert!(provenance.contains(said), "{provenance}");
}

#[test]
fn a_sandbox_that_is_not_there_is_said_before_anything_is_made() {
    let desk = Desk::new(&[("Go.", None)]);
    for (words, why) in [
        (&["--network", "off"][..], "--network off needs a sandbox"),
        (&["--sandbox", "podman"][..], "--image NAME"),
        (&["--sandbox", "bwrap", "--image", "x"][..], "--image is for"),
        (&["--login"][..], "has no login to copy"),
    ] {
        let ran = desk.live(words);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains(why), "{}", ran.err);
        assert!(!desk.path("run").exists());
    }
}

#[test]
#[ignore = "needs bwrap"]
fn in_bubblewrap_the_agent_writes_in_its_folder_alone_and_sees_no_bundle() {
    let desk = Desk::new(&[(
        "Look.\ndo: ls ../../run >seen 2>&1; cat ../../script.json >>seen 2>&1; touch ../../outside || echo kept >kept; \
         umount ../../run; ls ../../run >>seen 2>&1; cut -d: -f1 /proc/net/dev | sed -n '3,$p' | tr -d ' ' >net",
        None,
    )]);

    let ran = desk.live(&["--sandbox", "bwrap", "--network", "off"]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let files = desk.files("1");
    assert_eq!(files[..2], ["kept kept", "net lo"], "{files:?}");
    assert!(!files[2].contains("run.json") && !files[2].contains("requests"), "{files:?}");
    assert!(!desk.path("outside").exists());
    let provenance = desk.run_json()["provenance"].as_str().unwrap().to_owned();
    assert!(
        provenance.contains("the bundle was out of the agent's reach (its sandbox)"),
        "{provenance}"
    );
    assert!(provenance.contains("in a sandbox (bwrap) without a network"), "{provenance}");
}

#[test]
fn a_login_is_copied_to_be_read_alone_and_is_recorded_nowhere() {
    let desk = Desk::new(&[("Go.", None)]);
    let home = desk.path("person");
    fs::create_dir_all(home.join(".claude")).unwrap();
    let token = "sk-ant-oat01-open-sesame-open-sesame";
    let login =
        format!("{{\"claudeAiOauth\": {{\"accessToken\": \"{token}\", \"expiresAt\": 1}}}}");
    fs::write(home.join(".claude/.credentials.json"), login).unwrap();
    // A program that is called as Claude Code is, and tells what it was given.
    let agent = desk.path("agent.sh");
    let script = "#!/bin/sh\n[ \"$1\" = --version ] && { echo 2.1.0; exit 0; }\n\
        cp \"$CLAUDE_CONFIG_DIR/.credentials.json\" copy.json; stat -c %a \"$CLAUDE_CONFIG_DIR/.credentials.json\" >mode\n\
        echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"ok\"}'\n";
    fs::write(&agent, script).unwrap();
    fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).unwrap();

    let output = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(["live", "--agent", "claude", "--headless", "--keep-work", "--login"])
        .args(["--program", agent.to_str().unwrap(), "--script", &desk.text("script.json")])
        .args(["--out", &desk.text("run"), "--work-dir", &desk.text("run.work")])
        .env("TRAJVIEW_CONFIG", "")
        .env("HOME", &home)
        .env_remove("ANTHROPIC_API_KEY")
        .output()
        .unwrap();

    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let files = desk.files("1");
    assert!(files[0].starts_with("copy.json ") && files[0].contains("****"), "{files:?}");
    assert!(!files[0].contains("open-sesame"), "{files:?}");
    assert_eq!(files[1], "mode 400");
    assert!(!desk.path("run.work/agent/claude/.credentials.json").exists());
    let provenance = desk.run_json()["provenance"].as_str().unwrap().to_owned();
    assert!(provenance.contains("a copy of the person's login"), "{provenance}");
}

#[test]
#[ignore = "needs bwrap and python3"]
fn in_bubblewrap_one_port_leads_to_the_model_server() {
    let desk = Desk::new(&[("Ask.\ndo: python3 ask.py >answer", None)]);
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    std::thread::spawn(move || {
        use std::io::{Read, Write};
        for stream in server.incoming().flatten() {
            std::thread::spawn(move || {
                let mut stream = stream;
                let mut asked = [0; 2];
                if stream.read_exact(&mut asked).is_ok() {
                    stream.write_all(b"from outside").unwrap();
                }
            });
        }
    });
    let ask = format!(
        "import socket\ns = socket.create_connection(('127.0.0.1', {port}))\ns.sendall(b'hi')\nprint(s.recv(99).decode())\n\
         try:\n    socket.create_connection(('127.0.0.1', 1), 1)\nexcept OSError as why:\n    print(type(why).__name__)\n"
    );
    fs::create_dir(desk.path("folder")).unwrap();
    fs::write(desk.path("folder/ask.py"), ask).unwrap();

    let url = format!("http://127.0.0.1:{port}");
    let more = [
        "--from",
        &desk.text("folder"),
        "--sandbox",
        "bwrap",
        "--network",
        "loopback",
        "--base-url",
        &url,
    ];
    let ran = desk.live(&more);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let files = desk.files("1");
    assert_eq!(files[0], "answer from outside\nConnectionRefusedError", "{files:?}");
}

/// The state before the first turn of a workspace with many files, and a turn that writes as many.
#[test]
#[ignore = "takes a while"]
fn many_files_are_begun_with_and_written_in_bounded_time() {
    let desk = Desk::new(&[(
        "Write many.\ndo: mkdir new; for d in $(seq 100); do mkdir new/$d; (cd new/$d; seq 500 | split -l 1 -a 3 -); done",
        None,
    )]);
    for folder in 0..100 {
        fs::create_dir_all(desk.path(&format!("folder/{folder}"))).unwrap();
        for file in 0..500 {
            fs::write(desk.path(&format!("folder/{folder}/{file}")), format!("{folder} {file}\n"))
                .unwrap();
        }
    }
    let began = std::time::Instant::now();

    let ran = desk.live(&["--from", &desk.text("folder")]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    eprintln!("50,000 files begun with and 50,000 written: {:?} in all", began.elapsed());
    let journal = fs::read_to_string(desk.path("run/live.jsonl")).unwrap();
    for line in journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        eprintln!("{} {}", line["at"].as_str().unwrap(), line["what"].as_str().unwrap());
    }
}
