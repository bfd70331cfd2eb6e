//! Mipmap levels by number and by gradient, with filters, bias and limits; sRGB colors.

use crate::textures::common::{
    FLOAT, bytes_of, device, floats, image, module, numbers, reference_index, reference_linear, run,
};
use lanework_emulator::{
    AddressMode, Channel, Emulator, FaultKind, Image, ImageShape, Mip, Sampler, Texel,
};

/// Creates a mipmap of `count` levels, each with different values; returns the levels and the values.
fn levels(
    device: &Emulator,
    shape: ImageShape,
    extent: [u32; 3],
    layers: u32,
    count: u32,
) -> Vec<(Image, Vec<f32>)> {
    (0..count)
        .map(|level| {
            let extent = extent.map(|extent| (extent >> level).max(1));
            let faces = if shape == ImageShape::Cube { 6 } else { 1 };
            let texels = extent.iter().product::<u32>() * layers.max(1) * faces;
            let values: Vec<f32> =
                numbers(texels as usize).iter().map(|n| n + 1000.0 * level as f32).collect();
            (image(device, shape, FLOAT, extent, layers, &bytes_of(&values)), values)
        })
        .collect()
}

fn mipmap(device: &Emulator, levels: &[(Image, Vec<f32>)], mip: Mip, linear: bool) -> u64 {
    let images: Vec<Image> = levels.iter().map(|(image, _)| *image).collect();
    let sampler = Sampler { linear, normalized: true, mip, ..Sampler::default() };
    device.make_mipmap(&images, sampler).expect("a texture")
}

/// The two levels to blend with their weights, by the guide: adds the bias, then clamps to the limits and the levels.
fn reference_levels(level: f64, mip: Mip, count: usize) -> [(usize, f64); 2] {
    let level = (level + f64::from(mip.bias)).max(mip.least.into()).min(mip.most.into());
    let level = level.clamp(0.0, (count - 1) as f64);
    if !mip.linear {
        return [((level + 0.5).floor() as usize, 1.0), (0, 0.0)];
    }
    let weight = (level.fract() * 256.0).round() / 256.0;
    [(level as usize, 1.0 - weight), ((level as usize + 1).min(count - 1), weight)]
}

#[test]
fn levels_are_chosen_by_number_bias_and_limits_and_filtered_between() {
    let device = device();
    let all = levels(&device, ImageShape::Plane, [8, 4, 1], 0, 4);
    let text = module(
        "",
        "tex.level.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {%f0, %f1}], %f2; st.global.v4.f32 [%l2], {%f4, %f5, %f6, %f7};",
    );
    let places: Vec<[f32; 4]> = (0..200)
        .map(|i| [(i % 17) as f32 / 16.0, (i % 11) as f32 / 10.0, i as f32 * 0.031 - 1.5, 0.0])
        .collect();
    for linear in [false, true] {
        for (least, most, bias) in
            [(0.0, 9.0, 0.0), (0.5, 2.25, 0.0), (0.0, 3.0, -0.75), (0.0, 0.0, 1.0)]
        {
            for filter in [false, true] {
                let mip = Mip { linear: filter, bias, least, most, anisotropy: 0 };
                let handle = mipmap(&device, &all, mip, linear);
                let got = run(&device, &text, handle, &floats(&places)).expect("it runs");
                for (place, got) in places.iter().zip(got) {
                    let of_level = |level: usize| {
                        let (image, values) = &all[level];
                        let size = [image.extent[0], image.extent[1]].map(i64::from);
                        let at = [0, 1].map(|d| f64::from(place[d]) * size[d] as f64);
                        if linear {
                            return f64::from(reference_linear(
                                values,
                                size,
                                at,
                                [AddressMode::Clamp; 2],
                            ));
                        }
                        let [x, y] = [0, 1].map(|d| {
                            reference_index(at[d].floor() as i64, size[d], AddressMode::Clamp)
                                .expect("clamped")
                        });
                        f64::from(values[y * size[0] as usize + x])
                    };
                    let chosen = reference_levels(place[2].into(), mip, all.len());
                    let expected: f64 =
                        chosen.iter().map(|(level, weight)| weight * of_level(*level)).sum();
                    let got = f64::from(f32::from_bits(got[0]));
                    assert!(
                        (got - expected).abs() <= 1e-4 * expected.abs().max(1.0),
                        "{mip:?} {linear} {place:?}: {got}, not {expected}"
                    );
                }
            }
        }
    }
    // Without a level, the level is 0 before bias and limits; integer coordinates can have a level, too.
    let store = "st.global.v4.f32 [%l2], {%f4, %f5, %f6, %f7};";
    let place = floats(&[[0.9, 0.9, 0.0, 0.0]]);
    for (text, mip, level) in [
        (
            "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {%f0, %f1}];",
            Mip { most: 3.0, ..Mip::default() },
            0,
        ),
        (
            "tex.base.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {%f0, %f1}];",
            Mip { least: 2.0, most: 3.0, ..Mip::default() },
            2,
        ),
        (
            "mov.b32 %r5, 1; tex.level.2d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%l0, {99, 99}], %r5;",
            Mip { most: 3.0, ..Mip::default() },
            1,
        ),
    ] {
        let handle = mipmap(&device, &all, mip, false);
        let got =
            run(&device, &module("", &format!("{text} {store}")), handle, &place).expect("it runs");
        assert_eq!(f32::from_bits(got[0][0]), *all[level].1.last().expect("a texel"), "{text}");
    }
}

#[test]
fn gradients_choose_the_level_by_the_longer_one() {
    let device = device();
    let f = f32::to_bits;
    let mip = Mip { linear: true, most: 9.0, ..Mip::default() };
    // Every level has one value, so a result identifies its level.
    let flat = |shape, extent, layers, count| {
        let mut all = levels(&device, shape, extent, layers, count);
        for (level, (image, values)) in all.iter_mut().enumerate() {
            values.fill(level as f32);
            device.write(image.address, &bytes_of(values)).expect("in bounds");
        }
        all
    };
    let store = "st.global.v4.f32 [%l2], {%f4, %f5, %f6, %f7};";
    let of = |all: &[(Image, Vec<f32>)], text: &str, input: [u32; 4]| {
        let handle = mipmap(&device, all, mip, false);
        let got = run(&device, &module("", &format!("{text} {store}")), handle, &[input])
            .expect("it runs");
        f32::from_bits(got[0][0])
    };
    let plane = flat(ImageShape::Plane, [64, 16, 1], 0, 7);
    let text = "tex.grad.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {0f3F000000, 0f3F000000}], {%f0, %f1}, {%f2, %f3};";
    // The gradient (3, 4) is 5 texels long, and (0, 2) is 2 texels.
    let got = of(&plane, text, [f(3.0 / 64.0), f(4.0 / 16.0), 0, f(2.0 / 16.0)]);
    assert!((got - 5f32.log2()).abs() < 1.0 / 256.0, "{got}");
    let got = of(&plane, text, [f(1.0 / 64.0), 0, 0, f(-8.0 / 16.0)]);
    assert_eq!(got, 3.0);
    // A zero gradient, and a large one.
    assert_eq!(of(&plane, text, [0; 4]), 0.0);
    assert_eq!(of(&plane, text, [f(100.0), 0, 0, 0]), 6.0);
    let line = flat(ImageShape::Line, [32, 1, 1], 3, 6);
    let text =
        "tex.grad.a1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {2, 0f3F000000}], {%f0}, {%f1};";
    assert_eq!(of(&line, text, [f(0.125), f(0.25), 0, 0]), 3.0);
    let volume = flat(ImageShape::Volume, [16, 16, 16], 0, 5);
    let text = "tex.grad.3d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {%f3, %f3, %f3, %f3}], {%f0, %f1, %f2, %f2}, {%f3, %f3, %f3, %f3};";
    let got = of(&volume, text, [f(1.0 / 16.0), f(2.0 / 16.0), f(2.0 / 16.0), 0]);
    assert!((got - 3f32.log2()).abs() < 1.0 / 256.0, "{got}");
    let cube = flat(ImageShape::Cube, [32, 32, 1], 0, 6);
    // On +x at (1, 0, 0), s is (1 - z) / 2, so 1/4 in z is 4 of 32 texels; a change of x has no effect.
    let text = "tex.grad.cube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {0f3F800000, 0f00000000, 0f00000000, %f3}], {%f0, %f1, %f2, %f2}, {%f3, %f3, %f3, %f3};";
    assert_eq!(of(&cube, text, [0, 0, f(0.25), 0]), 2.0);
    assert_eq!(of(&cube, text, [f(0.25), 0, 0, 0]), 0.0);
}

#[test]
fn the_number_of_levels_can_be_queried() {
    let device = device();
    let all = levels(&device, ImageShape::Plane, [8, 4, 1], 0, 3);
    let handle = mipmap(&device, &all, Mip::default(), false);
    let ask = "txq.num_mipmap_levels.b32 %r5, [%l0]; txq.level.width.b32 %r6, [%l0], %r1; txq.level.height.b32 %r7, [%l0], %r1; txq.num_samples.b32 %r8, [%l0];
        st.global.v4.b32 [%l2], {%r5, %r6, %r7, %r8};";
    let got = run(&device, &module("", ask), handle, &[[2, 0, 0, 0]]).expect("it runs");
    assert_eq!(got, [[3, 2, 1, 1]]);
    let fault = run(&device, &module("", ask), handle, &[[3, 0, 0, 0]]).expect_err("no such level");
    assert_eq!(fault.kind, FaultKind::Texture);
    // A level must have half the size of the previous one, and coordinates that are not normalized allow only one level.
    let images: Vec<Image> = all.iter().map(|(image, _)| *image).collect();
    let normalized = Sampler { normalized: true, ..Sampler::default() };
    assert!(device.make_mipmap(&[images[0], images[2]], normalized).is_err());
    assert!(device.make_mipmap(&images, Sampler::default()).is_err());
    assert!(device.make_mipmap(&[], normalized).is_err());
    // Anisotropic filtering is refused, but only by instructions with a gradient.
    let mip = Mip { anisotropy: 8, most: 2.0, ..Mip::default() };
    let handle = mipmap(&device, &all, mip, true);
    let place = [[0; 4]];
    let level = "tex.level.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {%f0, %f1}], %f2;";
    run(&device, &module("", level), handle, &place).expect("it runs");
    let gradient =
        "tex.grad.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {%f0, %f1}], {%f0, %f1}, {%f0, %f1};";
    let fault = run(&device, &module("", gradient), handle, &place).expect_err("refused");
    assert!(fault.to_string().contains("anisotropic"), "{fault}");
}

#[test]
fn colors_of_srgb_are_read_as_linear_ones_before_they_are_filtered() {
    let device = device();
    let texel = Texel { channel: Channel::Unsigned, bits: 8, channels: 4 };
    let line = image(
        &device,
        ImageShape::Line,
        texel,
        [2, 1, 1],
        0,
        &[0, 188, 10, 188, 255, 188, 10, 188],
    );
    let text = module(
        "",
        "tex.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {%f0}]; st.global.v4.f32 [%l2], {%f4, %f5, %f6, %f7};",
    );
    let sampler = Sampler { as_float: true, srgb: true, linear: true, ..Sampler::default() };
    let handle = device.make_texture(line, sampler).expect("a texture");
    let got = run(&device, &text, handle, &floats(&[[1.0, 0.0, 0.0, 0.0]])).expect("it runs")[0]
        .map(f32::from_bits);
    let linear = |c: f64| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    // The mean of black and white is linear in intensity; the fourth channel is not a color.
    let expected = [0.5, linear(188.0 / 255.0), linear(10.0 / 255.0), 188.0 / 255.0];
    for (got, expected) in got.iter().zip(expected) {
        assert!((f64::from(*got) - expected).abs() < 1e-6, "{got}, not {expected}");
    }
    let integers = Sampler { as_float: false, linear: false, ..sampler };
    assert!(device.make_texture(line, integers).is_err());
    let floats = image(&device, ImageShape::Line, FLOAT, [2, 1, 1], 0, &[0; 8]);
    assert!(device.make_texture(floats, Sampler { as_float: false, ..sampler }).is_err());
}
