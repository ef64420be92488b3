//! The system's own dialogs for picking a folder or a file.
//!
//! On Linux they are GTK's, run by the loop that the window already has. The plugin would start a second loop in another
//! thread that never ends and competes for the window's events, and its dialog would belong to no window. Elsewhere the
//! plugin is used. Deliberately not here: opening what was picked.

use std::path::PathBuf;

use orion_protocol::{Code, ErrorInfo};
use tauri::WebviewWindow;

/// What a person picks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pick {
    Folder,
    /// A session that was exported.
    Exported,
    /// A file to write, under this name if they choose no other. The dialog asks before one is replaced.
    NewFile(String),
}

impl Pick {
    fn title(&self) -> &'static str {
        match self {
            Self::Folder => "Open a folder",
            Self::Exported => "Open an exported session",
            Self::NewFile(_) => "Export",
        }
    }

    fn not_unicode(&self) -> ErrorInfo {
        match self {
            Self::Folder => ErrorInfo::new(
                Code::ProjectUnreadable,
                "The path of this folder is not valid Unicode.",
                "Rename the folder, or open another one.",
            ),
            Self::Exported | Self::NewFile(_) => ErrorInfo::new(
                Code::Usage,
                "The path of this file is not valid Unicode.",
                "Choose a file in another folder, or with another name.",
            ),
        }
    }
}

/// What the person picked. None when the dialog was closed.
///
/// # Errors
/// The path is not text, which no message to the webview could carry.
pub(crate) async fn pick(window: &WebviewWindow, what: Pick) -> Result<Option<String>, ErrorInfo> {
    let picked = ask(window, what.clone()).await.map(|path| path.into_os_string().into_string());
    picked.transpose().map_err(|_| what.not_unicode())
}

#[cfg(target_os = "linux")]
async fn ask(window: &WebviewWindow, what: Pick) -> Option<PathBuf> {
    use gtk::glib;
    use gtk::prelude::{FileChooserExt, NativeDialogExt, NativeDialogExtManual};

    let (tell, picked) = tokio::sync::oneshot::channel();
    let window = window.clone();
    glib::MainContext::default().spawn_from_within(move || async move {
        let action = match what {
            Pick::Folder => gtk::FileChooserAction::SelectFolder,
            Pick::Exported => gtk::FileChooserAction::Open,
            Pick::NewFile(_) => gtk::FileChooserAction::Save,
        };
        let dialog = gtk::FileChooserNative::builder().title(what.title()).action(action).modal(true).build();
        dialog.set_transient_for(window.gtk_window().ok().as_ref());
        dialog.set_current_folder(glib::home_dir());
        if let Pick::NewFile(name) = &what {
            dialog.set_do_overwrite_confirmation(true);
            dialog.set_current_name(name);
        }
        let answer = dialog.run_future().await;
        // Nobody waits any more when the window was closed meanwhile.
        let _ = tell.send((answer == gtk::ResponseType::Accept).then(|| dialog.filename()).flatten());
        dialog.destroy();
    });
    picked.await.ok().flatten()
}

#[cfg(not(target_os = "linux"))]
async fn ask(window: &WebviewWindow, what: Pick) -> Option<PathBuf> {
    use tauri_plugin_dialog::DialogExt;

    let (tell, picked) = tokio::sync::oneshot::channel();
    let dialog = window.dialog().file().set_parent(window).set_title(what.title());
    // Nobody waits any more when the window was closed meanwhile.
    let tell = move |path| {
        let _ = tell.send(path);
    };
    match what {
        Pick::Folder => dialog.pick_folder(tell),
        Pick::Exported => dialog.pick_file(tell),
        Pick::NewFile(name) => dialog.set_file_name(name).save_file(tell),
    }
    // Only phones give a URL instead of a path.
    picked.await.ok().flatten()?.into_path().ok()
}
