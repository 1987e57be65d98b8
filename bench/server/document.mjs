/** Shared by all servers of this benchmark. */
export const COUNT = 20;
export const DOCUMENT = `<!doctype html><title>View</title>${"<p>some text of a view</p>".repeat(400)}`;
