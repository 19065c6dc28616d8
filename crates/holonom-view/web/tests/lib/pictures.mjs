// What scripts that take pictures have in common.

/** Wait until what is there now has been drawn. */
export async function drawn(client) {
  const before = await client.page.evaluate(() => window.holonom.view.cost.frames);
  await client.until(
    (before) => {
      window.holonom.view.invalidate();
      return window.holonom.view.cost.frames > before + 2;
    },
    "a drawing",
    before,
  );
}

/** So much simulated time, step by step: pictures are to look alike on fast and slow machines. */
export async function pass(client, seconds, ticks = 12) {
  const { tick } = await client.picture();
  for (let left = Math.round(seconds / tick); left > 0; left -= ticks) {
    const { time } = await client.frame();
    await client.send({ do: "step", ticks: Math.min(left, ticks) });
    await client.until((time) => window.holonom.app.frame.time > time, "a step", time);
  }
}
