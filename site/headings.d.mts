export function anchorOf(heading: string): string;
