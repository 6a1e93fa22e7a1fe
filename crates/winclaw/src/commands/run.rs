//! `winclaw run`.

use std::io::Read as _;

use crate::cli::RunArgs;
use crate::complaint::{Complaint, Exit};
use crate::config::Config;
use crate::host::{Host, Opening};
use crate::screen::Screen;
use crate::task::{self, Task};

/// Gives the request to the model.
pub async fn run(config: Config, screen: Screen, args: RunArgs, verbose: bool) -> Result<Exit, Complaint> {
    let request = request(&args.text)?;
    let opening = Opening { allow: args.task.allow.clone(), ..Opening::default() };
    let host = Host::open(config, screen, opening)?;
    host.warn();
    let model = task::model(&args.model, &host).await?;
    let task = Task { request, args: args.task, exposure: args.exposure };
    task::run(&host, model.as_ref(), &task, verbose).await
}

/// The request itself, or standard input for `-`.
fn request(text: &str) -> Result<String, Complaint> {
    let mut read = String::new();
    let text = if text == "-" {
        std::io::stdin().read_to_string(&mut read).map_err(|error| {
            let why = error.to_string();
            Complaint::new(
                Exit::Usage,
                format!("cannot read standard input: {why}"),
                format!("无法读取标准输入：{why}"),
            )
            .mend("give the request as UTF-8 text", "请以 UTF-8 文本提供请求")
        })?;
        read.as_str()
    } else {
        text
    };
    if text.trim().is_empty() {
        return Err(Complaint::new(Exit::Usage, "the request is empty", "请求为空")
            .mend("say what you want done, such as: winclaw run \"…\"", "请写明要做的事，例如：winclaw run \"…\""));
    }
    Ok(text.trim().to_owned())
}
