/** The path of Firefox; undefined when there is none. */
export function findFirefox(): string | undefined;
/** The paths of WebKit's driver and of a screen for it; undefined when one of them is missing. */
export function findWebKit(): { driver: string; screen: string } | undefined;
