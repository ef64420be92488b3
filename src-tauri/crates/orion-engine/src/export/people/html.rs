//! The conversation as one page: no script, nothing from elsewhere, light and dark.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd};
use sha2::Digest as _;

use super::{Block, Talk, visible};

const STYLE: &str = include_str!("page.css");

pub(crate) fn html(talk: &Talk) -> String {
    // The page's own style alone is allowed, by its digest.
    let style = STANDARD.encode(sha2::Sha256::digest(STYLE.as_bytes()));
    let (title, project) = (text(&talk.title), text(&talk.project));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<header>\n<h1>{title}</h1>\n<p>{project}</p>\n</header>\n"
    );
    for turn in &talk.turns {
        page.push_str("<article>\n");
        for (block, name) in turn.named() {
            page.push_str(&self::block(block, name));
        }
        page.push_str("</article>\n");
    }
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn block(block: &Block, name: Option<&str>) -> String {
    let head = name.map_or_else(String::new, |name| format!("<h2>{}</h2>", text(name)));
    match block {
        Block::You(said) => {
            format!("<section class=\"you\">{head}<p class=\"plain\">{}</p></section>\n", text(said))
        }
        Block::Answer(said) => format!("<section class=\"answer\">{head}{}</section>\n", rendered(said)),
        Block::Reasoning(said) => {
            boxed("reasoning", "Reasoning", "", &format!("<p class=\"plain\">{}</p>", text(said)))
        }
        Block::Call { name, arguments, outcome, result } => {
            let result =
                if result.is_empty() { String::new() } else { format!("<pre>{}</pre>", text(result)) };
            boxed("call", name, outcome, &format!("<pre>{}</pre>{result}", text(arguments)))
        }
        Block::Write { path, outcome, difference } => {
            boxed("write", path, outcome, &format!("<pre class=\"diff\">{}</pre>", lines(difference)))
        }
        Block::Notice(said) => format!("<p class=\"notice\">{}</p>\n", text(said)),
    }
}

fn boxed(class: &str, name: &str, outcome: &str, inside: &str) -> String {
    let (name, outcome) = (text(name), text(outcome));
    format!(
        "<details class=\"{class}\"><summary><span class=\"name\">{name}</span> <span class=\"outcome\">{outcome}</span></summary>{inside}</details>\n"
    )
}

/// A difference, line by line.
fn lines(difference: &str) -> String {
    let line = |line: &str| {
        let class = match line.as_bytes() {
            [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => "file",
            [b'+', ..] => "added",
            [b'-', ..] => "removed",
            [b'@', ..] => "place",
            _ => "same",
        };
        format!("<span class=\"{class}\">{}</span>", text(line))
    };
    difference.split_inclusive('\n').map(line).collect()
}

/// Text in a page, with every character visible.
pub(super) fn text(text: &str) -> String {
    escaped(&visible(text))
}

/// Text in a page, also in an attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // No character of HTML.
            '\0' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Markdown of a model as HTML. Its own HTML is text; a link that leads elsewhere than to the web or to mail is text; an image is its
/// description.
fn rendered(markdown: &str) -> String {
    let markdown = visible(markdown);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut open = Vec::new();
    let events = Parser::new_ext(&markdown, options).filter_map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => Some(Event::Text(html)),
        Event::Start(Tag::HtmlBlock) => Some(Event::Start(Tag::Paragraph)),
        Event::End(TagEnd::HtmlBlock) => Some(Event::End(TagEnd::Paragraph)),
        Event::Start(Tag::Link { link_type, dest_url, .. }) => {
            let leads = leads_out(&dest_url);
            open.push(leads);
            let title = CowStr::Borrowed("");
            leads.then_some(Event::Start(Tag::Link { link_type, dest_url, title, id: CowStr::Borrowed("") }))
        }
        Event::End(TagEnd::Link) => open.pop().unwrap_or(false).then_some(Event::End(TagEnd::Link)),
        Event::Start(Tag::Image { .. }) => Some(Event::Text(CowStr::Borrowed("[Image: "))),
        Event::End(TagEnd::Image) => Some(Event::Text(CowStr::Borrowed("]"))),
        event => Some(event),
    });
    let mut html = String::with_capacity(markdown.len() * 3 / 2);
    pulldown_cmark::html::push_html(&mut html, events);
    html
}

fn leads_out(address: &str) -> bool {
    let scheme = address.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    scheme.is_some_and(|scheme| ["http", "https", "mailto"].contains(&scheme.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_model_writes_becomes_more_than_text_and_links_to_the_web() {
        let cases = [
            ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"),
            ("a <img src=x onerror=alert(1)> b", "<p>a &lt;img src=x onerror=alert(1)&gt; b</p>\n"),
            ("[x](javascript:alert(1))", "<p>x</p>\n"),
            ("[x](JaVaScRiPt:alert(1)) [y](data:text/html,z)", "<p>x y</p>\n"),
            ("<javascript:alert(1)>", "<p>javascript:alert(1)</p>\n"),
            ("[x](//evil.example)", "<p>x</p>\n"),
            ("![pixel](https://evil.example/p.png)", "<p>[Image: pixel]</p>\n"),
            ("[![a](https://e.example/p.png)](javascript:b)", "<p>[Image: a]</p>\n"),
            (
                "[x](https://e.example/?a=1&b=\"2\")",
                "<p><a href=\"https://e.example/?a=1&amp;b=%222%22\">x</a></p>\n",
            ),
            ("`</style>`", "<p><code>&lt;/style&gt;</code></p>\n"),
            ("a\u{202e}b", "<p>a&lt;U+202E&gt;b</p>\n"),
        ];
        for (markdown, html) in cases {
            assert_eq!(rendered(markdown), html, "{markdown}");
        }
    }
}
