//! The blocking client of one store: a list, the beginning of an object, all of it. Errors have plain texts of our own,
//! never those of the server or of a library, which may repeat a key or a signature.

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
    RemoteFailure,
    http::{RequestError, UreqConnector},
    hub::{self, HubDataset},
    remote_tree::{RemoteObject, RemoteTree},
};

/// The most objects that a list may have.
const MOST_OBJECTS: usize = 1_000_000;

/// The most bytes that an object may have, as many as standard input.
const MOST_BYTES: u64 = 16 << 30;

/// The size of the pieces in which a larger object is requested.
const PIECE_BYTES: u64 = 64 << 20;

/// The store of an address.
pub struct StoreClient {
    store: Box<dyn ObjectStore>,
    scheme: Scheme,
    /// The data set of an `hf://` address, whose files are listed by the Hub and read as of one commit.
    dataset: Option<HubDataset>,
}

/// The beginning of an object.
pub struct ObjectStart {
    pub object: RemoteObject,
    pub bytes: Vec<u8>,
}

impl StoreClient {
    /// Makes the client of an address, with the credentials of the environment.
    pub(crate) fn for_address(address: &Address) -> Result<Self, RemoteFailure> {
        let scheme = address.scheme;
        if scheme == Scheme::Http && !address.is_on_this_machine() && !allows_http() {
            return Err(RemoteFailure::from_text(
                "http:// is not encrypted and is read of this machine only; TRAJVIEW_ALLOW_HTTP=1 allows it",
            ));
        }
        let dataset = (scheme == Scheme::Hf)
            .then(|| HubDataset::for_address(address, allows_http()))
            .transpose()?;
        let made = match scheme {
            Scheme::Hf => {
                let url = dataset.as_ref().map(HubDataset::files_url).unwrap_or_default();
                let allowed = url.starts_with("http://").to_string();
                let connector =
                    UreqConnector { follows: true, authorization: hub::authorization() };
                boxed_store(
                    HttpBuilder::new()
                        .with_url(url)
                        .with_config(ClientConfigKey::AllowHttp, allowed)
                        .with_retry(retry_config())
                        .with_http_connector(connector)
                        .build(),
                )
            }
            Scheme::S3 => boxed_store(
                AmazonS3Builder::from_env()
                    .with_bucket_name(&address.holder)
                    .with_retry(retry_config())
                    .with_http_connector(UreqConnector { follows: false, authorization: None })
                    .build(),
            ),
            Scheme::Gs => boxed_store(
                GoogleCloudStorageBuilder::from_env()
                    .with_bucket_name(&address.holder)
                    .with_retry(retry_config())
                    .with_http_connector(UreqConnector { follows: false, authorization: None })
                    .build(),
            ),
            Scheme::Az => boxed_store(
                MicrosoftAzureBuilder::from_env()
                    .with_container_name(&address.holder)
                    .with_retry(retry_config())
                    .with_http_connector(UreqConnector { follows: false, authorization: None })
                    .build(),
            ),
            Scheme::Https | Scheme::Http => {
                let start = if scheme == Scheme::Http { "http" } else { "https" };
                let query = address.query.as_deref().map(|query| format!("?{query}"));
                let url = format!("{start}://{}/{}", address.holder, query.unwrap_or_default());
                let allowed = (scheme == Scheme::Http).to_string();
                boxed_store(
                    HttpBuilder::new()
                        .with_url(url)
                        .with_config(ClientConfigKey::AllowHttp, allowed)
                        .with_retry(retry_config())
                        .with_http_connector(UreqConnector { follows: true, authorization: None })
                        .build(),
                )
            }
        };
        // The library's own text is not used: it may repeat secrets that it was given.
        let store = made.map_err(|_| RemoteFailure::from_text(missing_settings(scheme)))?;
        Ok(Self { store, scheme, dataset })
    }

    /// Reads at most so many bytes from the start of an object, and its metadata.
    pub fn read_start(&self, key: &str, most: u64) -> Result<ObjectStart, RemoteFailure> {
        let path = parse_key(key)?;
        let ranged =
            GetOptions { range: Some(GetRange::Bounded(0..most)), ..GetOptions::default() };
        block_on(async {
            let result = match self.store.get_opts(&path, ranged).await {
                // A server that knows no ranges sends all of it; no more is read than was wanted.
                Err(object_store::Error::NotSupported { .. }) => self.store.get(&path).await,
                Err(why) if status_in(&why) == Some(416) => {
                    let object = self.object_from_meta(&self.store.head(&path).await?);
                    return Ok(ObjectStart { object, bytes: vec![] });
                }
                result => result,
            }?;
            let object = self.object_from_meta(&result.meta);
            let mut bytes = vec![];
            let mut pieces = result.into_stream();
            while (bytes.len() as u64) < most
                && let Some(piece) = pieces.next().await
            {
                bytes.extend_from_slice(&piece?);
            }
            bytes.truncate(most as usize);
            Ok::<_, object_store::Error>(ObjectStart { object, bytes })
        })?
        .map_err(|why| self.to_failure(&why))
    }

    /// Returns all objects below a folder, by their paths below it.
    pub(crate) fn list_objects(&self, folder: &str) -> Result<RemoteTree, RemoteFailure> {
        if let Some(dataset) = &self.dataset {
            return dataset.list_files(folder, MOST_OBJECTS);
        }
        let prefix = parse_key(folder)?;
        let mut tree = RemoteTree::default();
        let listed = block_on(async {
            // Counted as they come: a server may give the same ones again and again.
            let mut count = 0;
            let mut objects = self.store.list(Some(&prefix));
            while let Some(meta) = objects.next().await {
                let meta: ObjectMeta = meta?;
                let below = meta.location.as_ref().strip_prefix(folder);
                let below = below.map(|below| below.trim_start_matches('/'));
                if let Some(below) = below {
                    tree.add_object(below, self.object_from_meta(&meta));
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
            Ok(false) => Err(RemoteFailure::from_text(format!(
                "more than {MOST_OBJECTS} objects lie below; name a folder further down"
            ))),
            Err(why) if self.scheme.is_web() && status_in(&why).is_some_and(|it| it != 404) => {
                Err(match status_in(&why) {
                    Some(401 | 403) => self.to_failure(&why),
                    _ => RemoteFailure::from_text(
                        "this server does not list folders (no WebDAV); name a file on it",
                    ),
                })
            }
            Err(why) => Err(self.to_failure(&why)),
        }
    }

    /// Downloads an object into a writer; fails where it has changed since it was listed, or is too large.
    pub(crate) fn fetch_object(
        &self,
        key: &str,
        object: &RemoteObject,
        into: &mut impl Write,
    ) -> Result<(), RemoteFailure> {
        if object.size > MOST_BYTES {
            let (has, most) = (object.size >> 30, MOST_BYTES >> 30);
            return Err(RemoteFailure::from_text(format!(
                "it has {has} GiB; up to {most} GiB are fetched"
            )));
        }
        let path = parse_key(key)?;
        let mut at = 0;
        while at < object.size {
            let range = (at > 0 || object.size > PIECE_BYTES)
                .then(|| at..(at + PIECE_BYTES).min(object.size));
            at = self.download_range(&path, object, range, at, into)?;
        }
        Ok(())
    }

    /// Returns a part of an object, as it was when it was listed.
    pub(crate) fn read_range(
        &self,
        key: &str,
        object: &RemoteObject,
        range: std::ops::Range<u64>,
    ) -> Result<Vec<u8>, RemoteFailure> {
        let mut bytes = vec![];
        let wanted = range.end - range.start;
        self.download_range(
            &parse_key(key)?,
            object,
            Some(range.clone()),
            range.start,
            &mut bytes,
        )?;
        match bytes.len() as u64 == wanted {
            true => Ok(bytes),
            false => Err(RemoteFailure::from_text("the server knows no ranges")),
        }
    }

    /// Downloads a range of an object, or all of it, into a writer, and returns the offset after it. `at` is where the
    /// range begins. Fails where the object has changed since it was listed.
    fn download_range(
        &self,
        path: &Path,
        object: &RemoteObject,
        range: Option<std::ops::Range<u64>>,
        at: u64,
        into: &mut impl Write,
    ) -> Result<u64, RemoteFailure> {
        let end = range.as_ref().map_or(object.size, |range| range.end);
        let options = GetOptions { range: range.map(GetRange::Bounded), ..GetOptions::default() };
        let outcome = block_on(async {
            let result = match self.store.get_opts(path, options).await {
                Err(object_store::Error::NotSupported { .. }) if at == 0 => {
                    return Ok((self.store.get(path).await?, object.size));
                }
                result => result,
            }?;
            Ok::<_, object_store::Error>((result, end))
        })?;
        let (result, end) = outcome.map_err(|why| self.to_failure(&why))?;
        if !self.object_from_meta(&result.meta).is_same_as(object) {
            return Err(RemoteFailure::changed_while_read());
        }
        let written = self.write_result(result, at, object.size, into)?;
        if written != end {
            return Err(RemoteFailure::from_text(format!(
                "what was sent ends after {written} of {} bytes",
                object.size
            )));
        }
        Ok(end)
    }

    /// Writes what comes, and gives where that ends.
    fn write_result(
        &self,
        result: GetResult,
        start: u64,
        most: u64,
        into: &mut impl Write,
    ) -> Result<u64, RemoteFailure> {
        let mut at = start;
        let outcome = block_on(async {
            let mut pieces = result.into_stream();
            while let Some(piece) = pieces.next().await {
                let piece = piece.map_err(|why| self.to_failure(&why))?;
                at += piece.len() as u64;
                if at > most {
                    return Err(RemoteFailure::changed_while_read());
                }
                into.write_all(&piece).map_err(|why| RemoteFailure::from_disk_error(&why))?;
            }
            Ok::<_, RemoteFailure>(())
        })?;
        outcome.map(|()| at)
    }

    /// Returns the metadata of an object from a list or an answer. The version of a file at a commit is the commit.
    fn object_from_meta(&self, meta: &ObjectMeta) -> RemoteObject {
        if let Some(dataset) = &self.dataset {
            let version = Some(dataset.commit.clone());
            return RemoteObject { size: meta.size, version, modified: None };
        }
        let modified = SystemTime::from(meta.last_modified);
        let version = meta
            .e_tag
            .as_deref()
            .map(|tag| tag.strip_prefix("W/").unwrap_or(tag).trim_matches('"').to_owned());
        RemoteObject {
            size: meta.size,
            version: version.filter(|version| !version.is_empty()),
            modified: Some(modified).filter(|it| *it > SystemTime::UNIX_EPOCH),
        }
    }

    /// Turns an error into a sentence.
    fn to_failure(&self, why: &object_store::Error) -> RemoteFailure {
        use object_store::Error as Why;
        let code = code_in(why);
        let with_code = |words: &str| match &code {
            Some(code) => RemoteFailure::from_text(format!("{words} ({code})")),
            None => RemoteFailure::from_text(words.to_owned()),
        };
        match why {
            Why::NotFound { .. } if code.as_deref() == Some("NoSuchBucket") => {
                RemoteFailure::from_text("no such bucket")
            }
            Why::NotFound { .. } => RemoteFailure::not_found(),
            Why::PermissionDenied { .. } | Why::Unauthenticated { .. } => {
                with_code(&format!("access denied; {}", credentials_hint(self.scheme)))
            }
            Why::Precondition { .. } | Why::NotModified { .. } => {
                RemoteFailure::changed_while_read()
            }
            Why::InvalidPath { .. } => {
                RemoteFailure::from_text("a key in the list cannot be a path")
            }
            _ => match (request_error_in(why), status_in(why)) {
                (Some(trouble), _) if is_metadata_server(&trouble.server) => {
                    RemoteFailure::from_text(format!(
                        "no credentials were found; {}",
                        credentials_hint(self.scheme)
                    ))
                }
                (Some(trouble), _) => RemoteFailure::from_text(trouble.to_string()),
                (None, Some(400)) => with_code("the request was refused"),
                (None, Some(status @ 300..400)) => {
                    let hint = match self.scheme {
                        Scheme::S3 => "; the bucket is in another region: set AWS_REGION",
                        _ => "",
                    };
                    RemoteFailure::from_text(format!(
                        "the server sends to another address (status {status}){hint}"
                    ))
                }
                (None, Some(status)) => {
                    with_code(&format!("the server answers with status {status}"))
                }
                (None, None) if why.to_string().contains("redirect without LOCATION") => {
                    RemoteFailure::from_text("the bucket is in another region: set AWS_REGION")
                }
                (None, None) => {
                    RemoteFailure::from_text("the server answers what is not understood")
                }
            },
        }
    }
}

fn boxed_store(
    made: object_store::Result<impl ObjectStore>,
) -> object_store::Result<Box<dyn ObjectStore>> {
    made.map(|store| Box::new(store) as Box<dyn ObjectStore>)
}

/// Returns the number of attempts and their time limit.
fn retry_config() -> RetryConfig {
    RetryConfig {
        max_retries: 3,
        retry_timeout: std::time::Duration::from_secs(60),
        ..RetryConfig::default()
    }
}

fn allows_http() -> bool {
    std::env::var_os("TRAJVIEW_ALLOW_HTTP").is_some_and(|it| it == "1" || it == "true")
}

/// Returns which settings of a store are missing or wrong.
const fn missing_settings(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::S3 => "the AWS_… variables of the environment do not fit together",
        Scheme::Gs => {
            "the credentials that the GOOGLE_… variables of the environment name cannot be read"
        }
        Scheme::Az => {
            "AZURE_STORAGE_ACCOUNT_NAME is not set, or the AZURE_… variables of the environment do not fit together"
        }
        Scheme::Hf => "HF_ENDPOINT is not the address of a server",
        Scheme::Https | Scheme::Http => "not an address of a web server",
    }
}

/// Returns where credentials are read from.
const fn credentials_hint(scheme: Scheme) -> &'static str {
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
        Scheme::Hf => "the token is read from HF_TOKEN",
        Scheme::Https | Scheme::Http => "a signed link may have expired",
    }
}

/// Returns whether a server is the one that gives machines of a cloud their credentials.
fn is_metadata_server(server: &str) -> bool {
    server.starts_with("169.254.") || server.starts_with("metadata.google")
}

fn parse_key(key: &str) -> Result<Path, RemoteFailure> {
    Path::parse(key).map_err(|_| RemoteFailure::not_found())
}

/// Waits for a request. Each thread has a runtime of its own, so a request blocks only the thread that makes it.
fn block_on<T>(what: impl Future<Output = T>) -> Result<T, RemoteFailure> {
    thread_local! {
        static RUNTIME: io::Result<Runtime> =
            tokio::runtime::Builder::new_current_thread().enable_time().build();
    }
    RUNTIME.with(|runtime| match runtime {
        Ok(runtime) => Ok(runtime.block_on(what)),
        Err(why) => Err(RemoteFailure::from_disk_error(why)),
    })
}

fn request_error_in(why: &object_store::Error) -> Option<&RequestError> {
    let mut cause: &(dyn Error + 'static) = why;
    // From the outermost error to the one of the request.
    while cause.downcast_ref::<HttpError>().is_none() {
        cause = cause.source()?;
    }
    cause.source()?.downcast_ref()
}

/// Returns the status of HTTP that is behind an error. The library has no other word for it than its text.
fn status_in(why: &object_store::Error) -> Option<u16> {
    let text = why.to_string();
    let (_, status) = text.split_once("status code: ")?;
    status.get(..3)?.parse().ok()
}

/// Returns the word by which the store names what is wrong: `AccessDenied`.
fn code_in(why: &object_store::Error) -> Option<String> {
    let text = why.to_string();
    let (_, code) = text.split_once("<Code>")?;
    let (code, _) = code.split_once("</Code>")?;
    let is_word = code.len() < 64 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_word.then(|| code.to_owned())
}
