//! Nearest and linear filtering, addressing modes, layered, 3D and cube textures, formats, gathers, surfaces.

use crate::textures::common::{
    FLOAT, bytes_of, device, floats, image, module, numbers, reference_index, reference_linear, run,
};
use lanework_emulator::{
    AddressMode, Channel, FaultKind, ImageShape, LaunchConfig, Sampler, Texel,
};

#[test]
fn planes_are_read_by_every_mode_and_filter() {
    use AddressMode::*;
    let device = device();
    let values = numbers(7 * 5);
    let plane = image(&device, ImageShape::Plane, FLOAT, [7, 5, 1], 0, &bytes_of(&values));
    let places: Vec<[f32; 4]> = (0..256)
        .map(|i| [(i % 23) as f32 * 0.31 - 2.0, (i / 11) as f32 * 0.47 - 3.0, 0.0, 0.0])
        .collect();
    let sampled = module(
        "",
        "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {%f0, %f1}]; st.global.v4.f32 [%l2], {%f4, %f5, %f6, %f7};",
    );
    for linear in [false, true] {
        for normalized in [false, true] {
            for mode in [Clamp, Border, Wrap, Mirror] {
                if !normalized && matches!(mode, Wrap | Mirror) {
                    continue;
                }
                let address = [mode, Clamp, Clamp];
                let sampler = Sampler { address, linear, normalized, ..Sampler::default() };
                let handle = device.make_texture(plane, sampler).expect("a texture");
                let got = run(&device, &sampled, handle, &floats(&places)).expect("it runs");
                for (place, got) in places.iter().zip(got) {
                    let scale = if normalized { [7.0, 5.0] } else { [1.0, 1.0] };
                    let at = [f64::from(place[0]) * scale[0], f64::from(place[1]) * scale[1]];
                    let expected = if linear {
                        reference_linear(&values, [7, 5], at, [mode, Clamp])
                    } else {
                        let x = reference_index(at[0].floor() as i64, 7, mode);
                        let y = reference_index(at[1].floor() as i64, 5, Clamp);
                        x.zip(y).map_or(0.0, |(x, y)| values[y * 7 + x])
                    };
                    let got = f32::from_bits(got[0]);
                    let close = (got - expected).abs() <= 1e-5 * expected.abs().max(1.0);
                    assert!(
                        close,
                        "{mode:?} {linear} {normalized} {place:?}: {got}, not {expected}"
                    );
                }
            }
        }
    }
    let bad = Sampler { address: [Wrap; 3], ..Sampler::default() };
    assert!(
        device
            .make_texture(plane, bad)
            .expect_err("not normalized")
            .to_string()
            .contains("repeats")
    );
}

#[test]
fn the_border_has_the_color_of_the_sampler() {
    let device = device();
    let read = module(
        "",
        "tex.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {%f0}]; st.global.v4.f32 [%l2], {%f4, %f5, %f6, %f7};",
    );
    let line = image(&device, ImageShape::Line, FLOAT, [2, 1, 1], 0, &bytes_of(&[2.0, 4.0]));
    let border = [8f32, 1.0, 2.0, 3.0].map(f32::to_bits);
    let address = [AddressMode::Border; 3];
    let sampler = Sampler { address, linear: true, border, ..Sampler::default() };
    let handle = device.make_texture(line, sampler).expect("a texture");
    let places = floats(&[[-3.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]);
    let got = run(&device, &read, handle, &places).expect("it runs");
    assert_eq!(got[0], border);
    // The mean of the border and the first texel.
    assert_eq!([got[1][0], got[2][0]].map(f32::from_bits), [5.0, 3.0]);
}

#[test]
fn the_weight_of_a_linear_read_has_eight_bits() {
    let device = device();
    let line = image(&device, ImageShape::Line, FLOAT, [2, 1, 1], 0, &bytes_of(&[0.0, 256.0]));
    let sampler = Sampler { linear: true, ..Sampler::default() };
    let handle = device.make_texture(line, sampler).expect("a texture");
    let read = module(
        "",
        "tex.1d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%l0, {%f0}]; st.global.v4.f32 [%l2], {%f4, %f5, %f6, %f7};",
    );
    let places = [0.5, 0.5 + 1.0 / 256.0, 0.5 + 1.4 / 256.0, 0.5 + 1.6 / 256.0, 1.4999, 1.5];
    let inputs: Vec<[f32; 4]> = places.iter().map(|x| [*x, 0.0, 0.0, 0.0]).collect();
    let got = run(&device, &read, handle, &floats(&inputs)).expect("it runs");
    let got: Vec<f32> = got.iter().map(|words| f32::from_bits(words[0])).collect();
    assert_eq!(got, [0.0, 1.0, 1.0, 2.0, 256.0, 256.0]);
}

#[test]
fn lanes_of_a_warp_read_their_own_textures() {
    let device = device();
    let read = module(
        "",
        "mov.b64 %l4, {%r3, %r4}; tex.1d.v4.u32.s32 {%r5, %r6, %r7, %r8}, [%l4, {%r1}]; st.global.v4.b32 [%l2], {%r5, %r6, %r7, %r8};",
    );
    let texel = Texel { channel: Channel::Unsigned, bits: 32, channels: 1 };
    // Two images of one shape, and linear memory up to the end of its allocation.
    let handles: Vec<u64> =
        [(ImageShape::Line, 100u32), (ImageShape::Line, 200), (ImageShape::Linear, 300)]
            .into_iter()
            .map(|(shape, from)| {
                let values: Vec<u8> = (from..from + 4).flat_map(u32::to_le_bytes).collect();
                let image = image(&device, shape, texel, [4, 1, 1], 0, &values);
                device.make_texture(image, Sampler::default()).expect("a texture")
            })
            .collect();
    let inputs: Vec<[u32; 4]> = (0..32u32)
        .map(|lane| {
            let handle = handles[(lane % 3) as usize];
            [lane % 4, 0, handle as u32, (handle >> 32) as u32]
        })
        .collect();
    let got = run(&device, &read, 0, &inputs).expect("it runs");
    for (lane, texel) in (0..32u32).zip(got) {
        assert_eq!(texel[0], 100 * (lane % 3 + 1) + lane % 4, "lane {lane}");
    }
}

#[test]
fn formats_are_read_unchanged_or_as_floats() {
    let device = device();
    let read = module(
        "",
        "tex.1d.v4.u32.s32 {%r5, %r6, %r7, %r8}, [%l0, {%r1}]; st.global.v4.b32 [%l2], {%r5, %r6, %r7, %r8};",
    );
    let one = 1f32.to_bits();
    let texel = |channel, bits, channels| Texel { channel, bits, channels };
    let cases: [(Texel, &[u8], bool, [u32; 4]); 7] = [
        (texel(Channel::Unsigned, 8, 4), &[1, 255, 3, 4], false, [1, 255, 3, 4]),
        (texel(Channel::Signed, 8, 2), &[0xff, 0x7f], false, [u32::MAX, 127, 0, 1]),
        (texel(Channel::Unsigned, 8, 1), &[51], true, [0.2f32.to_bits(), 0, 0, one]),
        (texel(Channel::Signed, 8, 2), &[0x80, 0x7f], true, [(-1f32).to_bits(), one, 0, one]),
        (texel(Channel::Signed, 16, 1), &[1, 0x80], true, [(-1f32).to_bits(), 0, 0, one]),
        (
            texel(Channel::Float, 16, 2),
            &[0, 0x3c, 0, 0xc0],
            false,
            [one, (-2f32).to_bits(), 0, one],
        ),
        (texel(Channel::Unsigned, 32, 1), &[1, 2, 3, 4], false, [0x0403_0201, 0, 0, 1]),
    ];
    for (texel, bytes, as_float, expected) in cases {
        let line = image(&device, ImageShape::Line, texel, [1, 1, 1], 0, bytes);
        let sampler = Sampler { as_float, ..Sampler::default() };
        let handle = device.make_texture(line, sampler).expect("a texture");
        let got = run(&device, &read, handle, &[[0; 4]]).expect("it runs");
        assert_eq!(got, [expected], "{texel:?}");
    }
    // Out of range, linear memory gives 0 and an image its last texel.
    let values: Vec<u8> = (1..=4u32).flat_map(u32::to_le_bytes).collect();
    for (shape, outside) in [(ImageShape::Linear, 0), (ImageShape::Line, 4)] {
        let image = image(&device, shape, texel(Channel::Unsigned, 32, 1), [4, 1, 1], 0, &values);
        let handle = device.make_texture(image, Sampler::default()).expect("a texture");
        let got = run(&device, &read, handle, &[[2, 0, 0, 0], [9, 0, 0, 0]]).expect("it runs");
        assert_eq!([got[0][0], got[1][0]], [3, outside], "{shape:?}");
    }
}

#[test]
fn layers_volumes_and_cubes() {
    let device = device();
    let store = "st.global.v4.f32 [%l2], {%f4, %f5, %f6, %f7};";
    let four = "{%f4, %f5, %f6, %f7}";
    let values = numbers(3 * 2 * 6);
    let read = |shape, extent, layers, text: &str, inputs: &[[u32; 4]]| {
        let image = image(&device, shape, FLOAT, extent, layers, &bytes_of(&values));
        let handle = device.make_texture(image, Sampler::default()).expect("a texture");
        let got = run(&device, &module("", &format!("{text} {store}")), handle, inputs);
        let got = got.expect("it runs");
        got.iter().map(|words| f32::from_bits(words[0])).collect::<Vec<f32>>()
    };
    let f = f32::to_bits;
    let layered = format!("tex.a2d.v4.f32.f32 {four}, [%l0, {{%r1, %f1, %f2, %f2}}];");
    let inputs = [[0, f(0.5), f(0.5), 0], [2, f(2.5), f(1.5), 0], [99, f(1.5), f(0.5), 0]];
    let got = read(ImageShape::Plane, [3, 2, 1], 6, &layered, &inputs);
    assert_eq!(got, [values[0], values[2 * 6 + 5], values[5 * 6 + 1]]);
    let lines = format!("tex.a1d.v4.f32.f32 {four}, [%l0, {{%r1, %f1}}];");
    let got = read(ImageShape::Line, [3, 1, 1], 12, &lines, &[[4, f(1.5), 0, 0]]);
    assert_eq!(got, [values[4 * 3 + 1]]);
    let volume = format!("tex.3d.v4.f32.f32 {four}, [%l0, {{%f0, %f1, %f2, %f2}}];");
    let got = read(ImageShape::Volume, [3, 2, 6], 0, &volume, &[[f(1.5), f(1.5), f(4.5), 0]]);
    assert_eq!(got, [values[4 * 6 + 3 + 1]]);
    // A 2D image of one row counts as 1D; a 2D image of two rows does not.
    let line = format!("tex.1d.v4.f32.f32 {four}, [%l0, {{%f0}}];");
    let got = read(ImageShape::Plane, [36, 1, 1], 0, &line, &[[f(7.5), 0, 0, 0]]);
    assert_eq!(got, [values[7]]);
    let two = image(&device, ImageShape::Plane, FLOAT, [18, 2, 1], 0, &bytes_of(&values));
    let handle = device.make_texture(two, Sampler::default()).expect("a texture");
    let fault = run(&device, &module("", &format!("{line} {store}")), handle, &[[0; 4]]);
    assert_eq!(fault.expect_err("another shape").kind, FaultKind::Texture);
    // One texel of each face: +x, -x, +y, -y, +z, -z.
    let cube = format!("tex.cube.v4.f32.f32 {four}, [%l0, {{%f0, %f1, %f2, %f3}}];");
    let faces = [
        [3.0, 0.0, 0.0],
        [-3.0, 0.0, 0.0],
        [0.0, 3.0, 0.0],
        [0.0, -3.0, 0.0],
        [0.0, 0.0, 3.0],
        [0.0, 0.0, -3.0],
    ];
    let inputs: Vec<[u32; 4]> = faces.iter().map(|d| [f(d[0]), f(d[1]), f(d[2]), 0]).collect();
    let got = read(ImageShape::Cube, [1, 1, 1], 0, &cube, &inputs);
    assert_eq!(got, values[..6]);
    let corner = read(ImageShape::Cube, [2, 2, 1], 0, &cube, &[[f(1.0), f(0.9), f(0.8), 0]]);
    // On +x, s decreases with z, and t with y, so this is the first texel of the first row.
    assert_eq!(corner, [values[0]]);
}

#[test]
fn gathers_offsets_references_and_questions() {
    let device = device();
    let values = numbers(4 * 4);
    let plane = image(&device, ImageShape::Plane, FLOAT, [4, 4, 1], 0, &bytes_of(&values));
    let handle = device.make_texture(plane, Sampler::default()).expect("a texture");
    let place = floats(&[[2.0, 2.0, 0.0, 0.0]]);
    let at = |x: usize, y: usize| values[4 * y + x].to_bits();
    let store = "st.global.v4.f32 [%l2], {%f4, %f5, %f6, %f7};";
    let gather = format!(
        "tld4.r.2d.v4.f32.f32 {{%f4, %f5, %f6, %f7}}|%p0, [%l0, {{%f0, %f1}}]; @%p0 {store}"
    );
    let got = run(&device, &module("", &gather), handle, &place).expect("it runs");
    assert_eq!(got, [[at(1, 2), at(2, 2), at(2, 1), at(1, 1)]]);
    let offset = format!(
        "mov.b32 %r5, 1; mov.b32 %r6, -2; tex.level.2d.v4.f32.f32 {{%f4, _, %f6, %f7}}, [%l0, {{%f0, %f1}}], 0f00000000, {{%r5, %r6}}; mov.b32 %f5, 0; {store}"
    );
    let got = run(&device, &module("", &offset), handle, &place).expect("it runs");
    assert_eq!(got[0][0], at(3, 0));
    // A texture reference, alone and with a sampler of the module.
    let named = format!("tex.2d.v4.f32.f32 {{%f4, %f5, %f6, %f7}}, [image, {{%f0, %f1}}]; {store}");
    let sampled =
        format!("tex.2d.v4.f32.f32 {{%f4, %f5, %f6, %f7}}, [image, how, {{%f0, %f1}}]; {store}");
    let how = ".global .texref image; .global .samplerref how = { addr_mode_0 = clamp_to_border, filter_mode = linear, force_unnormalized_coords = 1 };";
    for (globals, body, expected) in [
        (".global .texref image; .global .texref unused;", named, at(2, 2)),
        (how, sampled, ((values[5] + values[6] + values[9] + values[10]) / 4.0).to_bits()),
    ] {
        let module = module(globals, &body);
        let program = device.load(&module).expect("the module loads");
        let unset = run(&device, &module, 0, &place).expect_err("no texture is set");
        assert_eq!(unset.kind, FaultKind::Texture, "{unset}");
        let (address, _) = program.variable("image").expect("the reference");
        device.write(address, &handle.to_le_bytes()).expect("in bounds");
        let input = device.allocate(16, "in").expect("memory");
        let out = device.allocate(16, "out").expect("memory");
        device.write(input, &place[0].map(u32::to_le_bytes).concat()).expect("in bounds");
        let arguments = [0, input, out].map(u64::to_le_bytes);
        let launch = LaunchConfig::new("k", [1, 1, 1], [1, 1, 1]);
        device.run(&program, &launch, &arguments.each_ref().map(|a| &a[..])).expect("it runs");
        let mut got = [0; 4];
        device.read(out, &mut got).expect("in bounds");
        assert_eq!(u32::from_le_bytes(got), expected);
    }
    let ask = "txq.width.b32 %r5, [%l0]; txq.height.b32 %r6, [%l0]; istypep.texref %p0, %l0; istypep.surfref %p1, %l0;
        selp.b32 %r7, 1, 0, %p0; selp.b32 %r8, 1, 0, %p1; st.global.v4.b32 [%l2], {%r5, %r6, %r7, %r8};";
    assert_eq!(run(&device, &module("", ask), handle, &place).expect("it runs"), [[4, 4, 1, 0]]);
}

#[test]
fn surfaces_are_loaded_stored_and_reduced() {
    let device = device();
    let words: Vec<u8> = (100..112u32).flat_map(u32::to_le_bytes).collect();
    let texel = Texel { channel: Channel::Unsigned, bits: 32, channels: 1 };
    let plane = image(&device, ImageShape::Plane, texel, [4, 3, 1], 0, &words);
    let handle = device.make_surface(plane).expect("a surface");
    let both = "suld.b.2d.b32.trap {%r5}, [%l0, {%r1, %r2}]; suld.b.2d.v2.b16.clamp {%h0, %h1}, [%l0, {%r1, %r2}];
        cvt.u32.u16 %r6, %h0; suld.b.2d.b32.zero {%r7}, [%l0, {400, %r2}]; suld.b.2d.b32.clamp {%r8}, [%l0, {400, -7}];
        st.global.v4.b32 [%l2], {%r5, %r6, %r7, %r8};";
    let got = run(&device, &module("", both), handle, &[[4, 2, 0, 0]]).expect("it runs");
    assert_eq!(got, [[109, 109, 0, 103]]);
    let change = "sust.b.2d.b32.trap [%l0, {%r1, %r2}], {%r3}; sust.b.2d.b32.zero [%l0, {-4, 0}], {7};
        sured.b.add.2d.u32.trap [%l0, {0, 0}], 5; sured.p.max.2d.s32.clamp [%l0, {3, 9}], 500; sust.p.2d.b32.trap [%l0, {1, 1}], {%r4};";
    run(&device, &module("", change), handle, &[[8, 0, 77, 88], [12, 0, 78, 88]]).expect("it runs");
    let mut bytes = vec![0; words.len()];
    device.read(plane.address, &mut bytes).expect("in bounds");
    let found: Vec<u8> = [110u32, 101, 77, 78, 104, 88, 106, 107, 108, 109, 110, 500]
        .into_iter()
        .flat_map(u32::to_le_bytes)
        .collect();
    assert_eq!(bytes, found);
    for text in [
        "suld.b.2d.b32.trap {%r5}, [%l0, {16, 0}];",
        "suld.b.2d.b32.trap {%r5}, [%l0, {2, 0}];",
        "suld.b.1d.b32.trap {%r5}, [%l0, {0}];",
        "suld.b.2d.b32.trap {%r5}, [%l1, {0, 0}];",
        "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%l0, {%f0, %f1}];",
    ] {
        let fault = run(&device, &module("", text), handle, &[[0; 4]]).expect_err(text);
        let outside = text.contains("{16, 0}");
        let kind = if outside { FaultKind::SurfacePlace } else { FaultKind::Texture };
        assert_eq!(fault.kind, kind, "{text}: {fault}");
    }
}

#[test]
fn a_misaligned_reduction_is_refused() {
    let device = device();
    let texel = Texel { channel: Channel::Unsigned, bits: 8, channels: 1 };
    let mut plane = image(&device, ImageShape::Plane, texel, [5, 3, 1], 0, &[0; 16]);
    plane.address += 1;
    let handle = device.make_surface(plane).expect("a surface of bytes may start anywhere");
    for place in ["trap [%l0, {0, 0}]", "clamp [%l0, {4, 0}]"] {
        let text = format!("sured.b.add.2d.u32.{place}, 5;");
        let fault = run(&device, &module("", &text), handle, &[[0; 4]]).expect_err("misaligned");
        assert_eq!(fault.kind, FaultKind::Texture, "{text}: {fault}");
        assert!(fault.to_string().contains("misaligned surface reduction"), "{fault}");
    }
}

#[test]
fn undefined_texture_forms_are_refused_at_their_entry() {
    let device = device();
    for text in [
        "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%l0, {%f0, %f1}], %f4;",
        "tex.2dms.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%l0, {%r1, %r2, %r3, %r4}];",
        "tex.2d.v4.f16.f32 {%h0, %h1, %h2, %h3}, [%l0, {%f0, %f1}];",
        "txq.channel_data_type.b32 %r0, [%l0];",
        "tld4.r.cube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%l0, {%f0, %f1, %f2, %f2}];",
    ] {
        let refused = device.load(&module("", text)).expect_err(text);
        assert!(refused.message.starts_with("unknown form of"), "{refused}");
    }
}
