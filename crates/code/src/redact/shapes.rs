//! Secrets that are known by how they look: keys of services, private keys, web tokens, headers, logins in addresses,
//! e-mail addresses, home folders.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    kinds::{Kind, Match, compiled},
    suspects::Suspects,
};

/// A pattern; what its group `s` has is the secret, all of it where it has no such group.
type Shape = (Kind, &'static str);

const SHAPES: &[Shape] = &[
    (Kind::AwsKey, r"(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{16}"),
    (Kind::GithubToken, r"gh[pousr]_[A-Za-z0-9]{16,}"),
    (Kind::GithubToken, r"github_pat_[A-Za-z0-9_]{16,}"),
    (Kind::ApiKey, r"\bsk-[A-Za-z0-9_-]{12,}"),
    (Kind::ApiKey, r"sk-(?:ant|proj|or|svcacct|live|test)-[A-Za-z0-9_-]{8,}"),
    (Kind::SlackToken, r"xox[a-z]-[A-Za-z0-9-]{8,}"),
    (Kind::SlackToken, r"xapp-[A-Za-z0-9-]{8,}"),
    (
        Kind::SlackToken,
        r"hooks\.slack\.com/(?P<s>(?:services|workflows|triggers)/[A-Za-z0-9/_-]{8,})",
    ),
    (Kind::GoogleKey, r"AIza[A-Za-z0-9_-]{30,}"),
    (Kind::GoogleKey, r"ya29\.[A-Za-z0-9_-]{16,}"),
    (Kind::GoogleKey, r"GOCSPX-[A-Za-z0-9_-]{16,}"),
    (Kind::ServiceToken, r"[srp]k_(?:live|test)_[A-Za-z0-9]{8,}"),
    (Kind::ServiceToken, r"whsec_[A-Za-z0-9+/=]{16,}"),
    (Kind::ServiceToken, r"gl(?:pat|rt|dt|cbt|ptt|ft|soat|agent|imt)-[A-Za-z0-9_-]{16,}"),
    (Kind::ServiceToken, r"npm_[A-Za-z0-9]{20,}"),
    (Kind::ServiceToken, r"pypi-[A-Za-z0-9_-]{20,}"),
    (Kind::ServiceToken, r"\bhf_[A-Za-z0-9]{20,}"),
    (Kind::ServiceToken, r"\bgsk_[A-Za-z0-9]{20,}"),
    (Kind::ServiceToken, r"\bxai-[A-Za-z0-9]{20,}"),
    (Kind::ServiceToken, r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    (Kind::ServiceToken, r"\bdo[opr]_v1_[a-f0-9]{32,}"),
    (Kind::ServiceToken, r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}"),
    // Tokens that begin with the name of their service.
    (
        Kind::ServiceToken,
        r"\b(?:dckr_[po]at_|dop_v1_|figd_|fm[12]_|fo1_|gl(?:c|sa)_|lin_api_|lin_oauth_|nfp_|nfk_|ntn_|pplx-|pscale_(?:tkn|pw|oauth)_|pul-|rdme_|rubygems_|sbp_|sb_secret_|sgp_|sntr[yu]s_|shp(?:at|ca|pa|ss)_|sq0(?:atp|csp)-|tfp_|tskey-[a-z]+-|vc[piark]_|xkeysib-|r8_|CCIPAT_|CLOJARS_|PMAK-|NRAK-|NRJS-|HRKU-|FLWSECK_|ATATT3x|ATBB|ATCTT3x|EZAK|EZTK|bkua_|hvs\.|hvb\.|hvr\.|dp\.(?:pt|st|ct|sa)\.|dt0[a-z]01\.|oy2[a-z0-9]|ops_eyJ|sl\.[A-Z]|LTAI|dapi[0-9a-f]|GR1348941|cio[A-Z]|secret_[A-Z]|phc_|phx_|re_[A-Za-z0-9]{8}_|whsec_|rk_live_|cfut_|v1\.0-|api_org_|AKC[a-zA-Z0-9]{4}|pnu_|ico-|shippo_(?:live|test)_|duffel_(?:live|test)_|lsv2_[a-z]+_|sk_[a-f0-9]{8}|tvly-|fc-[a-f0-9]{8}|key-[a-f0-9]{8}|tk-us-|API-[A-Z0-9]{8}|1//0[a-zA-Z0-9]|xprv|AGE-PLUGIN-[A-Z]+-1|EAA[A-Z]{2,3}[A-Za-z0-9]{6})[A-Za-z0-9_=.+/-]{12,}",
    ),
    (Kind::PrivateKey, r"(?i)\bAGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{20,}"),
    // Where somebody may post in the name of an application.
    (
        Kind::ServiceToken,
        r"(?i)\bdiscord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/(?P<s>[0-9]{8,}/[A-Za-z0-9_-]{16,})",
    ),
    (Kind::ServiceToken, r"\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}"),
    (
        Kind::ServiceToken,
        r"(?i)\b(?:webhook\.office\.com/webhookb2|hooks\.zapier\.com/hooks/catch|chat\.googleapis\.com/v1/spaces|maker\.ifttt\.com/trigger/[a-z0-9_-]+/with/key|hooks\.slack-gov\.com/services)/(?P<s>[A-Za-z0-9@/._?=&%-]{12,})",
    ),
    (Kind::Secret, r#"(?i)"auth"\s{0,4}:\s{0,4}"(?P<s>[A-Za-z0-9+/_-]{8,}={0,2})""#),
    // What is kept of a password: crypt, bcrypt, Apache's, Argon2, scrypt.
    (
        Kind::Password,
        r"\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|argon2(?:i|d|id)|scrypt|pbkdf2[a-z0-9-]*)\$[A-Za-z0-9./+=,$-]{12,}",
    ),
    // The value of an element, and of a setting whose name is an attribute or the element before.
    (
        Kind::Password,
        r"(?i)<(?:[a-z0-9]+:)?[a-z0-9_.-]*(?:password|passwd|passphrase|secret|token|api-?key|private-?key)(?:\s[^<>]*)?>\s*(?P<s>[^<>\s][^<>]{2,}?)\s*</",
    ),
    (
        Kind::Password,
        r#"(?i)\b(?:key|name)\s*=\s*"[a-z0-9_.:-]*(?:password|passwd|passphrase|secret|token|api-?_?key)"\s+value\s*=\s*"(?P<s>[^"<>]{3,})""#,
    ),
    (
        Kind::Password,
        r"(?i)<key>[a-z0-9_. -]*(?:password|passwd|passphrase|secret|token|api-?_?key)</key>\s*<string>(?P<s>[^<>]{3,})</string>",
    ),
    (Kind::WebToken, r"eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)*"),
    // Up to its end; without one, as far as its lines go. In a patch a line begins with a sign, in JSON it ends with \n.
    (
        Kind::PrivateKey,
        r#"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:[A-Za-z0-9+/=:\s,.@>|"'\\-])*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:[A-Za-z0-9+/=\s"'\\-])*)"#,
    ),
    (
        Kind::Header,
        r#"(?i)\b(?:proxy-)?authorization\\*["']?\s*[:=]\s*\\*["']?(?:(?:bearer|basic|token|digest|apikey|negotiate)\s+)?(?P<s>[A-Za-z0-9][A-Za-z0-9._~+/=-]{5,})"#,
    ),
    (Kind::Header, r"(?i)\b(?:bearer|basic)\s+(?P<s>[A-Za-z._~+/=-]*[0-9][A-Za-z0-9._~+/=-]{8,})"),
    (
        Kind::Header,
        r#"(?i)\b(?:x-[a-z-]*(?:api-key|token|auth|secret|key)|api-key)\\*["']?\s*[:=]\s*\\*["']?(?P<s>[A-Za-z0-9][A-Za-z0-9._~+/=-]{5,})"#,
    ),
    (
        Kind::Header,
        r#"(?i)\b(?:set-)?cookie\\*["']?\s*:\s*\\*["']?(?P<s>[A-Za-z0-9_.-]+=[^\r\n"'\\]+)"#,
    ),
    (Kind::UrlLogin, r#"(?i)\b[a-z][a-z0-9+.-]{1,20}://(?P<s>[^\s/@:"'<>`]*:[^\s/@"'<>`]+)@"#),
    (Kind::UrlLogin, r#"(?i)\b[a-z][a-z0-9+.-]{1,20}://(?P<s>[^\s/@:"'<>`]{8,})@"#),
    (
        Kind::Secret,
        r"(?i)[?&](?:sig|signature|key|x-amz-signature|x-amz-credential|x-amz-security-token|code)=(?P<s>[A-Za-z0-9%._~+/=-]{8,})",
    ),
    (
        Kind::Email,
        r"(?P<s>[A-Za-z0-9_][A-Za-z0-9._%+-]*@[A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,})",
    ),
    (
        Kind::Email,
        r"(?P<s>[\p{L}\p{N}._%+-]*[\p{L}--[A-Za-z]][\p{L}\p{N}._%+-]*@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)",
    ),
    (Kind::HomeFolder, r##"/(?:home|Users)/+[^/\\\s"'`:;,<>|()\[\]{}*?&%$#=!~@…]+"##),
    (Kind::HomeFolder, r"(?i)%2F(?:home|Users)%2F[^/\\\s%&#]+"),
    (
        Kind::HomeFolder,
        r##"[A-Za-z]:(?:\\+|/+)(?:Users|Documents and Settings)(?:\\+|/+)[^/\\\s"'`:;,<>|()\[\]{}*?&%$#=!~@…]+"##,
    ),
    // A project's folder as some agents call it after its path.
    (Kind::HomeFolder, r"projects/(?P<s>-(?:home|Users)-[^-/\s]+)"),
];

static PATTERNS: LazyLock<Vec<(Kind, Regex)>> = LazyLock::new(|| {
    let pattern = |(kind, text): &Shape| (*kind, compiled(text));
    SHAPES.iter().map(pattern).collect()
});

/// The patterns as they are written.
pub fn patterns() -> impl Iterator<Item = &'static str> {
    SHAPES.iter().map(|(_, pattern)| *pattern)
}

/// Everything in the text that looks like one of them.
pub fn found(text: &str, suspects: &Suspects) -> Vec<Match> {
    let mut all = vec![];
    let called_for = PATTERNS.iter().enumerate().filter(|(at, _)| suspects.has_shape(*at));
    for (_, (kind, pattern)) in called_for {
        let has_group = pattern.capture_names().any(|name| name.is_some());
        let ranges: Vec<_> = match has_group {
            false => pattern.find_iter(text).map(|it| it.range()).collect(),
            true => {
                let captures = pattern.captures_iter(text);
                captures.filter_map(|it| Some(it.name("s")?.range())).collect()
            }
        };
        let ranges = ranges.into_iter().filter(|range| is_meant(*kind, &text[range.clone()]));
        all.extend(ranges.map(|range| Match { range, kind: *kind }));
    }
    all.extend(aws_secrets(text));
    all
}

fn is_meant(kind: Kind, found: &str) -> bool {
    match kind {
        Kind::Password | Kind::Secret => !super::assigned::is_placeholder("password", found),
        // The login of every repository, and no person's.
        Kind::Email => !found.starts_with("git@"),
        Kind::Header => {
            const LONG: usize = 16;
            found.len() >= LONG || found.bytes().any(|byte| byte.is_ascii_digit())
        }
        // Words that are joined by hyphens.
        Kind::ApiKey => found.bytes().any(|byte| byte.is_ascii_digit()) || is_mixed(found),
        _ => true,
    }
}

fn is_mixed(text: &str) -> bool {
    let rest = text.trim_start_matches("sk-");
    rest.bytes().any(|byte| byte.is_ascii_uppercase())
        && rest.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Secret access keys have no mark: forty letters of base64 of which no two halves are alike.
fn aws_secrets(text: &str) -> impl Iterator<Item = Match> + '_ {
    const LENGTH: usize = 40;
    const LEAST_BITS: f64 = 4.25;
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'/' || byte == b'+';
    super::random::runs(text, is_letter).filter_map(move |range| {
        let word = &text[range.clone()];
        let has = |of: fn(&u8) -> bool| word.as_bytes().iter().any(of);
        let is_secret = word.len() == LENGTH
            && has(u8::is_ascii_uppercase)
            && has(u8::is_ascii_lowercase)
            && has(u8::is_ascii_digit)
            && super::random::bits(word) >= LEAST_BITS;
        is_secret.then_some(Match { range, kind: Kind::AwsKey })
    })
}
