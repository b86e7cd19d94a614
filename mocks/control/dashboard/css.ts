/** The style of the page at `/_mock/`, light or dark by the setting of the browser. */
export const css = `:root { color-scheme: light dark; --line: light-dark(#d5d9e0, #3a3f4a); --soft: light-dark(#5b6472, #a2abb9);
  --panel: light-dark(#fff, #1c2027); --good: light-dark(#1f7a4d, #4cc38a); --warn: light-dark(#a15c00, #f0b429); --bad: light-dark(#b3261e, #ff7b72); }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, 'DejaVu Sans', sans-serif; background: light-dark(#f5f6f8, #12151a); color: light-dark(#1b1f26, #e6e9ee); }
header { display: flex; flex-wrap: wrap; gap: 0 24px; align-items: baseline; padding: 12px 24px; border-bottom: 1px solid var(--line); }
h1 { font-size: 18px; margin: 0; } h2 { font-size: 15px; margin: 0 0 12px; } h2 span, #clock-kind { color: var(--soft); font-weight: 400; }
header p { margin: 0; font-variant-numeric: tabular-nums; } #status { color: var(--soft); } #status.bad { color: var(--bad); }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(420px, 100%), 1fr)); gap: 16px; padding: 16px 24px; }
section { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 16px; min-width: 0; }
form { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; margin: 0 0 12px; }
input, select, button { font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 6px; padding: 4px 8px; }
select option { background: var(--panel); } button { cursor: pointer; } button:hover { border-color: var(--soft); }
:focus-visible { outline: 2px solid light-dark(#2458d3, #8ab4ff); outline-offset: 2px; }
.key { display: grid; grid-template-columns: minmax(60px, 1fr) minmax(0, 350px); gap: 0 12px; margin-bottom: 16px; }
.key strong { overflow-wrap: anywhere; } .key .ban { color: var(--bad); grid-column: 1 / -1; } .key .ban:empty { display: none; }
.key .left { color: var(--soft); font-variant-numeric: tabular-nums; }
.key .actions { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: 6px; margin-top: 4px; } .actions button { font-size: 13px; padding: 2px 8px; }
.mark { display: inline-block; margin-left: 6px; padding: 0 6px; border-radius: 4px; font-size: 13px; background: light-dark(#fbe9c8, #4a3a10); color: light-dark(#6b4700, #f5d58a); }
td .mark:first-child { margin-left: 0; } .added td { font-weight: 600; }
#faults p { margin: 0 0 6px; overflow-wrap: anywhere; } input, select { max-width: min(100%, 240px); } form label { min-width: 0; max-width: 100%; } button:disabled { opacity: 0.65; cursor: default; }
@media (max-width: 480px) { main { padding: 12px; } header { padding: 12px; } section { padding: 12px; } .key { grid-template-columns: minmax(60px, 1fr) minmax(0, 1.6fr); } }
input[type='number'] { width: 64px; } meter { width: 100%; height: 14px; align-self: center; }
.scroll { overflow: auto; max-height: 380px; } table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; padding: 3px 12px 3px 0; border-bottom: 1px solid var(--line); white-space: nowrap; font-variant-numeric: tabular-nums; }
th { position: sticky; top: 0; background: var(--panel); font-weight: 600; color: var(--soft); }
.ok { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
`;
