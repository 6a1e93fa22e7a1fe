use super::*;

fn place(name: &str, region: &str, country_code: &str, people: u64) -> Found {
    let seed = region.bytes().map(f64::from).sum::<f64>() % 80.0;
    Found {
        name: name.into(),
        latitude: seed,
        longitude: seed,
        feature_code: "PPL".into(),
        country_code: country_code.into(),
        country: None,
        timezone: None,
        population: Some(people),
        admin1: Some(region.into()),
        admin2: None,
        admin3: None,
        admin4: None,
    }
}

fn asked(name: &str, hints: &[&str]) -> Name {
    Name { name: name.into(), hints: hints.iter().map(|hint| (*hint).to_owned()).collect() }
}

fn regions(choice: Choice) -> (&'static str, Vec<String>) {
    let of = |places: Vec<Found>| places.into_iter().filter_map(|place| place.admin1).collect();
    match choice {
        Choice::Clear(place) => ("clear", of(vec![*place])),
        Choice::Unclear(places) => ("unclear", of(places)),
        Choice::Elsewhere(places) => ("elsewhere", of(places)),
        Choice::Nothing => ("nothing", vec![]),
    }
}

#[track_caller]
fn check(name: Name, found: &[Found], kind: &str, expected: &[&str]) {
    let (was, regions) = regions(choose(&name, found.to_vec()));
    assert_eq!((was, regions.iter().map(String::as_str).collect::<Vec<_>>()), (kind, expected.to_vec()), "{name:?}");
}

#[test]
fn the_url_holds_the_name_percent_encoded() {
    assert_eq!(
        url("北京", Language::Zh),
        "https://geocoding-api.open-meteo.com/v1/search?name=%E5%8C%97%E4%BA%AC&count=20&language=zh&format=json"
    );
    assert!(url("São Paulo & Co", Language::En).contains("?name=S%C3%A3o%20Paulo%20%26%20Co&"));
}

#[test]
fn a_place_that_outweighs_the_next_is_meant() {
    let found = [
        place("Portland", "Maine", "US", 68_000),
        place("Portland", "Oregon", "US", 650_000),
        place("Portland", "Victoria", "AU", 9_000),
    ];
    check(asked("Portland", &[]), &found, "clear", &["Oregon"]);
    check(asked("portland", &[]), &found, "clear", &["Oregon"]);
}

#[test]
fn places_of_like_size_are_listed_the_larger_first() {
    let found = [
        place("Springfield", "Oregon", "US", 60_000),
        place("Springfield", "Missouri", "US", 169_000),
        place("Springfield", "Massachusetts", "US", 155_000),
        place("Springfield Gardens", "New York", "US", 900_000),
    ];
    check(asked("Springfield", &[]), &found, "unclear", &["Missouri", "Massachusetts", "Oregon"]);
}

#[test]
fn a_hint_decides() {
    let found = [place("Paris", "Île-de-France", "FR", 2_100_000), place("Paris", "Texas", "US", 25_000)];
    for hints in [&["Texas"][..], &["TX"], &["USA"], &["us"], &["texas", "United States of America"]] {
        check(asked("Paris", hints), &found, "clear", &["Texas"]);
    }
    check(asked("Paris", &[]), &found, "clear", &["Île-de-France"]);
    check(asked("Paris", &["Ontario"]), &found, "elsewhere", &["Île-de-France", "Texas"]);
}

#[test]
fn chinese_areas_fit_with_and_without_their_ending() {
    let found = [place("朝阳", "辽宁", "CN", 300_000), place("朝阳区", "北京市", "CN", 400_000)];
    check(asked("朝阳", &["北京"]), &found, "clear", &["北京市"]);
    check(asked("朝阳", &["辽宁省"]), &found, "clear", &["辽宁"]);
    check(asked("朝阳", &["中国"]), &found, "unclear", &["北京市", "辽宁"]);
}

#[test]
fn a_capital_counts_ten_times_and_a_city_and_its_district_once() {
    let mut capital = place("Georgetown", "Demerara", "GY", 235_000);
    capital.feature_code = "PPLC".into();
    let found = [place("Georgetown", "Penang", "MY", 300_000), capital];
    check(asked("Georgetown", &[]), &found, "clear", &["Demerara"]);
    let doubled = [place("北京", "北京", "CN", 18_000_000), place("北京市", "北京", "CN", 21_000_000)];
    check(asked("北京", &[]), &doubled, "clear", &["北京"]);
}

#[test]
fn a_town_goes_before_a_mountain_of_its_name() {
    let mut mountain = place("Mount Hope", "Alaska", "US", 0);
    mountain.feature_code = "MT".into();
    check(
        asked("Mount Hope", &[]),
        &[mountain.clone(), place("Mount Hope", "Ontario", "CA", 0)],
        "clear",
        &["Ontario"],
    );
    check(asked("Mount Hope", &[]), &[mountain], "clear", &["Alaska"]);
    check(asked("Mount Hope", &[]), &[], "nothing", &[]);
}

#[test]
fn a_reply_without_results_is_no_places() {
    let reply: Reply = winclaw_sdk::serde_json::from_str(r#"{"generationtime_ms": 0.3}"#).expect("a reply");
    assert!(reply.results.is_empty());
}
