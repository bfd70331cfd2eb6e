// Looks at a report in a headless browser: node check.mjs REPORT.html EXPECTED.json CHROMIUM
// Prints each check that fails, and ends with status 1 if one did.
import { chromium } from "playwright-core";
import { readFileSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { geometry } from "./geometry.mjs";

const [file, expectedFile, executablePath] = process.argv.slice(2);
const expected = JSON.parse(readFileSync(expectedFile, "utf8"));
const url = pathToFileURL(file).href;
const failures = [];
let checks = 0;
const check = (holds, what) => { checks += 1; if (!holds) failures.push(what); };
const same = (found, wanted, what) => check(JSON.stringify(found) === JSON.stringify(wanted), `${what}: found ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`);

const browser = await chromium.launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--disable-component-update", "--disable-sync"] });

/** A page of its own browser context, whose console and requests are watched. */
async function open(route, { size = [1400, 900], dark = false, zh = false, scripts = true } = {}) {
  const context = await browser.newContext({ viewport: { width: size[0], height: size[1] }, colorScheme: dark ? "dark" : "light", locale: zh ? "zh-CN" : "en-US", javaScriptEnabled: scripts, hasTouch: size[0] < 500 });
  const page = await context.newPage();
  page.on("console", (message) => check(false, `console at ${route}: ${message.text()}`));
  page.on("pageerror", (error) => check(false, `error at ${route}: ${error.message}`));
  page.on("request", (request) => check(request.url().split("#")[0] === url || request.url().startsWith("data:"), `a request at ${route}: ${request.url()}`));
  await page.goto(url + (route ? "#" + route : ""));
  await page.waitForTimeout(60);
  return page;
}
const visible = (page, selector) => page.$$eval(selector, (all) => all.filter((one) => one.getClientRects().length > 0).length);
const hash = (page) => page.evaluate(() => decodeURIComponent(location.hash.slice(1)));

// The file.
check(statSync(file).size < 5_000_000, `the file has ${statSync(file).size} bytes`);

// Every page exists, and its charts have as many marks as the data.
const routes = await (async () => {
  const page = await open("summary");
  const found = await page.$$eval("section.page", (all) => all.map((one) => one.id));
  const twice = await page.evaluate(() => { const ids = [...document.querySelectorAll("[id]")].map((one) => one.id); return ids.filter((id, index) => ids.indexOf(id) !== index); });
  same(twice, [], "ids that are there twice");
  const nameless = await page.$$eval("button, a, input", (all) => all.filter((one) => !(one.textContent.trim() || one.getAttribute("aria-label"))).map((one) => one.outerHTML));
  same(nameless.filter((html) => !html.includes("checkbox")), [], "controls without a name");
  const unnamed = await page.$$eval("svg[role=img], g[role=img], svg[role=group]", (all) => all.filter((one) => !one.getAttribute("aria-label")).length);
  same(unnamed, 0, "drawings without a name");
  const jumps = await page.$$eval("section.page", (all) => all.filter((one) => {
    const levels = [...one.querySelectorAll("h1, h2, h3")].map((head) => Number(head.tagName[1]));
    return levels[0] !== 1 || levels.some((level, index) => index > 0 && level > levels[index - 1] + 1);
  }).map((one) => one.id));
  same(jumps, [], "pages whose headings leave a level out");
  await page.context().close();
  return found;
})();
for (const route of expected.routes) check(routes.includes(route), `there is no page ${route}`);
for (const climb of expected.climbs) {
  const page = await open("ladder/" + climb.ladder);
  const card = `section.page:not([hidden]) .card.climb[data-device="${climb.backend}"]`;
  same(await visible(page, card + " .bar"), climb.rungs, `${climb.ladder} on ${climb.backend}: rows`);
  same(await visible(page, card + " .bar .mark rect, " + card + " .bar .mark circle.dot") >= climb.figures, true, `${climb.ladder} on ${climb.backend}: bars or dots`);
  await page.context().close();
}
{
  const page = await open("roofline");
  same(await visible(page, "#roofline .card:first-of-type figure svg.roofline .mark"), expected.roofline, "marks under the roofs");
  const boxes = page.locator("#roofline .card").first().locator("input[type=checkbox]");
  await boxes.first().uncheck();
  check(await page.$$eval("#roofline .off", (all) => all.length) > 0, "a filter hides no marks");
  await boxes.first().check();
  same(await page.$$eval("#roofline .off", (all) => all.length), 0, "marks still hidden after the filter is off");
  await page.context().close();
}

// Hover, focus and the keyboard.
{
  const page = await open("ladder/" + expected.hover.ladder);
  const mark = page.locator("section.page:not([hidden]) .bar svg.mark").first();
  await mark.hover();
  const tip = await page.locator("#tip").innerText();
  for (const word of expected.hover.words) check(tip.includes(word), `the tip lacks ${word}: ${tip}`);
  const box = await page.locator("#tip").boundingBox();
  check(box.x >= 0 && box.y >= 0 && box.x + box.width <= 1400 && box.y + box.height <= 900, "the tip leaves the window");
  await page.mouse.move(5, 500);
  check(!(await page.locator("#tip").isVisible()), "the tip stays");
  await mark.focus();
  check(await page.locator("#tip").isVisible(), "focus shows no tip");
  const first = await page.locator("#tip b").innerText();
  await page.keyboard.press("ArrowDown");
  check((await page.locator("#tip b").innerText()) !== first, "the arrow does not go to the next mark");
  await page.keyboard.press("Escape");
  check(!(await page.locator("#tip").isVisible()), "Escape does not hide the tip");
  const outline = await page.locator("#side a").first().evaluate((link) => { link.focus(); return getComputedStyle(link).outlineStyle; });
  await page.keyboard.press("Tab");
  const focused = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  check(focused !== "none" || outline !== "none", "focus is not visible");
  await page.context().close();
}
{
  const page = await open("");
  same(await visible(page, "section.page"), 1, "pages shown at once");
  await page.keyboard.press("j");
  check((await hash(page)) === "roofline", "j does not open the next page: " + (await hash(page)));
  await page.keyboard.press("k");
  check((await hash(page)) === "summary", "k does not open the page before");
  await page.goBack();
  const back = await page.locator("#roofline").waitFor().then(() => true, () => false);
  check(back && (await hash(page)) === "roofline", "the browser's back button does not");
  await page.keyboard.press("/");
  check(await page.evaluate(() => document.activeElement.id === "filter"), "/ does not open the filter");
  await page.keyboard.type(expected.filter.text);
  same(await page.$$eval("#side li", (all) => all.filter((one) => one.getClientRects().length > 0).length), expected.filter.matches, "pages that the filter leaves");
  await page.keyboard.press("Enter");
  check((await hash(page)).includes(expected.filter.text), "Enter does not open what the filter found");
  await page.locator("#filter").fill("no such kernel");
  check(await page.locator(".none-found").isVisible(), "a filter without a match says nothing");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  check(await page.locator("#help").isVisible(), "? shows no help");
  await page.keyboard.press("Escape");
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await ground();
  await page.keyboard.press("d");
  check((await ground()) !== before, "d does not change the theme");
  await page.keyboard.press("l");
  same(await page.evaluate(() => document.documentElement.lang), "zh", "the language after l");
  same(await visible(page, ".en"), 0, "English texts that are shown in Chinese");
  check(/[\u4e00-\u9fff]/.test(await page.title()), "the title is not in Chinese");
  await page.locator("#language").click();
  same(await visible(page, ".zh"), 0, "Chinese texts that are shown in English");
  await page.locator("#theme").click();
  same(await ground(), before, "the ground after two changes of the theme");
  await page.context().close();
}

// Source and PTX: a source line highlights the PTX that it was compiled to.
if (expected.kernel) {
  const page = await open(expected.kernel.route);
  const here = "section.page:not([hidden]) ";
  same(await visible(page, here + "table.listing:not(.short) tbody tr[data-l]"), expected.kernel.lines, "counted lines of the source");
  await page.locator(here + `table.listing:not(.short) tr[data-l="${expected.kernel.line}"]`).first().hover();
  check(await page.$$eval(here + "table.short tr.lit", (all) => all.length) > 0, "no line of PTX lights up");
  same(await visible(page, here + ".access"), expected.kernel.accesses, "pictures of accesses");
  await page.locator(here + ".listings [role=tab]").nth(1).click();
  check(await page.locator(here + ".listings .callout").isVisible(), "without SASS the page does not say so");
  await page.context().close();
}

// Errors as a histogram, samples as another.
for (const [route, columns] of [["kernel/sgemm/tile-2d", expected.errors], ["samples", expected.samples]]) {
  const page = await open(route);
  same(await visible(page, "section.page:not([hidden]) svg.columns .mark"), columns, `columns of the histogram at ${route}`);
  await page.context().close();
}

// Tabs.
{
  const page = await open("ladder/" + expected.hover.ladder);
  const tabs = page.locator("section.page:not([hidden]) .card.climb").first().locator("[role=tab]");
  await tabs.nth(1).click();
  same(await tabs.nth(1).getAttribute("aria-selected"), "true", "the tab that was chosen");
  await page.keyboard.press("ArrowLeft");
  same(await tabs.nth(0).getAttribute("aria-selected"), "true", "the tab after an arrow");
  await page.context().close();
}

// Every page, wide and on a phone, light and dark, in both languages: nothing overlaps, is cut off or has too little contrast.
for (const [name, options] of [["wide", {}], ["wide in Chinese", { zh: true, dark: true }], ["phone", { size: [390, 844], dark: true }], ["phone in Chinese", { size: [390, 844], zh: true }]]) {
  const page = await open("summary", options);
  same(await page.evaluate(() => document.documentElement.lang), options.zh ? "zh" : "en", `the language of ${name}`);
  for (const route of routes) {
    await page.evaluate((to) => { location.hash = to; }, route);
    await page.waitForFunction((to) => { const one = document.getElementById(to); return one && !one.hidden; }, route);
    for (const problem of await page.evaluate(geometry)) check(false, `${name}, ${route}: ${problem}`);
    checks += 1;
  }
  await page.context().close();
}
{
  const page = await open("summary", { size: [390, 844] });
  check(!(await page.locator("#side").isVisible()), "on a phone the list of pages covers the page");
  await page.locator("#menu").click();
  check(await page.locator("#side").isVisible(), "on a phone the menu does not open");
  await page.locator('#side a[href="#roofline"]').click();
  // The page changes after the click, when the browser fires the event of the new address.
  const led = Promise.all([page.locator("#roofline").waitFor(), page.locator("#side").waitFor({ state: "hidden" })]);
  check(await led.then(() => true, () => false), "on a phone the menu leads nowhere");
  await page.context().close();
}

// Without scripts everything is there.
{
  const page = await open("", { scripts: false });
  for (const route of routes) check(await page.locator(`[id="${route}"] h1`).isVisible(), `without scripts ${route} is not shown`);
  await page.context().close();
}

await browser.close();
for (const failure of failures.slice(0, 60)) console.error("FAILED " + failure);
console.log(`${checks} checks, ${failures.length} failed`);
process.exit(failures.length > 0 ? 1 : 0);
