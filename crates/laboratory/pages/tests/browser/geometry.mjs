// Runs in the page and lists texts that overlap, are cut off, or have too little contrast.
export function geometry() {
  const problems = [];
  const page = document.querySelector("section.page:not([hidden])");
  const shown = (one) => one.getClientRects().length > 0 && getComputedStyle(one).visibility !== "hidden";
  const name = (one) => JSON.stringify(one.textContent.trim().slice(0, 40));
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) problems.push(`the page is ${wide} px wide in a window of ${innerWidth} px`);

  // The box of a text without its slack above and below; boxes of turned texts are too large to compare.
  const box = (one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const slack = 0.18 * (bottom - top);
    return { left, right, top: top + slack, bottom: bottom - slack };
  };
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const turned = (one) => (one.getAttribute("transform") || "").includes("rotate");
  const compare = (texts, where) => {
    for (let i = 0; i < texts.length; i += 1)
      for (let j = i + 1; j < texts.length; j += 1)
        if (meet(box(texts[i]), box(texts[j]))) problems.push(`${where}: ${name(texts[i])} overlaps ${name(texts[j])}`);
  };
  for (const chart of page.querySelectorAll("svg.chart")) {
    if (!shown(chart)) continue;
    const texts = [...chart.querySelectorAll("text")].filter((one) => shown(one) && one.textContent.trim());
    compare(texts.filter((one) => !turned(one)), "chart");
    const frame = chart.getBoundingClientRect();
    for (const one of texts) {
      const at = one.getBoundingClientRect();
      if (at.left < frame.left - 1 || at.right > frame.right + 1 || at.top < frame.top - 2 || at.bottom > frame.bottom + 2) problems.push(`chart: ${name(one)} is cut off`);
    }
  }
  for (const bars of page.querySelectorAll(".bars")) {
    if (!shown(bars)) continue;
    compare([...bars.querySelectorAll(".bar-axis .tick")].filter(shown), "axis");
    for (const row of bars.querySelectorAll(".bar")) compare([...row.querySelectorAll(".bar-name, .bar-value")].filter(shown), "row");
  }
  for (const card of page.querySelectorAll(".card")) {
    if (!shown(card)) continue;
    const frame = card.getBoundingClientRect();
    for (const one of card.querySelectorAll(".bar-value, .bar-name, .tick, h2, h3, .chips li, .numbers dd, .keys li")) {
      if (!shown(one) || one.closest(".scroll, .listing-frame, .heat-frame, svg")) continue;
      const at = one.getBoundingClientRect();
      if (at.width > 1 && (at.left < frame.left - 1 || at.right > frame.right + 1)) problems.push(`card: ${name(one)} leaves it by ${Math.round(Math.max(frame.left - at.left, at.right - frame.right))} px`);
    }
  }

  // The contrast of texts with their background, by WCAG 2.
  const parse = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((part) => part / 255).map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)).reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const ground = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      const parts = parse(colour);
      if (colour.startsWith("color(")) return null;
      if (parts.length === 3 || parts[3] === 1) return parts;
      if (parts[3] > 0) return null;
    }
    return [255, 255, 255];
  };
  const seen = new Set();
  for (const one of page.querySelectorAll("p, dt, dd, li, td, th, h1, h2, h3, a, button, b, .note, .tick, .bar-value, .aside, .step, code, i, s, u")) {
    if (!shown(one) || !one.textContent.trim() || one.closest("svg")) continue;
    const colour = getComputedStyle(one).color;
    const under = ground(one);
    if (!under) continue;
    const key = colour + under;
    if (seen.has(key)) continue;
    seen.add(key);
    const [a, b] = [light(parse(colour)), light(under)];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) problems.push(`contrast ${contrast.toFixed(2)} of ${name(one)}: ${colour} on ${under}`);
  }
  return problems.slice(0, 12);
}
