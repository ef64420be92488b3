//! What the window keeps from one start to the next: its size, its place, and how large everything in it is.

use serde_json::{Value, json};
use support::webdriver::keys;
use support::{Script, Window};

use crate::pictures::picture;
use crate::scene::{desktop, foxes};

/// Waits until the page has this many CSS pixels in its width.
async fn wide(window: &Window, pixels: u64) {
    window
        .until(&format!("a page {pixels} wide"), async || {
            let width = window.session.execute("return innerWidth", json!([])).await?;
            Ok((width == Value::from(pixels)).then_some(()))
        })
        .await;
}

#[tokio::test]
async fn its_size_its_place_and_its_zoom_are_those_of_last_time() {
    let model = Script::new().start();
    let (desktop, folder) = (desktop(&model), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    window.see("composer").await;
    window.resize(1000, 700).await;
    desktop.move_to("Orion", (120, 90));
    // 110 %, then 125 %.
    window.press(&[keys::CONTROL, '+']).await;
    wide(&window, 909).await;
    window.press(&[keys::CONTROL, '+']).await;
    wide(&window, 800).await;
    picture(&window, "zoomed").await;
    window.quit().await;

    let window = desktop.open(Some(&folder.path())).await;
    window.see("composer").await;
    wide(&window, 800).await;
    assert_eq!(desktop.place("Orion"), (120, 90));
    window.press(&[keys::CONTROL, '-']).await;
    wide(&window, 909).await;
    window.press(&[keys::CONTROL, '0']).await;
    wide(&window, 1000).await;
    window.quit().await;
    model.finish();
}
