//! Elastic constants of isotropic matter.

use meniscus_core::SolidError;

/// What an elastic body is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElasticMaterial {
    /// Mass per volume `[kg/m³]`.
    pub density: f64,
    /// Young's modulus E `[Pa]`.
    pub young: f64,
    /// Poisson ratio ν `[1]`.
    pub poisson: f64,
}

/// The constants λ and μ of Hooke's law S = λ tr(E) I + 2 μ E `[Pa]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lame {
    pub(crate) lambda: f64,
    pub(crate) mu: f64,
}

impl ElasticMaterial {
    /// Refuses what no matter is like.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] with the offending number.
    pub fn check(&self, place: &str) -> Result<(), SolidError> {
        let Self { density, young, poisson } = *self;
        let positive = |what: &str, value: f64, unit: &str| {
            let refused =
                || SolidError::invalid(place, format!("{what} = {value} {unit}"), "positive and finite");
            (value > 0.0 && value.is_finite()).then_some(()).ok_or_else(refused)
        };
        positive("density", density, "kg/m³")?;
        positive("young", young, "Pa")?;
        if !(poisson > -1.0 && poisson < 0.5) {
            let allowed = "more than −1 and less than 0.5; 0.49 is nearly incompressible";
            return Err(SolidError::invalid(place, format!("poisson = {poisson}"), allowed));
        }
        Ok(())
    }

    /// Of matter in space.
    pub(crate) fn lame(&self) -> Lame {
        let Self { young, poisson, .. } = *self;
        Lame {
            lambda: young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
            mu: young / (2.0 * (1.0 + poisson)),
        }
    }

    /// Of a sheet on whose faces nothing pushes.
    pub(crate) fn plane_stress(&self) -> Lame {
        let Self { young, poisson, .. } = *self;
        Lame { lambda: young * poisson / (1.0 - poisson * poisson), mu: young / (2.0 * (1.0 + poisson)) }
    }

    /// The flexural rigidity E h³ / 12 (1 − ν²) of a plate `[N m]`.
    #[must_use]
    pub fn flexural_rigidity(&self, thickness: f64) -> f64 {
        self.young * thickness.powi(3) / (12.0 * (1.0 - self.poisson * self.poisson))
    }
}
