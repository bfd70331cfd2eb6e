// A server of the page, a headless browser, and what the checks need of both. The arguments are those of check.mjs.
import { chromium } from "playwright-core";
import { createServer } from "node:http";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { extname, join } from "node:path";

const [folder, executablePath, shots] = process.argv.slice(2);
/** The root of the repository. */
export const root = fileURLToPath(new URL("../../../../../", import.meta.url));
export const failures = [];
let checks = 0;
export const count = () => checks;
export const check = (holds, what) => { checks += 1; if (!holds) failures.push(what); };
export const includes = (text, part, what) => check(text.includes(part), `${what}: \`${part}\` is not in: ${text.slice(0, 400)}`);
// A step that never succeeds ends the checks: what failed before it is the cause.
process.on("uncaughtException", (error) => { for (const failure of failures) console.log(failure); console.log(error.stack); process.exit(1); });
if (shots) mkdirSync(shots, { recursive: true });

// A server of files on this machine.
const kinds = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml", ".wasm": "application/wasm", ".webmanifest": "application/manifest+json" };
export const server = createServer((request, response) => {
  const name = decodeURIComponent(new URL(request.url, "http://x").pathname).replace(/^\//, "") || "index.html";
  try {
    // The site of the documentation has the page in its folder `lab`.
    const site = /^book\/(?!lab\/)(.*)$/.exec(name);
    const file = site ? join(root, "docs/book", site[1]) : join(folder, name.replace(/^book\/lab\//, "") || "index.html");
    const bytes = readFileSync(file);
    response.writeHead(200, { "content-type": kinds[extname(file)] ?? "application/octet-stream", "content-length": bytes.length });
    response.end(bytes);
  } catch {
    response.writeHead(404);
    response.end();
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
export const url = `http://127.0.0.1:${server.address().port}/`;
export const browser = await chromium.launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--disable-component-update", "--disable-sync"] });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export async function open({ size = [1400, 900], dark = false, zh = false, hash = "", context = null, path = "" } = {}) {
  context ??= await browser.newContext({ viewport: { width: size[0], height: size[1] }, colorScheme: dark ? "dark" : "light", locale: zh ? "zh-CN" : "en-US", hasTouch: size[0] < 500 });
  const page = await context.newPage();
  page.setDefaultTimeout(Number(process.env.LANEWORK_PAGE_TIMEOUT ?? 120_000));
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) check(false, `console: ${message.text()}`); });
  page.on("pageerror", (error) => check(false, `error: ${error.message}`));
  page.on("request", (request) => check(request.url().startsWith(url) || request.url().startsWith("data:") || request.url().startsWith("blob:"), `a request: ${request.url()}`));
  await page.goto(url + path + hash);
  if (!path) await ready(page);
  return page;
}
export const ready = (page) => page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
export const text = (page, selector = "#panel") => page.locator(selector).innerText();
export const choose = (page, name) => page.selectOption("#open", name);
export async function press(page, button) {
  await page.waitForFunction(() => !document.getElementById("run").disabled);
  await page.click(button);
  await page.waitForFunction(() => !document.getElementById("run").disabled && !document.getElementById("status").textContent.endsWith("…"));
}
export const tab = (page, name) => page.click(`#tab-${name}`);
export const shoot = async (page, name, options = {}) => { if (shots) await page.screenshot({ path: join(shots, `${name}.png`), ...options }); };
export async function accessible(page, what) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  for (const one of found.violations) check(false, `${what}: axe ${one.id}: ${one.nodes.slice(0, 3).map((node) => node.target.join(" ") + " " + node.failureSummary.replaceAll("\n", " ")).join(" | ")}`);
}
export const replace = (page, source) => page.evaluate((source) => { const { view } = document.getElementById("editor").editor; view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: source } }); }, source);
