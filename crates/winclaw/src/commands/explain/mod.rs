//! `winclaw explain`: what a model would see for a request, and why. No model, no network.

mod compare;
mod json;
mod layout;
mod look;
mod page;
mod source;
mod words;

use winclaw_exposure::{Native, Settings};

use self::compare::Compared;
use self::layout::{Page, screen_width};
use self::look::{Asked, Context, Look};
use self::page::Extent;
use self::source::Source;
use crate::cli::{ExplainArgs, NativeWord};
use crate::complaint::{Complaint, Exit};
use crate::config::Config;
use crate::screen::Screen;
use crate::task::{MAX_TOOLS, WINDOW, settings, strategy};

/// Runs the command.
pub fn run(config: Config, screen: Screen, args: &ExplainArgs) -> Result<Exit, Complaint> {
    let request = super::run::read_request(&args.text)?;
    if winclaw_catalog::clean(&request, 1_000).is_empty() {
        return Err(Complaint::new(Exit::Usage, "the request is empty", "请求为空")
            .mend("say what a person would ask", "请写出用户会提出的请求"));
    }
    let source = Source::open(config, screen, args.tools.as_deref(), args.all)?;
    let context = context(&source, args)?;
    let asked = Asked { catalog: source.catalog(), ranking: source.ranking(), request: &request, context: &context };
    let native = args.native.map(|word| match word {
        NativeWord::References => Native::References,
        NativeWord::SearchResult => Native::SearchResult,
    });
    let settings = Settings { native, ..settings(&args.exposure, WINDOW, MAX_TOOLS) };
    match args.compare {
        true => compare(screen, asked, &settings, args),
        false => explain(screen, asked, settings, args),
    }
    Ok(Exit::Done)
}

fn explain(screen: Screen, asked: Asked<'_>, settings: Settings, args: &ExplainArgs) {
    let strategy = strategy(args.strategy);
    let everything = asked.everything(&settings);
    let look = Look::of(asked, Settings { strategy, ..settings });
    if args.json {
        return screen.json(&json::of(&look, everything, args.payload));
    }
    let mut page = Page::new(screen, screen_width());
    page::write(&mut page, &screen, &look, everything, Extent { all: args.all, payload: args.payload });
    print(screen, &page);
}

fn compare(screen: Screen, asked: Asked<'_>, settings: &Settings, args: &ExplainArgs) {
    let compared = Compared::of(asked, settings);
    if args.json {
        return screen.json(&compared.json());
    }
    let mut page = Page::new(screen, screen_width());
    compared.write(&mut page, &screen, args.all);
    print(screen, &page);
}

/// Prints the page at once: a long one in lines of their own would take a call to the system each.
fn print(screen: Screen, page: &Page) {
    screen.line(&page.lines().join("\n"));
}

fn context(source: &Source, args: &ExplainArgs) -> Result<Context, Complaint> {
    said("--used", &args.used)?;
    said("--plan", args.plan.as_slice())?;
    said("--earlier", &args.earlier)?;
    let used = args.used.iter().map(|name| source.find(name.trim())).collect::<Result<Vec<_>, _>>()?;
    Ok(Context { used, plan: args.plan.clone(), earlier: args.earlier.clone() })
}

/// Refuses an option that was given without a word: more likely a variable that is not set than a wish.
fn said(option: &str, values: &[String]) -> Result<(), Complaint> {
    match values.iter().all(|value| !value.trim().is_empty()) {
        true => Ok(()),
        false => Err(Complaint::new(Exit::Usage, format!("{option} has an empty value"), format!("{option} 的值为空"))
            .mend(format!("give {option} a value, or leave it out"), format!("请为 {option} 填写内容，或省略该选项"))),
    }
}

#[cfg(test)]
mod tests;
