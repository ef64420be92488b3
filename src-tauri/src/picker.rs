//! The system's own dialog for picking a folder.
//!
//! On Linux it is GTK's, run by the loop that the window already has. The plugin would start a second loop in another
//! thread that never ends and competes for the window's events, and its dialog would belong to no window. Elsewhere the
//! plugin is used. Deliberately not here: opening the folder.

use std::path::PathBuf;

use orion_protocol::{Code, ErrorInfo};
use tauri::WebviewWindow;

const TITLE: &str = "Open a folder";

/// The folder that the person picked. None when the dialog was closed.
///
/// # Errors
/// The folder's path is not text, which no message to the webview could carry.
pub(crate) async fn pick_folder(window: &WebviewWindow) -> Result<Option<String>, ErrorInfo> {
    let picked = ask(window).await.map(|folder| folder.into_os_string().into_string());
    picked.transpose().map_err(|_| {
        ErrorInfo::new(
            Code::ProjectUnreadable,
            "The path of this folder is not valid Unicode.",
            "Rename the folder, or open another one.",
        )
    })
}

#[cfg(target_os = "linux")]
async fn ask(window: &WebviewWindow) -> Option<PathBuf> {
    use gtk::glib;
    use gtk::prelude::{FileChooserExt, NativeDialogExt, NativeDialogExtManual};

    let (tell, picked) = tokio::sync::oneshot::channel();
    let window = window.clone();
    glib::MainContext::default().spawn_from_within(move || async move {
        let dialog = gtk::FileChooserNative::builder()
            .title(TITLE)
            .action(gtk::FileChooserAction::SelectFolder)
            .modal(true)
            .build();
        dialog.set_transient_for(window.gtk_window().ok().as_ref());
        dialog.set_current_folder(glib::home_dir());
        let answer = dialog.run_future().await;
        // Nobody waits any more when the window was closed meanwhile.
        let _ = tell.send((answer == gtk::ResponseType::Accept).then(|| dialog.filename()).flatten());
        dialog.destroy();
    });
    picked.await.ok().flatten()
}

#[cfg(not(target_os = "linux"))]
async fn ask(window: &WebviewWindow) -> Option<PathBuf> {
    use tauri_plugin_dialog::DialogExt;

    let (tell, picked) = tokio::sync::oneshot::channel();
    window.dialog().file().set_parent(window).set_title(TITLE).pick_folder(move |path| {
        // Nobody waits any more when the window was closed meanwhile.
        let _ = tell.send(path);
    });
    // Only phones give a URL instead of a path.
    picked.await.ok().flatten()?.into_path().ok()
}
