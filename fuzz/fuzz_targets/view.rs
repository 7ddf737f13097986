//! Any bytes as a request to the viewer of a small run: nothing may panic, and every answer is one of those that a page can
//! expect. The first byte says whether the bytes are the whole request, or what is asked for by the own page.

#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use meniscus_output::Existing;
use meniscus_run::{Limits, OnShortage, Run};
use meniscus_scene::SceneSource;
use meniscus_view::Server;

/// A drop that falls, with three frames.
const SCENE: &str = r#"
[time]
end = 0.02

[fluid]
spacing = 0.02

[[fluid.source]]
shape = "sphere"
center = [0.0, 0.1, 0.0]
radius = 0.05

[output]
frames_per_second = 100
"#;

/// The folder of the run, which is made anew.
fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("meniscus-fuzz-view-{}", std::process::id()));
    let source = SceneSource::from_text("drop.toml", SCENE);
    let mut run = Run::begin(&source, &folder, Existing::Overwrite, OnShortage::Refuse).expect("the scene can be run");
    let end = run.advance(Limits::default(), &mut |_| std::ops::ControlFlow::Continue(()));
    run.finish(end).expect("the run ends well");
    folder
}

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| Server::open(&folder(), 0).expect("the run can be shown"))
}

fuzz_target!(|data: &[u8]| {
    let server = server();
    let Some((first, rest)) = data.split_first() else { return };
    let host = server.address();
    let host = host.trim_start_matches("http://").trim_end_matches('/');
    let asked;
    let request = if first % 2 == 0 {
        rest
    } else {
        let target = [b"GET /", rest].concat();
        asked = [&target, format!(" HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes()].concat();
        &asked
    };
    // What is no text has no answer: the connection is closed.
    let Ok(response) = server.respond(request) else { return };
    assert!([200, 400, 403, 404, 405].contains(&response.status), "{}", response.status);
    assert!(response.status != 200 || !response.body.is_empty());
});
