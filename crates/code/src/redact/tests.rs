use proptest::prelude::*;
use serde_json::json;

use super::*;

fn redact_here(text: &str) -> String {
    Redactor::new(&RedactOptions::default()).redact_text("here", text).into_owned()
}

/// Joins the parts of a key, so that no scanner takes this file for a leak.
fn joined_key(parts: &[&str]) -> String {
    parts.concat()
}

#[test]
fn well_known_keys_are_taken_out_and_what_is_around_them_stays() {
    for secret in [
        joined_key(&["AKIA", "IOSFODNN7EXAMPLE"]),
        joined_key(&["gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"]),
        joined_key(&["github", "_pat_", "11AAAAAAA0abcdefghij_KLMNOPQRST"]),
        joined_key(&["sk-", "proj-abc123DEF456ghi789JKL"]),
        joined_key(&["sk-", "ant-api03-abc123DEF456ghi789JKL-AA"]),
        joined_key(&["xox", "b-123456789012-abcdefGHIJKL"]),
        joined_key(&["AIza", "SyA1234567890abcdefghijklmnopqrstuv"]),
        joined_key(&["eyJ", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP"]),
        joined_key(&["glpat", "-abcDEF123456ghiJKL78"]),
        joined_key(&["hf", "_abcdefghijKLMNOPQRSTuvwx"]),
        joined_key(&["wJalrXUtnFEMI/K7MDENG", "/bPxRfiCYEXAMPLEKEY"]),
        "d41d8cd98f00b204e9800998ecf8427e".to_owned(),
        "aB3dE6gH9jK2mN5pQ8sT1vW4".to_owned(),
        "k3j5h2g9f8d7s6a5p4o3i2u1".to_owned(),
    ] {
        let text = format!("before {secret} after");

        let shown = redact_here(&text);

        assert!(!shown.contains(&secret), "{shown}");
        assert!(
            shown.starts_with("before [redacted: ") && shown.ends_with(" #1] after"),
            "{shown}"
        );
    }
}

#[test]
fn what_is_assigned_to_a_password_or_a_token_is_taken_out() {
    for (text, secret) in [
        ("password=hunter2", "hunter2"),
        ("export DB_PASSWORD=correcthorse", "correcthorse"),
        ("\"password\": \"correct horse\"", "correct horse"),
        (r#"{\"password\": \"hunter2!\"}"#, "hunter2!"),
        (r#"{"password": "ab\"cd"}"#, "cd"),
        (r#"{\"password\": \"abcd\", \"x\": 1}"#, "abcd"),
        ("password: swordfish", "swordfish"),
        ("password = '$tr0ng!'", "$tr0ng!"),
        ("API_KEY='abc123def'", "abc123def"),
        ("token: 9f8e7d6c", "9f8e7d6c"),
        ("mysql --password hunter22", "hunter22"),
        ("DEPLOY_KEY=abcdef123", "abcdef123"),
        ("Authorization: Bearer abc.def-123", "abc.def-123"),
        ("'Authorization': 'Basic dXNlcjpwYXNz1'", "dXNlcjpwYXNz1"),
        ("X-Api-Key: abcdef12", "abcdef12"),
        ("Cookie: session=abc; id=3", "abc; id=3"),
        ("postgres://ann:secretive@db/x", "ann:secretive"),
        ("https://0123456789abcdef@github.com/x", "0123456789abcdef"),
        ("https://x.net/a?sig=ab%2Fcd12ef&b=1", "ab%2Fcd12ef"),
    ] {
        let shown = redact_here(text);

        assert!(!shown.contains(secret) && shown.contains("[redacted: "), "{text}: {shown}");
    }
}

#[test]
fn code_that_speaks_of_passwords_and_tokens_stays() {
    for text in [
        "def login(password: str, token: Optional[str] = None) -> bool:",
        "token = self.next_token()",
        "let token = lexer.next()?;",
        "max_tokens: 4096, tokens = 12",
        "password = form.value",
        "if token == Token::Ident {",
        "password=$PASSWORD --token ${TOKEN}",
        "use scb-check 0.2.0 and sk-learn-contrib-tools",
        "git@github.com:owner/name.git",
        "the bearer of this letter, basic authentication",
        "src/metrics/quality/languages/tests.rs:12",
        "sample-runs/codex-p12/session/rollout-2026-11-21T23-22-18-01a2006a-f29d-7d63-a9a5-2723685d1219.jsonl",
        "054395ac-4290-4fcf-ab21-925712a16d08",
        "commit d41d8cd98f00b204e9800998ecf8427ed41d8cd9",
        "index 83db48f84ec878fbfb30b46d16630e944e34f205..d41d8cd98f00b204e9800998ecf8427ed41d8cd9 100644",
        "index 0000000000000000000000000000000000000000..d41d8cd98f00b204e9800998ecf8427ed41d8cd9",
        "commit d41d8cd98f00b204e9800998ecf8427ed41d8cd9...83db48f84ec878fbfb30b46d16630e944e34f205",
        "getUserById2FromDatabase and test_reads_all_12_runs_of_a_folder",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "@app.route and @types/node@18.0.0",
    ] {
        assert_eq!(redact_here(text), text);
    }
}

#[test]
fn a_private_key_goes_as_a_whole_in_a_patch_in_json_and_without_its_end() {
    let begin = joined_key(&["-----BEGIN RSA ", "PRIVATE KEY-----"]);
    let end = joined_key(&["-----END RSA ", "PRIVATE KEY-----"]);
    for text in [
        format!("a\n{begin}\nMIIEow\nabc=\n{end}\nb"),
        format!("+{begin}\n+MIIEow\n+abc=\n+{end}\n b_"),
        format!("{{\"key\": \"{begin}\\nMIIEow\\nabc=\\n{end}\\n\"}}"),
        format!("{begin}\nMIIEow\nabc="),
    ] {
        let shown = redact_here(&text);

        assert!(!shown.contains("MIIEow") && !shown.contains("abc="), "{shown}");
    }
    assert_eq!(
        redact_here(&format!("a\n{begin}\nMIIEow\n{end}\nb")),
        "a\n[redacted: private key #1]\nb"
    );
}

#[test]
fn e_mail_addresses_and_home_folders_are_taken_out() {
    assert_eq!(redact_here("Ann <ann.b@example.org>"), "Ann <[redacted: e-mail #1]>");
    assert_eq!(redact_here("jürgen@exämple.de"), "[redacted: e-mail #1]");
    assert_eq!(
        redact_here(r#"cd /home/ann/work; /Users/Ann/x; "C:\\Users\\Ann B\\x" C:\Users\ann"#),
        r#"cd ~/work; ~/x; "~ B\\x" ~"#
    );
    assert_eq!(redact_here("file:///home/ann/a.txt -I/home/ann/inc"), "file://~/a.txt -I~/inc");
    assert_eq!(redact_here("~/.claude/projects/-home-ann-work"), "~/.claude/projects/~-work");
}

#[test]
fn names_are_taken_out_as_whole_words() {
    let redactor = Redactor::new(&RedactOptions {
        names: vec!["Ann Lee".into(), "acme".into()],
        ..RedactOptions::default()
    });

    let shown = redactor.redact_text("here", "ann lee of ACME, not acmeism; acme_acme-tools");

    assert_eq!(
        shown,
        "[redacted: name #1] of [redacted: name #2], not acmeism; [redacted: name #3]_[redacted: name #3]-tools"
    );
}

#[test]
fn a_secret_has_one_number_and_is_found_without_its_context_and_cut_off() {
    let redactor = Redactor::new(&RedactOptions::default());
    redactor.learn_text("password=hunter2-and-more");

    assert_eq!(
        redactor.redact_text("a", "it is hunter2-and-more."),
        "it is [redacted: password #1]."
    );
    assert_eq!(
        redactor.redact_text("b", "it is hunter2-a…"),
        "it is [redacted: password #1]…".replace("#1", "#2")
    );
    assert_eq!(
        redactor.redact_text("c", "password=hunter2-and-more"),
        "password=[redacted: password #1]"
    );
    assert_eq!(redactor.findings().len(), 3);
    assert_eq!(redactor.findings()[0].context, "it is [redacted: password #1].");
}

#[test]
fn a_document_is_redacted_in_its_keys_and_values_and_by_its_keys() {
    let redactor = Redactor::new(&RedactOptions::default());
    let document = json!({"arguments": {"password": "swordfish", "a@b.org": ["x", {"y": "/home/ann"}], "n": 3, "token": null}});

    let shown = redactor.redact_json("here", document);

    assert_eq!(
        shown,
        json!({"arguments": {"password": "[redacted: password #3]", "[redacted: e-mail #1]": ["x", {"y": "~"}], "n": 3, "token": null}})
    );
    let places: Vec<String> = redactor.findings().into_iter().map(|it| it.place).collect();
    assert_eq!(
        places,
        [
            "here › arguments",
            "here › arguments › [redacted: e-mail #1] 2 › y",
            "here › arguments › password"
        ]
    );
}

#[test]
fn the_keys_of_a_form_stay_whatever_name_is_given() {
    let redactor =
        Redactor::new(&RedactOptions { names: vec!["turns".into()], ..RedactOptions::default() });

    assert_eq!(
        redactor.redact_json("", json!({"turns": "turns"})),
        json!({"turns": "[redacted: name #1]"})
    );
}

#[test]
fn the_recordings_own_words_stay() {
    let own_word = "d41d8cd98f00b204e9800998ecf8427ed41d8cd9".to_owned();
    let redactor = Redactor::new(&RedactOptions {
        own_words: vec![own_word.clone()],
        ..RedactOptions::default()
    });

    assert_eq!(redactor.redact_text("here", &own_word), own_word);
}

#[test]
fn the_length_of_a_secret_does_not_show() {
    assert_eq!(redact_here("password=\"abcd\"."), redact_here("password=\"abcdefghijklmnop!!\"."));
}

fn with_tokens(options: RedactOptions) -> Redactor {
    Redactor::new(&RedactOptions {
        keys: Some(TokenKeys::new(|| TokenKey::from_secret(b"a key of tests"))),
        ..options
    })
}

#[test]
fn identities_that_differ_have_other_tokens_and_the_same_have_the_same_in_every_run() {
    let (one, other) =
        (with_tokens(RedactOptions::default()), with_tokens(RedactOptions::default()));
    other.learn_text("password=hunter2-and-more, ann@b.org, /home/carl/x"); // other numbers
    let paths = [
        "/home/ann/r.jsonl",
        "/home/bob/r.jsonl",
        "ann@b.org/r.jsonl",
        "carl@b.org/r.jsonl",
        "d41d8cd98f00b204e9800998ecf8427e.jsonl",
        "e3b0c44298fc1c149afbf4c8996fb924.jsonl",
    ];

    let shown: HashSet<String> = paths.iter().map(|path| one.redact_identity("", path)).collect();

    assert_eq!(shown.len(), paths.len(), "{shown:?}");
    for path in paths {
        assert_eq!(one.redact_identity("", path), other.redact_identity("", path));
    }
    assert_eq!(one.redact_identity("", "runs/a/b.jsonl"), "runs/a/b.jsonl");
    assert_eq!(below_home(&one.redact_identity("", "/home/ann/r.jsonl")), Some("/r.jsonl"));
}

#[test]
fn what_looks_like_a_token_in_a_path_is_not_taken_for_one() {
    let redactor = with_tokens(RedactOptions::default());

    let shown = redactor.redact_identity("", "/home/ann/r.jsonl");

    assert_ne!(redactor.redact_identity("", &shown), shown);
}

#[test]
fn a_commit_in_a_path_gets_a_token_and_stays_in_the_texts_of_its_run() {
    let own_word = "d41d8cd98f00b204e9800998ecf8427ed41d8cd9".to_owned();
    let redactor = with_tokens(RedactOptions {
        own_words: vec![own_word.clone()],
        ..RedactOptions::default()
    });

    let row = redactor
        .redact_json("", json!({"source_uri": format!("{own_word}/r.jsonl"), "commit": own_word}));

    assert_eq!(row["commit"], json!(own_word));
    assert!(row["source_uri"].as_str().unwrap().starts_with("[redacted: random word "), "{row}");
}

fn hostile_text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        any::<String>(),
        "[a-zA-Z0-9+/=_-]{0,60}",
        Just("password=".to_owned()),
        Just("[redacted: e-mail #1]".to_owned()),
        Just("[redacted: ".to_owned()),
        Just(" #1]".to_owned()),
        Just("/home/".to_owned()),
        Just("~".to_owned()),
        Just("@x.org".to_owned()),
        Just(["-----BEGIN ", "PRIVATE KEY-----"].concat()),
        Just("sk-".to_owned()),
        Just("…".to_owned()),
        Just("\"".to_owned()),
        Just("://".to_owned()),
    ];
    proptest::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn whatever_two_identities_are_they_stay_apart(one in hostile_text(), other in hostile_text()) {
        let redactor = with_tokens(RedactOptions::default());

        let (shown, also) = (redactor.redact_identity("", &one), redactor.redact_identity("", &other));

        prop_assert_eq!(shown == also, one == other, "{} {}", one, other);
    }

    #[test]
    fn whatever_the_text_redaction_returns_and_redacting_it_again_changes_nothing(text in hostile_text()) {
        let redactor = Redactor::new(&RedactOptions::default());

        let once = redactor.redact_text("here", &text).into_owned();
        let again = redactor.redact_text("here", &once).into_owned();

        prop_assert_eq!(&again, &once);
        prop_assert_eq!(redact_here(&once), once);
    }

    #[test]
    fn whatever_stands_around_a_key_it_is_taken_out(before in hostile_text(), after in hostile_text()) {
        let secret = joined_key(&["gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"]);

        let shown = redact_here(&format!("{before}{secret}{after}"));

        prop_assert!(!shown.contains(&secret));
    }
}
