import { Download } from 'lucide-react';
import { createContext, useContext } from 'react';
import { csvFile } from '../../../shared/domain/delimited.ts';
import { IconButton } from '../../ui/Controls.tsx';
import { saveText } from '../../ui/exportText.ts';
import { chartFileName } from '../../widgets/charts/ChartMenu.tsx';
import type { CsvTable } from './tokensCsv.ts';

/** Source of the page's numbers, and prefix of file names. */
export const Measured = createContext({ source: '', fileName: '' });

interface SaveCsvProps {
  /** `the means by segment`. */
  readonly what: string;
  readonly table: () => CsvTable;
  readonly disabled?: boolean;
}

export function SaveCsv({ what, table, disabled = false }: SaveCsvProps) {
  const { source, fileName } = useContext(Measured);
  const save = () => {
    const { columns, rows } = table();
    const name = chartFileName(fileName, what.replace(/^the /, ''));
    saveText(`${name}.csv`, csvFile(source, columns, rows), 'text/csv');
  };
  return (
    <IconButton label={`Save ${what} as CSV`} disabled={disabled} onClick={save}>
      <Download size={13} />
    </IconButton>
  );
}
