//! The document as LibreOffice reads it: opened, laid out on pages, and its text taken back.

use std::path::Path;
use std::process::Command;

use super::tests::docx;
use crate::Meta;
use crate::text::Script;

const INSTALL: &str = "apt-get install libreoffice-writer-nogui poppler-utils fonts-noto-cjk";

const REPORT: &str = include_str!("report.md");

/// The text of the document after a way through LibreOffice and PDF; nothing when the person chose to do without.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
fn text_through_office(bytes: &[u8]) -> Option<String> {
    if std::env::var("WINCLAW_NO_OFFICE").is_ok_and(|value| value == "1") {
        println!("skipped: WINCLAW_NO_OFFICE=1 is set, so no document was opened in LibreOffice");
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("report.docx"), bytes).expect("a file");
    let profile = format!("-env:UserInstallation=file://{}", folder.path().join("profile").display());
    let convert = ["--headless", "--convert-to", "pdf", "report.docx"];
    run(Command::new("soffice").arg(profile).args(convert).current_dir(folder.path()));
    let pdf = folder.path().join("report.pdf");
    assert!(pdf.exists(), "LibreOffice could not open the document");
    keep_for_a_look(&pdf, bytes);
    Some(run(Command::new("pdftotext").args(["-layout", "-enc", "UTF-8"]).arg(pdf).arg("-")))
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| {
        panic!(
            "{:?}: {error}\ninstall it with: {INSTALL}\nor set WINCLAW_NO_OFFICE=1 to go without",
            command.get_program()
        )
    });
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Copies the pages to the folder named by `WINCLAW_KEEP_PAGES`, for a person to look at.
fn keep_for_a_look(pdf: &Path, docx: &[u8]) {
    if let Some(folder) = std::env::var_os("WINCLAW_KEEP_PAGES") {
        std::fs::copy(pdf, Path::new(&folder).join("report.pdf")).expect("a copy");
        std::fs::write(Path::new(&folder).join("report.docx"), docx).expect("a copy");
    }
}

#[test]
fn libreoffice_shows_the_whole_report() {
    let meta = Meta { title: "北京天气报告".into(), script: Script::Chinese, ..Meta::default() };
    let Some(text) = text_through_office(&docx(REPORT, &meta)) else {
        return;
    };
    let shown = [
        "北京天气报告",
        "当前气温",
        "23.4 °C",
        "周一",
        "多云",
        "注意：",
        "一、概况",
        "1. 第一步",
        "2. 第二步",
        "a. 内层",
        "☑",
        "☐",
        "fn main()",
        "    println!",
        "quoted",
        "[image: gone]",
        "脚注内容",
        "Open-Meteo",
        "7. seven",
        "•",
    ];
    for part in shown {
        assert!(text.contains(part), "{part} is missing in:\n{text}");
    }
    assert!(!text.contains("**") && !text.contains("<br>"), "{text}");
    let row = text.lines().find(|line| line.contains("周一")).expect("a row of the table");
    assert!(row.contains("多云") && row.contains("25"), "one row of the table is one line: {row}");
}
