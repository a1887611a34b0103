import { readConnector } from "./files.ts";
import { createLines } from "./lines.ts";
import { startPhp } from "./php.ts";

// What a PHP connector runs in: `main.ts <folder> <bytes of memory>`. docs/reference/connector-protocol.md is what it speaks.
const [folder = "", memory = ""] = process.argv.slice(2);
const lines = createLines(process.stdin);
const ended = await startPhp({ files: await readConnector(folder), memoryBytes: Number(memory), lines });
process.exit(ended);
