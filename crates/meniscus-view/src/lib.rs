//! A run in the browser: a small server on the own machine, and a page that plays the frames.
//!
//! Only what belongs to the run can be asked for, by number, never by a path; and only the own page may ask, see `http`.

mod error;
mod http;
mod packed;
mod seats;
mod store;
mod within;

pub use error::ViewError;
pub use http::HttpResponse;

use glam::DMat4;
use http::Request;
use meniscus_geometry::{Aabb, Pose};
use meniscus_output::preview::tint_colour;
use meniscus_output::{OutputError, RunFolder};
use meniscus_run::Replay;
use seats::Seats;
use serde_json::{Value, json};
use std::io::{self, Read};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use store::Store;

/// Particles of a frame that the page gets at most `[1]`.
const MOST_PARTICLES: usize = 500_000;

/// Requests that are answered at a time; a page asks for six at most `[1]`.
const SEATS: usize = 24;
/// How long the door stays shut after a connection could not be accepted, because the process has no descriptors left.
const PAUSE: Duration = Duration::from_millis(100);

const PAGE: &str = include_str!("../assets/view.html");
const ICON: &str = include_str!("../assets/icon.svg");
const SCRIPTS: [(&str, &str); 3] = [
    ("/view.js", include_str!("../assets/view.js")),
    ("/stage.js", include_str!("../assets/stage.js")),
    ("/plots.js", include_str!("../assets/plots.js")),
];

/// A server of one run.
pub struct Server {
    listener: TcpListener,
    port: u16,
    shown: Arc<Shown>,
}

/// What is served: the run and the frames of it that are at hand.
struct Shown {
    folder: PathBuf,
    replay: Replay<'static>,
    store: Store,
}

impl Server {
    /// Opens a run and listens on this machine only; port 0 takes one that is free.
    ///
    /// # Errors
    /// When the folder is not that of a run or the port is taken.
    pub fn open(folder: &Path, port: u16) -> Result<Self, ViewError> {
        let replay = Replay::open(folder)?;
        let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, port));
        let listener =
            bound.map_err(|source| ViewError::Port { path: folder.to_path_buf(), port, source })?;
        let port = listener.local_addr().map_or(port, |address| address.port());
        let shown = Shown { folder: folder.to_path_buf(), replay, store: Store::default() };
        Ok(Self { listener, port, shown: Arc::new(shown) })
    }

    /// Where the page is.
    #[must_use]
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// What is answered to the bytes of a request, wherever they come from.
    ///
    /// # Errors
    /// When they cannot be read, or are not text.
    pub fn respond(&self, request: impl Read) -> io::Result<HttpResponse> {
        let asked = http::read(request, self.port)?;
        Ok(asked.map_or_else(|refused| refused, |request| answer(&request, &self.shown)))
    }

    /// Answers for ever, each request in a thread of its own, of which there are only so many.
    pub fn serve(&self) {
        let seats = Seats::new(SEATS);
        loop {
            self.welcome(&seats, || self.listener.accept().map(|(stream, _)| stream));
        }
    }

    /// Waits for a seat and for a guest. Where none can be let in, nobody is asked again at once.
    fn welcome(&self, seats: &Arc<Seats>, accept: impl FnOnce() -> io::Result<TcpStream>) {
        let seat = seats.take();
        let Ok(stream) = accept() else { return thread::sleep(PAUSE) };
        let (shown, port) = (Arc::clone(&self.shown), self.port);
        let answering = thread::Builder::new().name("view".to_owned());
        let answered = answering.spawn(move || {
            let _seat = seat;
            // Whoever hangs up does not want to know.
            let _ = converse(&stream, &shown, port);
        });
        // A request that finds no thread is dropped, and the page asks again.
        if answered.is_err() {
            thread::sleep(PAUSE);
        }
    }
}

fn converse(stream: &TcpStream, shown: &Shown, port: u16) -> io::Result<()> {
    let response = match http::receive(stream, port)? {
        Ok(request) => answer(&request, shown),
        Err(refused) => refused,
    };
    http::send(stream, &response)
}

fn answer(request: &Request, shown: &Shown) -> HttpResponse {
    let path = request.path.as_str();
    if path == "/" {
        return HttpResponse::ok("text/html; charset=utf-8", PAGE);
    }
    if path == "/icon.svg" {
        return HttpResponse::ok("image/svg+xml", ICON);
    }
    if let Some((_, script)) = SCRIPTS.iter().find(|(name, _)| *name == path) {
        return HttpResponse::ok("text/javascript; charset=utf-8", *script);
    }
    let found = match path {
        "/run.json" => describe(shown, request.query == "short"),
        "/series.csv" => series(&shown.folder),
        _ => match path.strip_prefix('/').and_then(|rest| rest.split_once('/')) {
            Some((what, number)) => numbered(what, number, request, shown),
            None => return HttpResponse::refuse(404, "there is no such thing"),
        },
    };
    found.unwrap_or_else(|error| HttpResponse::refuse(404, &error.to_string()))
}

/// What is asked for by the number of a frame.
fn numbered(what: &str, number: &str, request: &Request, shown: &Shown) -> Result<HttpResponse, OutputError> {
    let Shown { folder, replay, store } = shown;
    let frames = frames_of(shown)?;
    let digits = number.bytes().all(|b| b.is_ascii_digit());
    let index = number.parse::<u32>().ok().filter(|_| digits);
    let Some(at) = frames.into_iter().find(|frame| Some(frame.0) == index) else {
        return Ok(HttpResponse::refuse(404, "there is no such frame"));
    };
    let run = RunFolder::open(folder)?;
    for file in [run.frame_path(at.0, "vtu"), run.body_frame_path(at.0), run.surface_path(at.0, "vtp")] {
        within::check(folder, &file)?;
    }
    match what {
        "frame" => {
            let most = request.query.strip_prefix("most=").and_then(|n| n.parse().ok());
            let bytes = store.frame(replay, at, most.unwrap_or(MOST_PARTICLES))?;
            Ok(HttpResponse::ok("application/octet-stream", bytes))
        }
        "poses" => poses(replay, at),
        "surface" if replay.has_surface() => {
            let surface = replay.surface(at)?.unwrap_or_default();
            Ok(HttpResponse::ok("application/octet-stream", packed::surface(&surface)))
        }
        _ => Ok(HttpResponse::refuse(404, "there is no such thing")),
    }
}

/// The frames that are on disk now.
fn frames_of(shown: &Shown) -> Result<Vec<(u32, f64)>, OutputError> {
    let run = RunFolder::open(&shown.folder)?;
    for file in [run.collection_path(), run.body_collection_path()] {
        within::check(&shown.folder, &file)?;
    }
    shown.replay.frames_now(&shown.folder)
}

/// Where bodies are, as matrices in columns.
fn poses(replay: &Replay<'_>, at: (u32, f64)) -> Result<HttpResponse, OutputError> {
    let (solids, present) = (replay.solids(at)?, replay.present(at)?);
    let matrix = |k: usize| {
        let Pose { translation, rotation } = solids[k].pose;
        // The page skips bodies that are not there.
        let there = present.get(k).copied().unwrap_or(true);
        json!(there.then(|| DMat4::from_rotation_translation(rotation, translation).to_cols_array()))
    };
    let all: Vec<Value> = replay.shown_bodies(&solids).into_iter().map(matrix).collect();
    Ok(HttpResponse::ok("application/json", Value::Array(all).to_string()))
}

fn series(folder: &Path) -> Result<HttpResponse, OutputError> {
    let path = RunFolder::open(folder)?.series_path();
    within::check(folder, &path)?;
    let text = std::fs::read(&path).map_err(OutputError::io("read", &path))?;
    Ok(HttpResponse::ok("text/csv; charset=utf-8", text))
}

/// The run: its frames and whether it goes on; if not `short`, also its title, bounds and bodies.
fn describe(shown: &Shown, short: bool) -> Result<HttpResponse, OutputError> {
    let Shown { folder, replay, .. } = shown;
    let frames = frames_of(shown)?;
    let running = RunFolder::open(folder)?.is_being_written();
    let mut run = json!({ "frames": frames, "running": running });
    if !short {
        let first = frames.first().copied().unwrap_or_default();
        let solids = replay.solids(first)?;
        let shown = replay.shown_bodies(&solids);
        let bounds = bounds(replay, &solids, &frames)?;
        let meshes: Vec<Value> = replay
            .meshes()
            .iter()
            .map(|mesh| {
                let vertex: Vec<[f32; 3]> = mesh.vertex.iter().map(|x| x.as_vec3().to_array()).collect();
                json!({ "vertex": vertex, "triangle": mesh.triangle })
            })
            .collect();
        let tints = replay.tints();
        // The page does not reckon in linear light: its colours are those of the screen.
        let on_screen = |linear: f32| linear.max(0.0).powf(1.0 / 2.2);
        let body = |k: &usize| {
            let tint = tint_colour(tints.get(*k).copied().unwrap_or_default());
            json!({ "mesh": replay.mesh_of(*k), "tint": tint.to_array().map(on_screen) })
        };
        let title = &replay.scene().title;
        run["title"] = json!(if title.is_empty() { "Meniscus" } else { title });
        run["spacing"] = json!(replay.setup().sph.fluid.spacing);
        run["most"] = json!(MOST_PARTICLES);
        run["camera"] = json!(replay.scene().camera);
        run["surface"] = json!(replay.has_surface());
        run["bounds"] = json!([bounds.min.to_array(), bounds.max.to_array()]);
        run["edges"] = json!(edges(replay, &solids));
        run["meshes"] = Value::Array(meshes);
        run["bodies"] = Value::Array(shown.iter().map(body).collect());
    }
    Ok(HttpResponse::ok("application/json", run.to_string()))
}

/// Edges of bodies that are not shown as meshes.
fn edges(replay: &Replay<'_>, solids: &[meniscus_geometry::Solid]) -> Vec<[[f64; 3]; 2]> {
    let shown = replay.shown_bodies(solids);
    let hidden = solids.iter().enumerate().filter(|(k, _)| !shown.contains(k));
    let outlines = hidden.flat_map(|(_, solid)| solid.outline(replay.setup().dimension));
    outlines.map(|segment| segment.map(|x| x.to_array())).collect()
}

/// What must be seen: containers, and the fluid at the first frame.
fn bounds(
    replay: &Replay<'_>,
    solids: &[meniscus_geometry::Solid],
    frames: &[(u32, f64)],
) -> Result<Aabb, OutputError> {
    let finite = |b: &Aabb| b.min.is_finite() && b.max.is_finite();
    let bodies =
        solids.iter().map(meniscus_geometry::Solid::bounds).filter(finite).fold(Aabb::EMPTY, Aabb::join);
    let fluid = match frames.first() {
        Some(at) => Aabb::of_points(replay.frame(*at)?.position.into_iter().filter(|x| x.is_finite())),
        None => Aabb::EMPTY,
    };
    let whole = bodies.join(fluid);
    Ok(if finite(&whole) && !whole.is_empty() {
        whole
    } else {
        Aabb::of_points([glam::DVec3::ZERO, glam::DVec3::ONE])
    })
}
