//! A picture of a display as a person would see it: what the X server shows, read from the server itself.
//!
//! WebDriver's own screenshots make the webview paint once more. Where it paints without OpenGL, they never return.

use anyhow::{Context, Result, ensure};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt, GetGeometryReply, ImageFormat, ImageOrder, MapState, Window};
use x11rb::rust_connection::RustConnection;

/// Saves the largest window of a display as a PNG file.
///
/// # Errors
/// There is no such display, it shows no window, or it has other pixels than Xvfb's with 24 bits.
pub(crate) fn largest_window(display: &str) -> Result<Vec<u8>> {
    let (server, screen) = x11rb::connect(Some(display))?;
    let setup = server.setup();
    ensure!(setup.image_byte_order == ImageOrder::LSB_FIRST, "pixels of another byte order");
    let root = setup.roots.get(screen).context("the screen")?.root;
    let place = largest(&server, root)?;
    let (width, height) = (place.width, place.height);
    let image =
        server.get_image(ImageFormat::Z_PIXMAP, root, place.x, place.y, width, height, u32::MAX)?.reply()?;
    ensure!(image.data.len() == usize::from(width) * usize::from(height) * 4, "pixels of four bytes");
    // Blue, green, red and a byte that says nothing.
    let pixels: Vec<u8> =
        image.data.chunks_exact(4).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect();
    let mut picture = Vec::new();
    let mut encoder = png::Encoder::new(&mut picture, width.into(), height.into());
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(picture)
}

/// The place of the largest window that is seen.
///
/// # Errors
/// The display shows no window.
pub(crate) fn largest(server: &RustConnection, root: Window) -> Result<GetGeometryReply> {
    let mut shown = Vec::new();
    for window in server.query_tree(root)?.reply()?.children {
        if server.get_window_attributes(window)?.reply()?.map_state == MapState::VIEWABLE {
            shown.push(server.get_geometry(window)?.reply()?);
        }
    }
    let largest = shown.into_iter().max_by_key(|it| u32::from(it.width) * u32::from(it.height));
    largest.context("a window on the display")
}
