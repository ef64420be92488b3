//! What a person drops on the window: a folder opens, as if they had picked it in the dialog, and files go to the message that is written.
//!
//! The system tells this process where they are, and the web view hands no files to the page (0058). The page is told no path and names
//! none, so nothing that runs there can open a folder or read a file by pretending a drop: a drag that began in the window itself is not
//! for it either.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gtk::glib;
use gtk::prelude::{DragContextExtManual, WidgetExt};
use tauri::{AppHandle, Manager, WebviewWindow};

use crate::shell::Shell;

/// Takes what is dropped on a window from now on.
pub(crate) fn take(window: &WebviewWindow) -> tauri::Result<()> {
    let app = window.app_handle().clone();
    window.with_webview(move |webview| {
        let webview = webview.inner();
        // What the drag over the window carries.
        let carried: Rc<RefCell<Vec<PathBuf>>> = Rc::default();
        let store = Rc::clone(&carried);
        webview.connect_drag_data_received(move |_, drag, _, _, data, _, _| {
            let paths = paths_of(&data.uris());
            // The other forms of the same thing come too, and name no files.
            if !paths.is_empty() && drag.drag_get_source_widget().is_none() {
                *store.borrow_mut() = paths;
            }
        });
        let left = Rc::clone(&carried);
        webview.connect_drag_leave(move |_, _, _| {
            // A drop leaves first, and comes right after.
            let left = Rc::clone(&left);
            glib::idle_add_local_once(move || left.borrow_mut().clear());
        });
        webview.connect_drag_drop(move |_, drag, _, _, time| {
            let paths = carried.take();
            // Something else than files: the page's to take.
            if paths.is_empty() {
                return false;
            }
            drag.drop_finish(true, time);
            bring(&app, paths);
            true
        });
    })
}

/// The files and folders of this computer that a list of addresses names.
pub(crate) fn paths_of(uris: &[glib::GString]) -> Vec<PathBuf> {
    let path = |uri: &glib::GString| {
        let (path, host) = glib::filename_from_uri(uri).ok()?;
        host.is_none_or(|host| host == "localhost").then_some(path)
    };
    uris.iter().filter_map(path).collect()
}

fn bring(app: &AppHandle, paths: Vec<PathBuf>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let Ok(engine) = app.state::<Shell>().engine().await else { return };
        match folder_of(&paths) {
            Some(folder) => engine.show_project(&folder).await,
            None => engine.drop_on_window(paths).await,
        }
    });
}

/// The folder that a drop opens. Files, and several folders at once, are none.
fn folder_of(paths: &[PathBuf]) -> Option<PathBuf> {
    match paths {
        [folder] if Path::is_dir(folder) => Some(folder.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_this_computer_are_taken() {
        let uris =
            ["file:///a%20b.txt", "file://localhost/c", "file://elsewhere/d", "https://fox.example/e", ""];
        let paths = paths_of(&uris.map(glib::GString::from));
        assert_eq!(paths, [PathBuf::from("/a b.txt"), PathBuf::from("/c")]);
    }

    #[test]
    fn one_folder_opens_and_nothing_else_does() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.txt");
        std::fs::write(&file, "a").unwrap();
        let path = folder.path().to_owned();
        assert_eq!(folder_of(std::slice::from_ref(&path)), Some(path.clone()));
        assert_eq!(folder_of(&[file]), None);
        assert_eq!(folder_of(&[path.clone(), path]), None);
        assert_eq!(folder_of(&["/nowhere/at/all".into()]), None);
        assert_eq!(folder_of(&[]), None);
    }
}
