//! Finds passwords in command lines: `curl -u name:password`, `mysql -ppassword`, `sshpass -p password` and their like.
//! A table lists the secret arguments of each program; the arguments are split as a shell does.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{
    assigned_secrets,
    secret_kinds::{SecretKind, SecretMatch, compile_pattern},
};

/// The place of the secret.
#[derive(Clone, Copy)]
enum SecretArgument {
    /// The argument after this one.
    Next(&'static str),
    /// The rest of an argument that begins so.
    Attached(&'static str),
    /// The part after the sign in the argument after this one.
    NextBehind(&'static str, char),
    /// The part after the sign in the rest of this argument.
    AttachedBehind(&'static str, char),
    /// The argument of this number from 1, of those that are no options.
    Place(usize),
    /// The last argument that is no option.
    Last,
}

use SecretArgument::{Attached, AttachedBehind, Last, Next, NextBehind, Place};

/// Programs, a word that must be among their arguments (empty: none), and where the secret is.
type CommandRow = (&'static [&'static str], &'static str, &'static [SecretArgument]);

const ROWS: &[CommandRow] = &[
    (
        &["curl", "http", "https", "xh", "siege"],
        "",
        &[
            NextBehind("-u", ':'),
            NextBehind("-U", ':'),
            NextBehind("-a", ':'),
            NextBehind("--user", ':'),
            NextBehind("--auth", ':'),
            NextBehind("--proxy-user", ':'),
            AttachedBehind("-u", ':'),
            AttachedBehind("-U", ':'),
            AttachedBehind("--user=", ':'),
            AttachedBehind("--proxy-user=", ':'),
            AttachedBehind("--auth=", ':'),
            Next("--oauth2-bearer"),
            Next("--pass"),
        ],
    ),
    (&["ab"], "", &[NextBehind("-A", ':'), NextBehind("-P", ':')]),
    (&["lftp", "ncftp"], "", &[NextBehind("-u", ',')]),
    (&["ncftpput", "ncftpget"], "", &[Next("-p")]),
    (
        &[
            "mysql",
            "mysqldump",
            "mysqladmin",
            "mysqlimport",
            "mysqlshow",
            "mysqlcheck",
            "mysqlsh",
            "mysqlbinlog",
            "mysqlpump",
            "mysqlslap",
            "mariadb",
            "mariadb-dump",
            "mariadb-admin",
            "mydumper",
            "xtrabackup",
            "mycli",
        ],
        "",
        &[Attached("-p")],
    ),
    (&["sshpass"], "", &[Next("-p"), Attached("-p")]),
    (
        &[
            "docker", "podman", "nerdctl", "helm", "oras", "skopeo", "buildah", "crane", "az",
            "oc", "cf", "argocd", "snyk", "npm", "jf", "jfrog", "nexus", "rancher", "faas-cli",
            "fly", "doctl", "ibmcloud", "gh", "glab", "vault",
        ],
        "login",
        &[Next("-p"), Attached("-p="), Next("--token"), Next("-t"), NextBehind("--creds", ':')],
    ),
    (&["vault"], "login", &[Last]),
    (
        &["skopeo", "podman", "buildah"],
        "",
        &[
            NextBehind("--creds", ':'),
            NextBehind("--src-creds", ':'),
            NextBehind("--dest-creds", ':'),
            AttachedBehind("--creds=", ':'),
        ],
    ),
    (&["redis-cli", "valkey-cli", "keydb-cli"], "", &[Next("-a"), Next("--pass")]),
    (&["redis-cli", "valkey-cli"], "requirepass", &[Last]),
    (
        &["openssl"],
        "",
        &[Attached("pass:"), Next("-k"), Next("-K"), AttachedBehind("-passin=", ':')],
    ),
    (
        &[
            "mongo",
            "mongosh",
            "mongodump",
            "mongorestore",
            "mongoimport",
            "mongoexport",
            "mongostat",
        ],
        "",
        &[Next("-p"), Attached("-p")],
    ),
    (&["sqlcmd", "bcp", "isql", "tsql", "mssql-cli", "osql"], "", &[Next("-P"), Attached("-P")]),
    (&["sqlplus", "impdp", "expdp", "sqlldr", "rman"], "", &[AttachedBehind("", '/')]),
    (
        &["cqlsh", "clickhouse-client", "nodetool", "cypher-shell", "arangosh", "influx"],
        "",
        &[Next("-p"), Next("-pw"), Next("-password")],
    ),
    (
        &["ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldappasswd", "ldapwhoami"],
        "",
        &[Next("-w"), Next("-s"), Attached("-w")],
    ),
    (
        &["smbclient", "rpcclient", "smbget", "net"],
        "",
        &[
            NextBehind("-U", '%'),
            NextBehind("--user", '%'),
            AttachedBehind("--user=", '%'),
            AttachedBehind("-U", '%'),
        ],
    ),
    (
        &["keytool", "jarsigner", "apksigner"],
        "",
        &[
            Next("-storepass"),
            Next("-keypass"),
            Next("-srcstorepass"),
            Next("-deststorepass"),
            Attached("pass:"),
        ],
    ),
    (&["ssh-keygen", "puttygen"], "", &[Next("-N"), Next("-P")]),
    (&["plink", "pscp", "psftp", "putty"], "", &[Next("-pw")]),
    (
        &[
            "psexec",
            "winrs",
            "wmic",
            "evil-winrm",
            "crackmapexec",
            "netexec",
            "nxc",
            "hydra",
            "rdesktop",
            "kinit",
        ],
        "",
        &[Next("-p"), Attached("-p:"), Attached("/password:")],
    ),
    (&["xfreerdp", "xfreerdp3", "wlfreerdp"], "", &[Attached("/p:")]),
    (&["cmdkey"], "", &[Attached("/pass:")]),
    (&["zip", "unzip"], "", &[Next("-P"), Attached("-P")]),
    (&["7z", "7za", "7zz", "unrar", "rar"], "", &[Attached("-p"), Attached("-hp")]),
    (&["qpdf", "pdftk"], "", &[Next("user_pw"), Next("owner_pw"), Next("input_pw")]),
    (&["gpg", "gpg2", "restic", "borg", "duplicity"], "", &[Next("--passphrase")]),
    (&["twine"], "upload", &[Next("-p")]),
    (&["snmpwalk", "snmpget", "snmpset"], "", &[Next("-A"), Next("-X")]),
    (&["swaks"], "", &[Next("-ap"), Next("--auth-password")]),
    (&["ipmitool"], "", &[Next("-P")]),
    (&["rabbitmqctl"], "add_user", &[Place(3)]),
    (&["rabbitmqctl"], "change_password", &[Place(3)]),
    (&["wpa_passphrase"], "", &[Place(2)]),
    (&["nmcli"], "", &[Next("password")]),
    (&["useradd", "usermod"], "", &[Next("-p")]),
    (&["openssl"], "passwd", &[Last]),
    (&["mkpasswd"], "", &[Place(1), Place(2)]),
    (&["caddy"], "hash-password", &[Next("--plaintext"), Next("-p")]),
    (
        &["kubectl"],
        "",
        &[NextBehind("--from-literal", '='), AttachedBehind("--from-literal=", '=')],
    ),
];

/// Options of every program of the table.
const OF_ALL: &[SecretArgument] =
    &[Next("--password"), Attached("--password="), Next("--passphrase"), Attached("--passphrase=")];

/// The names of programs as they are written before their arguments. `net` has a rule of its own too.
static PROGRAM: LazyLock<Regex> = LazyLock::new(|| {
    let mut names: Vec<&str> = ROWS.iter().flat_map(|(names, ..)| names.iter().copied()).collect();
    names.extend(["htpasswd", "chpasswd", "sudo", "passwd"]);
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    names.dedup();
    let pattern = format!(r"\b(?P<name>{})(?:\.exe)?(?:[ \t]|(?m:$))", names.join("|"));
    compile_pattern(&pattern)
});

/// An argument: where it lies without its quotes, and whether it has some.
#[derive(Debug, Clone)]
struct ShellArgument {
    range: Range<usize>,
    is_quoted: bool,
}

pub(crate) fn find_in_commands(text: &str) -> Vec<SecretMatch> {
    let mut all = vec![];
    for program in PROGRAM.captures_iter(text).filter_map(|it| it.name("name")) {
        if !begins_word(text, program.start()) {
            continue;
        }
        let (name, end) = (program.as_str(), program.end());
        let arguments = shell_arguments(text, end);
        let secrets = match name {
            "htpasswd" => htpasswd_secrets(text, &arguments),
            "chpasswd" | "passwd" | "sudo" => before_pipe(text, program.start(), name, &arguments),
            _ => secrets_by_rows(text, name, &arguments),
        };
        let windows = (name == "net").then(|| net_secret(text, &arguments)).flatten();
        let is_secret = |range: &Range<usize>| is_secret(&text[range.clone()]);
        let secrets = secrets.into_iter().chain(windows).filter(is_secret);
        all.extend(secrets.map(|range| SecretMatch { range, kind: SecretKind::Password }));
    }
    all
}

/// Returns whether the name of a program may begin at a byte: `mysql` in `my-mysql` or `lib.mysql` is none; in
/// `/usr/bin/mysql` it is.
fn begins_word(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    !before.is_some_and(|c| matches!(c, '-' | '.' | '_' | '@' | ':') || c.is_alphanumeric())
}

/// Returns the arguments that a shell would give the program, up to the end of the command.
fn shell_arguments(text: &str, from: usize) -> Vec<ShellArgument> {
    const MOST: usize = 64;
    let bytes = text.as_bytes();
    let (mut all, mut at) = (vec![], from);
    while at < bytes.len() && all.len() < MOST {
        match bytes[at] {
            b' ' | b'\t' => at += 1,
            b'\\' if matches!(bytes.get(at + 1), Some(b'\n')) => at += 2,
            b'\\' if bytes[at + 1..].starts_with(b"\r\n") => at += 3,
            b'\n' | b'\r' | b'|' | b';' | b'&' | b'>' | b'<' | b')' | b'`' => break,
            _ => {
                let (argument, end) = next_argument(text, at);
                all.push(argument);
                at = end;
            }
        }
    }
    all
}

/// Returns one argument and its end. Quotes may begin within it, as in `-p'a b'`: then it begins with the text before
/// them.
fn next_argument(text: &str, from: usize) -> (ShellArgument, usize) {
    let bytes = text.as_bytes();
    let mut at = from;
    let mut quote = None;
    while at < bytes.len() {
        match (quote, bytes[at]) {
            (Some(open), byte) if byte == open => {
                quote = None;
                let is_whole = bytes[from] == open
                    && bytes.get(at + 1).is_none_or(|it| b" \t\n\r|;&)".contains(it));
                if is_whole {
                    return (ShellArgument { range: from + 1..at, is_quoted: true }, at + 1);
                }
            }
            (Some(_), b'\n') => break, // what opened was no quote
            (Some(_), _) => {}
            (None, byte @ (b'\'' | b'"')) => quote = Some(byte),
            (None, b'`') => break,
            (None, b' ' | b'\t' | b'\n' | b'\r' | b'|' | b';' | b'&' | b'>' | b'<') => break,
            (None, _) => {}
        }
        at += 1;
    }
    let end = at.max(from + 1).min(text.len());
    let end = (end..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    (ShellArgument { range: from..end, is_quoted: false }, end)
}

fn secrets_by_rows(text: &str, name: &str, arguments: &[ShellArgument]) -> Vec<Range<usize>> {
    let rows = ROWS.iter().filter(|(names, word, _)| {
        let has_word = || arguments.iter().any(|it| &text[it.range.clone()] == *word);
        names.contains(&name) && (word.is_empty() || has_word())
    });
    let places =
        rows.flat_map(|(_, _, places)| places.iter().copied()).chain(OF_ALL.iter().copied());
    places.flat_map(|place| secrets_at(text, place, arguments)).collect()
}

fn secrets_at(text: &str, place: SecretArgument, arguments: &[ShellArgument]) -> Vec<Range<usize>> {
    let argument_text = |argument: &ShellArgument| &text[argument.range.clone()];
    let after = |option: &str| {
        let pairs = arguments
            .windows(2)
            .filter(|two| argument_text(&two[0]) == option && !two[0].is_quoted);
        pairs.map(|two| two[1].range.clone()).collect::<Vec<_>>()
    };
    let rest_of = |beginning: &str| {
        let begins = |it: &&ShellArgument| {
            argument_text(it).starts_with(beginning) && argument_text(it) != beginning
        };
        let attached = arguments.iter().filter(begins);
        attached
            .map(|it| without_quotes(text, it.range.start + beginning.len()..it.range.end))
            .collect::<Vec<_>>()
    };
    let behind = |range: Range<usize>, sign: char| {
        let (name, secret) = text[range.clone()].split_once(sign)?;
        let is_login =
            !name.is_empty() && !name.contains(['/', ' ', '\\']) && !secret.starts_with("//");
        is_login.then(|| range.end - secret.len()..range.end)
    };
    let free = || {
        let is_free = |it: &&ShellArgument| it.is_quoted || !argument_text(it).starts_with('-');
        arguments.iter().filter(is_free).map(|it| it.range.clone()).collect::<Vec<_>>()
    };
    match place {
        Next(option) => {
            after(option).into_iter().filter(|it| !text[it.clone()].starts_with('-')).collect()
        }
        Attached(beginning) => rest_of(beginning),
        NextBehind(option, sign) => {
            after(option).into_iter().filter_map(|it| behind(it, sign)).collect()
        }
        AttachedBehind("", sign) => free()
            .into_iter()
            .filter_map(|it| behind(it, sign))
            .map(|it| up_to_host(text, it))
            .collect(),
        AttachedBehind(beginning, sign) => {
            rest_of(beginning).into_iter().filter_map(|it| behind(it, sign)).collect()
        }
        Place(number) => free().into_iter().nth(number - 1).into_iter().collect(),
        Last => free().into_iter().skip(1).last().into_iter().collect(),
    }
}

/// Returns the range of `name/password` within that of `name/password@host`.
fn up_to_host(text: &str, range: Range<usize>) -> Range<usize> {
    let length = text[range.clone()].rfind('@').unwrap_or(range.len());
    range.start..range.start + length
}

/// Returns the range without the quotes around it.
fn without_quotes(text: &str, range: Range<usize>) -> Range<usize> {
    let quoted = &text[range.clone()];
    let quotes = quoted.len() >= 2
        && ['\'', '"'].iter().any(|it| quoted.starts_with(*it) && quoted.ends_with(*it));
    if quotes { range.start + 1..range.end - 1 } else { range }
}

/// Returns the passwords in `htpasswd -b file name password` and `htpasswd -nb name password`.
fn htpasswd_secrets(text: &str, arguments: &[ShellArgument]) -> Vec<Range<usize>> {
    let options =
        || arguments.iter().map(|it| &text[it.range.clone()]).filter(|it| it.starts_with('-'));
    if !options().any(|it| it.contains('b') && !it.starts_with("--")) {
        return vec![];
    }
    let place = if options().any(|it| it.contains('n')) { 2 } else { 3 };
    // The cost of bcrypt and the rounds of SHA are values of options.
    let has_value =
        |at: usize| at > 0 && ["-C", "-r"].contains(&&text[arguments[at - 1].range.clone()]);
    let free = arguments
        .iter()
        .enumerate()
        .filter(|(at, it)| !text[it.range.clone()].starts_with('-') && !has_value(*at));
    free.map(|(_, it)| it.range.clone()).nth(place - 1).into_iter().collect()
}

/// Returns the password in `net use X: \\server\share password /user:name` or `net user name password /add`.
fn net_secret(text: &str, arguments: &[ShellArgument]) -> Option<Range<usize>> {
    let lower_text = |it: &ShellArgument| text[it.range.clone()].to_ascii_lowercase();
    let what = arguments.first().map(lower_text)?;
    let is_option = |it: &&ShellArgument| lower_text(it).starts_with('/');
    match what.as_str() {
        "use"
            if arguments.iter().any(|it| {
                lower_text(it).starts_with("/user:") || lower_text(it).starts_with("/u:")
            }) =>
        {
            let is_secret = |it: &&ShellArgument| {
                let word = lower_text(it);
                !is_option(it) && !word.starts_with('\\') && !word.ends_with(':') && word != "*"
            };
            arguments[1..].iter().rfind(is_secret).map(|it| it.range.clone())
        }
        "user" => {
            arguments[1..].iter().filter(|it| !is_option(it)).nth(1).map(|it| it.range.clone())
        }
        _ => None,
    }
}

/// Returns the passwords in `echo name:password | chpasswd`, `echo password | sudo -S` and `echo password | passwd
/// --stdin name`.
fn before_pipe(
    text: &str,
    program: usize,
    name: &str,
    arguments: &[ShellArgument],
) -> Vec<Range<usize>> {
    let has = |word: &str| arguments.iter().any(|it| &text[it.range.clone()] == word);
    let line = text[..program].rfind('\n').map_or(0, |at| at + 1);
    let before = text[line..program].trim_end();
    // `echo name:password | sudo chpasswd` too.
    let is_asked = match name {
        "sudo" => has("-S") || has("chpasswd") || has("passwd"),
        "passwd" => !before.is_empty(),
        _ => true,
    };
    let Some(before) = before.strip_suffix('|').filter(|_| is_asked) else { return vec![] };
    let Some(echo) =
        ["echo ", "printf "].iter().filter_map(|word| Some(before.rfind(word)? + word.len())).max()
    else {
        return vec![];
    };
    let echoed = arguments_of_echo(text, line + echo);
    let of_login = |range: Range<usize>| match (name, text[range.clone()].split_once(':')) {
        ("chpasswd" | "sudo", Some((_, secret))) => range.end - secret.len()..range.end,
        _ => range,
    };
    echoed.into_iter().map(|it| of_login(it.range)).collect()
}

fn arguments_of_echo(text: &str, from: usize) -> Vec<ShellArgument> {
    let all = shell_arguments(text, from);
    all.into_iter().filter(|it| !text[it.range.clone()].starts_with('-')).collect()
}

/// Returns whether the value is neither a variable nor a placeholder.
fn is_secret(value: &str) -> bool {
    const SHORTEST: usize = 3;
    value.len() >= SHORTEST && !assigned_secrets::is_placeholder("password", value)
}
