//! Requests about programs with arrays, textures and surfaces.

use super::ask;
use serde_json::{Value, json};

fn run(source: &str) -> Value {
    ask(&json!({ "do": "run", "source": source, "check": true }))
}

/// The output of a program without findings and errors.
fn output(source: &str) -> String {
    let answer = run(source);
    assert_eq!((&answer["findings"], &answer["exit"]), (&json!([]), &json!(0)), "{answer}");
    answer["output"].as_str().expect("text").to_owned()
}

#[test]
fn a_texture_of_an_array_interpolates_and_clamps() {
    let source = r#"#include <cstdio>
__global__ void sample(cudaTextureObject_t image, float *to) {
    to[0] = tex2D<float>(image, 1.0f, 0.5f);
    to[1] = tex2D<float>(image, 1.5f, 1.5f);
    to[2] = tex2D<float>(image, -8.0f, 0.5f);
}
int main() {
    float texels[2][4] = {{1, 3, 5, 7}, {10, 30, 50, 70}}, *out, host[3];
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &format, 4, 2);
    cudaMemcpy2DToArray(array, 0, 0, texels, 16, 16, 2, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc reading = {};
    reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
    reading.filterMode = cudaFilterModeLinear;
    reading.readMode = cudaReadModeElementType;
    cudaTextureObject_t image = 0;
    cudaCreateTextureObject(&image, &resource, &reading, nullptr);
    cudaMalloc(&out, 12);
    sample<<<1, 1>>>(image, out);
    cudaMemcpy(host, out, 12, cudaMemcpyDeviceToHost);
    printf("%g %g %g\n", host[0], host[1], host[2]);
    cudaDestroyTextureObject(image);
    cudaFreeArray(array);
    cudaFree(out);
    return cudaGetLastError();
}
"#;
    assert_eq!(output(source), "2 30 1\n");
}

#[test]
fn a_surface_writes_an_array_that_is_copied_back() {
    let source = r#"#include <cstdio>
__global__ void mark(cudaSurfaceObject_t surface, int width) {
    int x = threadIdx.x, y = threadIdx.y;
    int old;
    surf2Dread(&old, surface, x * 4, y);
    surf2Dwrite(old + 100 * y + x, surface, x * 4, y);
}
int main() {
    int texels[6] = {1, 1, 1, 2, 2, 2}, back[6];
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    cudaMallocArray(&array, &format, 3, 2, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(array, 0, 0, texels, 12, 12, 2, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface = 0;
    cudaCreateSurfaceObject(&surface, &resource);
    mark<<<1, dim3(3, 2)>>>(surface, 3);
    cudaMemcpy2DFromArray(back, 12, array, 0, 0, 12, 2, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 6; i++) printf("%d ", back[i]);
    cudaDestroySurfaceObject(surface);
    return cudaFreeArray(array);
}
"#;
    assert_eq!(output(source), "1 2 3 102 103 104 ");
}

#[test]
fn linear_and_pitched_memory_volumes_and_mipmaps_are_textures() {
    let source = r#"#include <cstdio>
#include <vector>
__global__ void sample(cudaTextureObject_t line, cudaTextureObject_t plane, cudaTextureObject_t volume, cudaTextureObject_t levels, float *to) {
    to[0] = tex1Dfetch<float>(line, 5);
    to[1] = tex1Dfetch<float>(line, 99);
    to[2] = tex2D<float>(plane, 2.5f, 1.5f);
    to[3] = tex3D<float>(volume, 1.5f, 0.5f, 1.5f);
    to[4] = tex2DLod<float>(levels, 0.5f, 0.5f, 1.0f);
}
int main() {
    std::vector<float> line(64);
    for (int i = 0; i < 64; i++) line[i] = i;
    float *memory, *rows, *out, host[5];
    size_t pitch;
    cudaMalloc(&memory, 256);
    cudaMemcpy(memory, line.data(), 256, cudaMemcpyHostToDevice);
    cudaMallocPitch(&rows, &pitch, 16, 4);
    cudaMemcpy2D(rows, pitch, line.data(), 16, 16, 4, cudaMemcpyHostToDevice);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaTextureDesc reading = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = format;
    resource.res.linear.sizeInBytes = 256;
    cudaTextureObject_t texture[4];
    cudaCreateTextureObject(&texture[0], &resource, &reading, nullptr);
    resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = rows;
    resource.res.pitch2D.desc = format;
    resource.res.pitch2D.width = 4;
    resource.res.pitch2D.height = 4;
    resource.res.pitch2D.pitchInBytes = pitch;
    cudaCreateTextureObject(&texture[1], &resource, &reading, nullptr);
    cudaArray_t volume;
    cudaMalloc3DArray(&volume, &format, make_cudaExtent(2, 2, 2));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(line.data(), 8, 2, 2);
    copy.dstArray = volume;
    copy.extent = make_cudaExtent(2, 2, 2);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = volume;
    cudaCreateTextureObject(&texture[2], &resource, &reading, nullptr);
    cudaMipmappedArray_t levels;
    cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(2, 2, 0), 2);
    cudaArray_t level;
    cudaGetMipmappedArrayLevel(&level, levels, 1);
    float one = 42;
    cudaMemcpy2DToArray(level, 0, 0, &one, 4, 4, 1, cudaMemcpyHostToDevice);
    resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = levels;
    reading.normalizedCoords = 1;
    reading.maxMipmapLevelClamp = 1;
    cudaCreateTextureObject(&texture[3], &resource, &reading, nullptr);
    cudaMalloc(&out, 20);
    sample<<<1, 1>>>(texture[0], texture[1], texture[2], texture[3], out);
    cudaMemcpy(host, out, 20, cudaMemcpyDeviceToHost);
    printf("%g %g %g %g %g\n", host[0], host[1], host[2], host[3], host[4]);
    cudaFreeMipmappedArray(levels);
    return cudaGetLastError();
}
"#;
    assert_eq!(output(source), "5 0 6 5 42\n");
}

#[test]
fn wrong_arrays_and_textures_are_findings_at_their_calls() {
    let finding = |body: &str| {
        let source = format!(
            "int main() {{\n    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();\n    cudaArray_t array;\n    cudaResourceDesc resource = {{}};\n    cudaTextureDesc reading = {{}};\n    cudaTextureObject_t image;\n    float *memory, texels[64];\n    cudaMalloc(&memory, 256);\n    cudaMallocArray(&array, &format, 4, 2);\n    {body}\n    return 0;\n}}\n"
        );
        let answer = run(&source);
        assert_eq!(answer["findings"][0]["line"], 10, "{answer}");
        answer["findings"][0]["message"].as_str().expect("text").to_owned()
    };
    let outside =
        finding("cudaMemcpy2DToArray(array, 0, 1, texels, 16, 16, 2, cudaMemcpyHostToDevice);");
    assert_eq!(outside, "row 1 of plane 0 of this copy is outside of its array (error 1)");
    let freed = finding("cudaFreeArray(array); cudaFreeArray(array);");
    assert_eq!(freed, "this is not an array, or it was destroyed (error 400)");
    let three = finding("format.z = 32; format.y = 32; cudaMallocArray(&array, &format, 4, 2);");
    assert_eq!(three, "the description of this array is not valid (error 1)");
    let odd = finding(
        "resource.resType = cudaResourceTypeLinear; resource.res.linear.devPtr = memory + 1; resource.res.linear.desc = format; resource.res.linear.sizeInBytes = 64; cudaCreateTextureObject(&image, &resource, &reading, nullptr);",
    );
    assert!(odd.contains("which is not a multiple of 512"), "{odd}");
    let huge = finding("cudaMallocArray(&array, &format, 100000, 60000);");
    assert!(huge.contains("(error 2)"), "{huge}");
}

#[test]
fn the_example_with_a_texture_rotates_its_picture() {
    let rotated = output(include_str!("../../page/examples/rotate.cu"));
    assert_eq!(rotated.lines().count(), 28);
    assert!(rotated.contains("#@@@@") && rotated.lines().all(|line| line.len() == 64), "{rotated}");
}
