//! Digests that identify texts and files.

use sha2::{Digest, Sha256};

/// Returns the hex digits of the SHA-256, in lower case.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
