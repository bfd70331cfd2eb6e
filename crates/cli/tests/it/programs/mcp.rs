//! A client of the Model Context Protocol speaks with `lanework mcp`: every tool is called, and bad calls say why.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const SAXPY: &str = include_str!("../../data/saxpy.ptx");

/// A session of a client.
struct Client {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    calls: u64,
}

impl Client {
    fn start(folder: &Path) -> Client {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
        command.args(["mcp", "--folder"]).arg(folder);
        let mut server =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let input = server.stdin.take();
        let output = BufReader::new(server.stdout.take().expect("a pipe"));
        let mut client = Client { server, input, output, calls: 0 };
        let opened = client.request(
            "initialize",
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } }),
        );
        assert_eq!(opened["serverInfo"]["name"], "lanework", "{opened}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("an open session");
        writeln!(input, "{message}").expect("the server reads");
    }

    /// The result of a request.
    fn request(&mut self, method: &str, parameters: Value) -> Value {
        self.calls += 1;
        let id = self.calls;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("a line") > 0, "the server ended");
            let answer: Value = serde_json::from_str(&line).expect("JSON");
            if answer["id"] == id {
                assert!(answer["error"].is_null(), "{answer}");
                return answer["result"].clone();
            }
        }
    }

    /// The structured result of a tool, and whether it is an error.
    fn call(&mut self, tool: &str, arguments: Value) -> (Value, bool) {
        let result = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        (result["structuredContent"].clone(), result["isError"] == true)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.input.take());
        let status = self.server.wait().expect("it ends");
        assert!(
            status.success() || std::thread::panicking(),
            "the server ends with its input: {status}"
        );
    }
}

/// A launch of `saxpy` on arrays of `n` elements.
fn launch(n: u32) -> Value {
    json!({ "source": SAXPY, "grid": "4", "block": "32", "arguments": ["f32:2", format!("rand:f32:{n}"), format!("rand:f32:{n}"), "u32:128"] })
}

#[test]
fn every_tool_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("saxpy.ptx"), SAXPY).expect("a file");
    let mut client = Client::start(folder.path());
    let tools = client.request("tools/list", json!({}));
    let names: Vec<&str> = tools["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    let known = ["check", "explain", "inspect", "judge", "look", "predict", "profile"];
    assert_eq!(names, known, "{tools}");

    let (found, error) = client.call("inspect", json!({ "file": "saxpy.ptx" }));
    assert!(!error, "{found}");
    assert_eq!(found["result"]["entries"][0]["parameters"][3]["name"], "n", "{found}");

    let (found, error) = client.call("check", launch(128));
    assert!(!error && found["exit_code"] == 0, "{found}");
    let (found, error) = client.call("check", launch(100));
    assert!(!error && found["exit_code"] == 1, "{found}");
    assert!(found["result"].to_string().contains("out-of-bounds"), "{found}");

    let (found, error) = client.call("profile", launch(128));
    assert!(!error, "{found}");
    assert_eq!(found["result"][0]["counters"]["global_load"]["requests"], 8, "{found}");
    let (found, error) = client.call("look", launch(128));
    assert!(!error && found["exit_code"] == 0, "{found}");
    let (found, error) = client.call("predict", launch(128));
    assert!(!error && found["exit_code"] == 0, "{found}");

    let (found, error) = client.call("explain", json!({ "name": "race" }));
    assert!(!error, "{found}");
    assert_eq!(found["result"][0]["of"], "finding", "{found}");
}

#[cfg(feature = "judge")]
#[test]
fn right_and_wrong_kernels_are_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = Client::start(folder.path());
    let task = r#"
        entry = "saxpy"
        parameters = [
          { name = "alpha", kind = "scalar", element = "f32", choices = [0, 1, -1, 2.5] },
          { name = "x", kind = "in", element = "f32", shape = ["n"] },
          { name = "y", kind = "inout", element = "f32", shape = ["n"] },
          { name = "n", kind = "scalar", element = "u32", value = "n" },
        ]
        [extents]
        n = { range = [0, 2000], edges = [0, 1, 33], timed = 1024 }
        [launch]
        grid = ["ceil_div(n, 256)"]
        block = [256]
        [reference]
        index = ["i"]
        value = "alpha * x[i] + y[i]"
    "#;
    let mut judged = |source: &str| {
        let (found, error) =
            client.call("judge", json!({ "task": task, "source": source, "seed": 7 }));
        assert!(!error, "{found}");
        (found["exit_code"].clone(), found["result"]["verdict"].clone())
    };
    assert_eq!(judged(SAXPY), (json!(0), json!("right")));
    let wrong = SAXPY.replace("fma.rn.f32 %f4, %f1, %f2, %f3", "add.f32 %f4, %f2, %f3");
    assert_eq!(judged(&wrong), (json!(1), json!("wrong")));
    let (found, error) = client.call("judge", json!({ "task": "entry = 1", "source": SAXPY }));
    assert!(error && found["exit_code"] == 2, "{found}");
}

#[test]
fn a_bad_call_gives_a_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = Client::start(folder.path());
    for (tool, arguments, says) in [
        ("check", json!({}), "the kernel is missing"),
        ("check", json!({ "source": SAXPY, "file": "k.ptx" }), "not both"),
        ("check", json!({ "source": "not a kernel" }), ""),
        ("check", json!({ "file": "nowhere.ptx" }), "nowhere.ptx"),
        ("check", json!({ "source": SAXPY, "block": "nine" }), "nine"),
        ("explain", json!({ "name": "rice" }), "did you mean race"),
    ] {
        let (found, error) = client.call(tool, arguments);
        assert!(error && found.to_string().contains(says), "{tool}: {found}");
    }
}

#[test]
fn an_include_reaches_no_file_outside_the_folder() {
    let [inside, outside] =
        [tempfile::tempdir(), tempfile::tempdir()].map(|folder| folder.expect("a folder"));
    let text = "#define ANSWER 42\n";
    for folder in [&inside, &outside] {
        std::fs::write(folder.path().join("secret.h"), text).expect("a file");
    }
    let kernel = |include: &Path| {
        let include = include.join("secret.h");
        let source = format!(
            "#include \"{}\"\nextern \"C\" __global__ void k(int *x) {{ *x = ANSWER; }}\n",
            include.display()
        );
        json!({ "source": source, "block": "1", "grid": "1", "compiler": "own", "arguments": ["zeros:s32:1"] })
    };
    let mut client = Client::start(inside.path());
    let (found, error) = client.call("check", kernel(inside.path()));
    assert!(!error && found["exit_code"] == 0, "{found}");
    let (found, error) = client.call("check", kernel(outside.path()));
    let unconfined = !cfg!(target_os = "linux") || !error;
    if unconfined {
        eprintln!("SKIPPED: this system does not confine the server");
        return;
    }
    assert!(found.to_string().contains("secret.h"), "{found}");
}
