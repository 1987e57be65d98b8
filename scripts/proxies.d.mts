export function findHaproxy(): string | undefined;
export function findNginx(): string | undefined;
export function ensureProxies(): string | undefined;
