//! What `trajview --version` prints: the version, and below it the features that the program was built with.

use std::sync::LazyLock;

/// Every feature of Cargo.toml, and whether the program has it.
const FEATURES: [(&str, bool); 13] = [
    ("c", cfg!(feature = "c")),
    ("cpp", cfg!(feature = "cpp")),
    ("go", cfg!(feature = "go")),
    ("haskell", cfg!(feature = "haskell")),
    ("java", cfg!(feature = "java")),
    ("javascript", cfg!(feature = "javascript")),
    ("judge", cfg!(feature = "judge")),
    ("parquet", cfg!(feature = "parquet")),
    ("remote", cfg!(feature = "remote")),
    ("rust", cfg!(feature = "rust")),
    ("sql", cfg!(feature = "sql")),
    ("typescript", cfg!(feature = "typescript")),
    ("zig", cfg!(feature = "zig")),
];

static VERSION_TEXT: LazyLock<String> = LazyLock::new(|| {
    let names: Vec<&str> = FEATURES.iter().filter(|(_, has)| *has).map(|(name, _)| *name).collect();
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    format!("{}\nfeatures: {names}", env!("CARGO_PKG_VERSION"))
});

/// Returns the version with the features in a second line.
pub(super) fn version_text() -> &'static str {
    &VERSION_TEXT
}
