//! A judge behind HTTP. The only place that opens a connection.
//!
//! One request, one reply; [`super::wire`] defines their form. No redirect is followed, so a key is sent to its own
//! server and nowhere else.

use std::{io::Read, sync::Arc, time::Duration};

use serde_json::Value;
use ureq::{Agent, Timeout, http::Response};

use super::{
    conversation::{Conversation, JudgeReply},
    fault::JudgeFault,
    judge_key::JudgeKey,
    settings::{self, JudgeConfig},
    stop_flag::StopFlag,
    wire::{self, IncomingReply, Wire},
};

/// Longest reply that is read (bytes).
const MOST_BYTES: usize = 8 << 20;

/// Longest part of an error's body that is read (bytes).
const MOST_OF_ERROR: usize = 64 << 10;

/// Gets a JSON document within this time; the headers are sent to this address and nowhere else. The error is a
/// sentence, in which a server may repeat a key.
pub(crate) fn get_json(
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
        return Err(format!("{url}: {}", wire::fault_of_status(status.as_u16(), None, &body)));
    }
    read.map_err(|why| format!("{url}: {why}"))?;
    serde_json::from_slice(&body).map_err(|_| format!("{url} answers, and not in JSON"))
}

/// Our user agent.
const AGENT: &str = concat!("trajview/", env!("CARGO_PKG_VERSION"));

pub struct HttpJudge {
    agent: Agent,
    wire: &'static dyn Wire,
    address: String,
    settings: Arc<JudgeConfig>,
    key: JudgeKey,
}

impl std::fmt::Debug for HttpJudge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Server at {}", self.address)
    }
}

impl HttpJudge {
    /// Makes a client. The error is a sentence.
    pub fn new(settings: &Arc<JudgeConfig>, key: &JudgeKey) -> Result<Self, String> {
        settings.encryption_problem().map_or(Ok(()), Err)?;
        let wire = wire::wire_for(settings.kind).ok_or("is not reached over HTTP")?;
        let address = wire::request_address(wire, &settings.base_url);
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

    pub(crate) fn ask_judge(
        &self,
        conversation: &Conversation,
        stop: &StopFlag,
    ) -> Result<JudgeReply, JudgeFault> {
        let response = self.send_request(conversation)?;
        self.receive_reply(response, stop)
    }

    fn send_request(
        &self,
        conversation: &Conversation,
    ) -> Result<Response<ureq::Body>, JudgeFault> {
        let body = self.wire.request_body(&self.settings, conversation);
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
        request.send(body.as_bytes()).map_err(|why| self.fault_of(why))
    }

    fn receive_reply(
        &self,
        response: Response<ureq::Body>,
        stop: &StopFlag,
    ) -> Result<JudgeReply, JudgeFault> {
        let header = |name: &str| {
            let value = response.headers().get(name).and_then(|value| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        let (status, kind, retry_after) =
            (response.status(), header("content-type"), header("retry-after"));
        let mut reader = response.into_body().into_reader();
        if !status.is_success() {
            let mut body = vec![];
            // An error without a message is reported by its number.
            let _ = (&mut reader).take(MOST_OF_ERROR as u64).read_to_end(&mut body);
            let after = Some(retry_after.as_str()).filter(|after| !after.is_empty());
            return Err(wire::fault_of_status(status.as_u16(), after, &body));
        }
        if kind.to_ascii_lowercase().starts_with("text/event-stream") {
            return self.read_stream(&mut reader, stop);
        }
        let mut body = vec![];
        self.each_piece(&mut reader, stop, &mut |piece| {
            body.extend_from_slice(piece);
            Ok(())
        })?;
        wire::parse_body(self.wire, &body)
    }

    fn read_stream(
        &self,
        reader: &mut dyn Read,
        stop: &StopFlag,
    ) -> Result<JudgeReply, JudgeFault> {
        let mut incoming = IncomingReply::new(self.wire);
        let ended = self.each_piece(reader, stop, &mut |piece| incoming.take_bytes(piece));
        match ended {
            Ok(()) => incoming.finish(),
            // All that matters may have come before the line broke or the server forgot to hang up.
            Err(fault @ (JudgeFault::BrokenOff(_) | JudgeFault::TimedOut(_))) => {
                incoming.finish().map_err(|_| fault)
            }
            Err(fault) => Err(fault),
        }
    }

    fn each_piece(
        &self,
        reader: &mut dyn Read,
        stop: &StopFlag,
        take: &mut dyn FnMut(&[u8]) -> Result<(), JudgeFault>,
    ) -> Result<(), JudgeFault> {
        let (mut piece, mut sum) = ([0; 16 << 10], 0);
        loop {
            if stop.is_set() {
                return Err(JudgeFault::Stopped);
            }
            let count = reader.read(&mut piece).map_err(|why| self.fault_of(why.into()))?;
            if count == 0 {
                return Ok(());
            }
            sum += count;
            if sum > MOST_BYTES {
                let most = MOST_BYTES >> 20;
                return Err(JudgeFault::Malformed(format!(
                    "it is longer than {most} MB; not read on"
                )));
            }
            take(&piece[..count])?;
        }
    }

    fn fault_of(&self, why: ureq::Error) -> JudgeFault {
        let timeouts = self.settings.timeouts;
        let seconds = |time: std::time::Duration| time.as_secs_f64();
        match why {
            ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve) => JudgeFault::Unreachable(
                format!("no connection within {} s", seconds(timeouts.connect)),
            ),
            ureq::Error::Timeout(Timeout::RecvResponse) => JudgeFault::TimedOut(format!(
                "no reply within {} s",
                seconds(timeouts.first_byte.min(timeouts.whole))
            )),
            ureq::Error::Timeout(_) => JudgeFault::TimedOut(format!(
                "the reply was not complete within {} s",
                seconds(timeouts.whole)
            )),
            ureq::Error::Io(why) if why.kind() == std::io::ErrorKind::ConnectionRefused => {
                JudgeFault::Unreachable("it refuses the connection".into())
            }
            ureq::Error::Io(why) => JudgeFault::BrokenOff(why.to_string()),
            ureq::Error::HostNotFound => JudgeFault::Unreachable("no such host".into()),
            ureq::Error::ConnectionFailed => {
                JudgeFault::Unreachable("the connection failed".into())
            }
            ureq::Error::BodyStalled => JudgeFault::BrokenOff("the connection was closed".into()),
            ureq::Error::Protocol(why) => JudgeFault::Malformed(why.to_string()),
            ureq::Error::Tls(why) => JudgeFault::Unreachable(format!("TLS: {why}")),
            ureq::Error::Rustls(why) => JudgeFault::Unreachable(format!("TLS: {why}")),
            other => JudgeFault::Unreachable(other.to_string()),
        }
    }
}
