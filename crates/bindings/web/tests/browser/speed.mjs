// Speed, for docs/results: elapsed times in Chromium, with the module that the page chooses, in one thread and in all.
import { choose, open, press, text } from "./lab.mjs";

const page = await open();
const said = async (button) => {
  await press(page, button);
  return (await text(page, "#status")).replace(/^.*?; /, "");
};
for (const [name, button, what, more] of [
  ["fma", "#run", "FMA loop", {}],
  ["matmul", "#run", "tiled product of 256^3", {}],
  ["matmul", "#check", "checked tiled product of 256^3", {}],
  ["matmul", "#run", "tiled product of 512^3", { grid: "32x32", "argument-0": "rand:512x512", "argument-1": "rand:512x512:2", "argument-2": "zeros:512x512", "argument-3": "512" }],
]) {
  await choose(page, `example/${name}`);
  await page.waitForFunction((name) => document.getElementById("what")?.value.startsWith(name), name === "fma" ? "fma" : "matmul");
  await page.waitForTimeout(1500);
  for (const [id, value] of Object.entries(more)) await page.fill(`#${id}`, value);
  const most = Number(await page.getAttribute("#threads", "max").catch(() => 1)) || 1;
  for (const threads of most > 1 ? [1, most] : [1]) {
    if (most > 1) {
      if (!(await page.isVisible("#threads"))) await page.click("#fields summary");
      await page.fill("#threads", `${threads}`);
    }
    const runs = [];
    for (let run = 0; run < 5; run += 1) runs.push(await said(button));
    console.log(`${what}, at most ${threads} threads: ${runs.join(" | ")}`);
  }
}
await page.context().close();
