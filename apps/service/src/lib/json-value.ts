/** A value of JSON, as `JSON.parse` gives it. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
