//! What a request weighs, and what it can do without (T7, X2).

use orion_core::image::Image;
use orion_core::model::{Message, ModelRequest, ModelTuning, Profile, Shape, shape};
use orion_core::signature::digest;
use orion_protocol::{Permission, PictureKind};

use crate::common::tool;

fn image(width: u32, height: u32) -> Image {
    Image { sha256: digest("a"), kind: PictureKind::Png, width, height, data: None }
}

fn sent(text: &str, images: &[Image]) -> Message {
    Message::User { text: text.to_owned(), images: images.to_vec() }
}

#[test]
fn an_image_weighs_four_bytes_for_each_750_pixels_and_at_most_1_600_tokens() {
    // T7
    let sizes = [(1, 1), (750, 1), (751, 1), (100, 75), (1_200, 1_000), (1_201, 1_000), (u32::MAX, u32::MAX)];
    let weights = sizes.map(|(width, height)| image(width, height).weight());
    assert_eq!(weights, [4, 4, 8, 40, 6_400, 6_400, 6_400]);
    assert_eq!(sent("four", &[image(100, 75), image(1, 1)]).text_bytes(), 48);
}

#[test]
fn only_a_message_of_the_person_has_images_and_they_are_told_of_where_they_are_left_out() {
    let mut message = sent("Look.", &[image(1, 1)]);
    assert_eq!(message.images(), [image(1, 1)]);
    assert_eq!(Message::System { text: String::new() }.images(), []);
    message.without_images(" None came.");
    assert_eq!(message, sent("Look. None came.", &[]));
    message.without_images(" None came.");
    assert_eq!(message, sent("Look. None came.", &[]), "there was none to leave out");
}

#[test]
fn a_request_does_without_the_part_that_an_endpoint_refuses() {
    // P12, X2
    let request = ModelRequest {
        model: "scripted".to_owned(),
        messages: vec![Message::user("four")],
        tools: [tool("read", Permission::Allow)].into_iter().collect(),
        forbids_tools: true,
        max_output_tokens: Some(9),
        tuning: ModelTuning::default(),
    };
    let without = |shape: Shape| {
        let mut request = request.clone();
        shape::change(shape, &mut request, &mut Profile::default());
        (request.tools.len(), request.max_output_tokens)
    };
    assert_eq!([without(Shape::ForbiddenTools), without(Shape::Limit)], [(0, Some(9)), (1, None)]);
    // T8: as earlier versions wrote it.
    assert_eq!(serde_json::from_str::<Shape>("\"tools\"").unwrap(), Shape::ForbiddenTools);
    assert_eq!(request.text_bytes(), "four".len() + "read".len() + "Does read.".len());
}
