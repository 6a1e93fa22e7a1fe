//! What a person is told when a command cannot do its job, and the exit code that goes with it.

use serde_json::json;
use winclaw_tool::{Failure, FailureCode, Lang, Text};

use crate::hidden::clean;

/// The exit codes of the program; the README lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// A fault of the program itself.
    Internal = 1,
    /// Wrong usage or configuration.
    Usage = 2,
    /// A key is missing or was refused.
    Authentication = 3,
    /// The model or a server cannot be reached.
    Unreachable = 4,
    /// A tool failed.
    ToolFailed = 5,
    /// The task was not completed.
    NotCompleted = 6,
    /// Something the task needed was denied.
    Denied = 7,
    /// Stopped for looping or drift.
    Stopped = 8,
    /// A plugin was refused.
    PluginRefused = 9,
    /// Interrupted by the person.
    Interrupted = 130,
}

impl Exit {
    /// The name in JSON output.
    pub fn as_str(self) -> &'static str {
        match self {
            Exit::Done => "done",
            Exit::Internal => "internal",
            Exit::Usage => "usage",
            Exit::Authentication => "authentication",
            Exit::Unreachable => "unreachable",
            Exit::ToolFailed => "tool_failed",
            Exit::NotCompleted => "not_completed",
            Exit::Denied => "denied",
            Exit::Stopped => "stopped",
            Exit::PluginRefused => "plugin_refused",
            Exit::Interrupted => "interrupted",
        }
    }
}

/// A complaint: the exit code, what is wrong, and how to mend it.
#[derive(Debug, Clone)]
pub struct Complaint {
    /// The exit code.
    pub exit: Exit,
    /// What is wrong.
    pub what: Text,
    /// How to mend it; may be empty.
    pub mend: Text,
}

impl Complaint {
    /// A complaint in both languages, without a way to mend it.
    pub fn new(exit: Exit, en: impl Into<String>, zh: impl Into<String>) -> Self {
        Complaint { exit, what: Text::new(en, zh), mend: Text::default() }
    }

    /// The same with a way to mend it.
    pub fn mend(mut self, en: impl Into<String>, zh: impl Into<String>) -> Self {
        self.mend = Text::new(en, zh);
        self
    }

    /// The same, said of this file.
    pub fn at(self, file: &std::path::Path) -> Self {
        let (place, what) = (file.display(), &self.what);
        Complaint { what: Text::new(format!("{place}: {}", what.en), format!("{place}：{}", what.zh)), ..self }
    }

    /// The complaint of a failed tool call.
    ///
    /// A tool speaks to the model in English. In Chinese the hint comes first where the tool gives one, and what it said
    /// stands below.
    pub fn of_failure(failure: &Failure) -> Self {
        let (message, code) = (&failure.message, code_in_chinese(failure.code));
        let what = format!("{}: {message}", failure.code.as_str());
        let complaint = Complaint::new(exit_of(failure.code), what, format!("{code}：{message}"));
        match &failure.hint {
            Some(hint) => {
                Complaint { what: Text::new(complaint.what.en, format!("{code}：{}", hint.zh)), ..complaint }
                    .mend(hint.en.clone(), message.clone())
            }
            None => complaint,
        }
    }

    /// The same without secrets, for whatever is printed: a server may quote the key it was given.
    pub fn clean(&self) -> Self {
        let clean = |text: &Text| Text::new(clean(&text.en), clean(&text.zh));
        Complaint { exit: self.exit, what: clean(&self.what), mend: clean(&self.mend) }
    }

    /// One JSON line, for `--output json`.
    pub fn json_line(&self, lang: Lang) -> String {
        let it = self.clean();
        json!({"error": self.exit.as_str(), "exit_code": self.exit as u8,
               "message": it.what.get(lang), "mend": it.mend.get(lang)})
        .to_string()
    }
}

/// A failure code in Chinese.
pub fn code_in_chinese(code: FailureCode) -> &'static str {
    match code {
        FailureCode::InvalidArgs => "参数有误",
        FailureCode::Cancelled => "已取消",
        FailureCode::Timeout => "超时",
        FailureCode::Unavailable => "暂不可用",
        FailureCode::Denied => "未获允许",
        FailureCode::NeedsConfig => "需要配置",
        FailureCode::ToolFailed => "工具失败",
        FailureCode::Panicked => "工具内部错误",
        FailureCode::Crashed => "工具进程崩溃",
        FailureCode::Incompatible => "插件不兼容",
    }
}

fn exit_of(code: FailureCode) -> Exit {
    match code {
        FailureCode::InvalidArgs => Exit::Usage,
        FailureCode::Denied => Exit::Denied,
        FailureCode::Cancelled => Exit::Interrupted,
        FailureCode::Incompatible => Exit::PluginRefused,
        _ => Exit::ToolFailed,
    }
}

/// A file or folder that could not be used.
pub fn io(path: &std::path::Path, error: &std::io::Error) -> Complaint {
    let path = path.display();
    Complaint::new(Exit::Usage, format!("{path}: {error}"), format!("{path}：{error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_printed_in_either_language() {
        let key = format!("sk-proj-{}", "CANARY7f3Kq9ZxV2mWb8Lr");
        let said = format!("OPENAI_API_KEY: Incorrect API key provided: {key}");
        let complaint = Complaint::new(Exit::Authentication, &said, &said).mend("at http://me:CANARY-7@host", &said);
        for told in [complaint.json_line(Lang::En), complaint.json_line(Lang::Zh), format!("{:?}", complaint.clean())] {
            assert!(!told.contains("CANARY") && told.contains("Incorrect API key provided"), "{told}");
        }
    }
}
