//! Pictures: small PNG files, read back as RGBA, compared pixel by pixel.

use std::collections::BTreeMap;

use iced::Size;

use crate::drive::Shot;

/// More colours than this do not fit a palette of 8 bits.
const PALETTE: usize = 256;
/// What differs, in the picture of the difference.
const MARK: [u8; 4] = [0xd0, 0x00, 0x6f, 0xff];

/// Where two pictures of one size differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// How many pixels differ.
    pub pixels: usize,
    /// The smallest rectangle around them: left, top, right, bottom, in pixels, all inclusive.
    pub within: [u32; 4],
    /// The second picture, pale, with what differs in one strong colour.
    pub picture: Shot,
}

/// A picture that is no picture, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(String);

/// The picture as a PNG file, as small as is cheap: with a palette if its colours fit one, without transparency if it
/// has none.
///
/// # Errors
/// What the encoder says; it has no reason to.
pub fn encode(shot: &Shot) -> Result<Vec<u8>, png::EncodingError> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, shot.size.width, shot.size.height);
    encoder.set_depth(png::BitDepth::Eight);
    let (pixels, _) = shot.rgba.as_chunks::<4>();
    let opaque = pixels.iter().all(|pixel| pixel[3] == u8::MAX);
    let data = match palette(pixels).filter(|_| opaque) {
        Some(palette) => {
            let colours: Vec<u8> = palette.keys().flat_map(|[r, g, b, _]| [*r, *g, *b]).collect();
            encoder.set_color(png::ColorType::Indexed);
            encoder.set_palette(colours);
            // Neighbouring places of a palette have nothing to do with each other.
            encoder.set_compression(png::Compression::High);
            encoder.set_filter(png::Filter::NoFilter);
            let places: BTreeMap<[u8; 4], u8> = palette.keys().copied().zip(0..=u8::MAX).collect();
            pixels.iter().map(|pixel| places[pixel]).collect()
        }
        None if opaque => {
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_compression(png::Compression::High);
            encoder.set_filter(png::Filter::NoFilter);
            pixels.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]).collect()
        }
        None => {
            encoder.set_color(png::ColorType::Rgba);
            encoder.set_compression(png::Compression::High);
            shot.rgba.clone()
        }
    };
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&data)?;
    writer.finish()?;
    Ok(out)
}

/// The colours of a picture, unless they are too many.
fn palette(pixels: &[[u8; 4]]) -> Option<BTreeMap<[u8; 4], ()>> {
    let mut colours = BTreeMap::new();
    for pixel in pixels {
        colours.insert(*pixel, ());
        if colours.len() > PALETTE {
            return None;
        }
    }
    Some(colours)
}

/// Reads a PNG file of any of the forms that [`encode`] writes.
///
/// # Errors
/// When it is none.
pub fn decode(file: &[u8]) -> Result<Shot, Unreadable> {
    let unreadable = |error: &dyn std::fmt::Display| Unreadable(format!("not a picture: {error}"));
    let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(|error| unreadable(&error))?;
    let size = reader.output_buffer_size().ok_or_else(|| unreadable(&"it is too large"))?;
    let mut rgba = vec![0; size];
    let frame = reader.next_frame(&mut rgba).map_err(|error| unreadable(&error))?;
    if (frame.color_type, frame.bit_depth) != (png::ColorType::Rgba, png::BitDepth::Eight) {
        return Err(unreadable(&"its colours are of another kind"));
    }
    rgba.truncate(frame.buffer_size());
    Ok(Shot { rgba, size: Size::new(frame.width, frame.height) })
}

/// What differs from `before` to `after`; nothing if they are equal. Pictures of two sizes have no difference to draw:
/// compare sizes first.
pub fn difference(before: &Shot, after: &Shot) -> Option<Difference> {
    if before == after || before.size != after.size {
        return None;
    }
    let width = after.size.width.max(1);
    let (old, new) = (before.rgba.as_chunks::<4>().0, after.rgba.as_chunks::<4>().0);
    let mut rgba = Vec::with_capacity(after.rgba.len());
    let (mut pixels, mut within) = (0, [u32::MAX, u32::MAX, 0, 0]);
    for (place, (old, new)) in (0_u32..).zip(old.iter().zip(new)) {
        if old == new {
            rgba.extend(pale(*new));
            continue;
        }
        let (x, y) = (place % width, place / width);
        within = [within[0].min(x), within[1].min(y), within[2].max(x), within[3].max(y)];
        pixels += 1;
        rgba.extend(MARK);
    }
    Some(Difference { pixels, within, picture: Shot { rgba, size: after.size } })
}

/// Grey and light enough for [`MARK`] to stand out.
fn pale([r, g, b, _]: [u8; 4]) -> [u8; 4] {
    let grey = (u16::from(r) * 3 + u16::from(g) * 6 + u16::from(b)) / 10;
    let light = u8::try_from(160 + grey * 90 / 255).unwrap_or(u8::MAX);
    [light, light, light, u8::MAX]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shot(width: u32, height: u32, colour: impl Fn(u32, u32) -> [u8; 4]) -> Shot {
        let rgba = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).flat_map(|(x, y)| colour(x, y)).collect();
        Shot { rgba, size: Size::new(width, height) }
    }

    #[test]
    fn pictures_of_few_many_and_transparent_colours_come_back_as_they_were() {
        let few = shot(40, 30, |x, _| if x < 20 { [1, 2, 3, 255] } else { [200, 100, 0, 255] });
        let many = shot(64, 64, |x, y| [(x * 4) as u8, (y * 4) as u8, (x ^ y) as u8, 255]);
        let transparent = shot(9, 9, |x, _| [x as u8, 0, 0, 128]);
        for picture in [&few, &many, &transparent] {
            assert_eq!(decode(&encode(picture).unwrap()).as_ref(), Ok(picture));
        }
        assert!(encode(&few).unwrap().len() < 200);
        assert!(decode(b"GIF89a").is_err());
    }

    #[test]
    fn a_difference_counts_its_pixels_and_frames_them() {
        let before = shot(10, 8, |_, _| [255, 255, 255, 255]);
        let after = shot(10, 8, |x, y| if (3..5).contains(&x) && y == 6 { [0, 0, 0, 255] } else { [255; 4] });
        assert_eq!(difference(&before, &before), None);
        let found = difference(&before, &after).unwrap();
        assert_eq!((found.pixels, found.within), (2, [3, 6, 4, 6]));
        assert_eq!(&found.picture.rgba[(6 * 10 + 3) * 4..][..4], MARK);
    }
}
