/** A JSON value, as `JSON.parse` returns it. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
