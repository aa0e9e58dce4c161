//! The requests of a store, made by ureq: the one HTTP client of the program, with one set of certificates.
//!
//! A redirect is followed for plain web servers only, where nothing is signed, and never from https to http. No error
//! contains the requested address: the query of a signed link is a secret.

use std::{
    fmt,
    io::Read,
    pin::Pin,
    sync::{Mutex, PoisonError},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use bytes::Bytes;
use http_body::Frame;
use object_store::{
    ClientConfigKey, ClientOptions,
    client::{
        HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
        HttpResponseBody, HttpService,
    },
};
use ureq::{Agent, Timeout, config::RedirectAuthHeaders, http};

use trajview_run::address::is_on_this_machine;

use super::{list_pages, unreadable_keys};

/// The user agent of our requests.
pub(super) const USER_AGENT_NAME: &str = concat!("trajview/", env!("CARGO_PKG_VERSION"));

/// The longest time to wait for a connection, an answer and each piece of it.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
const PIECE_TIMEOUT: Duration = Duration::from_secs(30);

/// The most redirects that are followed one after the other.
const MOST_REDIRECTS: u32 = 5;

/// The number of bytes that are passed on at once.
const AT_ONCE: usize = 128 << 10;

/// The most bytes of a page of a list, where a thousand keys of the longest kind are 6 MiB, and of any other answer
/// that is no object, such as a token.
pub(super) const MOST_OF_A_PAGE: u64 = 32 << 20;

/// The most bytes of an error answer that are read: its code and a sentence are at its beginning.
const MOST_OF_AN_ERROR: u64 = 64 << 10;

/// The longest time to read such an answer, however slowly it comes.
const SHORT_ANSWER: Duration = Duration::from_secs(60);

/// The connector that makes the clients of a store.
#[derive(Debug, Clone)]
pub struct UreqConnector {
    /// True if redirects are followed.
    pub follows: bool,
    /// The value of the header `Authorization`, for a store that does not sign; a redirect to another host goes without it.
    pub authorization: Option<http::HeaderValue>,
}

/// The reason why a request failed, and the server.
#[derive(Debug)]
pub struct RequestError {
    pub server: String,
    message: String,
}

impl std::error::Error for RequestError {}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.server, self.message)
    }
}

impl HttpConnector for UreqConnector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let allowed = options.get_config_value(&ClientConfigKey::AllowHttp);
        Ok(HttpClient::new(UreqService {
            agent: new_agent(self.follows),
            allows_http: allowed.as_deref() == Some("true"),
            authorization: self.authorization.clone(),
        }))
    }
}

/// Makes the client of all requests, with its time limits.
pub(super) fn new_agent(follows: bool) -> Agent {
    Agent::new_with_config(
        Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(if follows { MOST_REDIRECTS } else { 0 })
            .max_redirects_will_error(follows)
            .redirect_auth_headers(RedirectAuthHeaders::SameHost)
            .allow_non_standard_methods(true)
            .user_agent(USER_AGENT_NAME)
            .timeout_resolve(Some(CONNECT_TIMEOUT))
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_recv_response(Some(ANSWER_TIMEOUT))
            .timeout_per_read(Some(PIECE_TIMEOUT))
            .build(),
    )
}

#[derive(Debug)]
struct UreqService {
    agent: Agent,
    allows_http: bool,
    authorization: Option<http::HeaderValue>,
}

impl HttpService for UreqService {
    /// Waits for the answer on the thread that asks: each has a runtime of its own.
    fn call<'s, 'f>(
        &'s self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'f>>
    where
        's: 'f,
        Self: 'f,
    {
        Box::pin(async move { self.send_request(request) })
    }
}

impl UreqService {
    fn send_request(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (mut parts, body) = request.into_parts();
        if let Some(value) = &self.authorization {
            parts.headers.insert(http::header::AUTHORIZATION, value.clone());
        }
        let server = parts.uri.authority().map(|it| it.as_str().to_owned()).unwrap_or_default();
        let failed = |kind, message: String| {
            HttpError::new(kind, RequestError { server: server.clone(), message })
        };
        let is_here = is_on_this_machine(&server);
        let is_plain = parts.uri.scheme_str() == Some("http");
        if is_plain && !is_here && !self.allows_http {
            let message =
                "is asked over http, which is not encrypted and not allowed here".to_owned();
            return Err(failed(HttpErrorKind::Unknown, message));
        }
        let page_request = list_pages::PageRequest::for_request(&parts);
        let is_object = parts.method == http::Method::GET && page_request.is_none();
        let content = body.as_bytes().map(|bytes| bytes.to_vec()).unwrap_or_default();
        let sent = match content.is_empty() {
            true => self.run_request(http::Request::from_parts(parts, ()), is_here, is_plain),
            false => self.run_request(http::Request::from_parts(parts, content), is_here, is_plain),
        };
        let answer = sent.map_err(|why| {
            let (kind, message) = error_text(&why);
            failed(kind, message)
        })?;
        let (parts, body) = answer.into_parts();
        let reader = body.into_reader();
        let cut = |why: std::io::Error| {
            let why = ureq::Error::from(why);
            failed(HttpErrorKind::Interrupted, error_text(&why).1)
        };
        let body = match parts.status.is_success() {
            false => {
                let (body, _) = read_short(reader, MOST_OF_AN_ERROR).map_err(cut)?;
                HttpResponseBody::from(body)
            }
            true if is_object => {
                HttpResponseBody::new(BodyPieces { server, reader: Mutex::new(reader) })
            }
            true => {
                let (page, is_whole) = read_short(reader, MOST_OF_A_PAGE).map_err(cut)?;
                let refused = |message: String| failed(HttpErrorKind::Unknown, message);
                if !is_whole {
                    let most = MOST_OF_A_PAGE >> 20;
                    return Err(refused(format!("sends a list of more than {most} MiB at once")));
                }
                match page_request {
                    Some(page_request) => {
                        list_pages::check_page(&page_request, &page)
                            .map_err(|why| refused(why.to_owned()))?;
                        HttpResponseBody::from(unreadable_keys::without_unreadable(page))
                    }
                    None => HttpResponseBody::from(page),
                }
            }
        };
        Ok(HttpResponse::from_parts(parts, body))
    }

    fn run_request(
        &self,
        request: http::Request<impl ureq::AsSendBody>,
        is_here: bool,
        is_plain: bool,
    ) -> Result<http::Response<ureq::Body>, ureq::Error> {
        let request = self.agent.configure_request(request).https_only(!is_plain);
        // What runs on this machine is not behind a proxy.
        let request = if is_here { request.proxy(None) } else { request };
        self.agent.run(request.build())
    }
}

/// Reads no more than `most` bytes of an answer, with whether that is all of it. One that never ends is cut.
pub(super) fn read_short(mut from: impl Read, most: u64) -> std::io::Result<(Vec<u8>, bool)> {
    let (mut bytes, mut piece) = (vec![], vec![0; AT_ONCE]);
    let begun = Instant::now();
    while bytes.len() as u64 <= most && begun.elapsed() < SHORT_ANSWER {
        match from.read(&mut piece)? {
            0 => return Ok((bytes, true)),
            read => bytes.extend_from_slice(&piece[..read]),
        }
    }
    bytes.truncate(most as usize);
    Ok((bytes, false))
}

/// Returns the kind of an error, which decides about another attempt, and its text, which follows the name of the
/// server.
pub(super) fn error_text(why: &ureq::Error) -> (HttpErrorKind, String) {
    use HttpErrorKind as Kind;
    let seconds = |time: Duration| time.as_secs();
    match why {
        ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve) => (
            Kind::Connect,
            format!("cannot be reached: no connection within {} s", seconds(CONNECT_TIMEOUT)),
        ),
        ureq::Error::Timeout(Timeout::RecvResponse) => {
            (Kind::Timeout, format!("does not answer within {} s", seconds(ANSWER_TIMEOUT)))
        }
        ureq::Error::Timeout(_) => (Kind::Timeout, "stopped in the middle of its answer".into()),
        ureq::Error::HostNotFound => (Kind::Connect, "cannot be reached: no such host".into()),
        ureq::Error::ConnectionFailed => (Kind::Connect, "cannot be reached".into()),
        ureq::Error::Io(why) if why.kind() == std::io::ErrorKind::ConnectionRefused => {
            (Kind::Connect, "cannot be reached: the connection was refused".into())
        }
        ureq::Error::Io(_) | ureq::Error::BodyStalled => {
            (Kind::Interrupted, "broke off the connection".into())
        }
        ureq::Error::Protocol(_) => {
            (Kind::Interrupted, "broke off its answer, or answers no HTTP".into())
        }
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => {
            (Kind::Unknown, "cannot be trusted: its certificate or its TLS is not accepted".into())
        }
        ureq::Error::TooManyRedirects | ureq::Error::RedirectFailed => (
            Kind::Unknown,
            format!("redirects more than {MOST_REDIRECTS} times, or without a target"),
        ),
        ureq::Error::RequireHttpsOnly(_) => {
            (Kind::Unknown, "redirects from https to http, which is not followed".into())
        }
        _ => (Kind::Unknown, "could not be asked".into()),
    }
}

/// A body, read piece by piece.
struct BodyPieces<R> {
    server: String,
    reader: Mutex<R>,
}

impl<R: Read + Unpin> http_body::Body for BodyPieces<R> {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        let this = self.get_mut();
        let reader = this.reader.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut piece = vec![0; AT_ONCE];
        Poll::Ready(match reader.read(&mut piece) {
            Ok(0) => None,
            Ok(read) => {
                piece.truncate(read);
                Some(Ok(Frame::data(piece.into())))
            }
            Err(why) => {
                let message = error_text(&ureq::Error::from(why)).1;
                let trouble = RequestError { server: this.server.clone(), message };
                Some(Err(HttpError::new(HttpErrorKind::Interrupted, trouble)))
            }
        })
    }
}
