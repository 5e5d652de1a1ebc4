/** Variables of a run: name, type, size, value, and which changed. */
import type { PythonVariable } from '../../../shared/domain/pythonAnswer.ts';
import { LogText } from '../../ui/LogText.tsx';
import { counted } from '../../ui/numbers.ts';

/** UTF-16 units of a text that is shown. */
const LONGEST = 20_000;
/** More are folded. */
const MOST_OPEN = 12;

interface VariablesProps {
  /** Which variables: `at the end`. */
  readonly title: string;
  readonly variables: readonly (PythonVariable & { readonly isChanged?: boolean })[];
  /** Values before the call, by name: what it has made or changed is marked. */
  readonly before?: ReadonlyMap<string, string>;
}

export function Variables({ title, variables, before }: VariablesProps) {
  if (variables.length === 0) return <p className="muted">No variables {title}.</p>;
  const changeOf = ({ name, value, isChanged }: VariablesProps['variables'][number]): string => {
    if (before === undefined) return isChanged === true ? 'changed' : '';
    const old = before.get(name);
    if (old === undefined) return 'new';
    return old === value ? '' : `was ${old}`;
  };
  const changes = variables.map(changeOf);
  const hasChanges = before !== undefined || changes.some((change) => change !== '');
  return (
    <details className="rerun-variables" open={variables.length <= MOST_OPEN}>
      <summary>
        {counted(variables.length, 'variable')} {title}
      </summary>
      <table>
        <thead>
          <tr>
            <th scope="col">name</th>
            <th scope="col">type</th>
            <th scope="col">size</th>
            <th scope="col">value</th>
            {hasChanges && <th scope="col">{before === undefined ? '' : 'by this call'}</th>}
          </tr>
        </thead>
        <tbody>
          {variables.map(({ name, type, size, value }, i) => (
            <tr key={name} className={changes[i] === '' ? undefined : 'is-changed'}>
              <th scope="row">
                <LogText text={name} longest={LONGEST} />
              </th>
              <td>
                <LogText text={type} longest={LONGEST} />
              </td>
              <td>
                <LogText text={size} longest={LONGEST} />
              </td>
              <td>
                <LogText text={value} longest={LONGEST} />
              </td>
              {hasChanges && (
                <td>
                  <LogText text={changes[i] ?? ''} longest={LONGEST} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
