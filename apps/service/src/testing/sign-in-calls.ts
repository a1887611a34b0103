import { once } from "../lib/lib.ts";
import { confirmedActionOn, proposalOf } from "./actions.ts";
import { newAuthenticator, withPasskey } from "./authenticator.ts";
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
    "auth.passkeys.begin": { good: byPerson(({ password }) => ({ password })), bad: byPerson(() => ({ password: 1 })) },
    "auth.passkeys.create": { good: byPerson(newCredential), bad: byPerson(() => ({ name: "" })) },
    "auth.passkeys.list": { good: byPerson(() => ({ limit: 1 })), bad: byPerson(() => ({ limit: 0 })) },
    "auth.passkeys.update": {
      good: byPerson(async (person, service) => ({ id: await passkeyOf(person, service), name: "Old key" })),
      bad: byPerson(() => ({ id: "pky_1", name: "Old key" })),
    },
    "auth.passkeys.delete": {
      good: byPerson(async (person, service) => {
        const { passkey, recovery_codes: codes } = (await withPasskey(service.baseUrl, person)).registered;
        return { id: passkey.id, code: codes[0] };
      }),
      bad: byPerson(({ password }) => ({ id: "pky_1", password })),
    },
    "step_ups.create": {
      good: byPerson(async (person, service) => {
        await withApp(person);
        return { proposals: [await highRisk(service)] };
      }),
      bad: byPerson(() => ({ proposals: [] })),
    },
    "step_ups.prove": { good: byPerson(begunStepUp), bad: byPerson(() => ({ id: "stp_1", code: "123456" })) },
  };
}

async function otherSession({ email, password, call }: TestPerson, service: TestService): Promise<Args> {
  await signIn(service, { email, password });
  const { data } = (await call("GET", "/v1/auth/sessions")).body;
  return { id: data.find((one: Parsed) => one.current === false).id };
}

async function appCode({ password, call }: TestPerson): Promise<Args> {
  const { secret } = (await call("POST", "/v1/auth/totp/enrol", { password })).body;
  // A repeat of a call has the same body, also half a minute later.
  return { code: once(() => totpCode(secret)) };
}

async function newCredential({ password, call }: TestPerson, service: TestService): Promise<Args> {
  const begun = await call("POST", "/v1/auth/passkeys/begin", { password });
  return { name: "Blue key", credential: newAuthenticator(service.baseUrl).create(begun.body) };
}

async function passkeyOf(person: TestPerson, service: TestService): Promise<string> {
  return (await withPasskey(service.baseUrl, person)).registered.passkey.id;
}

/** Gives a person an authenticator app. Returns what makes a code of it that was not used. */
async function withApp(person: TestPerson): Promise<() => string> {
  const { password, call } = person;
  const { secret } = (await call("POST", "/v1/auth/totp/enrol", { password })).body;
  await call("POST", "/v1/auth/totp/verify", { code: totpCode(secret) });
  return () => totpCode(secret, Date.now(), 1);
}

async function highRisk(service: TestService): Promise<Args> {
  const action = await confirmedActionOn(service, { url: "http://127.0.0.1:9/" }, { risk: "high" });
  const { id, params_hash: hash } = await proposalOf(service, action);
  return { id, params_hash: hash };
}

async function begunStepUp(person: TestPerson, service: TestService): Promise<Args> {
  const code = await withApp(person);
  const begun = await person.call("POST", "/v1/step-ups", { proposals: [await highRisk(service)] });
  return { id: begun.body.id, code: once(code) };
}
