//! Orion's window: it starts the engine, shows the webview and carries messages between the two.
//!
//! Deliberately not here: anything that decides. Turns, files, settings and keys belong to the engine, so that the
//! command line does the same without a window.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod arguments;
mod attention;
mod batch;
mod bridge;
mod commands;
#[cfg(target_os = "linux")]
mod display;
#[cfg(target_os = "linux")]
mod dropped;
mod external;
mod facts;
mod gate;
mod granting;
mod opening;
#[cfg(target_os = "linux")]
mod painting;
#[cfg(target_os = "linux")]
mod pasted;
mod picker;
#[cfg(target_os = "linux")]
mod presses;
mod recent;
mod shell;
mod single;
mod window;

use std::path::PathBuf;

use anyhow::Context;
use tauri::{AppHandle, Manager, RunEvent, WindowEvent};

use crate::arguments::Arguments;
use crate::attention::Attention;
use crate::granting::Granting;
use crate::opening::Opening;
use crate::shell::Shell;
use crate::single::{Request, Single};

fn main() -> anyhow::Result<()> {
    #[cfg(target_os = "linux")]
    painting::suit();
    let arguments = Arguments::of_process();
    if arguments.facts {
        return Ok(serde_json::to_writer(std::io::stdout(), &facts::of_process())?);
    }
    let opening = Opening::begin(arguments)?;
    let data_dir = opening.data_dir().to_owned();
    let Some(single) = Single::become_or_ask(&data_dir, &opening.request())? else { return Ok(()) };
    #[cfg(target_os = "linux")]
    display::reach()?;
    let kept_in = data_dir.clone();
    let builder = tauri::Builder::default();
    #[cfg(not(target_os = "linux"))]
    let builder = builder.plugin(tauri_plugin_dialog::init());
    builder
        .manage(Shell::default())
        .manage(Attention::default())
        .invoke_handler(tauri::generate_handler![
            commands::submit,
            commands::query,
            commands::subscribe,
            commands::zoom
        ])
        .setup(move |app| {
            let handle = app.handle().clone();
            app.manage(opening.examiner(facts::of_process()));
            tauri::async_runtime::spawn(async move {
                let shell = handle.state::<Shell>();
                shell.opened(opening.open().await);
            });
            tauri::async_runtime::spawn(attention::attend(app.handle().clone()));
            tauri::async_runtime::spawn(show_when_asked(app.handle().clone(), single));
            tauri::async_runtime::spawn(quit_on_signal(app.handle().clone(), data_dir.clone()));
            app.manage(Granting::default());
            let window = window::open(app, &data_dir)?;
            #[cfg(target_os = "linux")]
            {
                app.manage(pasted::Pasting::default());
                dropped::take(&window)?;
                pasted::listen(&window)?;
                presses::listen(&window)?;
            }
            #[cfg(not(target_os = "linux"))]
            drop(window);
            Ok(())
        })
        .on_window_event(move |window, event| match event {
            WindowEvent::CloseRequested { .. } => window::remember(window, &kept_in),
            WindowEvent::Focused(true) => attention::seen(window.app_handle()),
            _ => {}
        })
        .build(assets())
        .context("the window could not be made")?
        .run(|app, event| {
            if let RunEvent::Exit = event {
                tauri::async_runtime::block_on(app.state::<Shell>().close());
            }
        });
    Ok(())
}

/// What the build script prepared.
#[allow(clippy::expect_used, clippy::unwrap_used, reason = "the code is Tauri's")]
fn assets() -> tauri::Context {
    tauri::tauri_build_context!()
}

/// Shows the window, and the folder that was named, at every further start, and does what else it asks for.
async fn show_when_asked(app: AppHandle, single: Single) {
    loop {
        let Request { project, act } = single.asked().await;
        if let Some(window) = app.get_webview_window(window::LABEL) {
            window::show(&window);
        }
        let shell = app.state::<Shell>();
        if let (Some(project), Ok(engine)) = (project, shell.engine().await) {
            engine.show_project(&project).await;
        }
        if let Some(act) = act {
            shell.ask(act).await;
        }
    }
}

/// Ends the app in order when the session or a terminal asks it to.
async fn quit_on_signal(app: AppHandle, data_dir: PathBuf) {
    #[cfg(unix)]
    let asked = async {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut terminate, mut hangup) = (signal(SignalKind::terminate())?, signal(SignalKind::hangup())?);
        tokio::select! {
            _ = terminate.recv() => Ok(()),
            _ = hangup.recv() => Ok(()),
            interrupted = tokio::signal::ctrl_c() => interrupted,
        }
    };
    #[cfg(not(unix))]
    let asked = tokio::signal::ctrl_c();
    if let Err(error) = asked.await {
        tracing::warn!(%error, "signals cannot be heard");
        return;
    }
    if let Some(window) = app.get_webview_window(window::LABEL) {
        window::remember(&window.as_ref().window(), &data_dir);
    }
    app.exit(0);
}
