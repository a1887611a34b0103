import { keepCompiledCode } from "./process/compile-cache.ts";

keepCompiledCode();
// Only modules that are loaded after the call above are kept.
const [{ main }, { readConfig, readAuthor }] = await Promise.all([
  import("./process/program.ts"),
  import("./config/config.ts"),
]);
await main({ readConfig, readAuthor });
