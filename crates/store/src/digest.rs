//! Digests by which texts and files are known.

use sha2::{Digest, Sha256};

/// Hex digits of the SHA-256, in lower case.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
