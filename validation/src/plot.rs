//! Line plots as SVG.
