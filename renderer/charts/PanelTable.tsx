/** The numbers of a chart as a table: what the drawing says, for those who do not see it or want the digits. */
import { axisOf, type PanelLine, valueAt } from './panelModel.ts';

interface PanelTableProps {
  readonly title: string;
  readonly lines: readonly PanelLine[];
  readonly format: (value: number) => string;
  readonly height: number;
}

export function PanelTable({ title, lines, format, height }: PanelTableProps) {
  const shown = lines.filter(({ role }) => role !== 'under');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be within reach of the keyboard
    <section className="panel-table" style={{ height }} tabIndex={0} aria-label={`${title}, numbers`}>
      <table>
        <thead>
          <tr>
            <th scope="col">step</th>
            {shown.map((line) => (
              <th scope="col" key={line.key}>
                {line.name}
                {line.role === 'logged' && ' (logged)'}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {axisOf(shown).map((step) => (
            <tr key={step}>
              <th scope="row">{step}</th>
              {shown.map((line) => {
                const value = valueAt(line, step);
                return <td key={line.key}>{value === undefined ? '' : format(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
