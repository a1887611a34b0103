/** Writes the picture of the modules into ARCHITECTURE.md. A test compares it with the imports. */
import { readFile, writeFile } from "node:fs/promises";
import { withPicture } from "./architecture/picture.ts";

const page = new URL("../ARCHITECTURE.md", import.meta.url);
await writeFile(page, withPicture(await readFile(page, "utf8")));
