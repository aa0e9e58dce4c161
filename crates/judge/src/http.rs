//! A judge behind HTTP. The only place that opens a connection.
//!
//! One request, one reply; how the two look is [`super::wire`]'s. No redirect is followed, so a key goes to the server
//! it is meant for and nowhere else.

use std::{io::Read, sync::Arc, time::Duration};

use serde_json::Value;
use ureq::{Agent, Timeout, http::Response};

use super::{
    conversation::{Conversation, Reply},
    fault::Fault,
    secret::Secret,
    settings::{self, Settings},
    stop::Stop,
    wire::{self, Incoming, Wire},
};

/// A longer reply is not read on (bytes).
const MOST_BYTES: usize = 8 << 20;

/// What of an error's body is read (bytes).
const MOST_OF_ERROR: usize = 64 << 10;

/// Gets a JSON document within this time; the headers are sent to this address and nowhere else. The error is a
/// sentence, in which a server may repeat a key.
pub fn get(
    url: &str,
    headers: &[(&'static str, String)],
    limit: Duration,
) -> Result<Value, String> {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(AGENT)
        .timeout_global(Some(limit));
    // What runs on this machine is not behind a proxy.
    let config = if settings::is_on_this_machine(url) { config.proxy(None) } else { config };
    let mut request = Agent::new_with_config(config.build()).get(url);
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    let response = request.header("accept", "application/json").call();
    let response = response.map_err(|why| format!("{url} does not answer: {why}"))?;
    let status = response.status();
    let mut body = vec![];
    let mut reader = response.into_body().into_reader().take(MOST_BYTES as u64);
    let read = reader.read_to_end(&mut body);
    if !status.is_success() {
        return Err(format!("{url}: {}", wire::refusal(status.as_u16(), None, &body)));
    }
    read.map_err(|why| format!("{url}: {why}"))?;
    serde_json::from_slice(&body).map_err(|_| format!("{url} answers, and not in JSON"))
}

/// Who we say we are.
const AGENT: &str = concat!("trajview/", env!("CARGO_PKG_VERSION"));

pub struct Server {
    agent: Agent,
    wire: &'static dyn Wire,
    address: String,
    settings: Arc<Settings>,
    key: Secret,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Server at {}", self.address)
    }
}

impl Server {
    /// The error is a sentence.
    pub fn new(settings: &Arc<Settings>, key: &Secret) -> Result<Self, String> {
        settings.refusal().map_or(Ok(()), Err)?;
        let wire = wire::of(settings.kind).ok_or("is not reached over HTTP")?;
        let address = wire::address(wire, &settings.base_url);
        let uri: ureq::http::Uri =
            address.parse().map_err(|_| "its base_url is not an address".to_owned())?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err("its base_url does not begin with http:// or https://".into());
        }
        let timeouts = settings.timeouts;
        let agent = Agent::new_with_config(
            Agent::config_builder()
                .http_status_as_error(false)
                .max_redirects(0)
                .max_redirects_will_error(false)
                .user_agent(AGENT)
                .timeout_resolve(Some(timeouts.connect))
                .timeout_connect(Some(timeouts.connect))
                .timeout_recv_response(Some(timeouts.first_byte))
                .timeout_global(Some(timeouts.whole))
                .build(),
        );
        Ok(Self { agent, wire, address, settings: Arc::clone(settings), key: key.clone() })
    }

    pub fn ask(&self, conversation: &Conversation, stop: &Stop) -> Result<Reply, Fault> {
        let response = self.send(conversation)?;
        self.receive(response, stop)
    }

    fn send(&self, conversation: &Conversation) -> Result<Response<ureq::Body>, Fault> {
        let body = self.wire.body(&self.settings, conversation).to_string();
        let accept = if self.settings.reply.stream {
            "text/event-stream, application/json"
        } else {
            "application/json"
        };
        let mut request = self
            .agent
            .post(&self.address)
            .header("content-type", "application/json")
            .header("accept", accept);
        for (name, value) in self.wire.headers(self.key.value()) {
            request = request.header(name, value);
        }
        request.send(body.as_bytes()).map_err(|why| self.fault(why))
    }

    fn receive(&self, response: Response<ureq::Body>, stop: &Stop) -> Result<Reply, Fault> {
        let header = |name: &str| {
            let value = response.headers().get(name).and_then(|value| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        let (status, kind, retry_after) =
            (response.status(), header("content-type"), header("retry-after"));
        let mut reader = response.into_body().into_reader();
        if !status.is_success() {
            let mut body = vec![];
            // An error that comes without its words is told by its number.
            let _ = (&mut reader).take(MOST_OF_ERROR as u64).read_to_end(&mut body);
            let after = Some(retry_after.as_str()).filter(|after| !after.is_empty());
            return Err(wire::refusal(status.as_u16(), after, &body));
        }
        if kind.to_ascii_lowercase().starts_with("text/event-stream") {
            return self.stream(&mut reader, stop);
        }
        let mut body = vec![];
        self.each_piece(&mut reader, stop, &mut |piece| {
            body.extend_from_slice(piece);
            Ok(())
        })?;
        wire::whole(self.wire, &body)
    }

    fn stream(&self, reader: &mut dyn Read, stop: &Stop) -> Result<Reply, Fault> {
        let mut incoming = Incoming::new(self.wire);
        let ended = self.each_piece(reader, stop, &mut |piece| incoming.take(piece));
        match ended {
            Ok(()) => incoming.finish(),
            // All that matters may have come before the line broke or the server forgot to hang up.
            Err(fault @ (Fault::Cut(_) | Fault::Late(_))) => incoming.finish().map_err(|_| fault),
            Err(fault) => Err(fault),
        }
    }

    fn each_piece(
        &self,
        reader: &mut dyn Read,
        stop: &Stop,
        take: &mut dyn FnMut(&[u8]) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let (mut piece, mut sum) = ([0; 16 << 10], 0);
        loop {
            if stop.is_set() {
                return Err(Fault::Stopped);
            }
            let count = reader.read(&mut piece).map_err(|why| self.fault(why.into()))?;
            if count == 0 {
                return Ok(());
            }
            sum += count;
            if sum > MOST_BYTES {
                let most = MOST_BYTES >> 20;
                return Err(Fault::Garbage(format!("it is longer than {most} MB; not read on")));
            }
            take(&piece[..count])?;
        }
    }

    fn fault(&self, why: ureq::Error) -> Fault {
        let timeouts = self.settings.timeouts;
        let seconds = |time: std::time::Duration| time.as_secs_f64();
        match why {
            ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve) => {
                Fault::Unreachable(format!("no connection within {} s", seconds(timeouts.connect)))
            }
            ureq::Error::Timeout(Timeout::RecvResponse) => Fault::Late(format!(
                "no reply began within {} s",
                seconds(timeouts.first_byte.min(timeouts.whole))
            )),
            ureq::Error::Timeout(_) => Fault::Late(format!(
                "the reply was not complete within {} s",
                seconds(timeouts.whole)
            )),
            ureq::Error::Io(why) if why.kind() == std::io::ErrorKind::ConnectionRefused => {
                Fault::Unreachable("it refuses the connection".into())
            }
            ureq::Error::Io(why) => Fault::Cut(why.to_string()),
            ureq::Error::HostNotFound => Fault::Unreachable("no such host".into()),
            ureq::Error::ConnectionFailed => Fault::Unreachable("the connection failed".into()),
            ureq::Error::BodyStalled => Fault::Cut("the connection was closed".into()),
            ureq::Error::Protocol(why) => Fault::Garbage(why.to_string()),
            ureq::Error::Tls(why) => Fault::Unreachable(format!("TLS: {why}")),
            ureq::Error::Rustls(why) => Fault::Unreachable(format!("TLS: {why}")),
            other => Fault::Unreachable(other.to_string()),
        }
    }
}
