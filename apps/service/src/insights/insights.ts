export { newsOf, tellOf } from "./live/live.store.ts";
export type { News } from "./live/live.ts";
export { readPosition } from "./live/live-position.ts";
export type { NewsReader, NewsReaders } from "./live/live-reader.ts";
export { MOST_READ } from "./search/search.ts";
export type { SearchHit, Searchable, Sought } from "./search/search.ts";
export type { AttentionParts, Capped } from "./usage/attention.routes.ts";
export type { TypeUsage, Usage } from "./usage/usage.ts";
