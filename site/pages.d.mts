export interface PagesOptions {
  docs: string;
  out: string;
  /** The file with the front matter of the first page. */
  home: string;
  repository: string;
}
export function writePages(options: PagesOptions): void;
export function pageText(markdown: string, path: string, repository: string): string;
export function pagePath(path: string): string;
