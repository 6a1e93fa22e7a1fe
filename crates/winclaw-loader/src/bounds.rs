//! What can be seen of a library without loading it: whether it is one, whole, and for this machine.

use std::env::consts::{ARCH, OS};
use std::path::Path;

use object::read::elf::ProgramHeader as _;
use object::read::{Error, FileKind, ReadCache, ReadRef};
use object::{Endianness, elf, macho, pe};
use winclaw_tool::Text;

/// Why a file cannot be loaded here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It has no bytes.
    Empty,
    /// It is not a library of any system.
    NotALibrary,
    /// It ends before `needs` bytes, which its header speaks of.
    CutOff { has: u64, needs: u64 },
    /// Its header contradicts itself.
    Malformed(String),
    /// It is a library of another system.
    Format { found: &'static str },
    /// It is a library for another processor.
    Machine { found: &'static str },
    /// It is a program or an object file.
    NotShared,
}

impl Fault {
    /// The rest of a sentence that begins with the file.
    pub(crate) fn text(&self) -> Text {
        match self {
            Fault::Empty => Text::new("is empty", "是空文件"),
            Fault::NotALibrary => Text::new("is not a library of any known system", "不是任何已知系统的库文件"),
            Fault::CutOff { has, needs } => Text::new(
                format!("is cut off: it has {has} bytes of at least {needs}"),
                format!("不完整：只有 {has} 字节，至少应有 {needs} 字节"),
            ),
            Fault::Malformed(why) => Text::new(format!("is damaged: {why}"), format!("已损坏：{why}")),
            Fault::Format { found } => {
                Text::new(format!("is a library for {found}, this is {OS}"), format!("是 {found} 的库，而本机是 {OS}"))
            }
            Fault::Machine { found } => Text::new(
                format!("is built for {found} processors, this machine is {ARCH}"),
                format!("是为 {found} 处理器构建的，而本机是 {ARCH}"),
            ),
            Fault::NotShared => Text::new("is not a shared library", "不是动态库"),
        }
    }
}

/// What the header of a library says.
struct Header {
    system: &'static str,
    arch: &'static str,
    shared: bool,
    /// How far into the file the parts reach that a loader maps.
    needs: u64,
}

/// Looks at the file at `path`, reading its headers only.
pub(crate) fn check_file(path: &Path) -> std::io::Result<Result<(), Fault>> {
    let file = std::fs::File::open(path)?;
    let size = file.metadata()?.len();
    let cache = ReadCache::new(file);
    Ok(check(&cache, size))
}

/// Looks at a library of `size` bytes.
pub(crate) fn check<'data, R: ReadRef<'data>>(data: R, size: u64) -> Result<(), Fault> {
    if size == 0 {
        return Err(Fault::Empty);
    }
    let header = header(data, size)?;
    if header.system != system_of(OS) {
        return Err(Fault::Format { found: header.system });
    }
    if header.arch != ARCH {
        return Err(Fault::Machine { found: header.arch });
    }
    if header.needs > size {
        return Err(Fault::CutOff { has: size, needs: header.needs });
    }
    if header.shared { Ok(()) } else { Err(Fault::NotShared) }
}

/// The systems whose libraries look alike share one name.
fn system_of(os: &'static str) -> &'static str {
    match os {
        "windows" | "macos" => os,
        _ => "linux",
    }
}

fn header<'data, R: ReadRef<'data>>(data: R, size: u64) -> Result<Header, Fault> {
    let kind = FileKind::parse(data).map_err(|_| Fault::NotALibrary)?;
    let read = match kind {
        FileKind::Elf64 => elf_header::<elf::FileHeader64<Endianness>, R>(data),
        FileKind::Elf32 => elf_header::<elf::FileHeader32<Endianness>, R>(data),
        FileKind::Pe64 => pe_header::<pe::ImageNtHeaders64, R>(data),
        FileKind::Pe32 => pe_header::<pe::ImageNtHeaders32, R>(data),
        FileKind::MachO64 => macho_header::<macho::MachHeader64<Endianness>, R>(data),
        FileKind::MachO32 => macho_header::<macho::MachHeader32<Endianness>, R>(data),
        _ => return Err(Fault::NotALibrary),
    };
    // A header that cannot be read to its end is most often a file that stops inside it.
    read.map_err(|error| {
        if size < 4096 { Fault::CutOff { has: size, needs: 4096 } } else { Fault::Malformed(error.to_string()) }
    })
}

fn elf_header<'data, H, R>(data: R) -> Result<Header, Error>
where
    H: object::read::elf::FileHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    let header = H::parse(data)?;
    let endian = header.endian()?;
    let table = |offset: u64, count: u64, size: u16| offset.saturating_add(count.saturating_mul(size.into()));
    let mut needs = table(header.e_phoff(endian).into(), header.e_phnum(endian).into(), header.e_phentsize(endian));
    let sections = table(header.e_shoff(endian).into(), header.e_shnum(endian).into(), header.e_shentsize(endian));
    needs = needs.max(sections);
    // The segments of a file whose table is cut off cannot be read, and need not be: `needs` tells already.
    for segment in header.program_headers(endian, data).unwrap_or_default() {
        let (offset, size) = segment.file_range(endian);
        needs = needs.max(offset.saturating_add(size));
    }
    let arch = match header.e_machine(endian) {
        elf::EM_X86_64 => "x86_64",
        elf::EM_AARCH64 => "aarch64",
        elf::EM_386 => "x86",
        elf::EM_ARM => "arm",
        elf::EM_RISCV => "riscv64",
        elf::EM_LOONGARCH => "loongarch64",
        elf::EM_PPC64 => "powerpc64",
        elf::EM_S390 => "s390x",
        _ => "other",
    };
    Ok(Header { system: "linux", arch, shared: header.e_type(endian) == elf::ET_DYN, needs })
}

fn pe_header<'data, H, R>(data: R) -> Result<Header, Error>
where
    H: object::read::pe::ImageNtHeaders,
    R: ReadRef<'data>,
{
    let dos = pe::ImageDosHeader::parse(data)?;
    let mut offset = dos.nt_headers_offset().into();
    let (headers, _) = H::parse(data, &mut offset)?;
    let file = headers.file_header();
    let sections = headers.sections(data, offset)?;
    let end = |(start, size): (u32, u32)| u64::from(start) + u64::from(size);
    let needs = sections.iter().map(|section| end(section.pe_file_range())).max().unwrap_or(0);
    let arch = match file.machine.get(object::LittleEndian) {
        pe::IMAGE_FILE_MACHINE_AMD64 => "x86_64",
        pe::IMAGE_FILE_MACHINE_ARM64 => "aarch64",
        pe::IMAGE_FILE_MACHINE_I386 => "x86",
        _ => "other",
    };
    let shared = file.characteristics.get(object::LittleEndian).contains(pe::IMAGE_FILE_DLL);
    Ok(Header { system: "windows", arch, shared, needs })
}

fn macho_header<'data, H, R>(data: R) -> Result<Header, Error>
where
    H: object::read::macho::MachHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    let header = H::parse(data, 0)?;
    let endian = header.endian()?;
    let mut commands = header.load_commands(endian, data, 0)?;
    let mut needs = 0_u64;
    while let Some(command) = commands.next()? {
        if let Some((segment, _)) = command.segment_64()? {
            needs = needs.max(segment.fileoff.get(endian).saturating_add(segment.filesize.get(endian)));
        }
    }
    let arch = match header.cputype(endian) {
        macho::CPU_TYPE_X86_64 => "x86_64",
        macho::CPU_TYPE_ARM64 => "aarch64",
        _ => "other",
    };
    let shared = matches!(header.filetype(endian), macho::MH_DYLIB | macho::MH_BUNDLE);
    Ok(Header { system: "macos", arch, shared, needs })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The running test is itself a position-independent file of this system.
    #[cfg(target_os = "linux")]
    fn own_bytes() -> Vec<u8> {
        std::fs::read(std::env::current_exe().expect("a path")).expect("the test's own file")
    }

    fn checked(bytes: &[u8]) -> Result<(), Fault> {
        check(bytes, bytes.len() as u64)
    }

    #[test]
    fn what_is_no_library_is_told_from_what_is_none_at_all() {
        assert_eq!(checked(b""), Err(Fault::Empty));
        assert_eq!(checked(b"x"), Err(Fault::NotALibrary));
        assert_eq!(checked("这不是库 this is no library at all, just text".as_bytes()), Err(Fault::NotALibrary));
        assert_eq!(checked(&[0; 4096]), Err(Fault::NotALibrary));
        assert!(matches!(checked(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0"), Err(Fault::CutOff { .. })));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_whole_file_passes_and_every_cut_is_seen() {
        let bytes = own_bytes();
        assert_eq!(checked(&bytes), Ok(()));
        for end in [20, 64, 200, 5000, bytes.len() / 2, bytes.len() - 1] {
            assert!(matches!(checked(&bytes[..end]), Err(Fault::CutOff { .. })), "{end}: {:?}", checked(&bytes[..end]));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn another_machine_and_another_kind_of_file_are_named() {
        let with = |place: usize, value: u16| {
            let mut bytes = own_bytes();
            bytes[place..place + 2].copy_from_slice(&value.to_le_bytes());
            checked(&bytes)
        };
        let other = if ARCH == "aarch64" { (62, "x86_64") } else { (183, "aarch64") };
        assert_eq!(with(18, other.0), Err(Fault::Machine { found: other.1 }));
        assert_eq!(with(18, 999), Err(Fault::Machine { found: "other" }));
        assert_eq!(with(16, 1), Err(Fault::NotShared));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_header_full_of_nonsense_ends_in_a_fault() {
        let bytes = own_bytes();
        for place in 0..64 {
            let mut broken = bytes[..8192].to_vec();
            broken[place] = 0xff;
            assert!(checked(&broken).is_err(), "byte {place}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_library_of_another_system_is_named() {
        let mut bytes = vec![0_u8; 1024];
        let mut put = |place: usize, value: &[u8]| bytes[place..place + value.len()].copy_from_slice(value);
        put(0, b"MZ");
        put(0x3c, &[0x80]);
        put(0x80, b"PE\0\0\x64\x86\0\0");
        put(0x94, &[0xf0, 0, 0, 0x20]);
        put(0x98, &[0x0b, 0x02]);
        assert_eq!(checked(&bytes), Err(Fault::Format { found: "windows" }));
    }
}
