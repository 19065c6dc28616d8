// The program under test: started with `view`, its address read from what it prints, stopped at the end; and plain runs of the command.

import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** The binary: set by the runner. */
const binary = () => {
  const path = process.env.HOLONOM;
  if (!path) throw new Error("HOLONOM must name the holonom binary");
  return path;
};

/** A running `holonom view`. */
export class Program {
  /** Start it on a scene (a file, a gallery name, or nothing) and wait until it says where it is. */
  static async start(scene, { port = 0, env = {}, timeout = 30_000 } = {}) {
    const program = new Program();
    await program.launch(scene, port, env, timeout);
    return program;
  }

  async launch(scene, port, env, timeout) {
    const args = ["view", ...(scene ? [scene] : []), "--no-open", "--port", String(port)];
    this.scene = scene;
    this.child = spawn(binary(), args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
    this.said = "";
    this.exit = new Promise((resolve) => this.child.once("exit", (code, signal) => resolve({ code, signal })));
    this.url = await new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no address after ${timeout} ms; it said:\n${this.said}`)), timeout);
      const hear = (chunk) => {
        this.said += chunk;
        const found = this.said.match(/http:\/\/\S+/);
        if (found) {
          clearTimeout(late);
          resolve(found[0]);
        }
      };
      this.child.stdout.setEncoding("utf8").on("data", hear);
      this.child.stderr.setEncoding("utf8").on("data", (chunk) => (this.said += chunk));
      this.child.once("error", reject);
      this.child.once("exit", (code) => reject(new Error(`the program ended with ${code}; it said:\n${this.said}`)));
    });
    this.port = Number(new URL(this.url).port);
  }

  /** Ask it to stop, as Ctrl-C does; gives its exit code. */
  async stop() {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill("SIGINT");
    const late = setTimeout(() => this.child.kill("SIGKILL"), 10_000);
    const { code } = await this.exit;
    clearTimeout(late);
    return code;
  }

  /** End it without a word, as a power cut does. */
  async kill() {
    this.child.kill("SIGKILL");
    await this.exit;
  }
}

/** Run the command to its end: `{ code, stdout, stderr }`. */
export async function command(args, options = {}) {
  try {
    const { stdout, stderr } = await promisify(execFile)(binary(), args, { maxBuffer: 1 << 28, ...options });
    return { code: 0, stdout, stderr };
  } catch (e) {
    if (typeof e.code !== "number") throw e;
    return { code: e.code, stdout: e.stdout, stderr: e.stderr };
  }
}

/** Do something with a folder that is removed afterwards. */
export async function withFolder(work) {
  const folder = await mkdtemp(join(tmpdir(), "holonom-page-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
