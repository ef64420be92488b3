//! Names of files in a large project, while one is typed behind an `@`: from the key to the frame that shows what fits.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use support::webdriver::keys;
use support::{Folder, Script, Window};

use crate::table::Goal;
use crate::window::{desktop, word};

/// 500,000 files, 100 in each folder.
const FOLDERS: usize = 5_000;
const FILES: usize = 100;
/// What is typed: a name, in its letters and in some of them, and one that no file has.
const TYPED: [&str; 3] = ["fox4123", "d12f7", "zzqx"];
/// How long a key is waited for that changes nothing in the list.
const PATIENCE: Duration = Duration::from_secs(1);

/// Keeps the time from each key to the frame after that in which the list is another one.
const WATCH: &str = "
    const form = document.querySelector(\"[data-testid='composer']\").closest('form');
    const list = () => form.querySelector(\"[data-testid='at-list']\")?.innerText ?? '';
    let [began, before] = [null, ''];
    window.keys_ = [];
    form.addEventListener('input', () => ([began, before] = [performance.now(), list()]), true);
    new MutationObserver(() => {
        if (began === null || list() === before) return;
        const at = began;
        began = null;
        requestAnimationFrame(() => window.keys_.push(performance.now() - at));
    }).observe(form, { childList: true, characterData: true, subtree: true });";

pub(crate) async fn all(add: &mut impl FnMut(&'static str, &'static str, Goal, f64)) -> Result<()> {
    let model = Script::new().start();
    let desktop = desktop(&model)?;
    let folder = Folder::empty();
    for number in 0..FOLDERS {
        let inside = folder.path().join(format!("d{number}{}", word(number).trim()));
        fs::create_dir(&inside)?;
        for file in 0..FILES {
            fs::write(inside.join(format!("f{file}ox{number}.rs")), "")?;
        }
    }
    let window = desktop.open(Some(&folder.path())).await;
    // The names are read when they are first asked for.
    window.write("composer", "@").await;
    let read = || async {
        let whole = "const list = document.querySelector(\"[data-testid='at-list']\"); return list !== null && list.querySelector('p') === null";
        Ok(window.session.execute(whole, json!([])).await?.as_bool().filter(|read| *read))
    };
    window.until("all names to be read", read).await;
    window.script(WATCH, json!([])).await;

    let mut figures = Vec::new();
    for typed in TYPED {
        window.fill("composer", "@").await;
        for letter in typed.chars() {
            let before = times(&window).await?.len();
            window.press(&[letter]).await;
            figures.extend(after(&window, before).await?);
        }
    }
    window.press(&[keys::ESCAPE]).await;
    window.quit().await;
    model.finish();
    ensure!(figures.len() > TYPED.len(), "the list did not change while names were typed");
    let slowest = figures.into_iter().fold(0.0, f64::max);
    add("a key behind an @ in 500,000 files: to what fits, the slowest", "ms", Goal::AtMost(50.0), slowest);
    Ok(())
}

/// The time of the key that was just pressed, where it changed the list.
async fn after(window: &Window, before: usize) -> Result<Option<f64>> {
    let until = std::time::Instant::now() + PATIENCE;
    while std::time::Instant::now() < until {
        if let Some(time) = times(window).await?.get(before) {
            return Ok(Some(*time));
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(None)
}

async fn times(window: &Window) -> Result<Vec<f64>> {
    serde_json::from_value(window.script("return window.keys_", json!([])).await).context("the times of keys")
}
