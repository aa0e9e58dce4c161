//! Remote storage as other people's servers have it: moto for S3, Azurite for Azure, fake-gcs-server for Google. `.ci/run`
//! installs them; each is started by the test that needs it, on a port of its own of this machine.

use std::{
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use crate::common::{cli_json, cli_text, project_path};

/// Signs what is put into Azurite, with the account and the key that everybody knows; good until 2099.
const SIGNED: &str = "sv=2019-12-12&ss=b&srt=sco&sp=rwlc&se=2099-01-01T00%3A00%3A00Z&spr=https%2Chttp&\
                      sig=DNNqQtNOOI0M1v%2BNkhkTPwsd88u7u2c%2BZj1dUdkR9nU%3D";

/// A server that ends with the test.
struct Server {
    child: Child,
    port: u16,
    home: tempfile::TempDir,
    /// What the program is told of it.
    environment: Vec<(&'static str, String)>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn variable_value(variable: &str) -> String {
    let path = std::env::var(variable);
    path.unwrap_or_else(|_| panic!("{variable} names the program of the server"))
}

impl Server {
    fn start_server(command: impl FnOnce(u16, &Path) -> Command) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let home = tempfile::tempdir().unwrap();
        let mut command = command(port, home.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("the server starts");
        let server = Self { child, port, home, environment: vec![] };
        let deadline = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "the server listens within a minute");
            std::thread::yield_now();
        }
        server
    }

    /// Sends a request and gives the answer, which must be one of success.
    fn send(&self, method: &str, target: &str, headers: &str, body: &[u8]) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let head = format!(
            "{method} {target} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n",
            self.port,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut answer = vec![];
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(answer.starts_with("HTTP/1.1 2"), "{method} {target}: {answer}");
        answer
    }

    /// What the program prints.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_trajview"))
            .args(arguments)
            .env_remove("NO_COLOR")
            .env("TRAJVIEW_CONFIG", "")
            .env("XDG_CACHE_HOME", self.home.path().join("cache"))
            .envs(self.environment.iter().map(|(name, value)| (name, value.as_str())))
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    fn printed(&self, arguments: &[&str]) -> String {
        let (code, out, err) = self.run(arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {err}");
        out
    }
}

/// The sample runs that are put there, each file with its path below the bucket.
fn sample_files() -> Vec<(String, Vec<u8>)> {
    let mut files = vec![];
    for run in ["codex-p12", "logs", "claude-code"] {
        collect_files(&project_path("sample-runs").join(run), &format!("runs/{run}"), &mut files);
    }
    files
}

fn collect_files(folder: &Path, below: &str, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = format!("{below}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            collect_files(&entry.path(), &name, files);
        } else {
            files.push((name, fs::read(entry.path()).unwrap()));
        }
    }
}

fn encoded_key(key: &str) -> String {
    let one = |byte: u8| match byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    key.bytes().map(one).collect()
}

/// What is at the address is what is on the disk.
fn assert_same(server: &Server, address: &str) {
    let local = project_path("sample-runs/codex-p12");
    let local = local.to_str().unwrap();
    let bundle = format!("{address}/runs/codex-p12");
    for command in ["show", "score"] {
        let there = server.printed(&[command, &bundle, "--json"]);
        let here = cli_text(&[command, local, "--json"]);
        assert_eq!(there.replace(&bundle, "X"), here.replace(local, "X"), "{command}");
    }

    let logs = format!("{address}/runs/logs");
    let query = "select count(*) as runs, sum(turns) as turns from runs";
    let there = server.printed(&["sql", query, &logs, "--json"]);
    let here =
        cli_json(&["sql", query, project_path("sample-runs/logs").to_str().unwrap(), "--json"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&there).unwrap(), here);

    let frame = server.printed(&[&logs, "--snapshot", "120x40"]);
    assert!(frame.contains("gemini"), "{frame}");
    let one = server.printed(&["show", &format!("{logs}/gemini.jsonl")]);
    assert_eq!(
        one,
        cli_text(&["show", project_path("sample-runs/logs/gemini.jsonl").to_str().unwrap()])
    );

    let (code, _, err) = server.run(&["show", &format!("{address}/runs/nothing.jsonl")]);
    assert_eq!(code, Some(3));
    assert!(err.trim_end().ends_with("nothing.jsonl: no such file or folder"), "{err}");
}

#[test]
#[ignore = "needs TRAJVIEW_MOTO"]
fn s3_as_moto_has_it_is_read_as_the_disk_is() {
    let program = variable_value("TRAJVIEW_MOTO");
    let mut server = Server::start_server(|port, _| {
        let mut command = Command::new(program);
        command.args(["-H", "127.0.0.1", "-p", &port.to_string()]);
        command
    });
    let signed = "authorization: AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, \
                  Signature=0\r\n";
    server.send("PUT", "/bucket", signed, b"");
    for (key, bytes) in sample_files() {
        server.send("PUT", &format!("/bucket/{}", encoded_key(&key)), signed, &bytes);
    }
    server.environment = vec![
        ("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", server.port)),
        ("AWS_ALLOW_HTTP", "true".into()),
        ("AWS_REGION", "us-east-1".into()),
        ("AWS_ACCESS_KEY_ID", "a".into()),
        ("AWS_SECRET_ACCESS_KEY", "b".into()),
    ];

    assert_same(&server, "s3://bucket");

    let (code, _, err) = server.run(&["show", "s3://nobody/a.jsonl"]);
    assert_eq!(
        (code, err.as_str()),
        (Some(3), "trajview: cannot read s3://nobody/a.jsonl: no such bucket\n")
    );
    // A page of a list has a thousand keys; these are three.
    for number in 0..2_100 {
        server.send("PUT", &format!("/bucket/many/{number:04}.jsonl"), signed, b"{}\n");
    }
    let (_, out, err) = server.run(&["check", "s3://bucket/many"]);
    assert!(out.contains("no recording below") || err.contains("no recording below"), "{out}{err}");
}

#[test]
#[ignore = "needs TRAJVIEW_AZURITE and node"]
fn az_as_azurite_has_it_is_read_as_the_disk_is() {
    let program = variable_value("TRAJVIEW_AZURITE");
    let mut server = Server::start_server(|port, home| {
        let mut command = Command::new("node");
        command.arg(program).args(["--blobHost", "127.0.0.1", "--blobPort", &port.to_string()]);
        command.args(["--silent", "--skipApiVersionCheck", "--location"]).arg(home.join("azurite"));
        command
    });
    let versioned = "x-ms-version: 2021-06-08\r\n";
    let container = format!("/devstoreaccount1/box?restype=container&{SIGNED}");
    server.send("PUT", &container, versioned, b"");
    for (key, bytes) in sample_files() {
        let target = format!("/devstoreaccount1/box/{}?{SIGNED}", encoded_key(&key));
        server.send("PUT", &target, &format!("{versioned}x-ms-blob-type: BlockBlob\r\n"), &bytes);
    }
    server.environment = vec![
        ("AZURE_STORAGE_USE_EMULATOR", "true".into()),
        ("AZURITE_BLOB_STORAGE_URL", format!("http://127.0.0.1:{}", server.port)),
    ];

    assert_same(&server, "az://box");

    // With a wrong key.
    server.environment.push(("AZURE_STORAGE_ACCOUNT_NAME", "devstoreaccount1".into()));
    server.environment.push(("AZURE_STORAGE_ACCOUNT_KEY", "bm8gc3VjaCBrZXk=".into()));
    let (code, _, err) = server.run(&["show", "az://box/runs"]);
    assert_eq!(code, Some(3));
    assert!(
        err.starts_with(
            "trajview: cannot read az://box/runs: access denied; they are read from AZURE_"
        ),
        "{err}"
    );
    assert!(!err.contains("bm8gc3VjaCBrZXk="), "{err}");
}

#[test]
#[ignore = "needs TRAJVIEW_FAKE_GCS"]
fn gs_as_fake_gcs_server_has_it_is_read_as_the_disk_is() {
    let program = variable_value("TRAJVIEW_FAKE_GCS");
    let mut server = Server::start_server(|port, _| {
        let mut command = Command::new(program);
        // Else it takes only one host for that of Google.
        command.args(["-public-host", &format!("127.0.0.1:{port}")]);
        command.args([
            "-scheme",
            "http",
            "-host",
            "127.0.0.1",
            "-backend",
            "memory",
            "-port",
            &port.to_string(),
        ]);
        command
    });
    let typed = "content-type: application/json\r\n";
    server.send("POST", "/storage/v1/b", typed, br#"{"name": "bucket"}"#);
    for (key, bytes) in sample_files() {
        let name = encoded_key(&key).replace('/', "%2F");
        let target = format!("/upload/storage/v1/b/bucket/o?uploadType=media&name={name}");
        server.send("POST", &target, "content-type: text/plain\r\n", &bytes);
    }
    let account = format!(
        "{{\"gcs_base_url\": \"http://127.0.0.1:{}\", \"disable_oauth\": true, \"client_email\": \"\", \"private_key\": \"\", \
         \"private_key_id\": \"\"}}",
        server.port
    );
    server.environment = vec![("GOOGLE_SERVICE_ACCOUNT_KEY", account)];

    assert_same(&server, "gs://bucket");
}
