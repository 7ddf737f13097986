//! Pages that stand alone: one file, with its pictures inside and no references to others.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Larger pictures are left out `[byte]`.
const MAX_PICTURE: u64 = 24 << 20;

const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;color:#1c2733;background:#f4f6f8;margin:0 auto;max-width:1180px;padding:1rem}\
h1{font-size:1.6rem;margin:.2rem 0}h2{font-size:1.15rem;margin:1.6rem 0 .5rem}\
img,svg{display:block;width:100%;height:auto;border-radius:8px;background:#fff}\
.grid{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr))}\
table{border-collapse:collapse;width:100%;background:#fff;border-radius:8px}\
td{padding:.35rem .7rem;border-bottom:1px solid #e5e9ee;vertical-align:top;overflow-wrap:anywhere}td:first-child{color:#5b6b7b;overflow-wrap:normal}\
.warning{background:#fff3d6;border-left:4px solid #e0a100;padding:.5rem .8rem;margin:.4rem 0;border-radius:4px}\
pre{overflow-x:auto;background:#fff;padding:1rem;border-radius:8px;font-size:.85rem}figure{margin:0}\
figcaption{color:#5b6b7b;font-size:.9rem}\
@media(max-width:560px){svg{overflow:visible}svg text{font-size:18px}.claims td{display:block;border:0;padding:.1rem .7rem}\
.claims tr{display:block;padding:.4rem 0;border-bottom:1px solid #e5e9ee}}\
.claims td:first-child{color:inherit}.claims td:last-child{white-space:nowrap;font-weight:600}\
.holds td:last-child{color:#1a7f37}.fails td:last-child{color:#c0271b}.open td:last-child{color:#8a6d00}\
small{color:#5b6b7b}";

/// A whole page with a title and what follows it.
#[must_use]
pub fn document(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <title>{0}</title>\n<style>{STYLE}</style></head><body>\n<h1>{0}</h1>\n{body}</body></html>\n",
        escape(title),
    )
}

/// A picture inside of the page; nothing if there is none.
#[must_use]
pub fn picture(path: &Path, kind: &str, caption: &str) -> String {
    let fits = fs::metadata(path).is_ok_and(|file| file.len() <= MAX_PICTURE);
    let Some(bytes) = fs::read(path).ok().filter(|_| fits) else { return String::new() };
    let data = base64(&bytes);
    format!(
        "<figure><img alt=\"{caption}\" src=\"data:image/{kind};base64,{data}\"><figcaption>{caption}</figcaption></figure>\n"
    )
}

/// Text that a page shows as it is.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c => {
                let _ = out.write_char(c);
            }
        }
    }
    out
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for k in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * k) & 63) as usize] as char;
            out.push(if k <= chunk.len() { letter } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_the_standard() {
        let known = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (text, letters) in known {
            assert_eq!(base64(text.as_bytes()), letters);
        }
    }
}
