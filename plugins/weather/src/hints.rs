//! Whether a place lies in the region or country a person named.

use crate::geocode::Found;
use crate::query::without_suffix;

/// Names of countries in a language other than the reply's, lower case, and their ISO codes.
#[rustfmt::skip]
const COUNTRIES: [(&str, &str); 89] = [
    ("china", "CN"), ("prc", "CN"), ("japan", "JP"), ("france", "FR"), ("germany", "DE"), ("italy", "IT"),
    ("spain", "ES"), ("portugal", "PT"), ("netherlands", "NL"), ("holland", "NL"), ("switzerland", "CH"),
    ("austria", "AT"), ("russia", "RU"), ("india", "IN"), ("canada", "CA"), ("australia", "AU"),
    ("new zealand", "NZ"), ("brazil", "BR"), ("mexico", "MX"), ("argentina", "AR"), ("south korea", "KR"),
    ("korea", "KR"), ("thailand", "TH"), ("vietnam", "VN"), ("singapore", "SG"), ("malaysia", "MY"),
    ("indonesia", "ID"), ("philippines", "PH"), ("egypt", "EG"), ("south africa", "ZA"), ("turkey", "TR"),
    ("ireland", "IE"), ("sweden", "SE"), ("norway", "NO"), ("denmark", "DK"), ("finland", "FI"),
    ("poland", "PL"), ("greece", "GR"), ("uk", "GB"), ("u.k.", "GB"), ("britain", "GB"),
    ("great britain", "GB"), ("england", "GB"), ("scotland", "GB"), ("wales", "GB"), ("usa", "US"),
    ("u.s.", "US"), ("u.s.a.", "US"), ("america", "US"), ("united states of america", "US"), ("中国", "CN"),
    ("中华人民共和国", "CN"), ("日本", "JP"), ("法国", "FR"), ("德国", "DE"), ("意大利", "IT"), ("西班牙", "ES"), ("葡萄牙", "PT"),
    ("荷兰", "NL"), ("瑞士", "CH"), ("奥地利", "AT"), ("俄罗斯", "RU"), ("印度", "IN"), ("加拿大", "CA"), ("澳大利亚", "AU"),
    ("澳洲", "AU"), ("新西兰", "NZ"), ("巴西", "BR"), ("墨西哥", "MX"), ("阿根廷", "AR"), ("韩国", "KR"), ("泰国", "TH"),
    ("越南", "VN"), ("新加坡", "SG"), ("马来西亚", "MY"), ("印度尼西亚", "ID"), ("菲律宾", "PH"), ("埃及", "EG"), ("南非", "ZA"),
    ("土耳其", "TR"), ("爱尔兰", "IE"), ("瑞典", "SE"), ("挪威", "NO"), ("丹麦", "DK"), ("芬兰", "FI"), ("波兰", "PL"),
    ("希腊", "GR"), ("英国", "GB"), ("美国", "US"),
];

/// The states of the USA by their postal letters.
#[rustfmt::skip]
const STATES: [(&str, &str); 51] = [
    ("AL", "Alabama"), ("AK", "Alaska"), ("AZ", "Arizona"), ("AR", "Arkansas"), ("CA", "California"),
    ("CO", "Colorado"), ("CT", "Connecticut"), ("DC", "District of Columbia"), ("DE", "Delaware"), ("FL", "Florida"),
    ("GA", "Georgia"), ("HI", "Hawaii"), ("ID", "Idaho"), ("IL", "Illinois"), ("IN", "Indiana"), ("IA", "Iowa"),
    ("KS", "Kansas"), ("KY", "Kentucky"), ("LA", "Louisiana"), ("ME", "Maine"), ("MD", "Maryland"),
    ("MA", "Massachusetts"), ("MI", "Michigan"), ("MN", "Minnesota"), ("MS", "Mississippi"), ("MO", "Missouri"),
    ("MT", "Montana"), ("NE", "Nebraska"), ("NV", "Nevada"), ("NH", "New Hampshire"), ("NJ", "New Jersey"),
    ("NM", "New Mexico"), ("NY", "New York"), ("NC", "North Carolina"), ("ND", "North Dakota"), ("OH", "Ohio"),
    ("OK", "Oklahoma"), ("OR", "Oregon"), ("PA", "Pennsylvania"), ("RI", "Rhode Island"), ("SC", "South Carolina"),
    ("SD", "South Dakota"), ("TN", "Tennessee"), ("TX", "Texas"), ("UT", "Utah"), ("VT", "Vermont"), ("VA", "Virginia"),
    ("WA", "Washington"), ("WV", "West Virginia"), ("WI", "Wisconsin"), ("WY", "Wyoming"),
];

/// Whether `place` lies in every region or country of `hints`.
pub fn all_fit(hints: &[String], place: &Found) -> bool {
    hints.iter().all(|hint| fits(hint, place))
}

fn fits(hint: &str, place: &Found) -> bool {
    place.country_code.eq_ignore_ascii_case(hint)
        || is_country(hint, &place.country_code)
        || is_state(hint, place)
        || place.areas().any(|area| is_area(hint, area))
        || is_area(hint, &place.name)
}

fn is_country(hint: &str, code: &str) -> bool {
    let hint = hint.to_lowercase();
    COUNTRIES.iter().any(|(name, of)| *name == hint && *of == code)
}

fn is_state(hint: &str, place: &Found) -> bool {
    let state = STATES.iter().find(|(letters, _)| letters.eq_ignore_ascii_case(hint));
    place.country_code == "US" && state.is_some_and(|(_, name)| place.areas().any(|area| area == *name))
}

/// The same area, or the beginning of its name: 江苏 fits 江苏省, `New York` fits `New York County`.
fn is_area(hint: &str, area: &str) -> bool {
    let bare = without_suffix(hint).unwrap_or(hint).to_lowercase();
    area.to_lowercase().starts_with(&bare) && bare.chars().count() >= 2
}
