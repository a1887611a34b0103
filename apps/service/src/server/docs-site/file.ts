/** A file of the site as it is sent. */
export interface DocsFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzip: Buffer;
  readonly etag: string;
  /** Its address changes with its content. */
  readonly forever: boolean;
}

export interface Docs {
  /** What there is at a path below `/docs`. */
  find(path: string): Promise<DocsFile | undefined>;
  /** The page for paths that are none. */
  missing(): Promise<DocsFile>;
}
