//! Data sets of the Hugging Face Hub, `hf://datasets/OWNER/NAME[@REVISION][/PATH]`: the commit that a revision is, and the files
//! of that commit.
//!
//! A revision is resolved to a commit once a process, so that everything of a data set is read as of one commit. `HF_ENDPOINT`
//! names another server and `HF_TOKEN` holds the token, as for `huggingface_hub`. The token goes to that server alone: a
//! redirect to another host does not have it, and a next page on another host is refused.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{Mutex, PoisonError},
    thread,
    time::Duration,
};

use serde_json::Value;
use ureq::http;

use trajview_run::address::{Address, is_on_this_machine};

use super::{
    RemoteFailure,
    http::{MOST_OF_A_PAGE, USER_AGENT_NAME, error_text, new_agent, read_short},
    remote_tree::{RemoteObject, RemoteTree},
};

/// The public server.
const PUBLIC_ENDPOINT: &str = "https://huggingface.co";

/// The most pages of a list; one has a thousand files.
const MOST_PAGES: usize = 1_000;

/// Resolved commits by server, data set and revision.
static COMMITS: Mutex<BTreeMap<[String; 3], String>> = Mutex::new(BTreeMap::new());

/// Commits that were resolved since the last call of [`commit_remarks`].
static REMARKS: Mutex<Vec<String>> = Mutex::new(vec![]);

/// A data set at a commit.
pub struct HubDataset {
    /// `https://huggingface.co`, without a slash at the end.
    pub endpoint: String,
    /// `OWNER/NAME`.
    name: String,
    /// 40 hexadecimal digits.
    pub commit: String,
}

impl HubDataset {
    /// Resolves the revision of an address; without one it is `main`.
    pub(crate) fn for_address(address: &Address, allows_http: bool) -> Result<Self, RemoteFailure> {
        let endpoint = endpoint_of_environment(allows_http)?;
        let dataset = address.holder.strip_prefix("datasets/").unwrap_or(&address.holder);
        let (name, revision) = dataset.split_once('@').unwrap_or((dataset, "main"));
        let key = [endpoint.clone(), name.to_owned(), revision.to_owned()];
        let mut commits = COMMITS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(commit) = commits.get(&key) {
            return Ok(Self { endpoint, name: name.to_owned(), commit: commit.clone() });
        }
        let url = format!(
            "{endpoint}/api/datasets/{}/revision/{}",
            escaped_path(name),
            escaped_path(revision).replace('/', "%2F")
        );
        let (page, _) = request_page(&url)?.ok_or_else(|| {
            RemoteFailure::from_text("no such data set, revision, or no access to it")
        })?;
        let commit = page.get("sha").and_then(Value::as_str).filter(|it| is_commit(it));
        let commit = commit.ok_or_else(not_understood)?.to_owned();
        commits.insert(key, commit.clone());
        drop(commits);
        let remark = format!("hf://datasets/{name}: read at commit {commit}");
        REMARKS.lock().unwrap_or_else(PoisonError::into_inner).push(remark);
        Ok(Self { endpoint, name: name.to_owned(), commit })
    }

    /// Returns the address below which the files are.
    pub(crate) fn files_url(&self) -> String {
        format!("{}/datasets/{}/resolve/{}", self.endpoint, escaped_path(&self.name), self.commit)
    }

    /// Returns all files below a folder, by their paths below it; none where there is no such folder.
    pub(crate) fn list_files(
        &self,
        folder: &str,
        most_files: usize,
    ) -> Result<RemoteTree, RemoteFailure> {
        let slash = if folder.is_empty() { "" } else { "/" };
        let first = format!(
            "{}/api/datasets/{}/tree/{}{slash}{}?recursive=true",
            self.endpoint,
            escaped_path(&self.name),
            self.commit,
            escaped_path(folder)
        );
        let mut tree = RemoteTree::default();
        let (mut next, mut count) = (Some(first), 0);
        for _ in 0..MOST_PAGES {
            let Some(url) = next else { return Ok(tree) };
            let Some((page, following)) = request_page(&url)? else { return Ok(tree) };
            let entries = page.as_array().ok_or_else(not_understood)?;
            for entry in entries {
                count += 1;
                if let Some((below, size)) = listed_file(entry, folder) {
                    let version = Some(self.commit.clone());
                    tree.add_object(below, RemoteObject { size, version, modified: None });
                }
            }
            if count > most_files {
                break;
            }
            next = following;
            if next.as_ref().is_some_and(|url| !url.starts_with(&format!("{}/", self.endpoint))) {
                return Err(RemoteFailure::from_text(
                    "the next page of the list is on another server",
                ));
            }
        }
        Err(RemoteFailure::from_text("too many files lie below; name a folder further down"))
    }
}

/// Returns sentences on the commits that were resolved since the last call.
pub(crate) fn commit_remarks() -> Vec<String> {
    std::mem::take(&mut *REMARKS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Returns the token of the environment, as a header.
pub(crate) fn authorization() -> Option<http::HeaderValue> {
    let token = std::env::var("HF_TOKEN").ok()?;
    let token = token.trim();
    let mut value = http::HeaderValue::from_str(&format!("Bearer {token}")).ok()?;
    value.set_sensitive(true);
    (!token.is_empty()).then_some(value)
}

fn endpoint_of_environment(allows_http: bool) -> Result<String, RemoteFailure> {
    let named = std::env::var("HF_ENDPOINT").unwrap_or_default();
    let endpoint = named.trim().trim_end_matches('/');
    let endpoint = if endpoint.is_empty() { PUBLIC_ENDPOINT } else { endpoint };
    let server = endpoint
        .split_once("://")
        .map(|(scheme, rest)| (scheme, rest.split('/').next().unwrap_or_default()));
    match server {
        Some((_, server))
            if server.is_empty() || server.contains('@') || endpoint.contains(['?', '#']) =>
        {
            Err(RemoteFailure::from_text("HF_ENDPOINT is not the address of a server"))
        }
        Some(("https", _)) => Ok(endpoint.to_owned()),
        Some(("http", server)) if allows_http || is_on_this_machine(server) => {
            Ok(endpoint.to_owned())
        }
        Some(("http", _)) => Err(RemoteFailure::from_text(
            "HF_ENDPOINT is not encrypted (http) and not this machine; TRAJVIEW_ALLOW_HTTP=1 allows it",
        )),
        _ => Err(RemoteFailure::from_text("HF_ENDPOINT is not the address of a server")),
    }
}

/// Returns the path below the folder and the size of an entry that is a file with a path in the folder.
fn listed_file<'a>(entry: &'a Value, folder: &str) -> Option<(&'a str, u64)> {
    let path = entry.get("path")?.as_str().filter(|_| entry.get("type") == Some(&"file".into()))?;
    let below = match folder {
        "" => path,
        folder => path.strip_prefix(folder)?.strip_prefix('/')?,
    };
    let is_plain =
        |part: &str| !matches!(part, "" | "." | "..") && !part.chars().any(char::is_control);
    below.split('/').all(is_plain).then_some((below, entry.get("size")?.as_u64()?))
}

/// The waits before a request is repeated that a busy server did not answer.
const RETRY_WAITS: [Duration; 3] =
    [Duration::from_millis(100), Duration::from_millis(400), Duration::from_millis(1_600)];

/// Requests a page of JSON and returns it with the address of the next one; None where there is no such thing.
fn request_page(url: &str) -> Result<Option<(Value, Option<String>)>, RemoteFailure> {
    let failed =
        |why: &ureq::Error| RemoteFailure::from_text(format!("the Hub {}", error_text(why).1));
    let mut request = http::Request::get(url).header("user-agent", USER_AGENT_NAME);
    if let Some(value) = authorization() {
        request = request.header("authorization", value);
    }
    let request = request.body(()).map_err(|_| not_understood())?;
    let agent = new_agent(true);
    let server =
        url.split("://").nth(1).and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let request = agent.configure_request(request).https_only(!url.starts_with("http://"));
    let request = if is_on_this_machine(server) { request.proxy(None) } else { request };
    let request = request.build();
    let mut waits = RETRY_WAITS.iter();
    let answer = loop {
        let answer = agent.run(request.clone()).map_err(|why| failed(&why))?;
        let is_busy = answer.status().as_u16() == 429 || answer.status().is_server_error();
        match waits.next().filter(|_| is_busy) {
            Some(wait) => thread::sleep(*wait),
            None => break answer,
        }
    };
    match answer.status().as_u16() {
        200 => {}
        404 => return Ok(None),
        401 | 403 => {
            return Err(RemoteFailure::from_text(
                "no access, or no such data set; the token is read from HF_TOKEN",
            ));
        }
        status => {
            let later = if status == 429 || status >= 500 { "; try again later" } else { "" };
            let why = format!("the Hub answers with status {status}{later}");
            return Err(RemoteFailure::from_text(why));
        }
    }
    let next = answer.headers().get("link").and_then(|it| it.to_str().ok()).and_then(next_page);
    let (bytes, is_whole) = read_short(answer.into_body().into_reader(), MOST_OF_A_PAGE)
        .map_err(|why| failed(&why.into()))?;
    let page =
        serde_json::from_slice(&bytes).ok().filter(|_| is_whole).ok_or_else(not_understood)?;
    Ok(Some((page, next)))
}

/// Returns the address in `<https://...>; rel="next"`.
fn next_page(link: &str) -> Option<String> {
    let next = link.split(',').find(|part| part.contains("rel=\"next\""))?;
    let (_, rest) = next.split_once('<')?;
    Some(rest.split_once('>')?.0.to_owned())
}

fn not_understood() -> RemoteFailure {
    RemoteFailure::from_text("the answer of the Hub is not the JSON that was expected")
}

fn is_commit(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Escapes everything in a path but its slashes and plain characters.
fn escaped_path(path: &str) -> String {
    path.bytes().fold(String::new(), |mut escaped, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            escaped.push(byte.into());
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
        escaped
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_files_below_its_folder_and_nothing_that_leads_out_of_it() {
        let entry =
            |kind: &str, path: &str| serde_json::json!({"type": kind, "path": path, "size": 3});
        let below = |kind: &str, path: &str| {
            listed_file(&entry(kind, path), "runs").map(|(below, size)| (below.to_owned(), size))
        };

        assert_eq!(below("file", "runs/a/b.jsonl"), Some(("a/b.jsonl".into(), 3)));
        for (kind, path) in [
            ("directory", "runs/a"),
            ("file", "runs2/a"),
            ("file", "runs/../a"),
            ("file", "runs//a"),
            ("file", "runs/a\u{1b}"),
        ] {
            assert_eq!(below(kind, path), None, "{path}");
        }
    }

    #[test]
    fn the_next_page_is_in_the_header_and_a_path_is_escaped() {
        let link = "<https://h/api?cursor=a>; rel=\"prev\", <https://h/api?cursor=b>; rel=\"next\"";

        assert_eq!(next_page(link).as_deref(), Some("https://h/api?cursor=b"));
        assert_eq!(next_page("<https://h>; rel=\"prev\""), None);
        assert_eq!(escaped_path("a b/ü?#%.jsonl"), "a%20b/%C3%BC%3F%23%25.jsonl");
    }
}
