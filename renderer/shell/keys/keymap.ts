/**
 * All commands of Turnwise and their default keys. The key help, the palette and the key listener read this table. Ids
 * are stable, since the desktop menu and the palette's history use them. A command is available while a mounted view
 * has registered a handler for it (`commands.ts`).
 */
export const AREAS = ['Lists', 'Replay', 'Labels', 'Compare', 'Tree', 'Everywhere', 'Go to'] as const;
export type Area = (typeof AREAS)[number];

/** Commands of these areas can run in any view. */
export const isEverywhere = (area: Area): boolean => area === 'Everywhere' || area === 'Go to';

export interface Command {
  readonly id: CommandId;
  readonly label: string;
  readonly area: Area;
  /** Alternatives; a space separates the strokes of a sequence. `Mod` is Ctrl, or Cmd on a Mac. */
  readonly keys: readonly string[];
  /** Left out of the palette, since nobody searches for a command that moves by one row. */
  readonly isMotion?: true;
}

const TABLE = [
  { id: 'palette.show', label: 'Command palette', area: 'Everywhere', keys: ['Mod+k'] },
  { id: 'keys.show', label: 'Show the keys that work here', area: 'Everywhere', keys: ['?'] },
  { id: 'place.up', label: 'Back, up one level, or close', area: 'Everywhere', keys: ['Escape'] },
  { id: 'search.focus', label: 'Find or filter', area: 'Everywhere', keys: ['/'] },
  { id: 'sibling.next', label: 'Next step, group or rollout', area: 'Everywhere', keys: ['l'] },
  {
    id: 'sibling.previous',
    label: 'Previous step, group or rollout',
    area: 'Everywhere',
    keys: ['h'],
  },
  { id: 'place.copyLink', label: 'Copy link', area: 'Everywhere', keys: ['y'] },
  {
    id: 'focus.flip',
    label: 'Focus mode: hide sidebar, outline and inspector',
    area: 'Everywhere',
    keys: ['f'],
  },
  { id: 'place.library', label: 'Go to the library', area: 'Go to', keys: ['g l'] },
  { id: 'place.search', label: 'Search the texts of all rollouts', area: 'Go to', keys: ['g /'] },
  { id: 'place.sql', label: 'Query the library in SQL', area: 'Go to', keys: ['g q'] },
  { id: 'sql.run', label: 'SQL: run the statement or the selection', area: 'Lists', keys: ['Mod+Enter'] },
  { id: 'sql.explain', label: 'SQL: explain the query plan', area: 'Lists', keys: ['Mod+Shift+Enter'] },
  { id: 'place.labels', label: 'Go to labels, notes and failure packs', area: 'Go to', keys: ['g a'] },
  { id: 'rollout.copyText', label: 'Copy this rollout for a language model…', area: 'Labels', keys: ['Y'] },
  { id: 'pack.export', label: 'Export a failure pack…', area: 'Labels', keys: ['E'] },
  { id: 'pack.import', label: 'Import annotations…', area: 'Labels', keys: [] },
  { id: 'place.warehouse', label: 'Go to the warehouse', area: 'Go to', keys: ['g w'] },
  { id: 'place.verification', label: 'Go to the verification of Python calls', area: 'Go to', keys: ['g v'] },
  { id: 'place.issues', label: 'Go to the issues', area: 'Go to', keys: ['g i'] },
  {
    id: 'place.roc',
    label: 'Go to Resample-on-Correct of this run or step',
    area: 'Go to',
    keys: ['g r'],
  },
  {
    id: 'place.tokens',
    label: 'Go to the token statistics of this run, step, group or rollout',
    area: 'Go to',
    keys: ['g t'],
  },
  {
    id: 'failure.compare',
    label: 'Compare the typical rollout of a cluster with another one',
    area: 'Lists',
    keys: ['c'],
  },
  { id: 'problem.open', label: 'Open the history of this problem', area: 'Lists', keys: ['o'] },
  { id: 'place.problems', label: 'Go to the problems of this run', area: 'Go to', keys: ['g p'] },
  {
    id: 'problems.changes',
    label: 'Problems: changes, what became correct or incorrect',
    area: 'Go to',
    keys: [],
  },
  {
    id: 'problems.failures',
    label: 'Problems: failures, clusters of incorrect rollouts',
    area: 'Go to',
    keys: [],
  },
  {
    id: 'problems.detectors',
    label: 'Problems: detectors of reward hacking and degeneration',
    area: 'Go to',
    keys: [],
  },
  {
    id: 'problems.suspicious',
    label: 'Problems: suspicious ground truths and rewards',
    area: 'Go to',
    keys: [],
  },
  {
    id: 'place.schedule',
    label: 'Go to the schedule of this step: workers, waits, idle time',
    area: 'Go to',
    keys: ['g d'],
  },
  { id: 'place.tree', label: 'Go to the fork tree of this group', area: 'Go to', keys: ['g b'] },
  { id: 'place.settings', label: 'Go to settings', area: 'Go to', keys: ['g s'] },
  { id: 'mapping.show', label: 'Go to mappings: map a file, edit, delete', area: 'Go to', keys: ['g m'] },
  { id: 'formats.show', label: 'Go to the supported formats', area: 'Go to', keys: ['g f'] },
  { id: 'glossary.show', label: 'Go to the glossary', area: 'Go to', keys: [] },
  { id: 'compare.add', label: 'Add to or remove from comparison', area: 'Everywhere', keys: ['c'] },
  { id: 'compare.open', label: 'Open the comparison', area: 'Go to', keys: ['x'] },
  { id: 'compare.clear', label: 'Clear comparison', area: 'Everywhere', keys: [] },
  { id: 'library.open', label: 'Open another library…', area: 'Go to', keys: ['g o'] },
  { id: 'warehouse.open', label: 'Open a warehouse…', area: 'Go to', keys: [] },
  { id: 'library.close', label: 'Close this library', area: 'Everywhere', keys: [] },
  { id: 'library.sizes', label: 'Disk space of this library…', area: 'Everywhere', keys: [] },
  { id: 'library.compact', label: 'Compact this library', area: 'Everywhere', keys: [] },
  { id: 'rail.flip', label: 'Sidebar: show or hide the names', area: 'Everywhere', keys: [] },
  { id: 'theme.next', label: 'Switch theme: system, light, dark', area: 'Everywhere', keys: [] },
  {
    id: 'credentials.flip',
    label: 'Mask credentials in messages: on or off',
    area: 'Everywhere',
    keys: [],
  },
  { id: 'ingest.demo', label: 'Open the demo run', area: 'Everywhere', keys: [] },
  { id: 'tour.start', label: 'Take the tour of the demo', area: 'Everywhere', keys: [] },
  { id: 'ingest.openFiles', label: 'Open logs…', area: 'Everywhere', keys: ['Mod+o'] },
  { id: 'ingest.openDirectory', label: 'Open a log directory…', area: 'Everywhere', keys: ['Mod+Shift+o'] },

  { id: 'row.next', label: 'Next row', area: 'Lists', keys: ['j', 'ArrowDown'], isMotion: true },
  { id: 'row.previous', label: 'Previous row', area: 'Lists', keys: ['k', 'ArrowUp'], isMotion: true },
  { id: 'row.first', label: 'First row', area: 'Lists', keys: ['g g', 'Home'], isMotion: true },
  { id: 'row.last', label: 'Last row', area: 'Lists', keys: ['G', 'End'], isMotion: true },
  { id: 'row.pageDown', label: 'One page down', area: 'Lists', keys: ['PageDown'], isMotion: true },
  { id: 'row.pageUp', label: 'One page up', area: 'Lists', keys: ['PageUp'], isMotion: true },
  { id: 'row.open', label: 'Open the row', area: 'Lists', keys: ['Enter'], isMotion: true },
  { id: 'row.select', label: 'Select the row; two rows can be compared', area: 'Lists', keys: ['Space'] },
  { id: 'whatIf.flip', label: 'What if: show or hide the panel', area: 'Lists', keys: ['i'] },
  { id: 'whatIf.reset', label: 'What if: reset to the logged settings', area: 'Lists', keys: ['I'] },
  { id: 'penalties.flip', label: 'Penalties: compare sources, or hide', area: 'Lists', keys: ['p'] },
  { id: 'run.sources', label: 'Open sources and rules of this run', area: 'Lists', keys: ['s'] },
  { id: 'follow.flip', label: 'Follow the logs of this run, or stop', area: 'Lists', keys: ['w'] },
  { id: 'pause.flip', label: 'Live run: pause or resume its pages', area: 'Lists', keys: ['u'] },
  { id: 'fresh.show', label: 'Show what is new, and stay paused', area: 'Lists', keys: ['.'] },
  { id: 'run.remove', label: 'Remove this run from the library…', area: 'Lists', keys: ['Delete'] },
  { id: 'run.export', label: 'Export this run as Parquet…', area: 'Lists', keys: [] },
  { id: 'run.move', label: 'Move this run to a new library…', area: 'Lists', keys: [] },
  { id: 'table.columns', label: 'Table: choose its columns…', area: 'Lists', keys: [] },
  { id: 'table.density', label: 'Table: comfortable or compact rows', area: 'Lists', keys: [] },
  { id: 'table.unsort', label: 'Table: clear the sorting', area: 'Lists', keys: [] },
  {
    id: 'table.selectAll',
    label: 'Table: select all rows, to review, pack or compare them',
    area: 'Lists',
    keys: [],
  },
  { id: 'table.copy', label: 'Table: copy the selected rows as TSV', area: 'Lists', keys: [] },
  { id: 'filter.saveView', label: 'Filter: save this view…', area: 'Lists', keys: [] },
  { id: 'filter.copySql', label: 'Filter: copy as SQL', area: 'Lists', keys: [] },
  { id: 'filter.copyCommand', label: 'Filter: copy as a command line', area: 'Lists', keys: [] },
  { id: 'charts.flip', label: 'Show or hide the charts', area: 'Lists', keys: ['v'] },

  { id: 'turn.next', label: 'Next turn', area: 'Replay', keys: ['j', 'ArrowRight'], isMotion: true },
  { id: 'turn.previous', label: 'Previous turn', area: 'Replay', keys: ['k', 'ArrowLeft'], isMotion: true },
  { id: 'turn.first', label: 'First turn', area: 'Replay', keys: ['g g', 'Home'], isMotion: true },
  { id: 'turn.last', label: 'Last turn', area: 'Replay', keys: ['G', 'End'], isMotion: true },
  { id: 'call.next', label: 'Next tool call', area: 'Replay', keys: ['t'] },
  { id: 'call.previous', label: 'Previous tool call', area: 'Replay', keys: ['T'] },
  { id: 'failure.next', label: 'Next failed tool call', area: 'Replay', keys: ['d'] },
  { id: 'failure.previous', label: 'Previous failed tool call', area: 'Replay', keys: ['D'] },
  { id: 'hit.next', label: 'Next search hit, listed position or high token', area: 'Replay', keys: ['n'] },
  {
    id: 'hit.previous',
    label: 'Previous search hit, listed position or high token',
    area: 'Replay',
    keys: ['N'],
  },
  { id: 'reflection.next', label: 'Next reflection token', area: 'Replay', keys: ['r'] },
  { id: 'reflection.previous', label: 'Previous reflection token', area: 'Replay', keys: ['R'] },
  { id: 'token.next', label: 'Next token', area: 'Replay', keys: [']'], isMotion: true },
  { id: 'token.previous', label: 'Previous token', area: 'Replay', keys: ['['], isMotion: true },
  {
    id: 'error.flip',
    label: 'Show the whole errors of this turn, or shorten them',
    area: 'Replay',
    keys: ['O'],
  },
  { id: 'play.flip', label: 'Play or pause, turn by turn', area: 'Replay', keys: ['p', 'Space'] },
  { id: 'raw.flip', label: 'Show raw text or rendered Markdown', area: 'Replay', keys: ['M'] },
  { id: 'heat.flip', label: 'Token heat: on or off', area: 'Replay', keys: ['e'] },
  { id: 'outline.flip', label: 'Show or hide the outline', area: 'Replay', keys: ['o'] },
  { id: 'inspector.flip', label: 'Show or hide the inspector', area: 'Replay', keys: ['i'] },
  { id: 'context.flip', label: 'Show or hide the context of the turn', area: 'Replay', keys: ['C'] },
  { id: 'record.show', label: 'Show the raw record in its log file', area: 'Replay', keys: ['b'] },

  { id: 'label.1', label: 'Label 1 of the taxonomy: add or remove', area: 'Labels', keys: ['1'] },
  { id: 'label.2', label: 'Label 2', area: 'Labels', keys: ['2'] },
  { id: 'label.3', label: 'Label 3', area: 'Labels', keys: ['3'] },
  { id: 'label.4', label: 'Label 4', area: 'Labels', keys: ['4'] },
  { id: 'label.5', label: 'Label 5', area: 'Labels', keys: ['5'] },
  { id: 'label.6', label: 'Label 6', area: 'Labels', keys: ['6'] },
  { id: 'label.7', label: 'Label 7', area: 'Labels', keys: ['7'] },
  { id: 'label.8', label: 'Label 8', area: 'Labels', keys: ['8'] },
  { id: 'label.9', label: 'Label 9', area: 'Labels', keys: ['9'] },
  {
    id: 'label.scope',
    label: 'Label the rollout or the turn; in a comparison: A, B or both',
    area: 'Labels',
    keys: ['L'],
  },
  { id: 'label.undo', label: 'Undo the last change of labels or notes', area: 'Labels', keys: ['u'] },
  { id: 'label.redo', label: 'Redo', area: 'Labels', keys: ['U'] },
  { id: 'note.write', label: 'Write a note', area: 'Labels', keys: ['m'] },
  { id: 'flag.confirm', label: 'Turn the first flag into a label', area: 'Labels', keys: ['F'] },
  { id: 'queue.commit', label: 'Queue: mark as reviewed and open the next', area: 'Labels', keys: ['Enter'] },
  { id: 'queue.skip', label: 'Queue: skip and open the next', area: 'Labels', keys: ['s'] },
  { id: 'queue.next', label: 'Queue: next rollout', area: 'Labels', keys: ['.'] },
  { id: 'queue.previous', label: 'Queue: previous rollout', area: 'Labels', keys: [','] },

  {
    id: 'aligned.next',
    label: 'Next row of turns',
    area: 'Compare',
    keys: ['j', 'ArrowDown'],
    isMotion: true,
  },
  {
    id: 'aligned.previous',
    label: 'Previous row of turns',
    area: 'Compare',
    keys: ['k', 'ArrowUp'],
    isMotion: true,
  },
  { id: 'aligned.first', label: 'First row', area: 'Compare', keys: ['g g', 'Home'], isMotion: true },
  { id: 'aligned.last', label: 'Last row', area: 'Compare', keys: ['G', 'End'], isMotion: true },
  {
    id: 'aligned.open',
    label: 'Unfold the row, or open its turn in the replay',
    area: 'Compare',
    keys: ['Enter'],
    isMotion: true,
  },
  { id: 'difference.next', label: 'Next difference', area: 'Compare', keys: ['n'] },
  { id: 'difference.previous', label: 'Previous difference', area: 'Compare', keys: ['N'] },
  { id: 'fork.show', label: 'Go to the fork, the first difference', area: 'Compare', keys: ['f'] },
  { id: 'fork.policy', label: 'Go to the first difference of the policy', area: 'Compare', keys: ['r'] },
  { id: 'fork.action', label: 'Go to the first different action', area: 'Compare', keys: ['a'] },
  { id: 'change.next', label: 'Changed problems: next', area: 'Compare', keys: ['.'] },
  { id: 'change.previous', label: 'Changed problems: previous', area: 'Compare', keys: [','] },
  { id: 'lane.next', label: 'Choose the next lane', area: 'Compare', keys: [']'], isMotion: true },
  { id: 'lane.previous', label: 'Choose the previous lane', area: 'Compare', keys: ['['], isMotion: true },
  { id: 'lane.right', label: 'Move the chosen lane to the right', area: 'Compare', keys: ['>'] },
  { id: 'lane.left', label: 'Move the chosen lane to the left', area: 'Compare', keys: ['<'] },
  { id: 'lane.baseline', label: 'Make the chosen lane the baseline', area: 'Compare', keys: ['b'] },
  { id: 'lane.remove', label: 'Remove the chosen lane', area: 'Compare', keys: ['Delete', 'c'] },
  { id: 'layout.flip', label: 'Layout: columns or unified', area: 'Compare', keys: ['v'] },
  { id: 'equal.next', label: 'Equal rows: fold, hide or show', area: 'Compare', keys: ['z'] },
  {
    id: 'block.diff',
    label: 'Open code or output of this row in the diff editor',
    area: 'Compare',
    keys: ['e'],
  },
  {
    id: 'branch.left',
    label: 'Go to the parent branch',
    area: 'Tree',
    keys: ['h', 'ArrowLeft'],
    isMotion: true,
  },
  {
    id: 'branch.right',
    label: 'Go to the first branch',
    area: 'Tree',
    keys: ['l', 'ArrowRight'],
    isMotion: true,
  },
  {
    id: 'branch.fold',
    label: 'Fold or unfold this branch, or equal rows',
    area: 'Compare',
    keys: ['o'],
  },
  { id: 'alike.show', label: 'Find similar rollouts of the same problem', area: 'Replay', keys: ['a'] },
  {
    id: 'alike.compare',
    label: 'Compare with the most similar of opposite outcome',
    area: 'Replay',
    keys: ['A'],
  },
  { id: 'call.run', label: 'Run the next tool call of this turn again', area: 'Replay', keys: ['X'] },
  { id: 'call.edit', label: 'Edit the next tool call of this turn and run it', area: 'Replay', keys: [] },
  { id: 'call.step', label: 'Step through the next tool call of this turn', area: 'Replay', keys: [] },
  {
    id: 'charts.split',
    label: 'Split the charts by tool use, correctness, stop reason, label or a filter…',
    area: 'Everywhere',
    keys: [],
  },
  {
    id: 'calls.verify',
    label: 'Verify calls: run all Python calls again and compare with the log',
    area: 'Everywhere',
    keys: [],
  },
  { id: 'turn.continue', label: 'Continue from this turn…', area: 'Replay', keys: [] },
  {
    id: 'continuations.resume',
    label: 'Continuations: resume, or read a batch…',
    area: 'Everywhere',
    keys: [],
  },
  { id: 'rollout.value', label: 'Value by turn…', area: 'Replay', keys: [] },
  { id: 'code.script', label: 'Copy the code of this rollout as a script', area: 'Replay', keys: [] },
  { id: 'code.saveNotebook', label: 'Save the code as a notebook (.ipynb)', area: 'Replay', keys: [] },
  { id: 'code.savePython', label: 'Save the code as a script (.py)', area: 'Replay', keys: [] },
  { id: 'stop.next', label: 'Next breakpoint hit', area: 'Compare', keys: ['d'] },
  { id: 'stop.previous', label: 'Previous breakpoint hit', area: 'Compare', keys: ['D'] },
  { id: 'stop.add', label: 'Add a breakpoint', area: 'Compare', keys: ['B'] },
  { id: 'side.flip', label: 'Show or hide the side panel', area: 'Compare', keys: ['i'] },
] as const;

export type CommandId = (typeof TABLE)[number]['id'];

export const COMMANDS: readonly Command[] = TABLE;

const IDS = new Set<string>(TABLE.map((command) => command.id));

export function isCommandId(id: string): id is CommandId {
  return IDS.has(id);
}

export interface Stroke {
  readonly key: string;
  readonly hasMod: boolean;
  readonly hasShift: boolean;
}

/** `Mod+k`, `Mod+Shift+o`, `j`, `G`, `?`, `Escape`. Without `Mod`, a shifted character has its own name. */
export function strokeName({ key, hasMod, hasShift }: Stroke): string {
  const name = key === ' ' ? 'Space' : key;
  if (!hasMod) return name;
  return `Mod+${hasShift ? 'Shift+' : ''}${name.length === 1 ? name.toLowerCase() : name}`;
}

export interface KeyMatch {
  /** In the order of the table. The first one with a handler runs. */
  readonly commands: readonly CommandId[];
  /** The strokes typed so far of an unfinished sequence. */
  readonly pending: string;
}

/** @param table commands with their effective keys */
export function matchStroke(pending: string, stroke: string, table: readonly Command[] = COMMANDS): KeyMatch {
  const typed = pending === '' ? stroke : `${pending} ${stroke}`;
  const commands = table.filter((command) => command.keys.includes(typed)).map((command) => command.id);
  if (commands.length > 0) return { commands, pending: '' };
  const isPrefix = table.some((command) => command.keys.some((keys) => keys.startsWith(`${typed} `)));
  if (isPrefix) return { commands, pending: typed };
  return pending === '' ? { commands, pending: '' } : matchStroke('', stroke, table);
}
