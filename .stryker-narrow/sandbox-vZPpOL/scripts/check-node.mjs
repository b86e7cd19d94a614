// @ts-nocheck
// npm scripts must run on the Node that `npm ci` brought; when its install script was blocked they silently run on another.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  console.error(
    `expected Node >= 24 from node_modules/.bin, got ${process.version}. Run: npm install-scripts approve node && npm ci`,
  );
  process.exit(1);
}
