// Draws the accesses of one warp: the lanes in the 32-byte sectors of global memory, or in the banks of shared memory. Each cell tells
// its lanes, bytes and elements on hover and on focus.
import { el, ranges, rove, svg, tipped } from "./dom.js";
import { say, told } from "./words.js";

const LEFT = 96, WIDTH = 704, ROW = 22, CELL = 19;

/** The picture of an access, with its caption and its cost. */
export function drawAccess(access) {
  const heading = el("h3", {}, told(access.caption));
  const repeated = access.repeated > 1 ? ` ×${access.repeated}` : "";
  const cost = el("p", { className: access.optimal ? "good" : "over" }, told(access.cost) + repeated);
  if (!access.picture) return el("figure", {}, heading, cost);
  const drawing = access.space === "shared" ? banks(access) : sectors(access);
  const keys = access.space === "shared" ? [["bank", "bank_ok"], ["conflict", "bank_bad"]] : [["used", "used"], ["wasted", "wasted"], ["free", "free"]];
  const key = el("ul", { className: "key" }, keys.map(([color, text]) => el("li", {}, el("span", { className: `swatch ${color}` }), say(text))));
  const more = access.picture.more > 0 ? el("p", { className: "faint" }, `+ ${access.picture.more} ${say("more")}`) : null;
  rove(drawing, ".cell");
  return el("figure", {}, heading, cost, el("div", { className: "drawing" }, drawing), key, more);
}

function frame(rows, label, ...children) {
  return svg("svg", { viewBox: `0 0 ${LEFT + WIDTH + 8} ${rows * ROW + 4}`, role: "group", "aria-label": label }, children);
}

const text = (x, y, content, anchor, className = "") => svg("text", { x, y, "font-size": 11, "text-anchor": anchor, class: className }, content);

/** The element of an array at an offset, if the access has the size of one. */
function place(access, offset) {
  const name = access.allocation || access.space;
  return `${name} + ${offset} B (${say("element")} ${Math.floor(offset / access.bytes)})`;
}

function sectors(access) {
  const parts = [];
  const width = WIDTH / 4 - 2;
  access.picture.lines.forEach(({ offset, sectors }, row) => {
    const y = row * ROW;
    parts.push(text(LEFT - 8, y + 14, `+${offset} B`, "end", "faint"));
    sectors.forEach(({ lanes, bytes }, index) => {
      const x = LEFT + index * (width + 2);
      const cell = svg("g", { class: "cell", role: "img" }, svg("rect", { x, y, width, height: CELL, class: lanes.length ? "wasted" : "free" }));
      for (let byte = 0; byte < 32; byte += 1) {
        if (((bytes >>> byte) & 1) === 0) continue;
        let end = byte;
        while (end < 31 && (bytes >>> (end + 1)) & 1) end += 1;
        cell.append(svg("rect", { x: x + (width * byte) / 32, y, width: (width * (end - byte + 1)) / 32, height: CELL, class: "used" }));
        byte = end;
      }
      if (lanes.length) cell.append(text(x + width / 2, y + 14, lanes.length > 12 ? `${lanes.length} ${say("lanes")}` : ranges(lanes), "middle"));
      const count = [...Array(32).keys()].filter((byte) => (bytes >>> byte) & 1).length;
      const list = lanes.slice(0, 4).map((lane) => `${say("lane")} ${lane}: ${place(access, access.offsets[lane])}`);
      const rest = lanes.length > 4 ? [`… ${ranges(lanes)}`] : [];
      parts.push(tipped(cell, [`+${offset + 32 * index} B: ${count}/32 B`, ...list, ...rest].join("\n")));
    });
  });
  return frame(access.picture.lines.length, told(access.caption), parts);
}

function banks(access) {
  const parts = [text(LEFT - 8, 14, say("bank"), "end", "faint")];
  const width = WIDTH / 32;
  const { rows, wavefronts } = access.picture;
  for (let bank = 0; bank < 32; bank += 1) parts.push(text(LEFT + width * (bank + 0.5), 14, `${bank}`, "middle", "faint"));
  rows.forEach(({ row, banks }, index) => {
    const y = (index + 1) * ROW;
    parts.push(text(LEFT - 8, y + 14, `${row * 128} B`, "end", "faint"));
    banks.forEach((lanes, bank) => {
      const kind = lanes.length === 0 ? "free" : wavefronts[bank] > 1 ? "conflict" : "bank";
      const cell = svg("g", { class: "cell", role: "img" }, svg("rect", { x: LEFT + width * bank, y, width: width - 2, height: CELL, class: kind }));
      if (lanes.length) cell.append(text(LEFT + width * (bank + 0.5) - 1, y + 14, lanes.length === 1 ? `${lanes[0]}` : `${lanes.length}x`, "middle"));
      parts.push(tipped(cell, `${say("bank")} ${bank}: ${wavefronts[bank]} ${say("wavefronts")}\n${lanes.length ? `${say("lanes")} ${ranges(lanes)}` : "-"}\n${row * 128 + 4 * bank} B`));
    });
  });
  const y = (rows.length + 1) * ROW;
  parts.push(text(LEFT - 8, y + 14, say("wavefronts"), "end", "faint"));
  wavefronts.forEach((count, bank) => { if (count > 0) parts.push(text(LEFT + width * (bank + 0.5), y + 14, `${count}`, "middle", count > 1 ? "over" : "")); });
  return frame(rows.length + 2, told(access.caption), parts);
}
