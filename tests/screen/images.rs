//! Images of a recording, shown in a box over the panels.

use std::{fs, io::Cursor, path::PathBuf, sync::LazyLock};

use base64_of::base64;
use image::{ImageFormat, Rgb, RgbImage};
use ratatui::{buffer::Buffer, layout::Size, style::Color};
use serde_json::{Value as Json, json};
use tempfile::TempDir;
use trajview::{
    runtime::{self, Options},
    session::place::Place,
    widgets::{
        export,
        looks::{Alphabet, Depth, Looks},
    },
};

mod base64_of {
    /// RFC 4648, with padding.
    pub fn base64(bytes: &[u8]) -> String {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut text = String::new();
        for three in bytes.chunks(3) {
            let bits = three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
            let bits = bits << (8 * (3 - three.len()));
            for digit in 0..4 {
                let value = bits >> (18 - 6 * digit) & 63;
                let is_there = digit <= three.len();
                text.push(if is_there { char::from(DIGITS[value as usize]) } else { '=' });
            }
        }
        text
    }
}

/// Blue with a white square, twice as wide as high.
fn picture() -> String {
    let image = RgbImage::from_fn(320, 160, |x, y| {
        Rgb(if (40..120).contains(&x) && (40..120).contains(&y) { [255; 3] } else { [0, 0, 255] })
    });
    let mut bytes = Cursor::new(vec![]);
    image.write_to(&mut bytes, ImageFormat::Png).unwrap();
    base64(bytes.get_ref())
}

/// A session that looks at two images, the second of which is cut off.
static SESSION: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let whole = picture();
    let cut = &whole[..400.min(whole.len() / 8 * 4)];
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
const LOOK: &str = "s<enter>jj<enter>";

fn frame(size: (u16, u16), keys: &str) -> Buffer {
    let size = Size { width: size.0, height: size.1 };
    let place = Place::default();
    let paths = [SESSION.1.clone()];
    runtime::headless_as(runtime::from_disk(), &paths, size, keys, place, Options::default())
        .unwrap()
}

#[test]
fn the_steps() {
    println!("{}", export::text(&frame((120, 40), "s<enter>")));
    println!("{}", export::text(&frame((120, 40), LOOK)));
    println!("{}", export::text(&frame((120, 40), &format!("{LOOK}j"))));
}
