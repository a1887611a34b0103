import type { ServiceProcess } from "./process.ts";
import type { TestService } from "./test-service.ts";

/** Returns the same workspace, with an `api` that calls this process. The other helpers call the service of the test. */
export function serviceAt(service: TestService, { baseUrl }: Pick<ServiceProcess, "baseUrl">): TestService {
  return {
    ...service,
    baseUrl,
    async api(method, path, body, { key = service.key, headers = {} } = {}) {
      const response = await fetch(baseUrl + path, {
        method,
        headers: {
          ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
    },
  };
}
