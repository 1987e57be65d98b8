export function packageFolders(modules: Iterable<string>): string[];
export function licenseText(folders: readonly string[]): string;
export function writeLicenses(target: string, modules: Iterable<string>): void;
