/** What every server of this benchmark has. */
export const COUNT = 20;
export const DOCUMENT = `<!doctype html><title>View</title>${"<p>some text of a view</p>".repeat(400)}`;
