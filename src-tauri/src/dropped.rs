//! A folder that a person drops on the window opens, as if they had picked it in the dialog.
//!
//! The system tells this process where the folder is. The webview is told no path and names none, so nothing that runs there can open a
//! folder by pretending a drop: a drag that began in the window itself is not for it either. Deliberately not here: files that are
//! dropped, whose content the webview is given by the system.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gtk::glib;
use gtk::prelude::{DragContextExtManual, WidgetExt};
use tauri::{AppHandle, Manager, WebviewWindow};

use crate::shell::Shell;

/// Opens folders that are dropped on a window from now on.
pub(crate) fn open_folders(window: &WebviewWindow) -> tauri::Result<()> {
    let app = window.app_handle().clone();
    window.with_webview(move |webview| {
        let webview = webview.inner();
        // What the drag over the window carries.
        let carried: Rc<RefCell<Vec<PathBuf>>> = Rc::default();
        let store = Rc::clone(&carried);
        webview.connect_drag_data_received(move |_, drag, _, _, data, _, _| {
            let paths =
                data.uris().iter().filter_map(|uri| Some(glib::filename_from_uri(uri).ok()?.0)).collect();
            *store.borrow_mut() = if drag.drag_get_source_widget().is_none() { paths } else { Vec::new() };
        });
        let left = Rc::clone(&carried);
        webview.connect_drag_leave(move |_, _, _| {
            // A drop leaves first, and comes right after.
            let left = Rc::clone(&left);
            glib::idle_add_local_once(move || left.borrow_mut().clear());
        });
        webview.connect_drag_drop(move |_, drag, _, _, time| {
            let Some(folder) = folder_of(&carried.take()) else { return false };
            drag.drop_finish(true, time);
            show(&app, folder);
            true
        });
    })
}

fn show(app: &AppHandle, folder: PathBuf) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        if let Ok(engine) = app.state::<Shell>().engine().await {
            engine.show_project(&folder).await;
        }
    });
}

/// The folder of a drop. Files, and several folders at once, are not for it.
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
