//! Tools that do not exist, as many as wanted, the same every time.

use serde_json::{Map, Value, json};
use winclaw_catalog::{State, ToolEntry};
use winclaw_tool::ToolId;

const VERBS: [&str; 24] = [
    "list",
    "create",
    "update",
    "remove",
    "search",
    "export",
    "import",
    "send",
    "read",
    "convert",
    "schedule",
    "cancel",
    "compare",
    "merge",
    "split",
    "upload",
    "download",
    "approve",
    "archive",
    "restore",
    "translate",
    "summarise",
    "validate",
    "track",
];

const NOUNS: [&str; 40] = [
    "invoice",
    "contact",
    "calendar event",
    "photo",
    "playlist",
    "ticket",
    "repository",
    "branch",
    "order",
    "shipment",
    "flight",
    "hotel room",
    "recipe",
    "workout",
    "message",
    "channel",
    "database table",
    "spreadsheet",
    "presentation",
    "contract",
    "payment",
    "subscription",
    "server",
    "container",
    "log entry",
    "dashboard",
    "survey",
    "course",
    "lesson",
    "patient record",
    "sensor reading",
    "map route",
    "parcel",
    "currency rate",
    "stock quote",
    "news article",
    "video",
    "podcast episode",
    "domain name",
    "certificate",
];

const PLACES: [&str; 16] = [
    "in the team workspace",
    "of a customer",
    "for the current month",
    "on the staging system",
    "in the public archive",
    "of the signed-in person",
    "across all regions",
    "for a given project",
    "in the warehouse",
    "at a branch office",
    "from the partner feed",
    "under a legal hold",
    "of one department",
    "for the mobile app",
    "in the sandbox",
    "by date range",
];

const FIELDS: [&str; 20] = [
    "owner",
    "start date",
    "end date",
    "status",
    "label",
    "amount",
    "region",
    "language",
    "page size",
    "sort order",
    "format",
    "priority",
    "attachment",
    "note",
    "reference",
    "time zone",
    "category",
    "currency",
    "limit",
    "cursor",
];

/// Words for requests that are nobody's.
pub const WORDS: [&str; 12] =
    ["show", "the", "unpaid", "invoices", "of", "last", "month", "and", "send", "them", "to", "customer"];

/// `count` entries from a few hundred sources, with two to six parameters each and now and then an edge.
pub fn entries(count: usize) -> Vec<ToolEntry> {
    (0..count).map(entry).collect()
}

fn entry(n: usize) -> ToolEntry {
    // Steps that share no factor with the lengths, so that neighbours differ in every part.
    let verb = VERBS[n % VERBS.len()];
    let noun = NOUNS[(n * 7 + n / VERBS.len()) % NOUNS.len()];
    let place = PLACES[(n * 5 + n / 97) % PLACES.len()];
    let id = format!("source{}.{verb}_{}_{n}", n % 300, noun.replace(' ', "_"));
    let mut manifest: Value = json!({
        "name": "x", "summary": format!("Can {verb} a {noun}."), "category": format!("area {}", n % 30),
        "description": format!("Can {verb} a {noun} {place}. Gives back the {noun} with what was changed, number {n}."),
        "parameters": parameters(n, noun), "side_effect": "read",
    });
    if n % 9 == 4 {
        let needed = NOUNS[((n - 1) * 7 + (n - 1) / VERBS.len()) % NOUNS.len()].replace(' ', "_");
        let other = format!("source{}.{}_{needed}_{}", (n - 1) % 300, VERBS[(n - 1) % VERBS.len()], n - 1);
        manifest["depends_on"] = json!([other]);
    }
    let manifest = serde_json::from_value(manifest).expect("it has every field a manifest needs");
    ToolEntry { id: ToolId::parse(&id).expect("a source, a dot and a name"), manifest, state: State::Ready }
}

fn parameters(n: usize, noun: &str) -> Value {
    let mut properties = Map::new();
    for place in 0..2 + n % 5 {
        let field = FIELDS[(n * 3 + place * 7) % FIELDS.len()];
        properties.insert(
            field.replace(' ', "_"),
            json!({"type": "string", "description": format!("The {field} of the {noun}.")}),
        );
    }
    json!({"type": "object", "properties": properties})
}
