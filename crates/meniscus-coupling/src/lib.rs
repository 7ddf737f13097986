//! The drivers of a step: who is advanced when, and how fluid and solids meet.
