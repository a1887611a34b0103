import { randomInt } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { EmbeddedError } from "./error.ts";

/**
 * The range is below the one that systems use for outgoing connections (32768 and up). While the server restarts, such
 * a connection could take its port, even one that a pool makes to that very port.
 */
const [LOWEST, HIGHEST] = [20_000, 30_000];
const TRIES = 50;

/**
 * Returns the port in the file if it is free, so that an address survives a restart. Otherwise, chooses a free port and
 * writes it to the file.
 */
export async function choosePort(file: string): Promise<number> {
  const last = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
  if (isPort(last) && (await isFree(last))) return last;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(LOWEST, HIGHEST);
    if (!(await isFree(port))) continue;
    writeFileSync(file, `${port}\n`, { mode: 0o600 });
    return port;
  }
  throw new EmbeddedError(
    `No port between ${LOWEST} and ${HIGHEST} is free on 127.0.0.1 for PostgreSQL. Free one, or set DATABASE_URL.`,
  );
}

function isPort(value: number): boolean {
  return Number.isInteger(value) && value > 1023 && value < 65_536;
}

async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host: "127.0.0.1", exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
