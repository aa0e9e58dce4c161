//! Addresses of recordings that lie on remote storage: `s3://bucket/runs/a.jsonl`.
//!
//! The whole program names such a recording by its address, as a path like any other; `store::remote` reads it. What is
//! secret of an address, the query of a signed link, is never a part of that path.

use std::path::Path;

/// The kind of server that an address names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Amazon's S3, and whatever speaks as it does.
    S3,
    /// Google Cloud Storage.
    Gs,
    /// Azure's blob storage.
    Az,
    Https,
    Http,
    /// A data set of the Hugging Face Hub.
    Hf,
}

impl Scheme {
    const ALL: [(&str, Self); 6] = [
        ("s3://", Self::S3),
        ("gs://", Self::Gs),
        ("az://", Self::Az),
        ("https://", Self::Https),
        ("http://", Self::Http),
        ("hf://", Self::Hf),
    ];

    /// Returns whether the address names a web server and not the store of a cloud.
    pub const fn is_web(self) -> bool {
        matches!(self, Self::Https | Self::Http)
    }

    /// Returns the noun for the first part of the address.
    const fn first_part_noun(self) -> &'static str {
        match self {
            Self::S3 | Self::Gs => "bucket",
            Self::Az => "container",
            Self::Https | Self::Http => "server",
            Self::Hf => "data set",
        }
    }
}

/// An address, and what is secret of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    pub scheme: Scheme,
    /// The bucket, the container, the server with its port, or `datasets/OWNER/NAME[@REVISION]`.
    pub holder: String,
    /// The part after the first one, without a slash at either end; as it was written.
    pub key: String,
    /// True if the address ends with a slash, which means a folder.
    pub is_folder: bool,
    /// The part after the question mark. A signed link has its secrets there.
    pub query: Option<String>,
}

/// Endings of files that contain others: the part of an address after one of them is a path within that file.
const CONTAINER_ENDINGS: [&str; 10] = [
    ".zip", ".eval", ".tar", ".tgz", ".tar.gz", ".tar.zst", ".db", ".sqlite", ".sqlite3",
    ".parquet",
];

/// Returns whether a path is an address.
pub fn is_address(path: &Path) -> bool {
    path.to_str().is_some_and(|text| Scheme::ALL.iter().any(|(start, _)| text.starts_with(start)))
}

impl Address {
    /// Reads an address. None where the text is a path; the error is a sentence that repeats nothing of the address.
    pub fn parse(text: &str) -> Option<Result<Self, String>> {
        let &(start, scheme) = Scheme::ALL.iter().find(|(start, _)| text.starts_with(start))?;
        Some(Self::parse_after_scheme(scheme, start, &text[start.len()..]))
    }

    fn parse_after_scheme(scheme: Scheme, start: &str, rest: &str) -> Result<Self, String> {
        // The key of a cloud's object may contain a question mark; there are no queries there.
        let (rest, query) = match rest.split_once('?').filter(|_| scheme.is_web()) {
            Some((rest, query)) => (rest, Some(query.to_owned())),
            None => (rest, None),
        };
        let (rest, _) = rest.split_once('#').filter(|_| scheme.is_web()).unwrap_or((rest, ""));
        let (holder, key) = match scheme {
            Scheme::Hf => split_dataset(rest)?,
            _ => rest.split_once('/').unwrap_or((rest, "")),
        };
        if holder.contains('@') && scheme != Scheme::Hf {
            return Err(format!(
                "an address with a user or a password in it ({start}…@…) is rejected, because command lines are visible to others; use the environment variables of the storage"
            ));
        }
        if holder.is_empty() {
            return Err(format!("{start} lacks the {} that it is about", scheme.first_part_noun()));
        }
        if let Some(part) =
            key.trim_matches('/').split('/').find(|part| matches!(*part, "." | ".."))
        {
            return Err(format!("an address has no part `{part}`"));
        }
        if rest.chars().any(char::is_control) {
            return Err("an address has no control characters".into());
        }
        let parts: Vec<&str> = key.split('/').filter(|part| !part.is_empty()).collect();
        Ok(Self {
            scheme,
            holder: holder.to_owned(),
            is_folder: key.is_empty() || key.ends_with('/'),
            key: parts.join("/"),
            query,
        })
    }

    /// Returns the address as the screen shows it, and as the path of the recording: without secrets, and without a
    /// slash at the end.
    pub fn display_path(&self) -> String {
        let start = Scheme::ALL.iter().find(|(_, scheme)| *scheme == self.scheme);
        let start = start.map_or("", |(start, _)| start);
        let slash = if self.key.is_empty() { "" } else { "/" };
        format!("{start}{}{slash}{}", self.holder, self.key)
    }

    /// Returns the address that has to be read for this one: the file that contains the named one, the folder of a
    /// bundle whose `run.json` is named, else this address.
    pub fn containing_address(&self) -> Self {
        let mut end = 0;
        for part in self.key.split_inclusive('/') {
            end += part.len();
            let is_holder =
                CONTAINER_ENDINGS.iter().any(|holder| part.trim_end_matches('/').ends_with(holder));
            if is_holder && end < self.key.len() {
                let key = self.key[..end].trim_end_matches('/').to_owned();
                return Self { key, is_folder: false, ..self.clone() };
            }
        }
        match self.key.strip_suffix("run.json") {
            Some(folder) if folder.is_empty() || folder.ends_with('/') => {
                let key = folder.trim_end_matches('/').to_owned();
                Self { key, is_folder: true, ..self.clone() }
            }
            _ => self.clone(),
        }
    }

    /// Returns whether the server is this machine.
    pub fn is_on_this_machine(&self) -> bool {
        self.scheme.is_web() && is_on_this_machine(&self.holder)
    }
}

/// Divides `datasets/OWNER/NAME[@REVISION]/PATH` before the path.
fn split_dataset(rest: &str) -> Result<(&str, &str), String> {
    let mut slashes = rest.match_indices('/').map(|(at, _)| at);
    let end = slashes.nth(2).unwrap_or(rest.len());
    let holder = &rest[..end];
    let parts: Vec<&str> = holder.split('/').collect();
    let is_name = |part: &str| !part.is_empty() && !part.starts_with(['@', '.']);
    match parts.as_slice() {
        ["datasets", owner, name] if is_name(owner) && is_name(name) && !owner.contains('@') => {
            Ok((holder, rest[end..].trim_start_matches('/')))
        }
        _ => Err("an address of the Hub is hf://datasets/OWNER/NAME, with @REVISION and /PATH where wanted".into()),
    }
}

/// Returns an address that cannot be read, as it may be shown: without a query, a user and a password, and control characters.
pub fn without_secrets(text: &str) -> String {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    let text: String = text.chars().map(|it| if it.is_control() { '?' } else { it }).collect();
    let Some((scheme, rest)) = text.split_once("://") else { return text };
    let (server, key) = rest.split_once('/').unwrap_or((rest, ""));
    let server = server.rsplit('@').next().unwrap_or_default();
    let slash = if key.is_empty() { "" } else { "/" };
    format!("{scheme}://{server}{slash}{key}")
}

/// Returns whether a server, named with or without its port, is this machine.
pub fn is_on_this_machine(server: &str) -> bool {
    let name = match server.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => server.split(':').next().unwrap_or_default(),
    };
    let is_loopback = |it: core::net::IpAddr| it.is_loopback();
    name == "localhost" || name.parse().is_ok_and(is_loopback)
}

/// Prints the address without its query.
impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.display_path())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_address(text: &str) -> Address {
        Address::parse(text).unwrap().unwrap()
    }

    fn parse_error(text: &str) -> String {
        Address::parse(text).unwrap().unwrap_err()
    }

    #[test]
    fn an_address_is_shown_as_it_was_given_without_what_is_secret() {
        let shown = |text: &str| parse_address(text).display_path();

        assert_eq!(shown("s3://bucket/runs/a.jsonl"), "s3://bucket/runs/a.jsonl");
        assert_eq!(shown("gs://bucket/"), "gs://bucket");
        assert_eq!(shown("az://box//runs//"), "az://box/runs");
        assert_eq!(
            shown("https://host:8443/a%20b.jsonl?X-Sign=secret#x"),
            "https://host:8443/a%20b.jsonl"
        );
        let signed = parse_address("https://host/a?sig=secret");
        assert_eq!(signed.query.as_deref(), Some("sig=secret"));
        assert!(!format!("{signed:?}").contains("secret"));
        assert_eq!(parse_address("s3://bucket/why?.jsonl").key, "why?.jsonl");
    }

    #[test]
    fn a_path_is_no_address() {
        for path in
            ["runs/a.jsonl", "/s3://x", "C:\\runs", "s3:/bucket", "S3://bucket", "ftp://host/a"]
        {
            assert!(Address::parse(path).is_none(), "{path}");
            assert!(!is_address(Path::new(path)), "{path}");
        }
        assert!(is_address(Path::new("s3://bucket/runs")));
    }

    #[test]
    fn an_address_with_a_password_or_a_way_up_is_refused_and_not_repeated() {
        let why = parse_error("https://ann:secret@host/a");
        assert!(why.starts_with("an address with a user or a password") && !why.contains("secret"));
        assert_eq!(parse_error("s3://"), "s3:// lacks the bucket that it is about");
        assert_eq!(parse_error("s3://bucket/../x"), "an address has no part `..`");
        assert_eq!(parse_error("s3://bucket/a\u{1b}[31m"), "an address has no control characters");
        assert_eq!(
            without_secrets("https://ann:secret@host/a\u{1b}?sig=secret"),
            "https://host/a?"
        );
    }

    #[test]
    fn a_data_set_of_the_hub_has_an_owner_a_name_and_maybe_a_revision() {
        let address = parse_address("hf://datasets/ann/runs@v1/a/b.jsonl");

        assert_eq!(
            (address.holder.as_str(), address.key.as_str()),
            ("datasets/ann/runs@v1", "a/b.jsonl")
        );
        assert_eq!(address.display_path(), "hf://datasets/ann/runs@v1/a/b.jsonl");
        assert!(parse_address("hf://datasets/ann/runs").is_folder);
        for wrong in [
            "hf://",
            "hf://ann/model",
            "hf://datasets/ann",
            "hf://datasets//x",
            "hf://datasets/t@k/n",
        ] {
            assert!(parse_error(wrong).starts_with("an address of the Hub is"), "{wrong}");
        }
    }

    #[test]
    fn what_stands_inside_of_a_file_is_looked_for_in_the_file() {
        let root = |text: &str| parse_address(text).containing_address().display_path();

        assert_eq!(root("s3://b/logs/one.eval/default_epoch_1"), "s3://b/logs/one.eval");
        assert_eq!(root("s3://b/logs/one.eval"), "s3://b/logs/one.eval");
        assert_eq!(root("s3://b/run-1/run.json"), "s3://b/run-1");
        assert_eq!(root("s3://b/my-run.json"), "s3://b/my-run.json");
        assert_eq!(root("s3://b/runs"), "s3://b/runs");
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        for name in ["localhost", "localhost:80", "127.0.0.1:9000", "[::1]:80"] {
            assert!(is_on_this_machine(name), "{name}");
        }
        for name in ["example.org", "10.0.0.1:80", "localhost.example.org", "1270.0.0.1"] {
            assert!(!is_on_this_machine(name), "{name}");
        }
    }
}
