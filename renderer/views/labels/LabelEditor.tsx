import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react';
import { LABEL_COLOURS, LABEL_KEYS, type Label } from '../../../shared/api/contract.ts';
import { IconButton } from '../../ui/Controls.tsx';
import { counted } from '../../ui/numbers.ts';
import { TextField } from '../../ui/TextField.tsx';

type Changes = Partial<Label> | { readonly key: undefined };

interface LabelEditorProps {
  readonly label: Label;
  /** Number of annotations with this label. */
  readonly uses: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Called on every keystroke. The change is saved on blur. */
  readonly onType: (changes: Changes) => void;
  readonly onSave: (changes: Changes) => void;
  readonly onMove: (by: 1 | -1) => void;
  readonly onRemove: () => void;
}

export function LabelEditor({
  label,
  uses,
  isFirst,
  isLast,
  onType,
  onSave,
  onMove,
  onRemove,
}: LabelEditorProps) {
  const { name, description, colour, key } = label;
  const saveName = () => {
    if (name.trim() !== '') onSave({ name: name.trim() });
  };
  return (
    <li>
      <select
        aria-label={`Key of ${name}`}
        title="Number key of this label"
        value={key ?? ''}
        onChange={(event) => onSave({ key: LABEL_KEYS.find((one) => one === event.target.value) })}
      >
        <option value="">–</option>
        {LABEL_KEYS.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      <span className="label-colour">
        <i className="label-dot" data-colour={colour} aria-hidden />
        <select
          aria-label={`Colour of ${name}`}
          value={colour}
          onChange={(event) =>
            onSave({ colour: LABEL_COLOURS.find((one) => one === event.target.value) ?? colour })
          }
        >
          {LABEL_COLOURS.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </span>
      <TextField
        aria-label="Name"
        maxLength={200}
        value={name}
        aria-invalid={name.trim() === ''}
        onChange={(event) => onType({ name: event.target.value })}
        onBlur={saveName}
      />
      <TextField
        aria-label={`Description of ${name}`}
        placeholder="When to use it"
        value={description}
        onChange={(event) => onType({ description: event.target.value })}
        onBlur={() => onSave({ description })}
      />
      <span className="dim" title={`Its id in filters and files: ${label.id}`}>
        <span className="mono">{label.id}</span>
        {uses > 0 && ` · ${counted(uses, 'annotation')}`}
      </span>
      <span className="label-moves">
        <IconButton label={`Move ${name} up`} disabled={isFirst} onClick={() => onMove(-1)}>
          <ArrowUp size={14} />
        </IconButton>
        <IconButton label={`Move ${name} down`} disabled={isLast} onClick={() => onMove(1)}>
          <ArrowDown size={14} />
        </IconButton>
        <IconButton label={`Remove ${name}`} onClick={onRemove}>
          <Trash2 size={14} />
        </IconButton>
      </span>
    </li>
  );
}
