//! A recorded editor session: the requests, and the replies and events that answer them.

use crate::common::{TestLaunch, golden_session, messages, requests};
use lanework_debug::adapter::serve;
use lanework_debug::session::SessionOptions;
use std::io::BufReader;

const SOURCE: &str = "\
__device__ unsigned square(unsigned v) {
    return v * v;
}
__global__ void squares(const unsigned* x, unsigned* y) {
    unsigned i = threadIdx.x;
    unsigned v = square(x[i]);
    y[i] = v;
}
";

/// The messages that answer requests, each as JSON text.
fn session(name: &str, requests_of: &[(&str, &str)]) -> Vec<String> {
    let launch = TestLaunch {
        source: SOURCE,
        shape: (1, 40),
        arrays: vec![(0..40).collect(), vec![0; 40]],
        numbers: vec![],
    };
    let input = requests(requests_of);
    let mut output = Vec::new();
    launch.debug(SessionOptions::default(), |session| {
        let sources = |_: &str| Some(SOURCE.to_owned());
        serve(session, &sources, &mut BufReader::new(input.as_bytes()), &mut output)
            .expect("serves");
    });
    golden_session(name, &output);
    messages(&output)
}

/// Checks that the messages contain these texts in this order, each in a later message than the text before it.
fn expect(messages: &[String], wanted: &[&[&str]]) {
    let mut rest = messages.iter();
    for texts in wanted {
        let found = rest.by_ref().any(|message| texts.iter().all(|text| message.contains(text)));
        assert!(found, "no message has {texts:?} in\n{}", messages.join("\n"));
    }
}

#[test]
fn an_editor_stops_steps_looks_and_goes_back() {
    let messages = session(
        "kernel",
        &[
            ("initialize", r#"{"adapterID":"lanework"}"#),
            ("launch", r#"{"stopOnEntry":true}"#),
            (
                "setBreakpoints",
                r#"{"source":{"path":"/src/k.cu"},"breakpoints":[{"line":6,"condition":"i == 35"},{"line":90}]}"#,
            ),
            ("configurationDone", ""),
            ("threads", ""),
            ("continue", r#"{"threadId":1}"#),
            ("stackTrace", r#"{"threadId":2}"#),
            ("scopes", r#"{"frameId":1}"#),
            ("variables", r#"{"variablesReference":1}"#),
            ("stepIn", r#"{"threadId":2}"#),
            ("stepIn", r#"{"threadId":2}"#),
            ("stackTrace", r#"{"threadId":2}"#),
            ("evaluate", r#"{"expression":"v + 1","context":"hover"}"#),
            ("stepOut", r#"{"threadId":2}"#),
            ("next", r#"{"threadId":2}"#),
            ("evaluate", r#"{"expression":"v","context":"watch"}"#),
            ("stepBack", r#"{"threadId":2}"#),
            ("evaluate", r#"{"expression":"who wrote i","context":"repl"}"#),
            ("reverseContinue", r#"{"threadId":2}"#),
            ("evaluate", r#"{"expression":"nothing","context":"watch"}"#),
            ("dance", ""),
            ("disconnect", ""),
        ],
    );
    expect(
        &messages,
        &[
            &["\"command\":\"initialize\"", "\"supportsStepBack\":true"],
            &["\"event\":\"initialized\""],
            &["\"command\":\"setBreakpoints\"", "\"line\":6,\"verified\":true", "no code here"],
            &["\"event\":\"stopped\"", "\"reason\":\"entry\""],
            &["block (0,0,0), warp 1"],
            &["\"command\":\"continue\""],
            &["\"event\":\"stopped\"", "\"reason\":\"breakpoint\"", "\"threadId\":2"],
            &["\"command\":\"stackTrace\"", "\"line\":6", "squares"],
            &["\"name\":\"Shared memory\""],
            &["\"name\":\"i\"", "\"value\":\"35\""],
            &["\"event\":\"stopped\"", "\"reason\":\"step\"", "k.cu:1"],
            &["\"event\":\"stopped\"", "\"reason\":\"step\"", "k.cu:2"],
            &["\"command\":\"stackTrace\"", "\"line\":2", "square", "\"line\":6"],
            &["\"result\":\"36\""],
            &["\"event\":\"stopped\""],
            &["\"event\":\"stopped\"", "k.cu:7"],
            &["\"result\":\"1225\""],
            &["\"event\":\"stopped\"", "k.cu:6"],
            &["by thread (35,0,0)", "k.cu:5"],
            &["\"event\":\"stopped\""],
            &["\"success\":false", "`nothing` is not a name"],
            &["\"success\":false", "does not support `dance`"],
            &["\"command\":\"disconnect\"", "\"success\":true"],
        ],
    );
}

#[test]
fn input_that_is_not_the_protocol_is_an_error() {
    let launch = TestLaunch {
        source: SOURCE,
        shape: (1, 1),
        arrays: vec![vec![1], vec![0]],
        numbers: vec![],
    };
    for (input, why) in [
        ("Content-Length: x\r\n\r\n", "not a number"),
        ("Content-Length: 99999999999\r\n\r\n", "longer than 16 MiB"),
        ("Content-Length: 3\r\n\r\n{x}", "key must be a string"),
        ("Content-Length: 3\r\n", "ends within"),
    ] {
        launch.debug(SessionOptions::default(), |session| {
            let mut output = Vec::new();
            let mut input = BufReader::new(input.as_bytes());
            let served = serve(session, &|_| None, &mut input, &mut output);
            let error = served.expect_err("an error").to_string();
            assert!(error.contains(why), "{error}");
        });
    }
}
