//! One store, asked and waited for: a list, the beginning of an object, all of it. What goes wrong is said in plain words, and
//! never in those of the server or of a library, which may repeat a key or a signature.

use std::{
    error::Error,
    io::{self, Write},
    time::SystemTime,
};

use futures_util::StreamExt;
use object_store::{
    ClientConfigKey, GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt,
    RetryConfig, aws::AmazonS3Builder, azure::MicrosoftAzureBuilder, client::HttpError,
    gcp::GoogleCloudStorageBuilder, http::HttpBuilder, path::Path,
};
use tokio::runtime::Runtime;

use trajview_run::address::{Address, Scheme};

use super::{
    Failure,
    http::{Connector, Trouble},
    tree::{Object, Tree},
};

/// Objects that a list may have.
const MOST_OBJECTS: usize = 1_000_000;

/// Bytes that an object may have, as many as standard input.
const MOST_BYTES: u64 = 16 << 30;

/// A larger object is asked for in pieces of this size.
const PIECE: u64 = 64 << 20;

/// The store of an address.
pub struct Client {
    store: Box<dyn ObjectStore>,
    scheme: Scheme,
}

/// The beginning of an object.
pub struct Start {
    pub object: Object,
    pub bytes: Vec<u8>,
}

impl Client {
    /// With the credentials of the environment.
    pub fn of(address: &Address) -> Result<Self, Failure> {
        let scheme = address.scheme;
        if scheme == Scheme::Http && !address.is_on_this_machine() && !allows_http() {
            return Err(Failure::other(
                "http:// is not encrypted and is read of this machine only; TRAJVIEW_ALLOW_HTTP=1 allows it",
            ));
        }
        let made = match scheme {
            Scheme::S3 => boxed(
                AmazonS3Builder::from_env()
                    .with_bucket_name(&address.holder)
                    .with_retry(retries())
                    .with_http_connector(Connector { follows: false })
                    .build(),
            ),
            Scheme::Gs => boxed(
                GoogleCloudStorageBuilder::from_env()
                    .with_bucket_name(&address.holder)
                    .with_retry(retries())
                    .with_http_connector(Connector { follows: false })
                    .build(),
            ),
            Scheme::Az => boxed(
                MicrosoftAzureBuilder::from_env()
                    .with_container_name(&address.holder)
                    .with_retry(retries())
                    .with_http_connector(Connector { follows: false })
                    .build(),
            ),
            Scheme::Https | Scheme::Http => {
                let start = if scheme == Scheme::Http { "http" } else { "https" };
                let query = address.query.as_deref().map(|query| format!("?{query}"));
                let url = format!("{start}://{}/{}", address.holder, query.unwrap_or_default());
                let allowed = (scheme == Scheme::Http).to_string();
                boxed(
                    HttpBuilder::new()
                        .with_url(url)
                        .with_config(ClientConfigKey::AllowHttp, allowed)
                        .with_retry(retries())
                        .with_http_connector(Connector { follows: true })
                        .build(),
                )
            }
        };
        // Not in the words of the library: it may repeat what it was given.
        let store = made.map_err(|_| Failure::other(unset(scheme)))?;
        Ok(Self { store, scheme })
    }

    /// At most so many bytes from the start of an object, and what is known of it.
    pub fn start(&self, key: &str, most: u64) -> Result<Start, Failure> {
        let path = parsed(key)?;
        let ranged =
            GetOptions { range: Some(GetRange::Bounded(0..most)), ..GetOptions::default() };
        waited(async {
            let result = match self.store.get_opts(&path, ranged).await {
                // A server that knows no ranges sends all of it; no more is read than was wanted.
                Err(object_store::Error::NotSupported { .. }) => self.store.get(&path).await,
                Err(why) if status_in(&why) == Some(416) => {
                    let object = object_of(&self.store.head(&path).await?);
                    return Ok(Start { object, bytes: vec![] });
                }
                result => result,
            }?;
            let object = object_of(&result.meta);
            let mut bytes = vec![];
            let mut pieces = result.into_stream();
            while (bytes.len() as u64) < most
                && let Some(piece) = pieces.next().await
            {
                bytes.extend_from_slice(&piece?);
            }
            bytes.truncate(most as usize);
            Ok::<_, object_store::Error>(Start { object, bytes })
        })?
        .map_err(|why| self.told(&why))
    }

    /// All objects below a folder, by their paths below it.
    pub fn list(&self, folder: &str) -> Result<Tree, Failure> {
        let prefix = parsed(folder)?;
        let mut tree = Tree::default();
        let listed = waited(async {
            // Counted as they come: a server may give the same ones again and again.
            let mut count = 0;
            let mut objects = self.store.list(Some(&prefix));
            while let Some(meta) = objects.next().await {
                let meta: ObjectMeta = meta?;
                let below = meta.location.as_ref().strip_prefix(folder);
                let below = below.map(|below| below.trim_start_matches('/'));
                if let Some(below) = below {
                    tree.add(below, object_of(&meta));
                }
                count += 1;
                if count > MOST_OBJECTS {
                    return Ok(false);
                }
            }
            Ok::<_, object_store::Error>(true)
        })?;
        match listed {
            Ok(true) => Ok(tree),
            Ok(false) => Err(Failure::other(format!(
                "more than {MOST_OBJECTS} objects lie below; name a folder further down"
            ))),
            Err(why) if self.scheme.is_web() && status_in(&why).is_some_and(|it| it != 404) => {
                Err(match status_in(&why) {
                    Some(401 | 403) => self.told(&why),
                    _ => Failure::other(
                        "this server lists no folders, since it speaks no WebDAV; name a file on it",
                    ),
                })
            }
            Err(why) => Err(self.told(&why)),
        }
    }

    /// Writes all of an object, as it was when it was listed.
    pub fn fetch(&self, key: &str, object: &Object, into: &mut impl Write) -> Result<(), Failure> {
        if object.size > MOST_BYTES {
            let (has, most) = (object.size >> 30, MOST_BYTES >> 30);
            return Err(Failure::other(format!("it has {has} GiB; up to {most} GiB are fetched")));
        }
        let path = parsed(key)?;
        let mut at = 0;
        while at < object.size {
            let range = (at > 0 || object.size > PIECE).then(|| at..(at + PIECE).min(object.size));
            at = self.piece(&path, object, range, at, into)?;
        }
        Ok(())
    }

    /// A part of an object, as it was when it was listed.
    pub fn range(
        &self,
        key: &str,
        object: &Object,
        range: std::ops::Range<u64>,
    ) -> Result<Vec<u8>, Failure> {
        let mut bytes = vec![];
        let wanted = range.end - range.start;
        self.piece(&parsed(key)?, object, Some(range.clone()), range.start, &mut bytes)?;
        match bytes.len() as u64 == wanted {
            true => Ok(bytes),
            false => Err(Failure::other("the server knows no ranges")),
        }
    }

    /// Writes a piece and gives where the next one begins.
    fn piece(
        &self,
        path: &Path,
        object: &Object,
        range: Option<std::ops::Range<u64>>,
        at: u64,
        into: &mut impl Write,
    ) -> Result<u64, Failure> {
        let end = range.as_ref().map_or(object.size, |range| range.end);
        let options = GetOptions { range: range.map(GetRange::Bounded), ..GetOptions::default() };
        let outcome = waited(async {
            let result = match self.store.get_opts(path, options).await {
                Err(object_store::Error::NotSupported { .. }) if at == 0 => {
                    return Ok((self.store.get(path).await?, object.size));
                }
                result => result,
            }?;
            Ok::<_, object_store::Error>((result, end))
        })?;
        let (result, end) = outcome.map_err(|why| self.told(&why))?;
        if !object_of(&result.meta).is_same_as(object) {
            return Err(Failure::changed());
        }
        let written = self.write(result, at, object.size, into)?;
        if written != end {
            return Err(Failure::other(format!(
                "what was sent ends after {written} of {} bytes",
                object.size
            )));
        }
        Ok(end)
    }

    /// Writes what comes, and gives where that ends.
    fn write(
        &self,
        result: GetResult,
        start: u64,
        most: u64,
        into: &mut impl Write,
    ) -> Result<u64, Failure> {
        let mut at = start;
        let outcome = waited(async {
            let mut pieces = result.into_stream();
            while let Some(piece) = pieces.next().await {
                let piece = piece.map_err(|why| self.told(&why))?;
                at += piece.len() as u64;
                if at > most {
                    return Err(Failure::changed());
                }
                into.write_all(&piece).map_err(|why| Failure::of_disk(&why))?;
            }
            Ok::<_, Failure>(())
        })?;
        outcome.map(|()| at)
    }

    /// What went wrong, in a sentence.
    fn told(&self, why: &object_store::Error) -> Failure {
        use object_store::Error as Why;
        let code = code_in(why);
        let with_code = |words: &str| match &code {
            Some(code) => Failure::other(format!("{words} ({code})")),
            None => Failure::other(words.to_owned()),
        };
        match why {
            Why::NotFound { .. } if code.as_deref() == Some("NoSuchBucket") => {
                Failure::other("there is no such bucket")
            }
            Why::NotFound { .. } => Failure::not_found(),
            Why::PermissionDenied { .. } | Why::Unauthenticated { .. } => {
                with_code(&format!("access denied; {}", looked_for(self.scheme)))
            }
            Why::Precondition { .. } | Why::NotModified { .. } => Failure::changed(),
            Why::InvalidPath { .. } => Failure::other("a key in the list cannot be a path"),
            _ => match (trouble_in(why), status_in(why)) {
                (Some(trouble), _) if is_of_instance(&trouble.server) => Failure::other(format!(
                    "no credentials were found; {}",
                    looked_for(self.scheme)
                )),
                (Some(trouble), _) => Failure::other(trouble.to_string()),
                (None, Some(400)) => with_code("the request was refused"),
                (None, Some(status @ 300..400)) => {
                    let hint = match self.scheme {
                        Scheme::S3 => "; the bucket is in another region: set AWS_REGION",
                        _ => "",
                    };
                    Failure::other(format!(
                        "the server sends to another address (status {status}){hint}"
                    ))
                }
                (None, Some(status)) => {
                    with_code(&format!("the server answers with status {status}"))
                }
                (None, None) if why.to_string().contains("redirect without LOCATION") => {
                    Failure::other("the bucket is in another region: set AWS_REGION")
                }
                (None, None) => Failure::other("the server answers what is not understood"),
            },
        }
    }
}

fn boxed(
    made: object_store::Result<impl ObjectStore>,
) -> object_store::Result<Box<dyn ObjectStore>> {
    made.map(|store| Box::new(store) as Box<dyn ObjectStore>)
}

/// Some attempts, within a time that somebody waits.
fn retries() -> RetryConfig {
    RetryConfig {
        max_retries: 3,
        retry_timeout: std::time::Duration::from_secs(60),
        ..RetryConfig::default()
    }
}

fn allows_http() -> bool {
    std::env::var_os("TRAJVIEW_ALLOW_HTTP").is_some_and(|it| it == "1" || it == "true")
}

/// What a store needs that could not be made.
const fn unset(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::S3 => "the AWS_… variables of the environment do not fit together",
        Scheme::Gs => {
            "the credentials that the GOOGLE_… variables of the environment name cannot be read"
        }
        Scheme::Az => {
            "AZURE_STORAGE_ACCOUNT_NAME is not set, or the AZURE_… variables of the environment do not fit together"
        }
        Scheme::Https | Scheme::Http => "this is no address of a web server",
    }
}

/// Where credentials are looked for.
const fn looked_for(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::S3 => {
            "they are read from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; AWS_SKIP_SIGNATURE=true reads \
             a public bucket without any"
        }
        Scheme::Gs => {
            "they are read from the file in GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_SERVICE_ACCOUNT; \
             GOOGLE_SKIP_SIGNATURE=true reads a public bucket without any"
        }
        Scheme::Az => {
            "they are read from AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_KEY; AZURE_SKIP_SIGNATURE=true reads a public \
             container without any"
        }
        Scheme::Https | Scheme::Http => "a signed link may have expired",
    }
}

/// Whether a server is the one that gives machines of a cloud their credentials.
fn is_of_instance(server: &str) -> bool {
    server.starts_with("169.254.") || server.starts_with("metadata.google")
}

fn parsed(key: &str) -> Result<Path, Failure> {
    Path::parse(key).map_err(|_| Failure::not_found())
}

/// An object as a list or an answer tells of it.
fn object_of(meta: &ObjectMeta) -> Object {
    let modified = SystemTime::from(meta.last_modified);
    let version = meta
        .e_tag
        .as_deref()
        .map(|tag| tag.strip_prefix("W/").unwrap_or(tag).trim_matches('"').to_owned());
    Object {
        size: meta.size,
        version: version.filter(|version| !version.is_empty()),
        modified: Some(modified).filter(|it| *it > SystemTime::UNIX_EPOCH),
    }
}

/// Each thread waits with a runtime of its own: a request blocks the one that asks, and nobody else.
fn waited<T>(what: impl Future<Output = T>) -> Result<T, Failure> {
    thread_local! {
        static RUNTIME: io::Result<Runtime> =
            tokio::runtime::Builder::new_current_thread().enable_time().build();
    }
    RUNTIME.with(|runtime| match runtime {
        Ok(runtime) => Ok(runtime.block_on(what)),
        Err(why) => Err(Failure::of_disk(why)),
    })
}

fn trouble_in(why: &object_store::Error) -> Option<&Trouble> {
    let mut cause: &(dyn Error + 'static) = why;
    // From the outermost error to the one of the request.
    while cause.downcast_ref::<HttpError>().is_none() {
        cause = cause.source()?;
    }
    cause.source()?.downcast_ref()
}

/// The status of HTTP that is behind an error. The library has no other word for it than its text.
fn status_in(why: &object_store::Error) -> Option<u16> {
    let text = why.to_string();
    let (_, status) = text.split_once("status code: ")?;
    status.get(..3)?.parse().ok()
}

/// The word by which the store names what is wrong: `AccessDenied`.
fn code_in(why: &object_store::Error) -> Option<String> {
    let text = why.to_string();
    let (_, code) = text.split_once("<Code>")?;
    let (code, _) = code.split_once("</Code>")?;
    let is_word = code.len() < 64 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_word.then(|| code.to_owned())
}
