//! How a scene wants to be seen: its title, camera and light.

use glam::DVec3;
use meniscus_output::preview::Viewpoint;
use meniscus_render::Light;
use meniscus_scene::Scene;
use meniscus_scene::model::BodySpec;

/// What pictures of a scene have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look<'a> {
    pub title: &'a str,
    pub viewpoint: Viewpoint,
    pub light: Light,
    /// The entries of the scene.
    bodies: &'a [BodySpec],
}

impl<'a> Look<'a> {
    pub fn of(scene: &'a Scene) -> Self {
        Self {
            title: if scene.title.is_empty() { "Meniscus" } else { &scene.title },
            viewpoint: viewpoint(&scene.camera),
            light: light(&scene.light),
            bodies: &scene.bodies,
        }
    }

    /// Whether bodies of this entry of the scene are shown cut open.
    pub fn is_cut(&self, entry: u32) -> bool {
        self.bodies.get(entry as usize).is_some_and(|body| body.cutaway)
    }

    /// The unit vector from `x` `[m]` towards the eye.
    pub fn towards_eye(&self, x: DVec3) -> DVec3 {
        match self.viewpoint {
            Viewpoint::StraightOn => DVec3::Z,
            Viewpoint::Framing { towards_eye, .. } => towards_eye.normalize_or(DVec3::Z),
            Viewpoint::Fixed { eye, .. } => (eye - x).normalize_or(DVec3::Z),
        }
    }
}

fn viewpoint(camera: &meniscus_scene::model::CameraSpec) -> Viewpoint {
    let angle = camera.field_of_view.map_or(Viewpoint::ANGLE, f64::to_radians);
    match camera.position {
        Some(eye) => Viewpoint::Fixed { eye: eye.into(), target: camera.target.map(DVec3::from), angle },
        None => Viewpoint::Framing {
            towards_eye: camera.direction.map_or(Viewpoint::TOWARDS_EYE, DVec3::from),
            angle,
        },
    }
}

fn light(light: &meniscus_scene::model::LightSpec) -> Light {
    Light { direction: light.direction.into(), sun: light.sun, sky: light.sky, softness: light.softness }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_that_says_nothing_is_seen_as_usual() {
        let (camera, sun) = Default::default();
        assert_eq!(viewpoint(&camera), Viewpoint::default());
        assert_eq!(light(&sun), Light::default());
    }
}
