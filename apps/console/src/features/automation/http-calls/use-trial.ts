import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { UseQueryResult } from "@tanstack/react-query";
import { call, parseExact } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { useAccess } from "../../../session/session.ts";
import type { Sample } from "../sample.tsx";
import { useSettled } from "../settled.ts";
import { readObject } from "../../../shared/shared.ts";

const SETTLED_MS = 500;

/** Returns the body of a test: a call as it is written, and the values of the sample. */
export function trialOf(request: Readonly<Record<string, unknown>>, sample: Sample): wire.HttpCallTest {
  const outputs = Object.entries(sample.outputs).map(([id, text]) => [id, readObject(text) ?? {}] as const);
  return {
    request,
    ...(sample.event === "" ? {} : { event: sample.event }),
    data: readObject(sample.data) ?? {},
    steps: Object.fromEntries(outputs),
  };
}

function hasUrl(text: string): boolean {
  const { request } = parseExact(text) as wire.HttpCallTest;
  return (request as { readonly url?: unknown }).url !== "";
}

/** Reads the request that a call would send, a moment after its last change. Nothing is sent. */
export function useDryRun(trial: wire.HttpCallTest): UseQueryResult<wire.HttpCallTestResult> {
  const access = useAccess();
  const text = useSettled(JSON.stringify({ ...trial, dry_run: true }), SETTLED_MS);
  return useQuery({
    queryKey: ["http_calls.test", { text }],
    queryFn: async ({ signal }) =>
      await call("http_calls.test", { body: parseExact(text) as wire.HttpCallTest }, { signal, exact: true }),
    // A call without an address has no request yet, and no error.
    enabled: access.may("http_calls.test") && hasUrl(text),
    placeholderData: keepPreviousData,
    // Structural sharing would turn exact numbers into plain objects.
    structuralSharing: false,
    staleTime: Infinity,
    retry: false,
  });
}
