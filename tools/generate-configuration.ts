/** Writes docs/reference/configuration.md from the settings of config.ts. A test compares the file with what this makes. */
import { writeFile } from "node:fs/promises";
import { configurationPage } from "./docs/configuration.ts";

await writeFile(new URL("../docs/reference/configuration.md", import.meta.url), configurationPage());
