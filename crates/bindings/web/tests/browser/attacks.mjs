// Strange programs, fields and links: each gets a clear message, and the page goes on.
import { accessible, check, choose, includes, open, press, ready, replace, shoot, text } from "./lab.mjs";

const page = await open();
const program = (body, head = "") => `#include <cstdio>\n#include <vector>\n${head}\nint main() {\n${body}\n}\n`;
const said = () => text(page, "#status");

// Programs.
await replace(page, program('std::vector<double> v(1ull << 33);'));
await press(page, "#run");
includes(await said(), "The program stopped", "an allocation that is too large");
await replace(page, program('for (int i = 0; i < 200000; i++) printf("line %d\\n", i);'));
await press(page, "#run");
includes(await text(page), "characters omitted", "long output");
check((await text(page)).length < 300_000, "long output is shown as a whole");
includes(await text(page), "line 199999", "the end of long output");
await replace(page, `int main() { return ${"1+".repeat(50_000)}1; }`);
await press(page, "#run");
check(/too deeply|exit code/.test((await said()) + (await text(page))), `a long expression: ${await said()}`);
await replace(page, program('printf("<img src=x onerror=alert(1)> 你好 🚀\\n");'));
await press(page, "#run");
includes(await text(page), "<img src=x onerror=alert(1)> 你好 🚀", "output is text");
await replace(page, program("int *x; cudaMalloc(&x, 4096); for (int i = 0; i < 10000; i++) f<<<8, 128>>>(x); printf(\"%d\\n\", cudaDeviceSynchronize());", "__global__ void f(int *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }"));
await press(page, "#run");
includes(await said(), "3,200,000 warp instructions", "10,000 launches");

// An endless loop of host code stops, also while the source is compiled; results of another source do not stay.
for (const wait of [0, 20, 400]) {
  await replace(page, program("volatile int x = 1; while (x) {}"));
  await page.click("#run");
  await page.waitForTimeout(wait);
  await page.click("#stop");
  await page.waitForFunction(() => document.getElementById("status").textContent === "Stopped");
}
await replace(page, "int main() { return ");
await press(page, "#run");
includes(await said(), "This does not compile", "half a program");
includes(await text(page), "No result yet", "results of another source");

// Fields.
await replace(page, "__global__ void k(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]; }\n");
await page.waitForFunction(() => document.getElementById("what")?.value === "k");
const right = { grid: "1", block: "32", shared: "0", "argument-0": "rand:32", "argument-1": "zeros:32", "argument-2": "32" };
for (const [id, value, part] of [["grid", "abc", "whole numbers"], ["grid", "-4", "whole numbers"], ["block", "0", "whole numbers"], ["block", "5000", "The kernel stopped"], ["shared", "-1", "whole number"], ["argument-0", "rand:99999999999", "is not memory"], ["argument-2", "1e99", "whole number of 32 bits"], ["argument-2", "<b>", "is not a number"]]) {
  for (const [other, good] of Object.entries(right)) await page.fill(`#${other}`, good);
  await page.fill(`#${id}`, value);
  await press(page, "#run");
  includes(await said(), part, `${id} ${value}`);
}
await page.fill("#grid", "x");
await press(page, "#run");
check(await page.evaluate(() => document.activeElement.id === "grid" && document.activeElement.getAttribute("aria-invalid") === "true"), "a wrong field has no focus");
await accessible(page, "a wrong field");
await page.context().close();

// Broken links open the page with its first example, or with as much of the form as is right.
const link = (state) => `#code=${Buffer.from(JSON.stringify(state)).toString("base64url")}`;
for (const hash of ["#code=%%%", "#code=AAAA", "#code=", link({ source: 5 }), "#source=%E0%A4%A", "#no/lesson", "#transpose/none", `#${"x".repeat(5000)}`]) {
  const other = await open({ hash });
  await press(other, "#run");
  includes(await text(other), "0 wrong elements", `a link ${hash.slice(0, 20)}`);
  await other.context().close();
}
const strange = await open();
const hash = await strange.evaluate(async () => {
  const state = { source: "__global__ void k(int *x, int n) { x[0] = n; }", lesson: 7, form: { what: 5, kernels: { k: null, other: { values: 3 } }, gpus: 9, memory: "much", instructions: null, arguments: {}, threads: -5 } };
  const bytes = await new Response(new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer();
  return `#code=${btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
});
await strange.goto("about:blank");
await strange.context().close();
const formed = await open({ hash });
await formed.waitForFunction(() => document.getElementById("what")?.value === "k");
await press(formed, "#run");
includes(await text(formed), "Memory after the launch", "a link with a strange form");
await formed.context().close();

// Only by the keyboard: skip to the editor, run, walk the tabs.
const keys = await open({ dark: true });
await keys.keyboard.press("Tab");
await keys.keyboard.press("Enter");
await keys.click("#editor .cm-content");
await keys.keyboard.press("Control+Enter");
await keys.waitForFunction(() => /wrong elements/.test(document.getElementById("panel")?.textContent ?? ""));
await keys.focus("#tab-output");
await keys.keyboard.press("ArrowRight");
check(await keys.evaluate(() => document.activeElement.id === "tab-findings"), "an arrow does not move to the next tab");
await keys.context().close();

// Offline in the middle of a run; the phone in English.
const phone = await open({ size: [390, 844] });
await phone.waitForFunction(() => document.documentElement.dataset.offline === "yes");
await phone.click("#run");
await phone.context().setOffline(true);
await phone.reload();
await ready(phone);
await choose(phone, "example/race");
await press(phone, "#check");
includes(await text(phone), "race:", "a check after a reload offline");
check((await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, "the page is wider than a phone");
await accessible(phone, "phone, English");
await shoot(phone, "phone-english", { fullPage: true });
await phone.context().close();
