//! What a request weighs, and what it can do without (T7, X2).

use orion_core::image::Image;
use orion_core::model::{Message, ModelRequest, ModelTuning, Profile, Shape, ThinkingSwitch, Wire, shape};
use orion_core::signature::digest;
use orion_core::tool::ToolSet;
use orion_protocol::{Permission, PictureKind, ReasoningEffort, Thinking};
use serde_json::json;

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

#[test]
fn a_provider_is_told_to_think_or_not_only_where_it_has_a_field_for_it() {
    let tuning = ModelTuning {
        thinking: Some(Thinking::Off),
        reasoning_effort: Some(ReasoningEffort::High),
        ..ModelTuning::default()
    };
    let mut request = ModelRequest {
        model: "scripted".to_owned(),
        messages: vec![Message::user("four")],
        tools: ToolSet::empty(),
        forbids_tools: false,
        max_output_tokens: None,
        tuning,
    };
    // T8: a journal of before, which says nothing of it.
    let before = json!({ "wire": { "usageOption": true, "limit": "max_tokens" } });
    let has = |shape, request: &ModelRequest, profile: &Profile| shape::is_in(shape, request, profile);
    let mut profile: Profile = serde_json::from_value(before).unwrap();
    assert!(!profile.switches_thinking() && !Profile::default().switches_thinking());
    assert_eq!(profile.tuned(tuning), ModelTuning { thinking: None, ..tuning });
    assert_eq!([Shape::Thinking, Shape::Effort].map(|shape| has(shape, &request, &profile)), [false, true]);
    let before = serde_json::to_value(&profile).unwrap();
    assert_eq!(before["wire"].get("thinking"), None);

    let wire = profile.wire.unwrap();
    profile.wire = Some(Wire { thinking: Some(ThinkingSwitch::TemplateArgument), ..wire });
    assert!(profile.switches_thinking());
    assert_eq!(serde_json::from_value::<Profile>(serde_json::to_value(&profile).unwrap()).unwrap(), profile);
    assert_eq!(profile.tuned(tuning), tuning);
    // An effort that contradicts it is not in the request, until the endpoint has refused to be told.
    assert_eq!([Shape::Thinking, Shape::Effort].map(|shape| has(shape, &request, &profile)), [true, false]);
    shape::change(Shape::Thinking, &mut request, &mut profile);
    assert_eq!([Shape::Thinking, Shape::Effort].map(|shape| has(shape, &request, &profile)), [false, true]);
    assert!(!profile.switches_thinking());
}
