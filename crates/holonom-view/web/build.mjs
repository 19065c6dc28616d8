// Bundles the page:
//
//     node build.mjs [OUT.html]                    one HTML file without any other, for the program that serves it
//     node build.mjs --site FOLDER ENGINE.wasm     the site: the page with its engine, for any host of files
//     node build.mjs --book FOLDER                 the scripts of the book in it alone
//
// The site is `index.html`, `engine.bin` (the engine, gzipped, so that hosts that compress nothing need not), `sw.js`, which keeps both in the browser for days without a
// network, `holonom.html`: page and engine in one file that opens from a disk, and `book`, whose pages `cargo xtask site` has written there.

import { build } from "esbuild";
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
  return `default-src 'none'; script-src 'self' 'wasm-unsafe-eval' ${all("script")}; style-src ${all("style")}; img-src data: blob:; connect-src 'self'; ` +
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

async function site(folder, engine) {
  const zipped = gzipSync(await readFile(engine), { level: 9 });
  const { script } = await bundle("src/site/engine.ts");
  const mark = '<!-- policy --><meta name="holonom-site" content="">';
  const index = withPolicy(await page(script, mark));
  const single = withPolicy(await page(script, mark, `<script type="text/plain" id="engine">${zipped.toString("base64")}</script>`));
  await mkdir(folder, { recursive: true });
  const pages = await book(folder);
  const hash = createHash("sha256").update(index).update(zipped);
  for (const name of pages) hash.update(name).update(await readFile(join(folder, name)));
  const version = hash.digest("hex").slice(0, 16);
  const worker = (await readFile(join(here, "src/site/sw.js"), "utf8")).replace("VERSION", version).replace('"BOOK"', pages.map((p) => JSON.stringify(p)).join(", "));
  const files = { "index.html": index, "engine.bin": zipped, "sw.js": worker, "holonom.html": single };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const size = (content) => `${(content.length / 1e6).toFixed(2)} MB`;
  console.log(`page ${size(gzipSync(index, { level: 9 }))} and engine ${size(zipped)} compressed; holonom.html, one file for a disk, ${size(single)}`);
}

if (process.argv[2] === "--site") await site(process.argv[3], process.argv[4]);
else if (process.argv[2] === "--book") await book(process.argv[3]);
else await writeFile(process.argv[2] ?? join(here, "page.html"), await page(""));
