//! Pictures in a row: GIF and APNG by this program, MP4 by ffmpeg where it is installed.
//!
//! Pictures are taken from an iterator one after the other, so that long animations need little memory.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use meniscus_output::{OutputError, Picture, atomic};

/// Writes pictures of one size as an animation that repeats for ever, at so many pictures a second, in the format that
/// the extension names: `gif`, `apng` or `mp4`. Where there is no ffmpeg, a GIF takes the place of an MP4. Tells the
/// file that was written.
///
/// # Errors
/// The first error of the pictures, [`OutputError::AnimationFormat`] for other extensions, [`OutputError::Io`] when the
/// file cannot be written.
pub fn write(
    path: &Path,
    rate: f64,
    pictures: impl ExactSizeIterator<Item = Result<Picture, OutputError>>,
) -> Result<PathBuf, OutputError> {
    let mut pictures = pictures.peekable();
    let size = match pictures.peek() {
        Some(Ok(picture)) => [picture.width, picture.height],
        _ => [1, 1],
    };
    let reel = Reel { size, count: pictures.len() as u32, rate };
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    let path =
        if extension == "mp4" && !has_ffmpeg() { path.with_extension("gif") } else { path.to_path_buf() };
    // An error of a picture ends the writing and is told afterwards, in place of the one that ended it.
    let mut failed = None;
    let mut good = pictures.map_while(|picture| picture.map_err(|error| failed = Some(error)).ok());
    let written = match path.extension().and_then(|e| e.to_str()).unwrap_or_default() {
        "gif" => atomic::write_with(&path, |out| reel.gif(out, &mut good)),
        "apng" | "png" => atomic::write_with(&path, |out| reel.apng(out, &mut good)),
        "mp4" => reel.mp4(&path, &mut good).map_err(OutputError::io("write", &path)),
        _ => return Err(OutputError::AnimationFormat { path }),
    };
    match failed {
        Some(error) => Err(error),
        None => written.map(|()| path),
    }
}

/// Size `[pixel]`, number and rate `[1/s]` of the pictures.
struct Reel {
    size: [u32; 2],
    count: u32,
    rate: f64,
}

impl Reel {
    /// Each picture gets 256 colours of its own.
    fn gif(&self, out: &mut dyn Write, pictures: &mut dyn Iterator<Item = Picture>) -> io::Result<()> {
        // Viewers slow down what is faster than 50 pictures a second.
        let delay = (100.0 / self.rate).round().clamp(2.0, 1000.0) as u16;
        let [width, height] = self.size.map(|side| side as u16);
        let mut encoder = gif::Encoder::new(out, width, height, &[]).map_err(io::Error::other)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(io::Error::other)?;
        for picture in pictures {
            let mut frame = gif::Frame::from_rgb_speed(width, height, &picture.rgb, 10);
            frame.delay = delay;
            encoder.write_frame(&frame).map_err(io::Error::other)?;
        }
        Ok(())
    }

    fn apng(&self, out: &mut dyn Write, pictures: &mut dyn Iterator<Item = Picture>) -> io::Result<()> {
        let delay = (1000.0 / self.rate).round().clamp(1.0, 60_000.0) as u16;
        let mut encoder = png::Encoder::new(out, self.size[0], self.size[1]);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_animated(self.count.max(1), 0)?;
        encoder.set_frame_delay(delay, 1000)?;
        let mut writer = encoder.write_header()?;
        for picture in pictures {
            writer.write_image_data(&picture.rgb)?;
        }
        Ok(writer.finish()?)
    }

    fn mp4(&self, path: &Path, pictures: &mut dyn Iterator<Item = Picture>) -> io::Result<()> {
        let mut child = self.ffmpeg(path)?;
        if let Some(mut input) = child.stdin.take() {
            for picture in pictures {
                input.write_all(&picture.rgb)?;
            }
        }
        if child.wait()?.success() { Ok(()) } else { Err(io::Error::other("ffmpeg failed")) }
    }

    fn ffmpeg(&self, path: &Path) -> io::Result<Child> {
        let [width, height] = self.size;
        Command::new("ffmpeg")
            .args(["-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"])
            .args(["-s", &format!("{width}x{height}"), "-r", &self.rate.to_string(), "-i", "-"])
            // H.264 wants even sides, and players want this pixel format.
            .args(["-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2", "-pix_fmt", "yuv420p"])
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
    }
}

/// Whether ffmpeg is installed.
fn has_ffmpeg() -> bool {
    let mut command = Command::new("ffmpeg");
    let asked = command.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    asked.status().is_ok_and(|status| status.success())
}
