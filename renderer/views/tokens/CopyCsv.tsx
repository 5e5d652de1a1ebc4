import { Copy } from 'lucide-react';
import { createContext, useContext } from 'react';
import { useInterface } from '../../state/interface.ts';
import { IconButton } from '../../ui/Controls.tsx';
import { copyText } from '../../ui/exportText.ts';
import { counted } from '../../ui/numbers.ts';
import { type CsvTable, csvText } from './tokensCsv.ts';

/** What stands in the first line of every table that is copied: the scope, the source, its numbers. */
export const CsvSource = createContext('');

interface CopyCsvProps {
  /** `Copy the distribution as CSV`. */
  readonly what: string;
  readonly table: () => CsvTable;
  readonly disabled?: boolean;
}

export function CopyCsv({ what, table, disabled = false }: CopyCsvProps) {
  const source = useContext(CsvSource);
  const copy = () => {
    const made = table();
    void copyText(csvText(source, made)).then((isCopied) =>
      useInterface
        .getState()
        .setNotice(
          isCopied
            ? `${counted(made.rows.length, 'row')} copied as CSV`
            : 'The clipboard is not available here',
        ),
    );
  };
  return (
    <IconButton label={`Copy ${what} as CSV`} disabled={disabled} onClick={copy}>
      <Copy size={13} />
    </IconButton>
  );
}
