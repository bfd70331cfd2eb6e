//! Textures and surfaces (PTX manual, "Texture Instructions", "Surface Instructions").

use crate::opcode::memory::AtomicOp;
use lanework_ptx::Modifier;

/// The image geometry that an instruction assumes; it determines the coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Geometry {
    /// `.1d`: x.
    Line,
    /// `.2d`: x, y.
    Plane,
    /// `.3d`: x, y, z.
    Volume,
    /// `.a1d`: layer, x.
    Lines,
    /// `.a2d`: layer, x, y.
    Planes,
    /// `.cube`: a direction.
    Cube,
    /// `.acube`: layer, then a direction.
    Cubes,
}

impl Geometry {
    /// The geometry of a modifier.
    pub fn from_modifier(modifier: Modifier) -> Option<Geometry> {
        Some(match modifier {
            Modifier::D1 => Geometry::Line,
            Modifier::D2 => Geometry::Plane,
            Modifier::D3 => Geometry::Volume,
            Modifier::A1d => Geometry::Lines,
            Modifier::A2d => Geometry::Planes,
            Modifier::Cube => Geometry::Cube,
            Modifier::Acube => Geometry::Cubes,
            _ => return None,
        })
    }

    /// Number of elements in the coordinate vector that PTX writes, including ignored ones.
    pub fn written(self) -> usize {
        match self {
            Geometry::Line => 1,
            Geometry::Plane | Geometry::Lines => 2,
            _ => 4,
        }
    }

    /// Whether the first coordinate is a layer.
    pub fn is_layered(self) -> bool {
        matches!(self, Geometry::Lines | Geometry::Planes | Geometry::Cubes)
    }

    /// Coordinates that count, without the layer.
    pub fn axes(self) -> usize {
        match self {
            Geometry::Line | Geometry::Lines => 1,
            Geometry::Plane | Geometry::Planes => 2,
            _ => 3,
        }
    }
}

/// The effect of an out-of-bounds surface access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutOfBounds {
    /// `.trap`: ends the kernel.
    Trap,
    /// `.clamp`: goes to the nearest place inside.
    Clamp,
    /// `.zero`: loads give 0, stores are dropped.
    Zero,
}

/// How a surface is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SurfaceAccess {
    /// Its shape.
    pub geometry: Geometry,
    /// The effect of out-of-bounds accesses.
    pub outside: OutOfBounds,
    /// Bytes of one element.
    pub bytes: u8,
    /// Elements.
    pub count: u8,
    /// The first coordinate counts texels instead of bytes.
    pub texels: bool,
}

/// How an instruction selects the mipmap level. Its operands follow the coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MipLevel {
    /// Level 0 (`.base`, or nothing).
    Base,
    /// `.level`: one operand, of the coordinates' type.
    Level,
    /// `.grad`: the change of each coordinate from one pixel to the next, in x and then in y.
    Gradient,
}

impl MipLevel {
    /// The number of level operands, for this many coordinate axes.
    pub fn operands(self, axes: usize) -> usize {
        match self {
            MipLevel::Base => 0,
            MipLevel::Level => 1,
            MipLevel::Gradient => 2 * axes,
        }
    }
}

/// A query of a texture or surface; the second operand is the mipmap level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum TextureQuery {
    Width,
    Height,
    Depth,
    Layers,
    /// Mipmap levels.
    Levels,
    /// Always 1: nothing is multisampled.
    Samples,
    /// Whether coordinates are normalized.
    Normalized,
    IsTexture,
    IsSampler,
    IsSurface,
}

/// An instruction on a texture or surface. Operands: the handle or its address; the sampler, or 0 if the texture has its own;
/// the coordinates in PTX order; the operands of the mipmap level; then offsets in texels, or the stored values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureOp {
    /// `tex`: four results.
    Sample {
        /// The texture's shape.
        geometry: Geometry,
        /// Integer coordinates: a texel is fetched without filtering.
        fetch: bool,
        /// The mipmap level.
        mip: MipLevel,
        /// Offsets in texels follow.
        offset: bool,
    },
    /// `tld4`: one component of the four texels that a linear filter would weigh.
    Gather {
        /// The texture's shape.
        geometry: Geometry,
        /// 0 to 3.
        component: u8,
        /// Offsets in texels follow.
        offset: bool,
    },
    /// `suld.b`.
    Load(SurfaceAccess),
    /// `sust.b` and `sust.p`.
    Store(SurfaceAccess),
    /// `sured`.
    Reduce(SurfaceAccess, AtomicOp),
    /// `txq`, `suq` and `istypep`: one result.
    Ask(TextureQuery),
}
