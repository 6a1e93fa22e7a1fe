use serde::{Deserialize, Serialize};
use winclaw_catalog::evidence::Term;
use winclaw_catalog::{Catalog, ToolIx};
use winclaw_tool::{Lang, Text};

use crate::Strategy;

/// Most terms told in one sentence.
const MAX_TERMS: usize = 4;

/// Why a tool stands where it stands, or why something widened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// Its manifest says that it is always shown.
    AlwaysLoad,
    /// The request names it.
    Exact {
        /// The words that name it.
        term: String,
    },
    /// Words of the request fit it.
    Terms {
        /// What carried the score, strongest first.
        terms: Vec<Term>,
    },
    /// Words of the request fit it, but not so that it stands out.
    Guess {
        /// What carried the score, strongest first.
        terms: Vec<Term>,
    },
    /// Another shown tool cannot be used without it.
    RequiredBy(ToolIx),
    /// Its work follows from another tool of the task.
    FollowsFrom(ToolIx),
    /// Its result feeds another tool of the task.
    Feeds(ToolIx),
    /// It is often used with a tool of the task, such as one the model is stuck with.
    OftenWith(ToolIx),
    /// It is of the category of a tool the model is stuck with, or of one the evidence points to.
    SameCategory {
        /// The category.
        category: String,
    },
    /// The task used it.
    Used,
    /// The model searched for it.
    Searched {
        /// The query.
        query: String,
    },
    /// The model asked for its details.
    Asked,
    /// The model called it without having seen its schema.
    CalledUnshown,
    /// The model called a tool that does not exist, and this is one of the nearest.
    NearName {
        /// The name that was called.
        name: String,
    },
    /// The user named it.
    UserNamed,
    /// Something happened that widens: the text says what.
    Signal(String),
    /// All schemas fit, so all are shown.
    FitsWhole,
    /// Nothing in the request points to a tool.
    NoEvidence,
    /// The reach was widened and the budget had room.
    Room,
    /// The strategy under comparison wants it so.
    Strategy(Strategy),
    /// The strategy `hard` chose one category: this tool is of it, or it is not.
    Category {
        /// The category; `None` when the evidence pointed to none, so that nothing was chosen.
        chosen: Option<String>,
        /// Whether the tool is of it.
        inside: bool,
    },
    /// Nothing but that it is there: every permitted tool is named.
    Listed,
    /// A task began.
    TaskBegan,
    /// A permission was taken away.
    Revoked,
    /// The conversation was summarised, so that what it had told is gone.
    Compacted,
    /// The model's vendor does not take its definition.
    NotTaken,
    /// Another model goes on with the task.
    ModelSwitched,
    /// A person began the conversation anew.
    Reset,
    /// A further request of the session began.
    NewRequest,
    /// A session was taken up again with other tools than it had, or as another version of the program kept it.
    Resumed,
    /// The tool list changed.
    ListChanged,
    /// Its schema changed after it had been shown.
    SchemaChanged,
    /// It is new in the tool list.
    NewTool,
}

impl Because {
    /// The reason as one sentence without a full stop, for a person.
    pub fn words(&self, catalog: &Catalog, lang: Lang) -> String {
        self.text(catalog).get(lang).to_owned()
    }

    /// The reason in every language.
    pub fn text(&self, catalog: &Catalog) -> Text {
        match self {
            Because::Exact { term } => both(format!("the request names it: {term}"), format!("请求点名了它：{term}")),
            Because::Terms { terms } => told(terms, "fits the request by", "与请求相符："),
            Because::Guess { terms } => told(terms, "a guess, fits weakly by", "只是猜测，弱相符："),
            Because::Searched { query } => both(format!("searched for: {query}"), format!("模型搜索过：{query}")),
            Because::NearName { name } => {
                both(format!("its name is near to {name}, which was called"), format!("名称与被调用的 {name} 相近"))
            }
            Because::SameCategory { category } => {
                both(format!("of the category {category}"), format!("同属类别 {category}"))
            }
            Because::Signal(what) => both(format!("widened: {what}"), format!("因此放宽：{what}")),
            Because::Strategy(strategy) => {
                both(format!("strategy {}", strategy.as_str()), format!("策略 {}", strategy.as_str()))
            }
            Because::Category { chosen, inside } => by_category(chosen.as_deref(), *inside),
            Because::RequiredBy(_) | Because::FollowsFrom(_) | Because::Feeds(_) | Because::OftenWith(_) => {
                self.by_edge(catalog)
            }
            plain => plain.plain(),
        }
    }

    fn by_edge(&self, catalog: &Catalog) -> Text {
        match self {
            Because::RequiredBy(by) => {
                let id = id(catalog, *by);
                both(format!("required by {id}"), format!("{id} 需要它"))
            }
            Because::FollowsFrom(from) => {
                let id = id(catalog, *from);
                both(format!("works with what {id} gives"), format!("可接着使用 {id} 的结果"))
            }
            Because::Feeds(to) => {
                let id = id(catalog, *to);
                both(format!("its result feeds {id}"), format!("它的结果可供 {id} 使用"))
            }
            Because::OftenWith(with) => {
                let id = id(catalog, *with);
                both(format!("often used with {id}"), format!("常与 {id} 一起使用"))
            }
            other => other.plain(),
        }
    }

    /// The same reason where the catalog is another: every tool it names at its new place.
    pub(crate) fn move_tools(&mut self, place: &impl Fn(ToolIx) -> ToolIx) {
        match self {
            Because::RequiredBy(ix) | Because::FollowsFrom(ix) | Because::Feeds(ix) | Because::OftenWith(ix) => {
                *ix = place(*ix);
            }
            _ => {}
        }
    }

    fn plain(&self) -> Text {
        let (en, zh) = match self {
            Because::AlwaysLoad => ("marked to be always shown", "标记为始终显示"),
            Because::Used => ("used in this task", "本任务已使用"),
            Because::Asked => ("the model asked for its details", "模型查看了它的详情"),
            Because::CalledUnshown => ("the model called it by name", "模型按名称调用了它"),
            Because::UserNamed => ("the user named it", "用户点名了它"),
            Because::FitsWhole => ("all tools fit, so all are shown", "全部工具都放得下，因此全部显示"),
            Because::NoEvidence => ("nothing in the request points to a tool", "请求中没有指向任何工具的线索"),
            Because::Room => ("the reach was widened and there was room", "范围已放宽且仍有余量"),
            Because::TaskBegan => ("a task began", "任务开始"),
            Because::Revoked => ("a permission was taken away", "权限被收回"),
            Because::Compacted => ("the conversation was summarised", "对话已被压缩"),
            Because::ModelSwitched => ("another model goes on", "已切换到另一个模型"),
            Because::Reset => ("the conversation began anew", "对话已重新开始"),
            Because::NewRequest => ("a further request began", "新的请求开始"),
            Because::NotTaken => ("the model's vendor does not take its definition", "模型服务商不接受其定义"),
            Because::Resumed => {
                ("the session was taken up again and its tools are not those it had", "会话恢复时工具列表与之前不同")
            }
            Because::ListChanged => ("the tool list changed", "工具列表有变化"),
            Because::SchemaChanged => ("its schema changed after it was shown", "展示后其参数有变化"),
            Because::NewTool => ("it is new in the tool list", "工具列表中新增"),
            _ => ("every permitted tool is named", "所有获准的工具都会列出"),
        };
        Text::new(en, zh)
    }
}

fn by_category(chosen: Option<&str>, inside: bool) -> Text {
    match (chosen, inside) {
        (None, _) => Text::new("strategy hard: no category was found", "策略 hard：未找到类别"),
        (Some(category), true) => {
            both(format!("strategy hard: category {category}"), format!("策略 hard：类别 {category}"))
        }
        (Some(category), false) => {
            both(format!("strategy hard: not of the category {category}"), format!("策略 hard：不属于类别 {category}"))
        }
    }
}

fn both(en: String, zh: String) -> Text {
    Text { en, zh }
}

fn id(catalog: &Catalog, tool: ToolIx) -> &str {
    catalog.tools().get(tool.index()).map_or("?", |tool| tool.id.as_str())
}

fn told(terms: &[Term], en: &str, zh: &str) -> Text {
    let list = |join: &str, field: fn(&str) -> Text, lang| {
        let told = telling(terms).into_iter().take(MAX_TERMS).map(|term| {
            let field = field(&term.field);
            format!("{} ({})", term.text, field.get(lang))
        });
        told.collect::<Vec<_>>().join(join)
    };
    Text {
        en: format!("{en} {}", list(", ", field_text, Lang::En)),
        zh: format!("{zh}{}", list("、", field_text, Lang::Zh)),
    }
}

/// The terms that say something to a person: without those that are part of another, as 京 of 北京, and without single
/// characters where there are words. All of them when nothing else is left.
pub fn telling(terms: &[Term]) -> Vec<&Term> {
    let part = |term: &Term| terms.iter().any(|other| other.text != term.text && other.text.contains(&term.text));
    let word = |term: &&Term| term.text.chars().nth(1).is_some() && !part(term);
    let words: Vec<&Term> = terms.iter().filter(word).collect();
    if words.is_empty() { terms.iter().collect() } else { words }
}

/// The field of a [`Term`], such as `alias`, in words for a person.
pub fn field_text(name: &str) -> Text {
    let zh = match name {
        "name" => "名称",
        "alias" => "别名",
        "summary" => "简介",
        "description" => "说明",
        "category" => "类别",
        "action" => "动作",
        "parameter" => "参数",
        "example" => "示例",
        "exact" => "完全一致",
        "meaning" => "含义",
        other => other,
    };
    Text::new(name, zh)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_names_words_and_not_their_parts() {
        let term = |text: &str| Term { text: text.into(), field: "alias".into(), score: 1.0, alike: false };
        let said = |texts: &[&str]| {
            let terms: Vec<Term> = texts.iter().map(|text| term(text)).collect();
            told(&terms, "by", "由").en
        };
        assert_eq!(said(&["北京", "北", "京", "成", "Word"]), "by 北京 (alias), Word (alias)");
        assert_eq!(said(&["天", "成"]), "by 天 (alias), 成 (alias)");
    }
}
