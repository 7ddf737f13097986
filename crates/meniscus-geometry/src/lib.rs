//! Shapes and meshes: reading, signed distance, surface samples, volume fill.
