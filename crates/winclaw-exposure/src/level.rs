use serde::{Deserialize, Serialize};

/// How much of a tool the model sees. There is no level at which a permitted tool does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// A line in the catalogue, or a place in the count of its category.
    Named,
    /// The schema cut to its required parameters and detail keys.
    Brief,
    /// The whole schema.
    Full,
}

/// How many tools of a task stand above [`Level::Named`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// What the evidence recommends.
    Recommended,
    /// Also what it merely suggests, and the categories it points to.
    Extended,
    /// Also any other tool, as far as the budget goes.
    Full,
}

impl Reach {
    /// The next wider reach; [`Reach::Full`] is the widest.
    pub fn wider(self) -> Reach {
        match self {
            Reach::Recommended => Reach::Extended,
            Reach::Extended | Reach::Full => Reach::Full,
        }
    }
}

/// How a tool that is not in the tools array gets to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// The tools array holds every schema, as far as the vendor's limit allows.
    Direct,
    /// Schemas come as text in results and notes; the tools are called through `tool_call`.
    Bridge,
    /// Schemas come in the vendor's own blocks in the conversation; what they reveal is called natively.
    Native,
}

/// How a vendor lets a tool result reveal schemas that are not in the tools array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Native {
    /// As Anthropic does: every other tool stands in the request deferred, and a result refers to it by name.
    References,
    /// As OpenAI Responses does: the result of a search carries the schemas.
    SearchResult,
}

/// By what rule tools are shown. Tasks run with [`Strategy::Progressive`]; the others are for comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Guide, don't forbid: everything is named, what fits is shown, and what is shown only grows.
    #[default]
    Progressive,
    /// Every schema on every turn, whatever it costs.
    Full,
    /// The tools of the one best category; everything else does not exist for the model.
    Hard,
}

macro_rules! names {
    ($kind:ty { $($variant:ident: $name:literal),+ }) => {
        impl $kind {
            /// The name as it stands in traces and on the command line.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

names!(Level { Named: "named", Brief: "brief", Full: "full" });
names!(Reach { Recommended: "recommended", Extended: "extended", Full: "full" });
names!(Transport { Direct: "direct", Bridge: "bridge", Native: "native" });
names!(Native { References: "references", SearchResult: "search_result" });
names!(Strategy { Progressive: "progressive", Full: "full", Hard: "hard" });
