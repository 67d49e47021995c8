// Builds the page into the package. `node build.mjs` needs `npm ci` once; nothing else needs node.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "src", "aesop", "studio", "page");
const npm = (name, file) => join(here, "node_modules", name, file);

mkdirSync(out, { recursive: true });
await build({
  entryPoints: [join(here, "src", "main.ts")],
  outfile: join(out, "studio.js"),
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome110", "firefox115", "safari16.4"],
  legalComments: "none", // they stand in licences.txt
});
await build({
  entryPoints: [join(here, "src", "studio.css")],
  outfile: join(out, "studio.css"),
  minify: true,
});
copyFileSync(join(here, "src", "index.html"), join(out, "index.html"));
copyFileSync(join(here, "src", "icon.svg"), join(out, "icon.svg"));
copyFileSync(
  npm("@fontsource-variable/inter", "files/inter-latin-wght-normal.woff2"),
  join(out, "inter.woff2"),
);

const licences = [
  ["three.js", npm("three", "LICENSE")],
  ["Inter, the typeface", npm("@fontsource-variable/inter", "LICENSE")],
].map(([name, path]) => `${name}\n\n${readFileSync(path, "utf8").trim()}\n`);
writeFileSync(join(out, "licences.txt"), licences.join("\n\n----\n\n"));

// What the page was built from: a test compares it with the sources.
const sources = ["package.json", "package-lock.json", "tsconfig.json", "build.mjs"];
sources.push(...readdirSync(join(here, "src")).map((name) => `src/${name}`));
const hash = createHash("sha256");
for (const name of sources.sort()) {
  const text = readFileSync(join(here, name), "utf8").replaceAll("\r\n", "\n");
  hash.update(`${name}\n${text}\n`);
}
writeFileSync(
  join(out, "built_from.json"),
  `${JSON.stringify({ sources_sha256: hash.digest("hex"), files: sources.length }, null, 2)}\n`,
);
const sizes = readdirSync(out).map((name) => [name, statSync(join(out, name)).size]);
for (const [name, size] of sizes) console.log(`${String(size).padStart(9)}  ${name}`);
console.log(`${String(sizes.reduce((sum, [, size]) => sum + size, 0)).padStart(9)}  in all`);
