//! Where a key may go.

use orion_protocol::{EndpointChange, ErrorInfo, KeyInput, KeySource, Op, Query, Reply};
use support::Script;

use crate::driver_desk::Desk;
use crate::driver_facade::state;

fn change(base_url: &str) -> EndpointChange {
    EndpointChange {
        name: "mine".into(),
        base_url: base_url.into(),
        model: "small".into(),
        api_key: None,
        key_variable: None,
        make_default: false,
    }
}

async fn save(desk: &Desk, change: EndpointChange) -> Result<Reply, ErrorInfo> {
    desk.engine.submit(Op::SaveEndpoint { change }).await
}

#[tokio::test]
async fn a_key_that_was_given_for_one_address_goes_to_no_other() {
    let (first, second) = (Script::new().models(["small"]).start(), Script::new().models(["small"]).start());
    let desk = Desk::with(&Script::new().start()).await;
    let key = || Some(KeyInput("sk-for-the-first-alone".into()));
    save(&desk, EndpointChange { api_key: key(), ..change(&first.base_url()) }).await.unwrap();
    let source = async || {
        let endpoints = state(&desk.engine).await.settings.endpoints;
        endpoints.into_iter().find(|endpoint| endpoint.name == "mine").unwrap().key
    };
    let ask = async || desk.engine.query(Query::Models { endpoint: "mine".into() }).await.map(drop);

    // Another model at the same address keeps it.
    save(&desk, EndpointChange { model: "large".into(), ..change(&first.base_url()) }).await.unwrap();
    assert_eq!((source().await, ask().await), (KeySource::Memory, Ok(())));
    assert_eq!(first.listings()[0].header("authorization"), Some("Bearer sk-for-the-first-alone"));

    save(&desk, change(&second.base_url())).await.unwrap();
    assert_eq!((source().await, ask().await), (KeySource::None, Ok(())));
    assert_eq!(second.listings()[0].header("authorization"), None);

    // Nor does it come back with the address.
    save(&desk, change(&first.base_url())).await.unwrap();
    assert_eq!(source().await, KeySource::None);
    save(&desk, EndpointChange { api_key: key(), ..change(&second.base_url()) }).await.unwrap();
    assert_eq!(source().await, KeySource::Memory);
    first.finish();
    second.finish();
}
