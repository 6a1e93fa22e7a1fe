//! `winclaw trace export`: tasks as OpenTelemetry spans.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use winclaw_otlp::{Encoding, Endpoint, Options, SendError, to_json};
use winclaw_trace::TraceReader;

use super::find;
use crate::cli::{TraceEncoding, TraceExportArgs, TraceFormat};
use crate::complaint::{Complaint, Exit, io};
use crate::config::Config;
use crate::screen::{Screen, Style, escaped, harmless};

/// The standard variable with the headers for a collector.
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";

pub async fn run(config: &Config, screen: &Screen, args: &TraceExportArgs) -> Result<Exit, Complaint> {
    let TraceFormat::Otlp = args.format;
    let options = Options { content: args.content };
    let files = args.ids.iter().map(|id| find::file(&config.traces(), id)).collect::<Result<Vec<_>, _>>()?;
    if let Some(address) = &args.endpoint {
        return post(screen, address, args.encoding, &files, options).await;
    }
    let mut out = match &args.out {
        Some(file) => Some((file, BufWriter::new(File::create(file).map_err(|error| io(file, &error))?))),
        None => None,
    };
    for file in &files {
        let json = escaped(&to_json(&message(file, options)?.0));
        match &mut out {
            Some((file, out)) => writeln!(out, "{json}").map_err(|error| io(file, &error))?,
            None => screen.line(&json),
        }
    }
    if let Some((file, mut out)) = out {
        out.flush().map_err(|error| io(file, &error))?;
    }
    Ok(Exit::Done)
}

/// The message of one task, and how many spans it has.
fn message(file: &Path, options: Options) -> Result<(winclaw_otlp::Message, usize), Complaint> {
    let id = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let reader = TraceReader::open(file).map_err(|error| io(file, &error))?;
    let mut failed = None;
    let lines = reader.map_while(|line| line.map_err(|error| failed = Some(error)).ok());
    let spans = winclaw_otlp::spans(&id, lines, options);
    let count = spans.len();
    match failed {
        Some(error) => Err(io(file, &error)),
        None => Ok((winclaw_otlp::request(spans, env!("CARGO_PKG_VERSION")), count)),
    }
}

/// Sends one message a task, and says what came of it.
async fn post(
    screen: &Screen,
    address: &str,
    encoding: TraceEncoding,
    files: &[std::path::PathBuf],
    options: Options,
) -> Result<Exit, Complaint> {
    let encoding = match encoding {
        TraceEncoding::Protobuf => Encoding::Protobuf,
        TraceEncoding::Json => Encoding::Json,
    };
    let endpoint = Endpoint::new(address).map_err(|error| complaint(&error))?;
    let endpoint = endpoint.headers(&std::env::var(HEADERS).unwrap_or_default()).map_err(|error| complaint(&error))?;
    let (mut sent, mut rejected) = (0, 0);
    for file in files {
        let (message, count) = message(file, options)?;
        let said = winclaw_otlp::send(&endpoint, &message, encoding).await.map_err(|error| complaint(&error))?;
        (sent, rejected) = (sent + count, rejected + usize::try_from(said.rejected).unwrap_or(count));
        if !said.message.is_empty() {
            let words = screen.word("the collector says", "收集器提示");
            screen.note(&screen.paint(Style::Yellow, &harmless(&format!("{words}: {}", said.message))));
        }
    }
    let place = endpoint.shown();
    let (en, zh) = (
        format!("{sent} spans of {} tasks sent to {place}, {rejected} of them refused", files.len()),
        format!("已将 {} 个任务的 {sent} 个 span 发送到 {place}，其中 {rejected} 个被拒绝", files.len()),
    );
    screen.line(&harmless(screen.word(&en, &zh)));
    Ok(if rejected == 0 { Exit::Done } else { Exit::NotCompleted })
}

fn complaint(error: &SendError) -> Complaint {
    let en = error.to_string();
    match error {
        SendError::Address { why } => Complaint::new(Exit::Usage, en, format!("地址无法使用：{why}")).mend(
            "write the collector's address, such as http://127.0.0.1:4318",
            "请写出收集器的地址，例如 http://127.0.0.1:4318",
        ),
        SendError::Header { name } => Complaint::new(Exit::Usage, en, format!("请求头“{name}”无法发送"))
            .mend(format!("correct {HEADERS}"), format!("请改正 {HEADERS}")),
        SendError::Unreachable { why } => Complaint::new(Exit::Unreachable, en, format!("无法连接收集器：{why}")).mend(
            "see that it runs and listens for OTLP over HTTP there",
            "请确认它正在运行，并在该地址接收 OTLP/HTTP",
        ),
        SendError::Refused { status, message } => {
            Complaint::new(Exit::Unreachable, en, format!("收集器返回 {status}：{message}")).mend(
                format!("a key is given in {HEADERS}; another form of the message with --encoding json"),
                format!("密钥写在 {HEADERS} 中；可用 --encoding json 换一种格式"),
            )
        }
    }
}
