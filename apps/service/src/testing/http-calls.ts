import type { Receiver } from "./receiver.ts";
import { UNLIMITED } from "./subscription.ts";
import type { Parsed, TestService } from "./test-service.ts";
import { startWithReceiver } from "./with-receiver.ts";

/** A service with a receiver that stands for the API which is called. */
export interface HttpCallTest {
  readonly service: TestService;
  readonly receiver: Receiver;
  /** The scheme and address of the receiver. */
  readonly origin: string;
  /** Tries a call. `more` are further members of the request, such as `data`. */
  tryCall(call: object, more?: object): Promise<Parsed>;
  close(): Promise<void>;
}

/** Starts both, with the secret `api_token`. */
export async function startHttpCalls(): Promise<HttpCallTest> {
  const { service, receiver, close } = await startWithReceiver(UNLIMITED);
  await putSecret(service, "api_token", "token-of-the-api");
  return {
    service,
    receiver,
    origin: new URL(receiver.url).origin,
    tryCall: async (call, more = {}) => await service.api("POST", "/v1/http-calls/test", { request: call, ...more }),
    close,
  };
}

export async function putSecret(service: TestService, name: string, value: string, key = service.key): Promise<void> {
  const answer = await service.api("PUT", `/v1/secrets/${name}`, { value }, { key });
  if (answer.status !== 200 && answer.status !== 201) throw new Error(`no secret: ${answer.text}`);
}
