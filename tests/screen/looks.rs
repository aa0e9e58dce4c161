//! What all frames have in common: numbers written in one way, and legends that list what is shown.

use std::{fs, path::PathBuf};

/// Every frame that is kept, by its name.
fn look_frames() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/screen/snapshots");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let frame = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        // Above the second rule stand facts about the frame.
        let text = text.splitn(3, "---\n").nth(2).unwrap_or_default().to_owned();
        (path.file_name().unwrap().to_string_lossy().into_owned(), text)
    };
    let frames: Vec<_> = files.map(frame).collect();
    assert!(frames.len() > 100, "{}", frames.len());
    frames
}

/// `9 min 24 s`, `41 k`, `0.0042 USD`: other ways to write what `run::figures` writes.
#[test]
fn no_frame_has_a_number_in_another_way_than_that_of_the_formatter() {
    let other = [r"\d min \d", r"\d h \d+ min", r"\d [kM](\s|,|$)", r"\d USD( |$)"];
    let other = other.map(|pattern| regex::Regex::new(pattern).unwrap());
    let mut wrong = vec![];
    for (name, text) in look_frames() {
        for line in text.lines().filter(|line| other.iter().any(|it| it.is_match(line))) {
            wrong.push(format!("{name}: {line}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The signs of lifelines with what their legend calls them.
const LIFELINES: [(&str, &str); 11] = [
    ("◆", "asked for"),
    ("+", "defined"),
    ("─", "in use"),
    ("○", "last use lost"),
    ("✗", "gone"),
    ("~", "changed"),
    ("↑", "more uses"),
    ("↓", "fewer uses"),
    ("»", "renamed, moved"),
    (".", "not used yet"),
    ("?", "only behind a condition"),
];

#[test]
fn a_legend_lists_no_sign_that_is_not_on_screen() {
    let mut seen = 0;
    for (name, text) in look_frames() {
        for (sign, words) in LIFELINES {
            let entry = format!("{sign} {words}   ");
            let Some(legend) = text.lines().find(|line| line.contains(&entry)) else { continue };
            let elsewhere = text.lines().filter(|line| *line != legend);
            assert!(elsewhere.into_iter().any(|line| line.contains(sign)), "{name}: {entry}");
            seen += 1;
        }
        let missing = "— not recorded";
        if text.contains(missing) {
            assert!(text.matches('—').count() > text.matches(missing).count(), "{name}");
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen}");
}
