import { readConnector } from "./files.ts";
import { createLines } from "./lines.ts";
import { startPhp } from "./php.ts";

// Runs a PHP connector: `main.ts <folder> <bytes of memory>`. It speaks docs/reference/connector-protocol.md.
const [folder = "", memory = ""] = process.argv.slice(2);
const lines = createLines(process.stdin);
const ended = await startPhp({ files: await readConnector(folder), memoryBytes: Number(memory), lines });
process.exit(ended);
