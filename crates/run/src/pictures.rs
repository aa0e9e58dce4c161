//! Images in recordings: how they are named among the words of a step, and what their bytes are.
//!
//! Every tool writes an image as base64, as a value of its own beside its media type (Claude Code, MCP, Gemini) or
//! within a URL (`data:image/png;base64,…`: Codex and other programs in OpenAI's format). [`images_in_record`] finds
//! both anywhere in a record. To describe an image only its beginning is decoded, which has its size; [`raster`]
//! decodes it whole.

pub mod raster;

use serde_json::Value as Json;

/// An image of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedImage {
    /// The recorded type, such as `image/png`; untrusted.
    pub media_type: String,
    pub bytes: Vec<u8>,
}

/// Columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PixelSize {
    pub width: u32,
    pub height: u32,
}

/// Base64 digits of an image's beginning that are searched for its size: that of a JPEG may come after a preview.
const HEAD: usize = 1 << 17;

/// Returns `image/png, 640×480, 12345 bytes`, the text for an image in base64; the size where it is readable.
pub fn describe_image(media_type: &str, base64: &str) -> String {
    let head = base64.get(..HEAD.min(base64.len())).unwrap_or(base64);
    let pixels = decode_base64(head).and_then(|head| image_size(&head));
    let pixels = pixels.map(|it| format!(", {}×{}", it.width, it.height)).unwrap_or_default();
    format!("{media_type}{pixels}, {} bytes", decoded_len(base64))
}

/// Returns the media type and the base64 of `data:image/png;base64,…`; None for another URL.
pub fn data_url_image(url: &str) -> Option<(&str, &str)> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    let media_type = head.strip_suffix(";base64")?;
    let media_type = media_type.split(';').next().unwrap_or(media_type);
    is_image(media_type).then_some((media_type, data))
}

/// Returns the images of a record, in order. What is no base64 is left out.
pub fn images_in_record(record: &[u8]) -> Vec<RecordedImage> {
    let mut images = vec![];
    // Parsed only where there may be one.
    if memchr::memmem::find(record, b"image").is_some()
        && let Ok(record) = serde_json::from_slice(record)
    {
        collect_images(&record, &mut images);
    }
    images
}

/// Keys of a record for an image's base64, and keys for its media type beside them.
const DATA_KEYS: [&str; 2] = ["data", "result"];
const MEDIA_TYPE_KEYS: [&str; 4] = ["media_type", "mediaType", "mimeType", "mime_type"];

/// Types of records whose image was made by a model.
const GENERATED_TYPES: [&str; 2] = ["image_generation", "imagegeneration"];

fn collect_images(value: &Json, images: &mut Vec<RecordedImage>) {
    match value {
        Json::String(text) => {
            if let Some((media_type, data)) = data_url_image(text) {
                add_image(media_type, data, images);
            }
        }
        Json::Array(values) => values.iter().for_each(|value| collect_images(value, images)),
        Json::Object(fields) => {
            let text = |key: &&str| fields.get(*key).and_then(Json::as_str);
            let is_made = text(&"type")
                .is_some_and(|kind| GENERATED_TYPES.iter().any(|it| kind.contains(it)));
            let kind = MEDIA_TYPE_KEYS.iter().find_map(text).filter(|kind| is_image(kind));
            let kind = kind.or(is_made.then_some("image/png"));
            let data =
                DATA_KEYS.iter().find_map(text).filter(|data| data_url_image(data).is_none());
            if let (Some(media_type), Some(data)) = (kind, data) {
                add_image(media_type, data, images);
            }
            fields.values().for_each(|value| collect_images(value, images));
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

fn add_image(media_type: &str, data: &str, images: &mut Vec<RecordedImage>) {
    if let Some(bytes) = decode_base64(data).filter(|bytes| !bytes.is_empty()) {
        let picture = RecordedImage { media_type: media_type.to_owned(), bytes };
        // Records say some things twice.
        if !images.contains(&picture) {
            images.push(picture);
        }
    }
}

fn is_image(media_type: &str) -> bool {
    media_type.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("image/"))
}

/// Returns the number of bytes that base64 of this length encodes.
fn decoded_len(base64: &str) -> usize {
    let digits = base64.trim_end_matches('=').len();
    digits / 4 * 3 + (digits % 4).saturating_sub(1)
}

/// Decodes RFC 4648, in the alphabet of files and in that of URLs, without white space; None where something else is in it. A last
/// digit alone says nothing.
fn decode_base64(base64: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(decoded_len(base64));
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

/// Returns the file extension of an image, by the first bytes; None for other kinds.
pub fn image_extension(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("png"),
        [0xff, 0xd8, 0xff, ..] => Some("jpg"),
        [b'G', b'I', b'F', b'8', ..] => Some("gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("webp"),
        _ => None,
    }
}

/// Returns the size of a PNG, JPEG, GIF or WebP, from its beginning.
pub(crate) fn image_size(head: &[u8]) -> Option<PixelSize> {
    let at = |start: usize| head.get(start..).and_then(|rest| rest.first_chunk::<2>()).copied();
    let little = |start| at(start).map(|pair| u32::from(u16::from_le_bytes(pair)));
    let big = |start: usize| {
        head.get(start..).and_then(|rest| rest.first_chunk::<4>()).map(|it| u32::from_be_bytes(*it))
    };
    let three = |start: usize| Some(little(start)? | u32::from(*head.get(start + 2)?) << 16);
    let (width, height) = match head {
        [0x89, b'P', b'N', b'G', ..] => (big(16)?, big(20)?),
        [b'G', b'I', b'F', b'8', ..] => (little(6)?, little(8)?),
        [0xff, 0xd8, ..] => jpeg_size(head)?,
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
    Some(PixelSize { width, height })
}

/// Reads the size from the first frame header (SOF), whatever segments come before it.
fn jpeg_size(head: &[u8]) -> Option<(u32, u32)> {
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
        assert_eq!(describe_image("image/png", PNG), "image/png, 1×1, 69 bytes");
        assert_eq!(describe_image("image/png", "AAAAAAAA"), "image/png, 6 bytes");
        assert_eq!(describe_image("image/png", "no base64!"), "image/png, 7 bytes");
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
            let images = images_in_record(record.as_bytes());
            let sizes: Vec<_> =
                images.iter().map(|it| (it.media_type.as_str(), it.bytes.len())).collect();
            assert_eq!(sizes, [("image/png", 69)], "{record}");
        }
        assert_eq!(images_in_record(br#"{"type":"image","source":{"data":"AA"}}"#), []);
        assert_eq!(images_in_record(br#"{"url":"data:image/png;base64,<gone>"}"#), []);
    }

    #[test]
    fn the_size_stands_at_the_beginning_of_every_kind() {
        let pixels = |head: &[u8]| image_size(head).map(|it| (it.width, it.height));
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
            image_size(&[start, &bytes].concat());
            images_in_record(&[&b"{\"image\":\""[..], &bytes].concat());
            describe_image("image/x", &String::from_utf8_lossy(&bytes));
        }
    }
}
