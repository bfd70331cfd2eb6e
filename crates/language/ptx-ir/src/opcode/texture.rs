//! Textures and surfaces (PTX manual, "Texture Instructions", "Surface Instructions").

use crate::opcode::memory::AtomicOp;

/// The shape that an instruction takes its image to have, which says what the coordinates are.
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
    pub fn from_name(modifier: &str) -> Option<Geometry> {
        Some(match modifier {
            "1d" => Geometry::Line,
            "2d" => Geometry::Plane,
            "3d" => Geometry::Volume,
            "a1d" => Geometry::Lines,
            "a2d" => Geometry::Planes,
            "cube" => Geometry::Cube,
            "acube" => Geometry::Cubes,
            _ => return None,
        })
    }

    /// Elements of the vector of coordinates as PTX writes it, with those that are ignored.
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

/// What an access of a surface outside it does.
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
    /// What happens outside.
    pub outside: OutOfBounds,
    /// Bytes of one element.
    pub bytes: u8,
    /// Elements.
    pub count: u8,
    /// The first coordinate counts texels instead of bytes.
    pub texels: bool,
}

/// How an instruction says which mipmap level it reads. What says it follows the coordinates.
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
    /// Operands that say it, for coordinates of so many axes.
    pub fn operands(self, axes: usize) -> usize {
        match self {
            MipLevel::Base => 0,
            MipLevel::Level => 1,
            MipLevel::Gradient => 2 * axes,
        }
    }
}

/// What is asked of a texture or surface; the second operand is the level of which it is asked.
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
    /// Whether coordinates are normalised.
    Normalized,
    IsTexture,
    IsSampler,
    IsSurface,
}

/// An instruction on a texture or surface. The first operand is its handle, or the address of one; the second
/// that of a sampler, or 0 where the texture has its own; then come the coordinates, as PTX writes them, what says the
/// level, and offsets in texels, or what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureOp {
    /// `tex`: four results.
    Sample {
        /// The texture's shape.
        geometry: Geometry,
        /// Coordinates are integers: a texel is fetched as it is.
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
