import type { Service } from "../service.ts";
import type { TestDatabase } from "./database.ts";

/** The value of any JSON text. A test knows the shape that it expects. */
export type Parsed = ReturnType<typeof JSON.parse>;

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body. Tests know its shape. */
  readonly body: Parsed;
}

export interface TestService {
  readonly service: Service;
  readonly baseUrl: string;
  readonly database: TestDatabase;
  /** The owner's live key, and the sandbox key, of the one workspace. */
  readonly key: string;
  readonly sandboxKey: string;
  /** Sends a request with the owner's key, unless `headers` or `key` replace it. A string body is sent unchanged. */
  api(
    method: string,
    path: string,
    body?: unknown,
    options?: { key?: string | null; headers?: Record<string, string> },
  ): Promise<ApiAnswer>;
  /** Creates an endpoint with this URL. Returns its id and secret. */
  endpoint(url: string, more?: Record<string, unknown>): Promise<{ id: string; secret: string }>;
  /** Fires an event and returns it. */
  fire(event?: string, data?: unknown): Promise<Parsed>;
  /** Polls `GET path` until the body meets the condition. The default timeout only ends a test that hangs. */
  until(path: string, wanted: (body: Parsed) => boolean, timeoutMs?: number): Promise<Parsed>;
  close(): Promise<void>;
}
