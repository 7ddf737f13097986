//! `view`: a run in the browser.

use crate::cli::ViewArgs;
use crate::error::CommandError;
use crate::terminal::say;
use meniscus::view::Server;

/// Serves a run on this machine until it is interrupted.
pub fn view(args: &ViewArgs) -> Result<(), CommandError> {
    let server = Server::open(&args.folder, args.port)?;
    say(&format!("{} is shown at {}  (Ctrl-C ends)", args.folder.display(), server.address()));
    server.serve();
    Ok(())
}
