//! Fields and maps that outlive the process.
//!
//! A file is named after a hash of the mesh, of all parameters and of the format's version, so a change of any of them
//! looks for another file. It is written beside its name and renamed into place; its content ends with a checksum. What
//! does not fit is built again: a damaged file costs time and nothing else, and two processes that build the same file
//! replace each other's with the same bytes.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::{DensityMap, MapParams, VolumeMap};
use crate::distance::field::bytes::Reader;
use crate::distance::field::{Band, DistanceField, SerendipityField};
use crate::{GeometryError, MeshShape, RadialKernel, SignedDistance};

/// Changes whenever the content of files or the way it is computed does.
const VERSION: u64 = 4;
const MAGIC: &[u8; 8] = b"MENIMAP\n";

/// Where a field came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It was computed.
    Built,
    /// It was read from the cache's folder.
    Disk,
    /// It was still in memory.
    Memory,
}

/// A folder of computed fields, and those that are in use in this process.
#[derive(Debug, Clone, Default)]
pub struct FieldCache {
    folder: Option<PathBuf>,
    /// Fields in use, for all instances of a mesh; clones of the cache share them.
    shared: Arc<Mutex<Vec<Shared>>>,
}

type Any = dyn std::any::Any + Send + Sync;

/// A field in use, by its key.
type Shared = (u128, Weak<Any>);

/// What can be kept.
trait Stored: Sized + Send + Sync + 'static {
    fn store(&self, out: &mut Vec<u8>);
    fn load(from: &mut Reader<'_>, params: &MapParams) -> Option<Self>;
}

impl Stored for DistanceField {
    fn store(&self, out: &mut Vec<u8>) {
        self.write(out);
    }

    fn load(from: &mut Reader<'_>, _: &MapParams) -> Option<Self> {
        Self::read(from)
    }
}

impl Stored for DensityMap {
    fn store(&self, out: &mut Vec<u8>) {
        self.field().write(out);
    }

    fn load(from: &mut Reader<'_>, params: &MapParams) -> Option<Self> {
        Some(Self::from_parts(SerendipityField::read(from)?, params.side))
    }
}

impl Stored for VolumeMap {
    fn store(&self, out: &mut Vec<u8>) {
        self.distance().write(out);
        self.field().write(out);
    }

    fn load(from: &mut Reader<'_>, params: &MapParams) -> Option<Self> {
        let distance = DistanceField::read(from)?;
        Some(Self::from_parts(SerendipityField::read(from)?, distance, params.side))
    }
}

impl FieldCache {
    /// Keeps fields in this folder, which is made when first needed; without one, in memory only.
    #[must_use]
    pub fn new(folder: Option<&Path>) -> Self {
        Self { folder: folder.map(Path::to_owned), shared: Arc::default() }
    }

    /// The distance field of a mesh; see [`DistanceField::build`].
    ///
    /// # Errors
    /// As [`DistanceField::build`].
    pub fn distance(
        &self,
        mesh: &MeshShape,
        cell: f64,
        band: Band,
    ) -> Result<(Arc<DistanceField>, Origin), GeometryError> {
        let mut key = key_of(mesh, b"distance");
        for v in [cell, band.inner, band.outer] {
            key.update(&v.to_le_bytes());
        }
        let params = MapParams::new(1.0);
        self.get(key.digest128(), &params, || DistanceField::build(mesh, cell, band))
    }

    /// The density map of a mesh; see [`DensityMap::of_mesh`].
    ///
    /// # Errors
    /// As [`DensityMap::of_mesh`].
    pub fn density(
        &self,
        mesh: &MeshShape,
        kernel: &impl RadialKernel,
        params: &MapParams,
    ) -> Result<(Arc<DensityMap>, Origin), GeometryError> {
        let key = density_key(key_of(mesh, b"density"), kernel, params);
        self.get(key, params, || DensityMap::of_mesh(mesh, kernel, params))
    }

    /// The density map of something else, by a name that stands for exactly this distance; see [`DensityMap::of_distance`].
    ///
    /// # Errors
    /// As [`DensityMap::of_distance`].
    pub fn density_of(
        &self,
        name: &str,
        distance: &impl SignedDistance,
        kernel: &impl RadialKernel,
        params: &MapParams,
    ) -> Result<(Arc<DensityMap>, Origin), GeometryError> {
        let key = density_key(key_of_name(name, b"density"), kernel, params);
        self.get(key, params, || DensityMap::of_distance(distance, kernel, params))
    }

    /// The volume map of a mesh; see [`VolumeMap::of_mesh`].
    ///
    /// # Errors
    /// As [`VolumeMap::of_mesh`].
    pub fn volume(
        &self,
        mesh: &MeshShape,
        support: f64,
        params: &MapParams,
    ) -> Result<(Arc<VolumeMap>, Origin), GeometryError> {
        let mut key = key_of(mesh, b"volume");
        add_params(&mut key, support, params);
        self.get(key.digest128(), params, || VolumeMap::of_mesh(mesh, support, params))
    }

    /// The volume map of something else, by a name that stands for exactly this distance; see [`VolumeMap::of_distance`].
    ///
    /// # Errors
    /// As [`VolumeMap::of_distance`].
    pub fn volume_of(
        &self,
        name: &str,
        distance: &impl SignedDistance,
        support: f64,
        params: &MapParams,
    ) -> Result<(Arc<VolumeMap>, Origin), GeometryError> {
        let mut key = key_of_name(name, b"volume");
        add_params(&mut key, support, params);
        self.get(key.digest128(), params, || VolumeMap::of_distance(distance, support, params))
    }

    fn get<T: Stored>(
        &self,
        key: u128,
        params: &MapParams,
        build: impl FnOnce() -> Result<T, GeometryError>,
    ) -> Result<(Arc<T>, Origin), GeometryError> {
        if let Some(shared) = self.in_memory(key).and_then(|any| any.downcast::<T>().ok()) {
            return Ok((shared, Origin::Memory));
        }
        let path = self.folder.as_ref().map(|folder| folder.join(format!("{key:032x}.map")));
        let read = path.as_ref().and_then(|path| read::<T>(path, params));
        let origin = if read.is_some() { Origin::Disk } else { Origin::Built };
        let value = match read {
            Some(value) => value,
            None => build()?,
        };
        if let (Origin::Built, Some(path)) = (origin, &path) {
            // A cache that cannot be written is slow, not wrong.
            let _ = write(path, &value);
        }
        let value = Arc::new(value);
        self.remember(key, &value);
        Ok((value, origin))
    }

    fn in_memory(&self, key: u128) -> Option<Arc<Any>> {
        let list = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        list.iter().find(|(k, _)| *k == key).and_then(|(_, weak)| weak.upgrade())
    }

    /// Those that nobody uses any more go.
    fn remember<T: Stored>(&self, key: u128, value: &Arc<T>) {
        let any: Arc<Any> = value.clone();
        let mut list = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        list.retain(|(k, weak)| *k != key && weak.strong_count() > 0);
        list.push((key, Arc::downgrade(&any)));
    }
}

fn begin_key(kind: &[u8]) -> Xxh3 {
    let mut key = Xxh3::new();
    key.update(kind);
    key.update(&VERSION.to_le_bytes());
    key
}

fn key_of_name(name: &str, kind: &[u8]) -> Xxh3 {
    let mut key = begin_key(kind);
    key.update(b" named ");
    key.update(name.as_bytes());
    key
}

/// A kernel is known by its values.
fn density_key(mut key: Xxh3, kernel: &impl RadialKernel, params: &MapParams) -> u128 {
    let support = kernel.support_radius();
    (0..33).for_each(|i| key.update(&kernel.value(f64::from(i) / 32.0 * support).to_le_bytes()));
    add_params(&mut key, support, params);
    key.digest128()
}

fn key_of(mesh: &MeshShape, kind: &[u8]) -> Xxh3 {
    let mut key = begin_key(kind);
    let mesh = mesh.mesh();
    key.update(&(mesh.vertex.len() as u64).to_le_bytes());
    mesh.vertex.iter().flat_map(glam::DVec3::to_array).for_each(|v| key.update(&v.to_le_bytes()));
    mesh.triangle.iter().flatten().for_each(|v| key.update(&v.to_le_bytes()));
    key
}

fn add_params(key: &mut Xxh3, support: f64, params: &MapParams) {
    let MapParams { cell, depth, tolerance, profile, side, dimension } = *params;
    for v in [support, cell, depth, tolerance] {
        key.update(&v.to_le_bytes());
    }
    key.update(format!("{profile:?} {side:?} {dimension:?}").as_bytes());
}

fn read<T: Stored>(path: &Path, params: &MapParams) -> Option<T> {
    let bytes = fs::read(path).ok()?;
    let (content, sum) = bytes.split_at_checked(bytes.len().checked_sub(16)?)?;
    if xxh3_128(content).to_le_bytes() != sum {
        return None;
    }
    let mut reader = Reader(content.strip_prefix(MAGIC)?);
    let value = T::load(&mut reader, params)?;
    reader.0.is_empty().then_some(value)
}

fn write(path: &Path, value: &impl Stored) -> std::io::Result<()> {
    let mut bytes = MAGIC.to_vec();
    value.store(&mut bytes);
    bytes.extend(xxh3_128(&bytes).to_le_bytes());
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    // Of our own, so that two processes do not write into each other's.
    let temp = path.with_extension(format!("tmp-{}", std::process::id()));
    let written = fs::File::create(&temp).and_then(|mut file| {
        file.write_all(&bytes)?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&temp, path)).inspect_err(|_| {
        let _ = fs::remove_file(&temp);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_mesh::sphere;

    #[test]
    fn damage_is_noticed_and_mended() {
        let folder = std::env::temp_dir().join(format!("meniscus-cache-{}", std::process::id()));
        let cache = FieldCache::new(Some(&folder));
        let mesh = MeshShape::new(sphere(2)).unwrap();
        let band = Band { inner: 0.2, outer: 0.1 };
        let (first, origin) = cache.distance(&mesh, 0.1, band).unwrap();
        assert_eq!(origin, Origin::Built);
        assert_eq!(cache.distance(&mesh, 0.1, band).unwrap().1, Origin::Memory);
        let expected = (*first).clone();
        drop(first);
        let (again, origin) = cache.distance(&mesh, 0.1, band).unwrap();
        assert_eq!((origin, &*again), (Origin::Disk, &expected));
        drop(again);
        let path = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        let whole = fs::read(&path).unwrap();
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 4;
        for bad in [&whole[..whole.len() - 1], &whole[..40], &[], &flipped] {
            fs::write(&path, bad).unwrap();
            let (mended, origin) = cache.distance(&mesh, 0.1, band).unwrap();
            assert_eq!((origin, &*mended), (Origin::Built, &expected));
            assert_eq!(fs::read(&path).unwrap(), whole);
        }
        assert_eq!(cache.distance(&mesh, 0.11, band).unwrap().1, Origin::Built);
        fs::remove_dir_all(&folder).unwrap();
    }
}
