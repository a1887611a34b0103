import { rmSync } from "node:fs";
import { beforeAll } from "vitest";
import { ROOT } from "./connectors.ts";

// Test files of one worker share this module, and therefore its folder of connectors.
beforeAll(() => rmSync(ROOT, { recursive: true, force: true }));
