// Uses the page of the lab in a headless browser: node check.mjs FOLDER CHROMIUM [SCREENSHOTS]
// Prints each check that fails, and ends with status 1 if one did.
import { accessible, browser, check, choose, count, failures, includes, open, press, replace, server, shoot, tab, text } from "./lab.mjs";

// A program runs.
{
  const page = await open();
  await press(page, "#run");
  includes(await text(page), "z[99999] = 249998, 0 wrong elements", "the first program");
  await accessible(page, "output");
  await press(page, "#measure");
  includes(await text(page), "add, 391×1×1 × 256×1×1", "counters");
  check((await page.locator(".cm-heat .cm-gutterElement div").count()) > 0, "no heat next to the lines");
  await accessible(page, "counters");
  await shoot(page, "counts");
  await tab(page, "time");
  for (const gpu of ["H200", "RTX 4090", "A100"]) includes(await text(page), gpu, "predicted times");
  await accessible(page, "times");
  await shoot(page, "time");

  // A picture is hovered, and used by the keyboard.
  await tab(page, "accesses");
  const cell = page.locator(".drawing .cell").first();
  await cell.hover();
  includes(await page.locator("#tip").innerText(), "lane 0", "the tip of a picture");
  await page.mouse.move(5, 5);
  check(await page.locator("#tip").isHidden(), "the tip stays");
  await cell.focus();
  const before = await page.locator("#tip").innerText();
  await page.keyboard.press("ArrowRight");
  check((await page.locator("#tip").innerText()) !== before, "the arrow does not move to the next cell");
  await accessible(page, "accesses");
  await shoot(page, "accesses");

  // Steps.
  await tab(page, "steps");
  includes(await text(page), "step 1 of", "steps");
  await page.getByRole("button", { name: "Next", exact: true }).click();
  includes(await text(page), "step 2 of", "the next step");
  // The first instructions load parameters, which have no line.
  for (let step = 0; step < 20 && (await page.locator(".cm-here").count()) === 0; step += 1) await page.getByRole("button", { name: "Next", exact: true }).click();
  check((await page.locator(".cm-here").count()) === 1, "the line of a step is not marked");
  await accessible(page, "steps");
  await shoot(page, "steps");
  await page.context().close();
}

// A race is found, with notes next to its lines; problems appear while typing; an endless loop stops.
{
  const page = await open({ dark: true });
  await choose(page, "example/race");
  await press(page, "#check");
  includes(await text(page), "race:", "the race");
  check((await page.locator(".cm-found").count()) > 0 && (await page.locator(".cm-widget").count()) > 0, "no note next to the race");
  await accessible(page, "findings, dark");
  await shoot(page, "race-dark");
  await replace(page, "__global__ void f(float *x) {\n    x[0] = y;\n}\n");
  await page.waitForSelector(".cm-lintRange-error, .cm-lintPoint-error");
  await replace(page, "__global__ void f(volatile int *x) {\n    while (*x == 0);\n}\n");
  await page.waitForFunction(() => document.getElementById("what")?.value === "f");
  await page.click("#run");
  await page.waitForSelector("#stop:not([hidden])");
  await page.waitForTimeout(500);
  await page.click("#stop");
  await page.waitForFunction(() => document.getElementById("status").textContent === "Stopped");
  await choose(page, "example/life");
  await press(page, "#run");
  includes(await text(page), "#", "a run after a stop");
  await choose(page, "example/rotate");
  await press(page, "#check");
  includes(await text(page), "nothing to report", "a program with a texture");
  await tab(page, "output");
  includes(await text(page), "@@@", "a rotated picture");
  await page.context().close();
}

// Lessons: each fails unchanged; the first is solved.
{
  const page = await open();
  await choose(page, "lesson/bounds");
  await page.waitForFunction(() => document.getElementById("argument-0")?.value === "rand:1000");
  await press(page, "#solve");
  includes(await text(page, "#verdict"), "Not solved yet", "an unsolved lesson");
  const solved = await page.evaluate(() => document.getElementById("editor").editor.text().replace("    z[i] =", "    if (i < n) z[i] ="));
  await replace(page, solved);
  await press(page, "#solve");
  includes(await text(page, "#verdict"), "Solved", "a solved lesson");
  includes(await text(page), "nothing to report", "the findings of a solved lesson");
  check(!(await text(page, "#lesson")).includes("null"), "a lesson shows null");
  await accessible(page, "lesson");
  await shoot(page, "lesson");
  await page.context().close();
}

// A kernel by its form; two versions are compared.
{
  const page = await open();
  await choose(page, "example/transpose");
  await page.waitForFunction(() => document.getElementById("what")?.value === "transpose");
  await press(page, "#measure");
  await page.click("#keep");
  await page.selectOption("#what", "transpose_tiled");
  await press(page, "#measure");
  await tab(page, "compare");
  includes(await text(page), "global store: sectors", "the comparison");
  await accessible(page, "comparison");
  await shoot(page, "compare");

  // A link brings the state back.
  await page.click("#share");
  await page.waitForFunction(() => location.hash.startsWith("#code="));
  const hash = new URL(page.url()).hash;
  const other = await open({ hash });
  includes(await text(other, "#editor"), "transpose_tiled", "the code of a link");
  await other.context().close();
  await page.context().close();
}

// Offline: the page works after a reload without a network.
{
  const page = await open();
  await page.waitForFunction(() => document.documentElement.dataset.offline === "yes");
  await page.context().setOffline(true);
  await page.reload();
  await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
  await press(page, "#run");
  includes(await text(page), "0 wrong elements", "offline");
  await page.context().close();
}

// A phone in Chinese.
{
  const page = await open({ size: [390, 844], zh: true });
  await choose(page, "example/race");
  await press(page, "#check");
  includes(await text(page, "#tabs"), "问题", "tabs in Chinese");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check(wide <= 0, `the page is ${wide} pixels wider than a phone`);
  await accessible(page, "phone");
  await shoot(page, "phone", { fullPage: true });
  await page.context().close();
}

await import("./speed.mjs");
await import("./threads.mjs");
await import("./attacks.mjs");
await import("./lessons.mjs");
await import("./book.mjs");

await browser.close();
server.close();
for (const failure of failures) console.log(failure);
console.log(`${count()} checks, ${failures.length} failed`);
process.exit(failures.length > 0 ? 1 : 0);
