// Threads: the page isolates itself by its service worker and then runs blocks in several threads; without isolation it runs one. Both compute
// the same.
import { browser, check, choose, includes, open, press, replace, tab, text } from "./lab.mjs";

const PRODUCT = `__global__ void product(const int *a, const int *b, int *c, int n) {
    __shared__ int s[16][16], t[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x, sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += s[threadIdx.y][i] * t[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
`;

/** A program with a sum by atomics, output of every block, and an endless loop behind a flag. */
const PROGRAM = `#include <cstdio>
__global__ void sum(unsigned long long *total, int n) {
    unsigned long long own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += i;
    atomicAdd(total, own);
    if (threadIdx.x == 0) printf("block %d\\n", blockIdx.x);
}
int main() {
    unsigned long long *total;
    cudaMallocManaged(&total, 8);
    *total = 0;
    for (int i = 0; i < 20; i++) sum<<<16, 128>>>(total, 100000);
    cudaDeviceSynchronize();
    printf("%llu\\n", *total);
    cudaFree(total);
}
`;

async function results(page) {
  const found = {};
  await replace(page, PRODUCT);
  await page.waitForFunction(() => document.getElementById("what")?.value === "product");
  for (const [id, value] of [["grid", "8x8"], ["block", "16x16"], ["argument-0", "rand:128x128"], ["argument-1", "rand:128x128:2"], ["argument-2", "zeros:128x128"], ["argument-3", "128"]]) await page.fill(`#${id}`, value);
  await press(page, "#run");
  found.product = await text(page);
  found.said = await text(page, "#status");
  await press(page, "#measure");
  await tab(page, "counts");
  found.counts = await text(page);
  await replace(page, PROGRAM);
  await press(page, "#run");
  found.program = await text(page);
  await press(page, "#check");
  found.findings = await text(page);
  return found;
}

const isolated = await open();
check(await isolated.evaluate(() => crossOriginIsolated), "the page is not isolated");
const many = await results(isolated);
check(/, [2-9]\d* threads/.test(many.said), `threads: ${many.said}`);
includes(many.program, "99999000000", "a sum by atomics");
includes(many.program, "block 0\nblock 1\nblock 2", "the order of the output");

// Stops with all threads, and starts again; a setting limits the threads.
await replace(isolated, "__global__ void f(volatile int *x) {\n    while (*x == 0);\n}\n");
await isolated.waitForFunction(() => document.getElementById("what")?.value === "f");
await isolated.fill("#grid", "64");
for (let stop = 0; stop < 5; stop += 1) {
  await isolated.click("#run");
  await isolated.waitForSelector("#stop:not([hidden])");
  await isolated.waitForTimeout(300);
  await isolated.click("#stop");
  await isolated.waitForFunction(() => document.getElementById("status").textContent === "Stopped");
}
await choose(isolated, "example/matmul");
await isolated.waitForFunction(() => document.getElementById("what")?.value === "matmul");
await isolated.click("#fields summary");
await isolated.fill("#threads", "1");
await press(isolated, "#run");
includes(await text(isolated, "#status"), ", 1 thread", "one thread");
await isolated.context().close();

// Without a service worker the page cannot isolate itself.
const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
await context.addInitScript(() => Object.defineProperty(Navigator.prototype, "serviceWorker", { value: undefined }));
const alone = await open({ context });
check(!(await alone.evaluate(() => crossOriginIsolated)), "the page is isolated without a service worker");
const one = await results(alone);
includes(one.said, ", 1 thread", "without isolation");
for (const part of ["product", "counts", "program", "findings"]) check(one[part] === many[part], `${part} differs between one and several threads: ${one[part].slice(0, 200)} | ${many[part].slice(0, 200)}`);
includes(await alone.locator("#fields output#threads").textContent(), "1 (", "the setting");
await context.close();
