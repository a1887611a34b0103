import { goProgram } from "./go-program.ts";

/** Returns the path of NATS' server. */
export async function natsServer(): Promise<string> {
  return await goProgram("github.com/nats-io/nats-server/v2", "v2.15.3");
}
