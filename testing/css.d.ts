/** Style sheets that a script imports; the bundler writes them to a file beside it. */
declare module "*.css";
