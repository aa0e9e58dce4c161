//! Images as pixels, small enough to be drawn with the cells of a terminal.

use std::io::Cursor;

use image::{
    DynamicImage, ImageReader, Limits, Rgb, RgbImage,
    imageops::{FilterType, resize, thumbnail},
};

use super::{PixelSize, RecordedImage, image_extension};

/// An image of a recording and its pixels, or a sentence that says why there are none.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodedImage {
    pub picture: RecordedImage,
    pub raster: Result<Raster, String>,
}

/// The pixels of an image on white paper, at most 512 each way.
#[derive(Debug, Clone, PartialEq)]
pub struct Raster {
    /// Size of the image as it is recorded.
    pub recorded: PixelSize,
    pixels: RgbImage,
}

/// No terminal has more cells.
const MAX_SIDE: u32 = 512;

/// An image that says it is larger, each way, is not decoded; nor one that needs more bytes.
const MAX_RECORDED_SIDE: u32 = 16_384;
const MAX_DECODE_BYTES: u64 = 256 << 20;

impl From<RecordedImage> for DecodedImage {
    fn from(picture: RecordedImage) -> Self {
        Self { raster: Raster::decode_bytes(&picture.bytes), picture }
    }
}

impl Raster {
    /// Decodes a PNG, JPEG, GIF (its first frame) or WebP. The error is a sentence.
    pub(crate) fn decode_bytes(bytes: &[u8]) -> Result<Self, String> {
        let unknown_kind = "the image is not PNG, JPEG, GIF or WebP";
        let extension = image_extension(bytes).ok_or(unknown_kind)?;
        let format = image::ImageFormat::from_extension(extension).ok_or(unknown_kind)?;
        let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
        let mut limits = Limits::default();
        limits.max_image_width = Some(MAX_RECORDED_SIDE);
        limits.max_image_height = Some(MAX_RECORDED_SIDE);
        limits.max_alloc = Some(MAX_DECODE_BYTES);
        reader.limits(limits);
        let decoded = reader.decode().map_err(|why| format!("the image cannot be read: {why}"))?;
        let recorded = PixelSize { width: decoded.width(), height: decoded.height() };
        let fitted = fitted_size(recorded, MAX_SIDE, MAX_SIDE);
        let small = match fitted == recorded {
            true => decoded,
            false => decoded.thumbnail_exact(fitted.width, fitted.height),
        };
        Ok(Self { recorded, pixels: on_white(&small) })
    }

    /// Scales the image into this size, in its own proportions; never larger than recorded. Returns rows of pixels.
    pub fn scaled_within(&self, width: u32, height: u32) -> Vec<Vec<[u8; 3]>> {
        let target = fitted_size(self.recorded, width, height);
        let (from, to) = (self.pixels.dimensions(), (target.width, target.height));
        let scaled = match to.0 > from.0 || to.1 > from.1 {
            true => resize(&self.pixels, to.0, to.1, FilterType::Triangle),
            false => thumbnail(&self.pixels, to.0, to.1),
        };
        scaled.rows().map(|row| row.map(|pixel| pixel.0).collect()).collect()
    }
}

/// Returns the largest size with these proportions within so many pixels, at least one each way; none larger than the image.
fn fitted_size(image: PixelSize, width: u32, height: u32) -> PixelSize {
    let (width, height) = (width.max(1), height.max(1));
    let scale = (f64::from(width) / f64::from(image.width.max(1)))
        .min(f64::from(height) / f64::from(image.height.max(1)))
        .min(1.0);
    let scaled = |side: u32, most: u32| ((f64::from(side) * scale).round() as u32).clamp(1, most);
    PixelSize { width: scaled(image.width, width), height: scaled(image.height, height) }
}

fn on_white(image: &DynamicImage) -> RgbImage {
    let image = image.to_rgba8();
    RgbImage::from_fn(image.width(), image.height(), |x, y| {
        let [red, green, blue, alpha] = image[(x, y)].0.map(u16::from);
        let over = |part: u16| ((part * alpha + 255 * (255 - alpha) + 127) / 255) as u8;
        Rgb([red, green, blue].map(over))
    })
}

#[cfg(test)]
mod tests {
    use image::{ImageFormat, Rgba, RgbaImage};
    use proptest::prelude::*;

    use super::*;

    fn encode_image(image: &RgbaImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(vec![]);
        let image = DynamicImage::from(image.clone());
        let image = if format == ImageFormat::Jpeg { image.to_rgb8().into() } else { image };
        image.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    /// Makes an image that is red above and empty below.
    fn half_red_image(width: u32, height: u32) -> RgbaImage {
        let red = |y| if y < height / 2 { [255, 0, 0, 255] } else { [0; 4] };
        RgbaImage::from_fn(width, height, |_, y| Rgba(red(y)))
    }

    #[test]
    fn every_kind_is_decoded_and_stands_on_white() {
        for format in [ImageFormat::Png, ImageFormat::Gif, ImageFormat::WebP] {
            let raster =
                Raster::decode_bytes(&encode_image(&half_red_image(8, 4), format)).unwrap();
            assert_eq!(raster.recorded, PixelSize { width: 8, height: 4 });
            let (red, white) = (vec![[255, 0, 0]; 8], vec![[255; 3]; 8]);
            assert_eq!(raster.scaled_within(80, 40), [red.clone(), red, white.clone(), white]);
        }
        let grey = RgbaImage::from_pixel(16, 16, Rgba([100, 100, 100, 255]));
        let raster = Raster::decode_bytes(&encode_image(&grey, ImageFormat::Jpeg)).unwrap();
        assert!(raster.scaled_within(4, 4).concat().iter().all(|it| it[0].abs_diff(100) < 3));
    }

    #[test]
    fn an_image_keeps_its_proportions_in_whatever_room() {
        let raster =
            Raster::decode_bytes(&encode_image(&half_red_image(1_200, 300), ImageFormat::Png))
                .unwrap();
        let size = |width, height| {
            let rows = raster.scaled_within(width, height);
            (rows[0].len(), rows.len())
        };
        assert_eq!(size(80, 40), (80, 20));
        assert_eq!(size(80, 10), (40, 10));
        assert_eq!(size(2_000, 2_000), (1_200, 300));
        assert_eq!(size(0, 0), (1, 1));
    }

    #[test]
    fn what_is_damaged_or_too_large_is_a_sentence() {
        let png = encode_image(&half_red_image(8, 4), ImageFormat::Png);
        assert!(
            Raster::decode_bytes(&png[..40]).unwrap_err().starts_with("the image cannot be read: ")
        );
        assert_eq!(
            Raster::decode_bytes(b"BM").unwrap_err(),
            "the image is not PNG, JPEG, GIF or WebP"
        );
        let mut huge = png;
        huge[16..20].copy_from_slice(&100_000_u32.to_be_bytes());
        assert!(Raster::decode_bytes(&huge).is_err());
    }

    proptest! {
        #[test]
        fn whatever_the_bytes_decoding_returns(at in 0..400_usize, byte: u8, cut in 0..400_usize, kind in 0..4_usize) {
            let format = [ImageFormat::Png, ImageFormat::Gif, ImageFormat::WebP, ImageFormat::Jpeg][kind];
            let mut bytes = encode_image(&half_red_image(8, 4), format);
            let (at, cut) = (at % bytes.len(), cut % bytes.len());
            bytes[at] = byte;
            let _ = Raster::decode_bytes(&bytes).map(|it| it.scaled_within(7, 3));
            let _ = Raster::decode_bytes(&bytes[..cut]).map(|it| it.scaled_within(7, 3));
        }
    }
}
