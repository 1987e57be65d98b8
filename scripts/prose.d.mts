/** Problems in the prose of a file, as `line: problem`. */
export function proseProblems(path: string, text: string): string[];
