export function findPostgres(): string | undefined;
export function ensurePostgres(): string | undefined;
