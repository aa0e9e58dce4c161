//! A run to be judged, a judge called `stub`, and the program asking it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

use super::{Ran, judge_server::Server, project_path};

pub const KEY: &str = "sk-test-0123456789abcdef";

/// A copy of a sample run, and settings with one judge called `stub`.
pub struct Desk {
    pub folder: TempDir,
}

impl Desk {
    pub fn new(settings: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy_folder(&project_path("sample-runs/codex-p12"), &folder.path().join("run"));
        // The sample brings judgements of its own.
        let _ = fs::remove_dir_all(folder.path().join("run/judgements"));
        fs::write(folder.path().join("config.toml"), settings).unwrap();
        Self { folder }
    }

    pub fn with_server(server: &Server, more: &str) -> Self {
        Self::with_protocol("chat", server, more)
    }

    pub fn with_protocol(protocol: &str, server: &Server, more: &str) -> Self {
        Self::new(&format!(
            "[judges.stub]\nkind = \"{protocol}\"\nmodel = \"m-1\"\nbase_url = \"{}\"\nkey_env = \"STUB_KEY\"\n\
             backoff = 0.01\n{more}\n",
            server.url()
        ))
    }

    pub fn run(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trajview"));
        command.arg("judge").arg(self.run()).args(["--judge", "stub"]).args(arguments);
        self.with_surroundings(&mut command);
        command
    }

    pub fn with_surroundings(&self, command: &mut Command) {
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("STUB_KEY", KEY)
            .env("TRAJVIEW_CONFIG", self.folder.path().join("config.toml"))
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    }

    pub fn judge(&self, arguments: &[&str]) -> Ran {
        run_command(&mut self.command(arguments))
    }

    /// Names of the judgement files, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.run().join("judgements"));
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        let mut names: Vec<String> = entries.into_iter().flatten().flatten().map(name).collect();
        names.sort();
        names
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.run().join("judgements").join(name)).unwrap()
    }

    /// The one judgement there is.
    pub fn only(&self) -> Value {
        let names = self.names();
        assert_eq!(names.len(), 1, "{names:?}");
        serde_json::from_slice(&self.bytes(&names[0])).unwrap()
    }
}

pub fn run_command(command: &mut Command) -> Ran {
    let output = command.output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let (path, copied) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_folder(&path, &copied);
        } else {
            fs::copy(&path, &copied).unwrap();
        }
    }
}

pub fn score_pairs(judgement: &Value) -> Vec<(String, Option<u64>)> {
    let score = |it: &Value| (it["component"].as_str().unwrap().to_owned(), it["score"].as_u64());
    judgement["scores"].as_array().unwrap().iter().map(score).collect()
}

pub fn component_ids(judgement: &Value) -> Vec<String> {
    score_pairs(judgement).into_iter().map(|(id, _)| id).collect()
}

/// What became of the only component that was asked about.
pub fn error_of(desk: &Desk) -> String {
    let judgement = desk.only();
    assert_eq!(judgement["scores"][0]["score"], Value::Null);
    judgement["scores"][0]["error"].as_str().unwrap().to_owned()
}

pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn saved_count(desk: &Desk) -> usize {
    let read = |name: &String| serde_json::from_slice::<Value>(&desk.bytes(name)).ok();
    let names = desk.names();
    let whole = names.iter().filter(|name| name.ends_with(".json")).filter_map(read).next();
    whole.map_or(0, |judgement| score_pairs(&judgement).len())
}

pub fn start_judge(desk: &Desk, arguments: &[&str]) -> Child {
    desk.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}
