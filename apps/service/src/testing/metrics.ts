import type { TestService } from "./test-service.ts";

/** Returns the value of a metric without labels; undefined if there is none. */
export async function gauge(service: TestService, name: string): Promise<string | undefined> {
  const { text } = await service.api("GET", "/metrics");
  return new RegExp(`^${name} (.+)$`, "m").exec(text)?.[1];
}
