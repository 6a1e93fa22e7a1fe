//! Events to one HTML page that needs nothing beside itself: styles inside, images as `data:` addresses, no script.

use pulldown_cmark::{CowStr, Event, Tag, TagEnd, html};

use crate::Meta;
use crate::images::Images;
use crate::markdown::plain;

/// What a browser may load for the page, even if something slipped through.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

/// The page.
pub(crate) fn write(events: &[Event<'static>], images: &Images, meta: &Meta) -> String {
    let mut body = String::new();
    html::push_html(&mut body, with_images(&notes_last(events), images).into_iter());
    let title = escaped(&meta.title);
    let heading =
        meta.heading.as_ref().map(|text| format!("<h1 class=\"title\">{}</h1>\n", escaped(text))).unwrap_or_default();
    let tag = |name: &str, value: &Option<String>| {
        value
            .as_ref()
            .map(|value| format!("<meta name=\"{name}\" content=\"{}\">\n", escaped(value)))
            .unwrap_or_default()
    };
    let (author, date) = (tag("author", &meta.author), tag("date", &meta.date));
    let (lang, css) = (meta.script.page_lang(), include_str!("../assets/page.css"));
    format!(
        "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n{author}{date}\
         <title>{title}</title>\n<style>\n{css}</style>\n</head>\n<body>\n<main>\n{heading}{body}</main>\n</body>\n</html>\n"
    )
}

/// The events with the footnotes behind everything else, in the order they were written.
fn notes_last(events: &[Event<'static>]) -> Vec<Event<'static>> {
    let (mut body, mut notes, mut depth) = (Vec::new(), Vec::new(), 0_usize);
    for event in events {
        depth += usize::from(matches!(event, Event::Start(Tag::FootnoteDefinition(_))));
        let place = if depth > 0 { &mut notes } else { &mut body };
        place.push(event.clone());
        depth -= usize::from(matches!(event, Event::End(TagEnd::FootnoteDefinition)));
    }
    if !notes.is_empty() {
        body.push(Event::Rule);
    }
    body.append(&mut notes);
    body
}

/// The events with each image as data or as its placeholder, and each table in a box that scrolls.
fn with_images(events: &[Event<'static>], images: &Images) -> Vec<Event<'static>> {
    let mut out = Vec::with_capacity(events.len());
    let mut missing: Option<(usize, String)> = None;
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::End(TagEnd::Image) if missing.is_some() => {
                let (from, url) = missing.take().unwrap_or_default();
                out.push(Event::Text(crate::missing_image(&url, &plain(&events[from..at])).into()));
            }
            _ if missing.is_some() => {}
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => match images.found.get(dest_url.as_ref()) {
                Some(image) => out.push(Event::Start(Tag::Image {
                    link_type: *link_type,
                    dest_url: CowStr::from(image.data_uri()),
                    title: title.clone(),
                    id: id.clone(),
                })),
                None => missing = Some((at + 1, dest_url.to_string())),
            },
            Event::Start(Tag::Table(_)) => out.extend([Event::Html("<div class=\"table\">".into()), event.clone()]),
            Event::End(TagEnd::Table) => out.extend([event.clone(), Event::Html("</div>\n".into())]),
            event => out.push(event.clone()),
        }
    }
    out
}

fn escaped(text: &str) -> String {
    quick_xml::escape::escape(crate::text::legal(text)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::images::{collect, tests::PNG};
    use crate::markdown::parse;
    use crate::text::Script;

    fn page(markdown: &str) -> String {
        let source = parse(markdown);
        let images = collect(&source.events, &|_, _| Err("none".to_owned()));
        let meta = Meta { title: "A <b> & \"c\"".into(), script: Script::of(markdown), ..Meta::default() };
        write(&source.events, &images, &meta)
    }

    #[test]
    fn the_page_stands_alone_and_escapes_its_title() {
        let html = page("# 天气\n\n|a|b|\n|-|-|\n|1|2|\n");
        assert!(html.starts_with("<!DOCTYPE html>\n<html lang=\"zh-CN\">"));
        assert!(html.contains("<title>A &lt;b&gt; &amp; &quot;c&quot;</title>"), "{html}");
        assert!(html.contains("<h1 id=\"天气\">天气</h1>") && html.contains("<div class=\"table\"><table>"));
        assert!(!html.contains("http:") && !html.contains("https:"), "the page refers to nothing outside");
    }

    #[test]
    fn nothing_that_runs_gets_through() {
        let hostile = "<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\na <b onclick=x>b</b>\n\n\
                       [l](javascript:alert(1)) ![i](javascript:alert(1)) <javascript:alert(1)>\n\n```\"><script>\nx\n```\n";
        let html = page(hostile);
        let body = html.split("<main>").nth(1).expect("a body");
        for bad in ["<script", "<img", "<b ", "href=\"javascript", "src=\"javascript"] {
            assert!(!body.contains(bad), "{bad} in {body}");
        }
    }

    #[test]
    fn footnotes_stand_at_the_end() {
        let html = page("a[^1]\n\n[^1]: the note\n\nlast paragraph");
        assert!(html.find("the note") > html.find("last paragraph"), "{html}");
    }

    #[test]
    fn images_are_embedded_or_named() {
        let html = page(&format!("![dot](data:image/png;base64,{PNG}) ![Map *of* it](map.png)"));
        assert!(html.contains("<img src=\"data:image/png;base64,iVBOR") && html.contains("alt=\"dot\""), "{html}");
        assert!(html.contains("[image: Map of it]"), "{html}");
    }
}
