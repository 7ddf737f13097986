//! Any text as a scene file, its first line as an override: nothing may panic, every error must have words, and what
//! is accepted must survive being written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use meniscus_scene::SceneSource;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let first = text.lines().next().unwrap_or_default().to_owned();
    for overrides in [vec![], vec![first]] {
        match SceneSource::from_text("fuzz.toml", &text).with_overrides(&overrides).check() {
            Ok(scene) => {
                let Ok(written) = scene.to_toml() else { panic!("an accepted scene could not be written") };
                let again = SceneSource::from_text("written.toml", &written).check();
                assert_eq!(again.as_ref(), Ok(&scene), "{written}");
            }
            Err(error) => assert!(!error.diagnostics().is_empty() && !error.render(true).is_empty()),
        }
    }
});
