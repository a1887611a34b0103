/** Writes the published contract, openapi/openapi.json, from the service's routes. A test compares the file with what this makes. */
import { writeFile } from "node:fs/promises";
import { contractText } from "../apps/service/src/testing/contract.ts";

await writeFile(new URL("../openapi/openapi.json", import.meta.url), await contractText());
