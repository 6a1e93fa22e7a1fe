//! The help of the command line in Chinese, and the language before the command line is read.

use clap::CommandFactory as _;
use winclaw_tool::Lang;

use crate::cli::{Cli, LangWord};
use crate::config::locale_lang;

/// Every help text of the command line and its Chinese wording; a test holds it complete.
const CHINESE: &[(&str, &str)] = &[
    ("Talk with a model that may use the tools; the conversation is kept", "与可使用工具的模型对话；会话会保留"),
    (
        "Go on with a past conversation: its id, the beginning of one, or `last`",
        "继续以往的会话：其 id、id 的开头，或 last",
    ),
    ("Model calls after which a task ends as not completed", "模型调用达到该次数后，任务以未完成结束"),
    ("WinClaw, a tool host for AI agents", "WinClaw：AI 智能体的工具宿主"),
    ("Language of messages; the default follows the locale", "消息语言；默认随系统区域设置"),
    (
        "Folder of plugin packages; the default is `plugins` beside the program, then in the data folder",
        "插件包所在文件夹；默认为程序旁的 plugins，其次为数据文件夹中的 plugins",
    ),
    ("Folder for traces, plugin data and the library cache", "存放跟踪记录、插件数据和库缓存的文件夹"),
    ("Configuration file", "配置文件"),
    (
        "Set a key of the configuration for this once, as key=value; may be given several times",
        "仅本次设置一个配置键，格式为 键=值；可多次给出",
    ),
    ("Read and change the configuration, and keep secrets", "读取和修改配置，保存密钥"),
    ("Print what one key is set to", "输出一个配置键的值"),
    ("The key, such as trace.keep_days", "配置键，例如 trace.keep_days"),
    ("Set a key in your configuration file", "在您的配置文件中设置一个键"),
    ("The value; lists with commas between, or as TOML", "值；列表用逗号分隔，或写成 TOML"),
    ("Set it in the project's file of the current folder instead", "改为写入当前文件夹的项目配置文件"),
    ("Take a key out of your configuration file", "从您的配置文件中删除一个键"),
    ("Take it out of the project's file instead", "改为从项目配置文件中删除"),
    ("Print where the files are", "输出各文件的位置"),
    ("List what is set", "列出已设置的键"),
    ("Also say where each value comes from", "同时显示每个值的来源"),
    ("List every key, also those that are not set", "列出所有键，包括未设置的"),
    (
        "Let the project's file of this folder set everything, as it stands now",
        "允许此文件夹的项目配置文件（按其当前内容）设置所有键",
    ),
    ("Trust it no longer", "不再信任它"),
    ("Keep, list and forget secrets such as API keys", "保存、列出和删除密钥（如 API 密钥）"),
    ("Keep a secret; it is asked for, or read from standard input", "保存一个密钥；会另行询问，或从标准输入读取"),
    ("Its name, such as DEEPSEEK_API_KEY", "名称，例如 DEEPSEEK_API_KEY"),
    ("Keep it in a file for you alone instead of the system's keyring", "存入仅您可读的文件，而不存入系统密钥环"),
    ("List the names of the secrets that are kept", "列出已保存密钥的名称"),
    ("Forget a secret", "删除一个密钥"),
    ("Its name", "名称"),
    ("Say more about what happens inside; twice for all of it", "输出更多内部信息；写两次则全部输出"),
    (
        "Show which tools a model would see for a request, and why; needs no model and no network",
        "显示模型针对某个请求会看到哪些工具及其原因；无需模型和网络",
    ),
    (
        "Measure exposure on tools and requests with known answers; needs no model and no network",
        "用已知答案的工具和请求评测展示效果；无需模型和网络",
    ),
    (
        "Tools: one JSON object a line, a JSON array, or an MCP tools/list result; the default is the installed plugins",
        "工具：每行一个 JSON 对象、JSON 数组或 MCP tools/list 结果；默认为已安装的插件",
    ),
    (
        "Requests and the tools each of them needs: one JSON object a line, or a JSON array",
        "请求及其所需的工具：每行一个 JSON 对象，或 JSON 数组",
    ),
    ("A second strategy, to be set against the first on the same requests", "第二种策略，在同一批请求上与第一种比较"),
    ("How many tools from the front count as found", "排在前多少个的工具算作找到"),
    (
        "Also ask step by step: tools looked at for the request, and for each further search, 0 to 100 each",
        "同时逐步查询：请求本身和之后每次搜索各查看多少个工具，均为 0 到 100",
    ),
    (
        "Searches recorded of a model, for --per-step: {id, steps} or {id, turns}, one JSON object a line",
        "用于 --per-step 的模型搜索记录：{id, steps} 或 {id, turns}，每行一个 JSON 对象",
    ),
    ("What chance is drawn from; the same seed gives the same intervals", "随机种子；相同的种子得到相同的区间"),
    ("Measure the first N requests only", "仅评测前 N 个请求"),
    (
        "List at most N requests whose tools were not all shown at first, the worst first",
        "最多列出 N 个首次未展示全部所需工具的请求，最差的在前",
    ),
    ("Give a request to a model and let it use the tools", "把请求交给模型，并让它使用工具"),
    (
        "Watch a request go through the whole line with a replayed model; needs no key",
        "用回放的模型观看一个请求走完整个流程；无需密钥",
    ),
    ("List, describe and call tools", "列出、查看和调用工具"),
    ("List and inspect plugins", "列出和检查插件"),
    (
        "Say what may run without asking you, what is asked about, and what never runs",
        "设置哪些操作无需询问、哪些需要询问、哪些永不运行",
    ),
    (
        "List what is allowed, asked about and forbidden, and where each rule comes from",
        "列出允许、询问和禁止的规则及其来源",
    ),
    ("Let calls run without asking", "允许调用运行而不询问"),
    ("Never let calls run", "永不允许调用运行"),
    ("Ask before calls, whatever is approved", "无论批准级别如何，调用前都询问"),
    ("Take rules back", "撤销规则"),
    (
        "Say what would happen to a call, and by which rule; runs nothing",
        "说明某个调用会如何处理以及依据哪条规则；不运行任何内容",
    ),
    ("A tool, all tools of a plugin as plugin.*, or all as *", "一个工具、一个插件的全部（plugin.*）或全部（*）"),
    (
        "Only calls with this side effect; may be given several times. Without it: for allow the tool's own, else any",
        "仅限有此影响的调用；可多次给出。省略时：allow 为该工具自身的影响，其他为任何影响",
    ),
    (
        "Only calls that go there: a host, an e-mail address, a folder, whom it goes to, or * for anywhere; may be given several times",
        "仅限发往该处的调用：主机、邮箱地址、文件夹、接收者，或 * 表示任何地方；可多次给出",
    ),
    ("The rules of this tool, or of plugin.* or *", "该工具（或 plugin.*、*）的规则"),
    ("Only the rules for this side effect", "仅限此影响的规则"),
    ("Only the rules for this destination", "仅限此目的地的规则"),
    ("Every rule", "所有规则"),
    ("The arguments of a call as a JSON object", "JSON 对象形式的调用参数"),
    ("As if this were given to `run`", "如同将此选项给予 run"),
    ("Past tasks: list, show, add up, replay and export their records", "以往任务：列出、显示、统计、重放和导出其记录"),
    (
        "Add tasks up: whether tools were shown in time, rises, loops, failures, tokens saved, cost and times",
        "统计任务：工具是否及时展示、展开、循环、失败、节省的 token、费用和耗时",
    ),
    (
        "Do again what decided what the model was shown, and compare it byte for byte; needs the same tools",
        "重做决定展示内容的每一步，并逐字节比较；需要相同的工具",
    ),
    (
        "Write tasks as OpenTelemetry spans, or send them to a collector; without their contents unless asked",
        "将任务写成 OpenTelemetry span，或发送到收集器；除非要求，否则不含内容",
    ),
    ("Remove old traces, as each task does by itself once a day", "移除旧的跟踪记录；每个任务也会每天自动执行一次"),
    ("Print the JSON Schema of a line of a trace", "输出跟踪记录中一行的 JSON Schema"),
    (
        "Only tasks that ended like this: done, tool_failed, denied, not_completed, stopped, model_failed, interrupted, unfinished",
        "仅限以此状态结束的任务：done、tool_failed、denied、not_completed、stopped、model_failed、interrupted、unfinished",
    ),
    (
        "Only tasks that began since then: 30m, 12h, 7d, or a day such as 2026-11-30",
        "仅限此后开始的任务：30m、12h、7d，或日期如 2026-11-30",
    ),
    ("Only tasks whose request or model holds this text", "仅限请求或模型含有此文字的任务"),
    (
        "Ids of tasks, beginnings of ids, or `last`; the default is every task",
        "任务 id、其开头部分，或 last；默认为全部任务",
    ),
    ("Ids of tasks, beginnings of ids, or `last`", "任务 id、其开头部分，或 last（可多个）"),
    (
        "What a token from the provider's cache costs, in hundredths of one that is not",
        "来自提供方缓存的 token 价格，占普通 token 的百分比",
    ),
    ("Also draw it, into this SVG file", "同时画成图，写入此 SVG 文件"),
    (
        "The form: OpenTelemetry's OTLP, one JSON message a task and line",
        "格式：OpenTelemetry 的 OTLP，每个任务一行 JSON",
    ),
    ("The file to write; the default is standard output", "写入的文件；默认为标准输出"),
    (
        "Send to the collector at this address instead; headers are taken from OTEL_EXPORTER_OTLP_HEADERS",
        "改为发送到此地址的收集器；请求头取自 OTEL_EXPORTER_OTLP_HEADERS",
    ),
    ("How it is sent", "发送的编码"),
    (
        "Also what was said: the request, arguments and errors, redacted as the trace is",
        "同时包含内容：请求、参数和错误，与跟踪记录一样隐去机密",
    ),
    ("Only say what would go", "仅说明将移除什么"),
    (
        "Keep what changed within so many days; 0 for any; the default is trace.keep_days",
        "保留多少天内改动过的；0 为不限；默认为 trace.keep_days",
    ),
    (
        "Keep so many megabytes of the newest; 0 for any; the default is trace.keep_mb",
        "保留最新的多少 MB；0 为不限；默认为 trace.keep_mb",
    ),
    ("Check that everything the program needs is in place", "检查程序所需的一切是否就绪"),
    ("Print completions for a shell", "输出 shell 补全脚本"),
    ("The shell", "shell 类型"),
    ("How exposure is decided; full and hard are for comparison", "如何决定工具的展示；full 和 hard 仅用于对比"),
    ("Put the strategies progressive, full and hard side by side", "并列对比 progressive、full 和 hard 三种策略"),
    ("Tools the task has used so far, oldest first", "任务迄今用过的工具，最早的在前"),
    ("The step the model stated last", "模型最近说明的步骤"),
    (
        "An earlier request of the session, oldest first; may be given several times",
        "会话中更早的请求，最早的在前；可多次给出",
    ),
    (
        "Explain on the tools of a file, as `winclaw eval` reads it, instead of the plugins",
        "用文件中的工具（格式同 winclaw eval）代替插件进行解释",
    ),
    (
        "Explain for a model that reveals tools natively: by references as Anthropic's Messages, or by search results as OpenAI's Responses",
        "针对能原生展示工具的模型进行解释：按引用（Anthropic Messages）或按搜索结果（OpenAI Responses）",
    ),
    (
        "List every name, however many there are, and the first problems of a file of tools",
        "无论多少，列出所有名称，以及工具文件的前几个问题",
    ),
    ("Also print everything that is sent to the model, as it is sent", "同时原样输出发送给模型的全部内容"),
    ("Print JSON", "以 JSON 输出"),
    (
        "How hidden tools are reached: all shown (direct), or by meta tools (bridge); auto chooses by size",
        "如何使用未展示的工具：全部展示（direct）或经由元工具（bridge）；auto 按规模选择",
    ),
    (
        "The model's context window in tokens; the default is the model's own",
        "模型的上下文窗口（token 数）；默认为模型自身的窗口",
    ),
    ("The request; `-` reads it from standard input", "请求；- 表示从标准输入读取"),
    (
        "The model, as provider/name: openai/…, openai-responses/…, anthropic/…, deepseek/…, ollama/…, lmstudio/…, openrouter/…, gemini/…, qwen/…, kimi/…, glm/…, or a provider of your own",
        "模型，格式为 提供方/名称：openai/…、openai-responses/…、anthropic/…、deepseek/…、ollama/…、lmstudio/…、openrouter/…、gemini/…、qwen/…、kimi/…、glm/…，或您自己的提供方",
    ),
    ("Replay a file of scripted replies instead of asking a model", "回放脚本文件中的回复，而不询问模型"),
    (
        "What runs without asking you first: never = reads only, writes = reads and writes, always = everything",
        "哪些操作无需先询问您：never = 仅读取，writes = 读取和写入，always = 全部",
    ),
    ("Form of the output", "输出格式"),
    (
        "A folder that tools may read and write, beside the current one; may be given several times",
        "除当前文件夹外，工具可读写的文件夹；可多次给出",
    ),
    ("Model calls after which the task ends as not completed", "模型调用次数上限，超过则任务以未完成结束"),
    ("The scene; the default is the first that a package marks as such", "场景；默认为插件包标记的默认场景"),
    ("Ask the real network instead of the recorded replies", "访问真实网络，而不使用录制的回复"),
    ("Folder for what the demo leaves; the default is the current one", "演示产物存放的文件夹；默认为当前文件夹"),
    ("List the scenes", "列出场景"),
    ("List every tool", "列出所有工具"),
    (
        "Show one tool: what it does, its parameters, what it may do to the world",
        "显示一个工具：用途、参数，以及它可能产生的影响",
    ),
    ("Id, name or wire name", "id、名称或线上名称"),
    ("Call a tool without a model", "不经模型直接调用工具"),
    ("The arguments as a JSON object; `-` reads them from standard input", "JSON 对象形式的参数；- 表示从标准输入读取"),
    ("List the plugins, and what is wrong with those that were left out", "列出插件，以及被排除的插件有何问题"),
    ("Show everything about a plugin without running it", "在不运行插件的情况下显示其全部信息"),
    ("The plugin's id", "插件 id"),
    ("List past tasks, newest first", "列出以往任务，最新的在前"),
    (
        "Show one task: what was shown and why, what was called, how long, what it cost",
        "显示一个任务：展示了什么及原因、调用了什么、耗时和开销",
    ),
    ("The task's id, the beginning of one, or `last`", "任务 id、其开头部分，或 last"),
    ("Print the record as it stands, one JSON line a decision", "原样输出记录，每个决定一行 JSON"),
    ("List, show, resume, search and export past conversations", "列出、显示、继续、搜索和导出以往的对话"),
    (
        "Go on with a session: its id or the beginning of one, `last`, or `new` to begin one",
        "继续一个会话：会话 id 或其开头部分、last，或用 new 新建",
    ),
    ("Keep nothing of the conversation", "不保存本次对话"),
    ("List sessions, the one that was added to last first", "列出会话，最近更新的在前"),
    ("How many; all with 0", "列出的数量；0 表示全部"),
    ("Show a session: what was said, called and answered", "显示一个会话：说了什么、调用了什么、返回了什么"),
    ("Give a session one more request", "在会话中再提一个请求"),
    ("Copy a session, or its beginning, to go on from there in another way", "复制会话或其开头部分，从该处另行继续"),
    ("The session's id, the beginning of one, or `last`", "会话 id、其开头部分，或 last"),
    (
        "The message the copy ends with, as `session show` numbers them; the default is the last",
        "副本的最后一条消息，编号见 session show；默认为最后一条",
    ),
    ("Find where something was said", "查找何处说过某些话"),
    (
        "The words; each must be there, and what stands in double quotes must follow one another",
        "要查找的词；须全部出现，双引号内的须相连",
    ),
    ("At most so many places", "最多列出多少处"),
    ("Write a session as Markdown or JSON, with secrets taken out", "将会话导出为 Markdown 或 JSON，并去除机密"),
    ("The form", "格式"),
    ("The file to write; the default is standard output", "要写入的文件；默认为标准输出"),
    ("Take in a session that was exported as JSON", "导入以 JSON 导出的会话"),
    ("The file; `-` reads standard input", "文件；- 表示标准输入"),
    ("Give a session another title", "修改会话标题"),
    ("The title; an empty one gives back that of the first request", "标题；为空则恢复为首个请求的标题"),
    ("Remove sessions for good", "永久删除会话"),
    ("The sessions' ids, beginnings of them, or `last`", "会话 id、其开头部分，或 last；可写多个"),
    ("Remove old sessions for good", "永久删除旧会话"),
    ("Those that nothing was added to for so many days", "这么多天以来没有更新的会话"),
    ("All but so many, those that were added to last", "只保留最近更新的若干个"),
    ("The number of the first message to show", "要显示的第一条消息的编号"),
    ("How many messages to show; the default is all", "显示多少条消息；默认为全部"),
    ("Show long texts whole", "完整显示长文本"),
    ("Do not ask", "不询问"),
    ("Also remove the traces of their tasks", "同时删除其任务的跟踪记录"),
];

/// The command line with its help in `lang`.
pub fn command(lang: Lang) -> clap::Command {
    let command = Cli::command();
    if lang == Lang::Zh { chinese(command) } else { command }
}

fn chinese(command: clap::Command) -> clap::Command {
    let about = command.get_about().and_then(|about| lookup(&about.to_string()));
    let mut command =
        command.mut_args(|argument| match argument.get_help().and_then(|help| lookup(&help.to_string())) {
            Some(help) => argument.help(help),
            None => argument,
        });
    if let Some(about) = about {
        command = command.about(about);
    }
    let names: Vec<String> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, chinese))
}

fn lookup(english: &str) -> Option<&'static str> {
    CHINESE.iter().find(|(words, _)| *words == english).map(|(_, chinese)| *chinese)
}

/// The language of a `--lang` word, else of the locale.
pub fn lang_of(word: Option<LangWord>) -> Lang {
    match word {
        Some(LangWord::Zh) => Lang::Zh,
        Some(LangWord::En) => Lang::En,
        None => locale_lang(),
    }
}

/// The language to read the command line itself in: `--lang` where it stands, else the locale.
pub fn early_lang(arguments: &[String]) -> Lang {
    let after = |words: &[String]| match words {
        [flag, value] if flag == "--lang" => Some(value.clone()),
        _ => None,
    };
    let joined = arguments.iter().find_map(|word| word.strip_prefix("--lang=").map(str::to_owned));
    match joined.or_else(|| arguments.windows(2).find_map(after)).as_deref() {
        Some("zh") => Lang::Zh,
        Some("en") => Lang::En,
        _ => locale_lang(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn helps(command: &clap::Command) -> Vec<String> {
        let own = command.get_about().map(ToString::to_string);
        let arguments = command.get_arguments().filter_map(|argument| argument.get_help().map(ToString::to_string));
        let inner = command.get_subcommands().flat_map(helps);
        own.into_iter().chain(arguments).chain(inner).collect()
    }

    #[test]
    fn every_help_text_has_its_chinese_wording() {
        let missing: Vec<String> = helps(&Cli::command()).into_iter().filter(|help| lookup(help).is_none()).collect();
        assert!(missing.is_empty(), "{missing:#?}");
        let unused: Vec<&str> = {
            let used = helps(&Cli::command());
            CHINESE
                .iter()
                .map(|(english, _)| *english)
                .filter(|english| !used.iter().any(|help| help == english))
                .collect()
        };
        assert!(unused.is_empty(), "{unused:#?}");
    }

    #[test]
    fn the_help_names_every_provider() {
        let helps = helps(&Cli::command());
        let model = helps.iter().find(|help| help.starts_with("The model, as provider/name")).expect("the option");
        for profile in &*winclaw_model::PROFILES {
            assert!(model.contains(&format!("{}/…", profile.provider)), "{}", profile.provider);
        }
    }

    #[test]
    fn the_language_is_known_before_the_command_line_is_read() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(early_lang(&words("winclaw run x --lang zh")), Lang::Zh);
        assert_eq!(early_lang(&words("winclaw --lang=en run x")), Lang::En);
    }
}
