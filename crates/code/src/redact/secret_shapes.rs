//! Secrets that are known by how they look: keys of services, private keys, web tokens, headers, logins in addresses,
//! e-mail addresses, home folders.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    pattern_prefilter::PossiblePatterns,
    secret_kinds::{SecretKind, SecretMatch, compile_pattern},
};

/// A pattern; what its group `s` has is the secret, all of it where it has no such group.
type SecretShape = (SecretKind, &'static str);

const SHAPES: &[SecretShape] = &[
    (SecretKind::AwsKey, r"(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{16}"),
    (SecretKind::GithubToken, r"gh[pousr]_[A-Za-z0-9]{16,}"),
    (SecretKind::GithubToken, r"github_pat_[A-Za-z0-9_]{16,}"),
    (SecretKind::ApiKey, r"\bsk-[A-Za-z0-9_-]{12,}"),
    (SecretKind::ApiKey, r"sk-(?:ant|proj|or|svcacct|live|test)-[A-Za-z0-9_-]{8,}"),
    (SecretKind::SlackToken, r"xox[a-z]-[A-Za-z0-9-]{8,}"),
    (SecretKind::SlackToken, r"xapp-[A-Za-z0-9-]{8,}"),
    (
        SecretKind::SlackToken,
        r"hooks\.slack\.com/(?P<s>(?:services|workflows|triggers)/[A-Za-z0-9/_-]{8,})",
    ),
    (SecretKind::GoogleKey, r"AIza[A-Za-z0-9_-]{30,}"),
    (SecretKind::GoogleKey, r"ya29\.[A-Za-z0-9_-]{16,}"),
    (SecretKind::GoogleKey, r"GOCSPX-[A-Za-z0-9_-]{16,}"),
    (SecretKind::ServiceToken, r"[srp]k_(?:live|test)_[A-Za-z0-9]{8,}"),
    (SecretKind::ServiceToken, r"whsec_[A-Za-z0-9+/=]{16,}"),
    (SecretKind::ServiceToken, r"gl(?:pat|rt|dt|cbt|ptt|ft|soat|agent|imt)-[A-Za-z0-9_-]{16,}"),
    (SecretKind::ServiceToken, r"npm_[A-Za-z0-9]{20,}"),
    (SecretKind::ServiceToken, r"pypi-[A-Za-z0-9_-]{20,}"),
    (SecretKind::ServiceToken, r"\bhf_[A-Za-z0-9]{20,}"),
    (SecretKind::ServiceToken, r"\bgsk_[A-Za-z0-9]{20,}"),
    (SecretKind::ServiceToken, r"\bxai-[A-Za-z0-9]{20,}"),
    (SecretKind::ServiceToken, r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    (SecretKind::ServiceToken, r"\bdo[opr]_v1_[a-f0-9]{32,}"),
    (SecretKind::ServiceToken, r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}"),
    // Tokens that begin with the name of their service.
    (
        SecretKind::ServiceToken,
        r"\b(?:dckr_[po]at_|dop_v1_|figd_|fm[12]_|fo1_|gl(?:c|sa)_|lin_api_|lin_oauth_|nfp_|nfk_|ntn_|pplx-|pscale_(?:tkn|pw|oauth)_|pul-|rdme_|rubygems_|sbp_|sb_secret_|sgp_|sntr[yu]s_|shp(?:at|ca|pa|ss)_|sq0(?:atp|csp)-|tfp_|tskey-[a-z]+-|vc[piark]_|xkeysib-|r8_|CCIPAT_|CLOJARS_|PMAK-|NRAK-|NRJS-|HRKU-|FLWSECK_|ATATT3x|ATBB|ATCTT3x|EZAK|EZTK|bkua_|hvs\.|hvb\.|hvr\.|dp\.(?:pt|st|ct|sa)\.|dt0[a-z]01\.|oy2[a-z0-9]|ops_eyJ|sl\.[A-Z]|LTAI|dapi[0-9a-f]|GR1348941|cio[A-Z]|secret_[A-Z]|phc_|phx_|re_[A-Za-z0-9]{8}_|whsec_|rk_live_|cfut_|v1\.0-|api_org_|AKC[a-zA-Z0-9]{4}|pnu_|ico-|shippo_(?:live|test)_|duffel_(?:live|test)_|lsv2_[a-z]+_|sk_[a-f0-9]{8}|tvly-|fc-[a-f0-9]{8}|key-[a-f0-9]{8}|tk-us-|API-[A-Z0-9]{8}|1//0[a-zA-Z0-9]|xprv|AGE-PLUGIN-[A-Z]+-1|EAA[A-Z]{2,3}[A-Za-z0-9]{6})[A-Za-z0-9_=.+/-]{12,}",
    ),
    (SecretKind::PrivateKey, r"(?i)\bAGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{20,}"),
    // Addresses that allow to post in the name of an application.
    (
        SecretKind::ServiceToken,
        r"(?i)\bdiscord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/(?P<s>[0-9]{8,}/[A-Za-z0-9_-]{16,})",
    ),
    (
        SecretKind::ServiceToken,
        r"\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
    ),
    (
        SecretKind::ServiceToken,
        r"(?i)\b(?:webhook\.office\.com/webhookb2|hooks\.zapier\.com/hooks/catch|chat\.googleapis\.com/v1/spaces|maker\.ifttt\.com/trigger/[a-z0-9_-]+/with/key|hooks\.slack-gov\.com/services)/(?P<s>[A-Za-z0-9@/._?=&%-]{12,})",
    ),
    (SecretKind::Secret, r#"(?i)"auth"\s{0,4}:\s{0,4}"(?P<s>[A-Za-z0-9+/_-]{8,}={0,2})""#),
    // What is kept of a password: crypt, bcrypt, Apache's, Argon2, scrypt.
    (
        SecretKind::Password,
        r"\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|argon2(?:i|d|id)|scrypt|pbkdf2[a-z0-9-]*)\$[A-Za-z0-9./+=,$-]{12,}",
    ),
    // The value of an element, and of a setting whose name is an attribute or the element before.
    (
        SecretKind::Password,
        r"(?i)<(?:[a-z0-9]+:)?[a-z0-9_.-]*(?:password|passwd|passphrase|secret|token|api-?key|private-?key)(?:\s[^<>]*)?>\s*(?P<s>[^<>\s][^<>]{2,}?)\s*</",
    ),
    (
        SecretKind::Password,
        r#"(?i)\b(?:key|name)\s*=\s*"[a-z0-9_.:-]*(?:password|passwd|passphrase|secret|token|api-?_?key)"\s+value\s*=\s*"(?P<s>[^"<>]{3,})""#,
    ),
    (
        SecretKind::Password,
        r"(?i)<key>[a-z0-9_. -]*(?:password|passwd|passphrase|secret|token|api-?_?key)</key>\s*<string>(?P<s>[^<>]{3,})</string>",
    ),
    (SecretKind::WebToken, r"eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)*"),
    // Up to its end; without one, as far as its lines go. In a patch a line begins with a sign, in JSON it ends with \n.
    (
        SecretKind::PrivateKey,
        r#"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:[A-Za-z0-9+/=:\s,.@>|"'\\-])*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:[A-Za-z0-9+/=\s"'\\-])*)"#,
    ),
    (
        SecretKind::Header,
        r#"(?i)\b(?:proxy-)?authorization\\*["']?\s*[:=]\s*\\*["']?(?:(?:bearer|basic|token|digest|apikey|negotiate)\s+)?(?P<s>[A-Za-z0-9][A-Za-z0-9._~+/=-]{5,})"#,
    ),
    (
        SecretKind::Header,
        r"(?i)\b(?:bearer|basic)\s+(?P<s>[A-Za-z._~+/=-]*[0-9][A-Za-z0-9._~+/=-]{8,})",
    ),
    (
        SecretKind::Header,
        r#"(?i)\b(?:x-[a-z-]*(?:api-key|token|auth|secret|key)|api-key)\\*["']?\s*[:=]\s*\\*["']?(?P<s>[A-Za-z0-9][A-Za-z0-9._~+/=-]{5,})"#,
    ),
    (
        SecretKind::Header,
        r#"(?i)\b(?:set-)?cookie\\*["']?\s*:\s*\\*["']?(?P<s>[A-Za-z0-9_.-]+=[^\r\n"'\\]+)"#,
    ),
    (
        SecretKind::UrlLogin,
        r#"(?i)\b[a-z][a-z0-9+.-]{1,20}://(?P<s>[^\s/@:"'<>`]*:[^\s/@"'<>`]+)@"#,
    ),
    (SecretKind::UrlLogin, r#"(?i)\b[a-z][a-z0-9+.-]{1,20}://(?P<s>[^\s/@:"'<>`]{8,})@"#),
    (
        SecretKind::Secret,
        r"(?i)[?&](?:sig|signature|key|x-amz-signature|x-amz-credential|x-amz-security-token|code)=(?P<s>[A-Za-z0-9%._~+/=-]{8,})",
    ),
    (
        SecretKind::Email,
        r"(?P<s>[A-Za-z0-9_][A-Za-z0-9._%+-]*@[A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,})",
    ),
    (
        SecretKind::Email,
        r"(?P<s>[\p{L}\p{N}._%+-]*[\p{L}--[A-Za-z]][\p{L}\p{N}._%+-]*@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)",
    ),
    (SecretKind::HomeFolder, r##"/(?:home|Users)/+[^/\\\s"'`:;,<>|()\[\]{}*?&%$#=!~@…]+"##),
    (SecretKind::HomeFolder, r"(?i)%2F(?:home|Users)%2F[^/\\\s%&#]+"),
    (
        SecretKind::HomeFolder,
        r##"[A-Za-z]:(?:\\+|/+)(?:Users|Documents and Settings)(?:\\+|/+)[^/\\\s"'`:;,<>|()\[\]{}*?&%$#=!~@…]+"##,
    ),
    // A project's folder as some agents call it after its path.
    (SecretKind::HomeFolder, r"projects/(?P<s>-(?:home|Users)-[^-/\s]+)"),
];

static PATTERNS: LazyLock<Vec<(SecretKind, Regex)>> = LazyLock::new(|| {
    let pattern = |(kind, text): &SecretShape| (*kind, compile_pattern(text));
    SHAPES.iter().map(pattern).collect()
});

/// Returns the patterns as they are written.
pub(crate) fn shape_patterns() -> impl Iterator<Item = &'static str> {
    SHAPES.iter().map(|(_, pattern)| *pattern)
}

/// Returns everything in the text that looks like one of them.
pub(crate) fn find_shapes(text: &str, suspects: &PossiblePatterns) -> Vec<SecretMatch> {
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
        all.extend(ranges.map(|range| SecretMatch { range, kind: *kind }));
    }
    all.extend(aws_secrets(text));
    all
}

fn is_meant(kind: SecretKind, value: &str) -> bool {
    match kind {
        SecretKind::Password | SecretKind::Secret => {
            !super::assigned_secrets::is_placeholder("password", value)
        }
        // The login of every repository, and no person's.
        SecretKind::Email => !value.starts_with("git@"),
        SecretKind::Header => {
            const LONG: usize = 16;
            value.len() >= LONG || value.bytes().any(|byte| byte.is_ascii_digit())
        }
        // Words that are joined by hyphens.
        SecretKind::ApiKey => value.bytes().any(|byte| byte.is_ascii_digit()) || is_mixed(value),
        _ => true,
    }
}

fn is_mixed(text: &str) -> bool {
    let rest = text.trim_start_matches("sk-");
    rest.bytes().any(|byte| byte.is_ascii_uppercase())
        && rest.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Finds secret access keys, which have no mark: forty letters of base64 of which no two halves are alike.
fn aws_secrets(text: &str) -> impl Iterator<Item = SecretMatch> + '_ {
    const LENGTH: usize = 40;
    const LEAST_BITS: f64 = 4.25;
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'/' || byte == b'+';
    super::random_words::letter_runs(text, is_letter).filter_map(move |range| {
        let word = &text[range.clone()];
        let has = |condition: fn(&u8) -> bool| word.as_bytes().iter().any(condition);
        let is_secret = word.len() == LENGTH
            && has(u8::is_ascii_uppercase)
            && has(u8::is_ascii_lowercase)
            && has(u8::is_ascii_digit)
            && super::random_words::entropy_bits(word) >= LEAST_BITS;
        is_secret.then_some(SecretMatch { range, kind: SecretKind::AwsKey })
    })
}
