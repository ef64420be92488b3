//! Files from outside the project that a person adds to a message: pasted, dropped or picked (0056).
//!
//! A file is taken in while its message is written: its bytes say whether it is text or an image, and it is kept with the draft. A turn that
//! has it keeps its content among its texts. Nothing here reads a path: the window hands over bytes that the person chose.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use orion_core::signature::digest;
use orion_core::tool::ToolOutcome;
use orion_core::turn::{Attached, TurnSetup, Uncut};
use orion_files::difference::mark;
use orion_files::text::decoded;
use orion_protocol::{
    Answer, Attachment, AttachmentContent, Code, DraftOf, ErrorInfo, Outcome, PictureView, Sha256, ToolStatus,
};
use orion_store::StoreError;

use super::{Engine, blocking};
use crate::picture;

/// Files of one message at most, as many as it can name of the project.
pub(super) const MOST: usize = 20;
/// Bytes of a text that is taken in. The model is given no more of it than of any result (R3).
const TEXT_BYTES: usize = 1024 * 1024;
/// Characters of a name.
const NAME: usize = 120;

impl Engine {
    pub(super) async fn attach_file(
        &self,
        of: DraftOf,
        name: String,
        data: String,
    ) -> Result<Outcome, ErrorInfo> {
        let taken = self.shared.store.attachments(of).await?;
        if taken.len() >= MOST {
            return Err(too_many());
        }
        let (file, body) = blocking(move || take(&name, &data)).await?;
        self.shared.store.add_attachment(of, file.clone(), body).await?;
        Ok(Outcome::AttachedFile { file })
    }

    pub(super) async fn remove_attachment(&self, of: DraftOf, sha256: Sha256) -> Result<Outcome, ErrorInfo> {
        self.shared.store.remove_attachment(of, sha256).await?;
        self.shared.store.reclaim().await?;
        Ok(Outcome::Done)
    }

    pub(super) async fn attachment_picture(&self, name: String, sha256: Sha256) -> Result<Answer, ErrorInfo> {
        let data = self.body_of(sha256, &name).await?;
        let picture = blocking(move || {
            let content = STANDARD.decode(&data).unwrap_or_default();
            let (kind, width, height) = picture::look(&content).ok_or_else(|| no_image(&name))?;
            Ok(PictureView { path: name, kind, bytes: content.len() as u64, width, height, data })
        })
        .await?;
        Ok(Answer::Picture { picture })
    }

    /// The files that come with a message: `one` has the bytes of a result at most, and all together `left`.
    ///
    /// # Errors
    /// `usage` for too many, `takes_no_images`, `file_unreadable` for one that is no longer kept.
    pub(super) async fn attachments_of(
        &self,
        setup: &TurnSetup,
        files: &[Attachment],
        one: usize,
        mut left: usize,
    ) -> Result<Vec<Attached>, ErrorInfo> {
        if files.len() > MOST {
            return Err(too_many());
        }
        let mut attached = Vec::new();
        for file in files {
            let name = named(&file.name);
            let body = self.body_of(file.sha256, &name).await?;
            let image = matches!(file.content, AttachmentContent::Image { .. });
            if image && !setup.profile.takes_images {
                return Err(takes_no_images(&setup.model));
            }
            let (content, uncut, outcome) = match image {
                true => attachment_image(&name, body)?,
                false => {
                    let text = attachment_text(body, one.min(left));
                    left = left.saturating_sub(text.2.body.len());
                    text
                }
            };
            attached.push(Attached {
                tool: String::new(),
                arguments: serde_json::Map::new(),
                path: name,
                is_folder: false,
                lines: None,
                content: Some(content),
                uncut,
                outcome,
            });
        }
        Ok(attached)
    }

    async fn body_of(&self, sha256: Sha256, name: &str) -> Result<String, ErrorInfo> {
        match self.shared.store.text(sha256).await {
            Ok(body) => Ok(body),
            Err(StoreError::BodyUnknown(_)) => Err(ErrorInfo::new(
                Code::FileUnreadable,
                format!("“{name}” is no longer kept."),
                "Take it out of the message, and add it again.",
            )),
            Err(error) => Err(error.into()),
        }
    }
}

/// What a file is, and the body by which it is kept.
fn take(name: &str, data: &str) -> Result<(Attachment, String), ErrorInfo> {
    let name = named(name);
    let content = STANDARD.decode(data).map_err(|_| {
        ErrorInfo::new(Code::Usage, format!("“{name}” did not arrive whole."), "Add it again.")
    })?;
    let (kind, body) = match picture::look(&content) {
        Some((kind, width, height)) => {
            if content.len() > picture::GIVEN {
                return Err(too_large(
                    &name,
                    "an image may have 7 MB",
                    "Make it smaller, then add it again.",
                ));
            }
            if !picture::is_shown(width, height) {
                return Err(too_large(
                    &name,
                    "an image may have 24 million pixels",
                    "Make it smaller, then add it again.",
                ));
            }
            (AttachmentContent::Image { kind, width, height }, data.to_owned())
        }
        None => {
            if content.len() > TEXT_BYTES {
                let action = "Put it into the project's folder: there the model can read it in parts.";
                return Err(too_large(&name, "a text may have 1 MB", action));
            }
            let text = decoded(&content).ok_or_else(|| neither(&name))?;
            (AttachmentContent::Text { lines: text.lines().count() as u64 }, text)
        }
    };
    let sha256 = digest(&body);
    Ok((Attachment { name, sha256, bytes: content.len() as u64, content: kind }, body))
}

/// A text as the model is given it.
fn attachment_text(body: String, most: usize) -> Read {
    let (bytes, lines) = (body.len(), body.lines().count() as u64);
    let content = AttachmentContent::Text { lines };
    let summary = if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
    let end = body.floor_char_boundary(most);
    if end == bytes {
        return (content, None, outcome(summary, body, bytes as u64, None));
    }
    let shown = body.get(..end).unwrap_or_default().to_owned();
    let cut = format!("Cut after {end} of {bytes} bytes. Ask the user for the rest if you need it.");
    let uncut = Uncut { sha256: digest(&body), body };
    (content, Some(uncut), outcome(summary, shown, bytes as u64, Some(cut)))
}

/// An attachment as the model is given it: its content, all of it where that is more than the model is given, and its outcome.
type Read = (AttachmentContent, Option<Uncut>, ToolOutcome);

/// An image as the model is given it, whatever was said of it.
fn attachment_image(name: &str, body: String) -> Result<Read, ErrorInfo> {
    let content = STANDARD.decode(&body).unwrap_or_default();
    let (kind, width, height) = picture::look(&content).ok_or_else(|| no_image(name))?;
    let summary = format!("{width} × {height}");
    let outcome = outcome(summary, body, content.len() as u64, None);
    Ok((AttachmentContent::Image { kind, width, height }, None, outcome))
}

fn outcome(summary: String, body: String, bytes: u64, cut: Option<String>) -> ToolOutcome {
    ToolOutcome { body, bytes, cut, ..ToolOutcome::ended(ToolStatus::Ok, summary) }
}

/// A name for one line: without folders, and without characters that hide or steer.
pub(super) fn named(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = name.chars().filter(|&c| mark(c).is_none()).take(NAME).collect();
    let name = name.trim();
    if name.is_empty() { "file".to_owned() } else { name.to_owned() }
}

fn too_many() -> ErrorInfo {
    ErrorInfo::new(
        Code::Usage,
        format!("A message can bring {MOST} files."),
        "Take one out, or send two messages.",
    )
}

fn too_large(name: &str, most: &str, action: &str) -> ErrorInfo {
    ErrorInfo::new(Code::Usage, format!("“{name}” is too large: {most}."), action)
}

fn neither(name: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::FileBinary,
        format!("“{name}” is neither text nor an image."),
        "Send text, or a PNG, JPEG, GIF or WebP image.",
    )
}

fn no_image(name: &str) -> ErrorInfo {
    ErrorInfo::new(Code::FileBinary, format!("“{name}” is not an image."), "Add it again.")
}

fn takes_no_images(model: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::TakesNoImages,
        format!("{model} is not known to take images."),
        "Take the image out, choose another model, or say in Settings, under Models, that this one takes images.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x01";

    fn taken(name: &str, content: &[u8]) -> Result<(Attachment, String), ErrorInfo> {
        take(name, &STANDARD.encode(content))
    }

    #[test]
    fn a_file_is_what_its_bytes_say_and_never_its_name() {
        let (file, body) = taken("notes.png", "one\ntwo\n".as_bytes()).unwrap();
        assert_eq!(
            (file.content, file.bytes, body.as_str()),
            (AttachmentContent::Text { lines: 2 }, 8, "one\ntwo\n")
        );
        let (file, body) = taken("notes.txt", PNG).unwrap();
        let AttachmentContent::Image { width, height, .. } = file.content else { panic!("{file:?}") };
        assert_eq!((width, height, body), (2, 1, STANDARD.encode(PNG)));
        let (_, body) = taken("old.txt", b"caf\xe9 cr\xe8me br\xfbl\xe9e").unwrap();
        assert_eq!(body, "café crème brûlée");
        for content in [&b"\x7fELF\0\0\0\0\0\x01"[..], b"<svg/>\0"] {
            assert_eq!(taken("x.txt", content).unwrap_err().code, Code::FileBinary);
        }
        assert_eq!(take("x", "%").unwrap_err().code, Code::Usage);
    }

    #[test]
    fn what_is_too_large_is_refused_and_says_by_how_much() {
        let text = vec![b'a'; TEXT_BYTES + 1];
        assert!(taken("a.log", &text).unwrap_err().message.contains("1 MB"));
        let mut image = PNG.to_vec();
        image.resize(picture::GIVEN + 1, 0);
        assert!(taken("a.png", &image).unwrap_err().message.contains("7 MB"));
        let mut wide = PNG.to_vec();
        wide[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
        assert!(taken("a.png", &wide).unwrap_err().message.contains("pixels"));
    }

    #[test]
    fn a_name_is_one_plain_line() {
        for (name, expected) in [
            ("/home/me/shot.png", "shot.png"),
            ("C:\\me\\a b.txt", "a b.txt"),
            ("a\nb\u{202e}gpj.exe", "abgpj.exe"),
            ("..", ".."),
            ("", "file"),
            ("a/", "file"),
        ] {
            assert_eq!(named(name), expected);
        }
        assert_eq!(named(&"é".repeat(500)).chars().count(), NAME);
    }

    // R3
    #[test]
    fn a_long_text_is_cut_at_a_character_and_says_so() {
        let (content, uncut, outcome) = attachment_text("é\n".repeat(10), 4);
        assert_eq!((content, outcome.body.as_str()), (AttachmentContent::Text { lines: 10 }, "é\n"));
        assert_eq!(
            outcome.cut.as_deref(),
            Some("Cut after 3 of 30 bytes. Ask the user for the rest if you need it.")
        );
        assert_eq!(uncut.map(|uncut| uncut.body), Some("é\n".repeat(10)));
        let (_, uncut, outcome) = attachment_text("a".into(), 4);
        assert_eq!((uncut, outcome.cut), (None, None));
    }
}
