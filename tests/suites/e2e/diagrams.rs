//! Diagrams and formulas in the real window: the frame that draws lives within the policy of the app's own pages.

use serde_json::json;
use support::{Desktop, Script, Window};

use crate::pictures::both_sizes;
use crate::scene::{Theme, ask, desktop, foxes, in_themes};

const ANSWER: &str = "Foxes are counted like this:\n\n```mermaid\nflowchart LR\n  A[A fox is seen] --> B{Red?}\n  B -- yes --> C[Count it]\n  B -- no --> D[Ask a person]\n```\n\n\
Of $n$ foxes, about $\\frac{n}{3}$ are red:\n\n$$\\sum_{i=1}^{n} r_i \\approx \\frac{n}{3}$$\n";

#[tokio::test]
async fn a_diagram_and_formulas_are_drawn() {
    in_themes(Theme::Light, draws).await;
}

async fn draws(theme: fn(Desktop) -> Desktop, name: &str) {
    let model = Script::new().turn(|t| t.text(ANSWER).end("stop")).start();
    let (desktop, folder) = (theme(desktop(&model)), foxes());
    let window = desktop.open(Some(&folder.path())).await;
    ask(&window, "How are foxes counted?").await;
    window.reads("state", "Answered").await;
    some(&window, "[data-testid='diagram'] img", "e.naturalWidth > 100 && e.naturalHeight > 20").await;
    some(&window, "[data-testid='answer'] math", "e.getBoundingClientRect().width > 5").await;
    both_sizes(&window, "diagram", name).await;
    window.quit().await;
    model.finish();
}

/// Waits until there is an element for which this holds.
async fn some(window: &Window, css: &str, holds: &str) {
    let script = format!("return [...document.querySelectorAll(arguments[0])].some((e) => {holds})");
    window
        .until(&format!("{css} with {holds}"), async || {
            Ok(window.session.execute(&script, json!([css])).await?.as_bool().filter(|found| *found))
        })
        .await;
}
