// A plain server of files, as any static host is: no compression, no headers beyond the type. Every request is counted.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".bin": "application/octet-stream", ".css": "text/css; charset=utf-8", ".jpg": "image/jpeg", ".png": "image/png", ".svg": "image/svg+xml" };

export class FileServer {
  static async start(folder) {
    const files = new FileServer();
    files.requests = [];
    files.server = createServer(async (request, response) => {
      const { pathname } = new URL(request.url, "http://here");
      files.requests.push(pathname);
      const name = normalize(pathname.endsWith("/") ? `${pathname}index.html` : pathname);
      try {
        const bytes = await readFile(join(folder, name));
        response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream" }).end(bytes);
      } catch {
        response.writeHead(404).end("not here\n");
      }
    });
    await new Promise((resolve) => files.server.listen(0, "127.0.0.1", resolve));
    files.url = `http://127.0.0.1:${files.server.address().port}/`;
    return files;
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
