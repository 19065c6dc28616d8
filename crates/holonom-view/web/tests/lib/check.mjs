// Small helpers: what must hold, vectors, and what the screen looks like.

export function check(condition, message) {
  if (!condition) throw new Error(typeof message === "function" ? message() : message);
}

export function equal(found, wanted, what) {
  const [f, w] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (f !== w) throw new Error(`${what}: ${f}, not ${w}`);
}

export const minus = (a, b) => a.map((x, i) => x - b[i]);
export const plus = (a, b) => a.map((x, i) => x + b[i]);
export const times = (a, s) => a.map((x) => x * s);
export const length = (a) => Math.hypot(...a);
export const distance = (a, b) => length(minus(a, b));
export const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

/** A point of a body, in the world: `q` is x, y, z, w. */
export function place({ at, turn: [x, y, z, w] }, point) {
  const [px, py, pz] = point;
  const [tx, ty, tz] = [2 * (y * pz - z * py), 2 * (z * px - x * pz), 2 * (x * py - y * px)];
  return plus(at, [px + w * tx + y * tz - z * ty, py + w * ty + z * tx - x * tz, pz + w * tz + x * ty - y * tx]);
}

/** The canvas of the view is not blank: a screenshot of it has many colours. */
export async function notBlank(client, what) {
  const canvas = client.page.locator("#view canvas").first();
  const png = await canvas.screenshot({ timeout: 30_000 });
  // let the browser itself decode the picture, in a page of its own that no policy binds
  const helper = await client.context.newPage();
  try {
    const colours = await helper.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext("2d");
      context.drawImage(bitmap, 0, 0);
      const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      const counts = new Map();
      for (let i = 0; i < data.length; i += 4) {
        const key = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      return { different: counts.size, most: Math.max(...counts.values()) / (data.length / 4) };
    }, png.toString("base64"));
    check(colours.different > 20 && colours.most < 0.999, () => `${what}: the view is blank: ${JSON.stringify(colours)}`);
    return colours;
  } finally {
    await helper.close();
  }
}
