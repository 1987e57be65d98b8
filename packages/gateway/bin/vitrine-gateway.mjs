#!/usr/bin/env node
// Exists before the build, so that npm can link it; in the repository, `npm run build` creates the file that
// it loads.
import "../dist/main.js";
