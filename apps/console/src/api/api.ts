export { call, scopeHeaders, send, target, whenSessionEnds } from "./client.ts";
export type { Answer, CallOptions, Input, Item, OperationName, Operations } from "./client.ts";
export { isExactNumber, parseExact } from "./exact-json.ts";
export { NODE_SDK } from "./generated/packages.ts";
export { useLive, useLiveRefresh, useLiveState, useLiveStream } from "./live.ts";
export type { LiveKind, LiveState } from "./live.ts";
export { ApiProblem, isForbidden, isProblem, isSessionEnd } from "./problem.ts";
export type { ErrorCode, FieldProblem } from "./problem.ts";
export { createQueryClient, read, readAll, readExact, refresh, usePages, useWrite } from "./queries.ts";
export type { Given, PagedName, Pages, QueryKey } from "./queries.ts";
export { currentScope, environmentOfId, setCredential, setCsrfToken, setScope, useScope } from "./scope.ts";
export type { Environment, Scope } from "./scope.ts";
export { createStore } from "./store.ts";
export type { SnippetCall, SnippetLanguage } from "./snippets.ts";
export type * as wire from "../../../../sdks/node/src/generated/types.ts";

/** Loads the code generator only for users who open the code of a call. */
export const loadSnippets = async () => await import("./snippets.ts");
