import type { Service } from "../service.ts";
import type { TestDatabase } from "./database.ts";

/** Whatever JSON text holds; a test knows the shape that it asks for. */
export type Parsed = ReturnType<typeof JSON.parse>;

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; tests know its shape. */
  readonly body: Parsed;
}

export interface TestService {
  readonly service: Service;
  readonly baseUrl: string;
  readonly database: TestDatabase;
  /** The owner's live key, and the sandbox key, of the one workspace. */
  readonly key: string;
  readonly sandboxKey: string;
  /** A call with the owner's key, unless `headers` or `key` say otherwise. A string body is sent as it is. */
  api(
    method: string,
    path: string,
    body?: unknown,
    options?: { key?: string | null; headers?: Record<string, string> },
  ): Promise<ApiAnswer>;
  /** An endpoint on this URL; answers its id and secret. */
  endpoint(url: string, more?: Record<string, unknown>): Promise<{ id: string; secret: string }>;
  /** Fires and answers the event. */
  fire(event?: string, data?: unknown): Promise<Parsed>;
  /** Polls `GET path` until the body is as wanted; the default bound only ends a test that hangs. */
  until(path: string, wanted: (body: Parsed) => boolean, timeoutMs?: number): Promise<Parsed>;
  close(): Promise<void>;
}
