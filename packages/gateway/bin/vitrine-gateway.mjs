#!/usr/bin/env node
// Here before anything is built, so that npm can link it; in the repository, `npm run build` makes what it loads.
import "../dist/main.js";
