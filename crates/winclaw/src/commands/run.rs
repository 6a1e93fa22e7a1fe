//! `winclaw run`.

use std::io::Read as _;

use winclaw_model::ChatModel;
use winclaw_session::{Error, Store};
use winclaw_tool::Text;

use crate::cli::{KeepArgs, ModelArgs, RunArgs, StrategyWord};
use crate::complaint::{Complaint, Exit};
use crate::config::Config;
use crate::host::{Host, Opening};
use crate::screen::{Screen, Style, harmless};
use crate::shelf::{self, Place, of_store};
use crate::task::{self, Task};

/// Gives the request to the model, as the first or next of a session.
pub async fn run(config: Config, screen: Screen, args: RunArgs, verbose: bool) -> Result<Exit, Complaint> {
    let request = request(&args.text)?;
    let opening = Opening { allow: args.task.allow.clone(), ..Opening::default() };
    let host = Host::open(config, screen, opening)?;
    host.warn();
    let kept = chosen(&host, &args.keep)?;
    let model = model(&args.model, kept.as_ref(), &host).await?;
    let place = kept.and_then(|kept| kept.place(&host, &model.label()).transpose()).transpose()?;
    let task = Task { request, args: args.task, exposure: args.exposure, strategy: StrategyWord::Progressive };
    task::run(&host, model.as_ref(), &task, place, verbose).await
}

/// Where the conversation is to be kept.
struct Chosen {
    store: Store,
    /// The session to go on with, and the model it had.
    before: Option<(String, String)>,
    /// Whether somebody asked for it by name.
    named: bool,
}

impl Chosen {
    /// The place in the store, for `model`. Where nobody asked for one it is only a pity when there is none.
    fn place(self, host: &Host, model: &str) -> Result<Option<Place>, Complaint> {
        let made = match &self.before {
            Some((id, _)) => Place::take_up(&self.store, id),
            None => Place::begin(&self.store, model).map(|place| (place, Vec::new())),
        };
        match made {
            Ok((place, problems)) => {
                problems.iter().for_each(|problem| pity(host, &shelf::told(problem)));
                Ok(Some(place))
            }
            Err(error) => without(host, self.named, &error).map(|()| None),
        }
    }
}

/// What the command line and the configuration say about keeping. A session that is named must be there.
fn chosen(host: &Host, keep: &KeepArgs) -> Result<Option<Chosen>, Complaint> {
    let wanted = keep.session.is_some() || host.config.sessions_keep;
    if keep.no_session || !wanted {
        return Ok(None);
    }
    let named = keep.session.is_some();
    let store = match shelf::open(&host.config.sessions()) {
        Ok((store, notices)) => {
            notices.iter().for_each(|text| pity(host, text));
            store
        }
        Err(error) => return without(host, named, &error).map(|()| None),
    };
    let before = match keep.session.as_deref() {
        None | Some("new") => None,
        Some(given) => {
            let info = store.find(given).and_then(|id| store.info(&id)).map_err(|error| of_store(&error))?;
            Some((info.id, info.model))
        }
    };
    Ok(Some(Chosen { store, before, named }))
}

fn without(host: &Host, named: bool, error: &Error) -> Result<(), Complaint> {
    if named {
        return Err(of_store(error));
    }
    pity(host, &shelf::not_kept(error));
    Ok(())
}

/// Something the person should hear, and that does not keep the task.
fn pity(host: &Host, text: &Text) {
    host.screen.note(&host.screen.paint(Style::Yellow, &harmless(host.screen.text(text))));
}

/// The model that is named, else that of the session, else any.
async fn model(args: &ModelArgs, kept: Option<&Chosen>, host: &Host) -> Result<Box<dyn ChatModel>, Complaint> {
    let before = kept.and_then(|kept| kept.before.as_ref()).map(|(_, model)| model.clone());
    let free = args.model.is_none() && args.replay.is_none();
    match before.filter(|label| free && !label.is_empty() && !label.starts_with("replay/")) {
        None => task::model(args, host).await,
        Some(label) => {
            let that = ModelArgs { model: Some(label.clone()), ..args.clone() };
            match task::model(&that, host).await {
                Ok(model) => Ok(model),
                Err(complaint) => {
                    let why = &complaint.what;
                    pity(
                        host,
                        &Text::new(
                            format!("the session's model {label} cannot be used: {}; looking for another", why.en),
                            format!("无法使用该会话的模型 {label}：{}；将改用其他模型", why.zh),
                        ),
                    );
                    task::model(args, host).await
                }
            }
        }
    }
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
