//! Recordings on remote storage, by a server that counts what is asked of it and misbehaves where it is told to.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Output},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use crate::common::{
    Ran,
    object_server::{Asked, Fault, Store, sum_requests},
    project_path,
};

const SECRET: &str = "do-not-tell-this-to-anybody";

/// A store, the folder that the program keeps things in, and the program.
struct Place {
    store: Store,
    home: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self::with_store(Store::new())
    }

    fn with_faults(faults: impl Fn(&Asked) -> Option<Fault> + Send + Sync + 'static) -> Self {
        Self::with_store(Store::with_faults(faults))
    }

    fn with_store(store: Store) -> Self {
        Self { store, home: tempfile::tempdir().unwrap() }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trajview"));
        command
            .args(arguments)
            .current_dir(self.home.path())
            .env_remove("NO_COLOR")
            .env("TRAJVIEW_CONFIG", "")
            .env("XDG_CACHE_HOME", self.home.path().join("cache"))
            .env("AWS_ENDPOINT_URL", self.store.endpoint())
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ACCESS_KEY_ID", "a-key-id")
            .env("AWS_SECRET_ACCESS_KEY", SECRET)
            .env("HF_ENDPOINT", self.store.endpoint())
            .env("HF_TOKEN", SECRET);
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"] {
            command.env_remove(name);
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let ran = Ran { code: status.code(), out: text(stdout), err: text(stderr) };
        let is_told = |text: &str| text.contains(SECRET) || text.contains("a-key-id");
        assert!(!is_told(&ran.out) && !is_told(&ran.err), "{arguments:?}: {}", ran.err);
        ran
    }

    fn printed(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.err);
        ran.out.replace('\r', "")
    }

    /// The one sentence that it ends with, and its exit code.
    fn failed(&self, arguments: &[&str]) -> (i32, String) {
        let ran = self.run(arguments);
        assert_eq!(ran.out, "", "{arguments:?}");
        let sentence = ran.err.trim_end().trim_start_matches("trajview: ");
        (ran.code.unwrap(), sentence.to_owned())
    }
}

fn log_bytes(name: &str, words: &str) -> Vec<u8> {
    let line = |number: usize| {
        format!(
            "{{\"parentUuid\":null,\"isSidechain\":false,\"sessionId\":\"{name}\",\"type\":\"user\",\"uuid\":\"u{number}\",\
             \"message\":{{\"role\":\"user\",\"content\":\"request {number} {words}\"}}}}\n"
        )
    };
    (1..=3).map(line).collect::<String>().into_bytes()
}

/// A log of so many bytes and a few more.
fn log_of(name: &str, bytes: usize) -> Vec<u8> {
    log_bytes(name, &"x".repeat(bytes / 3))
}

/// Every file below a folder, by its path below it.
fn files_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                let name = entry.path().strip_prefix(folder).unwrap().display().to_string();
                found.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

#[test]
fn every_sample_run_is_at_an_address_what_it_is_on_the_disk() {
    let place = Place::new();
    place.store.put_folder("bucket/sample-runs", &project_path("sample-runs"));
    let exported = |from: &str, to: &str| {
        let out = place.home.path().join(to);
        place.printed(&["export", from, "--jsonl", out.to_str().unwrap()]);
        let all = files_below(&out);
        let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).replace(from, "HERE");
        all.values().map(text).collect::<Vec<_>>()
    };

    let mut here = exported(project_path("sample-runs").to_str().unwrap(), "here");
    let mut there = exported("s3://bucket/sample-runs", "there");

    here.sort();
    there.sort();
    assert_eq!(here.len(), there.len());
    for (here, there) in here.iter().zip(&there) {
        for (one, other) in here.lines().zip(there.lines()) {
            assert_eq!(one, other);
        }
    }
}

#[test]
fn a_bundle_at_an_address_has_its_files_its_judgements_and_its_repository() {
    let place = Place::new();
    place.store.put_folder("bucket/runs/codex-p12", &project_path("sample-runs/codex-p12"));
    let local = project_path("sample-runs/codex-p12");
    let local = local.to_str().unwrap();
    let address = "s3://bucket/runs/codex-p12";

    for command in ["show", "score", "process", "cost", "check"] {
        let here = place.printed(&[command, local, "--json"]).replace(local, "HERE");
        let there = place.printed(&[command, address, "--json"]).replace(address, "HERE");
        assert_eq!(here, there, "{command}");
    }
    // The manifest names the bundle as its folder does.
    let shown = place.printed(&["show", "s3://bucket/runs/codex-p12/run.json"]);
    assert_eq!(shown, place.printed(&["show", local]));

    let copy = place.home.path().join("copy");
    let copy = copy.to_str().unwrap();
    place.printed(&["import", address, "--out", copy]);
    let there = place.printed(&["show", copy, "--json"]).replace(copy, "HERE");
    assert_eq!(there, place.printed(&["show", local, "--json"]).replace(local, "HERE"));
}

#[test]
fn a_list_of_a_thousand_logs_reads_their_beginnings_alone_and_only_once() {
    let place = Place::new();
    for number in 0..1_000 {
        let name = format!("{number:04}");
        place.store.put(&format!("bucket/runs/{name}.jsonl"), log_of(&name, 150_000));
    }
    let table = ["s3://bucket/runs", "--snapshot", "100x30"];

    let frame = place.printed(&table);

    let asked = place.store.seen_requests();
    assert!(frame.contains("1000 sessions") && frame.contains("request 1"), "{frame}");
    let (lists, reads): (Vec<_>, Vec<_>) = asked.iter().partition(|it| it.is_list());
    assert_eq!(lists.len(), 1, "a page has a thousand keys");
    // The folder itself is no object, which one request tells.
    assert_eq!(reads.len(), 1_001);
    assert!(reads.iter().all(|it| it.range == Some((0, 65_535))), "only beginnings are read");
    let (_, bytes) = sum_requests(&asked);
    assert!(bytes < 1_000 * 65_536 + 400_000, "{bytes}");

    assert_eq!(place.printed(&table), frame);

    let (requests, bytes) = sum_requests(&place.store.seen_requests());
    assert!(requests == 2 && bytes < 400_000, "{requests} requests, {bytes} bytes");

    place.printed(&["show", "s3://bucket/runs/0500.jsonl"]);

    let asked = place.store.seen_requests();
    let told = |it: &Asked| (it.is_list(), it.range.is_some(), it.sent > 150_000);
    // Its beginning, whether a folder beside it holds companions, and all of it.
    let mut told: Vec<_> = asked.iter().map(told).collect();
    told.sort_unstable();
    assert_eq!(told, [(false, false, true), (false, true, false), (true, false, false)]);

    place.printed(&["show", "s3://bucket/runs/0500.jsonl"]);

    assert!(place.store.seen_requests().iter().all(|it| it.is_list() || it.range.is_some()));
}

#[test]
fn of_a_folder_only_the_shard_that_is_asked_for_is_fetched_whole() {
    let place = Place::new();
    for number in 0..40 {
        let name = format!("{number:02}");
        place.store.put(&format!("bucket/runs/{name}.jsonl"), log_of(&name, 100_000));
    }

    let query = "select count(*) as runs from runs";
    let out = place.printed(&["sql", query, "s3://bucket/runs", "--shard", "1/4", "--csv"]);

    let wholes = place.store.seen_requests().iter().filter(|it| it.sent > 100_000).count();
    assert_eq!(out, format!("runs\n{wholes}\n"));
    assert!((1..40).contains(&wholes), "{wholes}");
}

#[test]
fn an_object_that_changes_is_fetched_again_and_no_other() {
    let place = Place::new();
    place.store.put("bucket/runs/a.jsonl", log_bytes("a", "before"));
    place.store.put("bucket/runs/b.jsonl", log_of("b", 90_000));
    let query = ["sql", "select count(*) as turns from turns", "s3://bucket/runs", "--csv"];
    assert_eq!(place.printed(&query), "turns\n6\n");
    place.store.seen_requests();

    let more = [log_bytes("a", "before"), log_bytes("a", "after")].concat();
    place.store.put("bucket/runs/a.jsonl", more);
    place.printed(&query);

    let asked = place.store.seen_requests();
    let fetched: Vec<&str> =
        asked.iter().filter(|it| it.sent > 0 && !it.is_list()).map(|it| it.path.as_str()).collect();
    assert!(
        fetched.iter().all(|path| path.ends_with("a.jsonl") || path.ends_with("/runs")),
        "{fetched:?}"
    );
    assert!(fetched.iter().any(|path| path.ends_with("a.jsonl")));
}

#[test]
fn the_web_is_read_by_ranges_and_without_them() {
    let no_ranges = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&no_ranges);
    let place =
        Place::with_faults(move |_| told.load(Ordering::Relaxed).then_some(Fault::NoRanges));
    place.store.put("logs/a b.jsonl", log_of("a", 100_000));
    let address = format!("{}/logs/a%20b.jsonl", place.store.endpoint());

    let shown = place.printed(&["show", &address]);

    assert!(shown.contains("3 turns"), "{shown}");
    assert_eq!(place.store.seen_requests().len(), 2);
    no_ranges.store(true, Ordering::Relaxed);
    fs::remove_dir_all(place.home.path().join("cache")).unwrap();
    assert_eq!(place.printed(&["show", &address]), shown);
}

#[test]
fn a_redirect_of_the_web_is_followed_and_one_of_a_cloud_is_not() {
    let place = Place::with_faults(|asked| {
        asked.path.contains("moved").then(|| Fault::Redirect(302, "/logs/a.jsonl".to_owned()))
    });
    place.store.put("logs/a.jsonl", log_bytes("a", "x"));

    let shown = place.printed(&["show", &format!("{}/moved/a.jsonl", place.store.endpoint())]);

    assert!(shown.contains("3 turns"), "{shown}");
    let (code, why) = place.failed(&["show", "s3://moved/a.jsonl"]);
    let words = "cannot read s3://moved/a.jsonl: the server sends to another address (status 302); the bucket is in another \
                 region: set AWS_REGION";
    assert_eq!((code, why.as_str()), (3, words));
}

#[test]
fn what_is_secret_of_a_signed_link_is_nowhere() {
    let place = Place::with_faults(|asked| {
        let is_signed = asked.query.contains(SECRET);
        (!is_signed || asked.path.contains("denied")).then(|| {
            Fault::Status(403, format!("<Error><Code>AccessDenied</Code>{SECRET}</Error>"))
        })
    });
    place.store.put("logs/a.jsonl", log_bytes("a", "x"));
    let signed = |path: &str| format!("{}{path}?X-Amz-Signature={SECRET}", place.store.endpoint());

    let shown = place.printed(&["show", &signed("/logs/a.jsonl"), "--json"]);

    assert!(shown.contains("/logs/a.jsonl") || shown.contains("\"id\": \"a\""), "{shown}");
    let frame = place.printed(&[&signed("/logs/a.jsonl"), "--snapshot", "100x30"]);
    assert!(frame.contains("request 1"), "{frame}");
    let (code, why) = place.failed(&["show", &signed("/denied.jsonl")]);
    let address = format!("{}/denied.jsonl", place.store.endpoint());
    let words = "access denied; a signed link may have expired (AccessDenied)";
    assert_eq!((code, why), (3, format!("cannot read {address}: {words}")));
    let with_password = format!("http://ann:{SECRET}@127.0.0.1:{}/a", place.store.port);
    let (code, why) = place.failed(&["show", &with_password]);
    let start =
        format!("cannot read http://127.0.0.1:{}/a: an address with a user", place.store.port);
    assert!(code == 3 && why.starts_with(&start), "{why}");
    for (name, bytes) in files_below(place.home.path()) {
        assert!(
            !name.contains(SECRET) && !String::from_utf8_lossy(&bytes).contains(SECRET),
            "{name}"
        );
    }
}

#[test]
fn what_goes_wrong_is_said_in_plain_words() {
    let place = Place::with_faults(|asked| match asked.path.as_str() {
        path if path.contains("denied") => {
            let body = "<Error><Code>AccessDenied</Code><Key>x</Key></Error>".to_owned();
            Some(Fault::Status(403, body))
        }
        path if path.contains("nobucket") => {
            Some(Fault::Status(404, "<Error><Code>NoSuchBucket</Code></Error>".into()))
        }
        path if path.contains("broken") => Some(Fault::Status(501, "<html>words</html>".into())),
        path if path.contains("nothttp") => Some(Fault::NotHttp),
        _ => None,
    });
    place.store.put("bucket/runs/a.jsonl", log_bytes("a", "x"));
    place.store.put_as_large("bucket/huge.jsonl", 20 << 30);
    let credentials = "they are read from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; \
                       AWS_SKIP_SIGNATURE=true reads a public bucket without any";
    let why = |address: &str| {
        let (code, why) = place.failed(&["show", address]);
        assert_eq!(code, 3, "{why}");
        why.strip_prefix(&format!("cannot read {address}: ")).map_or(why.clone(), str::to_owned)
    };

    assert_eq!(
        why("s3://bucket/denied.jsonl"),
        format!("access denied; {credentials} (AccessDenied)")
    );
    assert_eq!(why("s3://nobucket/a.jsonl"), "no such bucket");
    assert_eq!(why("s3://bucket/runs/b.jsonl"), "no such file or folder");
    assert_eq!(why("s3://bucket/huge.jsonl"), "it has 20 GiB; up to 16 GiB are fetched");
    assert_eq!(why("s3://bucket/broken.jsonl"), "the server answers with status 501");
    assert!(
        why("s3://bucket/nothttp.jsonl").contains("broke off"),
        "{}",
        why("s3://bucket/nothttp.jsonl")
    );
    let web = format!("{}/runs/", place.store.endpoint());
    let (_, listing) = place.failed(&["show", &web]);
    let words = "this server does not list folders (no WebDAV); name a file on it";
    assert_eq!(listing, format!("cannot read {}: {words}", web.trim_end_matches('/')));
    assert_eq!(
        why("http://198.51.100.7/a.jsonl"),
        "http:// is not encrypted and is read of this machine only; TRAJVIEW_ALLOW_HTTP=1 allows it"
    );
    assert_eq!(why("s3://bucket/../x"), "an address has no part `..`");
}

#[test]
fn of_an_error_that_never_ends_no_more_is_read_than_its_beginning() {
    let place = Place::with_faults(|asked| {
        (!asked.is_list() && asked.method == "GET").then_some(Fault::Endless(403))
    });
    place.store.put("bucket/runs/a.jsonl", log_bytes("a", "x"));

    let (code, why) = place.failed(&["show", "s3://bucket/runs/a.jsonl"]);

    assert_eq!(code, 3);
    assert!(why.contains("access denied"), "{why}");
    let sent: usize = place.store.seen_requests().iter().map(|asked| asked.sent).sum();
    assert!(sent < 64 << 20, "{sent}");
}

#[test]
fn a_list_that_never_ends_is_given_up_with_a_sentence() {
    let page = |token: &str, content: &str| {
        let words = format!(
            "<ListBucketResult><Name>bucket</Name><IsTruncated>true</IsTruncated>{content}\
             <NextContinuationToken>{token}</NextContinuationToken></ListBucketResult>"
        );
        Some(Fault::Status(200, words))
    };
    let count = std::sync::atomic::AtomicUsize::new(0);
    let place = Place::with_faults(move |asked| {
        if !asked.is_list() {
            return None;
        }
        match asked.query.contains("prefix=same") {
            true => page("again", ""),
            false => page(&count.fetch_add(1, Ordering::SeqCst).to_string(), ""),
        }
    });
    let why = |address: &str| place.failed(&["show", address]).1;

    let same = why("s3://bucket/same/");
    assert!(same.contains("returns an endless list: the same page twice"), "{same}");
    let empty = why("s3://bucket/empty/");
    assert!(empty.contains("a hundred empty pages in a row"), "{empty}");
    assert!(place.store.seen_requests().len() < 200);
}

#[test]
fn a_server_that_is_not_there_is_told_with_its_name() {
    let place = Place::new();
    // A port that nobody listens at any more.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = place.command(&["show", "s3://bucket/a.jsonl"]);
    let ran = command.env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{port}")).output().unwrap();

    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    let words = format!("127.0.0.1:{port} cannot be reached: the connection was refused");
    assert_eq!(said.trim_end(), format!("trajview: cannot read s3://bucket/a.jsonl: {words}"));
    assert_eq!(ran.status.code(), Some(3));
}

#[test]
fn without_credentials_it_is_said_where_they_are_looked_for() {
    let place = Place::new();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = place.command(&["show", "s3://bucket/a.jsonl"]);
    command
        .env_remove("AWS_SECRET_ACCESS_KEY")
        .env("AWS_METADATA_ENDPOINT", format!("http://127.0.0.1:{port}"));

    let ran = command.output().unwrap();

    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    let words = "the AWS_… variables of the environment do not fit together";
    assert_eq!(said.trim_end(), format!("trajview: cannot read s3://bucket/a.jsonl: {words}"));
}

#[test]
fn an_object_that_changes_between_its_listing_and_its_reading_is_no_mixture() {
    let is_changed = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&is_changed);
    let place = Place::with_faults(move |asked| {
        let is_read = asked.path.ends_with(".jsonl") && asked.range.is_none();
        (is_read && told.load(Ordering::Relaxed)).then_some(Fault::Changed)
    });
    place.store.put("bucket/runs/a.jsonl", log_of("a", 100_000));
    is_changed.store(true, Ordering::Relaxed);

    let (code, why) = place.failed(&["show", "s3://bucket/runs/a.jsonl"]);

    let words = "cannot read s3://bucket/runs/a.jsonl: it changed while it was read; try again";
    assert_eq!((code, why.as_str()), (3, words));
    is_changed.store(false, Ordering::Relaxed);
    assert!(place.printed(&["show", "s3://bucket/runs/a.jsonl"]).contains("3 turns"));
}

#[test]
fn a_body_that_breaks_off_is_asked_for_again_from_there_and_never_kept_in_part() {
    let breaks = Arc::new(AtomicBool::new(true));
    let told = Arc::clone(&breaks);
    let place = Place::with_faults(move |asked| {
        let is_whole =
            asked.path.ends_with(".jsonl") && asked.range.is_none_or(|(from, _)| from > 0);
        (is_whole && told.load(Ordering::Relaxed)).then_some(Fault::Cut(1_000))
    });
    place.store.put("bucket/a.jsonl", log_of("a", 100_000));

    let (code, why) = place.failed(&["show", "s3://bucket/a.jsonl"]);

    assert!(code == 3 && why.contains("broke off"), "{why}");
    breaks.store(false, Ordering::Relaxed);
    assert!(place.printed(&["show", "s3://bucket/a.jsonl"]).contains("3 turns"));
}

#[test]
fn a_huge_object_is_refused_and_the_others_are_read() {
    let place = Place::new();
    place.store.put("bucket/runs/a.jsonl", log_bytes("a", "x"));
    place.store.put_as_large("bucket/runs/huge.jsonl", 20 << 30);

    let out =
        place.printed(&["sql", "select count(*) as n from runs", "s3://bucket/runs", "--csv"]);

    assert_eq!(out, "n\n1\n");
    let fetched: usize = place.store.seen_requests().iter().map(|it| it.sent).sum();
    assert!(fetched < 100_000, "{fetched}");
}

#[test]
fn of_an_archive_the_names_and_what_is_opened_are_fetched() {
    let place = Place::new();
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(vec![]));
    let stored =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for number in 0..20 {
        let name = format!("{number:02}");
        archive.start_file(format!("{name}.jsonl"), stored).unwrap();
        std::io::Write::write_all(&mut archive, &log_of(&name, 2_000_000)).unwrap();
    }
    let bytes = archive.finish().unwrap().into_inner();
    let size = bytes.len();
    place.store.put("bucket/runs.zip", bytes);

    let shown = place.printed(&["show", "s3://bucket/runs.zip/15.jsonl"]);

    assert!(shown.contains("3 turns"), "{shown}");
    let (requests, fetched) = sum_requests(&place.store.seen_requests());
    // Beside the one its directory, and the beginnings of the others, which may be companions of it.
    assert!(requests < 60 && fetched < size / 4, "{requests} requests, {fetched} of {size} bytes");
}

#[test]
fn no_key_leads_out_of_the_cache_folder_and_strange_ones_are_safe() {
    let place = Place::new();
    for key in [
        "../../../escaped.jsonl",
        "/absolute.jsonl",
        "a//b.jsonl",
        "./dot.jsonl",
        "up/../../escaped.jsonl",
        "line\nbreak.jsonl",
        "escape\u{1b}[31m.jsonl",
    ] {
        place.store.put(&format!("bucket/runs/{key}"), log_bytes("bad", "x"));
    }
    place.store.put("bucket/runs", vec![]);
    place.store.put("bucket/runs/", vec![]);
    place.store.put("bucket/runs/folder", vec![]);
    place.store.put("bucket/runs/folder/c.jsonl", log_bytes("c", "x"));
    place.store.put("bucket/runs/both.jsonl", log_bytes("both", "x"));
    place.store.put("bucket/runs/both.jsonl/d.jsonl", log_bytes("d", "x"));
    place.store.put("bucket/runs/Übung ★.jsonl", log_bytes("plain", "x"));
    let before = files_below(place.home.path());
    assert!(before.is_empty());

    let ran = place.run(&[
        "sql",
        "select transcript_id as id from runs order by id",
        "s3://bucket/runs",
        "--csv",
    ]);

    assert_eq!(ran.out, "id\r\nboth\r\nc\r\nplain\r\n", "{}", ran.err);
    assert_eq!(
        ran.err.trim_end(),
        "trajview: 7 objects left out, since their keys cannot be paths"
    );
    let is_hash = |name: &str| name.bytes().all(|it| it.is_ascii_hexdigit());
    for name in files_below(place.home.path()).into_keys() {
        let below = name.strip_prefix("cache/trajview/remote/");
        if let Some(below) = below {
            let (folder, file) = below.split_once('/').unwrap();
            let file = file.trim_end_matches(".start");
            assert!(is_hash(folder) && file.len() == 64 && is_hash(file), "{name}");
        } else {
            assert!(name.starts_with("cache/trajview/"), "{name}");
        }
    }
}

#[test]
fn nothing_is_written_to_an_address_nor_to_a_folder_that_is_called_like_one() {
    let place = Place::new();
    place.store.put_folder("bucket/run", &project_path("sample-runs/codex-p12"));
    let words = "nothing is written to remote storage; copy the recording to a folder first";

    let (_, judged) = place.failed(&["judge", "s3://bucket/run", "--judge", "none"]);
    let (_, imported) = place.failed(&["import", "s3://bucket/run", "--out", "s3://bucket/new"]);

    assert!(judged.ends_with(words) || judged.contains("unknown judge"), "{judged}");
    assert!(imported.ends_with(words), "{imported}");
    assert!(!place.home.path().join("s3:").exists());
}

#[test]
fn the_table_and_a_run_of_it_are_on_the_screen_by_their_addresses() {
    let place = Place::new();
    for name in ["a", "b"] {
        place.store.put(&format!("bucket/runs/{name}.jsonl"), log_bytes(name, "words"));
    }

    let table = place.printed(&["s3://bucket/runs", "--snapshot", "110x20"]);
    let run = place.printed(&["s3://bucket/runs", "--snapshot", "110x20", "--keys", "<enter>"]);
    let at = place.printed(&["s3://bucket/runs/a.jsonl:2", "--snapshot", "110x20"]);

    assert!(table.contains("2 sessions"), "{table}");
    assert!(run.contains("request 1 words"), "{run}");
    assert!(at.contains("request 2 words"), "{at}");
}

#[test]
fn words_are_found_in_recordings_at_an_address() {
    let place = Place::new();
    place.store.put("bucket/runs/a.jsonl", log_bytes("a", "haystack"));
    place.store.put("bucket/runs/b.jsonl", log_bytes("b", "needle"));

    let found = place.printed(&["find", "needle", "s3://bucket/runs"]);

    assert!(found.contains("s3://bucket/runs/b.jsonl"), "{found}");
    assert!(!found.contains("a.jsonl"), "{found}");
}

/// A commit of a data set on the Hub.
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// What the Hub answers for the data set `ann/runs`: its commit, and its two files on a page each. The second file is sent from
/// another host.
fn hub_answer(asked: &Asked, files_host: &str) -> Option<Fault> {
    let host =
        asked.headers.iter().find(|(name, _)| name == "host").map(|(_, value)| value.clone())?;
    let file = |path: &str, size: usize| {
        format!(
            r#"[{{"type":"directory","path":"logs"}},{{"type":"file","path":"{path}","size":{size},"oid":"x"}}]"#
        )
    };
    let tree = format!("/api/datasets/ann/runs/tree/{COMMIT}");
    let size = log_bytes("one", "x").len();
    match asked.path.as_str() {
        "/api/datasets/ann/runs/revision/main" => {
            Some(Fault::Page(format!(r#"{{"id":"ann/runs","sha":"{COMMIT}"}}"#), None))
        }
        "/api/datasets/ann/closed/revision/main" => Some(Fault::Status(401, SECRET.into())),
        path if path.starts_with(&tree) && !asked.query.contains("cursor") => {
            let next = format!("http://{host}{tree}?recursive=true&cursor=2");
            Some(Fault::Page(file("logs/one.jsonl", size), Some(next)))
        }
        path if path.starts_with(&tree) => Some(Fault::Page(file("logs/two.jsonl", size), None)),
        path if path.ends_with("/logs/two.jsonl") => {
            Some(Fault::Redirect(302, format!("http://localhost:{files_host}/files/two")))
        }
        _ => None,
    }
}

#[test]
fn a_data_set_of_the_hub_is_read_at_one_commit_and_the_token_goes_to_the_hub_alone() {
    let files = Store::new();
    files.put("files/two", log_bytes("two", "x"));
    let files_port = files.port.to_string();
    let place = Place::with_faults(move |asked| hub_answer(asked, &files_port));
    let one = format!("datasets/ann/runs/resolve/{COMMIT}/logs/one.jsonl");
    place.store.put(&one, log_bytes("one", "x"));
    let corpus = ["corpus", "hf://datasets/ann/runs", "--json"];

    let ran = place.run(&corpus);

    let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let paths: Vec<&str> =
        found["runs"].as_array().unwrap().iter().map(|it| it["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["logs/one.jsonl", "logs/two.jsonl"], "{}", ran.err);
    assert!(
        ran.err.contains(&format!("hf://datasets/ann/runs: read at commit {COMMIT}")),
        "{}",
        ran.err
    );
    let has_token = |asked: &Asked| {
        asked.headers.iter().any(|(name, value)| name == "authorization" && value.ends_with(SECRET))
    };
    assert!(place.store.seen_requests().iter().all(has_token));
    let from_host = files.seen_requests();
    assert!(!from_host.is_empty() && !from_host.iter().any(has_token), "{from_host:?}");

    let again = place.run(&corpus);
    let asked: Vec<String> = place.store.seen_requests().into_iter().map(|it| it.path).collect();
    assert_eq!(again.out, ran.out);
    assert!(asked.iter().all(|path| path.starts_with("/api/")), "{asked:?}");

    let shown = place.printed(&["show", "hf://datasets/ann/runs/logs/one.jsonl"]);
    assert!(shown.contains("request 1"), "{shown}");
}

#[test]
fn a_request_that_a_busy_hub_refuses_is_repeated() {
    let refused = AtomicUsize::new(0);
    let place = Place::with_faults(move |asked| match asked.path.as_str() {
        "/api/datasets/ann/runs/revision/main" if refused.fetch_add(1, Ordering::Relaxed) < 2 => {
            Some(Fault::Status(503, String::new()))
        }
        "/api/datasets/ann/busy/revision/main" => Some(Fault::Status(429, String::new())),
        _ => hub_answer(asked, "1"),
    });
    let one = format!("datasets/ann/runs/resolve/{COMMIT}/logs/one.jsonl");
    place.store.put(&one, log_bytes("one", "x"));

    let shown = place.printed(&["show", "hf://datasets/ann/runs/logs/one.jsonl"]);
    let (code, why) = place.failed(&["show", "hf://datasets/ann/busy/one.jsonl"]);

    assert!(shown.contains("request 1"), "{shown}");
    assert_eq!(code, 3, "{why}");
    assert!(why.contains("status 429; try again later"), "{why}");
}

#[test]
fn what_the_hub_refuses_says_where_the_token_is_read_from() {
    let place = Place::with_faults(|asked| hub_answer(asked, "1"));

    let (code, why) = place.failed(&["show", "hf://datasets/ann/closed"]);
    assert_eq!(code, 3, "{why}");
    assert!(why.contains("HF_TOKEN"), "{why}");

    let (_, why) = place.failed(&["show", "hf://ann/model"]);
    assert!(why.contains("hf://datasets/OWNER/NAME"), "{why}");
}
