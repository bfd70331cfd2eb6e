// The page's state in the fragment of its address: JSON, deflated, in the alphabet of addresses.

async function through(bytes, stream) {
  const response = new Response(new Blob([bytes]).stream().pipeThrough(stream));
  return new Uint8Array(await response.arrayBuffer());
}

/** The fragment for a state. */
export async function packed(state) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return `code=${btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** The state of a fragment; `null` if it has none. */
export async function unpacked(fragment) {
  // Other sites link to a source without a form.
  const plain = /(?:^|&)source=([^&]+)/.exec(fragment);
  if (plain) {
    try { return { source: decodeURIComponent(plain[1]) }; } catch { return null; }
  }
  const found = /(?:^|&)code=([\w-]+)/.exec(fragment);
  if (!found) return null;
  try {
    const text = atob(found[1].replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(Uint8Array.from(text, (c) => c.charCodeAt(0)), new DecompressionStream("deflate-raw"));
    const state = JSON.parse(new TextDecoder().decode(bytes));
    return typeof state?.source === "string" ? state : null;
  } catch {
    return null;
  }
}
