//! The tools against recorded replies of the service.

use weather::plugin;
use winclaw_sdk::serde_json::{Value, from_str, json};
use winclaw_sdk::{Failure, FailureCode, HttpRequest};
use winclaw_sdk_testing::{TestHost, conformance};

const GEOCODING: &str = "https://geocoding-api.open-meteo.com/v1/search";
const FORECAST: &str = "https://api.open-meteo.com/v1/forecast";

fn exchanges() -> Vec<Value> {
    from_str(include_str!("../fixtures/beijing.json")).expect("the fixture is a JSON array")
}

/// A host that answers from the recording of Beijing.
fn beijing() -> TestHost {
    exchanges().iter().fold(TestHost::new(), |host, exchange| {
        let url = exchange["url"].as_str().and_then(|url| url.strip_suffix('*')).expect("the beginning of a url");
        let status = exchange["status"].as_u64().and_then(|status| u16::try_from(status).ok()).expect("a status");
        host.http_reply(url, status, exchange["body"].to_string())
    })
}

fn call(host: &TestHost, tool: &str, arguments: Value) -> Value {
    host.call(&plugin(), tool, arguments).expect("a result").value
}

fn fails(host: &TestHost, arguments: Value) -> Failure {
    host.call(&plugin(), "forecast", arguments).expect_err("a failure")
}

/// A place as the geocoding service writes it.
fn found(name: &str, region: &str, country: (&str, &str), at: (f64, f64), people: u64) -> Value {
    json!({"id": 1, "name": name, "latitude": at.0, "longitude": at.1, "elevation": 10.0, "feature_code": "PPL",
           "country_code": country.0, "country": country.1, "admin1": region, "timezone": "America/Chicago",
           "population": people, "admin1_id": 2})
}

fn geocoding(results: Value) -> TestHost {
    TestHost::new().http_reply(GEOCODING, 200, json!({"results": results, "generationtime_ms": 0.4}).to_string())
}

fn springfields() -> Value {
    let us = ("US", "United States");
    json!([
        found("Springfield", "Missouri", us, (37.2, -93.3), 169_000),
        found("Springfield", "Massachusetts", us, (42.1, -72.6), 155_000),
        found("Springfield", "Illinois", us, (39.8, -89.6), 114_000),
    ])
}

#[test]
fn it_keeps_the_rules_of_a_plugin() {
    conformance(&plugin());
}

#[test]
fn weather_of_a_chinese_name_is_in_chinese() {
    for place in ["北京", "北京市", "北京，中国", "北京, China"] {
        let result = call(&beijing(), "forecast", json!({"place": place, "days": 3}));
        assert_eq!(
            result["summary"],
            "北京现在晴，2.4°C（体感 -1.8°C），西北风 11.6 km/h。今天大部晴朗，-4.2 至 6.8°C，降水概率 2%。",
            "{place}"
        );
        assert_eq!(result["place"]["country"], "中国");
        assert_eq!(result["place"]["timezone"], "Asia/Shanghai");
        assert_eq!(result["days"].as_array().map(Vec::len), Some(3));
        assert_eq!(result["days"][2]["conditions"], "小雪");
        assert_eq!(result["source"], "Open-Meteo.com (CC BY 4.0)");
    }
}

#[test]
fn weather_of_an_english_name_is_in_english() {
    let host = beijing();
    let result = call(&host, "forecast", json!({"place": "Beijing"}));
    assert_eq!(
        result["summary"],
        "Beijing: clear sky now, 2.4°C (feels like -1.8°C), wind from the north-west at 11.6 km/h. Today mainly clear, \
         -4.2 to 6.8°C, chance of precipitation 2%."
    );
    assert_eq!(
        result["units"],
        json!({"temperature": "°C", "wind_speed": "km/h", "precipitation": "mm", "humidity": "%"})
    );
    assert_eq!(result["current"]["humidity"], 31.0);
    assert_eq!(result["days"][0]["sunrise"], "07:17");
    assert!(host.requests()[0].url.contains("&language=en&"));
}

#[test]
fn the_language_asked_for_goes_before_that_of_the_name() {
    let result = call(&beijing(), "forecast", json!({"place": "北京", "language": "en"}));
    assert_eq!(result["current"]["conditions"], "clear sky");
}

#[test]
fn units_and_days_reach_the_service() {
    let host = beijing();
    call(&host, "forecast", json!({"place": "Beijing", "days": 7, "units": "imperial"}));
    let url = &host.requests()[1].url;
    assert!(
        url.contains("&forecast_days=7&temperature_unit=fahrenheit&wind_speed_unit=mph&precipitation_unit=inch"),
        "{url}"
    );
}

#[test]
fn a_point_is_not_looked_up() {
    let host = TestHost::new().http_reply(FORECAST, 200, exchanges()[2]["body"].to_string());
    let result = call(&host, "forecast", json!({"place": "39.9,116.4", "days": 1}));
    assert_eq!(result["place"]["name"], "39.9,116.4");
    assert_eq!(result["place"]["timezone"], "Asia/Shanghai");
    assert_eq!(host.requests().len(), 1);
}

#[test]
fn an_unclear_name_gives_candidates_and_asks() {
    let host = geocoding(springfields());
    let result = call(&host, "forecast", json!({"place": "Springfield"}));
    assert_eq!(result["candidates"][0]["label"], "Springfield, Missouri, United States");
    assert_eq!(result["candidates"][2]["point"], "39.8,-89.6");
    assert!(result["summary"].as_str().expect("text").starts_with("Several places are called \"Springfield\". Ask"));
    assert_eq!((result.get("current"), host.requests().len()), (None, 1));
}

#[test]
fn a_label_or_a_state_decides_between_candidates() {
    for place in ["Springfield, Illinois, United States", "Springfield, IL", "springfield, illinois"] {
        let host = geocoding(springfields()).http_reply(FORECAST, 200, exchanges()[2]["body"].to_string());
        let result = call(&host, "forecast", json!({"place": place}));
        assert_eq!(result["place"]["region"], "Illinois", "{place}");
    }
    let failure = fails(&geocoding(springfields()), json!({"place": "Springfield, Texas"}));
    assert!(failure.message.contains("Springfield, Missouri, United States"), "{failure}");
}

#[test]
fn a_name_is_tried_again_without_its_ending_and_with_its_province() {
    let host = TestHost::new()
        .http_reply(
            |request: &HttpRequest| request.url.contains("name=%E8%8B%8F%E5%B7%9E&"),
            200,
            json!({"results": [found("苏州", "江苏", ("CN", "中国"), (31.3, 120.6), 5_000_000)]}).to_string(),
        )
        .http_reply(GEOCODING, 200, r#"{"generationtime_ms":0.2}"#)
        .http_reply(FORECAST, 200, exchanges()[2]["body"].to_string());
    let result = call(&host, "forecast", json!({"place": "江苏省苏州市"}));
    assert_eq!(result["place"]["name"], "苏州");
}

#[test]
fn no_network_is_said_and_no_weather_made_up() {
    let failure = fails(&TestHost::new().http_down(), json!({"place": "北京"}));
    assert_eq!((failure.code, failure.retryable), (FailureCode::Unavailable, true));
    assert!(failure.message.contains("cannot be reached"), "{failure}");
    assert!(failure.hint.is_some_and(|hint| !hint.en.is_empty() && !hint.zh.is_empty()));
}

#[test]
fn each_fault_of_the_service_is_told_apart() {
    let refusal = r#"{"error":true,"reason":"Parameter 'latitude' is out of range"}"#;
    for (status, body, code, part) in [
        (400, refusal, FailureCode::ToolFailed, "Parameter 'latitude' is out of range"),
        (404, "<html>", FailureCode::ToolFailed, "refused the request (404)"),
        (429, "", FailureCode::Unavailable, "too many requests"),
        (502, "bad gateway", FailureCode::Unavailable, "error 502"),
        (200, "<html>sign in</html>", FailureCode::ToolFailed, "did not send what it documents"),
        (200, r#"{"results":[{"name":"x"}]}"#, FailureCode::ToolFailed, "latitude"),
        (200, r#"{"results":{}}"#, FailureCode::ToolFailed, "results"),
        (200, "{}", FailureCode::ToolFailed, "No place called \"Nowhere\" is known"),
    ] {
        let failure = fails(&TestHost::new().http_reply(GEOCODING, status, body), json!({"place": "Nowhere"}));
        assert_eq!(failure.code, code, "{status} {body}");
        assert!(failure.message.contains(part), "{status} {body}: {failure}");
    }
}

#[test]
fn a_forecast_with_gaps_says_unknown_and_not_zero() {
    let mut body = exchanges()[2]["body"].clone();
    body["current"]["temperature_2m"] = Value::Null;
    body["current"]["weather_code"] = Value::Null;
    body["daily"]["temperature_2m_max"] = json!([]);
    let result =
        call(&TestHost::new().http_reply(FORECAST, 200, body.to_string()), "forecast", json!({"place": "1,2"}));
    assert_eq!(result["current"]["conditions"], "unknown");
    assert_eq!((&result["current"]["temperature"], &result["days"][0]["high"]), (&Value::Null, &Value::Null));
}

#[test]
fn wrong_arguments_are_named_with_the_right_form() {
    for (arguments, part) in [
        (json!({"place": ""}), "such as"),
        (json!({"place": "Beijing", "days": 8}), "1 to 7"),
        (json!({"place": "Beijing", "days": 0}), "1 to 7"),
        (json!({"place": "91,0"}), "latitude -90 to 90"),
    ] {
        let failure = fails(&TestHost::new(), arguments.clone());
        assert_eq!(failure.code, FailureCode::InvalidArgs, "{arguments}");
        assert!(failure.message.contains(part), "{arguments}: {failure}");
    }
}

#[test]
fn find_place_lists_the_likeliest_first() {
    let result = call(&geocoding(springfields()), "find_place", json!({"place": "Springfield", "limit": 2}));
    assert_eq!(
        result["places"][0],
        json!({"label": "Springfield, Missouri, United States", "point": "37.2,-93.3", "population": 169_000,
               "timezone": "America/Chicago"})
    );
    assert_eq!((result["places"].as_array().map(Vec::len), &result["left_out"]), (Some(2), &json!(1)));
}

#[test]
fn find_place_keeps_to_the_hint() {
    let result = call(&geocoding(springfields()), "find_place", json!({"place": "Springfield, MA"}));
    assert_eq!(result["places"][0]["label"], "Springfield, Massachusetts, United States");
    let elsewhere = geocoding(springfields()).call(&plugin(), "find_place", json!({"place": "Springfield, Kent"}));
    assert!(elsewhere.expect_err("elsewhere").message.contains("No \"Springfield\" is known in Kent"));
}

#[test]
fn the_readme_shows_the_real_output() {
    let result = call(&beijing(), "forecast", json!({"place": "北京", "days": 1}));
    let readme = include_str!("../README.md");
    let shown = readme.split("```json").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    assert_eq!(from_str::<Value>(shown).ok(), Some(result.clone()), "{result:#}");
}
