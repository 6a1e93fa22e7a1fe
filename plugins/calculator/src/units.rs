//! Chinese names of units, as fend is told them.

/// The name and what it is in terms of fend's own units.
#[rustfmt::skip]
pub const CHINESE: [(&str, &str); 75] = [
    ("米", "meter"), ("千米", "km"), ("公里", "km"), ("分米", "dm"), ("厘米", "cm"), ("毫米", "mm"), ("微米", "micrometer"),
    ("纳米", "nm"), ("里", "500 meter"), ("丈", "10/3 meter"), ("尺", "1/3 meter"), ("寸", "1/30 meter"),
    ("英里", "mile"), ("海里", "nautical_mile"), ("英尺", "foot"), ("英寸", "inch"), ("码", "yard"), ("光年", "lightyear"),
    ("克", "gram"), ("毫克", "mg"), ("千克", "kg"), ("公斤", "kg"), ("斤", "500 gram"), ("市斤", "500 gram"),
    ("两", "50 gram"), ("吨", "tonne"), ("磅", "pound"), ("盎司", "ounce"), ("克拉", "carat"),
    ("升", "liter"), ("毫升", "mL"), ("加仑", "gallon"), ("立方米", "m^3"), ("立方厘米", "cm^3"),
    ("毫秒", "ms"), ("秒", "second"), ("分钟", "minute"), ("小时", "hour"), ("钟头", "hour"), ("天", "day"), ("日", "day"),
    ("周", "week"), ("星期", "week"), ("月", "month"), ("年", "year"),
    ("平方米", "m^2"), ("平方厘米", "cm^2"), ("平方公里", "km^2"), ("平方千米", "km^2"), ("平方英尺", "ft^2"),
    ("公顷", "hectare"), ("亩", "2000/3 m^2"), ("英亩", "acre"),
    ("米每秒", "m/s"), ("公里每小时", "km/hour"), ("千米每小时", "km/hour"), ("英里每小时", "mph"), ("节", "knot"),
    ("字节", "byte"), ("比特", "bit"),
    ("牛", "newton"), ("牛顿", "newton"), ("焦", "joule"), ("焦耳", "joule"), ("千焦", "kJ"), ("卡", "calorie"),
    ("卡路里", "calorie"), ("千卡", "kcal"), ("大卡", "kcal"), ("千瓦时", "kWh"),
    ("瓦", "watt"), ("千瓦", "kW"), ("马力", "735.49875 watt"), ("帕", "pascal"), ("大气压", "atm"),
];

/// Names of money, for which there are no rates.
pub const MONEY: [&str; 12] =
    ["元", "块", "块钱", "人民币", "美元", "欧元", "日元", "英镑", "港币", "港元", "韩元", "卢布"];
