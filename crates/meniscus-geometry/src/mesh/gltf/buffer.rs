//! Where the bytes of a glTF file are: in a GLB chunk, in the JSON itself, or in files beside it.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use super::super::read::{MAX_FILE, read_file};
use super::document::Buffer;
use crate::MeshError;

const GLB: &str =
    "a GLB file is a header of 12 bytes, a JSON chunk and at most one binary chunk; export it again";

/// The JSON text of a file, and the binary chunk if it is a GLB.
pub(super) fn split(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), MeshError> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes, None));
    }
    let at = |offset, problem: String| MeshError { offset: Some(offset), ..MeshError::new(problem, GLB) };
    let version = word(bytes, 4).ok_or_else(|| at(4, "the file ends in its header".to_owned()))?;
    if version != 2 {
        return Err(at(4, format!("GLB version {version}, only version 2 can be read")));
    }
    let length = word(bytes, 8).ok_or_else(|| at(8, "the file ends in its header".to_owned()))?;
    let Some(whole) = bytes.get(..length) else {
        return Err(at(8, format!("{length} bytes are announced, but the file has {}", bytes.len())));
    };
    let json = chunk(whole, 12).filter(|chunk| chunk.kind == *b"JSON");
    let json = json.ok_or_else(|| at(12, "there is no JSON chunk".to_owned()))?;
    let binary = match chunk(whole, json.end) {
        Some(chunk) if chunk.kind == *b"BIN\0" => Some(chunk.content),
        None if json.end < whole.len() => return Err(at(json.end, "a chunk is cut off".to_owned())),
        _ => None,
    };
    Ok((json.content, binary))
}

struct Chunk<'a> {
    kind: [u8; 4],
    content: &'a [u8],
    end: usize,
}

fn word(bytes: &[u8], at: usize) -> Option<usize> {
    let word = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
    Some(u32::from_le_bytes(word) as usize)
}

fn chunk(bytes: &[u8], at: usize) -> Option<Chunk<'_>> {
    let length = word(bytes, at)?;
    let kind = bytes.get(at + 4..at + 8)?.try_into().ok()?;
    let end = (at + 8).checked_add(length)?;
    Some(Chunk { kind, content: bytes.get(at + 8..end)?, end })
}

/// The bytes of a buffer, at least as many as it says.
pub(super) fn load<'a>(
    buffer: &Buffer,
    index: usize,
    binary: Option<&'a [u8]>,
    folder: Option<&Path>,
) -> Result<Cow<'a, [u8]>, MeshError> {
    let fail = |problem: String, remedy: &str| MeshError::new(format!("buffer {index}: {problem}"), remedy);
    let bytes = match (&buffer.uri, binary) {
        (None, Some(chunk)) if index == 0 => Cow::Borrowed(chunk),
        (None, _) => return Err(fail("it has no bytes".to_owned(), "give it a `uri`, or use a GLB file")),
        (Some(uri), _) if uri.starts_with("data:") => {
            let content = uri.split_once(";base64,").and_then(|(_, text)| decode_base64(text.as_bytes()));
            let remedy = "give `data:application/octet-stream;base64,` and the bytes in base64";
            Cow::Owned(content.ok_or_else(|| fail("its data URI cannot be decoded".to_owned(), remedy))?)
        }
        (Some(uri), _) => {
            let path = beside(uri, folder).map_err(|(problem, remedy)| fail(problem, remedy))?;
            let error = |e: MeshError| MeshError {
                problem: format!("buffer {index}, {}: {}", path.display(), e.problem).into(),
                ..e
            };
            Cow::Owned(read_file(&path, MAX_FILE).map_err(error)?)
        }
    };
    if (bytes.len() as u64) < buffer.byte_length {
        let problem = format!("{} bytes are announced, but there are {}", buffer.byte_length, bytes.len());
        return Err(fail(problem, "the file is cut off; export or download it again"));
    }
    Ok(bytes)
}

/// The file that a relative reference names, in the folder or below it.
fn beside(uri: &str, folder: Option<&Path>) -> Result<PathBuf, (String, &'static str)> {
    let remedy = "buffers must be in the folder of the glTF file or below it; or use a GLB file";
    let shown: String = uri.chars().take(80).collect();
    let refused = |why: &str| (format!("`{shown}` {why}"), remedy);
    let folder = folder.ok_or_else(|| refused("is a file of its own, but there is no folder"))?;
    let name = decode_percent(uri).ok_or_else(|| refused("is not a relative path"))?;
    let relative = Path::new(&name);
    let below = relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if name.is_empty() || name.contains([':', '\\', '\0']) || !below {
        return Err(refused("is not a path below the folder"));
    }
    // `Path::parent` of a bare name is empty.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let folder = folder.canonicalize().map_err(|e| refused(&format!("cannot be found: {e}")))?;
    // A link may lead out of it.
    let path = folder.join(relative).canonicalize().map_err(|e| refused(&format!("cannot be found: {e}")))?;
    if path.starts_with(&folder) { Ok(path) } else { Err(refused("leads out of the folder")) }
}

/// Replaces %20 and its like.
fn decode_percent(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = after.get(2..)?;
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).ok()
}

/// The bytes that a base64 text stands for; nothing if it is none.
fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let end = text.iter().rposition(|c| *c != b'=').map_or(0, |at| at + 1);
    let (digits, padding) = text.split_at(end);
    if padding.len() > 2 || digits.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        let mut bits: u32 = 0;
        for digit in group {
            bits = bits << 6 | u32::from(value(*digit)?);
        }
        // A short group has its bits at the upper end as well.
        bits <<= 6 * (4 - group.len());
        let [_, triple @ ..] = bits.to_be_bytes();
        bytes.extend_from_slice(triple.get(..group.len() - 1)?);
    }
    Some(bytes)
}

fn value(digit: u8) -> Option<u8> {
    match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded_with_and_without_padding() {
        for (text, bytes) in [
            ("", &b""[..]),
            ("Zg==", b"f"),
            ("Zg", b"f"),
            ("Zm8=", b"fo"),
            ("Zm9v", b"foo"),
            ("Zm9vYmE=", b"fooba"),
            ("+/+/", &[0xfb, 0xff, 0xbf]),
        ] {
            assert_eq!(decode_base64(text.as_bytes()).as_deref(), Some(bytes), "{text}");
        }
        for garbage in ["Z", "Zm9vY", "Zm=v", "Zm 9v", "====", "\u{e9}"] {
            assert!(decode_base64(garbage.as_bytes()).is_none(), "{garbage}");
        }
    }

    #[test]
    fn buffers_stay_in_the_folder() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("a b");
        std::fs::create_dir_all(folder.join("sub")).unwrap();
        std::fs::write(outer.path().join("secret.bin"), "x").unwrap();
        std::fs::write(folder.join("sub/my data.bin"), "x").unwrap();
        assert!(beside("sub/my%20data.bin", Some(&folder)).is_ok());
        assert!(beside("./sub/my data.bin", Some(&folder)).is_ok());
        for uri in [
            "../secret.bin",
            "%2e%2e/secret.bin",
            "sub/../../secret.bin",
            "/etc/hostname",
            "file:///etc/hostname",
            "https://example.org/a.bin",
            "..\\secret.bin",
            "none.bin",
            "%zz",
            "%2",
            "a%00b",
            "",
        ] {
            assert!(beside(uri, Some(&folder)).is_err(), "{uri}");
        }
        assert!(beside("my.bin", None).is_err());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(outer.path().join("secret.bin"), folder.join("link.bin")).unwrap();
            assert!(beside("link.bin", Some(&folder)).unwrap_err().0.contains("leads out"));
        }
    }
}
