//! Images in recordings: how they are named among the words of a step, and what their bytes are.
//!
//! Every tool writes an image as base64, as a value of its own beside its media type (Claude Code, MCP, Gemini) or within a URL
//! (`data:image/png;base64,…`: Codex and whoever speaks as OpenAI does). [`in_record`] finds both wherever they stand in a
//! record. To name an image only its beginning is decoded, which says how large it is; [`raster`] decodes it whole.

pub mod raster;

use serde_json::Value as Json;

/// An image of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// As recorded, such as `image/png`; of somebody else's making.
    pub media_type: String,
    pub bytes: Vec<u8>,
}

/// Columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pixels {
    pub width: u32,
    pub height: u32,
}

/// Base64 digits of an image's beginning, in which its size is looked for: that of a JPEG may stand behind a preview.
const HEAD: usize = 1 << 17;

/// `image/png, 640×480, 12345 bytes`: what stands for an image of which there is the base64; the size where it says so.
pub fn said(media_type: &str, base64: &str) -> String {
    let head = base64.get(..HEAD.min(base64.len())).unwrap_or(base64);
    let pixels = decoded(head).and_then(|head| pixels_of(&head));
    let pixels = pixels.map(|it| format!(", {}×{}", it.width, it.height)).unwrap_or_default();
    format!("{media_type}{pixels}, {} bytes", len_of(base64))
}

/// The media type and the base64 of `data:image/png;base64,…`; None for another URL.
pub fn of_url(url: &str) -> Option<(&str, &str)> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    let media_type = head.strip_suffix(";base64")?;
    let media_type = media_type.split(';').next().unwrap_or(media_type);
    is_image(media_type).then_some((media_type, data))
}

/// The images of a record, in order. What is no base64 is left out.
pub fn in_record(record: &[u8]) -> Vec<Picture> {
    let mut found = vec![];
    // Parsed only where there may be one.
    if memchr::memmem::find(record, b"image").is_some()
        && let Ok(record) = serde_json::from_slice(record)
    {
        look(&record, &mut found);
    }
    found
}

/// How values of a record are called that hold an image's base64, and those that say its kind beside them.
const DATA: [&str; 2] = ["data", "result"];
const KINDS: [&str; 4] = ["media_type", "mediaType", "mimeType", "mime_type"];

/// What the kind of a record holds whose image was made by a model.
const MADE: [&str; 2] = ["image_generation", "imagegeneration"];

fn look(value: &Json, found: &mut Vec<Picture>) {
    match value {
        Json::String(text) => {
            if let Some((media_type, data)) = of_url(text) {
                take(media_type, data, found);
            }
        }
        Json::Array(values) => values.iter().for_each(|value| look(value, found)),
        Json::Object(fields) => {
            let text = |key: &&str| fields.get(*key).and_then(Json::as_str);
            let is_made = text(&"type").is_some_and(|kind| MADE.iter().any(|it| kind.contains(it)));
            let kind = KINDS.iter().find_map(text).filter(|kind| is_image(kind));
            let kind = kind.or(is_made.then_some("image/png"));
            let data = DATA.iter().find_map(text).filter(|data| of_url(data).is_none());
            if let (Some(media_type), Some(data)) = (kind, data) {
                take(media_type, data, found);
            }
            fields.values().for_each(|value| look(value, found));
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

fn take(media_type: &str, data: &str, found: &mut Vec<Picture>) {
    if let Some(bytes) = decoded(data).filter(|bytes| !bytes.is_empty()) {
        let picture = Picture { media_type: media_type.to_owned(), bytes };
        // Records say some things twice.
        if !found.contains(&picture) {
            found.push(picture);
        }
    }
}

fn is_image(media_type: &str) -> bool {
    media_type.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("image/"))
}

/// How many bytes so much base64 stands for.
fn len_of(base64: &str) -> usize {
    let digits = base64.trim_end_matches('=').len();
    digits / 4 * 3 + (digits % 4).saturating_sub(1)
}

/// RFC 4648, the alphabet of files and that of URLs, white space passed over; None where something else is in it. A last
/// digit alone says nothing.
fn decoded(base64: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(len_of(base64));
    let (mut bits, mut count) = (0_u32, 0);
    for digit in base64.trim_end().trim_end_matches('=').bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'\n' | b'\r' | b' ' => continue,
            _ => return None,
        };
        (bits, count) = (bits << 6 | u32::from(value), count + 1);
        if count == 4 {
            bytes.extend(&bits.to_be_bytes()[1..]);
            (bits, count) = (0, 0);
        }
    }
    match count {
        2 => bytes.push((bits >> 4) as u8),
        3 => bytes.extend(&((bits >> 2) as u16).to_be_bytes()),
        _ => {}
    }
    Some(bytes)
}

/// How the file of an image is called at its end, by the first bytes; None for what is none of these.
pub fn extension_of(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("png"),
        [0xff, 0xd8, 0xff, ..] => Some("jpg"),
        [b'G', b'I', b'F', b'8', ..] => Some("gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("webp"),
        _ => None,
    }
}

/// How large an image is, as its beginning says; of a PNG, JPEG, GIF or WebP.
pub fn pixels_of(head: &[u8]) -> Option<Pixels> {
    let at = |start: usize| head.get(start..).and_then(|rest| rest.first_chunk::<2>()).copied();
    let little = |start| at(start).map(|pair| u32::from(u16::from_le_bytes(pair)));
    let big = |start: usize| {
        head.get(start..).and_then(|rest| rest.first_chunk::<4>()).map(|it| u32::from_be_bytes(*it))
    };
    let three = |start: usize| Some(little(start)? | u32::from(*head.get(start + 2)?) << 16);
    let (width, height) = match head {
        [0x89, b'P', b'N', b'G', ..] => (big(16)?, big(20)?),
        [b'G', b'I', b'F', b'8', ..] => (little(6)?, little(8)?),
        [0xff, 0xd8, ..] => of_jpeg(head)?,
        [b'R', b'I', b'F', b'F', ..] if head.get(8..12)? == b"WEBP" => match head.get(12..16)? {
            b"VP8 " => (little(26)? & 0x3fff, little(28)? & 0x3fff),
            b"VP8X" => (three(24)? + 1, three(27)? + 1),
            b"VP8L" => {
                let bits = little(21)? | little(23)? << 16;
                ((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1)
            }
            _ => return None,
        },
        _ => return None,
    };
    Some(Pixels { width, height })
}

/// From the first frame header (SOF), whatever segments stand before it.
fn of_jpeg(head: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        let [0xff, marker, high, low, ..] = *head.get(at..)? else { return None };
        let number = |start: usize| {
            let pair = head.get(start..)?.first_chunk::<2>()?;
            Some(u32::from(u16::from_be_bytes(*pair)))
        };
        match marker {
            0xff => at += 1, // padding
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                return Some((number(at + 7)?, number(at + 5)?));
            }
            _ => at += 2 + usize::from(u16::from_be_bytes([high, low])),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// One red pixel.
    const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

    #[test]
    fn an_image_is_said_with_its_pixels_and_bytes() {
        assert_eq!(said("image/png", PNG), "image/png, 1×1, 69 bytes");
        assert_eq!(said("image/png", "AAAAAAAA"), "image/png, 6 bytes");
        assert_eq!(said("image/png", "no base64!"), "image/png, 7 bytes");
    }

    #[test]
    fn images_are_found_however_a_tool_writes_them() {
        let url = format!("data:image/png;base64,{PNG}");
        let records = [
            format!(
                r#"{{"content":[{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{PNG}"}}}}]}}"#
            ),
            format!(r#"{{"content":[{{"type":"input_image","image_url":"{url}"}}]}}"#),
            format!(r#"{{"content":[{{"type":"image_url","image_url":{{"url":"{url}"}}}}]}}"#),
            format!(r#"{{"type":"image","data":"{PNG}","mimeType":"image/png"}}"#),
            format!(r#"{{"type":"image_generation_call","result":"{PNG}"}}"#),
            format!(r#"{{"a":"{url}","b":"{url}"}}"#),
        ];
        for record in records {
            let found = in_record(record.as_bytes());
            let sizes: Vec<_> =
                found.iter().map(|it| (it.media_type.as_str(), it.bytes.len())).collect();
            assert_eq!(sizes, [("image/png", 69)], "{record}");
        }
        assert_eq!(in_record(br#"{"type":"image","source":{"data":"AA"}}"#), []);
        assert_eq!(in_record(br#"{"url":"data:image/png;base64,<gone>"}"#), []);
    }

    #[test]
    fn the_size_stands_at_the_beginning_of_every_kind() {
        let pixels = |head: &[u8]| pixels_of(head).map(|it| (it.width, it.height));
        assert_eq!(pixels(b"GIF89a\x03\x00\x02\x00"), Some((3, 2)));
        let jpeg = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08\x00\x02\x00\x03";
        assert_eq!(pixels(jpeg), Some((3, 2)));
        let webp = b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x02\0\0\x01\0\0";
        assert_eq!(pixels(webp), Some((3, 2)));
        assert_eq!(pixels(b"BM"), None);
    }

    proptest! {
        #[test]
        fn whatever_the_bytes_nothing_breaks(bytes in prop::collection::vec(any::<u8>(), 0..40), kind in 0..4_usize) {
            let start = [&b"\x89PNG"[..], b"\xff\xd8", b"RIFF0000WEBPVP8L", b"GIF8"][kind];
            pixels_of(&[start, &bytes].concat());
            in_record(&[&b"{\"image\":\""[..], &bytes].concat());
            said("image/x", &String::from_utf8_lossy(&bytes));
        }
    }
}
