import { SEVERITIES, type Severity } from '../../shared/api/contract.ts';
import { annotationLine, annotationText, authorOf, labelNamed } from './annotationText.ts';
import { type Command, readArguments, UsageError } from './command.ts';
import { withLibraryHost } from './libraryHost.ts';

const help = `usage: turnwise label ROLLOUT_ID LABEL [--note TEXT] [--severity ${SEVERITIES.join('|')}] [--author NAME] [--library FILE] [--json]

Labels a rollout. The label is on disk when the command ends, and can be undone in the app.

  LABEL           id or name of a label (turnwise taxonomy)
  --note TEXT     Markdown
  --severity S    ${SEVERITIES.join(', ')}
  --author NAME   author; default: $USER
  --library FILE  library file; default: the user's library
  --json          print the annotation as a pack line

Exit codes: 0 done, 1 no such rollout, 2 usage or no such label.`;

export const labelCommand: Command = {
  name: 'label',
  summary: 'label a rollout',
  help,
  async run(argv, context) {
    const args = readArguments('label', argv, {
      note: { type: 'string' },
      severity: { type: 'string' },
      author: { type: 'string' },
      library: { type: 'string' },
      json: { type: 'boolean' },
    });
    const [id, name, ...more] = args.positionals;
    const rolloutId = Number(id);
    if (name === undefined || more.length > 0) throw new UsageError('label: give ROLLOUT_ID and LABEL', help);
    if (!/^\d+$/.test(id ?? '') || !Number.isSafeInteger(rolloutId))
      throw new UsageError(`label: ROLLOUT_ID must be a whole number; found ${id}`);
    const severity = severityOf(args.string('severity'));
    const note = args.string('note');
    return withLibraryHost(args.string('library'), context, async (host) => {
      const label = labelNamed((await host.ask('taxonomy.get', {})).taxonomy, name);
      const put = {
        rolloutId,
        target: { kind: 'rollout' as const },
        label,
        ...(note === undefined ? {} : { note }),
        ...(severity === undefined ? {} : { severity }),
      };
      const author = authorOf(args.string('author'));
      const { annotations } = await host.ask('annotation.apply', { author, changes: [{ put }] });
      for (const row of annotations)
        process.stdout.write(`${args.flag('json') ? annotationLine(row) : annotationText(row)}\n`);
      return 0;
    });
  },
};

function severityOf(text: string | undefined): Severity | undefined {
  const found = SEVERITIES.find((known) => known === text);
  if (text !== undefined && found === undefined)
    throw new UsageError(`label: --severity must be one of ${SEVERITIES.join(', ')}; found ${text}`);
  return found;
}
