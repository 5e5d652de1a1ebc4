import type { ButtonHTMLAttributes, ReactNode } from 'react';
import './controls.css';

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly label: string;
  /** Shown after the label in the tooltip. */
  readonly keys?: string | undefined;
  readonly isPressed?: boolean;
  readonly isOutlined?: boolean;
  /** The button is pressed repeatedly, so content that it opens does not take the focus. */
  readonly 'data-keeps-focus'?: '';
}

export function IconButton({ label, keys, isPressed, isOutlined, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      className={isOutlined ? 'icon-button is-outlined' : 'icon-button'}
      aria-label={label}
      aria-pressed={isPressed}
      title={keys === undefined ? label : `${label} (${keys})`}
      {...rest}
    />
  );
}

export function Button({
  isPrimary,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { readonly isPrimary?: boolean }) {
  return <button type="button" className={isPrimary ? 'button is-primary' : 'button'} {...rest} />;
}

interface SegmentedProps<Choice extends string> {
  readonly label: string;
  readonly choices: readonly { readonly id: Choice; readonly label: ReactNode; readonly title?: string }[];
  readonly chosen: Choice;
  readonly onChoose: (choice: Choice) => void;
}

export function Segmented<Choice extends string>({
  label,
  choices,
  chosen,
  onChoose,
}: SegmentedProps<Choice>) {
  return (
    <fieldset className="segmented" aria-label={label} style={{ margin: 0, padding: 0 }}>
      {choices.map((choice) => (
        <button
          type="button"
          key={choice.id}
          aria-pressed={choice.id === chosen}
          title={choice.title}
          onClick={() => onChoose(choice.id)}
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  );
}

export function Chip({
  children,
  title,
  isWarning,
}: {
  children: ReactNode;
  title?: string;
  isWarning?: boolean;
}) {
  return (
    <span className={isWarning ? 'chip is-warning' : 'chip'} title={title}>
      {children}
    </span>
  );
}
