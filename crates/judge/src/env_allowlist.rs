//! The variables of our environment that a started program inherits. All others are left out.

/// Variables for the paths of programs and for the network; nothing about the person. Judges and agents inherit these.
pub const NETWORK: [&str; 11] = [
    "PATH",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SYSTEMROOT",
];

/// Variables about the person and the places of their settings. A judge inherits these too: it is the person's own
/// program. An agent has a home of its own.
pub(crate) const PERSON: [&str; 11] = [
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TMPDIR",
    "LANG",
    "LC_ALL",
    "TZ",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
];
