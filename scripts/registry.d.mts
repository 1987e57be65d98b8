/** A registry that is listening. */
export interface Registry {
  readonly url: string;
  close(): Promise<void>;
}
/** npm's settings on this machine. */
export function npmSettings(): {
  registry: string;
  cache: string;
  userconfig: string;
  cafile?: string | null;
};
/** Starts a registry with the packages of this checkout, or without them; the upstream has all other packages. */
export function serveRegistry(
  upstream: string,
  options?: { isPublished?: boolean; port?: number },
): Promise<Registry>;
