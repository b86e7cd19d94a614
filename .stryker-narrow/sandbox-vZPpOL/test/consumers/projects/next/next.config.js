// @ts-nocheck
// The tools lie outside the project, behind links.
module.exports = { turbopack: { root: '/' }, outputFileTracingRoot: '/' };
