// A server of static files for the tests, with the faults that they ask for.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";

const TYPES = {
  ".js": "text/javascript", ".html": "text/html", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm",
  ".json": "application/json", ".webmanifest": "application/manifest+json",
};

/** The page's folder. */
export const WEB = process.env.HIPPOLYTA_WEB ?? new URL("../../target/web", import.meta.url).pathname;

/**
 * Serves a folder on a free port. `override(path)` may give { status, type, body } or undefined; `requests` counts.
 */
export async function serve(folder = WEB, override = () => undefined, headers = {}) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    requests.push(pathname);
    const other = override(pathname);
    if (other) {
      response.writeHead(other.status ?? 200, { "content-type": other.type ?? "application/octet-stream", ...headers });
      response.end(other.body ?? "");
      return;
    }
    try {
      const path = join(folder, pathname.endsWith("/") ? `${pathname}index.html` : pathname);
      const body = await readFile(path);
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream", "content-length": body.length, ...headers });
      response.end(body);
    } catch {
      response.writeHead(404, { "content-type": "text/html", ...headers });
      response.end("<!doctype html><title>none</title>");
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`, requests,
    close: () => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); }),
  };
}
