//! Rays and spheres: vectors with operators, materials as an enum with data, Option and `?`.
use lanework::prelude::*;
use std::ops::{Add, Index, Mul, Neg, Sub};

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
struct Vec3(f32, f32, f32);

#[device]
impl Vec3 {
    const UP: Vec3 = Vec3(0.0, 1.0, 0.0);
    fn dot(self, o: Vec3) -> f32 {
        self.0 * o.0 + self.1 * o.1 + self.2 * o.2
    }
    fn length(self) -> f32 {
        self.dot(self).sqrt()
    }
    fn unit(self) -> Self {
        self * (1.0 / self.length())
    }
    fn reflect(self, normal: Vec3) -> Vec3 {
        self - normal * (2.0 * self.dot(normal))
    }
}

#[device]
impl Add for Vec3 {
    type Output = Vec3;
    fn add(self, o: Vec3) -> Vec3 {
        Vec3(self.0 + o.0, self.1 + o.1, self.2 + o.2)
    }
}

#[device]
impl Sub for Vec3 {
    type Output = Vec3;
    fn sub(self, o: Vec3) -> Vec3 {
        Vec3(self.0 - o.0, self.1 - o.1, self.2 - o.2)
    }
}

#[device]
impl Mul<f32> for Vec3 {
    type Output = Vec3;
    fn mul(self, k: f32) -> Vec3 {
        Vec3(self.0 * k, self.1 * k, self.2 * k)
    }
}

#[device]
impl Mul<Vec3> for f32 {
    type Output = Vec3;
    fn mul(self, v: Vec3) -> Vec3 {
        v * self
    }
}

#[device]
impl Neg for Vec3 {
    type Output = Vec3;
    fn neg(self) -> Vec3 {
        Vec3(-self.0, -self.1, -self.2)
    }
}

#[device]
impl Index<usize> for Vec3 {
    type Output = f32;
    fn index(&self, i: usize) -> &f32 {
        match i {
            0 => &self.0,
            1 => &self.1,
            _ => &self.2,
        }
    }
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Material {
    Matte { albedo: f32 },
    Mirror(f32),
    Glow(Vec3),
}

#[device]
#[derive(Clone, Copy, Debug)]
struct Sphere {
    center: Vec3,
    radius: f32,
    material: Material,
}

#[device]
#[derive(Clone, Copy)]
struct Ray {
    origin: Vec3,
    direction: Vec3,
}

#[device]
#[derive(Clone, Copy)]
struct Hit {
    t: f32,
    normal: Vec3,
    material: Material,
}

const SCENE: [Sphere; 4] = [
    Sphere { center: Vec3(0.0, 0.0, 5.0), radius: 1.0, material: Material::Matte { albedo: 0.7 } },
    Sphere { center: Vec3(1.5, 0.5, 4.0), radius: 0.75, material: Material::Mirror(0.9) },
    Sphere { center: Vec3(-1.5, 0.2, 4.0), radius: 0.8, material: Material::Mirror(0.5) },
    Sphere {
        center: Vec3(0.0, 3.0, 3.0),
        radius: 1.2,
        material: Material::Glow(Vec3(1.0, 0.5, 0.25)),
    },
];

#[device]
impl Sphere {
    fn hit(&self, ray: &Ray) -> Option<Hit> {
        let oc = ray.origin - self.center;
        let half_b = oc.dot(ray.direction);
        let root = positive(half_b * half_b - (oc.dot(oc) - self.radius * self.radius))?.sqrt();
        let t = [-half_b - root, -half_b + root].into_iter().find(|&t| t > 1e-3)?;
        let normal = (oc + ray.direction * t) * (1.0 / self.radius);
        Some(Hit { t, normal, material: self.material })
    }
}

#[device]
fn positive(x: f32) -> Option<f32> {
    (x >= 0.0).then_some(x)
}

#[device]
fn trace(mut ray: Ray) -> Vec3 {
    let mut weight = 1.0;
    for _bounce in 0..4 {
        let nearest = SCENE.iter().filter_map(|s| s.hit(&ray)).min_by(|a, b| a.t.total_cmp(&b.t));
        let Some(Hit { t, normal, material }) = nearest else {
            let sky = 0.5 * (ray.direction[1] + 1.0);
            return weight * Vec3(sky, sky, 1.0);
        };
        let point = ray.origin + t * ray.direction;
        match material {
            Material::Glow(color) => return color * weight,
            Material::Matte { albedo } if normal.dot(Vec3::UP) < 0.0 => {
                return Vec3(0.1, 0.1, 0.1) * (albedo * weight);
            }
            Material::Matte { albedo } => {
                weight *= albedo;
                ray = Ray { origin: point, direction: normal };
            }
            Material::Mirror(k) => {
                weight *= k;
                ray = Ray { origin: point, direction: ray.direction.reflect(normal) };
            }
        }
    }
    -Vec3::UP
}

#[kernel]
fn render(out: &mut [Vec3], width: u32, height: u32) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if let Some(pixel) = out.get_mut(i as usize) {
        let (x, y) = (i % width, i / width);
        let d = Vec3(x as f32 / width as f32 - 0.5, 0.5 - y as f32 / height as f32, 0.6);
        *pixel = trace(Ray { origin: Default::default(), direction: d.unit() });
    }
}

type V = [f32; 3];

fn reference(width: u32, height: u32) -> Vec<V> {
    fn dot(a: V, b: V) -> f32 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }
    fn zip(a: V, b: V, f: impl Fn(f32, f32) -> f32) -> V {
        [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])]
    }
    fn scale(a: V, k: f32) -> V {
        a.map(|x| x * k)
    }
    let spheres: [(V, f32, u32, V); 4] = [
        ([0.0, 0.0, 5.0], 1.0, 0, [0.7, 0.0, 0.0]),
        ([1.5, 0.5, 4.0], 0.75, 1, [0.9, 0.0, 0.0]),
        ([-1.5, 0.2, 4.0], 0.8, 1, [0.5, 0.0, 0.0]),
        ([0.0, 3.0, 3.0], 1.2, 2, [1.0, 0.5, 0.25]),
    ];
    let mut image = vec![];
    for y in 0..height {
        'pixel: for x in 0..width {
            let d = [x as f32 / width as f32 - 0.5, 0.5 - y as f32 / height as f32, 0.6];
            let mut d = scale(d, 1.0 / dot(d, d).sqrt());
            let mut o = [0.0; 3];
            let mut w = 1.0;
            for _ in 0..4 {
                let mut best = None;
                let mut least = f32::INFINITY;
                for s in &spheres {
                    let oc = zip(o, s.0, |a, b| a - b);
                    let b = dot(oc, d);
                    let disc = b * b - (dot(oc, oc) - s.1 * s.1);
                    if disc < 0.0 {
                        continue;
                    }
                    let near = -b - disc.sqrt();
                    let t = if near > 1e-3 { near } else { -b + disc.sqrt() };
                    if t > 1e-3 && t < least {
                        least = t;
                        best = Some((scale(zip(oc, scale(d, t), |a, b| a + b), 1.0 / s.1), s));
                    }
                }
                let Some((n, s)) = best else {
                    let sky = 0.5 * (d[1] + 1.0);
                    image.push([sky * w, sky * w, w]);
                    continue 'pixel;
                };
                o = zip(o, scale(d, least), |a, b| a + b);
                match s.2 {
                    2 => {
                        image.push(scale(s.3, w));
                        continue 'pixel;
                    }
                    0 if n[1] < 0.0 => {
                        image.push([0.1 * (s.3[0] * w); 3]);
                        continue 'pixel;
                    }
                    0 => {
                        w *= s.3[0];
                        d = n;
                    }
                    _ => {
                        w *= s.3[0];
                        let k = 2.0 * dot(d, n);
                        d = zip(d, scale(n, k), |a, b| a - b);
                    }
                }
            }
            image.push([-0.0, -1.0, -0.0]);
        }
    }
    image
}

#[test]
fn spheres() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let (w, h) = (48, 32);
    let mut out = device.zeros::<Vec3>((w * h) as usize)?;
    render(&mut out, w, h).grid(w * h / 128).block(128).launch(&device)?;
    let got: Vec<V> = out.download()?.iter().map(|v| [v[0], v[1], v[2]]).collect();
    assert_eq!(got, reference(w, h));
    Ok(())
}
