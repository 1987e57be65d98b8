export interface PublicModule {
  specifier: string;
  /** The file of its declarations. */
  types: string;
  /** Its page in the API reference. */
  page: string;
  description: string;
}
export function publicModules(root: string): PublicModule[];
export function repositoryOf(root: string): string;
