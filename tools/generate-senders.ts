/** Writes docs/reference/senders.md from the senders' files. A test compares the file with what this makes. */
import { writeFile } from "node:fs/promises";
import { sendersPage } from "./docs/senders.ts";

await writeFile(new URL("../docs/reference/senders.md", import.meta.url), sendersPage());
