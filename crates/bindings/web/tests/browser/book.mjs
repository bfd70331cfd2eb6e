// The examples of the documentation open in the page: each link of the built site (`scripts/book.sh`) holds its example, which compiles.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { check, open, ready, root } from "./lab.mjs";

/** The examples in CUDA C++ of a page; line numbers are not part of them. */
function examples(text) {
  const blocks = [...text.matchAll(/^```(?:cpp|c\+\+)\n([^]*?)^```$/gm)].map((found) => found[1]);
  return blocks.filter((block) => block.includes("__global__")).map((block) => {
    const lines = block.replace(/\n$/, "").split("\n");
    return lines.every((line) => /^\d+( |$)/.test(line)) ? lines.map((line) => line.replace(/^\d+ {0,2}/, "")).join("\n") : lines.join("\n");
  });
}

if (existsSync(join(root, "docs/book/en/index.html"))) {
  let all = 0;
  const page = await open();
  for (const language of ["en", "zh"]) {
    for (const file of readdirSync(join(root, "docs/src", language)).filter((name) => name.endsWith(".md"))) {
      const wanted = examples(readFileSync(join(root, "docs/src", language, file), "utf8"));
      if (wanted.length === 0) continue;
      const site = await open({ path: `book/${language}/${file.replace(/md$/, "html")}` });
      await site.waitForSelector("a.lab");
      const links = await site.locator("a.lab").evaluateAll((found) => found.map((one) => one.href));
      check(links.length === wanted.length, `${language}/${file}: ${links.length} links for ${wanted.length} examples`);
      await site.context().close();
      for (const [at, link] of links.entries()) {
        check(link.includes("/book/lab/#"), `${language}/${file}: a link to ${link.slice(0, 60)}`);
        await page.goto(link);
        await page.reload();
        await ready(page);
        const source = await page.evaluate(() => document.getElementById("editor").editor.text());
        check(source === wanted[at], `${language}/${file}, example ${at + 1}: the link has another text`);
        await page.waitForFunction(() => document.getElementById("what")?.options.length > 0);
        check((await page.locator(".cm-lintRange-error, .cm-lintPoint-error").count()) === 0, `${language}/${file}, example ${at + 1} does not compile`);
        all += 1;
      }
    }
  }
  check(all >= 10, `only ${all} examples have links`);
  await page.context().close();
} else {
  console.log("SKIPPED: the documentation is not built (scripts/book.sh), so its links were not followed");
}
