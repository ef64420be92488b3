//! A picture of the project for a person who reads an answer or looks at a file. Its kind and its size are read from its first bytes here, before the
//! web view decodes it: a name can claim anything, and a file of a few bytes can claim a picture that fills the memory.

use std::io::{self, Read};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use orion_core::image::Image;
use orion_core::signature::digest;
use orion_files::text::Polled;
use orion_files::workspace::{Budget, Project, ProjectPath};
use orion_protocol::{Code, ErrorInfo, PictureKind, PictureView};
use tokio_util::sync::CancellationToken;

/// Bytes of a file (`Query::Picture`).
const LARGEST: u64 = 8 * 1024 * 1024;
/// Pixels of a picture (`Query::Picture`): decoded, each takes four bytes.
const PIXELS: u64 = 24_000_000;
/// Bytes of an image that a model is given: in base64 it stays below the 10 MB that the strictest provider takes
/// (platform.claude.com/docs/en/build-with-claude/vision).
pub(crate) const GIVEN: usize = 7 * 1024 * 1024;
/// For a disk that is slow.
const TIME: Duration = Duration::from_secs(10);

/// # Errors
/// Those of finding the file; `file_unreadable`, and `usage` for one that is no picture or too large.
pub(crate) fn read(project: &Project, path: &str) -> Result<PictureView, ErrorInfo> {
    let path = project.path(path)?;
    let (file, node) = project.open_file(&path)?;
    if node.metadata.len() > LARGEST {
        return Err(too_large(&path, "8 MB"));
    }
    let budget = Budget::new(u64::MAX, TIME, CancellationToken::new());
    let mut content = Vec::new();
    // The file may have grown since its size was asked for.
    Polled { inner: file, budget: &budget }
        .take(LARGEST + 1)
        .read_to_end(&mut content)
        .map_err(|cause| unreadable(&path, &cause))?;
    if content.len() as u64 > LARGEST {
        return Err(too_large(&path, "8 MB"));
    }
    let Some((kind, width, height)) = look(&content) else { return Err(no_picture(&path)) };
    if !is_shown(width, height) {
        return Err(too_large(&path, "24 million pixels"));
    }
    let bytes = content.len() as u64;
    Ok(PictureView { path: path.to_string(), kind, bytes, width, height, data: STANDARD.encode(content) })
}

/// The image of a tool's result, for a model.
///
/// # Errors
/// The reason for leaving it out.
pub(crate) fn of_result(content: &[u8]) -> Result<Image, String> {
    let Some((kind, width, height)) = look(content) else {
        return Err("The image is left out: it is no PNG, JPEG, GIF or WebP".to_owned());
    };
    if content.len() > GIVEN || !is_shown(width, height) {
        return Err("The image is left out: it is larger than 7 MB or 24 million pixels".to_owned());
    }
    let data = STANDARD.encode(content);
    Ok(Image { sha256: digest(&data), kind, width, height, data: Some(data.into()) })
}

/// It is small enough to be decoded.
pub(crate) fn is_shown(width: u32, height: u32) -> bool {
    u64::from(width) * u64::from(height) <= PIXELS
}

/// What the picture is, its width and its height. None for anything else, and for a picture without an extent.
pub(crate) fn look(content: &[u8]) -> Option<(PictureKind, u32, u32)> {
    let (kind, (width, height)) = match content {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => (PictureKind::Png, png(content)?),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => (PictureKind::Gif, gif(content)?),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
            (PictureKind::WebP, webp(content)?)
        }
        [0xff, 0xd8, 0xff, ..] => (PictureKind::Jpeg, jpeg(content)?),
        _ => return None,
    };
    (width > 0 && height > 0).then_some((kind, width, height))
}

fn png(content: &[u8]) -> Option<(u32, u32)> {
    let big = |at: usize| Some(u32::from_be_bytes(content.get(at..at + 4)?.try_into().ok()?));
    (content.get(12..16)? == b"IHDR").then_some(())?;
    Some((big(16)?, big(20)?))
}

fn gif(content: &[u8]) -> Option<(u32, u32)> {
    Some((little(content, 6, 2)?, little(content, 8, 2)?))
}

fn webp(content: &[u8]) -> Option<(u32, u32)> {
    match content.get(12..16)? {
        b"VP8X" => Some((little(content, 24, 3)? + 1, little(content, 27, 3)? + 1)),
        b"VP8L" => {
            (*content.get(20)? == 0x2f).then_some(())?;
            let bits = little(content, 21, 4)?;
            Some(((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1))
        }
        b"VP8 " => {
            (content.get(23..26)? == [0x9d, 0x01, 0x2a]).then_some(())?;
            Some((little(content, 26, 2)? & 0x3fff, little(content, 28, 2)? & 0x3fff))
        }
        _ => None,
    }
}

/// Goes from segment to segment to the one that says how large the picture is.
fn jpeg(content: &[u8]) -> Option<(u32, u32)> {
    let big = |at: usize| Some(u32::from(u16::from_be_bytes(content.get(at..at + 2)?.try_into().ok()?)));
    let mut at = 2;
    loop {
        (*content.get(at)? == 0xff).then_some(())?;
        match *content.get(at + 1)? {
            // Padding.
            0xff => at += 1,
            // Segments without content.
            0x01 | 0xd0..=0xd7 => at += 2,
            // Frames; of the codes among them, three are tables.
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((big(at + 7)?, big(at + 5)?));
            }
            // The picture begins or ends, and no frame has come.
            0xd9 | 0xda => return None,
            _ => at += 2 + usize::try_from(big(at + 2)?.max(2)).ok()?,
        }
    }
}

fn little(content: &[u8], at: usize, count: usize) -> Option<u32> {
    Some(content.get(at..at + count)?.iter().rev().fold(0, |number, &byte| (number << 8) | u32::from(byte)))
}

fn too_large(path: &ProjectPath, most: &str) -> ErrorInfo {
    ErrorInfo::new(Code::Usage, format!("`{path}` is larger than {most}."), "Open it in another program.")
}

fn no_picture(path: &ProjectPath) -> ErrorInfo {
    ErrorInfo::new(
        Code::Usage,
        format!("`{path}` is not a picture that Orion can show."),
        "Orion shows PNG, JPEG, GIF and WebP. Open others in another program.",
    )
}

fn unreadable(path: &ProjectPath, cause: &io::Error) -> ErrorInfo {
    ErrorInfo::new(Code::FileUnreadable, format!("`{path}` could not be read."), "Try again.")
        .with_detail(cause.to_string())
}

#[cfg(test)]
mod tests {
    use orion_files::workspace::Private;
    use proptest::prelude::*;

    use super::*;

    /// The beginning of a picture of 300 by 200 pixels, of each kind.
    fn beginnings() -> Vec<(PictureKind, Vec<u8>)> {
        let png = [
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(),
            &300_u32.to_be_bytes(),
            &200_u32.to_be_bytes(),
            b"\x08\x06\0\0\0",
        ];
        let gif = [b"GIF89a".as_slice(), &300_u16.to_le_bytes(), &200_u16.to_le_bytes(), b"\0\0\0"];
        // A segment of an application, padding, a table, and the frame.
        let jpeg = [
            b"\xff\xd8\xff\xe0\0\x04JF\xff\xff\xc4\0\x03x\xff\xc2\0\x0b\x08".as_slice(),
            &200_u16.to_be_bytes(),
            &300_u16.to_be_bytes(),
            b"\x03",
        ];
        let lossy = [
            b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a".as_slice(),
            &300_u16.to_le_bytes(),
            &200_u16.to_le_bytes(),
        ];
        let bits = 299_u32 | (199 << 14);
        let lossless = [b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f".as_slice(), &bits.to_le_bytes()];
        let extended =
            [b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0".as_slice(), &[0x2b, 0x01, 0], &[0xc7, 0, 0]];
        vec![
            (PictureKind::Png, png.concat()),
            (PictureKind::Gif, gif.concat()),
            (PictureKind::Jpeg, jpeg.concat()),
            (PictureKind::WebP, lossy.concat()),
            (PictureKind::WebP, lossless.concat()),
            (PictureKind::WebP, extended.concat()),
        ]
    }

    fn folder(name: &str, content: &[u8]) -> (tempfile::TempDir, Project) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), content).unwrap();
        let project = Project::open(folder.path(), &Private::none()).unwrap();
        (folder, project)
    }

    #[test]
    fn each_kind_is_known_by_its_bytes_whatever_its_name() {
        for (kind, content) in beginnings() {
            let (_folder, project) = folder("a.txt", &content);
            let data = STANDARD.encode(&content);
            let bytes = content.len() as u64;
            let view = PictureView { path: "a.txt".to_owned(), kind, bytes, width: 300, height: 200, data };
            assert_eq!(read(&project, "./a.txt").unwrap(), view);
        }
    }

    #[test]
    fn what_could_hold_a_program_is_no_picture() {
        for content in [
            b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>".as_slice(),
            b"<?xml version='1.0'?><svg/>",
            b"<html>",
            b"%PDF-1.7",
            b"BM\0\0\0\0",
            b"",
            b"\x89PNG\r\n\x1a\n",
            b"GIF89a\0\0\0\0",
        ] {
            let (_folder, project) = folder("a.png", content);
            assert_eq!(read(&project, "a.png").unwrap_err().code, Code::Usage);
        }
    }

    #[test]
    fn a_picture_that_would_fill_the_memory_is_refused() {
        let mut png = beginnings().remove(0).1;
        png.splice(16..24, [0, 0, 0x13, 0x88, 0, 0, 0x13, 0x88]);
        let (bomb, project) = folder("bomb.png", &png);
        assert_eq!(
            read(&project, "bomb.png").unwrap_err().message,
            "`bomb.png` is larger than 24 million pixels."
        );
        let large = std::fs::File::create(bomb.path().join("large.png")).unwrap();
        large.set_len(LARGEST + 1).unwrap();
        assert_eq!(read(&project, "large.png").unwrap_err().message, "`large.png` is larger than 8 MB.");
    }

    #[test]
    fn a_picture_outside_of_the_project_or_closed_by_it_is_not_read() {
        let (_, png) = beginnings().remove(0);
        let (inside, project) = folder("a.png", &png);
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("b.png"), &png).unwrap();
        std::fs::write(inside.path().join(".orionignore"), "a.png\n").unwrap();
        let closed = Project::open(inside.path(), &Private::none()).unwrap();
        assert_eq!(read(&closed, "a.png").unwrap_err().code, Code::PathIgnored);
        for path in ["../b.png", outside.path().join("b.png").to_str().unwrap()] {
            assert_eq!(read(&project, path).unwrap_err().code, Code::PathOutside, "{path}");
        }
        assert_eq!(read(&project, "none.png").unwrap_err().code, Code::PathNotFound);
    }

    proptest! {
        #[test]
        fn whatever_follows_the_first_bytes_looking_ends(start in 0..6_usize, rest in proptest::collection::vec(any::<u8>(), 0..200), cut in 0..40_usize) {
            let (_, mut content) = beginnings().remove(start);
            content.truncate(cut);
            content.extend(rest);
            if let Some((_, width, height)) = look(&content) {
                prop_assert!(width > 0 && height > 0);
            }
        }
    }
}
