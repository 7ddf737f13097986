//! Pictures look as they did, do not depend on threads, and nothing they are given makes them fail.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use glam::{DQuat, DVec3};
use meniscus_output::{Picture, Surface, SurfaceMesh};
use meniscus_render::{Quality, RenderScene, animation, render};
use meniscus_surface::{FluidSurface, SurfaceParams, reconstruct};

const SPACING: f64 = 0.05;

/// A wave in a box, of water that is this deep on the left.
fn wave(depth: f64) -> FluidSurface {
    let place = |i: u32| DVec3::new(f64::from(i % 24), f64::from(i / 24 % 12), f64::from(i / 288)) + 0.5;
    let below = |x: &DVec3| x.y < depth - 0.2 * x.x + 0.05 * (8.0 * x.z).sin();
    let points: Vec<DVec3> = (0..24 * 12 * 12).map(|i| place(i) * SPACING).filter(below).collect();
    reconstruct(&points, &vec![DVec3::ZERO; points.len()], &SurfaceParams::new(SPACING)).unwrap()
}

/// A tetrahedron that stands in the water.
fn body(tint: u32) -> Surface {
    let vertex = vec![DVec3::ZERO, DVec3::X * 0.3, DVec3::new(0.1, 0.0, 0.3), DVec3::new(0.1, 0.6, 0.1)];
    let mesh = SurfaceMesh { vertex, triangle: vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]] };
    let position = DVec3::new(0.7, 0.0, 0.2);
    Surface { mesh: Arc::new(mesh), position, rotation: DQuat::IDENTITY, tint, light: 1.0, smooth: false }
}

fn scene(depth: f64) -> RenderScene {
    RenderScene {
        water: Some(wave(depth)),
        spacing: SPACING,
        bodies: vec![body(1)],
        edges: vec![[DVec3::ZERO, DVec3::X * 1.2], [DVec3::ZERO, DVec3::Y * 0.6]],
        bounds: (DVec3::ZERO, DVec3::new(1.2, 0.6, 0.6)),
        ..RenderScene::default()
    }
}

fn read(path: &Path) -> Picture {
    let mut reader = png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut rgb).unwrap();
    Picture { width: info.width, height: info.height, rgb }
}

/// Mean structural similarity of two pictures in windows of 8 x 8 pixels: 1 for equal ones.
fn similarity(a: &Picture, b: &Picture) -> f64 {
    assert_eq!((a.width, a.height), (b.width, b.height));
    let luma = |p: &Picture| -> Vec<f64> {
        let grey = |c: &[u8]| 0.3 * f64::from(c[0]) + 0.59 * f64::from(c[1]) + 0.11 * f64::from(c[2]);
        p.rgb.chunks(3).map(grey).collect()
    };
    let (x, y) = (luma(a), luma(b));
    let (width, height) = (a.width as usize, a.height as usize);
    let window = |left: usize, top: usize| {
        let place = |k: usize| (top + k / 8) * width + left + k % 8;
        let mean = |p: &[f64], q: &[f64]| (0..64).map(|k| p[place(k)] * q[place(k)]).sum::<f64>() / 64.0;
        let one = vec![1.0; x.len()];
        let (mx, my) = (mean(&x, &one), mean(&y, &one));
        let (vx, vy, vxy) = (mean(&x, &x) - mx * mx, mean(&y, &y) - my * my, mean(&x, &y) - mx * my);
        let (c1, c2) = (6.5, 58.5);
        (2.0 * mx * my + c1) * (2.0 * vxy + c2) / ((mx * mx + my * my + c1) * (vx + vy + c2))
    };
    let windows: Vec<f64> = (0..height / 8)
        .flat_map(|j| (0..width / 8).map(move |i| (8 * i, 8 * j)))
        .map(|(left, top)| window(left, top))
        .collect();
    windows.iter().sum::<f64>() / windows.len() as f64
}

#[test]
fn the_picture_looks_as_it_did() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/wave.png");
    let picture = render(&scene(0.45), 192, 112, Quality::Motion);
    if std::env::var_os("MENISCUS_GOLDEN").is_some() {
        picture.write(&path).unwrap();
    }
    let golden = read(&path);
    let same = similarity(&picture, &golden);
    assert!(same > 0.97, "similarity {same:.4}; look at it, and if it is right set MENISCUS_GOLDEN=1");
    // The measure notices less water and another colour.
    let other = similarity(&render(&scene(0.35), 192, 112, Quality::Motion), &golden);
    assert!(other < 0.95, "similarity of another picture {other:.4}");
}

#[test]
fn water_is_bluer_than_what_is_around_it() {
    let dry = render(&RenderScene { water: None, ..scene(0.45) }, 96, 56, Quality::Motion);
    let wet = render(&scene(0.45), 96, 56, Quality::Motion);
    let blue = |p: &Picture| p.rgb.chunks(3).filter(|c| c[2] > c[0].saturating_add(30)).count();
    assert!(blue(&wet) > blue(&dry) + 96 * 56 / 20, "{} and {}", blue(&wet), blue(&dry));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let scene = scene(0.45);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| render(&scene, 64, 36, Quality::Motion))
    };
    assert_eq!(on(1), on(5));
}

#[test]
fn odd_scenes_are_rendered_somehow() {
    for value in [f64::NAN, f64::INFINITY, 1e300, 0.0, -1.0, 1e-300] {
        let mut water = wave(0.2);
        water.vertex[3] = DVec3::splat(value);
        water.triangle.push([0, 1, u32::MAX]);
        water.normal.truncate(5);
        let odd = RenderScene {
            water: Some(water),
            spacing: value,
            bodies: vec![Surface { position: DVec3::splat(value), ..body(99) }],
            edges: vec![[DVec3::splat(value), DVec3::ONE], [DVec3::ONE, DVec3::ONE]],
            ground: Some(value),
            ..scene(0.2)
        };
        let picture = render(&odd, 16, 9, Quality::Motion);
        assert_eq!(picture.rgb.len(), 16 * 9 * 3);
        let _ =
            render(&RenderScene { bounds: (DVec3::splat(value), DVec3::ONE), ..odd }, 16, 9, Quality::Motion);
    }
    let empty = render(&RenderScene::default(), 0, 0, Quality::Still);
    assert_eq!((empty.width, empty.height), (1, 1));
}

fn pictures() -> Vec<Picture> {
    let grey = |k: u8| Picture { width: 20, height: 10, rgb: vec![40 * k; 600] };
    (0..4).map(grey).collect()
}

#[test]
fn animations_have_all_pictures_and_repeat() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.gif");
    animation::write(&path, 10.0, pictures().into_iter().map(Ok)).unwrap();
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(File::open(&path).unwrap()).unwrap();
    let mut seen = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        seen.push((frame.delay, frame.buffer[0]));
    }
    assert_eq!(decoder.repeat(), gif::Repeat::Infinite);
    assert_eq!(seen, [(10, 0), (10, 40), (10, 80), (10, 120)]);

    let path = dir.path().join("a.apng");
    animation::write(&path, 10.0, pictures().into_iter().map(Ok)).unwrap();
    let reader = png::Decoder::new(BufReader::new(File::open(&path).unwrap())).read_info().unwrap();
    let control = reader.info().animation_control().unwrap();
    assert_eq!((control.num_frames, control.num_plays), (4, 0));
}

#[test]
fn without_ffmpeg_an_mp4_is_a_gif_and_other_names_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.mp4");
    let written = animation::write(&path, 10.0, pictures().into_iter().map(Ok)).unwrap();
    assert!(written.is_file() && (written == path || written == path.with_extension("gif")));
    let error =
        animation::write(&dir.path().join("a.avi"), 10.0, pictures().into_iter().map(Ok)).unwrap_err();
    assert!(error.to_string().contains(".gif, .apng or .mp4"), "{error}");
}
