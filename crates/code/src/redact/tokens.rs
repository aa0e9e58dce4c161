//! Replacements for parts of an identity: of a run's path, its id, the id of its task. A number would be valid within
//! one run only, and two runs that differ in nothing else would become one. A token is made of the value with a key:
//! the same value has the same token wherever that key is used, other values have others, and without the key a guess
//! at the value cannot be tried.

use std::{
    fmt,
    sync::{Arc, LazyLock},
};

use regex::Regex;
use sha2::{Digest, Sha256};

use super::secret_kinds::SecretKind;

/// Bytes of a block of SHA-256.
const BLOCK: usize = 64;

/// A key that tokens are made with.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenKey([u8; 32]);

/// Gives the key where the first token is needed.
type KeySource = dyn Fn() -> TokenKey + Send + Sync;

/// The source of the key. It is used only where there is something to remove.
#[derive(Clone)]
pub struct TokenKeys(Arc<KeySource>);

impl TokenKeys {
    pub fn new(source: impl Fn() -> TokenKey + Send + Sync + 'static) -> Self {
        Self(Arc::new(source))
    }

    pub(crate) fn load_key(&self) -> TokenKey {
        (self.0)()
    }
}

// A key is never printed.
impl fmt::Debug for TokenKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenKeys")
    }
}

impl fmt::Debug for TokenKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenKey")
    }
}

impl TokenKey {
    /// Returns the key that is made of some secret bytes.
    pub fn from_secret(secret: &[u8]) -> Self {
        let mut digest = Sha256::new();
        digest.update(b"trajview redaction key\0");
        digest.update(secret);
        Self(digest.finalize().into())
    }

    /// Returns the token of a value: four hexadecimal digits that name the key, a dot, and sixteen of the value.
    pub(crate) fn token_of(&self, value: &str) -> String {
        format!(
            "{}.{}",
            hex_digits(&self.hmac_of(b"key", b"")[..2]),
            hex_digits(&self.hmac_of(b"value", value.as_bytes())[..8])
        )
    }

    /// Returns the HMAC-SHA256 (RFC 2104) of a value for a purpose.
    fn hmac_of(&self, used_for: &[u8], value: &[u8]) -> [u8; 32] {
        let padded = |pad: u8| {
            let mut block = [pad; BLOCK];
            block.iter_mut().zip(self.0).for_each(|(byte, key)| *byte ^= key);
            block
        };
        let inner = Sha256::new().chain_update(padded(0x36));
        let inner = inner.chain_update(used_for).chain_update(b"\0").chain_update(value).finalize();
        Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize().into()
    }
}

fn hex_digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A token as it is written.
pub const TOKEN: &str = "[0-9a-f]{4}\\.[0-9a-f]{16}";

/// A home folder as it is written with a token.
pub const HOME: &str = "~[0-9a-f]{4}\\.[0-9a-f]{16}";

/// Returns the replacement of a value in an identity.
pub(crate) fn replacement_text(kind: SecretKind, token: &str) -> String {
    match kind {
        SecretKind::HomeFolder => format!("~{token}"),
        kind => format!("[redacted: {} {token}]", kind.word()),
    }
}

/// Returns the part after a removed home folder of a path, with the `/` before it; None for every other path.
pub fn below_home(path: &str) -> Option<&str> {
    static BEGINNING: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(&format!("^{HOME}")).expect("a home folder is a pattern"));
    BEGINNING.find(path).map(|home| &path[home.end()..])
}

/// Returns the four digits that name the key of each token in an identity.
pub fn key_names(identity: &str) -> impl Iterator<Item = &str> {
    static WRITTEN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(&format!(r"(?:~|\[redacted: [A-Za-z -]+ )({TOKEN})"))
            .expect("a token is a pattern")
    });
    WRITTEN.captures_iter(identity).filter_map(|it| Some(&it.get(1)?.as_str()[..4]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_that_of_its_value_and_key_and_tells_which_key_it_is_of() {
        let (key, other) = (TokenKey::from_secret(b"a key"), TokenKey::from_secret(b"another key"));

        assert_eq!(
            key.token_of("/home/ann"),
            TokenKey::from_secret(b"a key").token_of("/home/ann")
        );
        assert_ne!(key.token_of("/home/ann"), key.token_of("/home/bob"));
        assert_ne!(key.token_of("/home/ann"), other.token_of("/home/ann"));
        assert_eq!(key.token_of("a")[..5], key.token_of("b")[..5]);
        let path = format!(
            "{}/x/{}",
            replacement_text(SecretKind::HomeFolder, &key.token_of("a")),
            replacement_text(SecretKind::RandomWord, &other.token_of("b"))
        );
        let names: Vec<&str> = key_names(&path).collect();
        assert_eq!(names, [&key.token_of("")[..4], &other.token_of("")[..4]]);
    }

    /// The expected value is from Python's `hmac`.
    #[test]
    fn the_code_is_hmac_with_sha_256() {
        let key = TokenKey([7; 32]);

        assert_eq!(hex_digits(&key.hmac_of(b"value", b"/home/ann")), EXPECTED);
    }

    const EXPECTED: &str = "bf91689f50f6f7f53d1684a46e608d46d6f89b652a883873c48008e2f7e72c10";

    #[test]
    fn a_key_is_not_printed() {
        assert_eq!(format!("{:?}", TokenKey([7; 32])), "TokenKey");
    }
}
