//! What the page cannot do, whatever text a model or a file puts into it.

use serde_json::json;
use support::Desktop;

use crate::scene::invoke;

#[tokio::test]
async fn the_page_reaches_the_three_commands_and_nothing_else() {
    let desktop = Desktop::start();
    let window = desktop.open(None).await;
    window.see("welcome").await;

    for command in [
        "plugin:dialog|open",
        "plugin:window|close",
        "plugin:webview|internal_toggle_devtools",
        "plugin:path|resolve_directory",
    ] {
        let refused = invoke(&window, command, json!({})).await;
        assert!(refused["rejected"].is_string(), "{command}: {refused}");
    }
    let typed =
        invoke(&window, "submit", json!({ "op": { "type": "format_disk", "key": "sk-secret" } })).await;
    assert_eq!(typed["rejected"]["code"], "usage", "{typed}");
    assert!(!typed.to_string().contains("sk-secret"), "{typed}");
    // A folder is opened when a person picks it, or when it was opened before.
    let home = desktop.data_dir();
    let folder = json!({ "op": { "type": "open_project", "path": home.to_str() } });
    let unpicked = invoke(&window, "submit", folder).await;
    assert_eq!(unpicked["rejected"]["code"], "project_unknown", "{unpicked}");
    let frozen = window.script("return Object.isFrozen(Object.prototype)", json!([])).await;
    assert_eq!(frozen, json!(true));
    let state = invoke(&window, "query", json!({ "query": { "type": "state" } })).await;
    assert_eq!(state["type"], "state", "{state}");
    window.quit().await;
}

#[tokio::test]
async fn the_page_goes_nowhere_and_calls_nobody() {
    let desktop = Desktop::start();
    let window = desktop.open(None).await;
    window.see("welcome").await;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let elsewhere = format!("http://{}/", listener.local_addr().unwrap());

    let attempts = "
        const refused = [];
        document.addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));
        await fetch(arguments[0]).catch(() => {});
        const image = new Image();
        await new Promise((over) => { image.onload = image.onerror = over; image.src = arguments[0] + 'picture.png'; });
        const script = document.createElement('script');
        await new Promise((over) => { script.onload = script.onerror = over; script.src = arguments[0] + 'script.js'; document.head.append(script); });
        const inline = document.createElement('script');
        inline.textContent = 'window.inlineRan = true';
        document.head.append(inline);
        await new Promise((next) => setTimeout(next));
        return { refused, inlineRan: window.inlineRan ?? false, opened: window.open(arguments[0]) !== null };
    ";
    let outcome = window
        .script(
            &format!("return (async function () {{ {attempts} }}).apply(null, arguments)"),
            json!([elsewhere]),
        )
        .await;
    let refused = json!(["connect-src", "img-src", "script-src-elem", "script-src-elem"]);
    assert_eq!(outcome, json!({ "refused": refused, "inlineRan": false, "opened": false }));

    window.script("location.href = arguments[0]", json!([elsewhere])).await;
    let place = window
        .script("return new Promise((shown) => setTimeout(() => shown(location.href)))", json!([]))
        .await;
    assert_eq!(place, json!("tauri://localhost"));
    window.see("welcome").await;
    listener.set_nonblocking(true).unwrap();
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock, "somebody called");
    window.quit().await;
}

// 0109
#[tokio::test]
async fn the_page_grants_nothing_and_opens_nothing_without_a_press_that_the_shell_has_seen() {
    let desktop = Desktop::start().with("FOX_KEY", "sk-fox");
    std::fs::create_dir_all(desktop.config_dir()).unwrap();
    // A variable that an endpoint sends to its own server, and to no other one.
    let settings = "[endpoints.fox]\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"fox-1\"\nkey_variable = \"FOX_KEY\"\n";
    std::fs::write(desktop.config_dir().join("config.toml"), settings).unwrap();
    let window = desktop.open(None).await;
    window
        .until("the shell to answer", async || {
            let state =
                window.session.execute("return document.readyState === 'complete'", json!([])).await?;
            Ok((state == json!(true)).then_some(()))
        })
        .await;
    let tool = json!({ "tool": "write_plan_begin", "permission": "allow", "timeoutMs": null, "maxPerTurn": null, "rules": [] });
    let save = json!({ "op": { "type": "save_tool", "tool": tool } });
    let link = json!({ "type": "link", "address": "https://example.org/?stolen" });
    let opens = json!({ "op": { "type": "open_external", "what": link } });
    let probe = json!({ "query": {
        "type": "probe", "baseUrl": "http://127.0.0.2:9/v1", "apiKey": null, "keyVariable": "FOX_KEY", "allowHttp": false,
    } });
    let pressed = "did not see that you pressed anything";
    for (command, arguments) in [("submit", &save), ("submit", &opens), ("query", &probe)] {
        let refused = invoke(&window, command, arguments.clone()).await;
        let message = refused["rejected"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(pressed), "{arguments}: {refused}");
    }
    // What the page presses itself is no press of a person.
    window.script("document.body.click()", json!([])).await;
    assert!(invoke(&window, "submit", save.clone()).await["rejected"].is_object());
    // A person presses, and that is good for one thing.
    window.press_anywhere().await;
    assert_eq!(invoke(&window, "submit", save.clone()).await["type"], "done");
    // The same once more grants nothing new.
    assert_eq!(invoke(&window, "submit", save).await["type"], "done");
    let refused = invoke(&window, "query", probe).await;
    assert!(refused["rejected"]["message"].as_str().unwrap_or_default().contains(pressed), "{refused}");
    window.quit().await;
}
