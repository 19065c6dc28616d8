// What goes wrong, and what people get wrong: a program that is gone, time that stands still, work that is not saved, words where numbers belong.

import { check, equal } from "./lib/check.mjs";

const LOST = [/WebSocket connection to .* failed/, /ERR_CONNECTION_REFUSED/, /ERR_CONNECTION_RESET/, /ERR_EMPTY_RESPONSE/, /ERR_ABORTED/];

async function gone(bench) {
  const program = await bench.program("four-bar");
  const client = await bench.client(program);
  client.expected.push(...LOST);
  await client.click("play");
  await client.until(() => window.holonom.app.frame.playing, "time to go on");
  await program.kill();
  await client.until(() => window.holonom.app.connection === "lost", "the page to notice");
  // one question, one failure: a page that asks for ever answers nothing any more
  await client.page.evaluate(() => {
    const { app } = window.holonom;
    const ask = app.ask.bind(app);
    window.asked = 0;
    app.ask = (question) => {
      if (++window.asked > 200) return new Promise(() => {}); // the endless loop has been seen
      return ask(question);
    };
  });
  await client.click("tab-doctor");
  await client.page.getByText("The doctor has no answer").waitFor();
  await client.page.evaluate(() => new Promise((done) => setTimeout(done, 300)));
  check((await client.page.evaluate(() => window.asked)) <= 2, "the doctor was asked again and again");

  // nothing that asks the program for something can be pressed, and nothing is green
  const greyed = await client.page.evaluate(() => ["play", "step", "reset", "speed", "scrub", "mode-kinematic", "tool-drag", "cap"].filter((name) => !document.querySelector(`[data-testid="${name}"]`).closest("[inert]")));
  equal(greyed, [], "what can still be pressed");
  const green = await client.page.evaluate(() => document.querySelectorAll(".pill.good, .link.good").length);
  equal(green, 0, "what is still green");
  equal(await client.part("real-time").textContent(), "not connected", "the pace of time");
  await client.shot("lost");
}

/** Of the coupler, body frame, m. */
const MIDDLE = [0.24, 0, 0];

async function paused(bench) {
  const program = await bench.program("four-bar");
  const client = await bench.client(program);
  // dynamic: the page says what is missing
  const at = await client.seize("coupler", MIDDLE);
  await client.page.mouse.move(at.x + 40, at.y, { steps: 4 });
  await client.part("paused-hand").waitFor();
  equal((await client.frame()).tick, 0, "ticks while paused");
  await client.page.mouse.up();
  await client.part("paused-hand").waitFor({ state: "hidden" });
  await client.send({ do: "drive", joint: (await client.picture()).joints.find((j) => j.drive).name, on: false });
  // the others answer at once, and stand still again afterwards
  for (const mode of ["kinematic", "quasi-static"]) {
    await client.send({ do: "reset" });
    await client.send({ do: "mode", mode });
    await client.until((mode) => window.holonom.app.frame.mode === mode && window.holonom.app.frame.time === 0, `the mode ${mode}`, mode);
    const from = await client.seize("coupler", MIDDLE);
    const before = (await client.hands())[0].at;
    await client.page.mouse.move(from.x + 60, from.y, { steps: 6 });
    await client.until((before) => window.holonom.app.frame.hands.some((h) => Math.hypot(...before.map((x, i) => x - h.at[i])) > 0.02), `the coupler to follow (${mode})`, before);
    await client.page.mouse.up();
    await client.until(() => !window.holonom.app.frame.playing && window.holonom.app.frame.hands.length === 0, "time to stand still again");
  }
}

/** Change something, as somebody who builds does. */
async function change(client) {
  await client.send({ do: "edit", edit: { kind: "rename", path: "body.crank", name: "kurbel" } });
  await client.until(() => window.holonom.app.picture.can_undo, "a change");
}

async function choose(client, name) {
  await client.click("scene");
  await client.page.locator(`[data-testid="gallery-card"][data-scene="${name}"]`).click();
}

async function unsaved(bench) {
  const program = await bench.program("four-bar");
  const client = await bench.client(program);
  await change(client);
  await choose(client, "pendulum");
  await client.part("opening").waitFor();
  await client.shot("opening");
  await client.click("opening-cancel");
  equal((await client.picture()).name, "four-bar", "the scene after thinking again");
  await client.page.locator('[data-testid="gallery-card"][data-scene="pendulum"]').click();
  await client.click("opening-keep");
  await client.until(() => window.holonom.app.picture.name === "pendulum", "the other scene");
  // kept, and there again
  await client.click("scene");
  await client.part("kept-card").click();
  await client.until(() => window.holonom.app.picture.bodies.some((b) => b.name === "kurbel"), "what was kept");
  // what is unchanged is left without a question
  await choose(client, "pendulum");
  await client.until(() => window.holonom.app.picture.name === "pendulum", "the other scene at once");
  // thrown away where that is said
  await client.openScene("four-bar");
  await change(client);
  await choose(client, "pendulum");
  await client.click("opening-discard");
  await client.until(() => window.holonom.app.picture.name === "pendulum", "the other scene");
  await client.click("scene");
  equal(await client.part("kept-card").count(), 1, "what is kept");
  await client.click("kept-forget");
  equal(await client.part("kept-card").count(), 0, "what is kept after it was forgotten");
}

async function shared(bench) {
  const program = await bench.program("four-bar");
  const [one, two] = [await bench.client(program), await bench.client(program)];
  await two.until(() => window.holonom.app.frame.clients === 2, "two pages");
  await choose(two, "pendulum");
  check((await two.part("opening").textContent()).includes("Another page shows this scene too"), "what is asked");
  await two.click("opening-cancel");
  equal((await one.picture()).name, "four-bar", "the scene of the first page");
  await two.page.locator('[data-testid="gallery-card"][data-scene="pendulum"]').click();
  await two.click("opening-open");
  await one.until(() => window.holonom.app.picture.name === "pendulum", "the scene for everybody");
}

async function searching(bench) {
  const program = await bench.program("pendulum");
  const client = await bench.client(program);
  await client.click("tool-build");
  await client.click("build-tool-rod");
  await client.click("scene");
  await client.part("gallery-search").fill("slider-crank");
  await client.page.keyboard.press("Enter");
  await client.until(() => window.holonom.app.picture.name === "slider-crank", "the first scene that fits");
  // the tool of the last scene is not at work in this one
  equal(await client.page.evaluate(() => [window.holonom.app.tool, window.holonom.build.choice.item.do]), ["drag", "select"], "the tool and what it builds");
}

async function joints(bench) {
  const program = await bench.program("four-bar");
  const client = await bench.client(program);
  await client.still();
  // below the bearing of the rocker, beside all bodies
  const beside = () => {
    const { app, view } = window.holonom;
    for (const [k, joint] of app.picture.joints.entries()) {
      const near = view.pickJoints(...Object.values(view.project(place(k))).slice(0, 2), 2)[0];
      if (!near) continue;
      const { x, y } = view.project(near.world);
      for (let angle = 0; angle < 6.28; angle += 0.2) {
        const [px, py] = [x + 15 * Math.cos(angle), y + 15 * Math.sin(angle)];
        if (!view.pickBody(px, py, 0)) return { x: px, y: py, name: near.name, joint: joint.name };
      }
    }
    function place(k) {
      const { joints, bodies } = app.picture;
      const pose = joints[k].b < 0 ? joints[k].on_b.at : null;
      if (pose) return pose;
      const at = view.poses.toWorld(joints[k].b, joints[k].on_b.at);
      return [at.x, at.y, at.z];
    }
    return null;
  };
  // until the camera and the bodies are where they stay
  let place = null;
  for (let tries = 0; !place && tries < 50; tries++) {
    place = await client.page.evaluate(beside);
    if (!place) await client.page.waitForTimeout(100);
  }
  check(place, "a place beside a joint");
  const { x, y, name } = place;
  await client.page.mouse.click(x, y);
  await client.until(() => window.holonom.app.selection !== null, "something to be selected");
  const selection = await client.page.evaluate(() => window.holonom.app.selection);
  equal(selection.kind, "joint", `what is hit 15 px beside ${name}`);
}

async function numbers(bench) {
  const program = await bench.program("four-bar");
  const client = await bench.client(program);
  await client.page.evaluate(() => window.holonom.app.select({ kind: "body", name: "crank" }));
  await client.click("tab-inspect");
  const field = client.page.locator('[data-testid="edit-field"]').filter({ has: client.page.locator('input[aria-label="density"], input[aria-label="mass"]') }).first();
  const path = await field.getAttribute("data-path");
  const input = field.locator("input");
  const said = field.locator('[data-testid="edit-message"]');
  for (const nonsense of ["abc", "3 furlongs", "2*"]) {
    await input.fill(nonsense);
    await input.press("Enter");
    await client.page.waitForFunction((node) => node.textContent.length > 0, await said.elementHandle());
    check((await said.textContent()).length > 10, `what is said of ${nonsense}`);
    equal(await input.inputValue(), nonsense, "what was written stands, to be mended");
    check(!(await client.picture()).can_undo, `${nonsense} changed the scene`);
    await input.fill("");
    await client.page.evaluate((path) => document.querySelector(`[data-path="${path}"] [data-testid="edit-message"]`).replaceChildren(), path);
  }
  await input.fill("1000*(2 + 0.5)");
  await input.press("Enter");
  await client.until(() => window.holonom.app.picture.can_undo, "the expression to count");
  const details = await client.ask({ about: "details", path: path.split(".").slice(0, 2).join(".") });
  equal(details.fields.find((f) => f.path === path).value, 2500, "the value of the expression");
}

async function names(bench) {
  const program = await bench.program("slider-crank");
  const client = await bench.client(program);
  for (const [item, wanted] of [["download-scene", "slider-crank.toml"], ["download-csv", "slider-crank.csv"], ["download-inputs", "slider-crank.inputs.jsonl"]]) {
    const download = client.page.waitForEvent("download");
    await client.click("downloads");
    await client.click(item);
    equal((await download).suggestedFilename(), wanted, "the name of the file");
  }
}

const ROBOT = `<robot name="arm"><link name="base"/><link name="arm"><inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
<visual><geometry><mesh filename="arm.stl"/></geometry></visual></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>`;

async function meshes(bench) {
  const program = await bench.program("pendulum");
  const client = await bench.client(program);
  await client.click("scene");
  await client.part("gallery-file").setInputFiles({ name: "arm.urdf", mimeType: "text/xml", buffer: Buffer.from(ROBOT) });
  await client.until(() => window.holonom.app.picture.name === "arm.urdf", "the robot");
  const said = client.part("toast-warning");
  await said.waitFor();
  check((await said.textContent()).includes("arm.stl"), `the warning: ${await said.textContent()}`);
}

export default [
  { name: "the program is gone, and the doctor is asked", run: gone },
  { name: "dragging while time stands still", run: paused },
  { name: "another scene, and work that is not saved", run: unsaved },
  { name: "another scene, and another page", run: shared },
  { name: "Enter opens what was searched for, without the last tool", run: searching },
  { name: "a joint is hit beside its middle", run: joints },
  { name: "fields refuse words and take expressions", run: numbers },
  { name: "files are named after the scene", run: names },
  { name: "a robot without its meshes", run: meshes },
];
