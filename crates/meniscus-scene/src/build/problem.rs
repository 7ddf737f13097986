use crate::diagnostic::Finding;
use crate::tree::Node;

/// Something that is wrong with a mesh or with where particles are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildProblem {
    /// The key of the scene that it is about, such as `body[1].path`.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// A short remark on the value of the key.
    pub label: String,
    /// How to mend it.
    pub help: String,
}

/// Why a checked scene cannot be simulated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.lines())]
pub struct BuildError {
    /// All that was found.
    pub problems: Vec<BuildProblem>,
}

impl BuildError {
    fn lines(&self) -> String {
        let lines = self.problems.iter().map(|p| format!("{}: {}; {}", p.key, p.message, p.help));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The problems at the places where their keys were written.
    pub(crate) fn findings(self, root: &Node) -> Vec<Finding> {
        let find = |p: BuildProblem| {
            let place = root.find(&p.key).place.clone();
            Finding::new(place, p.message).label(p.label).help(p.help)
        };
        self.problems.into_iter().map(find).collect()
    }
}

/// The problems found so far.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    found: Vec<BuildProblem>,
}

impl Problems {
    pub fn push(&mut self, problem: BuildProblem) {
        self.found.push(problem);
    }

    /// Adds a problem unless there is one at its key already, as with copies of a body.
    pub fn push_once(&mut self, problem: BuildProblem) {
        if !self.found.iter().any(|known| known.key == problem.key) {
            self.found.push(problem);
        }
    }

    /// Whether there are none so far.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Ends the build if there are any.
    pub fn none_so_far(&mut self) -> Result<(), BuildError> {
        if self.found.is_empty() {
            Ok(())
        } else {
            Err(BuildError { problems: std::mem::take(&mut self.found) })
        }
    }
}
