//! Hosts that a command may reach, in the window (C2): one that it was refused, and the run again with it, which the person grants.

use serde_json::json;
use support::{PROXIED, PROXIED_SAYS, Script, binary, system_proxy};

use crate::commands::press;
use crate::pictures::both_sizes;
use crate::scene::{Theme, ask, desktop, foxes, in_themes};

#[tokio::test]
async fn a_refused_host_is_named_and_the_run_again_is_granted_by_the_person() {
    in_themes(Theme::Light, async |theme, name| {
        let _ = binary("orion-sandbox");
        let line = format!("curl -sS -p http://{PROXIED}/");
        let calls = |script: Script, arguments| {
            script.turn(move |t| t.text("I run it.").call("run_command", arguments).end("tool_calls"))
        };
        let first = calls(Script::new(), json!({ "command": line }));
        let refused = first.turn(|t| {
            let refused = format!("did not grant them: {PROXIED}.");
            t.expect(move |ask| assert!(ask.last_text().contains(&refused), "{}", ask.last_text()))
                .text("It needs the network.")
                .end("stop")
        });
        let again = calls(refused, json!({ "command": line, "network": [PROXIED] }));
        let model = again
            .turn(|t| {
                t.expect(|ask| assert!(ask.last_text().contains(PROXIED_SAYS), "{}", ask.last_text()))
                    .text("It is here.")
                    .end("stop")
            })
            .start();
        let desktop = theme(desktop(&model).with("HTTPS_PROXY", &system_proxy()));
        let folder = foxes();
        let window = desktop.open(Some(&folder.path())).await;
        ask(&window, "Fetch the packages.").await;
        window.reads("level", "Sandbox: full").await;
        press(&window, "approve").await;
        window.reads("answer", "It needs the network.").await;
        window.reads("hosts-refused", PROXIED).await;
        both_sizes(&window, "host-refused", name).await;
        press(&window, "run-again").await;
        window.reads("hosts", PROXIED).await;
        both_sizes(&window, "host-asked", name).await;
        press(&window, "approve").await;
        window.reads("answer", "It is here.").await;
        window.reads("state", "Answered").await;
        window.quit().await;
        model.finish();
    })
    .await;
}
