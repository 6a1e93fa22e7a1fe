//! What can be wrong with a claim, in words for the person who can mend it.

use winclaw_tool::{DetailFault, Problem, ProblemKind, Text, ToolId};

use crate::text::one_line;

/// Longest piece of a foreign text quoted in a problem, in characters.
const QUOTE: usize = 80;

fn quote(text: &str) -> String {
    one_line(text, QUOTE)
}

fn warning(id: &ToolId, what: Text, mend: Text) -> Problem {
    Problem { kind: ProblemKind::Claim, subject: quote(id.as_str()), what, mend, fatal: false }
}

pub(crate) fn duplicate(id: &ToolId) -> Problem {
    Problem {
        kind: ProblemKind::Duplicate,
        subject: quote(id.as_str()),
        what: Text::new(
            "Another tool has the same id; one of the two was left out.",
            "有另一个工具使用相同的 id，其中一个未载入。",
        ),
        mend: Text::new(
            "Remove one of the two plugins or servers, or give it another id.",
            "请移除其中一个插件或服务器，或给它换一个 id。",
        ),
        fatal: true,
    }
}

pub(crate) fn not_an_object(id: &ToolId, found: &str) -> Problem {
    let found = quote(found);
    warning(
        id,
        Text::new(
            format!("Its parameters have the type {found}, which no model can send; a model may send it any object."),
            format!("它的参数类型是 {found}，模型无法发送；模型可向它发送任意 object。"),
        ),
        Text::new(
            "Give its parameters a JSON Schema with \"type\": \"object\".",
            "请为参数提供 \"type\": \"object\" 的 JSON Schema。",
        ),
    )
}

pub(crate) fn too_deep(id: &ToolId, depth: usize) -> Problem {
    warning(
        id,
        Text::new(
            format!(
                "The schema of its parameters is nested more than {depth} levels deep, so it is not shown; a model may \
                 send the tool any object."
            ),
            format!("它的参数结构嵌套超过 {depth} 层，因此不予显示；模型可向该工具发送任意 object。"),
        ),
        Text::new("Make the schema flatter.", "请简化参数结构。"),
    )
}

pub(crate) fn too_large(id: &ToolId, cap: usize) -> Problem {
    warning(
        id,
        Text::new(
            format!(
                "The schema of its parameters is larger than {cap} KiB, so it is not shown; a model may send the tool any \
                 object."
            ),
            format!("它的参数结构超过 {cap} KiB，因此不予显示；模型可向该工具发送任意 object。"),
        ),
        Text::new(
            "Shorten long lists of values, or split the tool into several; say in its description what it takes.",
            "请缩短过长的取值列表，或将该工具拆分为多个；并在描述中说明它需要的参数。",
        ),
    )
}

pub(crate) fn mended_schema(id: &ToolId, place: &str) -> Problem {
    let place = quote(place);
    warning(
        id,
        Text::new(
            format!("Its parameters are no valid JSON Schema at `{place}`; what could not be read was left out."),
            format!("它的参数在 `{place}` 处不是有效的 JSON Schema，无法读取的部分已忽略。"),
        ),
        Text::new(
            "Check type, properties, required, items and enum against the JSON Schema specification.",
            "请对照 JSON Schema 规范检查 type、properties、required、items 和 enum。",
        ),
    )
}

pub(crate) fn hidden_parameter(id: &ToolId) -> Problem {
    warning(
        id,
        Text::new(
            "The name of a parameter carries characters that cannot be seen; it is shown as it is, for a call must repeat it.",
            "某个参数的名称含有不可见字符；调用时必须原样使用，因此未作更改。",
        ),
        Text::new("Give the parameter a name of plain letters.", "请使用普通字母命名该参数。"),
    )
}

pub(crate) fn made_an_object(id: &ToolId) -> Problem {
    warning(
        id,
        Text::new(
            "Its parameters are no JSON Schema of type object; they were read as one.",
            "它的参数不是 object 类型的 JSON Schema，已按 object 处理。",
        ),
        Text::new(
            "Write \"type\": \"object\" at the top of its parameters.",
            "请在参数的最外层写上 \"type\": \"object\"。",
        ),
    )
}

pub(crate) fn unknown_dependency(id: &ToolId, target: &str) -> Problem {
    let target = quote(target);
    warning(
        id,
        Text::new(
            format!("It depends on `{target}`, which is not here; the edge was left out."),
            format!("它依赖的 `{target}` 不存在，该依赖已忽略。"),
        ),
        Text::new(
            format!(
                "Install what offers `{target}`, or correct depends_on; a name without a dot means a tool of the same source."
            ),
            format!("请安装提供 `{target}` 的插件，或更正 depends_on；不带点的名称指同一来源的工具。"),
        ),
    )
}

pub(crate) fn self_dependency(id: &ToolId) -> Problem {
    warning(
        id,
        Text::new("It depends on itself; the edge was left out.", "它依赖自身，该依赖已忽略。"),
        Text::new("Remove the tool's own name from depends_on.", "请从 depends_on 中删除该工具自己的名称。"),
    )
}

pub(crate) fn bad_key(id: &ToolId, field: &str, key: &str, fault: DetailFault) -> Problem {
    match fault {
        DetailFault::NoParameter => no_parameter(id, field, &quote(key)),
        DetailFault::NoAction => no_action(id, field, &quote(key)),
    }
}

fn no_parameter(id: &ToolId, field: &str, key: &str) -> Problem {
    warning(
        id,
        Text::new(
            format!("`{key}` in {field} names no parameter; it was left out."),
            format!("{field} 中的 `{key}` 不是任何参数的名称，已忽略。"),
        ),
        Text::new(
            format!("Correct the path in {field}; write target.city for a parameter inside another."),
            format!("请更正 {field} 中的路径；嵌套参数写作 target.city。"),
        ),
    )
}

fn no_action(id: &ToolId, field: &str, key: &str) -> Problem {
    warning(
        id,
        Text::new(
            format!("`{key}` in {field} is for an action that the tool does not have; it was left out."),
            format!("{field} 中的 `{key}` 所指的操作不存在于该工具，已忽略。"),
        ),
        Text::new(
            "Write before the `:` one of actions, or of the values that the schema lists for the parameter `action`.",
            "请在 `:` 之前写 actions 中的一项，或参数 `action` 在参数结构中列出的取值之一。",
        ),
    )
}

pub(crate) fn cut_description(id: &ToolId, cap: usize) -> Problem {
    warning(
        id,
        Text::new(
            format!(
                "Its description is longer than {cap} characters; a model sees the beginning and asks for the rest."
            ),
            format!("它的描述超过 {cap} 个字符；模型先看到开头，其余部分需另行查询。"),
        ),
        Text::new("Put what matters first, or shorten the description.", "请把重要内容放在前面，或缩短描述。"),
    )
}

pub(crate) fn hidden(id: &ToolId, field: &str) -> Problem {
    warning(
        id,
        Text::new(
            format!("Its {field} carries characters that cannot be seen; they were taken out of what is shown."),
            format!("它的 {field} 含有不可见字符，显示时已去除。"),
        ),
        Text::new(
            "Find out why they are there; hidden text is a known way to mislead a model.",
            "请查明原因；隐藏文字是误导模型的已知手段。",
        ),
    )
}

pub(crate) fn reserved(id: &ToolId) -> Problem {
    warning(
        id,
        Text::new(
            "Its name is reserved for the host; it can be called by its full id only.",
            "它的名称由主程序保留；只能用完整 id 调用。",
        ),
        Text::new("Give the tool another name.", "请给该工具换一个名称。"),
    )
}

pub(crate) fn too_many(id: &ToolId, field: &str, cap: usize) -> Problem {
    warning(
        id,
        Text::new(
            format!("It has more than {cap} {field}; the rest was left out."),
            format!("它的 {field} 超过 {cap} 个，多余的已忽略。"),
        ),
        Text::new(format!("Keep the {cap} that matter."), format!("请保留最重要的 {cap} 个。")),
    )
}
