import { keepCompiledCode } from "./process/compile-cache.ts";

keepCompiledCode();
// Only modules that are loaded after the call above are kept.
const { main } = await import("./process/program.ts");
await main({ loadConfig: async () => await import("./config/config.ts") });
