/** The name of before, for scripts that call it with a Node that runs TypeScript. */
import { main } from "./verify-audit.mjs";

process.exitCode = await main(process.argv.slice(2));
