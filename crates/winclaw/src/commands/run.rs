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

/// The longest request that is read from standard input, in bytes.
const MAX_REQUEST: u64 = 16 * 1024 * 1024;

/// The request, trimmed; never empty.
fn request(text: &str) -> Result<String, Complaint> {
    let text = read_request(text)?;
    if text.is_empty() {
        return Err(Complaint::new(Exit::Usage, "the request is empty", "请求为空")
            .mend("say what you want done, such as: winclaw run \"…\"", "请写明要做的事，例如：winclaw run \"…\""));
    }
    Ok(text)
}

/// `text` itself, or standard input for `-`; trimmed.
pub fn read_request(text: &str) -> Result<String, Complaint> {
    if text != "-" {
        return Ok(text.trim().to_owned());
    }
    let mut read = String::new();
    let ended = std::io::stdin().take(MAX_REQUEST + 1).read_to_string(&mut read);
    match ended {
        Ok(_) if read.len() as u64 > MAX_REQUEST => {
            Err(Complaint::new(Exit::Usage, "the request is longer than 16 MiB", "请求超过 16 MiB")
                .mend("put what is to be read into a file and name it", "请将内容写入文件，并在请求中说明文件名"))
        }
        Ok(_) => Ok(read.trim().to_owned()),
        Err(error) => Err(Complaint::new(
            Exit::Usage,
            format!("cannot read standard input: {error}"),
            format!("无法读取标准输入：{error}"),
        )
        .mend("give the request as UTF-8 text", "请以 UTF-8 文本提供请求")),
    }
}
