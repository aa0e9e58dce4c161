//! Keys that the agent gets, which are covered in everything that is recorded.
//!
//! A key is recognised by the name of its variable. In texts of others it is covered by as many stars as it has bytes, so
//! that lines and offsets stay; in our own sentences by three.

use memchr::memmem;

/// The values to hide. They cannot be printed.
#[derive(Clone, Default)]
pub struct Secrets(Vec<String>);

/// The shortest key: hiding shorter values would garble common words (characters).
const MIN_SECRET_LENGTH: usize = 8;

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} secrets", self.0.len())
    }
}

/// Returns whether a variable's name is usual for a key.
pub fn is_named_like_a_secret(variable: &str) -> bool {
    let name = variable.to_ascii_uppercase();
    let marks = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH"];
    marks.iter().any(|mark| name.contains(mark))
}

impl Secrets {
    /// Takes each value as it is, and as JSON and addresses write it.
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        let is_secret = |value: &String| value.len() >= MIN_SECRET_LENGTH;
        let values = values.into_iter().map(|value| value.trim().to_owned()).filter(is_secret);
        let mut values: Vec<String> = values.flat_map(|value| encoded_forms(&value)).collect();
        values.sort();
        values.dedup();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self(values)
    }

    /// Returns the text with every secret replaced, for a sentence or a document of ours.
    pub fn hide(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
    }

    /// Covers every secret in bytes of others; returns whether there was one.
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

    /// Returns how many bytes at the end may be the beginning of a secret.
    fn possible_prefix_length(&self, bytes: &[u8]) -> usize {
        let longest = |secret: &String| {
            let most = bytes.len().min(secret.len() - 1);
            let starts = |count: &usize| bytes.ends_with(&secret.as_bytes()[..*count]);
            (1..=most).rev().find(starts).unwrap_or(0)
        };
        self.0.iter().map(longest).max().unwrap_or(0)
    }
}

/// Returns a value, and its forms in JSON and in an address.
fn encoded_forms(value: &str) -> [String; 4] {
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

/// Covers the secrets in bytes that come piece by piece.
#[derive(Debug, Default)]
pub struct SecretCover {
    secrets: Secrets,
    pending: Vec<u8>,
}

impl SecretCover {
    pub fn new(secrets: Secrets) -> Self {
        Self { secrets, pending: vec![] }
    }

    /// Takes a piece and returns the bytes that are certain; the rest is kept until more comes.
    pub(crate) fn cover_piece(&mut self, piece: &[u8]) -> Vec<u8> {
        self.pending.extend_from_slice(piece);
        let mut bytes = std::mem::take(&mut self.pending);
        self.secrets.cover(&mut bytes);
        let keep = bytes.len() - self.secrets.possible_prefix_length(&bytes);
        self.pending = bytes.split_off(keep);
        bytes
    }

    /// Takes the bytes that are kept back, for when nothing more comes, or not soon.
    pub fn take_rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.pending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_secrets() -> Secrets {
        Secrets::new(["key-0123456789".to_owned(), "short".to_owned()])
    }

    #[test]
    fn a_secret_is_covered_byte_for_byte() {
        let mut bytes = b"a key-0123456789 short".to_vec();
        assert!(sample_secrets().cover(&mut bytes));
        assert_eq!(bytes, b"a ************** short");
        assert_eq!(sample_secrets().hide("use key-0123456789!"), "use ***!");
        assert!(!sample_secrets().cover(&mut b"nothing".to_vec()));
    }

    #[test]
    fn a_secret_that_comes_in_pieces_is_covered_too() {
        for at in 0..20 {
            let text = b"say key-0123456789.!";
            let mut cover = SecretCover::new(sample_secrets());
            let mut covered = cover.cover_piece(&text[..at]);
            covered.extend(cover.cover_piece(&text[at..]));
            covered.extend(cover.take_rest());
            assert_eq!(covered, b"say **************.!", "{at}");
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
