//! How the webview paints on a computer without a graphics processor, such as a virtual machine or a remote desktop.
//!
//! WebKitGTK composes its pages with OpenGL. Without a graphics processor OpenGL is a program that compiles each shader
//! before its first use and copies every frame to memory and back. A streaming answer then gets a dozen frames a
//! second. When the webview paints straight to memory, it gets all of them (docs/performance.md). Deliberately not
//! here: other systems, whose webviews handle this themselves.

use std::path::Path;

use gtk::glib;

/// Where Linux has the graphics processors that can render (drm(7): `renderD128` and so on).
const PROCESSORS: &str = "/dev/dri";

/// WebKitGTK paints to memory where this is set. The setting of a webview says the same, but can only be made once there is one: by
/// then WebKit has looked for OpenGL and its process has been told to begin with it.
const TO_MEMORY: &str = "WEBKIT_DISABLE_COMPOSITING_MODE";

/// Makes webviews paint to memory when there is no graphics processor, unless the person who started Orion chose
/// otherwise. Must be called before there is a second thread, as it changes the environment.
pub(crate) fn suit() {
    if !can_render(Path::new(PROCESSORS)) {
        // It fails for impossible names alone.
        let _ = glib::setenv(TO_MEMORY, "1", false);
    }
}

/// Webviews of this process paint to memory.
pub(crate) fn is_to_memory() -> bool {
    std::env::var_os(TO_MEMORY).is_some_and(|set| set == "1")
}

fn can_render(processors: &Path) -> bool {
    let names = std::fs::read_dir(processors).into_iter().flatten().flatten();
    names.map(|entry| entry.file_name()).any(|name| name.to_string_lossy().starts_with("renderD"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_that_can_only_show_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let devices = folder.path().join("dri");
        assert!(!can_render(&devices), "there is none");
        std::fs::create_dir(&devices).unwrap();
        std::fs::write(devices.join("card0"), "").unwrap();
        assert!(!can_render(&devices), "it shows a picture and renders none");
        std::fs::write(devices.join("renderD128"), "").unwrap();
        assert!(can_render(&devices));
    }
}
