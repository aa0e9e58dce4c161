//! Images of a recording, shown in a box over the panels.

use std::{fs, io::Cursor, path::PathBuf, sync::LazyLock};

use image::{ImageFormat, Rgb, RgbImage};
use ratatui::{buffer::Buffer, layout::Size, style::Color};
use serde_json::{Value as Json, json};
use tempfile::TempDir;
use trajview::{
    code::base64,
    runtime::{self, ScreenOptions},
    session::start_place::StartPlace,
    widgets::export,
};

/// Blue with a white square, twice as wide as high.
fn png_picture() -> String {
    let image = RgbImage::from_fn(320, 160, |x, y| {
        Rgb(if (40..120).contains(&x) && (40..120).contains(&y) { [255; 3] } else { [0, 0, 255] })
    });
    let mut bytes = Cursor::new(vec![]);
    image.write_to(&mut bytes, ImageFormat::Png).unwrap();
    base64::encode_base64(bytes.get_ref())
}

/// A session that looks at two images, the second of which is cut off.
static SESSION: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let whole = png_picture();
    let cut = &whole[..400];
    let image = |data: &str| json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}});
    let record = |kind: &str, uuid: usize, content: Json, message: Json| {
        let mut message = message;
        message["role"] = json!(kind);
        message["content"] = content;
        json!({
            "type": kind, "uuid": format!("u{uuid}"), "parentUuid": (uuid > 0).then(|| format!("u{}", uuid - 1)),
            "sessionId": "look", "timestamp": format!("2026-11-26T10:00:0{uuid}.000Z"), "version": "2.1.0",
            "cwd": "/w", "isSidechain": false, "userType": "external", "message": message,
        })
        .to_string()
    };
    let call = json!([{"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/w/plot.png"}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": "t1", "content": [image(&whole), image(cut)]}]);
    let lines = [
        record("user", 0, json!("Look at the plot"), json!({})),
        record("assistant", 1, call, json!({"id": "m1", "model": "claude-sonnet-4-5"})),
        record("user", 2, result, json!({})),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("look.jsonl");
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    (folder, path)
});

/// To the line of the first image, and enter.
const LOOK: &str = "s<enter>jj<enter>jjjjjj<enter>";
const LOOK_AT_SECOND: &str = "s<enter>jj<enter>jjjjjjj<enter>";

fn draw_frame(size: (u16, u16), keys: &str) -> Buffer {
    let size = Size { width: size.0, height: size.1 };
    let place = StartPlace::default();
    let paths = [SESSION.1.clone()];
    runtime::headless_frame_as(
        runtime::RunOpener::Disk,
        &paths,
        size,
        keys,
        place,
        ScreenOptions::default(),
    )
    .unwrap()
}

/// The colours of the upper and lower pixel of a cell.
fn cell_pixels(seen: &Buffer, x: u16, y: u16) -> (Color, Color) {
    (seen[(x, y)].fg, seen[(x, y)].bg)
}

#[test]
fn an_image_fills_a_box_in_its_own_proportions() {
    for (name, size) in [("120x40", (120, 40)), ("80x24", (80, 24))] {
        let seen = draw_frame(size, LOOK);
        insta::assert_snapshot!(format!("image_{name}"), export::frame_text(&seen));
        // Without a word of COLORTERM there are the 256 colours: blue and white.
        let (blue, white) = (Color::Indexed(21), Color::Indexed(231));
        let (x, y) = (size.0 / 2 + 20, (size.1 - 1) / 2);
        assert_eq!(cell_pixels(&seen, x, y), (blue, blue));
        assert_eq!(cell_pixels(&seen, size.0 / 4, y), (white, white));
    }
}

#[test]
fn the_next_image_is_a_key_away_and_what_is_damaged_says_so() {
    let second = export::frame_text(&draw_frame((80, 24), &format!("{LOOK}j")));
    assert!(second.contains("image 2 of 2"), "{second}");
    assert!(second.contains("the image cannot be read: "), "{second}");
    assert!(second.contains("o opens it outside"), "{second}");
    // The line of the second image shows that one first.
    assert!(export::frame_text(&draw_frame((80, 24), LOOK_AT_SECOND)).contains("image 2 of 2"));
    let back = export::frame_text(&draw_frame((80, 24), &format!("{LOOK}jk")));
    assert!(back.contains("image 1 of 2") && back.contains('▀'), "{back}");
    let closed = export::frame_text(&draw_frame((80, 24), &format!("{LOOK}q")));
    assert!(!closed.contains('▀') && closed.contains("[image: image/png, 320×160"), "{closed}");
}
