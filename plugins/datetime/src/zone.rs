//! Time zones by IANA name, by city in Chinese or English, or by offset from UTC.

use jiff::tz::{Offset, TimeZone};

/// Cities and countries with one zone that people name, lower case, and their IANA zone.
#[rustfmt::skip]
const CITIES: [(&str, &str, &str); 62] = [
    ("beijing", "北京", "Asia/Shanghai"), ("china", "中国", "Asia/Shanghai"), ("shanghai", "上海", "Asia/Shanghai"),
    ("shenzhen", "深圳", "Asia/Shanghai"), ("guangzhou", "广州", "Asia/Shanghai"), ("chengdu", "成都", "Asia/Shanghai"),
    ("hong kong", "香港", "Asia/Hong_Kong"), ("macau", "澳门", "Asia/Macau"), ("taipei", "台北", "Asia/Taipei"),
    ("urumqi", "乌鲁木齐", "Asia/Urumqi"),
    ("tokyo", "东京", "Asia/Tokyo"), ("japan", "日本", "Asia/Tokyo"), ("osaka", "大阪", "Asia/Tokyo"),
    ("seoul", "首尔", "Asia/Seoul"), ("korea", "韩国", "Asia/Seoul"), ("singapore", "新加坡", "Asia/Singapore"),
    ("bangkok", "曼谷", "Asia/Bangkok"), ("jakarta", "雅加达", "Asia/Jakarta"), ("manila", "马尼拉", "Asia/Manila"),
    ("kuala lumpur", "吉隆坡", "Asia/Kuala_Lumpur"), ("hanoi", "河内", "Asia/Ho_Chi_Minh"),
    ("new delhi", "新德里", "Asia/Kolkata"), ("mumbai", "孟买", "Asia/Kolkata"), ("india", "印度", "Asia/Kolkata"),
    ("kathmandu", "加德满都", "Asia/Kathmandu"), ("dubai", "迪拜", "Asia/Dubai"), ("tehran", "德黑兰", "Asia/Tehran"),
    ("istanbul", "伊斯坦布尔", "Europe/Istanbul"), ("jerusalem", "耶路撒冷", "Asia/Jerusalem"),
    ("riyadh", "利雅得", "Asia/Riyadh"), ("moscow", "莫斯科", "Europe/Moscow"), ("london", "伦敦", "Europe/London"),
    ("uk", "英国", "Europe/London"), ("dublin", "都柏林", "Europe/Dublin"), ("paris", "巴黎", "Europe/Paris"),
    ("france", "法国", "Europe/Paris"), ("berlin", "柏林", "Europe/Berlin"), ("germany", "德国", "Europe/Berlin"),
    ("frankfurt", "法兰克福", "Europe/Berlin"), ("madrid", "马德里", "Europe/Madrid"), ("rome", "罗马", "Europe/Rome"),
    ("italy", "意大利", "Europe/Rome"), ("amsterdam", "阿姆斯特丹", "Europe/Amsterdam"),
    ("zurich", "苏黎世", "Europe/Zurich"), ("vienna", "维也纳", "Europe/Vienna"),
    ("stockholm", "斯德哥尔摩", "Europe/Stockholm"), ("athens", "雅典", "Europe/Athens"), ("cairo", "开罗", "Africa/Cairo"),
    ("johannesburg", "约翰内斯堡", "Africa/Johannesburg"), ("nairobi", "内罗毕", "Africa/Nairobi"),
    ("new york", "纽约", "America/New_York"), ("washington", "华盛顿", "America/New_York"),
    ("boston", "波士顿", "America/New_York"), ("chicago", "芝加哥", "America/Chicago"),
    ("denver", "丹佛", "America/Denver"), ("los angeles", "洛杉矶", "America/Los_Angeles"),
    ("san francisco", "旧金山", "America/Los_Angeles"), ("seattle", "西雅图", "America/Los_Angeles"),
    ("toronto", "多伦多", "America/Toronto"), ("sydney", "悉尼", "Australia/Sydney"),
    ("auckland", "奥克兰", "Pacific/Auckland"), ("sao paulo", "圣保罗", "America/Sao_Paulo"),
];

/// Short names that mean different zones to different people, and what to write instead.
const UNCLEAR: [(&str, &str); 3] = [
    ("cst", "Asia/Shanghai (China) or America/Chicago (US Central)"),
    ("ist", "Asia/Kolkata (India), Europe/Dublin (Ireland) or Asia/Jerusalem (Israel)"),
    ("bst", "Europe/London (Britain) or Asia/Dhaka (Bangladesh)"),
];

/// Short names with one meaning.
const SHORT: [(&str, &str); 12] = [
    ("utc", "UTC"),
    ("gmt", "UTC"),
    ("z", "UTC"),
    ("pst", "America/Los_Angeles"),
    ("pdt", "America/Los_Angeles"),
    ("pt", "America/Los_Angeles"),
    ("et", "America/New_York"),
    ("est", "America/New_York"),
    ("edt", "America/New_York"),
    ("cet", "Europe/Berlin"),
    ("jst", "Asia/Tokyo"),
    ("北京时间", "Asia/Shanghai"),
];

/// The zone that `name` names.
///
/// # Errors
/// Says how a zone is named.
pub fn find(name: &str) -> Result<TimeZone, String> {
    let name = name.trim();
    let lower = name.to_lowercase();
    if let Some((_, which)) = UNCLEAR.iter().find(|(short, _)| *short == lower) {
        return Err(format!("`{name}` means different zones to different people; write {which}"));
    }
    let found = known(&lower).or_else(|| offset(&lower).map(TimeZone::fixed)).or_else(|| iana(name));
    found.ok_or_else(|| {
        format!(
            "`{name}` is no time zone that is known; write an IANA name such as Asia/Shanghai, a large city such as \
             Beijing or 东京, or an offset such as +08:00"
        )
    })
}

fn known(lower: &str) -> Option<TimeZone> {
    let bare = lower.trim_end_matches("时间").trim_end_matches('市').trim_end_matches(" time");
    let city = CITIES.iter().find(|(en, zh, _)| *en == bare || *zh == bare).map(|(_, _, iana)| *iana);
    let short = SHORT.iter().find(|(short, _)| *short == lower).map(|(_, iana)| *iana);
    TimeZone::get(city.or(short)?).ok()
}

/// An IANA name, in any case; blanks count as `_`, and a bare city is looked for behind each region.
fn iana(name: &str) -> Option<TimeZone> {
    let name = name.replace(' ', "_");
    if !name.is_ascii() || name.is_empty() {
        return None;
    }
    let regions = ["Asia", "Europe", "America", "Africa", "Australia", "Pacific", "Atlantic", "Indian"];
    let bare = || regions.iter().find_map(|region| TimeZone::get(&format!("{region}/{name}")).ok());
    match name.contains('/') {
        true => TimeZone::get(&name).ok(),
        false => bare().or_else(|| TimeZone::get(&name).ok().filter(|_| name.len() > 3)),
    }
}

/// `+8`, `UTC+08:00`, `gmt-5`, `+0530`, `东八区`, `西5区`.
fn offset(lower: &str) -> Option<Offset> {
    if let Some(offset) = chinese_offset(lower) {
        return Some(offset);
    }
    let rest = lower.trim_start_matches("utc").trim_start_matches("gmt").trim();
    let sign = match rest.chars().next()? {
        '+' => 1,
        '-' | '−' => -1,
        _ => return None,
    };
    let digits = rest.trim_start_matches(['+', '-', '−']);
    let (hours, minutes) = match digits.split_once(':') {
        Some(pair) => pair,
        None if digits.len() == 4 => digits.split_at_checked(2)?,
        None => (digits, "0"),
    };
    let (hours, minutes) = (hours.parse::<i32>().ok()?, minutes.parse::<i32>().ok()?);
    seconds(sign, hours, minutes)
}

fn chinese_offset(text: &str) -> Option<Offset> {
    let zone = text.strip_suffix('区')?;
    let (sign, number) = match zone.chars().next()? {
        '东' => (1, &zone["东".len()..]),
        '西' => (-1, &zone["西".len()..]),
        _ => return None,
    };
    let (hours, rest) = crate::numbers::number(number)?;
    rest.is_empty().then_some(())?;
    seconds(sign, i32::try_from(hours).ok()?, 0)
}

fn seconds(sign: i32, hours: i32, minutes: i32) -> Option<Offset> {
    let fits = (0..=14).contains(&hours) && (0..60).contains(&minutes);
    fits.then(|| Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()).flatten()
}

/// How `zone` is called in a result: its IANA name, else its offset.
pub fn name(zone: &TimeZone, offset: Offset) -> String {
    zone.iana_name().map_or_else(|| format!("UTC{}", offset_text(offset)), str::to_owned)
}

/// `+08:00`.
pub fn offset_text(offset: Offset) -> String {
    let seconds = offset.seconds();
    let sign = if seconds < 0 { '-' } else { '+' };
    let (hours, minutes, rest) = (seconds.abs() / 3600, seconds.abs() / 60 % 60, seconds.abs() % 60);
    let tail = if rest == 0 { String::new() } else { format!(":{rest:02}") };
    format!("{sign}{hours:02}:{minutes:02}{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_found_by_every_name() {
        for (name, iana) in [
            ("Asia/Shanghai", "Asia/Shanghai"),
            ("asia/tokyo", "Asia/Tokyo"),
            ("America/New York", "America/New_York"),
            ("北京", "Asia/Shanghai"),
            ("北京时间", "Asia/Shanghai"),
            ("纽约", "America/New_York"),
            ("New York", "America/New_York"),
            ("Tokyo time", "Asia/Tokyo"),
            ("Lisbon", "Europe/Lisbon"),
            ("UTC", "UTC"),
            ("EST", "America/New_York"),
        ] {
            assert_eq!(find(name).expect(name).iana_name(), Some(iana), "{name}");
        }
    }

    #[test]
    fn offsets_are_zones() {
        for (name, seconds) in [
            ("+08:00", 28800),
            ("UTC+8", 28800),
            ("gmt-5", -18000),
            ("+0530", 19800),
            ("东八区", 28800),
            ("西五区", -18000),
        ] {
            assert_eq!(
                find(name)
                    .and_then(|zone| zone.to_fixed_offset().map_err(|error| error.to_string()))
                    .map(Offset::seconds),
                Ok(seconds),
                "{name}"
            );
        }
    }

    #[test]
    fn every_city_of_the_table_has_its_zone() {
        for (en, zh, iana) in CITIES {
            assert_eq!(find(en).expect(en).iana_name(), Some(iana));
            assert_eq!(find(zh).expect(zh).iana_name(), Some(iana));
        }
    }

    #[test]
    fn unknown_and_unclear_zones_say_what_to_write() {
        for name in ["CST", "Atlantis", "火星", "", "+25:00", "UTC+8:99", "东九十区"] {
            let error = find(name).expect_err(name);
            assert!(error.contains("write"), "{name}: {error}");
        }
    }
}
