/**
 * Every key and command of Turnwise, once: the key help, the palette and the key listener read
 * this table. Ids are stable (the desktop menu and the palette's history use them). A command
 * is available while some mounted view offers a handler for it (`commands.ts`).
 */
export type Area = 'Everywhere' | 'Lists' | 'Replay' | 'Label' | 'Compare';

export interface Command {
  readonly id: CommandId;
  readonly label: string;
  readonly area: Area;
  /** Alternatives; a space separates the strokes of a sequence. `Mod` is Ctrl, or Cmd on a Mac. */
  readonly keys: readonly string[];
  /** Left out of the palette: moving by one row is no command one would search for. */
  readonly isMotion?: true;
}

const TABLE = [
  { id: 'palette.show', label: 'Command palette', area: 'Everywhere', keys: ['Mod+k'] },
  { id: 'keys.show', label: 'Show all keys', area: 'Everywhere', keys: ['?'] },
  { id: 'place.up', label: 'Back, up one level, or close', area: 'Everywhere', keys: ['Escape'] },
  { id: 'search.focus', label: 'Find or filter', area: 'Everywhere', keys: ['/'] },
  { id: 'sibling.next', label: 'Next sibling: step, group or rollout', area: 'Everywhere', keys: ['l'] },
  {
    id: 'sibling.previous',
    label: 'Previous sibling: step, group or rollout',
    area: 'Everywhere',
    keys: ['h'],
  },
  { id: 'place.copyLink', label: 'Copy link', area: 'Everywhere', keys: ['y'] },
  { id: 'focus.flip', label: 'Focus: hide rail, outline and inspector', area: 'Everywhere', keys: ['f'] },
  { id: 'place.library', label: 'Go to the library', area: 'Everywhere', keys: ['g l'] },
  { id: 'place.search', label: 'Search the texts of all rollouts', area: 'Everywhere', keys: ['g /'] },
  { id: 'place.sql', label: 'Ask the library in SQL', area: 'Everywhere', keys: ['g q'] },
  { id: 'sql.run', label: 'SQL: run the statement, or what is selected', area: 'Lists', keys: ['Mod+Enter'] },
  { id: 'sql.explain', label: 'SQL: show how it would be run', area: 'Lists', keys: ['Mod+Shift+Enter'] },
  { id: 'place.labels', label: 'Go to labels, notes and failure packs', area: 'Everywhere', keys: ['g a'] },
  { id: 'rollout.copyText', label: 'Copy this rollout for a language model…', area: 'Label', keys: ['Y'] },
  { id: 'pack.export', label: 'Export a failure pack…', area: 'Label', keys: ['E'] },
  { id: 'pack.import', label: 'Import annotations of a colleague…', area: 'Label', keys: [] },
  { id: 'place.issues', label: 'Go to the ingest issues', area: 'Everywhere', keys: ['g i'] },
  {
    id: 'place.roc',
    label: 'Go to Resample-on-Correct of this run or step',
    area: 'Everywhere',
    keys: ['g r'],
  },
  {
    id: 'place.tokens',
    label: 'Go to the token statistics of this run, step, group or rollout',
    area: 'Everywhere',
    keys: ['g t'],
  },
  { id: 'problem.open', label: 'Open the history of this problem', area: 'Lists', keys: ['o'] },
  { id: 'place.problems', label: 'Go to the problems of this run', area: 'Everywhere', keys: ['g p'] },
  {
    id: 'place.schedule',
    label: 'Go to the schedule of this step: workers, waits, idle time',
    area: 'Everywhere',
    keys: ['g d'],
  },
  { id: 'place.tree', label: 'Go to the fork tree of this group', area: 'Everywhere', keys: ['g b'] },
  { id: 'place.settings', label: 'Go to settings', area: 'Everywhere', keys: ['g s'] },
  { id: 'mapping.show', label: 'Map a file’s fields…', area: 'Everywhere', keys: ['g m'] },
  { id: 'formats.show', label: 'Formats that are read', area: 'Everywhere', keys: ['g f'] },
  { id: 'compare.add', label: 'Compare this rollout, or no longer', area: 'Everywhere', keys: ['c'] },
  { id: 'compare.open', label: 'Open the comparison', area: 'Everywhere', keys: ['x'] },
  { id: 'compare.clear', label: 'Put all away that was to be compared', area: 'Everywhere', keys: [] },
  { id: 'library.open', label: 'Open another library…', area: 'Everywhere', keys: ['g o'] },
  { id: 'library.close', label: 'Close this library', area: 'Everywhere', keys: [] },
  { id: 'library.sizes', label: 'What takes the space of this library…', area: 'Everywhere', keys: [] },
  { id: 'library.compact', label: 'Compact this library', area: 'Everywhere', keys: [] },
  { id: 'theme.next', label: 'Switch theme: system, light, dark', area: 'Everywhere', keys: [] },
  { id: 'ingest.demo', label: 'Open the demo run', area: 'Everywhere', keys: [] },
  { id: 'ingest.openFiles', label: 'Open log files…', area: 'Everywhere', keys: ['Mod+o'] },
  { id: 'ingest.openDirectory', label: 'Open a log directory…', area: 'Everywhere', keys: ['Mod+Shift+o'] },

  { id: 'row.next', label: 'Next row', area: 'Lists', keys: ['j', 'ArrowDown'], isMotion: true },
  { id: 'row.previous', label: 'Previous row', area: 'Lists', keys: ['k', 'ArrowUp'], isMotion: true },
  { id: 'row.first', label: 'First row', area: 'Lists', keys: ['g g', 'Home'], isMotion: true },
  { id: 'row.last', label: 'Last row', area: 'Lists', keys: ['G', 'End'], isMotion: true },
  { id: 'row.pageDown', label: 'One page down', area: 'Lists', keys: ['PageDown'], isMotion: true },
  { id: 'row.pageUp', label: 'One page up', area: 'Lists', keys: ['PageUp'], isMotion: true },
  { id: 'row.open', label: 'Open the row', area: 'Lists', keys: ['Enter'], isMotion: true },
  { id: 'row.select', label: 'Select the row, two to compare', area: 'Lists', keys: ['Space'] },
  { id: 'whatIf.flip', label: 'What if: show or hide the panel', area: 'Lists', keys: ['i'] },
  { id: 'whatIf.reset', label: 'What if: back to what was decided', area: 'Lists', keys: ['I'] },
  { id: 'penalties.flip', label: 'Penalties: the one that counts, or all three', area: 'Lists', keys: ['p'] },
  { id: 'run.sources', label: 'Sources and rules of this run', area: 'Lists', keys: ['s'] },
  { id: 'follow.flip', label: 'Follow the logs of this run, or stop', area: 'Lists', keys: ['w'] },
  { id: 'pin.flip', label: 'Lists: go along with the newest, or hold still', area: 'Lists', keys: ['u'] },
  { id: 'fresh.show', label: 'Show what is new in a list held still', area: 'Lists', keys: ['.'] },
  { id: 'run.remove', label: 'Remove this run from the library…', area: 'Lists', keys: ['Delete'] },
  { id: 'run.export', label: 'Write this run as Parquet…', area: 'Lists', keys: [] },
  { id: 'run.move', label: 'Move this run to a library of its own…', area: 'Lists', keys: [] },
  { id: 'table.columns', label: 'Table: choose its columns…', area: 'Lists', keys: [] },
  { id: 'table.density', label: 'Table: comfortable or compact rows', area: 'Lists', keys: [] },
  { id: 'table.unsort', label: 'Table: clear the sorting', area: 'Lists', keys: [] },
  { id: 'table.selectAll', label: 'Table: select all rows', area: 'Lists', keys: [] },
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
  { id: 'hit.next', label: 'Next hit of the search, else next high token', area: 'Replay', keys: ['n'] },
  { id: 'hit.previous', label: 'Previous hit, else previous high token', area: 'Replay', keys: ['N'] },
  { id: 'reflection.next', label: 'Next reflection token', area: 'Replay', keys: ['r'] },
  { id: 'reflection.previous', label: 'Previous reflection token', area: 'Replay', keys: ['R'] },
  { id: 'token.next', label: 'Next token', area: 'Replay', keys: [']'], isMotion: true },
  { id: 'token.previous', label: 'Previous token', area: 'Replay', keys: ['['], isMotion: true },
  { id: 'play.flip', label: 'Play or pause, turn by turn', area: 'Replay', keys: ['p', 'Space'] },
  { id: 'raw.flip', label: 'Exact text or rendered Markdown', area: 'Replay', keys: ['M'] },
  { id: 'heat.flip', label: 'Token heat on or off', area: 'Replay', keys: ['e'] },
  { id: 'outline.flip', label: 'Show or hide the outline', area: 'Replay', keys: ['o'] },
  { id: 'inspector.flip', label: 'Show or hide the inspector', area: 'Replay', keys: ['i'] },
  { id: 'record.show', label: 'Raw record in its log file', area: 'Replay', keys: ['b'] },

  { id: 'label.1', label: 'Label 1 of the taxonomy: put on, or take away', area: 'Label', keys: ['1'] },
  { id: 'label.2', label: 'Label 2', area: 'Label', keys: ['2'] },
  { id: 'label.3', label: 'Label 3', area: 'Label', keys: ['3'] },
  { id: 'label.4', label: 'Label 4', area: 'Label', keys: ['4'] },
  { id: 'label.5', label: 'Label 5', area: 'Label', keys: ['5'] },
  { id: 'label.6', label: 'Label 6', area: 'Label', keys: ['6'] },
  { id: 'label.7', label: 'Label 7', area: 'Label', keys: ['7'] },
  { id: 'label.8', label: 'Label 8', area: 'Label', keys: ['8'] },
  { id: 'label.9', label: 'Label 9', area: 'Label', keys: ['9'] },
  { id: 'label.scope', label: 'Labels are put on the rollout, or on the turn', area: 'Label', keys: ['L'] },
  { id: 'label.undo', label: 'Take back the last change of labels and notes', area: 'Label', keys: ['u'] },
  { id: 'label.redo', label: 'Do it again', area: 'Label', keys: ['U'] },
  { id: 'note.write', label: 'Write a note', area: 'Label', keys: ['m'] },
  { id: 'flag.confirm', label: 'Make a label of the first flag', area: 'Label', keys: ['F'] },
  { id: 'queue.commit', label: 'Queue: read, and on to the next', area: 'Label', keys: ['Enter'] },
  { id: 'queue.skip', label: 'Queue: skip, and on to the next', area: 'Label', keys: ['s'] },
  { id: 'queue.next', label: 'Queue: the next one', area: 'Label', keys: ['.'] },
  { id: 'queue.previous', label: 'Queue: the one before', area: 'Label', keys: [','] },

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
    label: 'Open what is folded, or the turn in its replay',
    area: 'Compare',
    keys: ['Enter'],
    isMotion: true,
  },
  { id: 'difference.next', label: 'Next difference', area: 'Compare', keys: ['n'] },
  { id: 'difference.previous', label: 'Previous difference', area: 'Compare', keys: ['N'] },
  { id: 'fork.show', label: 'To the fork: where the lanes part', area: 'Compare', keys: ['f'] },
  { id: 'lane.next', label: 'Choose the next lane', area: 'Compare', keys: [']'], isMotion: true },
  { id: 'lane.previous', label: 'Choose the previous lane', area: 'Compare', keys: ['['], isMotion: true },
  { id: 'lane.right', label: 'Move the chosen lane to the right', area: 'Compare', keys: ['>'] },
  { id: 'lane.left', label: 'Move the chosen lane to the left', area: 'Compare', keys: ['<'] },
  { id: 'lane.baseline', label: 'Make the chosen lane the baseline', area: 'Compare', keys: ['b'] },
  { id: 'lane.remove', label: 'Take the chosen lane out', area: 'Compare', keys: ['Delete', 'c'] },
  { id: 'layout.flip', label: 'Columns, or two lanes woven into one', area: 'Compare', keys: ['u'] },
  { id: 'equal.next', label: 'Equal parts: fold, hide, show', area: 'Compare', keys: ['z'] },
  { id: 'block.diff', label: 'Code or output of this row in the diff editor', area: 'Compare', keys: ['e'] },
  {
    id: 'branch.left',
    label: 'Tree: to where it branched off',
    area: 'Compare',
    keys: ['h', 'ArrowLeft'],
    isMotion: true,
  },
  {
    id: 'branch.right',
    label: 'Tree: to the first branch',
    area: 'Compare',
    keys: ['l', 'ArrowRight'],
    isMotion: true,
  },
  {
    id: 'branch.fold',
    label: 'Fold or open: equal parts here, in the tree this branch',
    area: 'Compare',
    keys: ['o'],
  },
  { id: 'alike.show', label: 'Find alike: rollouts of the same problem', area: 'Compare', keys: ['a'] },
  {
    id: 'alike.compare',
    label: 'Compare with the most alike that went the other way',
    area: 'Compare',
    keys: ['A'],
  },
  { id: 'code.script', label: 'Copy the code of this rollout as a script', area: 'Compare', keys: [] },
  { id: 'code.saveNotebook', label: 'Save the code as a notebook (.ipynb)', area: 'Compare', keys: [] },
  { id: 'code.savePython', label: 'Save the code as a script (.py)', area: 'Compare', keys: [] },
  { id: 'stop.next', label: 'Next hit of the breakpoints', area: 'Compare', keys: ['d'] },
  { id: 'stop.previous', label: 'Previous hit of the breakpoints', area: 'Compare', keys: ['D'] },
  { id: 'stop.add', label: 'Breakpoints: add one', area: 'Compare', keys: ['B'] },
  { id: 'side.flip', label: 'Show or hide the panel at the right', area: 'Compare', keys: ['i'] },
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

/** `Mod+k`, `Mod+Shift+o`, `j`, `G`, `?`, `Escape`. A shifted character already differs by itself. */
export function strokeName({ key, hasMod, hasShift }: Stroke): string {
  const name = key === ' ' ? 'Space' : key;
  if (!hasMod) return name;
  return `Mod+${hasShift ? 'Shift+' : ''}${name.length === 1 ? name.toLowerCase() : name}`;
}

export interface KeyMatch {
  /** In order of the table: the first with a handler runs. */
  readonly commands: readonly CommandId[];
  /** What has been typed of a sequence that can still be completed. */
  readonly pending: string;
}

/** @param table of commands with the keys in force */
export function matchStroke(pending: string, stroke: string, table: readonly Command[] = COMMANDS): KeyMatch {
  const typed = pending === '' ? stroke : `${pending} ${stroke}`;
  const commands = table.filter((command) => command.keys.includes(typed)).map((command) => command.id);
  if (commands.length > 0) return { commands, pending: '' };
  const isPrefix = table.some((command) => command.keys.some((keys) => keys.startsWith(`${typed} `)));
  if (isPrefix) return { commands, pending: typed };
  return pending === '' ? { commands, pending: '' } : matchStroke('', stroke, table);
}
