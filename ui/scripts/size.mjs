// The budget of the page's script: what is loaded at once, compressed as a server would.

import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const BUDGET_KB = 90;
const built = new URL("../../src/bascule/web/static/", import.meta.url);
const page = readFileSync(new URL("index.html", built), "utf8");
const atOnce = readdirSync(new URL("assets/", built)).filter((name) => name.endsWith(".js") && page.includes(name));
const kb = atOnce.reduce((sum, name) => sum + gzipSync(readFileSync(new URL(`assets/${name}`, built))).length, 0) / 1024;
if (atOnce.length === 0 || kb > BUDGET_KB) {
  process.stderr.write(`the page loads ${kb.toFixed(1)} KB of script at once; ${BUDGET_KB} are allowed\n`);
  process.exit(1);
}
