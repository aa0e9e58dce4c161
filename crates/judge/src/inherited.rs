//! Which variables of our environment a program that we start inherits. Everything else is left out.

/// Where programs are and how to get through a network; nothing about the person. Judges and agents inherit these.
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

/// Who the person is and where their settings are. A judge inherits these too: it is the person's own program. An agent has
/// a home of its own.
pub const PERSON: [&str; 11] = [
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
