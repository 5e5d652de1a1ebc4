/**
 * The style of HTML packs: the app's colours in both schemes (`renderer/theme/tokens.css`), its typography
 * and its highlights.
 */

/** Colours by the app's token names, light and dark. A test compares them with the app's. */
export const PACK_TOKENS: Readonly<Record<string, readonly [light: string, dark: string]>> = {
  paper: ['#fbfaf7', '#14161a'],
  raised: ['#ffffff', '#1a1d22'],
  sunk: ['#f3f1ec', '#101216'],
  ink: ['#1c1e22', '#e7e6e2'],
  ink2: ['#51565f', '#abafb7'],
  ink3: ['#666b74', '#8d929b'],
  rule: ['#e5e2da', '#282c33'],
  rule2: ['#d3cfc4', '#383d46'],
  accent: ['#2a5bd7', '#7aa2ff'],
  right: ['#1e6eb1', '#63a9e8'],
  wrong: ['#b84412', '#f08a5b'],
  'wrong-soft': ['#fbeee8', '#2a1d18'],
  'diff-removed': ['#a13d63', '#e58fb1'],
  'diff-removed-mark': ['#f0c9d8', '#4f2a3b'],
  'diff-added': ['#4d6b12', '#b3cf6e'],
  'diff-added-mark': ['#d5e3ae', '#3a4a1c'],
  kept: ['#0a756f', '#3fc1b6'],
  dropped: ['#8b857a', '#86827a'],
  'heat-1': ['#fbe8ae', '#33291a'],
  'heat-2': ['#f8c765', '#54380f'],
  'heat-3': ['#f09a4c', '#7d4216'],
  'heat-4': ['#dd7048', '#a8443a'],
  code: ['#f6f4ef', '#171a1f'],
  env: ['#f1f2f0', '#1b1f25'],
  'label-red': ['#c0392f', '#ef7d78'],
  'label-orange': ['#bf5b12', '#f0985a'],
  'label-amber': ['#9a6f00', '#d9b24a'],
  'label-green': ['#3c7a2a', '#8cc06a'],
  'label-teal': ['#0b7c82', '#52bdc0'],
  'label-blue': ['#2b6ac4', '#7fb0f5'],
  'label-indigo': ['#525dc6', '#9aa4f2'],
  'label-violet': ['#7f4cc0', '#bd98f0'],
  'label-pink': ['#b0428a', '#e389c0'],
  'label-brown': ['#86583a', '#c79a78'],
  'label-grey': ['#70757d', '#a0a5ae'],
};

const tokens = (at: 0 | 1): string =>
  Object.entries(PACK_TOKENS)
    .map(([name, values]) => `--${name}:${values[at]}`)
    .join(';');
const labelColours = Object.keys(PACK_TOKENS)
  .filter((name) => name.startsWith('label-'))
  .map((name) => `.l-${name.slice('label-'.length)}{--l:var(--${name})}`)
  .join('');

export const PACK_STYLE = `:root{color-scheme:light dark;${tokens(0)};--ui:"Inter Variable",Inter,"Helvetica Neue",Arial,sans-serif;--mono:"JetBrains Mono Variable","JetBrains Mono","DejaVu Sans Mono",Menlo,Consolas,monospace}
@media (prefers-color-scheme:dark){:root{${tokens(1)}}}
@media print{:root{color-scheme:light;${tokens(0)}}}
${labelColours}
*{box-sizing:border-box}
html{scroll-padding-top:12px}
body{margin:0;background:var(--paper);color:var(--ink);font:14px/1.55 var(--ui)}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
h1,h2,h3,h4{margin:0;line-height:1.3;overflow-wrap:anywhere}
.steps{margin-top:16px}h1{font-size:20px}h2{font-size:16px}h3{font-size:13px;color:var(--ink2)}h4{font-size:12px;color:var(--ink2)}
body>header,main,body>section{max-width:1120px;margin:0 auto;padding:0 24px}
body>header{padding-top:28px;padding-bottom:4px}
body>section{padding-top:16px;padding-bottom:8px}
.brand{font-weight:650;margin-right:10px}
.muted,small{color:var(--ink2);font-size:12.5px}
.dim{color:var(--ink3)}
.correct{color:var(--right)}.incorrect{color:var(--wrong)}.unknown{color:var(--ink3)}.kept{color:var(--kept)}.discarded{color:var(--ink3);text-decoration:underline dashed var(--dropped);text-underline-offset:3px}
.mono,pre,.code{font:12.5px/1.55 var(--mono)}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;width:100%}
th{font-weight:600;font-size:12px;color:var(--ink2);text-align:left;white-space:nowrap}
th,td{padding:4px 14px 4px 0;border-bottom:1px solid var(--rule);vertical-align:baseline}
td.n,th.n{text-align:right}
td.kept,td.discarded{white-space:nowrap}
.without-kept :is(th,td):nth-child(5){display:none}
td.long{overflow-wrap:anywhere;min-width:16ch}td.labels{min-width:25ch}
.scroll{overflow-x:auto;max-width:100%}
.chip{display:inline-block;border:1px solid var(--l,var(--rule2));border-radius:10px;padding:0 8px;font-size:12px;line-height:18px;color:var(--l,var(--ink2));background:var(--raised);max-width:100%;overflow-wrap:break-word}
.chip::before{content:"";display:inline-block;width:7px;height:7px;border-radius:50%;background:var(--l,transparent);margin-right:5px}
.chip.bare::before{display:none}
.report{display:grid;grid-template-columns:repeat(auto-fill,minmax(250px,1fr));gap:14px 28px;margin:12px 0}
.report figure{margin:0}.report figcaption{font-size:12px;color:var(--ink2);display:flex;justify-content:space-between;gap:8px;margin-bottom:3px}.report figure,.report figcaption>*{min-width:0}
svg{display:block;width:100%}
.bar-correct{fill:var(--right)}.bar-incorrect{fill:var(--wrong)}.bar-unknown,.bar-discarded{fill:var(--dropped)}.bar-kept{fill:var(--kept)}.bar{fill:var(--l,var(--ink2))}
.axis{stroke:var(--rule2)}
.case{margin:0 0 28px;padding-top:18px;border-top:1px solid var(--rule2);min-width:0}
main:has(.wide){max-width:none}.group.wide>.case{max-width:760px}.group{content-visibility:auto;contain-intrinsic-size:auto 900px}
main:has(.pair),:has(~main .pair){max-width:1600px}.pair{content-visibility:auto;contain-intrinsic-size:auto 900px}.pair .incorrect,.pair .correct{font-weight:550}
.sides h2{font-size:14px;margin-top:8px}.sides{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:0 24px;align-items:start}
.group.wide{display:grid;grid-auto-flow:column;grid-auto-columns:minmax(380px,1fr);gap:0 24px;overflow-x:auto;align-items:start;padding-bottom:8px}
.more{display:none;margin:18px 0 0}.more:has(+.wide>.case:nth-child(6)){display:block}
@media (max-width:2060px){.more:has(+.wide>.case:nth-child(5)){display:block}}
@media (max-width:1660px){.more:has(+.wide>.case:nth-child(4)){display:block}}
@media (max-width:1255px){.more:has(+.wide>.case:nth-child(3)){display:block}}
@media (max-width:850px){.more:has(+.wide>.case:nth-child(2)){display:block}}
.case h2{display:flex;flex-wrap:wrap;gap:4px 10px;align-items:baseline}
.case .place{font-weight:600}
.case h2 small{font-weight:400}
.facts{display:flex;flex-wrap:wrap;gap:2px 16px;margin:4px 0 8px;color:var(--ink2);font-size:13px}
.facts b{font-weight:550;color:var(--ink);overflow-wrap:anywhere}
.chips{display:flex;flex-wrap:wrap;gap:5px;margin:6px 0}
details{margin:8px 0}
summary{cursor:pointer;color:var(--ink2);font-size:12.5px;overflow-wrap:anywhere}
summary b{color:var(--ink);font-weight:650}
.turn{margin:14px 0;content-visibility:auto;contain-intrinsic-size:auto 180px}
.turn>summary{padding:2px 0}.turn>.prose,.turn>pre{content-visibility:auto;contain-intrinsic-size:auto 80px}
.prose,pre{margin:6px 0;white-space:pre-wrap;overflow-wrap:anywhere;tab-size:4}
.prose{font-size:14.5px;line-height:1.65;max-width:78ch}
pre{background:var(--code);border:1px solid var(--rule);border-radius:6px;padding:9px 12px}
pre.env{background:var(--env);border-left:3px solid var(--rule2)}
pre.failed{background:var(--wrong-soft);border-left:3px solid var(--wrong)}
pre.answer{border-left:3px solid var(--right);background:var(--raised)}
.role{margin:8px 0 0;color:var(--ink3);font-size:12px}
.note{margin:8px 0;padding:7px 12px;border-left:3px solid var(--l,var(--rule2));background:var(--raised);border-radius:0 6px 6px 0;max-width:80ch}
.note p{margin:0}.said{margin-top:4px;font-size:13.5px;overflow-wrap:anywhere}.said p+p,.said ul,.said pre{margin:6px 0 0}.said ul{padding-left:20px}code{font:12.5px/1.5 var(--mono);background:var(--code);border-radius:3px;padding:0 3px}
.note pre{margin:5px 0 0}
.m{background:color-mix(in srgb,var(--l,var(--accent)) 16%,transparent);color:inherit;border-bottom:2px solid var(--l,var(--accent))}
del,ins{background:var(--diff-removed-mark);text-decoration:underline dashed var(--diff-removed) 1px;text-underline-offset:3px}ins{background:var(--diff-added-mark);text-decoration:underline var(--diff-added) 1px}
.tag{font:600 11px/1 var(--ui);color:var(--l,var(--accent));margin-left:3px;display:inline-block;max-width:100%;overflow-wrap:anywhere;vertical-align:super;white-space:normal}
i{font-style:normal}
.h1,.h2,.h3,.h4{color:var(--ink);border-radius:2px;box-shadow:inset 0 -1px var(--rule2)}
.h1{background:var(--heat-1)}.h2{background:var(--heat-2);box-shadow:inset 0 -1px var(--heat-4)}.h3{background:var(--heat-3);box-shadow:inset 0 -2px var(--heat-4)}.h4{background:var(--heat-4);box-shadow:inset 0 -3px var(--wrong)}
.w{word-break:break-all}.b{display:block;content-visibility:auto;contain-intrinsic-size:auto 600px}.c{color:var(--wrong);font-family:var(--mono);font-size:.92em;unicode-bidi:isolate}
.legend{display:inline-flex;gap:4px;align-items:center;font-size:12px;color:var(--ink2);flex-wrap:wrap}
.legend i{padding:0 7px}
bdi{unicode-bidi:isolate}
@media (max-width:700px){.sides{grid-template-columns:minmax(0,1fr)}body>header,main,body>section{padding-left:14px;padding-right:14px}.group.wide{grid-auto-columns:88vw}}
@media print{body{font-size:10.5pt}.more.more{display:none!important}body>header,main,body>section{max-width:none;padding-left:0;padding-right:0}.group,.turn,.turn>.prose,.turn>pre,.b{content-visibility:visible}.group.wide{display:block}.case{break-before:auto}.case h2,.turn>summary,.role{break-after:avoid}.note,pre{break-inside:auto}details::details-content{content-visibility:visible;display:block;block-size:auto}a{color:inherit}.h1,.h2,.h3,.h4,.m,.chip::before,svg *{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`;
