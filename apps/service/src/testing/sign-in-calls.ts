import type { ByPerson } from "./connected-app-calls.ts";
import { signIn, totpCode } from "./people.ts";
import type { TestPerson } from "./people.ts";
import type { Parsed, TestService } from "./test-service.ts";

type Args = Record<string, unknown>;

interface SignInMakers<Made> {
  readonly byPerson: ByPerson<Made>;
  /** A call without arguments by a key, which has no session. */
  readonly byKey: Made;
  readonly recoveryCode: Made;
}

/** Good and bad calls of the operations of a person's own sessions and second factor. */
export function signInCalls<Made>({
  byPerson,
  byKey,
  recoveryCode,
}: SignInMakers<Made>): Record<string, { readonly good: Made; readonly bad: Made }> {
  return {
    "auth.session": { good: byPerson(() => ({})), bad: byKey },
    "auth.sessions.list": { good: byPerson(() => ({})), bad: byKey },
    "auth.sessions.end": { good: byPerson(otherSession), bad: byPerson(() => ({ id: "ses_1" })) },
    "auth.sign_out": { good: byPerson(() => ({})), bad: byKey },
    "auth.password": {
      good: byPerson(({ password }) => ({ current: password, new: "another long password" })),
      bad: byPerson(({ password }) => ({ current: password, new: "short" })),
    },
    "auth.totp.enrol": { good: byPerson(({ password }) => ({ password })), bad: byPerson(() => ({ password: 1 })) },
    "auth.totp.verify": { good: byPerson(appCode), bad: byPerson(() => ({ code: "123456" })) },
    "auth.totp.disable": { good: recoveryCode, bad: byPerson(() => ({ code: "123456" })) },
  };
}

async function otherSession({ email, password, call }: TestPerson, service: TestService): Promise<Args> {
  await signIn(service, { email, password });
  const { data } = (await call("GET", "/v1/auth/sessions")).body;
  return { id: data.find((one: Parsed) => one.current === false).id };
}

async function appCode({ password, call }: TestPerson): Promise<Args> {
  return { code: totpCode((await call("POST", "/v1/auth/totp/enrol", { password })).body["secret"]) };
}
