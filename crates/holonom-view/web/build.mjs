// Bundles the page:
//
//     node build.mjs [OUT.html]                    one HTML file without any other, for the program that serves it
//     node build.mjs --site FOLDER ENGINE.wasm     the site: the page with its engine, for any host of files
//     node build.mjs --book FOLDER                 the scripts of the book in it alone
//
// The site is `index.html`, `engine.bin` (the engine, packed with LZMA: a third smaller than what hosts make of it), `sw.js`, which keeps both in the browser for days without a
// network, `holonom.html`: page and engine in one file that opens from a disk, and `book`, whose pages `cargo xtask site` has written there.

import { build } from "esbuild";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));

async function bundle(entry, define = {}) {
  const result = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    write: false,
    outdir: "out",
    define,
    loader: { ".svg": "text" },
    // the licences of what is bundled ask for their notices
    legalComments: "eof",
  });
  const text = (suffix) => result.outputFiles.find((f) => f.path.endsWith(suffix))?.text ?? "";
  return { script: text(".js"), style: text(".css") };
}

/** The page in one file. `head` and `body` are added to it. */
async function page(engineScript, head = "", body = "") {
  const { script, style } = await bundle("src/main.ts", { ENGINE_SCRIPT: JSON.stringify(engineScript) });
  const shell = await readFile(join(here, "index.html"), "utf8");
  // functions as replacements: a string would treat `$&` in the bundle as a pattern
  return shell
    .replace("<!-- style -->", () => `${head}<style>${style.replaceAll("</style", "<\\/style")}</style>`)
    .replace("<!-- script -->", () => `${body}<script>${script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--")}</script>`);
}

/** What the page of the site may do: run what stands in it, fetch the engine, and nothing else. */
function policy(html) {
  const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const all = (tag) => [...html.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, "g"))].map((m) => hash(m[1])).join(" ");
  return `default-src 'none'; script-src 'self' 'wasm-unsafe-eval' ${all("script")}; style-src ${all("style")}; img-src 'self' data: blob:; connect-src 'self'; ` +
    "worker-src 'self' blob:; base-uri 'none'; form-action 'none'";
}

const withPolicy = (html) => html.replace("<!-- policy -->", () => `<meta http-equiv="Content-Security-Policy" content="${policy(html)}">`);

/** Script and style of the book's pages; what the folder of the book holds then. */
async function book(folder) {
  const { script, style } = await bundle("src/book/book.ts");
  await mkdir(join(folder, "book"), { recursive: true });
  await writeFile(join(folder, "book/book.js"), script);
  await writeFile(join(folder, "book/book.css"), style);
  const entries = await readdir(join(folder, "book"), { recursive: true, withFileTypes: true });
  return entries.filter((e) => e.isFile()).map((e) => relative(folder, join(e.parentPath ?? e.path, e.name)).replaceAll("\\", "/")).sort();
}

/** Packed by the program `xz`, as `src/site/unpack.ts` reads it. */
function packed(bytes) {
  return new Promise((resolve, reject) => {
    const xz = spawn("xz", ["--format=lzma", "--lzma1=preset=9e,lc=4,lp=0,pb=0,nice=273", "--stdout"], { stdio: ["pipe", "pipe", "inherit"] });
    const pieces = [];
    xz.on("error", (e) => reject(new Error(`the engine could not be packed: xz: ${e.message}`)));
    xz.stdout.on("data", (piece) => pieces.push(piece));
    xz.on("close", (code) => (code === 0 ? resolve(Buffer.concat(pieces)) : reject(new Error(`xz ended with ${code}`))));
    xz.stdin.end(bytes);
  });
}

async function site(folder, engine) {
  const small = await packed(await readFile(engine));
  const { script } = await bundle("src/site/engine.ts");
  const mark = '<!-- policy --><meta name="holonom-site" content="">';
  const index = withPolicy(await page(script, mark));
  const single = withPolicy(await page(script, mark, `<script type="text/plain" id="engine">${small.toString("base64")}</script>`));
  await mkdir(folder, { recursive: true });
  const pages = await book(folder);
  const hash = createHash("sha256").update(index).update(small);
  for (const name of pages) hash.update(name).update(await readFile(join(folder, name)));
  const version = hash.digest("hex").slice(0, 16);
  const worker = (await readFile(join(here, "src/site/sw.js"), "utf8")).replace("VERSION", version).replace('"BOOK"', pages.map((p) => JSON.stringify(p)).join(", "));
  const files = { "index.html": index, "engine.bin": small, "sw.js": worker, "holonom.html": single };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const size = (content) => `${(content.length / 1e6).toFixed(2)} MB`;
  console.log(`page ${size(gzipSync(index, { level: 9 }))} and engine ${size(small)} compressed; holonom.html, one file for a disk, ${size(single)}`);
}

if (process.argv[2] === "--site") await site(process.argv[3], process.argv[4]);
else if (process.argv[2] === "--book") await book(process.argv[3]);
else await writeFile(process.argv[2] ?? join(here, "page.html"), await page(""));
