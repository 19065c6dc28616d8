// Bundles the page into one HTML file without any other: node build.mjs [OUT.html]
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "page.html");

const result = await build({
  entryPoints: [join(here, "src/main.ts")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  write: false,
  outdir: "out",
  loader: { ".svg": "text" },
  legalComments: "none",
});
const script = result.outputFiles.find((f) => f.path.endsWith(".js")).text;
const style = result.outputFiles.find((f) => f.path.endsWith(".css"))?.text ?? "";
const shell = await readFile(join(here, "index.html"), "utf8");
// functions as replacements: a string would treat `$&` in the bundle as a pattern
const page = shell
  .replace("<!-- style -->", () => `<style>${style.replaceAll("</style", "<\\/style")}</style>`)
  .replace("<!-- script -->", () => `<script>${script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--")}</script>`);
await writeFile(out, page);
