//! What a run has left is shown: surfaces, pictures, other formats, the browser.

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use meniscus::output::{surface, vtu};
use meniscus::run::{Field, Replay, View};
use support::{call, meniscus, run_small, succeed, text};

/// A short run of the small scene, with these arguments.
fn short(folder: &Path, name: &str, more: &[&str]) {
    let mut args = vec!["--until", "0.1"];
    args.extend(more);
    run_small(folder, name, &args);
}

#[test]
fn surfaces_are_the_same_on_the_way_and_afterwards() {
    let dir = tempfile::tempdir().unwrap();
    short(dir.path(), "a", &["--surface"]);
    short(dir.path(), "b", &[]);
    let said = succeed(dir.path(), &["surface", "b", "--format", "vtp,ply,obj"]);
    assert!(said.contains("surface_*.vtp") && said.contains("surface_*.obj"), "{said}");
    for index in 0..=6 {
        let name = format!("frames/surface_{index:06}.vtp");
        let bytes = |run: &str| fs::read(dir.path().join(run).join(&name)).unwrap();
        assert!(bytes("a") == bytes("b"), "{name}");
        assert!(dir.path().join("b").join(&name).with_extension("ply").is_file());
    }
    let pvd = |run: &str| fs::read_to_string(dir.path().join(run).join("surface.pvd")).unwrap();
    assert_eq!(pvd("a"), pvd("b"));
    // The surface encloses the fluid's volume.
    let water = surface::read(&dir.path().join("a/frames/surface_000006.vtp")).unwrap();
    let frame = vtu::read(&dir.path().join("a/frames/fluid_000006.vtu")).unwrap();
    let wanted = frame.position.len() as f64 * 0.02_f64.powi(3);
    assert!((water.volume() / wanted - 1.0).abs() < 0.03, "{} of {wanted}", water.volume());
    // A resumed run goes on with its surfaces and leaves none of the future.
    succeed(dir.path(), &["resume", "a", "--quiet", "--until", "0.15"]);
    assert!(dir.path().join("a/frames/surface_000009.vtp").is_file());
    assert!(pvd("a").contains("surface_000009.vtp"));
}

#[test]
fn pictures_and_animations_are_rendered() {
    let dir = tempfile::tempdir().unwrap();
    short(dir.path(), "a", &["--set", "output.frames_per_second=30"]);
    succeed(dir.path(), &["render", "a", "-o", "last.png", "--size", "64x36"]);
    succeed(dir.path(), &["render", "a", "-o", "p/%03d.png", "--size", "64x36", "--particles", "pressure"]);
    succeed(dir.path(), &["render", "a", "-o", "a.gif", "--size", "64x36", "--every", "2"]);
    for (file, start) in [("last.png", &b"\x89PNG"[..]), ("p/003.png", b"\x89PNG"), ("a.gif", b"GIF89a")] {
        assert!(fs::read(dir.path().join(file)).unwrap().starts_with(start), "{file}");
    }
    assert!(!dir.path().join("p/004.png").exists());
}

#[test]
fn what_cannot_be_shown_is_refused_with_a_reason() {
    let dir = tempfile::tempdir().unwrap();
    short(dir.path(), "a", &[]);
    short(dir.path(), "empty", &["--set", "output.formats=[]"]);
    for (args, reason) in [
        (&["render", "a", "-o", "a.avi", "--size", "32x18"][..], ".gif, .apng or .mp4"),
        (&["render", "a", "-o", "%s.png"], "%04d"),
        (&["render", "a", "--from", "7"], "the last one is of t = 0.1000 s"),
        (&["render", "empty"], "no VTU frames"),
        (&["surface", "empty"], "no VTU frames"),
        (&["export", "empty", "--format", "bgeo"], "no VTU frames"),
        (&["view", "missing"], "does not exist"),
    ] {
        let output = call(dir.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(reason), "{args:?}: {}", text(&output.stderr));
    }
}

#[test]
fn other_formats_are_written() {
    let dir = tempfile::tempdir().unwrap();
    short(dir.path(), "a", &["--set", "output.formats=[\"vtu\"]"]);
    succeed(dir.path(), &["export", "a", "--format", "bgeo,ply,usda", "--surface"]);
    let bgeo = fs::read(dir.path().join("a/frames/fluid_000006.bgeo")).unwrap();
    assert!(bgeo.starts_with(b"BgeoV\0\0\0\x05"));
    assert!(dir.path().join("a/frames/fluid_000006.ply").is_file());
    let usd = fs::read_to_string(dir.path().join("a/scene.usda")).unwrap();
    for part in
        ["#usda 1.0", "def Points \"fluid\"", "def Mesh \"surface\"", "body_1_step___low_", "endTimeCode = 6"]
    {
        assert!(usd.contains(part), "{part}");
    }
    // A run that writes them itself writes the same.
    short(dir.path(), "b", &["--set", "output.formats=[\"vtu\", \"bgeo\"]"]);
    assert!(bgeo == fs::read(dir.path().join("b/frames/fluid_000006.bgeo")).unwrap());
}

/// A server that ends with the test.
struct Server(Child, u16);

impl Server {
    fn start(folder: &Path) -> Self {
        Self::begin(meniscus().current_dir(folder).args(["view", "a", "--port", "0"]))
    }

    fn begin(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.split("127.0.0.1:").nth(1).unwrap().split('/').next().unwrap().parse().unwrap();
        Self(child, port)
    }

    /// Status and body of an answer.
    fn ask(&self, path: &str, host: &str) -> (u16, Vec<u8>) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.1)).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap() + 4;
        let status = text(&bytes[9..12]).parse().unwrap();
        (status, bytes.split_off(end))
    }

    fn get(&self, path: &str) -> (u16, Vec<u8>) {
        self.ask(path, &format!("127.0.0.1:{}", self.1))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_browser_gets_the_run_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    short(dir.path(), "a", &[]);
    fs::write(dir.path().join("secret.txt"), "secret").unwrap();
    let server = Server::start(dir.path());
    let (status, page) = server.get("/");
    assert!(status == 200 && text(&page).contains("<canvas id=\"scene\">"));
    for script in ["/view.js", "/stage.js", "/plots.js"] {
        assert_eq!(server.get(script).0, 200, "{script}");
    }
    let run: serde_json::Value = serde_json::from_slice(&server.get("/run.json").1).unwrap();
    assert_eq!((run["title"].as_str(), run["frames"].as_array().map(Vec::len)), (Some("Small"), Some(7)));
    assert_eq!(run["bodies"].as_array().map(Vec::len), Some(1));
    let frame = vtu::read(&dir.path().join("a/frames/fluid_000003.vtu")).unwrap();
    let count = frame.position.len();
    assert_eq!(server.get("/frame/3").1.len(), 60 + 9 * count);
    assert_eq!(server.get("/frame/3?most=100").1.len(), 60 + 9 * 100);
    assert!(server.get("/surface/3").1.len() > 1000);
    let poses: serde_json::Value = serde_json::from_slice(&server.get("/poses/3").1).unwrap();
    assert_eq!(poses[0][12], 0.2);
    assert!(text(&server.get("/series.csv").1).starts_with("step,time,dt"));
    for trick in [
        "/../secret.txt",
        "/frame/../../secret.txt",
        "/frame/%2e%2e",
        "/frame/99",
        "/frame/+3",
        "/secret.txt",
        "//",
    ] {
        let (status, body) = server.get(trick);
        assert!(status == 404 && !text(&body).contains("secret"), "{trick}: {status}");
    }
    assert_eq!(server.ask("/run.json", "evil.example").0, 403);
}

/// Processor time of a process so far `[s]`.
#[cfg(target_os = "linux")]
fn processor_time(process: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

#[test]
#[cfg(target_os = "linux")]
fn a_viewer_without_descriptors_waits_for_them_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    short(dir.path(), "a", &[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n 16; exec \"$1\" view a --port 0", "sh", env!("CARGO_BIN_EXE_meniscus")]);
    let server = Server::begin(shell.current_dir(dir.path()));
    // More guests than descriptors, none of whom says a word.
    let guests: Vec<TcpStream> =
        (0..40).map(|_| TcpStream::connect(("127.0.0.1", server.1)).unwrap()).collect();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let before = processor_time(server.0.id());
    std::thread::sleep(std::time::Duration::from_secs(1));
    let used = processor_time(server.0.id()) - before;
    assert!(used < 0.05, "{used} s of processor time in a second of waiting");
    drop(guests);
    let mut answers = (0..50).map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| server.get("/").0)).unwrap_or(0)
    });
    assert!(answers.any(|status| status == 200), "it answers again when there are descriptors");
}

#[test]
#[cfg(unix)]
fn a_link_out_of_the_runs_folder_is_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    short(dir.path(), "a", &[]);
    fs::write(dir.path().join("secret"), "secret").unwrap();
    let server = Server::start(dir.path());
    assert_eq!(server.get("/series.csv").0, 200);
    for (file, path) in [("series.csv", "/series.csv"), ("fluid.pvd", "/run.json")] {
        fs::remove_file(dir.path().join("a").join(file)).unwrap();
        std::os::unix::fs::symlink("../secret", dir.path().join("a").join(file)).unwrap();
        let (status, body) = server.get(path);
        assert_eq!(status, 404, "{path}");
        assert!(text(&body).contains("leads out of the run's folder"), "{}", text(&body));
    }
}

/// A block of water falls, and with it what a camera would follow.
const FALL: &str = r#"
[time]
end = 0.3
[fluid]
spacing = 0.05
[[fluid.source]]
shape = "box"
min = [0, 1, 0]
max = [0.3, 1.3, 0.3]
[[body]]
name = "ball"
shape = "sphere"
radius = 0.1
position = [0.15, 0, 0.15]
[output]
frames_per_second = 10
preview = false
"#;

#[test]
fn pictures_in_a_row_are_taken_by_one_camera() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("fall.toml"), FALL).unwrap();
    succeed(dir.path(), &["run", "fall.toml", "--out", "a", "--quiet"]);
    let replay = Replay::open(&dir.path().join("a")).unwrap();
    let frames = replay.frames().to_vec();
    for particles in [None, Some(Field::Speed)] {
        let row = ["render", "a", "--size", "64x36", "-o", "row-%02d.png", "--particles", "speed"];
        succeed(dir.path(), &row[..if particles.is_some() { 8 } else { 6 }]);
        let alone = View { width: 64, height: 36, particles, ..View::STILL };
        let view = View { bounds: replay.framing(&frames, &alone).unwrap(), ..alone };
        // The water falls by half a metre: a camera of its own for each picture would follow it.
        let first = replay.framing(&frames[..1], &alone).unwrap();
        assert_ne!(first, replay.framing(&frames[3..], &alone).unwrap());
        for (k, at) in frames.iter().enumerate() {
            let expected = replay.picture(*at, &view).unwrap().to_png().unwrap();
            assert!(fs::read(dir.path().join(format!("row-{k:02}.png"))).unwrap() == expected, "{k}");
        }
    }
}
