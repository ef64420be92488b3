//! What a person's message holds in a request: text alone, or text and images in parts.

use std::borrow::Cow;

use orion_core::image::Image;
use orion_protocol::PictureKind;
use serde::Serialize;

/// What a person's message holds: text alone, or with images.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Content<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Part<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
pub(crate) struct ImageUrl {
    url: String,
}

impl<'a> Content<'a> {
    pub(crate) fn of(text: &'a str, images: &[Image]) -> Self {
        if images.is_empty() {
            return Self::Text(text.into());
        }
        let text = Part::Text { text: text.into() };
        let images = images.iter().map(|image| Part::ImageUrl { image_url: ImageUrl { url: url(image) } });
        Self::Parts(std::iter::once(text).chain(images).collect())
    }

    /// Adds what a further message of the same role holds.
    pub(crate) fn append(&mut self, more: Self) {
        if let (Self::Text(text), Self::Text(more)) = (&mut *self, &more) {
            let text = text.to_mut();
            text.push_str("\n\n");
            text.push_str(more);
            return;
        }
        let mut parts = std::mem::replace(self, Self::Parts(Vec::new())).parts();
        parts.extend(more.parts());
        *self = Self::Parts(parts);
    }

    fn parts(self) -> Vec<Part<'a>> {
        match self {
            Self::Text(text) => vec![Part::Text { text }],
            Self::Parts(parts) => parts,
        }
    }
}

/// Where an image is: in the request itself. Without its content, for a person who reads the request, it is named by its digest.
fn url(image: &Image) -> String {
    let kind = match image.kind {
        PictureKind::Png => "image/png",
        PictureKind::Jpeg => "image/jpeg",
        PictureKind::Gif => "image/gif",
        PictureKind::WebP => "image/webp",
    };
    match &image.data {
        Some(data) => format!("data:{kind};base64,{data}"),
        None => format!("data:{kind};sha256={}", image.sha256),
    }
}

#[cfg(test)]
mod tests {
    use orion_core::signature::digest;
    use serde_json::{Value, json};

    use super::*;

    fn image(data: Option<&str>) -> Image {
        let data = data.map(Into::into);
        Image { sha256: digest("AAAA"), kind: PictureKind::Png, width: 2, height: 1, data }
    }

    fn sent(content: Content<'_>) -> Value {
        serde_json::to_value(content).unwrap()
    }

    #[test]
    fn an_image_is_a_part_and_joins_what_stands_beside_it() {
        let text = |text| json!({"type": "text", "text": text});
        let picture = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}});
        let images = [image(Some("AAAA"))];
        assert_eq!(sent(Content::of("a picture", &images)), json!([text("a picture"), picture]));

        let mut together = Content::of("look", &[]);
        together.append(Content::of("at this", &[]));
        together.append(Content::of("a picture", &images));
        together.append(Content::of("what is it?", &[]));
        assert_eq!(
            sent(together),
            json!([text("look\n\nat this"), text("a picture"), picture, text("what is it?")])
        );
    }

    #[test]
    fn without_its_content_an_image_is_named_by_its_digest() {
        let unread = sent(Content::of("a picture", &[image(None)])).to_string();
        assert!(unread.contains("data:image/png;sha256=") && !unread.contains("base64"), "{unread}");
    }
}
