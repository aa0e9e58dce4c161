//! Keys that were handed to the agent, and keeping them out of everything that is recorded.
//!
//! A key is known by the variable it came in. In what others wrote it is covered by as many stars as it has bytes, so that
//! lines and offsets stay where they were; in our own sentences by three.

use memchr::memmem;

/// The values to hide. They cannot be printed.
#[derive(Clone, Default)]
pub struct Secrets(Vec<String>);

/// Shorter values are no keys, and hiding them would garble common words.
const SHORTEST: usize = 8;

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} secrets", self.0.len())
    }
}

/// Whether a variable of this name holds a key, by the habits of the trade.
pub fn is_named_like_a_secret(variable: &str) -> bool {
    let name = variable.to_ascii_uppercase();
    let marks = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH"];
    marks.iter().any(|mark| name.contains(mark))
}

impl Secrets {
    /// Each value as it is, and as JSON and addresses write it.
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        let is_secret = |value: &String| value.len() >= SHORTEST;
        let values = values.into_iter().map(|value| value.trim().to_owned()).filter(is_secret);
        let mut values: Vec<String> = values.flat_map(|value| spellings(&value)).collect();
        values.sort();
        values.dedup();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self(values)
    }

    /// The text for a sentence or a document of ours.
    pub fn hide(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
    }

    /// Covers every secret in somebody else's bytes; whether there was one.
    pub fn cover(&self, bytes: &mut [u8]) -> bool {
        let mut found = false;
        for secret in &self.0 {
            let places: Vec<usize> = memmem::find_iter(bytes, secret.as_bytes()).collect();
            for at in places {
                found = true;
                bytes[at..at + secret.len()].fill(b'*');
            }
        }
        found
    }

    /// How many bytes at the end may be the beginning of a secret.
    fn unsure(&self, bytes: &[u8]) -> usize {
        let longest = |secret: &String| {
            let most = bytes.len().min(secret.len() - 1);
            let starts = |count: &usize| bytes.ends_with(&secret.as_bytes()[..*count]);
            (1..=most).rev().find(starts).unwrap_or(0)
        };
        self.0.iter().map(longest).max().unwrap_or(0)
    }
}

/// A value, and what becomes of it in JSON and in an address.
fn spellings(value: &str) -> [String; 4] {
    let json = serde_json::Value::from(value).to_string();
    let json = json.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(value);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let address = value.bytes().map(|byte| match byte {
        byte if is_plain(byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    let with_slashes = json.replace('/', "\\/");
    [value.to_owned(), json.to_owned(), with_slashes, address.collect()]
}

/// Bytes that come piece by piece, with the secrets in them covered.
#[derive(Debug, Default)]
pub struct Cover {
    secrets: Secrets,
    held: Vec<u8>,
}

impl Cover {
    pub fn new(secrets: Secrets) -> Self {
        Self { secrets, held: vec![] }
    }

    /// What is sure by now; the rest is held until more comes.
    pub fn take(&mut self, piece: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(piece);
        let mut bytes = std::mem::take(&mut self.held);
        self.secrets.cover(&mut bytes);
        let keep = bytes.len() - self.secrets.unsure(&bytes);
        self.held = bytes.split_off(keep);
        bytes
    }

    /// What was held; nothing more comes, or not soon.
    pub fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets() -> Secrets {
        Secrets::new(["key-0123456789".to_owned(), "short".to_owned()])
    }

    #[test]
    fn a_secret_is_covered_byte_for_byte() {
        let mut bytes = b"a key-0123456789 short".to_vec();
        assert!(secrets().cover(&mut bytes));
        assert_eq!(bytes, b"a ************** short");
        assert_eq!(secrets().hide("use key-0123456789!"), "use ***!");
        assert!(!secrets().cover(&mut b"nothing".to_vec()));
    }

    #[test]
    fn a_secret_that_comes_in_pieces_is_covered_too() {
        for at in 0..20 {
            let text = b"say key-0123456789.!";
            let mut cover = Cover::new(secrets());
            let mut said = cover.take(&text[..at]);
            said.extend(cover.take(&text[at..]));
            said.extend(cover.rest());
            assert_eq!(said, b"say **************.!", "{at}");
        }
    }

    #[test]
    fn a_secret_is_covered_as_json_and_addresses_write_it() {
        let secrets = Secrets::new(["pass/word+\"1\"".to_owned()]);
        for text in [
            "pass/word+\"1\"",
            r#"pass/word+\"1\""#,
            r#"pass\/word+\"1\""#,
            "pass%2Fword%2B%221%22",
        ] {
            let mut bytes = format!("<{text}>").into_bytes();
            assert!(secrets.cover(&mut bytes), "{text}");
            assert_eq!(bytes, format!("<{}>", "*".repeat(text.len())).into_bytes());
        }
    }

    #[test]
    fn variables_are_known_by_their_names() {
        assert!(is_named_like_a_secret("OPENAI_API_KEY") && is_named_like_a_secret("gh_token"));
        assert!(!is_named_like_a_secret("PATH"));
    }
}
