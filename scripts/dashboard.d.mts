/** For `define` of esbuild, tsup and Vite. */
export const define: { dashboardFiles: string };
