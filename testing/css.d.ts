/** Style sheets that a script brings along: what bundles it writes them into a file beside it. */
declare module "*.css";
