// Plots, the doctor's report, and files to take away.

import { check, equal } from "./lib/check.mjs";

async function plot(bench) {
  const program = await bench.program("four-bar");
  const client = await bench.client(program);
  await client.click("tab-plots");
  await client.part("quantity-search").fill("A force");
  const name = "A.force.z";
  await client.page.locator(`[data-testid="quantity"][data-name="${name}"]`).click();
  await client.page.evaluate(() => window.holonom.app.show({ reactions: true }));
  await client.click("play");
  await client.until(
    (name) => {
      const { frame } = window.holonom.app;
      return frame.time > 0.5 && typeof frame.values[name] === "number" && frame.parts.reactions;
    },
    "the reaction in frames",
    name,
  );
  await client.page.locator('[data-testid="charts"] canvas').first().waitFor();
  await client.click("pause");
  await client.until(() => !window.holonom.app.frame.playing, "a pause");
  // the number that is plotted is the arrow that is drawn
  const { value, arrow } = await client.page.evaluate((name) => {
    const { frame, picture } = window.holonom.app;
    const k = picture.joints.findIndex((j) => j.name === "A");
    const { data, width } = frame.parts.reactions;
    return { value: frame.values[name], arrow: data[k * width + 5] };
  }, name);
  check(Math.abs(value - arrow) <= 1e-5 * Math.abs(value) && Math.abs(value) > 0.1, `plotted ${value} N, drawn ${arrow} N`);
  await client.shot("plot");

  const { time } = await client.frame();
  const csv = await client.context.request.get(new URL(await client.part("plots-csv").getAttribute("href"), client.page.url()).href);
  check(csv.ok(), `the table: ${csv.status()}`);
  const lines = (await csv.text()).trim().split("\n");
  check(lines[0].includes(name), `the head of the table is ${lines[0]}`);
  const last = lines.at(-1).split(",").map(Number);
  check(lines.length > 20 && Math.abs(last[0] - time) < 0.05, `${lines.length} lines up to ${last[0]} s of ${time} s`);
  bench.note(`${name} = ${value.toFixed(1)} N at ${time.toFixed(2)} s, ${lines.length - 1} lines of CSV`);
}

async function doctor(bench) {
  const program = await bench.program("door-3-hinges");
  const client = await bench.client(program);
  await client.click("tab-doctor");
  await client.part("doctor-rows").waitFor();
  const read = async (name) => Number(await client.part(name).textContent());
  equal([await read("doctor-rows"), await read("doctor-rank"), await read("doctor-mobility")], [15, 5, 1], "rows, rank, mobility");
  const sentences = await client.part("doctor-sentence").allTextContents();
  check(sentences.some((s) => /\b10\b/.test(s)), () => `nothing about 10 rows too many in: ${sentences.join(" | ")}`);
  await client.shot("doctor");
  const sentence = client.page.locator('button[data-testid="doctor-sentence"]', { hasText: /\b10\b/ });
  await sentence.click();
  const shown = await client.until(() => window.holonom.app.highlight.length > 0 && window.holonom.app.highlight, "something to be pointed out");
  const joints = (await client.picture()).joints.map((j) => `joint.${j.name}`);
  check(shown.every((path) => joints.includes(path)) && shown.length >= 3, `pointed out: ${shown}, joints: ${joints}`);
  equal(await sentence.getAttribute("aria-pressed"), "true", "the sentence is pressed");
  await client.shot("doctor-highlight");
  await sentence.click();
  await client.until(() => window.holonom.app.highlight.length === 0, "the end of it");
}

async function panels(bench) {
  const program = await bench.program("slider-crank");
  const client = await bench.client(program);
  await client.click("play");
  await client.until(() => window.holonom.app.frame.time > 0.3, "time to go on");
  // the ledger accounts for what the motor put in
  const ledger = await client.ask({ about: "ledger" });
  check(JSON.stringify(ledger).length > 50, "a ledger");
  await client.click("tab-energy");
  await client.until(() => /\d/.test(document.querySelector("#tab-energy").textContent), "numbers of energy");
  await client.shot("energy");
  await client.click("tab-matrix");
  await client.page.locator("#tab-matrix canvas, #tab-matrix svg").first().waitFor();
  await client.shot("matrix");
  for (const matrix of ["J", "H", "A", "L"]) {
    const spy = await client.ask({ about: "spy", matrix });
    check(spy && JSON.stringify(spy).length > 20, `the pattern of ${matrix}`);
  }
  await client.click("tab-inspect");
  await client.page.evaluate(() => window.holonom.app.select({ kind: "joint", name: "main" }));
  await client.until(() => document.querySelector("#tab-inspect").textContent.includes("main"), "the joint in the panel");
  await client.shot("inspect");
}

async function wrong(bench) {
  const program = await bench.program("pendulum");
  const client = await bench.client(program);
  // what a page may never say: each is answered by a sentence, none by silence or an end
  for (const text of ["", "{", "[]", "{}", '{"do":"fly"}', '{"do":"step"}', '{"do":"step","ticks":-1}', '{"do":"speed","factor":1e300}', '{"do":"grab","hand":1,"body":"nobody","point":[0,0,0],"cap":1}',
    '{"do":"move","hand":1,"to":[null,0,0]}', '{"do":"open","scene":"../../etc/passwd"}', '{"do":"open-text","name":"x.toml","text":"[body"}', `{"do":"watch","names":[${"[".repeat(100)}`]) {
    const said = await client.page.evaluate(
      ([text, url]) =>
        new Promise((resolve, reject) => {
          const socket = new WebSocket(url);
          const late = setTimeout(() => reject(new Error(`no answer to ${text.slice(0, 60)}`)), 15_000);
          socket.onmessage = ({ data }) => {
            if (typeof data !== "string") return;
            const reply = JSON.parse(data);
            if (reply.say === "welcome") socket.send(text);
            if (reply.say !== "error") return;
            clearTimeout(late);
            socket.onclose = null;
            socket.close();
            resolve(reply.message);
          };
          socket.onclose = () => resolve("closed");
        }),
      [text, program.url.replace("http", "ws").replace(/\?.*/, "socket")],
    );
    check(said.length > 5, `${text} was answered by ${said}`);
  }
  // and the page at hand is none the worse for it
  await client.click("play");
  await client.until(() => window.holonom.app.frame.tick > 5, "time to go on");
}

export default [
  { name: "a reaction is plotted, and is the one that is drawn", run: plot },
  { name: "the doctor's report points at what it speaks of", run: doctor },
  { name: "energy, matrices, what is selected", run: panels },
  { name: "nonsense is answered", run: wrong },
];
