//! What all frames have in common: numbers written in one way, and legends that list what is shown.

use std::{fs, path::PathBuf};

use ratatui::style::{Color, Modifier};
use trajview::{
    shell::draw::draw_picture,
    widgets::{
        display_options::{DisplayOptions, ThemeName},
        theme::Theme,
    },
};

use crate::audit_view::{Bundle, audit_screen, frame_after};

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

/// Frames drawn with box lines, bars and braille dots need no words for these.
const fn is_drawing(sign: char) -> bool {
    matches!(sign, '\u{2500}'..='\u{257f}' | '\u{2580}'..='\u{258f}' | '\u{2800}'..='\u{28ff}')
}

#[test]
fn every_sign_of_every_frame_is_explained_by_help() {
    // Keys, quotes and mathematical signs of texts are no signs of the program.
    let is_text = |sign: char| "⏎←“”‘’×≥≤".contains(sign);
    let mut missing: Vec<String> = vec![];
    for (name, text) in look_frames() {
        for sign in text.chars().filter(|it| !it.is_ascii() && !it.is_alphanumeric()) {
            let sign_text = sign.to_string();
            let is_known = is_drawing(sign)
                || is_text(sign)
                || !trajview::shell::glossary::explanations(&sign_text).is_empty();
            if !is_known && !missing.iter().any(|it| it.starts_with(sign)) {
                missing.push(format!("{sign} in {name}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}

/// The signs of lifelines with what their legend calls them.
const LIFELINES: [(&str, &str); 11] = [
    ("◆", "requested"),
    ("+", "defined"),
    ("─", "in use"),
    ("○", "no longer used"),
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

/// Returns the contrast ratio of two colours of the 256 (WCAG 2.1).
fn contrast_ratio(one: Color, other: Color) -> f64 {
    let level = |step: u8| if step == 0 { 0.0 } else { f64::from(55 + 40 * step) };
    let rgb = |colour| match colour {
        Color::Indexed(index @ 16..232) => {
            [(index - 16) / 36, (index - 16) / 6 % 6, (index - 16) % 6].map(level)
        }
        Color::Indexed(index @ 232..) => [f64::from(8 + 10 * (index - 232)); 3],
        Color::Rgb(red, green, blue) => [red, green, blue].map(f64::from),
        other => panic!("{other} is not one of the 256"),
    };
    let luminance = |colour| {
        let linear = rgb(colour).map(|level: f64| {
            let level = level / 255.0;
            if level <= 0.03928 { level / 12.92 } else { ((level + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn every_text_and_sign_of_every_view_can_be_read_in_the_light_and_in_the_dark_theme() {
    let bundle = Bundle::new();
    let mut wrong: Vec<String> = vec![];
    for theme in [ThemeName::Light, ThemeName::Dark] {
        let looks = Theme::from_options(DisplayOptions { theme, ..DisplayOptions::default() });
        let mut screen = audit_screen(&bundle, (160, 48), "ann");
        for keys in [
            "",
            "3",
            "<f1> 46G",
            "/ loss <enter>",
            "<f2>",
            "<f3>",
            "!",
            "<f8>",
            "<f9>",
            "<f7>",
            "<f6>",
            "<f1> ?",
            "<esc> : sc",
            "<esc> A",
            "<esc> : export <enter>",
        ] {
            frame_after(&mut screen, keys);
            let buffer = draw_picture(screen.app_mut(), looks);
            for cell in buffer.content() {
                let sign = cell.symbol().chars().next().unwrap_or(' ');
                // Borders and the bars of charts are not read.
                if sign == ' ' || is_drawing(sign) {
                    continue;
                }
                let least =
                    if sign.is_alphanumeric() || sign.is_ascii_punctuation() { 4.5 } else { 3.0 };
                let ratio = contrast_ratio(cell.fg, cell.bg);
                let is_dim = cell.modifier.contains(Modifier::DIM);
                if ratio < least || is_dim {
                    wrong.push(format!(
                        "{theme:?} {keys}: {sign} {} on {} has {ratio:.1}, dim: {is_dim}",
                        cell.fg, cell.bg
                    ));
                }
            }
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
