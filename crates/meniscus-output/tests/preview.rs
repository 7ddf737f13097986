//! The picture shows the water, and nothing it is given makes it fail.

use meniscus_core::{DVec3, Dimension, ParticleFrame};
use meniscus_output::{PreviewView, render_preview};

fn view(dimension: Dimension) -> PreviewView {
    let segments = vec![[DVec3::ZERO, DVec3::X], [DVec3::ZERO, DVec3::Y]];
    PreviewView { dimension, segments, width: 320, height: 180, spacing: 0.1, ..PreviewView::default() }
}

fn block(dimension: Dimension) -> ParticleFrame {
    let layers = if dimension == Dimension::Three { 5 } else { 1 };
    let place = |i: u32| DVec3::new(f64::from(i % 5), f64::from(i / 5 % 5), f64::from(i / 25)) * 0.1 + 0.05;
    let position: Vec<DVec3> = (0..25 * layers).map(place).collect();
    ParticleFrame { velocity: vec![DVec3::X * 0.1; position.len()], position, ..ParticleFrame::default() }
}

fn blue_pixels(rgb: &[u8]) -> usize {
    rgb.chunks(3).filter(|pixel| pixel[2] > pixel[0].saturating_add(60)).count()
}

#[test]
fn water_is_blue_where_it_is() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let picture = render_preview(&block(dimension), &view(dimension));
        let empty = render_preview(&ParticleFrame::default(), &view(dimension));
        assert_eq!(picture.rgb.len(), 320 * 180 * 3);
        let blue = blue_pixels(&picture.rgb) - blue_pixels(&empty.rgb);
        assert!(blue > 320 * 180 / 50, "{blue} blue pixels");
    }
}

#[test]
fn a_picture_is_a_png() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("preview.png");
    let picture = render_preview(&block(Dimension::Three), &view(Dimension::Three));
    picture.write(&path).unwrap();
    let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut rgb).unwrap();
    assert_eq!(rgb, picture.rgb);
}

#[test]
fn the_picture_does_not_depend_on_the_number_of_threads() {
    let draw = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| render_preview(&block(Dimension::Three), &view(Dimension::Three)))
    };
    assert_eq!(draw(1), draw(7));
}

#[test]
fn odd_views_and_frames_are_drawn_somehow() {
    let odd = [f64::NAN, f64::INFINITY, f64::MAX, -1e300, 0.0, 1e-300, -1.0];
    for dimension in [Dimension::Two, Dimension::Three] {
        for value in odd {
            let mut frame = block(dimension);
            frame.position[3] = DVec3::splat(value);
            frame.velocity[4] = DVec3::splat(value);
            let far = vec![[DVec3::splat(value), DVec3::ONE], [DVec3::X * value, DVec3::Y * -value]];
            let base = PreviewView { width: 32, height: 18, ..view(dimension) };
            let _ = render_preview(&frame, &PreviewView { spacing: value, segments: far, ..base.clone() });
            let _ = render_preview(
                &frame,
                &PreviewView { bounds: (DVec3::splat(value), DVec3::ONE), ..base.clone() },
            );
            let _ = render_preview(
                &frame,
                &PreviewView { bounds: (DVec3::splat(value), DVec3::splat(value)), ..base },
            );
        }
        for (width, height) in [(0, 0), (1, 1), (1, 500), (500, 1)] {
            let caption = "Ünknown → letters and a line much too long for the picture".to_owned();
            let _ =
                render_preview(&block(dimension), &PreviewView { width, height, caption, ..view(dimension) });
        }
    }
}
