// The ladders as lessons, the programs of the course notes, and registers of steps.
import { accessible, check, choose, includes, open, press, replace, shoot, tab, text } from "./lab.mjs";

// A rung: the kernel of the rung before misses the goal, an own solution reaches it, and its counts are in the table.
{
  const page = await open({ size: [1280, 800] });
  await choose(page, "lesson/transpose/padded");
  await page.waitForFunction(() => document.getElementById("argument-2")?.value === "128");
  await page.waitForSelector("#rungs td");
  includes(await text(page, "#rungs"), "unpadded", "the rung before");
  const times = await page.locator("#rungs tr:last-child td").allInnerTexts();
  check(times.length === 2 && times.every((time) => /^[\d.]+ (µs|ms)$/.test(time)), `predicted times of two rungs: ${times}`);
  includes(await text(page, "#lesson"), "Transpose 5/5: padded", "the heading of a rung");
  includes(await text(page, "#lesson"), "bank conflicts ≤ 0", "the goal of a rung");
  await press(page, "#solve");
  includes(await text(page, "#verdict"), "bank conflicts", "a missed goal");
  const padded = await page.evaluate(() => document.getElementById("editor").editor.text().replace("tile[32][32]", "tile[32][40 - 7]"));
  await replace(page, padded);
  await press(page, "#solve");
  includes(await text(page, "#verdict"), "Solved", "a solved rung");
  await page.waitForSelector("#rungs td:nth-child(4)");
  const cells = await page.locator("#rungs tr", { hasText: "bank conflicts" }).locator("td").allInnerTexts();
  check(cells.length === 3 && cells[0] !== "0" && cells[1] === "0" && cells[2] === "0", `bank conflicts of three rungs: ${cells}`);
  check(/✓ 5\. padded/.test(await text(page, "#open")), "a solved rung has no mark in the menu");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check(wide <= 0, `a rung is ${wide} pixels wider than a screen of 1280`);
  await accessible(page, "a rung");
  await shoot(page, "rung");
  await page.context().close();
}

// Every rung's own kernel solves it, by the button that shows it; its link opens it. In Chinese, on a phone, in the dark.
{
  const page = await open({ size: [390, 844], zh: true, dark: true, hash: "#sum-squares/chunked" });
  includes(await text(page, "#lesson"), "平方和", "a ladder in Chinese");
  includes(await text(page, "#lesson"), "256 个线程", "an idea in Chinese");
  const names = await page.locator('#open option[value*="/"][value^="lesson/"]').evaluateAll((all) => all.map((one) => one.value).filter((value) => value.split("/").length === 3));
  check(names.length === 30, `${names.length} rungs`);
  for (const name of ["lesson/hello/threads", "lesson/sum-squares/tree-unrolled", "lesson/exact/kahan", "lesson/int-matmul/shared-tile"]) {
    await choose(page, name);
    await page.click("#solution");
    await press(page, "#solve");
    includes(await text(page, "#verdict"), "已完成", name);
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check(wide <= 0, `a rung is ${wide} pixels wider than a phone`);
  await accessible(page, "a rung on a phone");
  await shoot(page, "rung-phone", { fullPage: true });
  await page.context().close();
}

// The programs of the course notes.
{
  const page = await open();
  for (const [name, part] of [["hello", "Hello World from Thread (3, 1) in Block 1!"], ["sums", "tree in shared memory"], ["transpose", "tile without padding   right"], ["products", "integers, 4x4 a thread  right"]]) {
    await choose(page, `example/notes-${name}`);
    await press(page, "#check");
    includes(await text(page), "nothing to report", `findings of ${name}`);
    await tab(page, "output");
    includes(await text(page), part, `the output of ${name}`);
    check(!(await text(page)).includes("WRONG"), `${name} is wrong`);
  }
  await page.context().close();
}

// Registers of a step.
{
  const page = await open();
  await choose(page, "example/saxpy");
  await press(page, "#measure");
  await tab(page, "steps");
  const next = page.getByRole("button", { name: "Next", exact: true });
  let seen = "";
  for (let step = 0; step < 30 && !/fma/.test(seen); step += 1) { await next.click(); seen = await text(page); }
  includes(seen, "fma", "the text of an instruction");
  includes(await text(page, "#registers"), "writes", "the registers of a step");
  check((await page.locator("#registers tbody td").count()) > 64, "no values by lane");
  await accessible(page, "registers");
  await shoot(page, "registers");
  await page.context().close();
}
