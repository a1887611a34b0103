import { main } from "./app-main.ts";
import { readAuthor, readConfig } from "./config.ts";

await main({ readConfig, readAuthor });
