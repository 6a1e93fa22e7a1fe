//! Results of the meta tools for the model.

use serde_json::{Map, Value, json};
use winclaw_catalog::{Catalog, CatalogTool, Resolution, State, ToolIx};
use winclaw_tool::{Failure, FailureCode};

use crate::disclose::{Disclosure, Want};
use crate::meta::{self, MetaCall};
use crate::{Answer, Because, Exposure, Level, estimate_tokens, shelves};

/// Searches without news after which the answer says that searching on is no use.
const QUIET_SEARCHES: u32 = 3;

/// Most tools that one note names: those that share a name, or those that a tool requires.
pub(crate) const MAX_NAMED: usize = 400;

/// Most hits of one search of which it is said why they cannot run.
const MAX_OFF: usize = 4;

/// Hits that an answer names whatever the window.
const MIN_FOUND: usize = 100;

/// Longest name of an unknown tool that is repeated to the model, in characters.
const MAX_NAME: usize = 80;

/// Longest query that is kept as a reason, in characters.
const MAX_QUERY: usize = 200;

impl Exposure {
    /// Reads a call of a meta tool as [`meta::parse`] does; one that is denied fails as denied.
    pub fn parse_meta(&self, name: &str, arguments: &Value) -> Option<Result<MetaCall, Failure>> {
        let parsed = meta::parse(name, arguments)?;
        match self.settings.allows(name) {
            true => Some(parsed),
            false => Some(Err(Failure::denied(format!("{name} may not be used here; call tools by their names")))),
        }
    }

    /// Raises tools to `Full` and gives their schemas, with what they require: as text for a tool result, or under Native in
    /// `reveals` as far as the vendor can show them. A schema that was given before costs one line. Empty when none of the
    /// tools may be shown.
    pub fn reveal(&mut self, catalog: &Catalog, tools: &[ToolIx], because: Because) -> Answer {
        let called = because == Because::CalledUnshown;
        let shown = self.disclose(catalog, tools, &because, Want::Each);
        let mut lines: Vec<String> = Vec::new();
        if called && shown.has_schemas() {
            let names: Vec<&str> =
                tools.iter().filter(|ix| self.prepared.permits(**ix)).map(|ix| wire(catalog, *ix)).collect();
            lines.push(format!("The parameters of {} had not been shown before; here they are.", names.join(", ")));
        }
        lines.extend(shown.schemas.iter().map(|schema| format!("Schema: {schema}")));
        if !shown.reveals.is_empty() {
            let names: Vec<&str> = shown.reveals.iter().map(|spec| spec.name.as_str()).collect();
            lines.push(format!("Shown with this result, called by name: {}.", names.join(", ")));
        }
        lines.extend(shown.notes.iter().map(|(name, note)| format!("{name}: {note}")));
        lines.extend(shown.repeated.iter().map(|ix| format!("{}: its schema is shown above.", wire(catalog, *ix))));
        lines.extend(shown.named.iter().map(|ix| too_large(catalog, *ix)));
        Answer { text: lines.join("\n"), reveals: shown.reveals }
    }

    /// The answer to `tool_search`: schemas of what was `found`, best first, as far as the budget for answers goes, and
    /// names of the rest, all callable at once; or the reason why there is nothing.
    pub fn search_answer(&mut self, catalog: &Catalog, found: &[ToolIx], query: &str) -> Answer {
        let because = Because::Searched { query: winclaw_catalog::clean(query, MAX_QUERY) };
        let shown = self.disclose(catalog, found, &because, Want::WhatFits);
        let news = shown.has_schemas() || shown.named.iter().any(|ix| !self.is_named(*ix));
        self.watch.quiet = if news { 0 } else { self.watch.quiet + 1 };
        let mut answer = Map::new();
        self.put_found(catalog, &shown, &mut answer);
        let hidden: Vec<&CatalogTool> = disabled(catalog, found, query).collect();
        if answer.is_empty() {
            answer.insert("found".into(), json!([]));
            answer.insert("why".into(), nothing_found(catalog, &hidden).into());
        } else if !hidden.is_empty() {
            answer.insert("not_available".into(), told_disabled(&hidden).into());
        }
        let cannot = self.cannot_run(catalog, found);
        if !cannot.is_empty() {
            answer.insert("cannot_run_now".into(), cannot.into());
        }
        let more = answer.contains_key("and_more");
        answer.insert("next".into(), self.what_next(&shown, more).into());
        Answer { text: Value::Object(answer).to_string(), reveals: shown.reveals }
    }

    /// Why permitted tools that were found cannot run, the first few of them.
    fn cannot_run(&self, catalog: &Catalog, found: &[ToolIx]) -> Vec<String> {
        let permitted = found.iter().filter(|ix| self.prepared.permits(**ix));
        permitted
            .filter_map(|ix| self.state_answer(catalog, *ix))
            .map(|failure| failure.message)
            .take(MAX_OFF)
            .collect()
    }

    /// How many searches in a row, up to the last one, showed nothing that was not shown before. When it is not zero,
    /// [`Signal::SearchWithoutNews`](crate::Signal::SearchWithoutNews) is due.
    pub fn searches_without_news(&self) -> u32 {
        self.watch.quiet
    }

    fn put_found(&mut self, catalog: &Catalog, shown: &Disclosure, answer: &mut Map<String, Value>) {
        let names = |tools: &[ToolIx]| tools.iter().map(|ix| wire(catalog, *ix).to_owned()).collect::<Vec<_>>();
        shown.put_schemas("found", answer);
        if !shown.repeated.is_empty() {
            answer.insert("shown_above".into(), names(&shown.repeated).into());
        }
        // What the model does not know by name comes first, so that a search that is repeated goes on where it ended.
        let (known, mut named): (Vec<ToolIx>, Vec<ToolIx>) = shown.named.iter().partition(|ix| self.is_named(**ix));
        named.extend(known);
        let (first, rest) = named.split_at(self.names_that_fit(catalog, &named));
        self.news.announce(first);
        if !first.is_empty() {
            let named = first.iter().map(|ix| shelves::name(catalog.get(*ix)));
            answer.insert("also_found".into(), named.collect::<Vec<_>>().into());
        }
        if !rest.is_empty() {
            answer.insert("and_more".into(), rest.len().into());
        }
    }

    /// How many of these names an answer holds: at least 100, else up to a tenth of the window.
    fn names_that_fit(&self, catalog: &Catalog, named: &[ToolIx]) -> usize {
        let mut left = self.settings.alone_tokens();
        let mut fits = |(at, ix): &(usize, &ToolIx)| {
            let cost = estimate_tokens(wire(catalog, **ix)) + 1;
            left = left.saturating_sub(cost);
            left > 0 || *at < MIN_FOUND
        };
        named.iter().enumerate().take_while(|named| fits(named)).count()
    }

    fn what_next(&self, shown: &Disclosure, more: bool) -> String {
        if self.watch.quiet >= QUIET_SEARCHES {
            let ask = if self.settings.allows("ask_user") { "ask the user with ask_user, " } else { "" };
            return format!(
                "{} searches in a row brought nothing new, and more will not. Use a tool you have, {ask}or say what \
                 is missing.",
                self.watch.quiet
            );
        }
        if !shown.has_schemas() && shown.repeated.is_empty() && shown.named.is_empty() {
            return "Search with other words, or with a category of the catalogue.".to_owned();
        }
        let details = match (shown.named.is_empty(), self.settings.allows("tool_details")) {
            (false, true) => " tool_details shows the parameters of those in also_found.",
            _ => "",
        };
        let how = match (shown.reveals.is_empty(), shown.schemas.is_empty() && shown.repeated.is_empty()) {
            (true, _) => self.by_bridge().to_owned(),
            (false, true) => " by name".to_owned(),
            (false, false) => format!(": those in revealed by name, the others{}", self.by_bridge()),
        };
        let more = if more { " Search the category again for further names." } else { "" };
        format!("Call any of these at once{how}.{details}{more}")
    }

    /// The answer to `tool_details`: for each name the whole schema of the tool it means, or why there is none. A
    /// schema that was shown before costs one line.
    pub fn details_answer(&mut self, catalog: &Catalog, resolved: &[(String, Resolution)]) -> Answer {
        let known = |(_, resolution): &(String, Resolution)| match resolution {
            Resolution::One(ix) => Some(*ix),
            _ => None,
        };
        let tools: Vec<ToolIx> = resolved.iter().filter_map(known).collect();
        let mut shown = self.disclose(catalog, &tools, &Because::Asked, Want::Each);
        let whole = self.whole_descriptions(catalog, &tools, &mut shown);
        let states = tools.iter().filter_map(|ix| self.state_answer(catalog, *ix));
        let mut notes: Vec<String> = states.map(|failure| failure.message).collect();
        notes.extend(shown.named.iter().map(|ix| too_large(catalog, *ix)));
        for (name, resolution) in resolved {
            notes.extend(self.unresolved(catalog, name, resolution));
        }
        let mut answer = Map::new();
        shown.put_schemas("tools", &mut answer);
        let mut put = |key: &str, values: Vec<Value>| {
            if !values.is_empty() {
                answer.insert(key.to_owned(), values.into());
            }
        };
        put("whole_descriptions", whole);
        put("shown_above", shown.repeated.iter().map(|ix| wire(catalog, *ix).into()).collect());
        put("notes", notes.into_iter().map(Value::from).collect());
        Answer { text: Value::Object(answer).to_string(), reveals: shown.reveals }
    }

    /// Descriptions as their authors wrote them, of tools whose schemas show a cut one; each once.
    fn whole_descriptions(&mut self, catalog: &Catalog, tools: &[ToolIx], shown: &mut Disclosure) -> Vec<Value> {
        let mut whole = Vec::new();
        let mut left = self.settings.alone_tokens();
        for ix in tools.iter().filter(|ix| ix.index() < catalog.tools().len()) {
            let tool = catalog.get(*ix);
            let cut = tool.full_description() != tool.manifest.description;
            if self.told(*ix) < Level::Full || !cut || self.read_whole.contains(ix) {
                continue;
            }
            let cost = estimate_tokens(tool.full_description());
            if cost > left && !whole.is_empty() {
                shown.named.push(*ix);
                continue;
            }
            left = left.saturating_sub(cost);
            self.read_whole.insert(*ix);
            whole.push(json!({"name": tool.wire_name, "description": tool.full_description()}));
            shown.repeated.retain(|repeated| repeated != ix);
        }
        whole
    }

    fn unresolved(&mut self, catalog: &Catalog, name: &str, resolution: &Resolution) -> Option<String> {
        match resolution {
            Resolution::One(_) => None,
            Resolution::Many(tools) => Some(self.ambiguous_answer(catalog, name, tools).message),
            Resolution::Unknown { nearest } => Some(self.unknown_answer(catalog, name, nearest).message),
        }
    }

    /// The failure for a name that is no tool's: what it may have meant, with schemas, and how to look further. The
    /// nearest are shown, never run.
    pub fn unknown_answer(&mut self, catalog: &Catalog, name: &str, nearest: &[ToolIx]) -> Failure {
        let name = winclaw_catalog::clean(name, MAX_NAME);
        if looks_for_tools(&name) && self.settings.allows("tool_search") {
            return Failure::invalid_args(format!(
                "There is no tool `{name}`; nothing was run. To find a tool, call tool_search with what the tool should do."
            ));
        }
        let near = &nearest[..nearest.len().min(3)];
        let because = Because::NearName { name: name.clone() };
        let shown = self.disclose(catalog, near, &because, Want::EachAsText);
        let lines = shown.schemas.iter().map(|schema| format!("Schema: {schema}"));
        let above = shown.repeated.iter().map(|ix| format!("{}: its schema is shown above.", wire(catalog, *ix)));
        let schemas = lines.chain(above).collect::<Vec<_>>().join("\n");
        let names: Vec<&str> =
            near.iter().filter(|ix| self.prepared.permits(**ix)).map(|ix| wire(catalog, *ix)).collect();
        let search = match self.settings.allows("tool_search") {
            true => " Use tool_search to find a tool by what it does.",
            false => " Use the names that the catalogue and the tools list give.",
        };
        let near = match names.is_empty() {
            true => String::new(),
            false => format!(" The nearest names are: {}.\n{schemas}\n", names.join(", ")),
        };
        Failure::invalid_args(format!("There is no tool `{name}`; nothing was run.{near}{search}"))
    }

    /// The failure for a name that several tools share: which they are. None of them is run.
    pub fn ambiguous_answer(&mut self, catalog: &Catalog, name: &str, tools: &[ToolIx]) -> Failure {
        let name = winclaw_catalog::clean(name, MAX_NAME);
        let permitted = tools.iter().filter(|ix| self.prepared.permits(**ix)).take(MAX_NAMED);
        let mut lines = String::new();
        permitted.for_each(|ix| shelves::put_line(catalog.get(*ix), &mut lines));
        Failure::invalid_args(format!(
            "`{name}` is the name of several tools; nothing was run. Call one of them by its whole name:\n{}",
            lines.trim_end()
        ))
    }

    /// Why a known tool cannot run now; `None` when it can.
    pub fn state_answer(&self, catalog: &Catalog, ix: ToolIx) -> Option<Failure> {
        let tool = catalog.tools().get(ix.index())?;
        let name = &tool.wire_name;
        let (code, message, why) = match &tool.state {
            State::Ready => return None,
            State::Disabled { why } => {
                (FailureCode::Denied, format!("{name} is disabled by policy and was not run: {}", why.en), why)
            }
            State::Unavailable { why, retryable: true } => {
                (FailureCode::Unavailable, format!("{name} is unavailable now; it may work later: {}", why.en), why)
            }
            State::Unavailable { why, retryable: false } => (
                FailureCode::Unavailable,
                format!("{name} is unavailable; trying again will not help: {}", why.en),
                why,
            ),
            State::NeedsConfig { what } => {
                (FailureCode::NeedsConfig, format!("{name} needs configuration by the user: {}", what.en), what)
            }
        };
        let mut failure = Failure::new(code, message);
        failure.hint = Some(why.clone());
        failure.retryable = matches!(tool.state, State::Unavailable { retryable: true, .. });
        Some(failure)
    }
}

fn too_large(catalog: &Catalog, ix: ToolIx) -> String {
    format!("{} is too large to be shown with the others; ask for it alone.", wire(catalog, ix))
}

pub(crate) fn wire(catalog: &Catalog, ix: ToolIx) -> &str {
    &catalog.get(ix).wire_name
}

/// Disabled tools among what was found, and one that the query names.
fn disabled<'a>(catalog: &'a Catalog, found: &[ToolIx], query: &str) -> impl Iterator<Item = &'a CatalogTool> {
    let named = match catalog.resolve(query) {
        Resolution::One(ix) => Some(ix),
        _ => None,
    };
    let found: Vec<ToolIx> = found.iter().copied().filter(|ix| Some(*ix) != named).chain(named).collect();
    found.into_iter().filter_map(|ix| catalog.tools().get(ix.index())).filter(|tool| !tool.permitted())
}

fn told_disabled(tools: &[&CatalogTool]) -> Vec<String> {
    let told = tools.iter().take(3).map(|tool| match &tool.state {
        State::Disabled { why } => format!("{} is disabled by policy: {}", tool.wire_name, why.en),
        _ => tool.wire_name.clone(),
    });
    told.collect()
}

fn nothing_found(catalog: &Catalog, disabled: &[&CatalogTool]) -> String {
    if !disabled.is_empty() {
        return format!("What fits may not be used: {}", told_disabled(disabled).join("; "));
    }
    let not_ready = |tool: &&CatalogTool| tool.permitted() && tool.state != State::Ready;
    match (catalog.tools().len(), catalog.tools().iter().filter(not_ready).count()) {
        (0, _) => "No tools are installed.".to_owned(),
        (all, 0) => format!("None of the {all} tools matches these words."),
        (all, off) => format!(
            "None of the {all} tools matches these words. {off} of them cannot run now for want of a server or a setting."
        ),
    }
}

/// Whether a name that is no tool's is meant for a tool that finds tools. Names that merely resemble it are far-fetched.
fn looks_for_tools(name: &str) -> bool {
    let name = name.to_lowercase();
    let looks = ["search", "find", "discover", "lookup", "look_up", "list"].iter().any(|word| name.contains(word));
    looks && name.contains("tool")
}
