import { main } from "./process/program.ts";
import { readAuthor, readConfig } from "./config/config.ts";

await main({ readConfig, readAuthor });
