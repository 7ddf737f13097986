//! What every implementation of a method must keep to, whichever it is.
