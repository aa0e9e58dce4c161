//! A store of objects on a port of its own: S3's list and reads, and those of a plain web server, well or badly.
//!
//! Whatever is asked is counted: what was fetched is seen here, and not guessed. `/bucket?list-type=2` lists, everything else
//! is an object by its whole path.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

/// One request, and what was sent.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    pub method: String,
    /// Decoded, without the query.
    pub path: String,
    pub query: String,
    pub range: Option<(usize, usize)>,
    /// Lower-case names.
    pub headers: Vec<(String, String)>,
    /// Bytes of the body that were sent.
    pub sent: usize,
}

impl Asked {
    pub fn is_list(&self) -> bool {
        self.query.contains("list-type=2")
    }
}

/// What the server does in the place of what it should.
#[derive(Debug, Clone)]
pub enum Fault {
    /// This status with this body.
    Status(u16, String),
    /// This status, with a body that never ends.
    Endless(u16),
    /// A page of JSON, with the address of the next one.
    Page(String, Option<String>),
    /// The body ends after so many bytes.
    Cut(usize),
    /// Another address.
    Redirect(u16, String),
    /// All of it, whatever was asked for.
    NoRanges,
    /// Another version of the object than the list has.
    Changed,
    /// Not even HTTP.
    NotHttp,
}

/// An object: what it holds, and how large the list says that it is.
#[derive(Clone)]
struct Stored {
    bytes: Arc<Vec<u8>>,
    listed: usize,
}

type Faults = dyn Fn(&Asked) -> Option<Fault> + Send + Sync;

pub struct Store {
    pub port: u16,
    objects: Arc<Mutex<BTreeMap<String, Stored>>>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// Objects on a page of a list.
const PAGE: usize = 1_000;

impl Store {
    pub fn new() -> Self {
        Self::with_faults(|_| None)
    }

    pub fn with_faults(faults: impl Fn(&Asked) -> Option<Fault> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (objects, asked) = (Arc::default(), Arc::default());
        let faults: Arc<Faults> = Arc::new(faults);
        let (known, seen) = (Arc::clone(&objects), Arc::clone(&asked));
        // It ends with the test's process.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (known, seen, faults) =
                    (Arc::clone(&known), Arc::clone(&seen), Arc::clone(&faults));
                thread::spawn(move || serve_stream(&stream, &known, &seen, &*faults));
            }
        });
        Self { port, objects, asked }
    }

    /// Puts an object at a path that begins with the bucket.
    pub fn put(&self, path: &str, bytes: impl Into<Arc<Vec<u8>>>) {
        let bytes = bytes.into();
        let listed = bytes.len();
        self.objects.lock().unwrap().insert(path.to_owned(), Stored { bytes, listed });
    }

    /// Puts an object that is said to have so many bytes.
    pub fn put_as_large(&self, path: &str, listed: usize) {
        let stored = Stored { bytes: Arc::new(b"{}\n".repeat(30_000)), listed };
        self.objects.lock().unwrap().insert(path.to_owned(), stored);
    }

    /// All files below a folder, below this path.
    pub fn put_folder(&self, path: &str, folder: &std::path::Path) {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let below = format!("{path}/{}", entry.file_name().to_str().unwrap());
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => self.put_folder(&below, &entry.path()),
                kind if kind.is_file() => self.put(&below, std::fs::read(entry.path()).unwrap()),
                _ => {}
            }
        }
    }

    /// What was asked since the last call.
    pub fn seen_requests(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

/// Requests and bytes of their answers.
pub fn sum_requests(asked: &[Asked]) -> (usize, usize) {
    (asked.len(), asked.iter().map(|it| it.sent).sum())
}

fn serve_stream(
    stream: &TcpStream,
    objects: &Mutex<BTreeMap<String, Stored>>,
    seen: &Mutex<Vec<Asked>>,
    faults: &Faults,
) {
    let mut reader = BufReader::new(stream);
    while let Some(mut asked) = read_request(&mut reader) {
        let fault = faults(&asked);
        let (head, body) = write_answer(&asked, fault.as_ref(), objects);
        asked.sent = if asked.method == "HEAD" { 0 } else { body.len() };
        let is_head = asked.method == "HEAD";
        seen.lock().unwrap().push(asked);
        let mut writer = stream;
        let written = writer.write_all(head.as_bytes());
        let written = written.and_then(|()| if is_head { Ok(()) } else { writer.write_all(&body) });
        if matches!(fault, Some(Fault::Endless(_))) {
            // Until nobody reads it any more.
            while seen.lock().is_ok() && writer.write_all(&[b'x'; 1 << 16]).is_ok() {
                if let Some(last) = seen.lock().unwrap().last_mut() {
                    last.sent += 1 << 16;
                }
            }
        }
        if written.is_err() || matches!(fault, Some(Fault::Cut(_) | Fault::NotHttp)) {
            let _ = stream.shutdown(std::net::Shutdown::Both);
            return;
        }
    }
}

fn read_request(reader: &mut impl BufRead) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let mut asked =
        Asked { method, path: decoded_text(path), query: query.to_owned(), ..Asked::default() };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        let (name, value) = (name.to_ascii_lowercase(), value.trim().to_owned());
        if name == "range" {
            let (from, to) = value.strip_prefix("bytes=")?.split_once('-')?;
            asked.range = Some((from.parse().ok()?, to.parse().unwrap_or(usize::MAX - 1)));
        }
        asked.headers.push((name, value));
    }
    Some(asked)
}

fn write_answer(
    asked: &Asked,
    fault: Option<&Fault>,
    objects: &Mutex<BTreeMap<String, Stored>>,
) -> (String, Vec<u8>) {
    let plain = |status: u16, more: &str, body: Vec<u8>| {
        let head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n{more}\r\n", body.len());
        (head, body)
    };
    match fault {
        Some(Fault::NotHttp) => return ("this is not the language of the web\r\n".into(), vec![]),
        Some(Fault::Status(status, body)) => return plain(*status, "", body.clone().into_bytes()),
        Some(Fault::Page(body, next)) => {
            let link = next.as_ref().map(|next| format!("link: <{next}>; rel=\"next\"\r\n"));
            return plain(200, &link.unwrap_or_default(), body.clone().into_bytes());
        }
        Some(Fault::Endless(status)) => {
            return (
                format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n\r\n", 1_u64 << 40),
                vec![],
            );
        }
        Some(Fault::Redirect(status, to)) => {
            return plain(*status, &format!("location: {to}\r\n"), vec![]);
        }
        _ => {}
    }
    let objects = objects.lock().unwrap();
    if asked.is_list() {
        return plain(
            200,
            "content-type: application/xml\r\n",
            list_objects(asked, &objects).into_bytes(),
        );
    }
    if asked.method == "PROPFIND" {
        return plain(405, "", vec![]);
    }
    let Some(stored) = objects.get(asked.path.trim_start_matches('/')) else {
        let body = "<Error><Code>NoSuchKey</Code></Error>";
        return plain(404, "", body.into());
    };
    let bytes = &stored.bytes;
    let etag = match fault {
        Some(Fault::Changed) => "\"another\"".to_owned(),
        _ => etag_of(stored),
    };
    let more = format!(
        "etag: {etag}\r\nlast-modified: Thu, 01 Jan 2026 00:00:00 GMT\r\ncontent-type: text/plain\r\n"
    );
    let range = asked.range.filter(|_| !matches!(fault, Some(Fault::NoRanges)));
    let (status, more, mut body) = match range {
        Some((from, _)) if from >= bytes.len() => (416, String::new(), vec![]),
        Some((from, to)) => {
            let to = (to + 1).min(bytes.len());
            let total = stored.listed;
            let more = format!("{more}content-range: bytes {from}-{}/{total}\r\n", to - 1);
            (206, more, bytes[from..to].to_vec())
        }
        None => (200, more, bytes.to_vec()),
    };
    let head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n{more}\r\n", body.len());
    if let Some(Fault::Cut(after)) = fault {
        body.truncate(*after);
    }
    (head, body)
}

fn etag_of(stored: &Stored) -> String {
    let sum = stored
        .bytes
        .iter()
        .fold(7u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    format!("\"{sum:016x}\"")
}

fn list_objects(asked: &Asked, objects: &BTreeMap<String, Stored>) -> String {
    let parameter = |name: &str| {
        let mut parts = asked.query.split('&').filter_map(|part| part.split_once('='));
        parts.find(|(known, _)| *known == name).map(|(_, value)| decoded_text(value))
    };
    let bucket = asked.path.trim_matches('/').to_owned() + "/";
    let prefix = bucket.clone() + &parameter("prefix").unwrap_or_default();
    let after = parameter("continuation-token").unwrap_or_default();
    let mut found = objects
        .range(prefix.clone()..)
        .take_while(|(path, _)| path.starts_with(&prefix))
        .filter(|(path, _)| **path > after);
    let mut page = String::new();
    let mut last = String::new();
    for (path, stored) in found.by_ref().take(PAGE) {
        let key = path[bucket.len()..].replace('&', "&amp;").replace('<', "&lt;");
        page += &format!(
            "<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>{}</ETag>\
             <Size>{}</Size></Contents>",
            etag_of(stored).replace('"', "&quot;"),
            stored.listed
        );
        last.clone_from(path);
    }
    let more = match found.next() {
        Some(_) => format!("<NextContinuationToken>{last}</NextContinuationToken>"),
        None => String::new(),
    };
    format!("<?xml version=\"1.0\"?><ListBucketResult>{page}{more}</ListBucketResult>")
}

fn decoded_text(text: &str) -> String {
    let mut bytes = vec![];
    let mut rest = text.as_bytes();
    while let [first, more @ ..] = rest {
        let hex = more.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &more[2..];
            }
            None => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
