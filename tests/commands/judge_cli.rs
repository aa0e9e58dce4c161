//! A command judge that is a real program: Claude Code and Codex as npm installs them, against our own server.
//!
//! They are not part of the project. To run this: `npm install --ignore-scripts @anthropic-ai/claude-code@2.1.330
//! @openai/codex@0.169.0` in a folder of its own, and its `node_modules` in `TRAJVIEW_REAL_CLI`. Nothing leaves the
//! machine that the programs do not send by themselves; no account is needed.
#![cfg(unix)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::common::{
    judge_desk::copy_folder,
    judge_server::{Asked, Say, Server},
};

/// The folder into which npm installed the programs.
fn programs_folder() -> PathBuf {
    let folder = std::env::var_os("TRAJVIEW_REAL_CLI").map(PathBuf::from);
    folder.expect("TRAJVIEW_REAL_CLI names the folder of the programs, see tests/judge_cli.rs")
}

/// One look, then a verdict, both as words.
fn model_reply(asked: &Asked) -> Say {
    let told = asked.body.to_string();
    Say::Text(match told.contains("##### answer") {
        false => r#"{"tool": "search", "arguments": {"pattern": "class |def "}}"#.into(),
        true => format!(
            "```json\n{{\"level\": 3, \"rationale\": \"{} was looked at.\", \"evidence\": []}}\n```",
            asked.component
        ),
    })
}

/// Judges two components with this command, and gives the judgement.
fn judge_command(command: &[&str], surroundings: &[(&str, &str)], home: &Path) -> Value {
    let run = home.join("run");
    copy_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-runs/codex-p12"), &run);
    let _ = fs::remove_dir_all(run.join("judgements"));
    let config = home.join("config.toml");
    let words = serde_json::to_string(command).unwrap();
    let passed: Vec<&str> = surroundings.iter().map(|(name, _)| *name).collect();
    let passed = serde_json::to_string(&passed).unwrap();
    fs::write(
        &config,
        format!("[judges.cli]\nkind = \"command\"\ncommand = {words}\npass = {passed}\nconcurrency = 1\n"),
    )
    .unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .arg("judge")
        .arg(&run)
        .args(["--judge", "cli", "--components", "C01,C02"])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("TRAJVIEW_CONFIG", &config)
        .envs(surroundings.iter().copied())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let file = fs::read_dir(run.join("judgements")).unwrap().flatten().next().unwrap().path();
    let judgement: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    for score in judgement["scores"].as_array().unwrap() {
        let id = score["component"].as_str().unwrap();
        assert_eq!(score["score"], 3, "{score}");
        assert_eq!(score["rationale"], format!("{id} was looked at."));
        assert_eq!(score["trace"][0]["tool"], "search");
        assert_eq!(score["trace"][0]["refused"], false);
    }
    judgement
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_CLI"]
fn claude_code_is_a_judge() {
    let programs = programs_folder();
    let (server, home) = (Server::new(model_reply), tempfile::tempdir().unwrap());
    let program = programs.join("@anthropic-ai/claude-code-linux-x64/claude");
    let command = [
        program.to_str().unwrap(),
        "-p",
        "--output-format",
        "json",
        "--tools",
        "",
        "--no-session-persistence",
    ];

    let judgement = judge_command(
        &command,
        &[
            ("ANTHROPIC_BASE_URL", server.url().trim_end_matches("/v1")),
            ("ANTHROPIC_API_KEY", "sk-test-0123456789abcdef"),
            ("CLAUDE_CODE_MAX_RETRIES", "1"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
        ],
        home.path(),
    );

    assert!(judgement["scores"][0]["tokens"].as_u64().unwrap() > 0, "{judgement}");
    assert!(server.seen_requests().iter().all(|asked| asked.path.starts_with("/v1/messages")));
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_CLI"]
fn codex_is_a_judge() {
    let programs = programs_folder();
    let (server, home) = (Server::new(model_reply), tempfile::tempdir().unwrap());
    let program =
        programs.join("@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex");
    let settings = home.path().join("codex");
    fs::create_dir(&settings).unwrap();
    fs::write(
        settings.join("config.toml"),
        format!(
            "model = \"gpt-5.5\"\nmodel_provider = \"p\"\ncheck_for_update_on_startup = false\n\
             [model_providers.p]\nname = \"p\"\nbase_url = \"{}\"\nwire_api = \"responses\"\nenv_key = \"STUB_KEY\"\n\
             request_max_retries = 1\nstream_max_retries = 1\n\
             [analytics]\nenabled = false\n[features]\nplugins = false\nremote_plugin = false\napps = false\n",
            server.url()
        ),
    )
    .unwrap();
    let command = [
        program.to_str().unwrap(),
        "exec",
        "--ephemeral",
        "--skip-git-repo-check",
        "-s",
        "read-only",
        "-",
    ];

    judge_command(
        &command,
        &[("CODEX_HOME", settings.to_str().unwrap()), ("STUB_KEY", "sk-test-0123456789abcdef")],
        home.path(),
    );

    assert!(!server.seen_requests().is_empty());
}
